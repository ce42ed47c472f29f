"""A game to show, local or remote, as the commands that show games need it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from sottovoce.cli.perspective import perspective
from sottovoce.cli.place import find_seat, load_game
from sottovoce.domain.events import Recorded
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.bundle import built
from sottovoce.projections.models import substitutes
from sottovoce.projections.perspective import Perspective
from sottovoce.projections.summary import Show, show
from sottovoce.projections.transcript import markdown
from sottovoce.projections.view import Entry, View, view
from sottovoce.server.oversight import BudgetJson, budget, oversight

if TYPE_CHECKING:
    from sottovoce.eventlog import EventLog
    from sottovoce.server.live import LiveGame

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
        """Return whose view to show, according to a command's options."""

    def items(self, chair: Perspective, after: int = 0) -> Sequence[Entry | Recorded]:
        """Return the viewer's entries after the first `after`; for an auditor recorded events."""

    def view(self, seat: str, upto: int | None = None) -> View[Any]:
        """What the seat has seen, up to that seq if given."""

    def transcript(self, chair: Perspective, form: Form) -> str:
        """The game as a text to read."""

    def show(self, chair: Perspective) -> Show:
        """Where the game stands."""

    def waits(self) -> Mapping[tuple[str, int], Wait]:
        """How long open turns wait, by seat and number."""

    def budget(self, chair: Perspective) -> BudgetJson | None:
        """The limits of the game's agents and what is used of them, as far as that viewer can know; else None."""

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

    def items(self, chair: Perspective, after: int = 0) -> Sequence[Entry | Recorded]:
        if chair.full:
            return self.live.recorded[after:]
        seen = self.live.public() if chair.seat is None else self.live.view(chair.seat)
        return seen.since(after)

    def view(self, seat: str, upto: int | None = None) -> View[Any]:
        return self.live.view(seat) if upto is None else view(self.live.ruleset, self.live.recorded, seat, upto)

    def transcript(self, chair: Perspective, form: Form) -> str:
        if form == "html":
            from sottovoce.server.entries import exported

            return exported(self.live, chair, built())
        return markdown(self.live.ruleset, self.live.recorded, chair)

    def show(self, chair: Perspective) -> Show:
        return show(self.live.ruleset, self.live.recorded, chair)


class LoggedGame(RecordedGame):
    """A game of this machine's log."""

    def __init__(self, log: EventLog, game: str) -> None:
        self._log = log
        self._version = log.version()
        super().__init__(load_game(log, game))

    def show(self, chair: Perspective) -> Show:
        found = super().show(chair)
        if not (chair.full and self.over):
            return found
        return replace(found, substitutes=substitutes(self._log.receipts(self.live.id)))

    def waits(self) -> dict[tuple[str, int], Wait]:
        return {
            (due.seat, due.turn): Wait(due.opened_at, due.expires, due.worker) for due in self._log.due(self.live.id)
        }

    def budget(self, chair: Perspective) -> BudgetJson | None:
        told = oversight(self.live, chair, keeps=chair.seat is None)
        return None if told is None else budget(self._log.receipts(self.live.id), told)

    def wait(self) -> None:
        while (latest := self._log.version()) == self._version:
            time.sleep(POLL)
        self._version = latest
        self.live.take(self._log.read(self.live.id, self.live.length))
