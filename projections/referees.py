"""Who in each ruleset knows everything and speaks to everybody: the one place where free text could leak.

A referee is listed here with the ruleset's own check of what it says, so that the audit and the game agree on what a
breach is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from domain.rulesets.mafia.conduct import disclosure
from domain.rulesets.mafia.events import NARRATOR


@dataclass(frozen=True, slots=True)
class Referee:
    """`seat` must not give hidden matters away; `breach(full state before the text, text)` says what it gave away."""

    seat: str
    breach: Callable[[Any, str], str | None]


REFEREES: Mapping[str, Referee] = {
    "mafia": Referee(NARRATOR, lambda state, text: disclosure(text, state.players, state.revealed)),
}
"""The referee of each ruleset that has one, by the ruleset's name."""
