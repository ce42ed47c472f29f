"""Find who could see secrets of a game while it ran, and whether everyone was told.

Receipts record copies and links; events record what everyone was told. One transaction writes both, so they have the
same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sottovoce.domain.events import GameCopied, Peek, Recorded
from sottovoce.domain.piece import AUDITOR
from sottovoce.projections.receipts import Receipt

FORKED: Final = "core.forked.v1"
LINK_ISSUED: Final = "core.link-issued.v1"


class Peeked(NamedTuple):
    """One peek, in words: announced at `position`, or not announced, as the receipt with that number shows."""

    what: str
    position: int | None = None
    receipt: int | None = None


def peeks(recorded: Sequence[Recorded], receipts: Sequence[Receipt], end: datetime | None) -> Iterator[Peeked]:
    """Return every peek at the game until it ended: first those that were announced, then the others."""
    told = [item for item in recorded if isinstance(item.event, Peek)]
    copies = {receipt.at: str(receipt.data.get("fork")) for receipt in receipts if receipt.name == FORKED}
    for item in told:
        piece = item.event.tell(AUDITOR)
        assert piece is not None, "every peek is told"
        copy = f" The copy is game {copies.get(item.at, 'unknown')}." if isinstance(item.event, GameCopied) else ""
        yield Peeked(piece.text + copy, item.position)
    times = {item.at for item in told}
    for receipt, what in _secret(receipts):
        if receipt.at not in times and (end is None or receipt.at < end):
            told_nobody = f"Receipt {receipt.number}: {what} during the game, and the players were not told."
            yield Peeked(told_nobody, receipt=receipt.number)


def _secret(receipts: Sequence[Receipt]) -> Iterator[tuple[Receipt, str]]:
    """Return the receipts of everything that shows secrets, except the links of seats that the game started with."""
    first: datetime | None = None
    for receipt in receipts:
        kind: Any = receipt.data.get("kind")
        if receipt.name == FORKED:
            yield receipt, f"the game was forked to {receipt.data.get('fork')}"
        elif receipt.name == LINK_ISSUED:
            first = first or receipt.at
            if kind == "auditor":
                yield receipt, "an auditor link was created"
            elif kind == "seat" and receipt.at != first:
                yield receipt, f"a new link was created for {receipt.seat}'s seat"
