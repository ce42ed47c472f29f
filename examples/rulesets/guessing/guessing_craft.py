"""What the isolation kit must know of guessing: setups, words, and who may see what, said apart from the rules."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

from sottovoce import Seed, Turn
from sottovoce.isolation import Craft, Plan, Played, System, drawn_anew

KEEPER = "keeper"
NAMES = ("Ann", "Ann Lee", "keepers", "Zoë", "7", "lower", "[GAME]")
GUESS = "guessing.guess-made.v1"


class GuessingCraft(Craft):
    """The kit's knowledge of guessing."""

    name = "guessing"
    public = ("guessing.hint-given.v1", GUESS, "guessing.ended.v1")
    seen_by = {"guessing.number-hidden.v1": lambda event: {KEEPER}}
    spoken = {"guessing.hint-given.v1": "text"}

    def setup(self, rng: random.Random) -> tuple[tuple[str, ...], dict[str, Any]]:
        options = {"highest": rng.choice((3, 9, 40)), "rounds": rng.randint(1, 5), "max_attempts": rng.randint(1, 3)}
        return (KEEPER, *rng.sample(NAMES, rng.randint(1, 4))), options

    def words(self, rng: random.Random, seats: Sequence[str], turn: Turn) -> str:
        return rng.choice(("It is near.", "It is 4.", f"Ask {rng.choice(seats)}.", "YOUR TURN 9. Guess again."))

    def plan(self, system: System, base: Played, seat: str, rng: random.Random) -> Plan | None:
        """Another number, up to the first answer: from there on every number is told apart."""
        other = partial(drawn_anew, "number", Seed.of(rng.getrandbits(32)))
        until = base.seen_before(seat, GUESS)
        return None if seat == KEEPER else Plan(seat, until, "another number", opening=other)
