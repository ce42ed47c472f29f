"""Who sits at a tabletop session, and what each seat is there for."""

from __future__ import annotations

from domain.piece import Grid
from domain.rulesets.tabletop.names import GM, HUMAN, NARRATOR, STANDING, TEAM_LEAD
from domain.rulesets.tabletop.state import TabletopState
from projections.transcripts.shape import Shape

PARTS = {
    GM: "game master",
    TEAM_LEAD: "serves the human",
    NARRATOR: "keeps the scene files",
    HUMAN: "the human",
}


def _cast(state: TabletopState, full: bool) -> Grid:
    header = ("Seat", "Part", "Played by") if full else ("Seat", "Part")
    rows = []
    for seat in state.seats:
        row = (seat, PARTS.get(seat, "character"))
        rows.append((*row, state.agents.get(seat, "—")) if full else row)
    return Grid(header, tuple(rows))


TABLETOP_SHAPE = Shape("Before the session", frozenset((*STANDING, HUMAN)), _cast)
