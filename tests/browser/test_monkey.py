"""Whatever hands do, however fast: nothing goes wrong in a page, and it is still there."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser.sessions import People
from patience import PATIENCE
from playwright.sync_api import Error, Page, Response
from remote import CAMPAIGN, PLAYERS, Opened, RemoteServer, log_in, places_in
from sizes import sized

MONKEY = (Path(__file__).parents[1] / "kit" / "browser" / "monkey.js").read_text()
SIZES = [(360, 740), (700, 500), (1280, 900), (2560, 1300)]
STEPS = 120
"""Between two sizes of the window."""
SEEDS = range(sized(1, 16))
SURFACES = [
    "an auditor of a game",
    "an auditor of delegated work",
    "a spectator",
    "a seat that looks back",
    "an auditor of an evening",
    "a seat at the table",
    "the human of an evening",
    "the user of delegated work",
    "a keeper",
    "the host",
]


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """The surfaces of a server at which the house plays, by their names."""
    folder = tmp_path_factory.mktemp("busy")
    with RemoteServer(log_in(folder), places_in(folder)) as remote:
        names = [*PLAYERS]
        over = _over(remote, names=names, seed="9")
        work = remote.open(ruleset="delegation", folder="paper", agents={"user": "outside"}, seed="3")
        evening = remote.open(
            ruleset="tabletop", campaign=CAMPAIGN, character="pim-tallow", agents={"human": "outside"}, seed="3"
        )
        table = remote.open(names=names, agents={"Ada": "outside"}, agent="house", seed="9")
        yield dict(
            zip(
                SURFACES,
                (
                    _at(remote, over, remote.issue(over.game, over.keeper, "auditor")),
                    _at(remote, work, remote.issue(work.game, work.keeper, "auditor")),
                    _at(remote, over, over.spectator),
                    _at(remote, over, remote.issue(over.game, over.keeper, "seat", "Ada")),
                    _at(remote, evening, remote.issue(evening.game, evening.keeper, "auditor")),
                    _at(remote, table, table.seats["Ada"]),
                    _at(remote, evening, evening.seats["human"]),
                    _at(remote, work, work.seats["user"]),
                    _at(remote, table, table.keeper),
                    f"{remote.base}/#{remote.host}",
                ),
                strict=True,
            )
        )


def _at(remote: RemoteServer, one: Opened, token: str) -> str:
    return f"{remote.base}/games/{one.game}#{token}"


def _over(remote: RemoteServer, **wanted: Any) -> Opened:
    """A game that the house has played to its end."""
    one = remote.open(agent="house", **wanted)
    until = time.monotonic() + PATIENCE
    while remote.get(f"/v1/games/{one.game}", one.keeper)["status"] != "over":
        assert time.monotonic() < until
        time.sleep(0.05)
    return one


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("surface", sized(SURFACES[::2], SURFACES))
def test_hands_may_do_what_they_like(people: People, addresses: Mapping[str, str], surface: str, seed: int) -> None:
    # What is refused is the hands' own doing, as is a link of a keeper that takes itself another one.
    people.faults.expect(r"status of 4\d\d")
    page = people.context(viewport={"width": 1280, "height": 900}).new_page()
    came = Counter[str]()
    page.on("request", lambda asked: came.update(["document"] * asked.is_navigation_request()))
    page.on("response", lambda answer: came.update(["invited"] * _invites(answer)))
    page.goto(addresses[surface])
    _there(page)
    for part, (width, height) in enumerate(SIZES):
        page.set_viewport_size({"width": width, "height": height})
        wanted = {"seed": 1000 * seed + 10 * SURFACES.index(surface) + part, "steps": STEPS}
        assert len(_in_page(page, MONKEY, wanted)) == STEPS
    # What a browser tells late is told by then.
    _in_page(page, "() => new Promise(done => setTimeout(done, 400))")
    _there(page)
    assert came["document"] <= 1 + came["invited"]


def _invites(answer: Response) -> bool:
    """Whether the answer gives a link that the page goes to by itself: to play again, or to sit down in a game."""
    asked = answer.request
    return answer.ok and asked.method == "POST" and urlsplit(asked.url).path.endswith(("/again", "/games", "/links"))


def _in_page(page: Page, script: str, argument: Any = None) -> Any:
    """Evaluate the script, and once more in each page that a button led to meanwhile."""
    while True:
        try:
            return page.evaluate(script, argument)
        except Error as error:
            if "because of a navigation" not in error.message:
                raise
        _there(page)


def _there(page: Page) -> None:
    page.locator("main").first.wait_for()
    page.get_by_role("heading").first.wait_for(state="attached")
