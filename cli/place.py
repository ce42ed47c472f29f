"""What most commands need first: the log, a game by its id or prefix, a seat by its name, an output as JSON."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sottovoce.cli.output import say
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.errors import UnknownName as UnknownName
from sottovoce.domain.errors import Unreadable as Unreadable
from sottovoce.domain.reading import readable
from sottovoce.domain.safe_text import visible_json

if TYPE_CHECKING:
    from sottovoce.client.link import Link
    from sottovoce.eventlog import EventLog
    from sottovoce.server.games import Games
    from sottovoce.server.live import LiveGame

FIRST_GAME = "sottovoce play mafia"
"""What a person who has no game yet is told to begin with."""

FAR = "These commands work with a link: inbox, send, view, watch, show, replay, transcript, files and audit."

_PASSWORD = re.compile(r"(?<=://)([^/@:]*:).*(?=@)|(?<=[?&])((?:ssl)?password=)[^&#]*", re.IGNORECASE)
"""A password, as one stands in the address of a database: before the host, or among the parameters."""

_SHOWN = 5
_LATEST = """
    SELECT game FROM heads WHERE NOT EXISTS (SELECT 1 FROM batches WHERE batches.game = heads.game)
    ORDER BY id DESC LIMIT 1
"""

F = TypeVar("F", bound=Callable[..., Any])


def _warn(notice: str) -> None:
    say(f"sottovoce: {notice}", err=True)


class FindingsReported(SottovoceError):
    """The command found a problem."""


@dataclass(frozen=True, slots=True)
class Place:
    """The database or server of a command. `named` says that the command line names it.

    `server` is the given link, if the games are remote.
    """

    db: str | None
    named: bool = False
    server: str | None = None

    @property
    def url(self) -> str:
        """The log's URL, that of a file if a plain path was given; the default is a file in the user's data folder."""
        from sottovoce.eventlog import log_url

        if self.db:
            return log_url(self.db)
        import platformdirs

        folder = Path(platformdirs.user_data_dir("sottovoce", appauthor=False))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SottovoceError(
                f"Cannot create {folder}: {error.strerror}. Use --db to choose another location."
            ) from None
        return log_url(str(folder / "games.db"))

    @contextmanager
    def log(self, *, create: bool = False, report: Callable[[str], None] = _warn) -> Iterator[EventLog]:
        """The log, to look at; with `create`, one that does not exist yet is made. `report` is told what was lost."""
        from sottovoce.eventlog import open_log

        if self.server is not None:
            raise UnknownName(f"This command needs a database. Use --db instead of --server. {FAR}")
        log = open_log(self.url, create=create or self.db is None)
        try:
            for notice in log.notices:
                report(notice)
            yield log
        finally:
            log.close()

    @contextmanager
    def games(self, *, create: bool = False, report: Callable[[str], None] = _warn) -> Iterator[Games]:
        """The games of the log, to play or change; `create` and `report` as for `log`."""
        from sottovoce.server.games import Games

        with self.log(create=create, report=report) as log:
            games = Games(log)
            try:
                yield games
            finally:
                games.close()

    def command(self, *words: str) -> str:
        """Return a command line to print that works as it stands, from the folder the user is in.

        It leaves out a password in the database URL; the user has to add it again.
        """
        program = "sottovoce"
        if shutil.which(program) is None:
            beside = Path(sys.executable).parent / program
            program = os.path.relpath(beside) if beside.is_relative_to(Path.cwd()) else str(beside)
        if self.server is not None:
            place = ["--server", shown_link(self.server)]
        else:
            place = ["--db", without_password(self.db)] if self.named and self.db else []
        return shlex.join([program, *place, *words])

    @property
    def link(self) -> Link | None:
        """The link to look by, if there is one. Raises LinkUnusable."""
        if self.server is None:
            return None
        from sottovoce.client.link import find_link

        return find_link(self.server)


def without_password(address: str) -> str:
    """The address of a database as it may be printed."""
    return _PASSWORD.sub(lambda found: f"{found[1] or found[2]}***", address)


def shown_link(given: str) -> str:
    """A link as it may be printed: a path or the name of a variable as it is, and of all else nothing."""
    return "LINK" if "#" in given or "://" in given else given


def find_game(log: EventLog, name: str) -> str:
    """The game of that id, unambiguous prefix, or `latest`."""
    if name == "latest":
        with log.tables() as run:
            newest = run(_LATEST) or run("SELECT game FROM heads ORDER BY id DESC LIMIT 1")
        hits: list[str] = [game for (game,) in newest]
    else:
        name = readable(name)
        hits = [name] if name and log.head(name) else log.games(name, _SHOWN + 1) if name else []
    if len(hits) == 1:
        return hits[0]
    if hits:
        listed = ", ".join(hits[:_SHOWN]) + (" …" if len(hits) > _SHOWN else "")
        raise UnknownName(f"{name!r} matches {len(log.games(name))} games ({listed}). Give more of the ID.")
    if not log.games(limit=1):
        raise UnknownName(f"There are no games yet. Start one with: {FIRST_GAME}")
    raise UnknownName(f"There is no game {name!r}. Run `sottovoce games` to list games.")


def load_game(log: EventLog, name: str) -> LiveGame:
    """The game of that id, unambiguous prefix, or `latest`, as the log has it now."""
    from sottovoce.server.live import load

    return load(log, find_game(log, name))


def find_seat(live: LiveGame, name: str) -> str:
    """The seat of that name, case ignored where that is unambiguous."""
    seats: tuple[str, ...] = live.state.seats
    if name in seats:
        return name
    hits = [seat for seat in seats if seat.casefold() == name.casefold()]
    if len(hits) == 1:
        return hits[0]
    raise UnknownName(f"The game has no seat {name!r}. Its seats are: {', '.join(seats)}.")


def check_seq(value: int | None, most: int, what: str = "--at") -> None:
    """UnknownName unless the number is one of 1 to `most`."""
    if value is not None and not 1 <= value <= most:
        raise UnknownName(f"{what} {value} does not exist. Give a number from 1 to {most}.")


def print_json(value: Mapping[str, Any]) -> None:
    """One object on one line, escaped where the output could not hold every character."""
    plain = (sys.stdout.encoding or "").casefold().replace("-", "") != "utf8"
    sys.stdout.write(visible_json(json.dumps(value, ensure_ascii=plain, separators=(",", ":"))) + "\n")
    sys.stdout.flush()


def json_option(command: F) -> F:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line.")(command)


def as_option(command: F) -> F:
    """`--as SEAT`, optional."""
    return click.option("--as", "seat", metavar="SEAT", help="Show the game as SEAT sees it.")(command)


def auditor_option(command: F) -> F:
    """`--auditor`."""
    return click.option("--auditor", is_flag=True, help="Show everything, including secrets.")(command)


def game_argument(command: F) -> F:
    """GAME."""
    return click.argument("game", metavar="GAME")(command)
