"""A player's reply to each kind of turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agents.agent import SeatRandom
from agents.house.mafia import bidding, speech, whispering
from agents.house.mafia.beats import Beat
from agents.house.mafia.seat import Seat, sit
from agents.house.mafia.strategy import CHOOSE
from domain.errors import Refused
from domain.rulesets.mafia.commands import Choose, read
from domain.turns import Turn
from projections.view import View

ANSWERS: Mapping[str, str] = {
    "protect": "I protect {}.",
    "investigate": "I investigate {}.",
    "kill": "I vote to kill {}.",
    "nominate": "I nominate {}.",
    "second": "{}.",
    "trial-vote": "I vote for {}.",
    "execution-vote": "I vote to {}.",
}
"""How each choice is worded so that it counts (M-016)."""

SPOKEN = frozenset(f"why.{kind}" for kind in ("none", "echo", "hanged", "named", "silent", "rival", "shielded"))
"""Reasons that a persona may give in its own words instead."""

ALOUD: Mapping[str, Callable[[Seat, str], list[Beat]]] = {"nominate": speech.charge}
"""What is said with a choice that all hear: made of what the town may know, whatever the seat has in mind."""

SPEECHES: Mapping[str, Callable[[Seat], list[Beat]]] = {
    "speech": speech.discussion,
    "defence": speech.defence,
    "final-speech": speech.final,
    "night-talk": whispering.whisper,
}


def reply(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    """The reply of a player's seat; always one that counts."""
    seat = sit(view, random)
    if turn.kind == "role":
        return speech.within([seat.line(beat.topic, **beat.names) for beat in speech.acknowledgment(seat)])
    if turn.kind in SPEECHES:
        return speech.speak(seat, SPEECHES[turn.kind](seat))
    if turn.kind == "bid":
        return f"I bid {bidding.bid(seat)}."
    choice, topic, names = CHOOSE[turn.kind](seat, turn)
    worded = "I pass." if choice == "pass" else ANSWERS[turn.kind].format(choice)
    if turn.kind in ALOUD and choice != "pass":
        said = speech.within([seat.line(beat.topic, **beat.names) for beat in ALOUD[turn.kind](seat, choice)])
    else:
        said = _reason(seat, topic, names)
    text = f"{worded[:1].upper()}{worded[1:]} {said}"
    return text if _counts(view, turn, text, choice) else choice


def _reason(seat: Seat, topic: str, names: dict[str, str]) -> str:
    """What the narrator hears: the reason, at times in the words that the room would get."""
    if topic in SPOKEN and seat.chance(0.3):
        return seat.line("hunch" if topic == "why.none" else "suspect", **names)
    return seat.line(topic, **names)


def _counts(view: View[Any], turn: Turn, text: str, choice: str) -> bool:
    """Whether the game will read this choice in the text: an odd name can defeat the sentence pattern."""
    try:
        return read(view.state, turn.seat, turn, text) == [Choose(choice, text)]
    except Refused:
        return False
