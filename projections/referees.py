"""Who in each ruleset knows everything and speaks to everybody: the one place where free text could leak.

They are listed here with the ruleset's own check of what they say, so that the audit and the game agree on what is to
be kept from whom.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from domain.rulesets.mafia.commands import given_away
from domain.rulesets.mafia.events import NARRATOR
from domain.rulesets.tabletop.events import GM


@dataclass(frozen=True, slots=True)
class Referee:
    """`seat` must not give hidden matters away; `breach(full state before the text, text)` says what it gave away."""

    seat: str
    breach: Callable[[Any, str], str | None]


REFEREES: Mapping[str, Referee] = {
    "mafia": Referee(NARRATOR, given_away),
}
"""The referee of each ruleset that has one, by the ruleset's name."""

TELLERS: Mapping[str, tuple[str, Callable[[Any, str, str], str | None]]] = {
    "tabletop": (GM, lambda state, text, seat: state.heard.repeats(text, seat)),
}
"""By ruleset, a seat that is there to tell others what they have not seen, and what of it is not to be told.

`(full state before the text, text, listener)` gives the words in it that come from sources closed to the listener, or
None. The tabletop's are those of T-063: what a place looks like and what was answered openly is the GM's to tell.
"""
