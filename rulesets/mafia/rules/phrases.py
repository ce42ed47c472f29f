"""Lines about a game as a seat knows it, which prompts and digests share."""

from __future__ import annotations

from collections.abc import Iterable

from sottovoce.rulesets.mafia.rules.state import MafiaState

LONGEST_QUOTE = 600


def named_list(names: Iterable[str]) -> str:
    """Names with commas between, or "none"."""
    return ", ".join(names) or "none"


def living(state: MafiaState) -> str:
    """Who lives."""
    return f"Living players: {named_list(state.living)}."


def members(state: MafiaState) -> str:
    """Who the Mafia are, for one of them."""
    return f"Mafia members: {named_list(state.mafia)}."


def results(state: MafiaState) -> str:
    """Everything that the Detective has learnt."""
    found = "; ".join(f"night {night}: {player} is {role}" for night, player, role in state.investigations)
    return f"Your investigations so far: {found or 'none'}."


def quoted(who: str, text: str | None) -> str:
    """One line of somebody's words, marked so that it cannot pass for the game's own voice."""
    if text is None:
        return f"{who} stayed silent."
    words = " ".join(text.replace("«", "‹").replace("»", "›").split())
    if len(words) > LONGEST_QUOTE:
        words = words[:LONGEST_QUOTE] + " […]"
    return f"{who} said: «{words}»"
