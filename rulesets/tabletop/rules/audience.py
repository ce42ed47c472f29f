"""Who sees what at the table. Seats that a session does not have are left out."""

from __future__ import annotations

from typing import Any

from sottovoce import EVERYONE, Audience, SeenBy, only, those
from sottovoce.rulesets.tabletop.rules.documents import for_tasks, with_the_person
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, STANDING, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


def present(state: State, *seats: str | None) -> Audience:
    """Those of the seats that are at the table: a session without a human has no seat for one."""
    return only(*(seat for seat in seats if seat in state.seats))


def every_seat(state: State) -> Audience:
    """Every seat of the edition: in phase-1 a character is only there for its tasks and sees no broadcast (T-010)."""
    return present(state, *STANDING, HUMAN) if state.edition_name == "phase-1" else EVERYONE


def told(state: State, group: tuple[str, ...] | None) -> Audience:
    """Those whom a NARRATIVE reaches: all, or in a split the human where its character is of the group (T-047)."""
    if group is None:
        return every_seat(state)
    return present(state, GM, TEAM_LEAD, HUMAN if state.character in group else None)


@those
def told_with_it(state: State, event: Any) -> Audience:
    """those whom the NARRATIVE reaches"""
    return told(state, event.group)


def for_the_human(state: State) -> Audience:
    """What is for the human is seen by the GM and the team lead as well."""
    return present(state, GM, TEAM_LEAD, HUMAN)


def at_table(*seats_or_fields: str) -> SeenBy:
    """The seats of those names that are at the table; any other word is a field of the event that names some."""
    fields = tuple(word for word in seats_or_fields if word not in (*STANDING, HUMAN))

    def rule(state: State, event: Any) -> Audience:
        found = [getattr(event, word) if word in fields else word for word in seats_or_fields]
        return present(state, *(name for each in found for name in ((each,) if not isinstance(each, tuple) else each)))

    return SeenBy(rule, ", ".join(f"{'the ' if word in fields else ''}`{word}`" for word in seats_or_fields), fields)


TABLE_LEADS = at_table(GM, TEAM_LEAD, NARRATOR)
FOR_THE_HUMAN = at_table(GM, TEAM_LEAD, HUMAN)


@those
def readers(state: State, event: Any) -> Audience:
    """those `readers` that are seats, and `human` for its character (F-065); in phase-1 a character only of its own
    files and of what all share (F-013, T-010, F-017)"""
    if state.edition_name == "phase-1" and not for_tasks(event.document, state.roster):
        return present(state, *(seat for seat in event.readers if seat not in state.roster))
    shared = state.persons_character in event.readers and with_the_person(event.document)
    return present(state, *event.readers, HUMAN if shared else None)


@those
def holders(state: State, event: Any) -> Audience:
    """the `character`, `gm`, and `human` for its character (F-065)"""
    return present(state, event.character, GM, HUMAN if event.character == state.persons_character else None)
