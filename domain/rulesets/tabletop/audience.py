"""Who sees each event of a tabletop session. Whatever is not stated here fails at import (invariant 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from domain.audience import EVERYONE, NOBODY, Audience, only
from domain.events import Event, HoldLifted, HoldPlaced
from domain.ruleset import CORE_AUDIENCE, AudienceRule
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.access import for_tasks
from domain.rulesets.tabletop.events import GM, HUMAN, NARRATOR, TEAM_LEAD, MessageSent
from domain.rulesets.tabletop.state import TabletopState as State


def _named(state: State, *seats: str | None) -> Audience:
    """Those of the seats that are at the table: a session without a human has no seat for one."""
    return only(*(seat for seat in seats if seat in state.seats))


def standing(state: State, event: Event) -> Audience:
    """Every seat of the edition: in phase-1 a character is no standing seat and sees no broadcast (T-010)."""
    if state.edition_name == "phase-1":
        return _named(state, GM, TEAM_LEAD, NARRATOR, HUMAN)
    return EVERYONE


def told_to_the_human(state: State, event: Event) -> Audience:
    return _named(state, GM, TEAM_LEAD, HUMAN)


def _narrative(state: State, event: MessageSent) -> Audience:
    if event.group is None:
        return standing(state, event)
    return _named(state, GM, TEAM_LEAD, HUMAN if state.character in event.group else None)


def _between(state: State, event: MessageSent) -> Audience:
    return _named(state, event.seat, event.to)


def _to_gm(state: State, event: MessageSent) -> Audience:
    """PLAYER_TO_GM: the narrator too, but for a veto and for whatever answers a secret request (T-072, T-073)."""
    request = state.requests.get(event.seat)
    secret = event.fields["type"] == "VETO" or (request is not None and request.secret)
    return _named(state, event.seat, GM, None if secret else NARRATOR)


def _speech(state: State, event: MessageSent) -> Audience:
    heard = state.character in (event.seat, event.to)
    return _named(state, event.seat, event.to, GM, NARRATOR, TEAM_LEAD if heard else None, HUMAN if heard else None)


def _with_the_human(state: State, event: MessageSent) -> Audience:
    return _named(state, event.seat, event.to, HUMAN)


def _note(state: State, event: MessageSent) -> Audience:
    return _named(state, event.seat, NARRATOR, GM)


def _informal(state: State, event: MessageSent) -> Audience:
    """T-037, and T-038 for the human."""
    both = {event.seat, event.to}
    players = both <= set(state.roster)
    with_clerk = both == {state.character, TEAM_LEAD}
    extra = (GM, NARRATOR) if players else (HUMAN,) if with_clerk else ()
    return _named(state, event.seat, event.to, *extra)


BY_TAG: Mapping[str, Callable[[State, MessageSent], Audience]] = {
    "NARRATIVE": _narrative,
    "GM_TO_PLAYER": _between,
    "ASK_PLAYER": told_to_the_human,
    "SESSION_END": told_to_the_human,
    "NARRATOR_NOTE": _note,
    "DICE_RESULT": told_to_the_human,
    "PLAYER_ANSWER": told_to_the_human,
    "SESSION_COMMAND": told_to_the_human,
    "CONTEXT_REFRESH": _between,
    "HUMAN_DECISION": _with_the_human,
    "MODE_SWITCH": _with_the_human,
    "PLAYER_TO_GM": _to_gm,
    "PLAYER_TO_PLAYER": _speech,
    "RELAY_TO_HUMAN": _with_the_human,
    "NARRATOR_REQUEST": _note,
    "PLAYER_ACTION": told_to_the_human,
    "STATE_UPDATED": _between,
    "JOURNAL_CHECKPOINT": _between,
    "AWAIT_PLAYERS": _between,
    "AWAIT_AI_PLAYERS": _between,
    "PLAYER_RESPONSES": _between,
}
"""The audience of each tag. One that stands nowhere here is seen by nobody."""


def message(state: State, event: MessageSent) -> Audience:
    rule = _informal if event.tag is None else BY_TAG.get(event.tag)
    return rule(state, event) if rule else NOBODY


def seats(*fields_or_seats: str) -> AudienceRule:
    """The seats named; a word that is a field of the event stands for its value."""

    def rule(state: State, event: Any) -> Audience:
        return _named(state, *(getattr(event, word, word) for word in fields_or_seats))

    return rule


def everyone(state: State, event: Event) -> Audience:
    """The end, like the opening, is the game's own word to all its seats, and to whoever watches."""
    return EVERYONE


def readers(state: State, event: events.PieceWritten | events.PieceRemoved) -> Audience:
    """Those readers of the piece that are seats: a task of the team lead's is none (F-013).

    In phase-1 a character sees no more than its own files and what all characters share (T-010, F-017).
    """
    if state.edition_name == "phase-1" and not for_tasks(event.document, state.roster):
        return _named(state, *(seat for seat in event.readers if seat not in state.roster))
    return _named(state, *event.readers)


SESSION_AUDIENCE: Mapping[type[Event], AudienceRule] = {
    **CORE_AUDIENCE,
    HoldPlaced: told_to_the_human,
    HoldLifted: told_to_the_human,
    MessageSent: message,
    events.RequestPassed: seats("character", GM),
    events.RequestWithdrawn: seats("character", GM),
    events.RelayWithdrawn: seats("character", TEAM_LEAD, HUMAN),
    events.QuestionWithdrawn: told_to_the_human,
    events.PromptClosed: told_to_the_human,
    events.BeatBegun: lambda state, event: _named(state, *event.characters, GM),
    events.NoteRequestLapsed: seats(NARRATOR, GM),
    events.SceneChanged: seats(GM, TEAM_LEAD, NARRATOR),
    events.DiceRolled: seats("seat", GM),
    events.ChatSaid: seats("seat", "to"),
    events.TaskStarted: seats("character", TEAM_LEAD),
    events.TaskEnded: seats("character", TEAM_LEAD),
    events.ActionAsked: seats("character", TEAM_LEAD),
    events.ShutdownRequested: seats("seat", TEAM_LEAD),
    events.TeamDissolved: everyone,
    events.PieceWritten: readers,
    events.PieceRemoved: readers,
    events.ResourceChanged: seats("character", GM),
}
