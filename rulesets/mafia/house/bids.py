"""How much a player wants the floor, where it is bid for (M-114)."""

from __future__ import annotations

from sottovoce.rulesets.mafia.house.claims import unspoken
from sottovoce.rulesets.mafia.house.seat import Seat

MOST = 4


def bid(seat: Seat) -> int:
    """From 0 to 4: most for who has been accused or has a result to tell; less for each word already had.

    Once a day has had as many speeches as the seat has patience for, it bids only where it is accused.
    """
    memory = seat.memory
    today = memory.today
    spoken = sum(speech.player == seat.name for speech in today)
    accusers = _unanswered(seat)
    mood = seat.random.lasting("length", memory.day)
    enough = round(len(memory.living) * mood.uniform(1.05, 1.65))
    if today and today[-1].player == seat.name:
        return 0
    if len(today) >= enough:
        return 1 if accusers and spoken < 2 else 0
    wish = 0.6 + 0.8 * seat.persona.boldness + 0.8 * seat.persona.talk + seat.random.gauss(0, 0.5)
    wish += 1.4 * min(accusers, 2) + 1.6 * bool(memory.asking(seat.name))
    if unspoken(seat):
        wish += 1.5
    return max(0 if spoken else 1, min(MOST, round(wish - 1.1 * spoken)))


def _unanswered(seat: Seat) -> int:
    """How many have spoken against the seat today since it last spoke."""
    accusers = 0
    for speech in seat.memory.today:
        if speech.player == seat.name:
            accusers = 0
        elif seat.name in speech.heard.accused:
            accusers += 1
    return accusers
