"""What the isolation kit must know of The Resistance, said apart from the rules."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

from sottovoce import Turn
from sottovoce.isolation import Craft, Plan, Played, System, dealt_as

NAMES = ("Ann", "Ann Lee", "spy", "Zoë", "7", "fail", "success", "approve", "[GAME]", "spies")
PUBLIC = ("attempt-begun", "team-proposed", "team-voted", "mission-ended", "ended")


class ResistanceCraft(Craft):
    """The kit's knowledge of The Resistance."""

    name = "resistance"
    public = tuple(f"resistance.{event}.v1" for event in PUBLIC)
    seen_by = {
        "resistance.side-dealt.v1": lambda event: {event.player},
        "resistance.spies-met.v1": lambda event: event.spies,
    }
    spoken = {"resistance.team-proposed.v1": "text"}

    def setup(self, rng: random.Random) -> tuple[tuple[str, ...], dict[str, Any]]:
        return tuple(rng.sample(NAMES, rng.choice((5, 5, 6, 7, 10)))), {"max_attempts": rng.randint(1, 3)}

    def plan(self, system: System, base: Played, seat: str, rng: random.Random) -> Plan | None:
        """Other spies, or other cards of theirs, so that the same missions fail by as many."""
        met, *_ = base.events("resistance.spies-met.v1")
        spies, ended = frozenset(met.spies), base.events("resistance.mission-ended.v1")
        own = iter([card.choice == "fail" for card in base.answers(seat, "card")])
        cards = [({*one.team} - {seat}, max(0, one.fails - (seat in one.team and next(own)))) for one in ended]
        deals = [frozenset(rng.sample(base.seats, len(spies))) for _ in range(40)]
        fits = [d for d in deals if seat not in d and d != spies and all(len(team & d) >= n for team, n in cards)]
        if seat not in spies and not fits:
            return None
        dealt = spies if seat in spies else fits[0]
        failing = {(at, spy) for at, (team, n) in enumerate(cards) for spy in rng.sample(sorted(team & dealt), n)}

        def answer(state: Any, turn: Turn, rng: random.Random) -> str | None:
            card = "fail" if (len(state.missions), turn.seat) in failing else "success"
            return card if turn.kind == "card" else None

        sides = {other: ("spy" if other in dealt else "resistance",) for other in base.seats}
        opening = partial(dealt_as, "sides", sides)
        return Plan(seat, base.seen_before(seat, "resistance.ended.v1"), "other spies or cards", answer, opening)
