"""Who speaks: a persona per seat, the same throughout a game and another in the next.

The dealing depends on the roster and the opening narration alone, both public and fixed before any player speaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sottovoce.agents.house.phrases import Phrase, Phrasebook, load
from sottovoce.domain.draws import stream

NAMES = (
    *("cautious", "hothead", "gossip", "pious", "wit", "analyst", "coward", "grandmother"),
    *("sailor", "lawyer", "drunk", "poet", "soldier", "farmer", "gravedigger", "actress"),
)


TRAITS = ("boldness", "mercy", "faith", "stubbornness", "talk")


@dataclass(frozen=True)
class Persona:
    """A voice and a temper, each from 0 to 1: how readily it strikes, forgives and believes, how hard it is to talk out
    of a suspicion, and how much it likes to speak."""

    name: str
    boldness: float
    mercy: float
    faith: float
    stubbornness: float
    talk: float
    voice: Phrasebook

    def lines(self, topic: str) -> tuple[Phrase, ...]:
        """The persona's own phrases on a topic, or none."""
        return self.voice.get(topic, ())


def _load(name: str) -> Persona:
    page = load("sottovoce.rulesets.mafia.house", "voices", f"{name}.txt")
    boldness, mercy, faith, stubbornness, talk = (float(page.traits[trait]) for trait in TRAITS)
    return Persona(name, boldness, mercy, faith, stubbornness, talk, page.topics)


PERSONAS: tuple[Persona, ...] = tuple(map(_load, NAMES))


@lru_cache(maxsize=512)
def cast(players: tuple[str, ...], opening: str) -> dict[str, Persona]:
    """The persona of each player; no two share one while there are enough."""
    order = list(PERSONAS)
    stream(b"", "cast", opening, *players).shuffle(order)
    return {player: order[place % len(order)] for place, player in enumerate(players)}
