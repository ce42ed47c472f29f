"""Who took part in delegated work, and in which parts."""

from __future__ import annotations

from domain.piece import Grid
from domain.rulesets.delegation.messages import USER
from domain.rulesets.delegation.state import DelegationState
from projections.transcripts.shape import Shape

PARTS = ("planner", "executor", "reviewer")


def _cast(state: DelegationState, full: bool) -> Grid:
    header = ("Seat", "Parts", "Played by") if full else ("Seat", "Parts")
    rows = []
    for seat in state.seats:
        row = (seat, _parts(state, seat))
        rows.append((*row, state.agents.get(seat, "—")) if full else row)
    return Grid(header, tuple(rows))


def _parts(state: DelegationState, seat: str) -> str:
    """The parts that a seat has in the tasks known here, each with how many of them."""
    if seat == USER:
        return "decides"
    named = [(part, sum(getattr(task, part) == seat for task in state.tasks.values())) for part in PARTS]
    return ", ".join(part if count == 1 else f"{part} of {count}" for part, count in named if count) or "none known"


DELEGATION_SHAPE = Shape(prologue="The briefs", offices=frozenset({*PARTS, USER}), cast=_cast)
