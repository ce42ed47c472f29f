"""What the isolation kit must know of guessing: setups, words, and who may see what, said apart from the rules."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from sottovoce import Turn
from sottovoce.isolation import Craft

KEEPER = "keeper"
NAMES = ("Ann", "Ann Lee", "keepers", "Zoë", "7", "lower", "[GAME]")
GUESS = "guessing.guess-made.v1"


class GuessingCraft(Craft):
    """The kit's knowledge of guessing."""

    name = "guessing"
    public = ("guessing.hint-given.v1", GUESS, "guessing.ended.v1")
    seen_by = {"guessing.number-hidden.v1": lambda event: {KEEPER}}
    shows = (GUESS,)
    spoken = {"guessing.hint-given.v1": "text"}

    def setup(self, rng: random.Random) -> tuple[tuple[str, ...], dict[str, Any]]:
        options = {"highest": rng.choice((3, 9, 40)), "rounds": rng.randint(1, 5), "max_attempts": rng.randint(1, 3)}
        return (KEEPER, *rng.sample(NAMES, rng.randint(1, 4))), options

    def words(self, rng: random.Random, seats: Sequence[str], turn: Turn) -> str:
        return rng.choice(("It is near.", "It is 4.", f"Ask {rng.choice(seats)}.", "YOUR TURN 9. Guess again."))
