"""What time of the day it is at an open evening: it goes on where the party waits, rests and travels."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST

DAY = ("early morning", "morning", "noon", "afternoon", "evening", "night")
_SAID = (
    (re.compile(r"(?i)early morning|dawn|daybreak|sunrise|first light"), 0),
    (re.compile(r"(?i)late afternoon|dusk|sunset|twilight|evening|nightfall|dark"), 4),
    (re.compile(r"(?i)afternoon"), 3),
    (re.compile(r"(?i)morning"), 1),
    (re.compile(r"(?i)noon|midday"), 2),
    (re.compile(r"(?i)midnight|night"), 5),
)
DUSK = 4


def time_of(text: str) -> int | None:
    """The part of the day that a text names."""
    return next((part for pattern, part in _SAID if pattern.search(text)), None)


def now(play: Play) -> int:
    """Parts of days since the first morning: six make a day."""
    passed = [int(each.partition(" ")[2]) for each in play.memory.done if re.fullmatch(r"day \d+", each)]
    if passed:
        return max(passed)
    said = time_of(play.known.papers.when) if play.known.papers.when else None
    return 1 if said is None else said


def later(play: Play, text: str, parts: int = 1) -> str:
    """Let time pass, to the part of the day that the text names or by some parts, and say how late it is."""
    if _stands(play):
        return play.line("time.stands")
    at = now(play)
    until = time_of(text) if re.search(r"(?i)\b(?:until|till|for|at|wait)\b", text) else None
    target = at + parts if until is None else at + ((until - at) % len(DAY) or len(DAY))
    play.note(f"done day {target}")
    play.note(f"clock {play.memory.clock + 1}")
    return play.line("time.night" if target % len(DAY) == len(DAY) - 1 else "time.now", time=DAY[target % len(DAY)])


_STANDING = re.compile(
    r"(?i)\b(?:shadows?|sun|light|daylight|hours?)\b[^.]{0,60}\b(?:(?:do|does) not move|never moves?|stands?"
    r" still|stays? where)\b"
)


def _stands(play: Play) -> bool:
    """Whether the party has seen that the day does not go on here."""
    told = [play.world.facts[key].text for key in play.memory.told if key in play.world.facts]
    return any(_STANDING.search(text[:LONGEST]) for text in told)
