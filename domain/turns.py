"""Turns, ballots and holds: the part of a state that every ruleset shares, and its fold.

Everything here is total over any seat's subset of the events: a view holds its own seat's turns and nobody else's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self, TypeVar

from domain.draws import Seed
from domain.events import (
    AttemptFailed,
    Event,
    FallbackApplied,
    GameForked,
    GameOpened,
    GameVoided,
    HoldLifted,
    HoldPlaced,
    MessageRefused,
    ReplyAccepted,
    SeatsFilled,
    TurnOpened,
    TurnWithdrawn,
)
from domain.unfrozen import unfrozen

NOTHING: Mapping[Any, Any] = MappingProxyType({})

_bare = object.__new__
_fill = object.__setattr__


@dataclass(frozen=True, slots=True)
class Turn:
    """An open request to one seat. `failures` are the messages of the attempts that failed so far."""

    seat: str
    number: int
    kind: str
    choices: tuple[str, ...]
    attempts: int
    seconds: float | None = None
    ballot: str | None = None
    failures: tuple[str, ...] = ()

    @property
    def attempt(self) -> int:
        """The number of the attempt now awaited, from 1."""
        return len(self.failures) + 1

    @property
    def attempts_left(self) -> int:
        return self.attempts - len(self.failures)


_Unfrozen = unfrozen(Turn)


@dataclass(frozen=True)
class Table:
    """What every ruleset's state holds. Unknown is a value: None or empty."""

    seats: tuple[str, ...] = ()
    agents: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    seed: Seed | None = None
    turns: Mapping[tuple[str, int], Turn] = field(default_factory=lambda: NOTHING)
    opened: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    ballots: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: NOTHING)
    replies: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: NOTHING)
    hold: HoldPlaced | None = None
    winner: str | None = None
    over: bool = False
    voided: bool = False

    def but(self, **changes: Any) -> Self:
        """This state with some fields replaced.

        A shallow copy, since `dataclasses.replace` takes ten times as long; and `dict.copy` clones a table whole, where
        `|` inserts each field anew.
        """
        fields = self.__dict__.copy()
        fields.update(changes)
        copy = _bare(type(self))
        _fill(copy, "__dict__", fields)
        return copy

    def without_ballot(self, ballot: str, **changes: Any) -> Self:
        """Forget a ballot that has been counted, and replace some fields."""
        if ballot in self.ballots or ballot in self.replies:
            changes["ballots"] = {key: votes for key, votes in self.ballots.items() if key != ballot}
            changes["replies"] = {key: texts for key, texts in self.replies.items() if key != ballot}
        return self.but(**changes)


S = TypeVar("S", bound=Table)


def _opened(state: S, event: GameOpened) -> S:
    return state.but(seats=event.seats)


def _filled(state: S, event: SeatsFilled) -> S:
    return state.but(agents={**state.agents, **event.agents}, seed=event.seed or state.seed)


def _forked(state: S, event: GameForked) -> S:
    return state


def _turn_opened(state: S, event: TurnOpened) -> S:
    turn = _Unfrozen(event.seat, event.turn, event.kind, event.choices, event.attempts, event.seconds, event.ballot, ())
    turn.__class__ = Turn
    return state.but(
        turns={**state.turns, (event.seat, event.turn): turn},
        opened={**state.opened, event.seat: event.turn},
    )


def _closed(state: S, seat: str, number: int, choice: str | None, text: str | None) -> S:
    turns = {**state.turns}
    turn = turns.pop((seat, number), None)
    if turn is None or turn.ballot is None or text is None:
        return state.but(turns=turns)
    ballot = turn.ballot
    return state.but(
        turns=turns,
        ballots={**state.ballots, ballot: {**state.ballots.get(ballot, NOTHING), seat: choice or ""}},
        replies={**state.replies, ballot: {**state.replies.get(ballot, NOTHING), seat: text}},
    )


def _accepted(state: S, event: ReplyAccepted) -> S:
    return _closed(state, event.seat, event.turn, event.choice, event.text)


def _fell_back(state: S, event: FallbackApplied) -> S:
    return _closed(state, event.seat, event.turn, event.choice, "")


def _withdrawn(state: S, event: TurnWithdrawn) -> S:
    return _closed(state, event.seat, event.turn, None, None)


def _failed(state: S, event: AttemptFailed) -> S:
    key = (event.seat, event.turn)
    turn = state.turns.get(key)
    if turn is None:
        return state
    return state.but(turns={**state.turns, key: replace(turn, failures=(*turn.failures, event.message))})


def _refused(state: S, event: MessageRefused) -> S:
    return state


def _held(state: S, event: HoldPlaced) -> S:
    return state.but(hold=event)


def _lifted(state: S, event: HoldLifted) -> S:
    return state.but(hold=None)


def _voided(state: S, event: GameVoided) -> S:
    return state.but(over=True, voided=True, hold=None)


CORE_EVOLVE: Mapping[type[Event], Callable[[Any, Any], Any]] = {
    GameOpened: _opened,
    SeatsFilled: _filled,
    GameForked: _forked,
    TurnOpened: _turn_opened,
    ReplyAccepted: _accepted,
    FallbackApplied: _fell_back,
    TurnWithdrawn: _withdrawn,
    AttemptFailed: _failed,
    MessageRefused: _refused,
    HoldPlaced: _held,
    HoldLifted: _lifted,
    GameVoided: _voided,
}
"""How the shared events change the shared part of a state. A ruleset's own fold starts from this table."""
