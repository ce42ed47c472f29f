"""Dice: expressions such as `2d20kh1+5`, drawing them, and the notation that a roll is told in.

    roll = draw(expression("1d20+5"), generator(seed, "roll", "tilda-brannock", 3))
    roll.notation       # "1d20+5 = [8]+5 = 13"

Everything here is pure: the generator comes from the caller.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from random import Random
from typing import Literal

from sottovoce import Refused
from sottovoce.rulesets.tabletop.rules.texts import shown

MOST_DICE = 100
MOST_SIDES = 1000
LARGEST_NUMBER = 100_000
LONGEST_EXPRESSION = 200

Keep = Literal["kh", "kl", "dh", "dl"]
"""Which dice count: keep or drop so many of the highest or lowest."""
Result = Literal["success", "failure", "critical_success", "critical_failure"]

_TERM = re.compile(r"([+-]?)(?:([0-9]{0,6})d([0-9]{1,6})(?:(kh|kl|dh|dl)([0-9]{0,6}))?|([0-9]{1,9}))")
_APART = re.compile(r"[0-9]\s+[0-9]")
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
_COUNTED = re.compile(r"([+-]?)(?:\[([0-9,+]*)\]|([0-9]{1,9}))")
_MINUS = str.maketrans({"−": "-"})
_EXAMPLES = "such as 1d20+5, 2d6 or 2d20kh1+5"
_SHAPE = "write it as expression, dice and total, such as '1d20+5 = [8]+5 = 13'"


@dataclass(frozen=True, slots=True)
class Dice:
    """`count` dice of so many `sides`, added or subtracted by `sign`; with `keep`, only `kept` of them count."""

    sign: int
    count: int
    sides: int
    keep: Keep | None
    number: int

    def counted(self, drawn: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the drawn dice that count, in the order drawn."""
        if self.keep is None:
            return drawn
        places = sorted(range(len(drawn)), key=lambda place: (drawn[place], place))
        if self.keep == "kh":
            chosen = places[len(places) - self.number :]
        elif self.keep == "kl":
            chosen = places[: self.number]
        elif self.keep == "dh":
            chosen = places[: len(places) - self.number]
        else:
            chosen = places[self.number :]
        return tuple(drawn[place] for place in sorted(chosen))


@dataclass(frozen=True, slots=True)
class Expression:
    """Dice and numbers to be added up. `text` is how it is written, without spaces and in lower case."""

    text: str
    terms: tuple[Dice | int, ...]

    @property
    def dice(self) -> tuple[Dice, ...]:
        return tuple(term for term in self.terms if isinstance(term, Dice))

    @property
    def plain(self) -> bool:
        """Whether it is a plain sum, in which every die counts (T-094)."""
        return all(dice.keep is None for dice in self.dice)


@dataclass(frozen=True, slots=True)
class Roll:
    """An expression with the dice drawn for it: `drawn` has those of each of its dice terms in turn."""

    expression: Expression
    drawn: tuple[tuple[int, ...], ...]

    @property
    def total(self) -> int:
        dice = zip(self.expression.dice, self.drawn, strict=True)
        numbers = (term for term in self.expression.terms if isinstance(term, int))
        return sum(term.sign * sum(term.counted(drawn)) for term, drawn in dice) + sum(numbers)

    @property
    def natural(self) -> int | None:
        """What the one twenty-sided die shows that counts; None where there is none, or more than one."""
        dice = zip(self.expression.dice, self.drawn, strict=True)
        faces = [face for term, drawn in dice if term.sides == 20 and term.sign > 0 for face in term.counted(drawn)]
        return faces[0] if len(faces) == 1 else None

    @property
    def notation(self) -> str:
        """Expression, dice and total: `2d20kh1+5 = [8, 15]+5 = 20`. Dice that do not count are shown too."""
        drawn = iter(self.drawn)
        notation = ""
        for term in self.expression.terms:
            sign = "-" if (term if isinstance(term, int) else term.sign) < 0 else "+" if notation else ""
            notation += sign + (str(abs(term)) if isinstance(term, int) else str(list(next(drawn))))
        return f"{self.expression.text} = {notation} = {self.total}"


