"""Whose record a link gets of a game: its own, and once the game is over those that its opening said.

Before the end, and afterwards where the chairs stay closed, every link but an auditor's has one view, and asking for
another gets the same answer whatever the others hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sottovoce.projections.perspective import FULL, PUBLIC, Perspective, UnknownSeat, checked_seat, of_seat
from sottovoce.server.http.callers import Caller
from sottovoce.server.http.problems import Problem
from sottovoce.server.live_games import GameFeed

ONE_VIEW = "This link has only one view. Leave out `as`, `everybody` and `open`."


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks for, apart from its own view: a seat's, the public's, or all that the open chairs saw."""

    seat: str | None = None
    everybody: bool = False
    whole: bool = False

    @property
    def own(self) -> bool:
        """Whether it asks for nothing else."""
        return self.seat is None and not self.everybody and not self.whole


async def record_for(asked: Caller, table: GameFeed, wanted: Wanted) -> tuple[GameFeed, Perspective, Sequence[str]]:
    """Return the record that a request gets: the feed to read, through whose eyes, and the chairs that are open.

    Raises Problem where it is not for this link, or there is no such seat.
    """
    own = asked.grant.perspective
    if sum((wanted.seat is not None, wanted.everybody, wanted.whole)) > 1:
        raise Problem("invalid", "as, everybody, open: Use only one of them.")
    if wanted.own:
        return table, own, ()
    if own.full and not wanted.whole:
        return table, _perspective(table, wanted), ()
    chairs = table.open_chairs if asked.grant.seat is not None else ()
    if not chairs:
        raise Problem("forbidden", ONE_VIEW)
    whose = FULL if wanted.whole else _perspective(table, wanted)
    if whose.seat is not None and whose.seat not in chairs:
        raise Problem("forbidden", f"The chair of {whose.seat} stays closed after the end.")
    return await table.opened(), whose, chairs


def _perspective(table: GameFeed, wanted: Wanted) -> Perspective:
    if wanted.seat is None:
        return PUBLIC
    try:
        return of_seat(checked_seat(table.live.recorded, wanted.seat))
    except UnknownSeat as error:
        raise Problem("unknown", str(error)) from None


async def record_look(asked: Caller, table: GameFeed, wanted: Wanted) -> None:
    """Write the receipt of a look from other chairs, which a finished game gave to everyone who sat."""
    looked = "all open chairs" if wanted.whole else wanted.seat or "everybody"
    assert asked.grant.seat is not None, "only seats look from other chairs"
    last = table.live.view(asked.grant.seat).seq
    await asked.services.handovers.entries(table.live, asked.grant.link, 1, last, looked=looked)
