"""What a person says to others of the party, put to those whom it is for; and what one of them does because of it."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import abilities, belongings, companions, decisions, questions
from sottovoce.rulesets.tabletop.house.acts import roll_of, scene_for
from sottovoce.rulesets.tabletop.house.acts.errands import errand_of
from sottovoce.rulesets.tabletop.house.acts.everyday import offices_of
from sottovoce.rulesets.tabletop.house.beats import Ask
from sottovoce.rulesets.tabletop.house.grammar import parse
from sottovoce.rulesets.tabletop.house.ledger import Done
from sottovoce.rulesets.tabletop.house.opinions import ASKED
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.player import called
from sottovoce.rulesets.tabletop.house.questions import Question
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.targets import named as names_in
from sottovoce.rulesets.tabletop.rules.lore.language import words

GRANTED = frozenset({"look", "search", "ask", "talk", "persuade", "lie", "use", "hide", "help", "take"})
"""Acts that are done on request: they lead the party nowhere, and begin no fight."""
AT_ONCE = frozenset({"request", "have", "ability", "hush", "calm"})
"""Kinds of words to the whole party that one of them answers for all."""


def consult(play: Play, who: str, act: Act) -> list[str]:
    """Note who is to answer; what is said where there is nobody to ask."""
    others = [name for name in _advisers(play, who, act) if not _is_persons(play, name)]
    text = act.text
    if _AND_YOU.match(text):
        before = next((each for each in map(_last_asked, _asked_before(play, others)) if each), "")
        text = before if before and questions.read(before, "").kind != "request" else "what do you think?"
    for name in others:
        play.asked[name] = f"{play.asked[name]} {text}" if name in play.asked else text
        if act.kind == "counsel":
            play.counsel.append(name)
    if others:
        play.note(f"mate {others[-1]}")
    return [] if others or act.kind == "companion" else [play.line("talk.nobody", who=play.name(who))]


_IDLE = re.compile(r"(?i)(?:wait and watch|search the place)\b")
"""What is no advice."""
_AND_YOU = re.compile(r"(?i)^\W*(?:(?:and|so|what about|how about) )+(?:you|yourself)(?: too| then)?\W*$")


def _asked_before(play: Play, others: list[str]) -> list[str]:
    asked = list(play.table.ledger.questions.items())
    return [question for name, question in reversed(asked) if name not in others]


def _last_asked(question: str) -> str:
    return question.partition(ASKED)[2].split("\n")[0].strip(" *") if question.startswith(ASKED) else ""


def _is_persons(play: Play, name: str) -> bool:
    return play.personal and name == play.table.state.character


def _advisers(play: Play, who: str, act: Act) -> list[str]:
    """Those who are named; else who has or can what is asked for; else two of the others, in turn."""
    if act.kind == "companion":
        return [act.target] if act.target and act.target != who else []
    if act.to:
        return [name for name in act.to if name != who]
    others = [
        name
        for name in play.table.state.played
        if name != who and not _is_persons(play, name) and not play.table.fallen(name)
    ]
    if not others:
        return []
    at = play.memory.clock % len(others)
    turned = [*others[at:], *others[:at]]
    question = questions.read(act.text, "")
    one = re.search(r"(?i)\b(?:one|some|any|either) of (?:you|us)\b|\b(?:some|any)(?:one|body)\b|^\W*who\b", act.text)
    if question.kind == "have":
        turned.sort(key=lambda name: not belongings.held(play.table.sheet(name), question))
        return turned[:1]
    if question.kind == "knowledge" and abilities.skill_for(question.subject):
        question = Question("ability", question.text, echo=question.subject)
    if question.kind == "ability":
        rank = ("good", "fair", "unknown", "poor")
        turned.sort(key=lambda name: rank.index(abilities.level(play.table.sheet(name), question.echo)))
        return turned[:1]
    return turned[: 1 if one or question.kind in AT_ONCE else 2]


def put_questions(play: Play) -> None:
    """Put the words of one to the others whom they were for; what those say is told next."""
    table = play.table
    for place, (name, text) in enumerate(play.asked.items()):
        if not table.fallen(name):
            kind = questions.read(text, called(name)).kind
            found = decisions.suggestions(play) if play.counsel or kind in ("plan", "proposal") else []
            found = [each for each in found if not _IDLE.match(each)]
            options = tuple(found[place::2]) if len(play.asked) > 1 else tuple(found)
            request = f"{ASKED} *{_heard(text)}*"
            happened = " ".join(part for part in (play.line("ask.spoken"), _meant(play, text)) if part)
            ask = Ask((name,), "QUICK_REACTION", scene_of(play, name), happened, request, "", options)
            table.ask(ask, (name,))


def scene_of(play: Play, name: str) -> str:
    """Where somebody is asked. What one was asked is closed to the next: so each request has a name in it."""
    spot = play.known.spot
    if _is_persons(play, name) and spot is not None:
        return f"You are at {spot.the}."
    first = called(name)
    return f"At {spot.the}: {first}." if spot is not None else f"On the way: {first}."


def _meant(play: Play, text: str) -> str:
    """Who a pronoun in words to a companion stands for, said to the one who is to answer."""
    scene = scene_for(play, play.doer)
    named = next((each.id for each in names_in(text, scene) if each.kind == "person"), None)
    found = _PRONOUN.search(text)
    word = (
        {"her": "she", "him": "he", "his": "he", "them": "they"}.get(found[1].lower(), found[1].lower())
        if found
        else ""
    )
    low = {*words(text)}
    office = next((each.id for each in play.known.present if offices_of(play, each) & low), None)
    if _DEATH.search(text):
        gone = [each for each in play.known.entities if each.kind == "person" and each.gone]
        named = named or next((each.id for each in gone if not word or each.pronoun == word), None)
    named = named or office
    here = [play.memory.last, *(each.id for each in play.known.present), *reversed(play.memory.met)]
    people = [each for each in map(play.entity, here) if each is not None and each.kind == "person"]
    person = play.entity(named) or next((each for each in people if word and each.pronoun == word), None)
    return f"{companions.ABOUT} {play.known.call(person)}." if person is not None else ""


_DEATH = re.compile(
    r"(?i)\b(?:was|did|had) (?:he|she)\b|\b(?:what|how) was (?:he|she)\b|\b(?:he|she) (?:was|said|wanted)\b"
    r"|\b(?:your loss|die[ds]?|dying|dead|death|killed|murdered|last words|body|corpse)\b"
)
_PRONOUN = re.compile(r"(?i)\b(she|her|he|him|his|they|them)\b")


def _heard(text: str) -> str:
    bare = re.sub(r"[*\n“”\"]", " ", text)
    return " ".join(bare.split())[:180]


def granted(play: Play, deed: Done) -> list[Act]:
    """What one of the party does because another has asked for it: a deed told after what is said."""
    told = deed.text.rpartition("”")[2].strip()
    if not told.startswith(play.name(deed.character)):
        return []
    if (errand := errand_of(play, deed.character, told)) is not None:
        return [errand]
    acts = [act for act in parse(told, scene_for(play, deed.character)) if act.kind in GRANTED and not act.nobody]
    acts = [act for act in acts if act.kind != "look" or not act.meant]
    sure = ("use", "help")
    acts = [act for act in acts if act.kind not in sure or act.target or roll_of(play, deed.character, act)]
    return acts[:1] or [Act("errand", told)]
