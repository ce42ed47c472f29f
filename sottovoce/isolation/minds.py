"""What agents thought, believed and used, in receipts: other thoughts in each of two worlds, for every seat.

Only auditors see them. So nothing that a seat, a spectator or a keeper gets may differ, not even for the seat itself.
What agents use is also told to those who oversee them, if the rules let anyone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from sottovoce.domain.events import GameOpened, Recorded, ReplyAccepted
from sottovoce.eventlog.log import Receipt
from sottovoce.isolation.draws import generator
from sottovoce.projections.receipts import CALL_ENDED, CALLED, DELIVERED
from sottovoce.server.limits import METERED, Limits, set_limits

LIMITS = Limits(tokens=10**9, task_cost=10**6)
"""Limits that no game of the kit reaches, the same in both worlds."""


def minds_of(recorded: Sequence[Recorded], at: datetime, *salt: object) -> Iterator[Receipt]:
    """Return receipts of calls, with thoughts and beliefs that follow from the salt, for most of the replies."""
    seats: tuple[str, ...] = ()
    for item in recorded:
        event = item.event
        if isinstance(event, GameOpened):
            seats = event.seats
        if not isinstance(event, ReplyAccepted):
            continue
        rng = generator(0, "minds", *salt, event.seat, event.turn)
        if rng.random() < 0.2:
            continue
        others = [seat for seat in seats if seat != event.seat]
        told = rng.choice(others) if others else event.seat
        mind = {
            "thoughts": f"{told} hides something. zq{rng.getrandbits(40):010x}",
            "suspicion": {seat: round(rng.uniform(-5, 5), 1) for seat in others},
        }
        data = {
            "call": f"{rng.getrandbits(40):010x}",
            "turn": event.turn,
            "from": 1,
            "to": 1,
            "epoch": 1,
            "by": "view",
            "agent": f"zq{rng.getrandbits(40):010x}",
            "how": "accepted",
            "seconds": rng.random(),
            "prompt_tokens": rng.randrange(9999),
            "reply_tokens": rng.randrange(999),
            "cost": rng.random(),
            "notes": {"raw": {"text": f"zq{rng.getrandbits(40):010x}"}},
            "mind": mind,
        }
        yield Receipt(CALLED, at, event.seat, data)


def costs_of(recorded: Sequence[Recorded], at: datetime, *salt: object) -> Iterator[Receipt]:
    """Return receipts of the game's limits, and of calls of models that follow from the salt, for some replies."""
    for item in recorded:
        event = item.event
        if isinstance(event, GameOpened):
            yield set_limits(LIMITS, at)
        if not isinstance(event, ReplyAccepted):
            continue
        rng = generator(0, "costs", *salt, event.seat, event.turn)
        if rng.random() < 0.5:
            continue
        begun = {"call": f"{rng.getrandbits(40):010x}", "turn": event.turn, "from": 1, "to": 1, "epoch": 1}
        yield Receipt(DELIVERED, at, event.seat, {**begun, "by": METERED, "agent": "acp:zq"})
        ended = {"how": "accepted", "seconds": rng.random(), "prompt_tokens": rng.randrange(9999), "reply_tokens": 7}
        yield Receipt(CALL_ENDED, at, event.seat, {**begun, **ended, "cost": rng.random()})
