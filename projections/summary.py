"""A game in one line (`games`), and its status (`show`), as the caller can see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.draws import Seed
from sottovoce.domain.events import FallbackApplied, GameOpened, GameVoided, HoldLifted, HoldPlaced, Recorded
from sottovoce.domain.piece import CLOSED, Grid
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Table, Turn
from sottovoce.projections.exports import stamp
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.models import Substitute
from sottovoce.projections.perspective import Perspective, lines
from sottovoce.projections.seat_counts import failures, nested
from sottovoce.projections.view import public_view

Status = Literal["open", "held", "over", "void"]


@with_config(CLOSED)
class GameLine(TypedDict):
    """A game of the list, with public information only. `fallbacks` counts fallback moves; null during the game."""

    game: str
    ruleset: str
    status: Status
    started: str
    ended: str | None
    winner: str | None
    fallbacks: int | None


@with_config(CLOSED)
class GameShown(GameLine):
    """A game's status, as this viewer can see it.

    `chairs` are those from which everyone who sat can look, once the game is over. Only an auditor sees the seed and,
    once the game is over, the attempts without an answer by seat and reason, and the calls that another model answered
    by the model that was asked for.
    """

    seats: list[str]
    phase: str
    waiting_for: list[str]
    options: dict[str, Any]
    chairs: list[str]
    seed: str | None
    repeatable: bool | None
    failures: dict[str, dict[str, int]] | None
    substitutes: dict[str, dict[str, int]] | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A game in one line with public information only. A hold that only some are told about does not show.

    `fallbacks` counts the moves that were not a seat's own. It shows only with the result. It is None for viewers who
    do not see the whole game.
    """

    game: str
    ruleset: str
    status: Status
    started: datetime
    ended: datetime | None = None
    winner: str | None = None
    fallbacks: int | None = 0

    @classmethod
    def of(cls, opening: Recorded) -> Summary:
        """Return the summary of a new game. Raises ValueError if it does not begin with an opening."""
        if not isinstance(opening.event, GameOpened):
            raise ValueError(f"{opening.game} does not begin with an opening but with {opening.name}")
        return cls(opening.game, opening.event.ruleset, "open", opening.at)

    def after(self, recorded: Recorded, ruleset: Ruleset[Any] | None = None) -> Summary:
        """Return the summary with one more event. Without `ruleset`, use the one registered for the game."""
        if self.ended is not None:
            return self
        match recorded.event:
            case HoldPlaced() if recorded.audience.seats is None:
                return replace(self, status="held")
            case HoldLifted():
                return replace(self, status="open")
            case FallbackApplied():
                return replace(self, fallbacks=(self.fallbacks or 0) + 1)
            case GameVoided():
                return replace(self, status="void", ended=self._ended(recorded))
        rules = ruleset or RULESETS[self.ruleset]
        # A fold accepts any subset of the events, so the event by itself shows whether it ends a game.
        alone = rules.evolve(rules.initial, recorded.event)
        if alone.over:
            return replace(self, status="over", ended=self._ended(recorded), winner=alone.winner)
        return self

    def _ended(self, recorded: Recorded) -> datetime:
        """Return when that event ended the game.

        Times in a log can run backwards, but no game ends before its start.
        """
        return max(self.started, recorded.at)

    def audited(self, recorded: Iterable[Recorded]) -> Summary:
        """Return the same for an auditor: also on hold if the log's last hold is secret."""
        if self.status != "open":
            return self
        holds = [item.event for item in recorded if isinstance(item.event, HoldPlaced | HoldLifted)]
        return replace(self, status="held") if holds and isinstance(holds[-1], HoldPlaced) else self

    def to_json(self) -> GameLine:
        return {
            "game": self.game,
            "ruleset": self.ruleset,
            "status": self.status,
            "started": stamp(self.started),
            "ended": None if self.ended is None else stamp(self.ended),
            "winner": self.winner,
            "fallbacks": None if self.ended is None else self.fallbacks,
        }


def summary(ruleset: Ruleset[Any], recorded: Iterable[Recorded]) -> Summary:
    """Return the summary of a whole log. Raises ValueError if it is empty or does not begin with an opening."""
    log = iter(recorded)
    opening = next(log, None)
    if opening is None:
        raise ValueError("an empty log has no summary")
    current = Summary.of(opening)
    for item in log:
        current = current.after(item, ruleset)
    return current


def status_of(state: Table) -> Status:
    """Return the status of a game with this state."""
    if state.over:
        return "void" if state.voided else "over"
    return "open" if state.hold is None else "held"


