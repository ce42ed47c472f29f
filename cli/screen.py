"""The screen: a game's events as a person at a terminal reads them, one by one.

What is printed depends on the events shown so far and on the console alone. A seat's screen is fed the entries of that
seat's view, so that nothing can show what the seat has not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

from sottovoce.cli.screens.piece import draw
from sottovoce.cli.screens.theme import GAP, Look
from sottovoce.domain.audience import Audience
from sottovoce.domain.events import Event, GameOpened, Recorded
from sottovoce.domain.piece import Chair, Piece
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import Entry, View


class Screen:
    """Prints events to a console as `seat` reads them; None for a spectator or an auditor.

    With `turns` an auditor's screen lists every turn opened and every reply accepted too.
    """

    def __init__(
        self, console: Console, ruleset: Ruleset[Any], seat: str | None = None, *, turns: bool = False
    ) -> None:
        self.console = console
        self.seat = seat
        self._ruleset = ruleset
        self._turns = turns
        self._look = Look(console, seat)
        self._teller = Teller(ruleset, seat, auditor=seat is None)
        self._gap = True

    def show(self, entry: Entry | Recorded, audience: Audience | None = None) -> None:
        """Print one event. A hidden one with its audience given, or recorded, is marked with it.

        An event recorded for others is never printed on a seat's screen.
        """
        self._print(self._blocks(entry, audience))

    def skip(self, entry: Entry | Recorded, audience: Audience | None = None) -> None:
        """Take note of an event without printing it, so that what follows looks as if it had been shown."""
        self._blocks(entry, audience)

    def _blocks(self, entry: Entry | Recorded, audience: Audience | None) -> Sequence[RenderableType]:
        if isinstance(entry, Recorded):
            audience = entry.audience if audience is None else audience
        if self.seat is not None:
            if audience is not None and not audience.includes(self.seat):
                return ()
            audience = None
        event = entry.event
        if isinstance(event, GameOpened):
            self._look.names = event.seats
        self._look.audience = audience
        return self._drawn(event)

    def _drawn(self, event: Event) -> Sequence[RenderableType]:
        piece = self._teller.tell(event)
        return () if piece is None or not self._shows(piece) else draw(piece, self._look)

    def _shows(self, piece: Piece) -> bool:
        """Whether it is worth showing: an auditor's screen leaves replies to the events that they become."""
        return self._turns or (piece.weight > 0 and not (piece.kind == "reply" and self.seat is None))

    def _print(self, blocks: Iterable[RenderableType]) -> None:
        for block in blocks:
            if block is GAP and self._gap:
                continue
            self._gap = block is GAP
            self.console.print(block, highlight=False, markup=False, emoji=False, soft_wrap=isinstance(block, Text))


def draw_view(console: Console, view: View[Any], count: int | None = None, *, told: int | None = None) -> Screen:
    """Print the last `count` entries of a view, or all; the screen on which what comes next may be shown.

    With `told` it prints as many as it takes for so many to be told of in words.
    """
    screen = Screen(console, view.ruleset, view.seat or None)
    entries = view.entries
    first = 0 if count is None else max(0, len(entries) - count)
    if told is not None:
        chair = Chair(view.seat or None)
        places = [place for place, entry in enumerate(entries) if view.ruleset.tell(entry.event, chair)]
        first = places[-told] if len(places) > told else 0
    for entry in entries[:first]:
        screen.skip(entry)
    for entry in entries[first:]:
        screen.show(entry)
    return screen
