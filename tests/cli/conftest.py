import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import Cli
from small_page import small_page

from sottovoce.domain.draws import Seed
from sottovoce.projections import bundle

NAMES = 'Ada,Jean Luc,O\'Brien,Zoë,Bram "B"'


@pytest.fixture(scope="module", autouse=True)
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A small page in the place of the built one, which files to share are made of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundle, "PLACES", (small_page(tmp_path_factory.mktemp("page")),))
        yield


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with a finished game, its fork in the first night, and a game that waits for two outside seats."""
    folder = tmp_path_factory.mktemp("library")
    sv = Cli(folder / "games.db")
    over = sv.play("--names", NAMES, seed=3, env={"SOTTOVOCE_PACE": "0"})
    sv("fork", over, "--at", 30, "--json")
    waiting = _open_outside(sv)
    (folder / "ids").write_text("\n".join([over, waiting]))
    return folder


def _open_outside(sv: Cli) -> str:
    """A game opened and left at once: Ada and the narrator are filled from outside."""
    from sottovoce.eventlog import open_log
    from sottovoce.server.games import Games

    log = open_log(sv.url)
    games = Games(log)
    seats = ("Ada", "Bram", "Cleo", "Dirk", "narrator")
    agents = {**dict.fromkeys(seats, "random"), "Ada": "outside", "narrator": "outside"}
    live = asyncio.run(games.open("mafia", seats, agents, Seed.of(5), {"max_attempts": 2}))
    games.close()
    log.close()
    return live.id


@pytest.fixture
def sv(library: Path, tmp_path: Path) -> Cli:
    """The command line on a copy of the library."""
    folder = tmp_path / "log"
    shutil.copytree(library, folder)
    return Cli(folder / "games.db")


@pytest.fixture
def fresh(tmp_path: Path) -> Cli:
    """The command line on a log that does not exist yet."""
    return Cli(tmp_path / "fresh.db")


@pytest.fixture
def over(library: Path) -> str:
    """The finished game."""
    return (library / "ids").read_text().splitlines()[0]


@pytest.fixture
def waiting(library: Path) -> str:
    """The game that waits for the narrator, filled from outside."""
    return (library / "ids").read_text().splitlines()[1]
