"""Who sees each event of a tabletop session. Whatever is not stated here fails at import (invariant 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.audience import EVERYONE, Audience, Rule, only
from domain.events import Event, HoldLifted, HoldPlaced
from domain.ruleset import CORE_AUDIENCE
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.documents import for_tasks
from domain.rulesets.tabletop.events import GM, HUMAN, NARRATOR, TEAM_LEAD
from domain.rulesets.tabletop.state import TabletopState as State


def present(state: State, *seats: str | None) -> Audience:
    """Those of the seats that are at the table: a session without a human has no seat for one."""
    return only(*(seat for seat in seats if seat in state.seats))


def every_seat(state: State) -> Audience:
    """Every seat of the edition: in phase-1 a character is only there for its tasks and sees no broadcast (T-010)."""
    if state.edition_name == "phase-1":
        return present(state, GM, TEAM_LEAD, NARRATOR, HUMAN)
    return EVERYONE


def for_the_human(state: State) -> Audience:
    """What is for the human is seen by the GM and the team lead as well."""
    return present(state, GM, TEAM_LEAD, HUMAN)


def told_to_the_human(state: State, event: Event) -> Audience:
    return for_the_human(state)


def seats(*fields_or_seats: str) -> Rule:
    """The seats named; a word that is a field of the event stands for its value."""

    def rule(state: State, event: Any) -> Audience:
        return present(state, *(getattr(event, word, word) for word in fields_or_seats))

    return rule


def everyone(state: State, event: Event) -> Audience:
    """The end, like the opening, is the game's own word to all its seats, and to whoever watches."""
    return EVERYONE


def readers(state: State, event: events.PieceWritten | events.PieceRemoved) -> Audience:
    """Those readers of the piece that are seats: a task of the team lead's is none (F-013).

    In phase-1 a character sees no more than its own files and what all characters share (T-010, F-017).
    """
    if state.edition_name == "phase-1" and not for_tasks(event.document, state.roster):
        return present(state, *(seat for seat in event.readers if seat not in state.roster))
    return present(state, *event.readers)


SESSION_AUDIENCE: Mapping[type[Event], Rule] = {
    **CORE_AUDIENCE,
    HoldPlaced: told_to_the_human,
    HoldLifted: told_to_the_human,
    events.RequestPassed: seats("character", GM),
    events.RequestWithdrawn: seats("character", GM),
    events.RelayWithdrawn: seats("character", TEAM_LEAD, HUMAN),
    events.QuestionWithdrawn: told_to_the_human,
    events.PromptClosed: told_to_the_human,
    events.BeatBegun: lambda state, event: present(state, *event.characters, GM),
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
