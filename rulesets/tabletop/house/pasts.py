"""What somebody tells of themself out of the open lines of their sheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sottovoce.rulesets.tabletop.house.abilities import GOOD, open_lines
from sottovoce.rulesets.tabletop.house.answers import Answer, Voice
from sottovoce.rulesets.tabletop.house.first_person import in_own_mouth
from sottovoce.rulesets.tabletop.house.player import Player
from sottovoce.rulesets.tabletop.house.questions import Question
from sottovoce.rulesets.tabletop.rules.lore.language import listed, sentences, stems
from sottovoce.rulesets.tabletop.rules.lore.sheets import Sheet

LONGEST = 150
"""Characters of a sentence that somebody says of themself."""
_OF_THEIR_LIFE = re.compile(
    r"(?i)personalit|trait|bond|back(?:story|ground)|history|about|famil|home|life|origin|past|keepsake"
)
_RULES = re.compile(r"(?i)racial|feature|basic")
_NOT_TOLD = re.compile(
    r"(?i)not know|unaware|true nature|\bplayers?\b|\bAI\b|\bplay\b|\bparty\b|\bGM\b|secret|private|admit"
    r"|won't talk|not told|never told|\d|[|\"“”*:()]|suspects|they're"
)
_LEADS = re.compile(r"^(?:[A-Z][\w' -]{2,28}: )+")
_PAST = re.compile(r"(?i)back(?:story|ground)|history|past|bond|origin|about|who (?:she|he|they)|life")


def own_sentences(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """The sentences of the open lines of a sheet that tell of its owner, with what they stand under."""
    for under, line in open_lines(sheet):
        lead = re.match(r"([A-Z][\w ]{2,20}): ", line)
        if _OF_THEIR_LIFE.search(lead[1] if lead else under) and not _RULES.search(under):
            for sentence in sentences(_LEADS.sub("", line)):
                if 20 < len(sentence) < LONGEST and not _NOT_TOLD.search(sentence):
                    yield (lead[1] if lead else under), sentence


def told_by(player: Player, about: frozenset[str], most: int = 1) -> str:
    """What a character's own sheet has on a matter, as they say it; empty where nothing fits or all was said."""
    scored: list[tuple[int, int, str]] = []
    for place, (under, sentence) in enumerate(own_sentences(player.sheet)):
        shared = len(about & stems(sentence))
        if shared >= min(most, len(about)) and shared:
            scored.append((2 * shared + bool(_PAST.search(under)), -place, sentence))
    for _, _, sentence in sorted(scored, reverse=True)[:6]:
        told = in_own_mouth(sentence, player.sheet)
        if told and told.casefold() not in player.worn:
            return told
    return ""


def field_told(player: Player, *names: str) -> str:
    """What stands in a field of the sheet, as its owner says it; empty where none of them can be said."""
    for name in names:
        stated = player.sheet.fields.get(name, "").strip(" *")
        stated = re.sub(r"^[A-Z][\w ]{2,18} [-–—] ", "", stated).strip('"“”')
        for sentence in sentences(stated)[:2]:
            if _NOT_TOLD.search(sentence.strip('"“” ')):
                continue
            told = in_own_mouth(sentence.strip('"“” '), player.sheet, name == "ideal")
            if told and len(told) < LONGEST and told.casefold() not in player.worn:
                return told
    return ""


def answer(topic: str, words: str, fields: tuple[str, ...]) -> Callable[[Voice, Question], Answer]:
    """An answer out of the fields of the sheet that a kind of question is about, or of a line with one of the words."""

    def of(voice: Voice, question: Question) -> Answer:
        asked = stems(question.subject) or stems(words)
        told = told_by(voice.player, asked) if words else ""
        told = told or (field_told(voice.player, *fields) if not words else "")
        said = voice.line(f"{topic}.told", told=told) if told else ""
        return Answer(said or voice.some(topic, "heard"))

    return of


def slots(voice: Voice, question: Question) -> Answer:
    """How much magic somebody has left for today."""
    left = re.search(r"(?i)spell slots\W{0,8}([0-9]{1,2}) ?/", voice.player.sheet.text)
    return Answer(voice.line("slots", left=left[1]) if left else voice.some("slots.none", "heard"))


def keepsake(voice: Voice, question: Question) -> Answer:
    """What somebody has about them that they hold dear."""
    item = voice.player.sheet.fields.get("keepsake", "").strip(" .")
    own = re.sub(r"(?i)\b(?:her|his|their)\b(?= )", "my", item)
    said = voice.line("keepsake.told", item=own) if item and len(item.split()) < 8 else ""
    return Answer(said or voice.some("keepsake", "heard"))


_AS_SAID = {
    "sleight of hand": "quick fingers", "stealth": "going unseen", "investigation": "getting to the bottom of things",
    "perception": "keeping my eyes open", "athletics": "climbing and hauling", "medicine": "patching people up",
    "insight": "reading faces", "religion": "prayers and rites", "persuasion": "talking people round",
    "arcana": "things of magic", "history": "old stories and older papers", "survival": "finding a way and a supper",
    "nature": "plants and beasts", "deception": "a straight face", "performance": "a song",
    "intimidation": "looking fierce", "acrobatics": "keeping my balance", "animal handling": "animals",
}  # fmt: skip


def skills(voice: Voice, question: Question) -> Answer:
    """What somebody is good at by their sheet, and the spells that they have."""
    sheet = voice.player.sheet
    spells = re.search(r"(?i)\b(?:spells?|magic|cast|tricks)\b", question.text)
    good = [
        said
        for skill, said in _AS_SAID.items()
        if re.search(rf"(?i)\b{skill}\b", sheet.text) and sheet.bonus(skill) >= GOOD - 1
    ]
    known = [
        name.lower()
        for under, line in open_lines(sheet)
        if re.search(r"(?i)spell|cantrip|prepared|level", under)
        for name in [re.split(r"[:,(]", line)[0].strip()]
        if 0 < len(name.split()) < 4 and name[:1].isupper() and not re.search(r"(?i)spell|level|slot|\d", name)
    ]
    found = (known if spells else good)[:4] or ([] if spells else known[:3])
    said = voice.line("skills", listed=listed(found)) if found else ""
    return Answer(said or voice.some("skills.none", "heard"))