def expression(text: str) -> Expression:
    """The dice expression that the text is, or Refused with what is wrong with it."""
    if len(text) > LONGEST_EXPRESSION:
        raise Refused(f"The dice expression is longer than {LONGEST_EXPRESSION} characters; shorten it.")
    if _APART.search(text):
        raise Refused(f"{text!r} has two numbers side by side; write a sign between them, {_EXAMPLES}.")
    compact = "".join(text.translate(_MINUS).lower().split())
    terms: list[Dice | int] = []
    at = 0
    while at < len(compact):
        match = _TERM.match(compact, at)
        if match is None or (at and not match[1]):
            raise Refused(f"{text!r} is not a dice expression; write one {_EXAMPLES}.")
        terms.append(_term(match))
        at = match.end()
    read = Expression(compact, tuple(terms))
    if not read.dice:
        raise Refused(f"{text!r} has no dice; write an expression {_EXAMPLES}.")
    if sum(dice.count for dice in read.dice) > MOST_DICE:
        raise Refused(f"{text!r} rolls more than {MOST_DICE} dice; roll fewer.")
    return read


def _term(match: re.Match[str]) -> Dice | int:
    sign = -1 if match[1] == "-" else 1
    if match[6]:
        if int(match[6]) > LARGEST_NUMBER:
            raise Refused(f"{match[6]} is too large a number for a roll; use at most {LARGEST_NUMBER}.")
        return sign * int(match[6])
    count, sides = int(match[2] or 1), int(match[3])
    if not 1 <= count <= MOST_DICE:
        raise Refused(f"{match[0]!r} rolls {count} dice; roll 1 to {MOST_DICE}.")
    if not 1 <= sides <= MOST_SIDES:
        raise Refused(f"{match[0]!r} rolls dice of {sides} sides; use 1 to {MOST_SIDES}.")
    keep: Keep | None = match[4]  # type: ignore[assignment]
    number = int(match[5] or 1) if keep else count
    if keep and not 1 <= (number if keep in ("kh", "kl") else count - number) <= count:
        raise Refused(f"{match[0]!r} leaves no dice, or more than it rolls; let 1 to {count} of them count.")
    return Dice(sign, count, sides, keep, number)


def draw(read: Expression, draws: Random) -> Roll:
    """Roll the dice with the generator given: a pure function of its state."""
    return Roll(read, tuple(tuple(draws.randint(1, dice.sides) for _ in range(dice.count)) for dice in read.dice))


def result(roll: Roll, dc: int | None) -> Result | None:
    """What a roll by the game itself comes to against `dc`, or None where that is not known (T-095)."""
    if dc is None:
        return None
    if roll.natural == 20:
        return "critical_success"
    if roll.natural == 1:
        return "critical_failure"
    return "success" if roll.total >= dc else "failure"


def check_notation(text: str) -> None:
    """Refuse what is no full notation of a roll or, for a plain sum, does not add up (T-094).

    Dice and numbers are held against the expression where this is one that `expression` reads. What other dice rules
    make of a roll is not known here, so that only the shape of such a notation is looked at.
    """
    parts = [part.strip() for part in text.translate(_MINUS).split("=", 3)]
    if len(parts) != 3 or not parts[0] or not _NUMBER.fullmatch(parts[2]) or "[" not in parts[1]:
        raise Refused(f"roll {shown(text)} is not a full notation; {_SHAPE}")
    try:
        read = expression(parts[0])
    except Refused:
        return
    if not read.plain:
        return
    dice, number = _counted(parts[1], text)
    wanted = [(term.sign, term.sides) for term in read.dice for _ in range(term.count)]
    for die, want in zip_longest(dice, wanted):
        if die is None or want is None or die[0] != want[0] or not 1 <= die[1] <= want[1]:
            raise Refused(f"roll {shown(text)} shows dice that {parts[0]} does not roll; {_SHAPE}")
    if number != sum(term for term in read.terms if isinstance(term, int)):
        raise Refused(f"roll {shown(text)} adds other numbers than {parts[0]} has; {_SHAPE}")
    total = number + sum(sign * face for sign, face in dice)
    if total != int(parts[2]):
        raise Refused(f"roll {shown(text)} does not add up: the dice and numbers make {total}, not {int(parts[2])}")


def _counted(text: str, whole: str) -> tuple[list[tuple[int, int]], int]:
    """The dice shown, each with its sign, and the sum of the numbers beside them."""
    compact = "".join(text.split())
    dice: list[tuple[int, int]] = []
    number = at = 0
    while at < len(compact):
        match = _COUNTED.match(compact, at)
        if match is None or (at and not match[1]):
            raise Refused(f"roll {shown(whole)} shows its dice in a form that cannot be read; {_SHAPE}")
        sign = -1 if match[1] == "-" else 1
        if match[3]:
            number += sign * int(match[3])
        else:
            dice += [(sign, int(face)) for face in re.findall(r"[0-9]{1,9}", match[2])]
        at = match.end()
    return dice, number
