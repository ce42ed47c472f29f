"""A game in one line (`games`), and where it stands (`show`), as the asker may see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sottovoce.domain.draws import Seed
from sottovoce.domain.events import FallbackApplied, GameOpened, GameVoided, HoldLifted, HoldPlaced, Recorded
from sottovoce.domain.piece import Grid
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Table, Turn
from sottovoce.projections.exports import stamp
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.perspective import Perspective, lines
from sottovoce.projections.view import public_view

Status = Literal["open", "held", "over", "void"]


@dataclass(frozen=True, slots=True)
class Summary:
    """A game in one line as the public may know it, where a hold that only some are told of is none.

    `fallbacks` are the moves so far that are no seat's own; they show with the result and not before, None to whom does
    not see all of the game.
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
        """The summary of a game that has just been opened; ValueError where it does not begin with an opening."""
        if not isinstance(opening.event, GameOpened):
            raise ValueError(f"{opening.game} does not begin with an opening but with {opening.name}")
        return cls(opening.game, opening.event.ruleset, "open", opening.at)

    def after(self, recorded: Recorded, ruleset: Ruleset[Any] | None = None) -> Summary:
        """The summary with one more event. Without `ruleset` it is the one registered under the game's."""
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
        # A fold is total over any subset of the events, so the event alone tells whether it ends a game.
        alone = rules.evolve(rules.initial, recorded.event)
        if alone.over:
            return replace(self, status="over", ended=self._ended(recorded), winner=alone.winner)
        return self

    def _ended(self, recorded: Recorded) -> datetime:
        """When that event ended the game. A log may hold times that run backwards: no game ends before its start."""
        return max(self.started, recorded.at)

    def audited(self, recorded: Iterable[Recorded]) -> Summary:
        """The same as an auditor may know it: on hold too where the log's last hold is nobody's business."""
        if self.status != "open":
            return self
        holds = [item.event for item in recorded if isinstance(item.event, HoldPlaced | HoldLifted)]
        return replace(self, status="held") if holds and isinstance(holds[-1], HoldPlaced) else self

    def to_json(self) -> dict[str, Any]:
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
    """The summary of a whole log; ValueError where it is empty or does not begin with an opening."""
    log = iter(recorded)
    opening = next(log, None)
    if opening is None:
        raise ValueError("an empty log has no summary")
    current = Summary.of(opening)
    for item in log:
        current = current.after(item, ruleset)
    return current


def status_of(state: Table) -> Status:
    """Where a game with this state stands."""
    if state.over:
        return "void" if state.voided else "over"
    return "open" if state.hold is None else "held"


@dataclass(frozen=True, slots=True)
class Show:
    """Where a game stands, as one perspective may see it.

    `waiting_for` names seats, or in public where a name would say too much, a group or the night. `turns` are the open
    turns: for a seat its own, for an auditor all, for the public none. `agents`, `seed` and `wakes_at` are the
    auditor's alone. `board` is what the ruleset adds, if it keeps a board.
    """

    summary: Summary
    seats: tuple[str, ...]
    phase: str
    waiting_for: tuple[str, ...]
    options: Mapping[str, Any]
    turns: tuple[Turn, ...] = ()
    hold: HoldPlaced | None = None
    agents: Mapping[str, str] | None = None
    seed: Seed | None = None
    wakes_at: datetime | None = None
    board: Grid | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            **self.summary.to_json(),
            "seats": list(self.seats),
            "phase": self.phase,
            "waiting_for": list(self.waiting_for),
            "options": dict(self.options),
            "seed": self.seed.text if self.seed else None,
            "repeatable": self.seed.by_hand if self.seed else None,
        }


def show(ruleset: Ruleset[Any], recorded: Sequence[Recorded], perspective: Perspective) -> Show:
    """Where the game stands. A hold shows to those in its audience; times are the minute save for an auditor."""
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
        turns=turns,
        hold=state.hold,
        agents=dict(state.agents) if perspective.full else None,
        seed=state.seed if perspective.full else None,
        wakes_at=wakes_at,
        board=board(told, state) if board is not None else None,
    )


def awaited_in_public(ruleset: Ruleset[Any], state: Any) -> tuple[str, ...]:
    """Who is awaited as far as everybody may know: `state` is folded from what everybody sees."""
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
    # For a seat too, what it is told of others is what everybody knows.
    return awaited_in_public(ruleset, state if perspective.seat is None else public_view(ruleset, recorded).state)
