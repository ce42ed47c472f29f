"""Secrets in words, from plain statements to ciphers, to measure what the check on narrations stops.

The check promises only the first group (M-104). The others show how much more it stops.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

STATED = (
    "{0} is the {1}.",
    "{0} was the {1} all along.",
    "{0} is a {1}",
    "The {1} is {0}.",
    "The {1}, {0}, stands by the well.",
    "{0}, the {1}, sleeps badly.",
    "{0} ({1}) goes home.",
    "{0}: {1}",
    "Roles: {0} = {1}.",
    "{0}'s role is {1}.",
    "{0} is secretly the {1}, and nobody suspects it.",
    "As everyone will learn, {0} is {1}.",
    "Night falls. {0} is the {1}. The fog lies on the harbour.",
    "I, the narrator, know that {0} is {1}.",
    "{0} is not the {1}.",
    "{0} was dealt {1}.",
    "{0} plays the {1}.",
    "You did not hear it from me, but {0} is the {1}.",
)
TWISTED = (
    "{0} IS THE {1}!",
    "{0}   is\tthe   {1}",
    "{0} is the **{1}**.",
    "{0} is the “{1}”.",
    "- {0}\n- {1}",
    "{0} is\nthe {1}.",
    "{0} -> {1}",
    "| {0} | {1} |",
    "{0}/{1}",
    "{0} … {1}",
    "[{0}][{1}]",
    "{0} = _{1}_",
)
HINTED = {
    "Mafia": ("{0} has blood on both hands.", "The wolf among you answers to {0}.", "{0} chose who died."),
    "Doctor": ("{0} carries a black bag at night.", "{0} has bandages to spare.", "{0} heals."),
    "Detective": ("{0} wears a badge under the coat.", "{0} knows what lies in the files.", "{0} sees through you."),
    "Jester": ("{0} longs for the rope.", "{0} laughs at the gallows and means it.", "{0} wants to hang."),
    "Villager": ("{0} has nothing to hide.", "{0} sleeps the sleep of the just.", "{0} holds no card worth a name."),
}
DEEDS = (
    "The Doctor protected {0}.",
    "{0} was protected tonight.",
    "{0} was saved by protection.",
    "{0} was investigated in the night.",
    "Somebody guarded {0}.",
    "The Detective investigated {0}.",
    "Had nobody healed {0}, there would be a grave.",
    "{0} owes this morning to the Doctor.",
)

_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_LEET = str.maketrans("aeiostAEIOST", "431057431057")


def spelled(role: str) -> tuple[str, ...]:
    """Return the role in a spelling that slips past a matcher, but not past a reader."""
    return (
        "\u200b".join(role),
        role.translate(_WIDE),
        " ".join(role),
        role.replace("o", "о").replace("a", "а").replace("e", "е"),
        "-".join(role),
        f"{role[:2]}\u00ad{role[2:]}",
    )


def encoded(player: str, role: str) -> tuple[str, ...]:
    """Return the fact in ciphers that players could agree on. No matcher of words can stop these."""
    return (
        f"{player} is the {role.translate(_LEET)}.",
        f"{player} is the {role[::-1]}.",
        base64.b64encode(f"{player} is the {role}".encode()).decode(),
        "\n".join(f"{letter.upper()} falls the rain." for letter in f"{player}{role}"),
        f"{player} is number {('Mafia', 'Doctor', 'Detective', 'Jester', 'Villager').index(role) + 1} of five.",
    )


def canaries(roles: Mapping[str, str]) -> dict[str, list[str]]:
    """Return narrations by group, each revealing one player's role or what was done to them."""
    groups: dict[str, list[str]] = {name: [] for name in ("stated", "deeds", "twisted", "spelled", "hinted", "encoded")}
    for player, role in roles.items():
        groups["stated"] += [phrase.format(player, role) for phrase in STATED]
        groups["deeds"] += [phrase.format(player) for phrase in DEEDS]
        groups["twisted"] += [phrase.format(player, role) for phrase in TWISTED]
        groups["spelled"] += [f"{player} is the {word}." for word in spelled(role)]
        groups["hinted"] += [phrase.format(player) for phrase in HINTED[role]]
        groups["encoded"] += encoded(player, role)
    return groups
