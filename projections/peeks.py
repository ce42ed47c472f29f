"""Who could get at secrets of a game while it ran, and whether everyone was told.

Copies and links are in the receipts, what everyone was told in the events; both are written in one transaction, and so
have the same time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sottovoce.domain.events import GameCopied, Peek, Recorded
from sottovoce.domain.piece import AUDITOR
from sottovoce.projections.handovers import Receipt

FORKED: Final = "core.forked.v1"
LINK_ISSUED: Final = "core.link-issued.v1"


class Peeked(NamedTuple):
    """One peek, in words: told at `position`, or not told at all, as the receipt of that number shows."""

    what: str
    position: int | None = None
    receipt: int | None = None


def peeks(recorded: Sequence[Recorded], receipts: Sequence[Receipt], end: datetime | None) -> Iterator[Peeked]:
    """Every peek at the game until it ended, if it did: those that everyone was told of, then the others."""
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
    """The receipts of what shows secrets, but for the seats' links that the game began with."""
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
