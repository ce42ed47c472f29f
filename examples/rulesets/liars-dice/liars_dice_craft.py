"""What the isolation kit must know of liar's dice, said apart from the rules."""

from __future__ import annotations

import random
from typing import Any

from sottovoce.isolation import Craft

NAMES = ("Ann", "Ann Lee", "doubt", "Zoë", "5", "fives", "[GAME]", "Tom and Jerry")
PUBLIC = ("round-begun", "bid-made", "bid-doubted", "dice-shown", "bid-judged", "ended")


class DiceCraft(Craft):
    """The kit's knowledge of liar's dice."""

    name = "liars-dice"
    public = tuple(f"liars-dice.{event}.v1" for event in PUBLIC)
    seen_by = {"liars-dice.dice-rolled.v1": lambda event: {event.player}}
    spoken = {"liars-dice.bid-made.v1": "text", "liars-dice.bid-doubted.v1": "text"}

    def setup(self, rng: random.Random) -> tuple[tuple[str, ...], dict[str, Any]]:
        seats = tuple(rng.sample(NAMES, rng.choice((2, 3, 4))))
        return seats, {"dice": rng.choice((1, 2, 5)), "max_attempts": rng.randint(1, 3)}
