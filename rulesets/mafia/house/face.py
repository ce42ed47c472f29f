"""What a Mafia and a Jester let the others see: the suspicion that they act on, beside what they think.

A Mafia goes by what a Villager in its chair would think, but for its partners. Each day it settles with itself about
each of them: to turn on a partner as anybody would, or to go easy on it. A partner that is all but lost is let go, and
close to winning none is.

A Jester does as a Mafia would that gives itself away: it goes easy on those that the town suspects most, as if they
were its partners. No act is a Jester's alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from sottovoce import SeatRandom
from sottovoce.rulesets.mafia.house.belief import Belief
from sottovoce.rulesets.mafia.house.memory import Memory, Secrets

TURNS = 0.8
"""How often a Mafia with one partner turns on it as a Villager would; with more, less often on each."""
EASE = 1.0
"""How much less it suspects a partner that it goes easy on, as a change of the logarithm of the odds."""
LOST = 0.6
"""From which likelihood in a Villager's eyes a partner is let go."""
FEINTS = 0.1
"""How often a day a Jester goes easy on the chief suspect, as if it were its partner."""


def face(
    memory: Memory, secrets: Secrets, seeming: Belief, mind: Mapping[str, float], random: SeatRandom, edge: bool
) -> dict[str, float]:
    """The suspicion of each other living player that the seat acts on. `edge` says that the Mafia are about to win."""
    shown = dict(mind)
    for friend in _friends(memory, secrets, seeming, mind, random):
        if friend in shown and not _turns(memory, secrets, seeming, friend, random, edge):
            shown[friend] -= EASE
    return shown


def _friends(
    memory: Memory, secrets: Secrets, seeming: Belief, mind: Mapping[str, float], random: SeatRandom
) -> tuple[str, ...]:
    """Whom the seat goes easy on: a Mafia on its partners, a Jester on whom the town suspects."""
    if secrets.role == "Mafia":
        return secrets.partners
    if not mind or random.lasting("feint", memory.day).random() > FEINTS:
        return ()
    return (max(mind, key=lambda player: seeming.mafia[player]),)


def _turns(memory: Memory, secrets: Secrets, seeming: Belief, friend: str, random: SeatRandom, edge: bool) -> bool:
    """Whether a Mafia treats this partner today as anybody would."""
    if secrets.role != "Mafia":
        return False
    if edge:
        return False
    if seeming.mafia[friend] > LOST:
        return True
    return random.lasting("turns", memory.day, friend).random() < TURNS ** len(secrets.partners)
