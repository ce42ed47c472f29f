"""What tabletop adds to views: that a session is in progress, its beats, and notes for the audit."""

from __future__ import annotations

from sottovoce import Card, Grid, ProjectionExtras, Shape, Standing, Teller
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, STANDING, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.state import TabletopState
from sottovoce.rulesets.tabletop.shown.chapter import chapter_of
from sottovoce.rulesets.tabletop.shown.marks import TabletopMarker
from sottovoce.rulesets.tabletop.shown.orders import ORDERS
from sottovoce.rulesets.tabletop.shown.sessions import session_notes

TABLE = "the table"
OFFICES = {GM: "game master", TEAM_LEAD: "serves the human", NARRATOR: "keeps the scene files", HUMAN: "the human"}


def awaited(state: TabletopState) -> tuple[str, ...]:
    """A session's turns are nobody's business but their seats': in public it is only known to be going on."""
    return () if state.over else (TABLE,)


def parts(state: TabletopState) -> dict[str, tuple[str, bool]]:
    """Each character's part. Nobody wins."""
    return {name: ("player character" if name == state.character else "companion", False) for name in state.played}


def cast(state: TabletopState) -> Grid:
    """Who sits at the table, and what each is there for."""
    return Grid(("Seat", "Part"), tuple((seat, OFFICES.get(seat, "character")) for seat in state.seats))


EXTRAS = ProjectionExtras(
    card=Card(
        "An evening in a story. A game master runs it, and you play one of the characters.",
        "you, your companions and a game master",
        60,
    ),
    layout="story",
    orders=ORDERS,
    plays=lambda state, seat: (state.character or None) if seat == HUMAN else None,
    shape=Shape("Before the session", frozenset((*STANDING, HUMAN)), cast),
    standing=Standing("beats", lambda state: int(state.beat), awaited, parts),
    examiner=session_notes,
    # What a place looks like and what was answered openly is the GM's to tell (T-063).
    teller=Teller(GM, lambda state, text, seat: state.heard.repeats(text, seat)),
    marks=TabletopMarker,
    novel=chapter_of,
)
