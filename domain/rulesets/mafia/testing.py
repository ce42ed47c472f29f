"""A game of Mafia to test its rules with: `mafia_game` opens one with the roles it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sottovoce.domain.draws import Seed
from sottovoce.domain.events import GameOpened, SeatsFilled
from sottovoce.domain.rulesets.mafia import MAFIA
from sottovoce.domain.rulesets.mafia.events import MafiaIntroduced, RoleDealt
from sottovoce.domain.rulesets.mafia.options import MafiaOptions
from sottovoce.domain.rulesets.mafia.roles import Role
from sottovoce.domain.rulesets.mafia.state import MafiaState
from sottovoce.domain.testing import Answers, Playtest, given

PEACEFUL: Answers = {"moderate": "town_hall", "nominate": "I pass.", "second": "no", "execution-vote": "spare"}
"""Answers with which a Mafia game's days pass without an execution."""


def mafia_game(roles: Mapping[str, Role], seed: int = 1, **options: Any) -> Playtest[MafiaState]:
    """A Mafia game with these players, in this seating order, and these roles; the narrator is asked to open it."""
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
