"""What one of the party has with them, by their sheet, and by what anybody on the road carries."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import abilities
from sottovoce.rulesets.tabletop.house.answers import Answer, Voice, slots_of
from sottovoce.rulesets.tabletop.house.questions import Question
from sottovoce.rulesets.tabletop.rules.lore.language import listed, stem, stems
from sottovoce.rulesets.tabletop.rules.lore.sheets import Sheet

_ON_THE_ROAD = frozenset(
    stem(word)
    for word in (
        "light lantern torch torches candle match matches flint tinder tinderbox fire knife water waterskin "
        "flask food bread ration"
        " rations cheese apple blanket bedroll bandage bandages cloth string twine cord chalk needle thread "
        "pencil pen paper ink cup rope"
        " mug spoon bowl soap bag pack satchel pocket pockets handkerchief comb coat cloak hat gloves boots"
    ).split()
)
"""What anybody has who has been on the road; more than that a sheet says that lists what its owner carries."""
_SMALL = frozenset(
    stem(word) for word in "handkerchief cloth string comb coat cloak boots bag pack pocket pockets".split()
)
_WHAT = re.compile(
    r"(?i)\b(?:what|which|anything|everything|something)\b|\b(?:empty|turn out|open|show me) your\b"
    r"|\byour (?:gear|kit|equipment|things"
    r"|stuff|inventory|belongings|possessions)\b"
)
_MONEY = re.compile(r"(?i)\b(?:money|gold|coins?|silver|coppers?|cash|purse|tokens?|credits?)\b")


def things_of(sheet: Sheet) -> list[str]:
    """What somebody carries, as they would name it: the gear of the sheet, else arms and what they hold dear."""
    gear = [_named(each) for each in _listed(sheet)]
    arms = [
        name.lower()
        for name, _, _ in sheet.weapons
        if not re.search(r"(?i)unarmed|fist|spell|bolt\b|flame|ray|splash|mockery", name)
    ]
    dear = re.split(r"[,;(.]| with | that | from ", sheet.fields.get("keepsake", ""))[0].strip()
    dear = dear if 0 < len(dear.split()) < 8 else ""
    own = [*gear, *(f"{_article(each)} {each}" for each in arms if not any(each in g.lower() for g in gear)), dear]
    return list(dict.fromkeys(each for each in own if each))


def _listed(sheet: Sheet) -> list[str]:
    """What the sheet lists that somebody carries, arms and keepsakes aside."""
    apart = {name.casefold() for name, _, _ in sheet.weapons} | {
        sheet.fields.get("keepsake", "").rstrip(".").casefold()
    }
    return [each for each in abilities.gear(sheet) if each.casefold() not in apart]


def _named(text: str) -> str:
    return text[:1].lower() + text[1:] if not text[1:2].isupper() else text


def _article(noun: str) -> str:
    return "an" if noun[:1] in "aeiou" else "a"


def held(sheet: Sheet, question: Question) -> str:
    """The thing that somebody has of what is asked for; empty where they have none."""
    about = stems(question.subject)
    if not about:
        return ""
    noun = re.findall(r"[\w'-]+", question.subject.casefold())[-1].rstrip("s")
    for thing in things_of(sheet):
        if noun in {word.rstrip("s") for word in re.findall(r"[\w'-]+", thing.casefold())}:
            return thing
    common = _SMALL if _listed(sheet) else _ON_THE_ROAD
    return question.subject if about & common else ""


def have(voice: Voice, question: Question) -> Answer:
    """The answer to somebody who wants to know whether one has a thing, or what one has."""
    player = voice.player
    slots = slots_of(question)
    money = _MONEY.search(question.text)
    amount = player.state.resources.get((player.seat, "gold")) if money else None
    if amount is not None and amount.amount:
        return Answer(voice.line("have.money", much=f"{amount.amount} in gold"))
    own = bool(
        stems(question.subject)
        & {stem(word) for word in "bag pack satchel pocket pocketful purse bundle basket belt case".split()}
    )
    if _WHAT.search(question.text) and (own or not question.subject or not held(player.sheet, question)):
        things = things_of(player.sheet)[:4]
        if not _listed(player.sheet):
            things = [*things[:3], (voice.line("have.odds") or "odds and ends").lower()]
        return Answer(voice.line("have.what" if things else "have.nothing", item=listed(things)))
    if item := held(player.sheet, question):
        bare = re.sub(r"(?i)^(?:your|my|our|any|some) ", "", item)
        common = item == question.subject
        return Answer(
            voice.line("have.everyday" if common else "have.yes", item=bare, Item=bare[:1].upper() + bare[1:])
        )
    if question.subject and shared(voice, question):
        return Answer(voice.line("have.ours", **slots))
    if not question.subject:
        slots |= {"subject": "anything of the kind", "Subject": "Anything of the kind"}
    return Answer(voice.line("have.no", **slots))


def shared(voice: Voice, question: Question) -> bool:
    """Whether the party's own papers have such a thing among what it carries."""
    about = stems(question.subject)
    noun = stem(re.findall(r"[\w'-]+", question.subject.casefold())[-1]) if question.subject else ""
    lines = re.split(r"(?<=[.!?])\s+|\n", voice.player.heard[0])
    return any(
        noun in stems(line) and re.search(r"(?i)\bwe (?:share|have|carry|hold|own)\b|held by|\(.*\)|with us\b", line)
        for line in lines
    ) and bool(about)


__all__ = ["have", "held", "shared", "things_of"]
