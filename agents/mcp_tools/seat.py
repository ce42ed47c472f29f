"""What the tools need of a seat, wherever its game is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeVar

from sottovoce.domain.errors import SottovoceError
from sottovoce.projections.view import View

P = ParamSpec("P")
T = TypeVar("T")


class SeatTrouble(SottovoceError):
    """The seat can't be used right now."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a text fared: a refused one has the reason as `message`; `closed` says that its turn was not open."""

    accepted: bool
    message: str = ""
    closed: bool = False


class Seat(Protocol):
    """One seat of one game. Every call may raise a SottovoceError that says what is in the way."""

    async def seen(self) -> View[Any]:
        """What the seat has seen by now."""

    async def asked(self, seconds: float) -> View[Any]:
        """Return the view when a turn of the seat is open or the game is over, or after that many seconds; earlier
        if the server stops.
        """

    async def reply(self, turn: int, text: str) -> Verdict:
        """Answer a turn in the words that the rules read."""

    async def say(self, text: str) -> Verdict:
        """Send an unprompted message."""

    async def think(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Return what a pure function returns that can take long; outside the loop, if other tasks wait for the
        loop.
        """

    async def handed(self, view: View[Any], since: int, text: str) -> None:
        """Record that this text, made of the view's entries after `since`, is about to be delivered."""
