"""A game to look at, in a log or at a far table, as the commands that look at games have it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

import click

from cli.chair import perspective
from cli.place import Place, find_seat, load_game
from domain.events import Recorded
from domain.ruleset import Ruleset
from projections.perspective import Perspective
from projections.summary import Show, show
from projections.transcript import html, markdown
from projections.view import Entry, View, public_view, view

if TYPE_CHECKING:
    from eventlog import EventLog
    from server.live import LiveGame

Form = Literal["markdown", "html"]

POLL = 0.05
"""Seconds between looks for what other processes appended."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Since when an open turn waits, until when it may, and with which worker, as far as that is known here."""

    opened_at: datetime | None
    expires: datetime | None
    worker: str | None = None


class Source(Protocol):
    """A game to look at."""

    @property
    def id(self) -> str:
        """The game's id."""

    @property
    def ruleset(self) -> Ruleset[Any]:
        """Its rules."""

    @property
    def over(self) -> bool:
        """Whether it is over, as far as is known here."""

    def seat(self, name: str) -> str:
        """The seat of that name; for an empty one that of the link. Raises UnknownName."""

    def perspective(self, seat: str | None, auditor: bool) -> Perspective:
        """From whose chair it is looked at, as a command's options say."""

    def items(self, chair: Perspective) -> Sequence[Entry | Recorded]:
        """What the chair has of the game: entries for a seat and the public, recorded events for an auditor."""

    def view(self, seat: str, upto: int | None = None) -> View[Any]:
        """What the seat has seen, up to that seq if given."""

    def transcript(self, chair: Perspective, form: Form) -> str:
        """The game as a text to read."""

    def show(self, chair: Perspective) -> Show:
        """Where the game stands."""

    def waits(self) -> Mapping[tuple[str, int], Wait]:
        """How long open turns wait, by seat and number."""

    def wait(self) -> None:
        """Wait for news and take them in."""


class RecordedGame:
    """A game whose events are all at hand."""

    def __init__(self, live: LiveGame) -> None:
        self.live = live

    @property
    def id(self) -> str:
        return self.live.id

    @property
    def ruleset(self) -> Ruleset[Any]:
        return self.live.ruleset

    @property
    def over(self) -> bool:
        return bool(self.live.state.over)

    def seat(self, name: str) -> str:
        return find_seat(self.live, name)

    def perspective(self, seat: str | None, auditor: bool) -> Perspective:
        return perspective(self.live, seat, auditor)

    def items(self, chair: Perspective) -> Sequence[Entry | Recorded]:
        if chair.full:
            return self.live.recorded
        if chair.seat is not None:
            return self.live.view(chair.seat).entries
        return public_view(self.live.ruleset, self.live.recorded).entries

    def view(self, seat: str, upto: int | None = None) -> View[Any]:
        return self.live.view(seat) if upto is None else view(self.live.ruleset, self.live.recorded, seat, upto)

    def transcript(self, chair: Perspective, form: Form) -> str:
        write = html if form == "html" else markdown
        return write(self.live.ruleset, self.live.recorded, chair)

    def show(self, chair: Perspective) -> Show:
        return show(self.live.ruleset, self.live.recorded, chair)


class LoggedGame(RecordedGame):
    """A game of this machine's log."""

    def __init__(self, log: EventLog, game: str) -> None:
        self._log = log
        self._version = log.version()
        super().__init__(load_game(log, game))

    def waits(self) -> dict[tuple[str, int], Wait]:
        return {
            (due.seat, due.turn): Wait(due.opened_at, due.expires, due.worker) for due in self._log.due(self.live.id)
        }

    def wait(self) -> None:
        while (latest := self._log.version()) == self._version:
            time.sleep(POLL)
        self._version = latest
        self.live.take(self._log.read(self.live.id, self.live.length))


@contextmanager
def source(place: Place, game: str) -> Iterator[Source]:
    """The game of that name in the log, or the one that the link opens, which it may leave out or must name."""
    if place.link is not None:
        from cli.far import far_source

        with far_source(place.link, game) as far:
            yield far
        return
    with place.log() as log:
        yield LoggedGame(log, game)


class LookingCommand(click.Command):
    """A command that looks at games, with `--server LINK` in the place of `--db` too.

    GAME and `--as` may be left out then: empty ones, which stand for the link's, are put in their places.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        text = "A link, in the place of a log: GAME and --as may be left out."
        self.params.append(click.Option(["--server"], metavar="LINK", help=text, expose_value=False))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given, rest, _ = self.make_parser(ctx).parse_args(list(args))
        place, server = ctx.find_object(Place), given.get("server")
        if isinstance(server, str) and server:
            if place is not None and place.named:
                raise click.UsageError("--db and --server exclude each other", ctx)
            ctx.obj = place = Place(None if place is None else place.db, server=server)
        if place is not None and place.server is not None:
            args = [*self._left_out(place, given, rest), *args]
        return super().parse_args(ctx, args)

    def _left_out(self, place: Place, given: dict[str, Any], rest: Sequence[str]) -> list[str]:
        """What stands for the link's own game and seat, where they are not given."""
        found = []
        needed = {param.name for param in self.params if isinstance(param, click.Option) and param.required}
        if "seat" in needed and not isinstance(given.get("seat"), str):
            found += ["--as", ""]
        arguments = [param.name for param in self.params if isinstance(param, click.Argument)]
        words = [given[name] for name in arguments if isinstance(given.get(str(name)), str)]
        if "game" in arguments and len(words) + len(rest) < len(arguments) and not (words and _names(place, words[0])):
            found.append("")
        return found


def _names(place: Place, word: str) -> bool:
    """Whether a word names the link's game."""
    link = place.link
    return word == "latest" or (link is not None and link.game is not None and link.game.startswith(word))
