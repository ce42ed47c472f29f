"""The rules options of Mafia, and how many of each role they deal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from sottovoce import Caution, Options, SetupRefused
from sottovoce.rulesets.mafia.rules.roles import ROLES, UNIQUE, Role

Count = Annotated[int, Field(ge=0, le=1000)]


class MafiaOptions(Options):
    """The rules options of Mafia, each with its default."""

    role_counts: dict[Role, Count] | None = Field(default=None, description="how many of each role are dealt (M-005)")
    max_attempts: int = Field(default=3, ge=1, le=100, description="attempts per turn, the first included (M-019)")
    turn_seconds: float | None = Field(
        default=None, gt=0, le=1e6, description="time limit of each attempt; none by default"
    )
    doctor_repeat: bool = Field(
        default=True, description="the Doctor may protect the same player twice running (M-036)"
    )
    night_talk: Count = Field(default=1, description="rounds in which the Mafia talk before they vote (M-112)")
    mafia_revote_rounds: Count = Field(default=3, description="revotes of the Mafia after a tied ballot (M-046)")
    trial_revote_rounds: Count = Field(default=3, description="revotes after a tied trial (M-080)")
    reveal_role_on_night_death: bool = Field(default=False, description="announce a night victim's role (M-054)")
    night_seconds: float = Field(default=0, ge=0, le=1e6, description="how long a night lasts at least (M-111)")
    floor: Literal["narrator", "bids"] = Field(
        default="narrator", description="who says who speaks next: the narrator, or the players' bids (M-114)"
    )
    max_speeches: int | None = Field(
        default=None, ge=0, le=1_000_000, description="speeches per day; three per living player (M-061)"
    )
    check_after_night: bool = Field(default=True, description="check for a winner at dawn too (M-093)")
    max_days: int | None = Field(default=None, ge=1, description="a draw after that many days; unlimited (M-101)")


DEFAULTS = MafiaOptions()
UNSAID: Mapping[str, Any] = {"night_talk": 0}
"""What an option means in an opening that does not name it, where that is not its default: games opened before there
was such an option go on as they began."""


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
