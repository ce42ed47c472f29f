"""The facts of a Mafia game: each class says who sees it, how it is told and what it changes.

An event that everybody sees carries nothing that only some may know; what the narrator alone may know is an event of
its own. Tallies, deaths and outcomes are data here, so that no reader has to conclude them.
"""

from __future__ import annotations

from sottovoce.domain.events import Event
from sottovoce.domain.rulesets.mafia.events.course import GameEnded as GameEnded
from sottovoce.domain.rulesets.mafia.events.course import MafiaIntroduced as MafiaIntroduced
from sottovoce.domain.rulesets.mafia.events.course import NarrationGiven as NarrationGiven
from sottovoce.domain.rulesets.mafia.events.course import PhaseBegan as PhaseBegan
from sottovoce.domain.rulesets.mafia.events.course import RepliesHeard as RepliesHeard
from sottovoce.domain.rulesets.mafia.events.course import RoleDealt as RoleDealt
from sottovoce.domain.rulesets.mafia.events.course import RoleRevealed as RoleRevealed
from sottovoce.domain.rulesets.mafia.events.day import BidsClosed as BidsClosed
from sottovoce.domain.rulesets.mafia.events.day import FloorGiven as FloorGiven
from sottovoce.domain.rulesets.mafia.events.day import SpeakerChosen as SpeakerChosen
from sottovoce.domain.rulesets.mafia.events.day import SpeechGiven as SpeechGiven
from sottovoce.domain.rulesets.mafia.events.night import Cause as Cause
from sottovoce.domain.rulesets.mafia.events.night import DawnHeld as DawnHeld
from sottovoce.domain.rulesets.mafia.events.night import DeathsAnnounced as DeathsAnnounced
from sottovoce.domain.rulesets.mafia.events.night import MafiaBallotClosed as MafiaBallotClosed
from sottovoce.domain.rulesets.mafia.events.night import MafiaWhispered as MafiaWhispered
from sottovoce.domain.rulesets.mafia.events.night import NightResolved as NightResolved
from sottovoce.domain.rulesets.mafia.events.night import PlayerInvestigated as PlayerInvestigated
from sottovoce.domain.rulesets.mafia.events.night import PlayerProtected as PlayerProtected
from sottovoce.domain.rulesets.mafia.events.town_hall import ExecutionVoteClosed as ExecutionVoteClosed
from sottovoce.domain.rulesets.mafia.events.town_hall import NominationMade as NominationMade
from sottovoce.domain.rulesets.mafia.events.town_hall import PlayerExecuted as PlayerExecuted
from sottovoce.domain.rulesets.mafia.events.town_hall import SecondingClosed as SecondingClosed
from sottovoce.domain.rulesets.mafia.events.town_hall import TrialClosed as TrialClosed

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
