"""Questions that anybody can answer out of their own life, whatever the folder says of them: how long they have been
here, what they did yesterday, what they would do. They are read by their turn of phrase, and what the person's own page
or the party's papers say of it comes first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sottovoce.rulesets.tabletop.house.acts.everyday import offices_of, told_of_themself
from sottovoce.rulesets.tabletop.house.acts.mouths import subject_of
from sottovoce.rulesets.tabletop.house.acts.questions import Question
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.verbs import lists
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST

KINDS = tuple((kind, re.compile("|".join(lines), re.IGNORECASE)) for kind, lines in lists("inquiries.txt").items())
"""The turns of phrase of each kind, in the order in which they count."""
OF_THE_PLACE = frozenset(
    "strangers charge danger normal tasty enemies thought suspect learnt old wherecan stable visits room likethat nick"
    " wish ourroom guide whothat noone service within purpose".split()
)
"""Kinds that a sentence of the folder answers better, where there is one."""
_FACTS = {
    "tenure": re.compile(r"(?i)\b(?:years?|since|always|all (?:her|his|their) life)\b"),
    "born": re.compile(r"(?i)\b(?:born|grew up|raised here|comes? from|came (?:from|here))\b"),
    "sleep": re.compile(r"(?i)\b(?:sleeps?|slept)\b"),
    "wed": re.compile(r"(?i)\b(?:wife|husband|married|widow|widower|husbands|wives)\b"),
    "kin": re.compile(
        r"(?i)\b(?:child|children|wife|husbands?|married|family|sons?|daughters?|brothers?|sisters?|mother|father"
        r"|cousins?|nephews?|nieces?|widow)\b"
    ),
    "whereabouts": re.compile(r"(?i)\bwas (?:at|in|on|away)\b.*\b(?:night|day|when)\b"),
    "pay": re.compile(r"(?i)\b(?:pays?|paid|rewards?) (?:\w+ ){0,3}(?:you|us|party|silver|gold|crowns?|coins?)\b"),
    "summons": re.compile(r"(?i)\b(?:letter from [^.]{0,60}\basked|(?:hired|asked|begged|wants) us to)"),
}
"""What a sentence about somebody has in it that answers a kind."""
_SENT = re.compile(r"(?i)\b(?:letter (?:from|that brought)|(?:wrote|sent|hired|asked|begged|told) (?:to |for )?us)\b")
"""What a line of the papers has in it that says who has sent for the party."""
_HEADS = ("mayor", "governor", "magistrate", "abbot", "constable", "sheriff", "bailiff", "captain", "steward", "warden")
"""Who has a say in a place, the highest first."""


def kind_of(text: str) -> str:
    """What kind of question somebody can answer out of their own life; empty for any other."""
    text = text[:LONGEST]
    return next((kind for kind, form in KINDS if form.search(text)), "")


def answered(play: Play, person: Entity, question: Question, kind: str, facts: Sequence[Fact]) -> str:
    """What somebody answers to a question of that kind."""
    name = play.known.call(person)
    place = play.known.place
    slots = {"name": name, "Name": capital(name), "place": place.the if place is not None else "the place"}
    told = told_of_themself(play, person, _FACTS[kind], list(facts)) if kind in _FACTS else ""
    if told:
        return told
    head = _head(play, person) if kind == "charge" else None
    if head is not None:
        other = play.known.call(head)
        return play.line("plain.charge.other", other=other, Other=capital(other), **slots)
    if kind == "whothat" and (there := next((e for e in play.known.present if e is not person), None)) is not None:
        other = play.known.call(there)
        return play.line("plain.whothat.other", other=other, Other=capital(other), **slots)
    if kind in ("errand", "summons", "pay") and (writer := _writer(play)) is not person:
        other = play.known.call(writer) if writer is not None else ""
        line = "plain.pay" if kind == "pay" else "plain.errand"
        return play.line(f"{line}.other" if writer else f"{line}.none", other=other, Other=capital(other), **slots)
    return play.line(f"plain.{kind}", **slots)


def _writer(play: Play) -> Entity | None:
    """Who has sent for the party, by its papers."""
    people = [each for each in play.known.entities if each.kind == "person"]
    papers = play.known.papers.facts
    sent = (subject_of(fact, papers, people) for fact in papers if _SENT.search(fact.text[:LONGEST]))
    return next((each for each in sent if each is not None), None)


def _head(play: Play, person: Entity) -> Entity | None:
    """Who of those that the party has heard of has a say here."""
    here = play.known.place
    near = [
        each
        for each in play.known.entities
        if each.kind == "person"
        and each is not person
        and not each.gone
        and here is not None
        and here.id in {play.world.entities[key].parent or key for key in each.places}
    ]
    return next((each for office in _HEADS for each in near if office in offices_of(play, each)), None)
