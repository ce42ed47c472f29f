"""Who sees each event of a Mafia game. Whatever is not stated here fails at import (invariant 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.audience import EVERYONE, NOBODY, Audience, Rule, only
from domain.events import Event, HoldLifted, HoldPlaced
from domain.ruleset import CORE_AUDIENCE
from domain.rulesets.mafia import events
from domain.rulesets.mafia.events import NARRATOR
from domain.rulesets.mafia.state import MafiaState


def everyone(state: MafiaState, event: Event) -> Audience:
    return EVERYONE


def nobody(state: MafiaState, event: Event) -> Audience:
    return NOBODY


def narrator_alone(state: MafiaState, event: Event) -> Audience:
    return only(NARRATOR)


def player_and_narrator(field: str) -> Rule:
    def rule(state: MafiaState, event: Any) -> Audience:
        return only(getattr(event, field), NARRATOR)

    return rule


def introduced_mafia(state: MafiaState, event: events.MafiaIntroduced) -> Audience:
    return only(event.members, NARRATOR)


def living_mafia(state: MafiaState, event: events.MafiaWhispered | events.MafiaBallotClosed) -> Audience:
    """Dead Mafia hear no later talk and see no later votes (M-048, M-112)."""
    return only(state.living_mafia, NARRATOR)


MAFIA_AUDIENCE: Mapping[type[Event], Rule] = {
    **CORE_AUDIENCE,
    HoldPlaced: nobody,
    HoldLifted: nobody,
    events.RoleDealt: player_and_narrator("player"),
    events.MafiaIntroduced: introduced_mafia,
    events.NarrationGiven: everyone,
    events.RepliesHeard: narrator_alone,
    events.PhaseBegan: everyone,
    events.DawnHeld: nobody,
    events.PlayerProtected: player_and_narrator("doctor"),
    events.PlayerInvestigated: player_and_narrator("detective"),
    events.MafiaWhispered: living_mafia,
    events.MafiaBallotClosed: living_mafia,
    events.NightResolved: narrator_alone,
    events.DeathsAnnounced: everyone,
    events.RoleRevealed: everyone,
    events.SpeakerChosen: everyone,
    events.BidsClosed: narrator_alone,
    events.FloorGiven: everyone,
    events.SpeechGiven: everyone,
    events.NominationMade: everyone,
    events.SecondingClosed: everyone,
    events.TrialClosed: everyone,
    events.ExecutionVoteClosed: everyone,
    events.PlayerExecuted: everyone,
    events.GameEnded: everyone,
}
