"""A game of Mafia to test its rules with: `mafia_game` opens one with the given roles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sottovoce import GameOpened, SeatsFilled, Seed
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import MafiaIntroduced, RoleDealt
from sottovoce.rulesets.mafia.rules.options import MafiaOptions
from sottovoce.rulesets.mafia.rules.roles import Role
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.testing import Answers, Playtest, given

PEACEFUL: Answers = {"moderate": "town_hall", "nominate": "I pass.", "second": "no", "execution-vote": "spare"}
"""Answers with which a Mafia game's days pass without an execution."""


def mafia_game(roles: Mapping[str, Role], seed: int = 1, **options: Any) -> Playtest[MafiaState]:
    """Return a Mafia game with these players, in this seating order, and these roles.

    The narrator has the opening turn.
    """
    dealt = MafiaOptions.model_validate(options)
    seats = MAFIA.seats_for(tuple(roles))
    opened = given(
        MAFIA,
        GameOpened(ruleset="mafia", seats=seats, options=dealt.model_dump(mode="json")),
        SeatsFilled(agents=dict.fromkeys(seats, "house"), seed=Seed.of(seed)),
        *(RoleDealt(player=player, role=role) for player, role in roles.items()),
        MafiaIntroduced(members=tuple(player for player, role in roles.items() if role == "Mafia")),
    )
    return replace(opened, answers=PEACEFUL).wake()
