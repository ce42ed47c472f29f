"""Words for roles and names that prompts, digests and screens share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from domain.rulesets.mafia.events import Role
from domain.rulesets.mafia.state import MafiaState

ROLE_TEXT: Mapping[Role, str] = {
    "Detective": "Each night you learn one living player's true role. You win with the town, when no Mafia is alive.",
    "Doctor": "Each night you protect one other player from death. You win with the town, when no Mafia is alive.",
    "Villager": "You have no power but your voice and your vote. You win with the town, when no Mafia is alive.",
    "Mafia": "Each night the Mafia choose one player to kill. You win when the living Mafia are at least as many as "
    "the other living players.",
    "Jester": "You belong to no side. You win alone, if the town executes you; being killed at night or spared is no "
    "win.",
}


def named_list(names: Iterable[str]) -> str:
    """Names with commas between, or "none"."""
    return ", ".join(names) or "none"


def article(role: Role) -> str:
    """A role as it stands after "was": "Mafia", "the Doctor", "a Villager"."""
    return "Mafia" if role == "Mafia" else f"the {role}" if role != "Villager" else "a Villager"


def members(state: MafiaState) -> str:
    """Who the Mafia are, for one of them."""
    return f"Mafia members: {named_list(state.mafia)}."


def results(state: MafiaState) -> str:
    """Everything that the Detective has learnt."""
    found = "; ".join(f"night {night}: {player} is {role}" for night, player, role in state.investigations)
    return f"Your investigations so far: {found or 'none'}."
