"""A player's reply to each kind of turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sottovoce import Considered, SeatRandom, Turn, View
from sottovoce.rulesets.mafia.house import bids, night_talk, speech
from sottovoce.rulesets.mafia.house.beats import SpeechPart
from sottovoce.rulesets.mafia.house.mind import mind_of
from sottovoce.rulesets.mafia.house.seat import Seat, sit
from sottovoce.rulesets.mafia.house.strategy import CHOOSE
from sottovoce.rulesets.mafia.rules import turns

SPOKEN = frozenset(f"why.{kind}" for kind in ("none", "echo", "hanged", "named", "silent", "rival", "shielded"))
"""Reasons that a persona may give in its own words instead."""

ALOUD: Mapping[type[Turn], Callable[[Seat, str], list[SpeechPart]]] = {turns.Nominate: speech.charge}
"""What is said with a choice that all hear: made of what the town may know, whatever the seat has in mind."""

SPEECHES: Mapping[type[Turn], Callable[[Seat], list[SpeechPart]]] = {
    turns.Speech: speech.discussion,
    turns.Defence: speech.defence,
    turns.FinalSpeech: speech.final,
    turns.NightTalk: night_talk.whisper,
}


def reply(view: View[Any], turn: Turn, random: SeatRandom) -> Considered:
    """The reply of a player's seat, always one that counts, with what it had in mind."""
    seat = sit(view, random)
    return Considered(_said(seat, view, turn), mind_of(seat))


def _said(seat: Seat, view: View[Any], turn: Turn) -> str:
    kind = type(turn)
    if kind is turns.AcceptRole:
        return speech.within([seat.line(beat.topic, **beat.names) for beat in speech.acknowledgment(seat)])
    if kind in SPEECHES:
        return speech.speak(seat, SPEECHES[kind](seat))
    if kind is turns.Bid:
        return f"I bid {bids.bid(seat)}."
    choice, topic, names = CHOOSE[kind](seat, turn)
    if kind in ALOUD and choice != turns.PASS:
        said = speech.within([seat.line(beat.topic, **beat.names) for beat in ALOUD[kind](seat, choice)])
    else:
        said = _reason(seat, topic, names)
    text = f"{turn.saying(choice)} {said}"
    return text if turn.makes(view.state, text, choice) else choice  # an odd name can defeat the sentence


def _reason(seat: Seat, topic: str, names: dict[str, str]) -> str:
    """What the narrator hears: the reason, at times in the words that the room would get."""
    if topic in SPOKEN and seat.chance(0.3):
        return seat.line("hunch" if topic == "why.none" else "suspect", **names)
    return seat.line(topic, **names)
