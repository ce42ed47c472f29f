"""What the events that every game shares change in a session, beyond what they change in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sottovoce import Event, FallbackApplied, GameOpened, HoldLifted, ReplyAccepted, TurnWithdrawn
from sottovoce.domain.turns import CORE_EVOLVE
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN
from sottovoce.rulesets.tabletop.rules.state import GmTurn, TabletopOptions
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


def _opened(state: State, event: GameOpened) -> State:
    options = TabletopOptions.stated(event.options)
    return state.but(
        seats=event.seats,
        edition_name=options.edition,
        options=options,
        campaign=options.campaign,
        mode="HUMAN_RELAY" if HUMAN in event.seats else "AUTONOMOUS",
    )


def _accepted(state: State, event: ReplyAccepted) -> State:
    state = CORE_EVOLVE[ReplyAccepted](state, event)
    return _gm_done(state) if event.seat == GM else state


def _fell_back(state: State, event: FallbackApplied) -> State:
    state = CORE_EVOLVE[FallbackApplied](state, event)
    return _gm_done(state) if event.seat == GM else state


def _gm_done(state: State) -> State:
    return state.but(gm_turn=GmTurn(), idle=0 if state.anybody_awaited else state.idle + 1)


def _withdrawn(state: State, event: TurnWithdrawn) -> State:
    """What a GM's turn was about is still owed when it is taken back."""
    state = CORE_EVOLVE[TurnWithdrawn](state, event)
    if event.seat != GM:
        return state
    return state.but(calls=state.calls | state.gm_turn.calls, gm_turn=GmTurn())


def _lifted(state: State, event: HoldLifted) -> State:
    return CORE_EVOLVE[HoldLifted](state, event).but(idle=0)  # type: ignore[no-any-return]


CORE_FOLD: Mapping[type[Event], Callable[[State, Any], State]] = {
    GameOpened: _opened,
    ReplyAccepted: _accepted,
    FallbackApplied: _fell_back,
    TurnWithdrawn: _withdrawn,
    HoldLifted: _lifted,
}
"""What a turn's opening changes besides: `TabletopState.with_turn`."""
