"""What comes of a plain deed of which the folder says nothing: whether it gives, how it feels, what it leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.play import Play, Roll, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.verbs import lists
from sottovoce.rulesets.tabletop.rules.lore.entities import Entity
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, listed
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD
from sottovoce.rulesets.tabletop.rules.resources import HIT_POINTS
from sottovoce.rulesets.tabletop.shown.deeds import bare

FORCED, PICKED = "athletics: by force", "sleight of hand: a lock"
"""What the rolls for a deed of strength and for a lock are called."""
_ARMS = (
    r"(?:weapons?|swords?|knife|knives|blades?|daggers?|axes?|hatchet|bows?|crossbow|pistols?|guns?|sidearm|rifle|staff"
    r"|hammer|cudgel|spear|cutter)"
)
_KINDS = tuple(
    (kind, re.compile(rf"(?i)(?:try to )?(?:\w+ly )?(?:{'|'.join(lines)})".replace("{ARMS}", _ARMS)))
    for kind, lines in lists("outcomes.txt").items()
)
"""The kinds of deeds by how they begin, in the order in which they count."""
_ON_SOMEBODY = re.compile(
    r"(?i)\b(?:push|pull|shake|move|turn|touch|pat|tap|poke|press|drag|lift|bind|tie|close|shut|open)(?:e?s|ed)?"
    r" (?:him|her|them|(?:his|her|their) (?:eyes?|mouth|hands?|lips|eyelids))\b"
)
"""What is done to somebody, and to no thing."""
_LASTS = frozenset({"force", "shut", "door", "device", "fire", "dark", "pile", "rope", "lock"})
"""Deeds that leave things otherwise than they were."""
_LEADS_UP = frozenset(
    {"", "rest", "hold", "drop", "strip", "clothes", "kit", "arms", "carry", "back", "gesture", "jump"}
)
"""Deeds of which nothing is said where another deed follows."""
_PEOPLE = re.compile(r"(?i)\b(?:people|heads|guests|patrons|everyone|everybody|persons|men|women|customers|who|us)\b")
_NUMBERS = ("nobody", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


_WITH = re.compile(r"(?i)^use [\w' -]{2,40}? to (?=[a-z])")
"""What something is done with, before what is done."""


def kind_of(text: str) -> str:
    """The kind of a deed by how it begins; empty for one that no list has."""
    deed = _WITH.sub("", bare(text[:LONGEST]).text)
    return next((kind for kind, pattern in _KINDS if pattern.match(deed)), "")


_HANDS = frozenset({"do", "use", "attack", "take", "go", "help"})


def forced(who: str, act: Act) -> Roll | None:
    """The roll for a deed of strength on a thing, or for a lock."""
    kind = kind_of(act.text) if act.kind in _HANDS and act.head and act.target is None else ""
    if kind == "force":
        return Roll(who, "athletics", FORCED, HARD)
    return Roll(who, "sleight of hand", PICKED, HARD) if kind == "lock" else None


def outcome_of(play: Play, who: str, act: Act) -> str:
    """How a plain deed turns out; empty where it is done to somebody.

    What it leaves otherwise than it was is remembered with its place, so that it is done once.
    """
    kind = kind_of(act.text)
    if kind == "dead" and not somebody_dead(play):
        kind = ""
    if kind != "dead" and _ON_SOMEBODY.search(act.text[:LONGEST]):
        return ""
    roll = forced(who, act)
    fallen = play.rolled(roll) if roll is not None else None
    name = play.name(who)
    if play.more and kind in _LEADS_UP:
        return ""
    done = f"left {kind} {act.head} {play.memory.at}"
    if kind in _LASTS and act.head and done in play.memory.done:
        return play.line("came.again", who=name)
    if kind in ("force", "lock"):
        won = fallen is not None and fallen.total >= HARD
        decided = fallen is not None or act.target is not None
        told = play.line(f"came.{kind}.{'won' if won else 'lost'}" if decided else "came.plain", who=name)
        if not won:
            return told
    else:
        told = _TOLD[kind](play, who, act) if kind in _TOLD else ""
    told = told or play.line(f"came.{kind}" if kind and kind not in _BY_CASE else "came.plain", who=name)
    if kind in _LASTS and act.head:
        play.note(f"done {done}")
        play.productive = True
    return told


def _map(play: Play, who: str, act: Act) -> str:
    """A map has on it what the party has seen."""
    seen = [play.known.spot, *(part for part in play.known.parts if part is not play.known.spot)]
    parts = [each.the for each in seen if each is not None][:4]
    return (
        play.line("came.map", who=play.name(who), parts=listed(parts))
        if len(parts) > 1
        else play.line("came.drawing", who=play.name(who))
    )


def _count(play: Play, who: str, act: Act) -> str:
    """People are counted by who is here."""
    if not _PEOPLE.search(act.text):
        return ""
    people = [play.known.call(each) for each in play.known.present]
    if not people:
        return play.line("came.count.nobody")
    return play.line("came.count.people", number=_NUMBERS[min(len(people), 10)], people=listed(people))


def _wounds(play: Play, who: str, act: Act) -> str:
    """What somebody's own wounds amount to, by the sheet and what was lost tonight."""
    held = play.table.amount(who, HIT_POINTS)
    most = re.search(r"(?i)hit points[^0-9\n]{0,12}[0-9]{1,3} ?/ ?([0-9]{1,3})", play.table.sheet(who).text)
    if held is None or most is None or held >= int(most[1]):
        return play.line("came.wounds.none", who=play.name(who))
    return play.line("came.wounds.hurt", who=play.name(who), points=f"{held} of {most[1]}")


