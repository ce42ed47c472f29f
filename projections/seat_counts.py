"""Count what each seat did in a game: answers, retries and fallbacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sottovoce.domain.events import AttemptFailed, Event, FallbackApplied, GameVoided, MessageRefused, ReplyAccepted
from sottovoce.projections.receipts import ENDINGS, Receipt

UNREACHED = "unreached"
"""How a call ended that nothing answered: the game is on hold or aborted because of it."""


class SeatCount(NamedTuple):
    """`decisions` are accepted replies; `retries` calls beyond the first of an attempt; `voids` games aborted
    because nothing answered for this seat; `failed` attempts in which its agent gave no reply."""

    games: int = 0
    decisions: int = 0
    fallbacks: int = 0
    refusals: int = 0
    retries: int = 0
    voids: int = 0
    failed: int = 0

    def plus(self, other: SeatCount) -> SeatCount:
        return SeatCount(*map(sum, zip(self, other, strict=True)))

    @property
    def smooth(self) -> bool:
        """Return whether every answer is the seat's own, at the first try."""
        return not (self.fallbacks or self.refusals or self.retries or self.voids or self.failed)


def is_refusal(event: Event) -> bool:
    """Return whether it is a refused message, or an attempt that failed as invalid. A time-out is neither."""
    return isinstance(event, MessageRefused) or (isinstance(event, AttemptFailed) and event.reason == "invalid")


def failures(events: Iterable[Event]) -> Counter[tuple[str, str]]:
    """How many attempts brought no reply, by seat and reason; what the rules refused is a reply."""
    return Counter(
        (event.seat, event.reason) for event in events if isinstance(event, AttemptFailed) and event.reason != "invalid"
    )


def nested(found: Mapping[Any, int]) -> dict[str, dict[str, int]]:
    """Return counts of pairs as `{first: {second: count}}`, in the order of the names."""
    told: dict[str, dict[str, int]] = {}
    for (first, second), count in sorted(found.items()):
        told.setdefault(first, {})[second] = count
    return told


def told_failures(found: Mapping[tuple[str, str], int]) -> str:
    """The same in words: by seat or agent, with its reasons."""
    by_name: dict[str, list[str]] = {}
    for (name, reason), count in sorted(found.items()):
        by_name.setdefault(name, []).append(f"{count} {reason}")
    return "; ".join(f"{name} {', '.join(reasons)}" for name, reasons in by_name.items())


def seat_counts(seats: Sequence[str], events: Iterable[Event], receipts: Iterable[Receipt]) -> Mapping[str, SeatCount]:
    """Return each seat's count in one game."""
    decisions, fallbacks, refusals, retries, failed = (dict.fromkeys(seats, 0) for _ in range(5))
    voided, unreached = False, set()
    for event in events:
        match event:
            case ReplyAccepted():
                decisions[event.seat] += 1
            case FallbackApplied():
                fallbacks[event.seat] += 1
            case MessageRefused() | AttemptFailed() if is_refusal(event):
                refusals[event.seat] += 1
            case AttemptFailed():
                failed[event.seat] += 1
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
            1,
            decisions[seat],
            fallbacks[seat],
            refusals[seat],
            retries[seat],
            int(voided and seat in unreached),
            failed[seat],
        )
        for seat in seats
    }
