"""Who sees what at the table. Seats that a session does not have are left out."""

from __future__ import annotations

from typing import Any

from sottovoce import EVERYONE, Audience, SeenBy, only, those
from sottovoce.rulesets.tabletop.rules.documents import for_tasks
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, STANDING, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State


def present(state: State, *seats: str | None) -> Audience:
    """Those of the seats that are at the table: a session without a human has no seat for one."""
    return only(*(seat for seat in seats if seat in state.seats))


def every_seat(state: State) -> Audience:
    """Every seat of the edition: in phase-1 a character is only there for its tasks and sees no broadcast (T-010)."""
    return present(state, *STANDING, HUMAN) if state.edition_name == "phase-1" else EVERYONE


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
    """those `readers` that are seats; in phase-1 a character only of its own files and of what all share (F-013,
    T-010, F-017)"""
    if state.edition_name == "phase-1" and not for_tasks(event.document, state.roster):
        return present(state, *(seat for seat in event.readers if seat not in state.roster))
    return present(state, *event.readers)