@dataclass(frozen=True, slots=True)
class Show:
    """A game's status in one perspective.

    `waiting_for` names seats, or in public, where a name would say too much, a group or the night. `turns` are the open
    turns: a seat's own, all for an auditor, none for the public. Only an auditor gets `agents`, `seed` and `wakes_at`.
    `failures` are the attempts in which an agent gave no reply, by seat and reason, for those who see all of a game
    that is over; `substitutes` the calls that another model answered than the one asked for, where receipts are at
    hand. `board` is what the ruleset adds, if anything.
    """

    summary: Summary
    seats: tuple[str, ...]
    phase: str
    waiting_for: tuple[str, ...]
    options: Mapping[str, Any]
    chairs: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    hold: HoldPlaced | None = None
    agents: Mapping[str, str] | None = None
    seed: Seed | None = None
    wakes_at: datetime | None = None
    board: Grid | None = None
    failures: Mapping[tuple[str, str], int] = field(default_factory=dict)
    substitutes: Mapping[Substitute, int] = field(default_factory=dict)

    def to_json(self) -> GameShown:
        told = self.agents is not None and self.summary.ended is not None
        return {
            **self.summary.to_json(),
            "seats": list(self.seats),
            "phase": self.phase,
            "waiting_for": list(self.waiting_for),
            "options": dict(self.options),
            "chairs": list(self.chairs),
            "seed": self.seed.text if self.seed else None,
            "repeatable": self.seed.by_hand if self.seed else None,
            "failures": nested(self.failures) if told else None,
            "substitutes": nested(self.substitutes) if told else None,
        }


def show(ruleset: Ruleset[Any], recorded: Sequence[Recorded], perspective: Perspective) -> Show:
    """Return the game's status.

    A hold shows only to its audience. Times are cut to the minute except for an auditor.
    """
    told, state = lines(ruleset, recorded, perspective)
    opening = next((line.event for line in told if isinstance(line.event, GameOpened)), None)
    if opening is None:
        raise ValueError("a log without an opening shows nothing")
    fallbacks = None
    ended = max(told[0].at, told[-1].at) if state.over else None
    if perspective.full and state.over:
        whole = summary(ruleset, recorded)
        ended, fallbacks = whole.ended, whole.fallbacks
    overview = Summary(
        game=recorded[0].game,
        ruleset=ruleset.name,
        status=status_of(state),
        started=told[0].at,
        ended=ended,
        winner=state.winner,
        fallbacks=fallbacks,
    )
    turns = () if perspective.seat is None and not perspective.full else tuple(state.turns.values())
    if perspective.seat is not None:
        turns = tuple(sorted((turn for turn in turns if turn.seat == perspective.seat), key=lambda turn: turn.number))
    wakes_at = ruleset.wakes_at(state) if perspective.full else None
    board = EXTRAS.of(ruleset.name).board
    return Show(
        summary=overview,
        seats=tuple(state.seats),
        phase=ruleset.phase(state),
        waiting_for=() if state.over else _waiting_for(ruleset, recorded, perspective, state, turns, wakes_at),
        options=opening.options,
        chairs=tuple(state.chairs) if state.over else (),
        turns=turns,
        hold=state.hold,
        agents=dict(state.agents) if perspective.full else None,
        seed=state.seed if perspective.full else None,
        wakes_at=wakes_at,
        board=board(told, state) if board is not None else None,
        failures=failures(item.event for item in recorded) if perspective.full and state.over else {},
    )


def awaited_in_public(ruleset: Ruleset[Any], state: Any) -> tuple[str, ...]:
    """Return whose turn it is, as far as it is public. `state` is folded from the public events."""
    if state.over:
        return ()
    if state.hold is not None:
        return (state.hold.waiting_for,)
    standing = EXTRAS.of(ruleset.name).standing
    return standing.awaited(state) if standing is not None else ()


def _waiting_for(
    ruleset: Ruleset[Any],
    recorded: Sequence[Recorded],
    perspective: Perspective,
    state: Any,
    turns: Sequence[Turn],
    wakes_at: datetime | None,
) -> tuple[str, ...]:
    if state.hold is not None:
        return (state.hold.waiting_for,)
    if turns:
        return tuple(dict.fromkeys(turn.seat for turn in turns))
    if perspective.full:
        return ("the time",) if wakes_at is not None else ()
    # Even to a seat, show only the public information about others.
    return awaited_in_public(ruleset, state if perspective.seat is None else public_view(ruleset, recorded).state)
