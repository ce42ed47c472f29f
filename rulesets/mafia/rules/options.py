"""The rules options of Mafia, and how many of each role they deal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from sottovoce import Caution, Options, SetupRefused, option
from sottovoce.rulesets.mafia.rules.roles import ROLES, UNIQUE, Role

Count = Annotated[int, Field(ge=0, le=1000)]


class MafiaOptions(Options):
    """The rules options of Mafia, each with its default."""

    role_counts: dict[Role, Count] | None = option(
        None, "Roles", "How many of each role are dealt (M-005). Empty for the usual mix."
    )
    max_attempts: int = option(
        3,
        "Attempts at a turn",
        "How often an answer can fail before the fallback is played (M-019).",
        group="waiting",
        ge=1,
        le=100,
    )
    turn_seconds: float | None = option(
        None, "Seconds for an answer", "Time limit of each attempt. Empty for none.", group="waiting", gt=0, le=1e6
    )
    doctor_repeat: bool = option(
        True, "Doctor can repeat", "The Doctor can protect the same player two nights in a row (M-036)."
    )
    night_talk: Count = option(1, "Rounds of night talk", "How often the Mafia talk before they vote (M-112).")
    mafia_revote_rounds: Count = option(3, "Revotes at night", "Revotes of the Mafia after a tie (M-046).")
    trial_revote_rounds: Count = option(3, "Revotes at a trial", "Revotes of the town after a tie (M-080).")
    reveal_role_on_night_death: bool = option(
        False, "Reveal the dead at dawn", "The role of a night victim is announced (M-054)."
    )
    night_seconds: float = option(
        0,
        "Seconds of a night",
        "How long a night lasts at least (M-111), so that its length says nothing about who is alive.",
        group="fair play",
        ge=0,
        le=1e6,
    )
    floor: Literal["narrator", "bids"] = option(
        "narrator",
        "Who says who speaks",
        "The narrator chooses the next speaker, or the players bid for it (M-114).",
        group="how it is told",
    )
    style: Literal["plain", "old"] = option(
        "plain",
        "How house players talk",
        "House players and the narrator talk plain modern English, or in the old manner (H-001).",
        group="how it is told",
    )
    max_speeches: int | None = option(
        None,
        "Speeches in a day",
        "How many speeches a day has (M-061). Empty for three for each living player.",
        group="how it is told",
        ge=0,
        le=1_000_000,
    )
    check_after_night: bool = option(True, "Winner at dawn", "The game can also end right after a night (M-093).")
    max_days: int | None = option(
        None, "Days until a draw", "The game is a draw after that many days (M-101). Empty for no limit.", ge=1
    )

    unsaid: ClassVar[Mapping[str, Any]] = {**Options.unsaid, "night_talk": 0, "style": "old"}


DEFAULTS = MafiaOptions()


EVEN_NIGHTS = Caution(
    "night_seconds",
    0,
    "With night_seconds=0 the length of a night can show whether an outside Doctor or Detective is alive. "
    "Set it to longer than they take to answer.",
)


def role_counts(options: MafiaOptions, players: int) -> Mapping[Role, int]:
    """How many of each role are dealt to that many players (M-005), or SetupRefused (M-006)."""
    if options.role_counts is None:
        mafia = max(1, players * 3 // 10)
        counts: dict[Role, int] = {"Mafia": mafia, "Doctor": 1, "Detective": 1, "Jester": int(players >= 8)}
        counts["Villager"] = players - sum(counts.values())
    else:
        counts = {role: options.role_counts.get(role, 0) for role in ROLES}
    if sum(counts.values()) != players:
        raise SetupRefused(f"role_counts deals {sum(counts.values())} roles to {players} players. Make them equal.")
    if counts["Mafia"] < 1:
        raise SetupRefused("role_counts deals no Mafia. Deal at least one.")
    if counts["Mafia"] * 2 >= players:
        raise SetupRefused(f"role_counts deals {counts['Mafia']} Mafia to {players} players. Deal fewer than half.")
    for role in UNIQUE:
        if counts[role] > 1:
            raise SetupRefused(f"role_counts deals {counts[role]} of the {role}. Deal at most one.")
    return counts
