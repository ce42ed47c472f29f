"""What a character has of things that are counted or named: hit points, spell slots, gold, conditions (T-144).

A resource that a sheet does not state is unknown until the GM sets it. An event has the result of a change, so that
folding it needs no arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sottovoce import NOTHING, Refused, plain
from sottovoce.rulesets.tabletop.rules.names import full_name

Change = Literal["set", "add", "remove"]

HIT_POINTS = "hit-points"
TEMPORARY_HIT_POINTS = "temporary-hit-points"
GOLD = "gold"
INITIATIVE = "initiative"
EXHAUSTION = "exhaustion"
DEATH_SUCCESSES = "death-save-successes"
DEATH_FAILURES = "death-save-failures"
CONCENTRATION = "concentration"
CONDITIONS = "conditions"
SPELL_SLOTS = tuple(f"spell-slots-{level}" for level in range(1, 10))

MOST = 1_000_000
"""No amount is larger."""


@dataclass(frozen=True, slots=True)
class ResourceKind:
    """How a resource changes. `clamps`: a change past the end stops there, where others are refused."""

    least: int = 0
    most: int = MOST
    clamps: bool = False
    words: bool = False
    single: bool = False


KINDS: Mapping[str, ResourceKind] = {
    HIT_POINTS: ResourceKind(clamps=True),
    TEMPORARY_HIT_POINTS: ResourceKind(clamps=True),
    GOLD: ResourceKind(),
    INITIATIVE: ResourceKind(least=-100, most=100),
    EXHAUSTION: ResourceKind(most=6),
    DEATH_SUCCESSES: ResourceKind(most=3),
    DEATH_FAILURES: ResourceKind(most=3),
    **{slots: ResourceKind(most=99) for slots in SPELL_SLOTS},
    CONCENTRATION: ResourceKind(words=True, single=True),
    CONDITIONS: ResourceKind(words=True),
}
"""Every resource that there is."""

_OTHER_NAMES = {
    "hp": HIT_POINTS,
    "hit point": HIT_POINTS,
    "current hp": HIT_POINTS,
    "temp hp": TEMPORARY_HIT_POINTS,
    "temporary hp": TEMPORARY_HIT_POINTS,
    "gp": GOLD,
    "condition": CONDITIONS,
    "death save success": DEATH_SUCCESSES,
    "death save failure": DEATH_FAILURES,
}
_SLOT_NAME = re.compile(r"(?:spell slots? )?(?:level )?([1-9])(?:st|nd|rd|th)?(?: level)?(?: spell)?(?: slots?)?")


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of one character: an `amount` with the `most` it can be, None where unknown, or `words`."""

    amount: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()


Resources = Mapping[tuple[str, str], Resource]
"""By character and resource; what is missing is unknown."""

NO_RESOURCES: Resources = NOTHING


def resource_name(text: str) -> str:
    """The resource that is meant, such as `spell-slots-2` for "2nd level spell slots"; Refused listing all of them."""
    name = plain(text).replace("-", " ").replace("_", " ")
    hyphened = name.replace(" ", "-")
    if hyphened in KINDS:
        return hyphened
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    slot = _SLOT_NAME.fullmatch(name)
    if slot and "slot" in name:
        return f"spell-slots-{slot[1]}"
    raise Refused(f"There is no resource {text!r}. Choose one of: {', '.join(KINDS)}.")


def changed(
    resources: Resources, roster: Sequence[str], character: str, resource: str, change: Change, value: int | str | None
) -> tuple[str, str, Resource]:
    """Character, resource and what it is after the change; Refused where it cannot be changed so (T-144).

    `value` is an amount for what is counted, and for conditions and concentration a word; `remove` without one takes
    all of it away. Setting hit points or spell slots as "7/12" states the most as well.
    """
    owner = full_name(character, roster)
    name = resource_name(resource)
    kind = KINDS[name]
    now = resources.get((owner, name), Resource())
    if kind.words:
        return owner, name, _worded(owner, name, kind, now, change, value)
    return owner, name, _counted(owner, name, kind, now, change, value)


def _worded(
    owner: str, name: str, kind: ResourceKind, now: Resource, change: Change, value: int | str | None
) -> Resource:
    word = plain(str(value)) if value is not None else ""
    if change == "remove":
        if word and word not in now.words:
            raise Refused(f"{owner} has no {word!r} among its {name}.")
        return replace(now, words=tuple(held for held in now.words if word and held != word))
    if not word:
        raise Refused(f"The value is empty; name what to {change} for {name}.")
    if change == "set" or kind.single:
        return Resource(words=(word,))
    if word in now.words:
        raise Refused(f"{owner} has {word!r} among its {name} already.")
    return replace(now, words=(*now.words, word))