_PRONOUN = re.compile(r"(?i)\b(him|her|them)\b")


def _followed(play: Play, who: str, act: Act) -> str:
    """Whoever is followed goes about the day; of anything else it is told where it led."""
    person = _person(play, act)
    pronoun = _PRONOUN.search(act.text)
    if person is None and pronoun is not None:
        wanted = {"him": "he", "her": "she"}.get(pronoun[1].lower(), "")
        here = sorted(play.known.present, key=lambda each: each.id != play.memory.last)
        person = next((each for each in here if wanted in ("", each.pronoun)), None)
        if person is None:
            return play.line("came.follow.nobody", who=play.name(who))
    name = play.known.call(person) if person is not None else ""
    slots = {"who": play.name(who), "name": name, "Name": capital(name)}
    return play.line("came.follow" if person is not None else "came.follow.on", **slots)


def _lain_in_wait(play: Play, who: str, act: Act) -> str:
    """Somebody of this place comes by who is at home in it; nobody, where all are here."""
    person = next(iter(company.about(play)), None)
    if person is None:
        return ""
    play.note(f"done came {person.id}")
    play.note(f"here {person.id}")
    name = play.known.call(person)
    looks = play.known.fresh(person.id, "looks")
    told = play.line("came.ambush.somebody", who=play.name(who), name=name)
    return f"{told} {play.tell(looks[0])}" if looks else told


_DEAD = re.compile(r"(?i)\b(?:dead|died|death|deceased|killed|corpse|body)\b")


def somebody_dead(play: Play) -> bool:
    """Whether somebody lies dead here, by the party's papers or those whom it knows."""
    now = play.known.papers.now
    return bool(_DEAD.search(now[:LONGEST])) or any(each.gone for each in play.known.entities if each.kind == "person")


def _pulse(play: Play, who: str, act: Act) -> str:
    """Whether somebody's heart beats."""
    return play.line("came.pulse.none" if somebody_dead(play) and _person(play, act) is None else "came.pulse")


def _paid(play: Play, who: str, act: Act) -> str:
    """Coin that is laid before somebody is taken up."""
    person = _person(play, act) or next(iter(play.known.present), None)
    if _person(play, act) is None and re.search(r"(?i)\bto (?:the|an?|one of the) [a-z]+", act.text):
        return play.line("came.pay.other")
    if person is None:
        return play.line("came.pay.nobody")
    name = play.known.call(person)
    if f"paid {person.id}" not in play.memory.done:
        play.note(f"done paid {person.id}")
        play.like(person.id, 1)
    return play.line("came.pay", who=play.name(who), name=name, Name=capital(name))


def _person(play: Play, act: Act) -> Entity | None:
    person = play.entity(act.target)
    return person if person is not None and person.kind == "person" and person in play.known.present else None


_TOLD: Mapping[str, Callable[[Play, str, Act], str]] = {
    "map": _map,
    "count": _count,
    "wounds": _wounds,
    "follow": _followed,
    "ambush": _lain_in_wait,
    "pay": _paid,
    "pulse": _pulse,
}
"""What comes of deeds that depend on who and what is here."""
_BY_CASE = frozenset({"map", "follow", "pay", "pulse", "wounds"})
"""Kinds that are told by their case alone."""
