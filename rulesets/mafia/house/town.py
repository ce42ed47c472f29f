"""The town of a game: its place, season and recurring motif, told in the opening and found again there ever after."""

from __future__ import annotations

import random as random_module
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sottovoce.agents.house.phrases import Page, load

TOLD: Mapping[str, Page] = {
    "plain": load("sottovoce.rulesets.mafia.house", "narration_plain.txt"),
    "old": load("sottovoce.rulesets.mafia.house", "narration.txt"),
}
"""What the narrator can say, by the manner of the game (H-001)."""


@dataclass(frozen=True, slots=True)
class Town:
    """Where the game takes place. `motif` is None in a town that another narrator opened."""

    place: str
    season: str
    motif: str | None


def listed(style: str, trait: str) -> list[str]:
    """The places, seasons or motifs that a narrator in that manner knows."""
    return TOLD[style].traits[trait].split(", ")


def founded(random: random_module.Random, style: str) -> Town:
    """A new town, for an opening."""
    place, season, motif = (random.choice(listed(style, trait)) for trait in ("places", "seasons", "motifs"))
    return Town(place, season, motif)


@lru_cache(maxsize=512)
def remembered(opening: str, style: str) -> Town:
    """The town that an opening narration told of; "the town" where it named none of ours."""
    place = next((name for name in listed(style, "places") if name in opening), None)
    season = next((name for name in listed(style, "seasons") if name in opening), "autumn")
    spoken = opening.casefold()
    intros = {motif: TOLD[style].topics[f"{motif}.intro"] for motif in listed(style, "motifs")}
    motif = next((name for name, told in intros.items() if any(one.mark in spoken for one in told)), None)
    return Town(place or "the town", season, motif if place else None)