def _counted(
    owner: str, name: str, kind: ResourceKind, now: Resource, change: Change, value: int | str | None
) -> Resource:
    if change == "remove" and value is None:
        return replace(now, amount=None if name == INITIATIVE else 0)
    amount, most = _amount(name, value)
    if change == "set":
        limit = most if most is not None else now.most
        _refuse_outside(owner, name, kind, amount, limit)
        return Resource(amount, limit)
    if most is not None or amount < 0:
        raise Refused(f"{value!r} is not an amount to {change}; give a whole number from 0 up.")
    if now.amount is None:
        raise Refused(f"{owner}'s {name} are not known yet; set them first.")
    result = now.amount + amount if change == "add" else now.amount - amount
    if kind.clamps:
        result = max(kind.least, min(result, kind.most if now.most is None else max(now.most, now.amount)))
    _refuse_outside(owner, name, kind, result, now.most if not kind.clamps else None)
    return replace(now, amount=result)


def _refuse_outside(owner: str, name: str, kind: ResourceKind, amount: int, limit: int | None) -> None:
    most = kind.most if limit is None else min(kind.most, limit)
    if amount < kind.least:
        raise Refused(f"{owner}'s {name} would fall to {amount}, below {kind.least}.")
    if amount > most:
        raise Refused(f"{owner}'s {name} would rise to {amount}, above {most}.")


def _amount(name: str, value: int | str | None) -> tuple[int, int | None]:
    if isinstance(value, int):
        return value, None
    match = re.fullmatch(r"([+-]?[0-9]{1,7})(?: ?/ ?([0-9]{1,7}))?", (value or "").strip())
    if match is None:
        raise Refused(f"{value!r} is not a value for {name}; give a whole number, or two as '7/12'.")
    return int(match[1]), int(match[2]) if match[2] else None


_NUMBERS = r"([0-9]{1,6})(?: ?/ ?([0-9]{1,6}))?(?![0-9])"
_START = r"(?im)^[ \t>|*_+-]{0,20}"
_IS = r"[ *_]{0,6}[:|][ *_|]{0,6}"
_STATED = {
    HIT_POINTS: re.compile(rf"{_START}(?:current )?(?:hit points|hp)\b(?: \(current/max\))?{_IS}{_NUMBERS}"),
    TEMPORARY_HIT_POINTS: re.compile(rf"{_START}(?:temporary|temp) (?:hit points|hp){_IS}{_NUMBERS}"),
    GOLD: re.compile(rf"{_START}(?:gold|gp)\b(?: pieces)?{_IS}([0-9]{{1,6}})(?![0-9])"),
}
_SLOT_LINE = re.compile(
    rf"{_START}(?:level )?([1-9])(?:st|nd|rd|th)?[ -]{{0,2}}(?:level )?(?:spell )?slots?{_IS}{_NUMBERS}"
)
_ORDINALS = {"1st": 1, "2nd": 2, "3rd": 3, **{f"{level}th": level for level in range(4, 10)}}


def stated_in(sheet: str) -> dict[str, Resource]:
    """The resources whose values a sheet states in a common form, such as `HP: 24/30` or a table of spell slots.

    A number alone is what there is and the most there can be. What is not found is unknown, and left out.
    """
    found: dict[str, Resource] = {}
    for name, pattern in _STATED.items():
        match = pattern.search(sheet)
        if match:
            amount = int(match[1])
            counted = name == HIT_POINTS
            most = int(match[2]) if counted and match[2] else amount if counted else None
            if amount <= (most if most is not None else MOST):
                found[name] = Resource(amount, most)
    return found | _slots(sheet)


def _slots(sheet: str) -> dict[str, Resource]:
    """Spell slots from a table whose first row has `1st`, `2nd` and so on, or one line for each level."""
    found: dict[str, Resource] = {}
    rows = [_cells(line) for line in sheet.splitlines()]
    for index, header in enumerate(rows[:-2]):
        levels = [_ORDINALS.get(cell.lower().removesuffix(" level")) for cell in header]
        if not any(levels) or not all(set(cell) <= set(":- ") for cell in rows[index + 1]):
            continue
        for level, cell in zip(levels, rows[index + 2], strict=False):
            match = re.fullmatch(_NUMBERS, cell)
            if level and match:
                found[f"spell-slots-{level}"] = Resource(int(match[1]), int(match[2] or match[1]))
        break
    for level, amount, most in _SLOT_LINE.findall(sheet):
        found.setdefault(f"spell-slots-{level}", Resource(int(amount), int(most or amount)))
    return {name: value for name, value in found.items() if (value.amount or 0) <= min(value.most or 0, 99)}


def _cells(line: str) -> list[str]:
    stripped = line.strip()
    if not stripped.startswith("|"):
        return []
    return [cell.strip(" *_") for cell in stripped.strip("|").split("|")]
