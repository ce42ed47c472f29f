"""The events of a Mafia game: each class says who sees it, how it is shown and what it changes.

An event that everyone sees contains nothing that only some can know; what only the narrator can know is a separate
event. Tallies, deaths and outcomes are data, so that no reader has to deduce them.
"""

from __future__ import annotations

from sottovoce import Event
from sottovoce.rulesets.mafia.rules.events.course import GameEnded as GameEnded
from sottovoce.rulesets.mafia.rules.events.course import MafiaIntroduced as MafiaIntroduced
from sottovoce.rulesets.mafia.rules.events.course import NarrationGiven as NarrationGiven
from sottovoce.rulesets.mafia.rules.events.course import PhaseBegan as PhaseBegan
from sottovoce.rulesets.mafia.rules.events.course import RepliesHeard as RepliesHeard
from sottovoce.rulesets.mafia.rules.events.course import RoleDealt as RoleDealt
from sottovoce.rulesets.mafia.rules.events.course import RoleRevealed as RoleRevealed
from sottovoce.rulesets.mafia.rules.events.day import BidsClosed as BidsClosed
from sottovoce.rulesets.mafia.rules.events.day import FloorGiven as FloorGiven
from sottovoce.rulesets.mafia.rules.events.day import SpeakerChosen as SpeakerChosen
from sottovoce.rulesets.mafia.rules.events.day import SpeechGiven as SpeechGiven
from sottovoce.rulesets.mafia.rules.events.night import Cause as Cause
from sottovoce.rulesets.mafia.rules.events.night import DawnHeld as DawnHeld
from sottovoce.rulesets.mafia.rules.events.night import DeathsAnnounced as DeathsAnnounced
from sottovoce.rulesets.mafia.rules.events.night import MafiaBallotClosed as MafiaBallotClosed
from sottovoce.rulesets.mafia.rules.events.night import MafiaWhispered as MafiaWhispered
from sottovoce.rulesets.mafia.rules.events.night import NightResolved as NightResolved
from sottovoce.rulesets.mafia.rules.events.night import PlayerInvestigated as PlayerInvestigated
from sottovoce.rulesets.mafia.rules.events.night import PlayerProtected as PlayerProtected
from sottovoce.rulesets.mafia.rules.events.town_hall import ExecutionVoteClosed as ExecutionVoteClosed
from sottovoce.rulesets.mafia.rules.events.town_hall import NominationMade as NominationMade
from sottovoce.rulesets.mafia.rules.events.town_hall import PlayerExecuted as PlayerExecuted
from sottovoce.rulesets.mafia.rules.events.town_hall import SecondingClosed as SecondingClosed
from sottovoce.rulesets.mafia.rules.events.town_hall import TrialClosed as TrialClosed

MAFIA_EVENTS: tuple[type[Event], ...] = (
    RoleDealt,
    MafiaIntroduced,
    NarrationGiven,
    RepliesHeard,
    PhaseBegan,
    DawnHeld,
    PlayerProtected,
    PlayerInvestigated,
    MafiaWhispered,
    MafiaBallotClosed,
    NightResolved,
    DeathsAnnounced,
    RoleRevealed,
    SpeakerChosen,
    BidsClosed,
    FloorGiven,
    SpeechGiven,
    NominationMade,
    SecondingClosed,
    TrialClosed,
    ExecutionVoteClosed,
    PlayerExecuted,
    GameEnded,
)
"""Every class of event of Mafia's own, in the order in which they first come up in a game."""
