"""The town of a game: its place, season and recurring motif, told in the opening and found again there ever after."""

from __future__ import annotations

import random as random_module
from dataclasses import dataclass
from functools import lru_cache

from sottovoce.agents.house.phrases import load

NARRATION = load("sottovoce.rulesets.mafia.house", "narration.txt")
PLACES, SEASONS, MOTIFS = (tuple(NARRATION.traits[key].split(", ")) for key in ("places", "seasons", "motifs"))


INTROS = {motif: NARRATION.topics[f"{motif}.intro"] for motif in MOTIFS}


@dataclass(frozen=True, slots=True)
class Town:
    """Where the game takes place. `motif` is None in a town that another narrator opened."""

    place: str
    season: str
    motif: str | None


def founded(random: random_module.Random) -> Town:
    """A new town, for an opening."""
    return Town(random.choice(PLACES), random.choice(SEASONS), random.choice(MOTIFS))


@lru_cache(maxsize=512)
def remembered(opening: str) -> Town:
    """The town that an opening narration told of; "the town" where it named none of ours."""
    place = next((name for name in PLACES if name in opening), None)
    season = next((name for name in SEASONS if name in opening), "autumn")
    spoken = opening.casefold()
    motif = next((name for name in MOTIFS if any(told.mark in spoken for told in INTROS[name])), None)
    return Town(place or "the town", season, motif if place else None)
