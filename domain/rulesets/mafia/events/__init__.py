"""The facts of a Mafia game: each class says who sees it, how it is told and what it changes.

An event that everybody sees carries nothing that only some may know; what the narrator alone may know is an event of
its own. Tallies, deaths and outcomes are data here, so that no reader has to conclude them.
"""

from __future__ import annotations

from domain.events import Event
from domain.rulesets.mafia.events.course import GameEnded as GameEnded
from domain.rulesets.mafia.events.course import MafiaIntroduced as MafiaIntroduced
from domain.rulesets.mafia.events.course import NarrationGiven as NarrationGiven
from domain.rulesets.mafia.events.course import PhaseBegan as PhaseBegan
from domain.rulesets.mafia.events.course import RepliesHeard as RepliesHeard
from domain.rulesets.mafia.events.course import RoleDealt as RoleDealt
from domain.rulesets.mafia.events.course import RoleRevealed as RoleRevealed
from domain.rulesets.mafia.events.day import BidsClosed as BidsClosed
from domain.rulesets.mafia.events.day import FloorGiven as FloorGiven
from domain.rulesets.mafia.events.day import SpeakerChosen as SpeakerChosen
from domain.rulesets.mafia.events.day import SpeechGiven as SpeechGiven
from domain.rulesets.mafia.events.night import Cause as Cause
from domain.rulesets.mafia.events.night import DawnHeld as DawnHeld
from domain.rulesets.mafia.events.night import DeathsAnnounced as DeathsAnnounced
from domain.rulesets.mafia.events.night import MafiaBallotClosed as MafiaBallotClosed
from domain.rulesets.mafia.events.night import MafiaWhispered as MafiaWhispered
from domain.rulesets.mafia.events.night import NightResolved as NightResolved
from domain.rulesets.mafia.events.night import PlayerInvestigated as PlayerInvestigated
from domain.rulesets.mafia.events.night import PlayerProtected as PlayerProtected
from domain.rulesets.mafia.events.town_hall import ExecutionVoteClosed as ExecutionVoteClosed
from domain.rulesets.mafia.events.town_hall import NominationMade as NominationMade
from domain.rulesets.mafia.events.town_hall import PlayerExecuted as PlayerExecuted
from domain.rulesets.mafia.events.town_hall import SecondingClosed as SecondingClosed
from domain.rulesets.mafia.events.town_hall import TrialClosed as TrialClosed

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
