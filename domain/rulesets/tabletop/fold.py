"""How each fact changes what a session knows; the protocol's messages say it themselves.

Every function is total over any seat's subset of the events. What a seat does not see leaves its state as it was; who
is awaited, whose turn is next and what the GM owes are read from the full state by `course` and `decide`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from domain.events import Event, FallbackApplied, GameOpened, HoldLifted, ReplyAccepted, TurnOpened, TurnWithdrawn
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.documents import (
    PARTY_KNOWLEDGE,
    STORY_STATE,
    is_source,
    response_file,
    with_piece,
    without_piece,
)
from domain.rulesets.tabletop.events import GM, HUMAN
from domain.rulesets.tabletop.phrases import is_error_report, veto_reason
from domain.rulesets.tabletop.resources import Resource
from domain.rulesets.tabletop.state import NO_DEEDS, WRITERS, Call, GmTurn, OpenRequest, TabletopOptions
from domain.rulesets.tabletop.state import TabletopState as State
from domain.turns import CORE_EVOLVE


def _opened(state: State, event: GameOpened) -> State:
    options = TabletopOptions.model_validate(event.options)
    return state.but(
        seats=event.seats,
        edition_name=options.edition,
        options=options,
        campaign=options.campaign,
        mode="HUMAN_RELAY" if HUMAN in event.seats else "AUTONOMOUS",
    )


def _turn_opened(state: State, event: TurnOpened) -> State:
    state = CORE_EVOLVE[TurnOpened](state, event)
    if event.seat != GM:
        return state
    outcome: frozenset[Call] = frozenset(("outcome",)) if state.settled else frozenset()
    return state.but(gm_turn=GmTurn(state.calls | outcome), calls=frozenset(), settled=frozenset())


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


def _beat_begun(state: State, event: events.BeatBegun) -> State:
    """The pairs within the group count anew; one with a character elsewhere waits for a beat of both."""
    return state.but(pairs={pair: n for pair, n in state.pairs.items() if not set(pair) <= set(event.characters)})


def _passed(state: State, event: events.RequestPassed) -> State:
    return _responded(state.with_settled(event.character), event.character)


def _responded(state: State, character: str) -> State:
    """One of those signalled for has done its part; once all have, the GM goes on (F-062)."""
    if character not in state.signalled:
        return state
    rest = tuple(name for name in state.signalled if name != character)
    responded = state.but(signalled=rest, unjournaled=(*state.unjournaled, character))
    return responded if rest else responded.with_call("veto" if state.file_vetoes else "outcome")


def _request_withdrawn(state: State, event: events.RequestWithdrawn) -> State:
    tasks = tuple(name for name in state.tasks if name != event.character)
    signalled = tuple(name for name in state.signalled if name != event.character)
    return state.with_request(event.character, None).but(tasks=tasks, signalled=signalled)


def _relay_withdrawn(state: State, event: events.RelayWithdrawn) -> State:
    request = state.requests.get(event.character)
    if request is None or not request.relayed:
        return state
    return state.with_request(event.character, replace(request, relayed=False, alone=True))


def _question_withdrawn(state: State, event: events.QuestionWithdrawn) -> State:
    return state.but(questions=state.questions[1:])


def _prompt_closed(state: State, event: events.PromptClosed) -> State:
    closed = state.but(action_prompt=False)
    return closed.with_call("outcome") if event.fallback else closed


def _note_lapsed(state: State, event: events.NoteRequestLapsed) -> State:
    return state.but(note_open=False)


def _scene(state: State, event: events.SceneChanged) -> State:
    return state.but(scene=(event.number, event.slug), scene_told=True)


def _task_started(state: State, event: events.TaskStarted) -> State:
    begun = state.but(background=state.background | {(event.task, event.character)})
    if event.task != "ai-player-journal":
        return begun
    return begun.but(
        unjournaled=tuple(name for name in state.unjournaled if name != event.character),
        journals_due=tuple(name for name in state.journals_due if name != event.character),
    )


def _task_ended(state: State, event: events.TaskEnded) -> State:
    """The delta of a writer that has ended is no longer reported; the decision log covers all the deeds so far."""
    logged = event.task == "decision-log"
    reported = tuple(path for path in state.reported if path != WRITERS.get(event.task))
    deeds, acted = (NO_DEEDS, False) if logged else (state.deeds, state.acted)
    return state.but(
        background=state.background - {(event.task, event.character)},
        reported=reported,
        acted=acted,
        updated=state.updated and bool(reported or deeds or acted),
        deeds=deeds,
    )


def _action_asked(state: State, event: events.ActionAsked) -> State:
    body = f"## Scene\n{event.scene_context}\n\n## Just Happened\n{event.just_happened}\n\n## Request\n{event.request}"
    return state.but(actions={**state.actions, event.character: OpenRequest(event.request_type, body)})


def _piece_written(state: State, event: events.PieceWritten) -> State:
    piece = event.piece
    state = state.but(documents=with_piece(state.documents, piece, event.after))
    if is_source(piece, state.roster):
        state = state.with_words(event.seat, event.text, event.readers)
    if event.seat in state.signalled and event.document == response_file(event.seat):
        if veto_reason(event.text) is not None:
            state = state.but(file_vetoes=(*state.file_vetoes, event.seat))
        elif not is_error_report(event.text) and event.seat not in state.secret_files:
            state = state.but(deeds=state.deeds.and_then((event.seat, event.text)))
        state = _responded(state, event.seat)
    if event.seat == GM and event.document in (STORY_STATE, PARTY_KNOWLEDGE):
        state = state.but(gm_turn=replace(state.gm_turn, saved=True))
        state = state.but(save_owed=state.save_owed and state.edition_name != "current")
    return state


def _piece_removed(state: State, event: events.PieceRemoved) -> State:
    return state.but(documents=without_piece(state.documents, event.document, event.key))


def _resource(state: State, event: events.ResourceChanged) -> State:
    now = Resource(event.amount, event.most, event.words)
    return state.but(resources={**state.resources, (event.character, event.resource): now})


def _rolled(state: State, event: events.DiceRolled) -> State:
    rolled = event.seat, event.character
    return state.but(rolls={**state.rolls, rolled: state.rolls.get(rolled, 0) + 1})


def _shut_down(state: State, event: events.ShutdownRequested) -> State:
    return state.but(shut_down=(*state.shut_down, event.seat))


def _dissolved(state: State, event: events.TeamDissolved) -> State:
    return state.but(over=True)


def _unchanged(state: State, event: Event) -> State:
    return state


SESSION_EVOLVE: Mapping[type[Event], Callable[[State, Any], State]] = {
    **CORE_EVOLVE,
    GameOpened: _opened,
    TurnOpened: _turn_opened,
    ReplyAccepted: _accepted,
    FallbackApplied: _fell_back,
    TurnWithdrawn: _withdrawn,
    HoldLifted: _lifted,
    events.RequestPassed: _passed,
    events.RequestWithdrawn: _request_withdrawn,
    events.RelayWithdrawn: _relay_withdrawn,
    events.QuestionWithdrawn: _question_withdrawn,
    events.PromptClosed: _prompt_closed,
    events.BeatBegun: _beat_begun,
    events.NoteRequestLapsed: _note_lapsed,
    events.SceneChanged: _scene,
    events.DiceRolled: _rolled,
    events.ChatSaid: _unchanged,
    events.TaskStarted: _task_started,
    events.TaskEnded: _task_ended,
    events.ActionAsked: _action_asked,
    events.ShutdownRequested: _shut_down,
    events.TeamDissolved: _dissolved,
    events.PieceWritten: _piece_written,
    events.PieceRemoved: _piece_removed,
    events.ResourceChanged: _resource,
}
