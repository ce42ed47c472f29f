"""What each seat did in a game, counted: answers, and what stood in for them or was tried again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sottovoce.domain.events import AttemptFailed, Event, FallbackApplied, GameVoided, MessageRefused, ReplyAccepted
from sottovoce.projections.handovers import ENDINGS, Receipt

UNREACHED = "unreached"
"""How a call ended that nothing answered: the game is held or void for it."""


class SeatCount(NamedTuple):
    """`decisions` are accepted replies; `retries` calls beyond the first of an attempt; `voids` games that are void
    because nothing answered for this seat."""

    games: int = 0
    decisions: int = 0
    fallbacks: int = 0
    refusals: int = 0
    retries: int = 0
    voids: int = 0

    def plus(self, other: SeatCount) -> SeatCount:
        return SeatCount(*map(sum, zip(self, other, strict=True)))

    @property
    def smooth(self) -> bool:
        """Whether every answer is the seat's own, at the first try."""
        return not (self.fallbacks or self.refusals or self.retries or self.voids)


def is_refusal(event: Event) -> bool:
    """A refused message, or an attempt that failed as invalid; a time-out is neither."""
    return isinstance(event, MessageRefused) or (isinstance(event, AttemptFailed) and event.reason == "invalid")


def seat_counts(seats: Sequence[str], events: Iterable[Event], receipts: Iterable[Receipt]) -> Mapping[str, SeatCount]:
    """Each seat's count in one game."""
    decisions, fallbacks, refusals, retries = (dict.fromkeys(seats, 0) for _ in range(4))
    voided, unreached = False, set()
    for event in events:
        match event:
            case ReplyAccepted():
                decisions[event.seat] += 1
            case FallbackApplied():
                fallbacks[event.seat] += 1
            case MessageRefused() | AttemptFailed() if is_refusal(event):
                refusals[event.seat] += 1
            case GameVoided():
                voided = True
    for receipt in receipts:
        if receipt.name not in ENDINGS or receipt.seat not in retries:
            continue
        retries[receipt.seat] += max(0, (receipt.data.get("notes") or {}).get("attempts", 1) - 1)
        if receipt.data.get("how") == UNREACHED:
            unreached.add(receipt.seat)
    return {
        seat: SeatCount(
            1, decisions[seat], fallbacks[seat], refusals[seat], retries[seat], int(voided and seat in unreached)
        )
        for seat in seats
    }
