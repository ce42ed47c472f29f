"""Roles and sides, and the words for them that prompts, digests and screens share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sottovoce import Mood

Role = Literal["Detective", "Doctor", "Villager", "Mafia", "Jester"]
Winner = Literal["town", "mafia", "jester", "draw"]

ROLES: tuple[Role, ...] = ("Detective", "Doctor", "Villager", "Mafia", "Jester")
UNIQUE: tuple[Role, ...] = ("Doctor", "Detective", "Jester")
"""Roles that at most one player has."""

NARRATOR = "narrator"
TOWN_HALL = "town_hall"
"""What is chosen instead of a speaker, to end the discussion."""

ROLE_TEXT: Mapping[Role, str] = {
    "Detective": "Each night you learn one living player's true role. You win with the town, when no Mafia is alive.",
    "Doctor": "Each night you protect one other player from death. You win with the town, when no Mafia is alive.",
    "Villager": "You have no power but your voice and your vote. You win with the town, when no Mafia is alive.",
    "Mafia": "Each night the Mafia choose one player to kill. You win when the living Mafia are at least as many as "
    "the other living players.",
    "Jester": "You belong to no side. You win alone, if the town executes you; being killed at night or spared is no "
    "win.",
}
SIDES: Mapping[Role, Winner] = {
    "Detective": "town",
    "Doctor": "town",
    "Villager": "town",
    "Mafia": "mafia",
    "Jester": "jester",
}
MOODS: Mapping[Winner, Mood] = {"town": "good", "mafia": "bad", "jester": "odd", "draw": ""}
"""The colour of each side."""


def article(role: str) -> str:
    """A role as it stands after "was": "Mafia", "the Doctor", "a Villager"."""
    return "Mafia" if role == "Mafia" else f"the {role}" if role != "Villager" else "a Villager"


def mood(role: Role) -> Mood:
    """The colour of a role's side."""
    return MOODS[SIDES[role]]
