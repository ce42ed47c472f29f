"""What the seats of a Mafia game are asked: each class says what it asks, how a reply is read and what follows."""

from __future__ import annotations

from typing import Any

from sottovoce import Turn
from sottovoce.rulesets.mafia.rules.turns.day import AcceptRole as AcceptRole
from sottovoce.rulesets.mafia.rules.turns.day import Bid as Bid
from sottovoce.rulesets.mafia.rules.turns.day import Speech as Speech
from sottovoce.rulesets.mafia.rules.turns.narrator import Dawn as Dawn
from sottovoce.rulesets.mafia.rules.turns.narrator import Execution as Execution
from sottovoce.rulesets.mafia.rules.turns.narrator import Gallows as Gallows
from sottovoce.rulesets.mafia.rules.turns.narrator import Introduction as Introduction
from sottovoce.rulesets.mafia.rules.turns.narrator import Moderate as Moderate
from sottovoce.rulesets.mafia.rules.turns.narrator import Narration as Narration
from sottovoce.rulesets.mafia.rules.turns.narrator import NarratorTurn as NarratorTurn
from sottovoce.rulesets.mafia.rules.turns.narrator import Opening as Opening
from sottovoce.rulesets.mafia.rules.turns.night import Investigate as Investigate
from sottovoce.rulesets.mafia.rules.turns.night import Kill as Kill
from sottovoce.rulesets.mafia.rules.turns.night import NightTalk as NightTalk
from sottovoce.rulesets.mafia.rules.turns.night import Protect as Protect
from sottovoce.rulesets.mafia.rules.turns.town_hall import PASS as PASS
from sottovoce.rulesets.mafia.rules.turns.town_hall import Defence as Defence
from sottovoce.rulesets.mafia.rules.turns.town_hall import ExecutionVote as ExecutionVote
from sottovoce.rulesets.mafia.rules.turns.town_hall import FinalSpeech as FinalSpeech
from sottovoce.rulesets.mafia.rules.turns.town_hall import Nominate as Nominate
from sottovoce.rulesets.mafia.rules.turns.town_hall import Second as Second
from sottovoce.rulesets.mafia.rules.turns.town_hall import TrialVote as TrialVote

MAFIA_TURNS: tuple[type[Turn[Any]], ...] = (
    Opening,
    AcceptRole,
    Protect,
    Investigate,
    NightTalk,
    Kill,
    Dawn,
    Moderate,
    Bid,
    Speech,
    Nominate,
    Second,
    Introduction,
    Defence,
    TrialVote,
    Gallows,
    FinalSpeech,
    ExecutionVote,
    Execution,
)
"""Every kind of turn, in the order in which they first come up in a game."""
