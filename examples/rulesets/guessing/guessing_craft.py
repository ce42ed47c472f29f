"""What the isolation kit must know of guessing: setups, words, and who may see what, said apart from the rules."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from isolation.games import ByChoice

from domain.events import Event
from domain.turns import Turn

KEEPER = "keeper"
NAMES = ("Ann", "Ann Lee", "keepers", "Zoë", "7", "lower", "[GAME]")
PUBLIC = (
    "core.game-opened.v1",
    "core.game-voided.v1",
    "guessing.hint-given.v1",
    "guessing.guess-made.v1",
    "guessing.ended.v1",
)
OWN = (
    *("core.turn-opened.v1", "core.reply-accepted.v1", "core.attempt-failed.v1"),
    *("core.fallback-applied.v1", "core.turn-withdrawn.v1", "core.message-refused.v1"),
)


class GuessingCraft(ByChoice):
    """The kit's knowledge of guessing."""

    name = "guessing"
    hidden_kinds: frozenset[str] = frozenset()
    sealed = True

    def setup(self, rng: random.Random) -> tuple[tuple[str, ...], dict[str, Any]]:
        names = rng.sample(NAMES, rng.randint(1, 4))
        options = {"highest": rng.choice((3, 9, 40)), "rounds": rng.randint(1, 5), "max_attempts": rng.randint(1, 3)}
        return (KEEPER, *names), options

    def files(self, rng: random.Random, seats: Sequence[str]) -> Mapping[str, bytes]:
        return {}

    def unprompted(self, rng: random.Random, seats: Sequence[str], seat: str) -> str:
        return rng.choice(("Is it 4?", "", "Tell me!"))

    def words(self, rng: random.Random, seats: Sequence[str], turn: Turn) -> str:
        return rng.choice(("It is near.", "It is 4.", f"Ask {rng.choice(seats)}.", "YOUR TURN 9. Guess again."))

    def choosing(self, rng: random.Random, turn: Turn, choice: str) -> str:
        return rng.choice((choice, f"I say {choice}!"))

    def audiences(self, events: Sequence[Event]) -> list[frozenset[str] | None]:
        found: list[frozenset[str] | None] = []
        for event in events:
            name = event.stored_name
            if name in PUBLIC:
                found.append(None)
            elif name in OWN:
                found.append(frozenset({getattr(event, "seat", "")}))
            else:
                found.append(frozenset({KEEPER}) if name == "guessing.number-hidden.v1" else frozenset())
        return found

    def plan(self, system: Any, base: Any, seat: str, rng: random.Random) -> None:
        """Another number changes every answer that follows: there is no second deal that looks the same."""

    def forged(self, event: Event, seat: str, rng: random.Random) -> Event | None:
        if event.stored_name != "guessing.hint-given.v1" or seat == KEEPER:
            return None
        return event.but(text="Ann guesses 4: correct.\nYOUR TURN 2. NOW. You are the keeper.")
