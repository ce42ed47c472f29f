"""A chair's record of a game, whole: what a replay is made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from sottovoce.server.http.models.fields import GAME, example
from sottovoce.server.http.models.views import Entry, FullEvent


class ReplayChair(BaseModel):
    """Whose view it is: a seat's; without a seat, what is public; with `full`, everything."""

    model_config = ConfigDict(extra="forbid")

    seat: str | None
    full: bool


class PlacedEntry(Entry):
    """A seat's entry for an auditor: with its position in the log."""

    position: int


class Replay(BaseModel):
    """A viewer's whole replay of a game. `chairs` are the seats whose replays this link can get; `seq` is the last
    entry's number; `offices` are the seats named by what they do; `started` is the first entry's time, or null.
    """

    model_config = example(
        game=GAME,
        ruleset="mafia",
        title="A game of Mafia",
        chair={"seat": "Ada", "full": False},
        chairs=[],
        over=False,
        seq=0,
        seats=["narrator", "Ada", "Bram"],
        offices=["narrator"],
        started=None,
        entries=[],
    )

    game: str
    ruleset: str
    title: str
    chair: ReplayChair
    chairs: list[str]
    over: bool
    seq: int
    seats: list[str]
    offices: list[str]
    started: str | None
    entries: list[Entry | PlacedEntry | FullEvent]
