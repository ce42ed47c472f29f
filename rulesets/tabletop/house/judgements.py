"""What a companion thinks and knows of somebody or something, out of its own sheet and what was seen and heard."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import abilities, advice, opinions, pasts
from sottovoce.rulesets.tabletop.house.answers import BOOK, Answer, Voice, capital, slots_of
from sottovoce.rulesets.tabletop.house.evidence import Evidence, described, evidence_on
from sottovoce.rulesets.tabletop.house.questions import Question
from sottovoce.rulesets.tabletop.rules.lore.language import ended, stems


def opinion(voice: Voice, question: Question) -> Answer:
    if voice.person in voice.player.firsts:
        return Answer(voice.line("friend", name=voice.person))
    if voice.person:
        return Answer(of_person(voice, f"hope.{evidence_on(voice.player, voice.person).attitude}", question))
    if not question.subject and re.search(r"(?i)\b(?:it|this|that)\b", question.text):
        seen = described(voice.player)
        return Answer((voice.line("this.seen", seen=seen) if seen else "") or voice.line("place"))
    if not question.subject and not question.about:
        return advice.plan(voice, question)
    return of_thing(voice, question, "thing")


def of_person(voice: Voice, topic: str, question: Question) -> str:
    known = evidence_on(voice.player, voice.person)
    slots = slots_of(question, name=voice.person)
    said = voice.some(topic, f"hope.{known.attitude}", "hope.open", **slots)
    parts = [said, _why(voice, known)]
    if not parts[1] or voice.player.chance(0.3):
        parts.append(voice.line(f"person.{voice.want}", name=voice.person))
    return " ".join(part for part in parts if part)


def _why(voice: Voice, known: Evidence) -> str:
    if known.quote and known.quote.casefold() not in voice.player.worn:
        return voice.line("why.said", quote=known.quote, name=known.name)
    if known.seen and known.seen.casefold() not in voice.player.worn:
        return voice.line("why.seen", seen=ended(known.seen), name=known.name)
    return "" if known.quote or known.seen else voice.line("why.nothing", name=known.name)


_BAD = re.compile(
    r"(?i)\b(?:lying|lies?|liar|hiding|hides?|guilty|did it|kill\w*|stole|dangerous|afraid|scared|nervous|mad"
    r"|crazy|up to"
    r"|trap|trick\w*|behind|false|wrong|keeping)\b"
)
_GOOD = re.compile(
    r"(?i)\b(?:honest|trust\w*|good|kind|telling the truth|friend\w*|innocent|right|help\w*|believe|safe|like)\b"
)


def verdict(voice: Voice, question: Question) -> Answer:
    if not voice.person:
        return of_thing(voice, question, "thing")
    if voice.person in voice.player.firsts:
        return Answer(voice.line("friend", name=voice.person))
    known = evidence_on(voice.player, voice.person)
    if re.search(r"(?i)\b(?:trust|believe|like)\b", question.text):
        return Answer(of_person(voice, f"trust.{known.attitude}", question))
    negated = re.search(r"(?i)\bnot\b|n't (?!he|she|they)", question.text.split(",")[0]) is not None
    way = {"good": -1, "bad": 1}.get(known.attitude, 0) * (
        1 if _BAD.search(question.text) else -1 if _GOOD.search(question.text) else 0
    )
    way = -way if negated else way
    topic = "verdict.yes" if way > 0 else "verdict.no" if way < 0 else "verdict.open"
    return Answer(of_person(voice, topic, question))


def of_thing(voice: Voice, question: Question, topic: str) -> Answer:
    """What is thought or known of something: what was told of it, else that it is not known."""
    player, slots = voice.player, slots_of(question)
    about = question.about - stems(" ".join(player.firsts))
    asked = stems(question.subject) - stems(" ".join(player.firsts))
    told = pasts.told_by(player, asked) if asked and topic == "know" else ""
    if told and (said := voice.line("know.told", told=told)):
        return Answer(said)
    if (
        topic == "know"
        and abilities.level(player.sheet, question.subject) == "good"
        and (of := _craft(voice, question))
    ):
        return Answer(of)
    if _PLACE.search(question.subject) and topic == "thing":
        seen = described(player)
        return Answer((voice.line("place.seen", seen=seen, **slots) if seen else "") or voice.line("place"))
    seen = opinions.seen(player, asked or about, question.subject) if asked or len(about) > 1 else ""
    if seen and (said := voice.line(f"{topic}.seen", seen=ended(seen), **slots)):
        return Answer(said)
    if topic == "know" and (of := _craft(voice, question)):
        return Answer(of)
    own = abilities.learnt(player.sheet, stems(question.subject)) if topic == "know" else ""
    if own and (said := voice.line("know.own", item=own[:1].lower() + own[1:], **slots)):
        return Answer(said)
    if re.search(r"(?i)^(?!\W*how\b).*\b(?:you think|guess|suppose|reckon)\b", question.text) and (
        said := voice.line("guess")
    ):
        return Answer(said)
    if not question.subject or len(question.subject.split()) > 4:
        return Answer(voice.line("know.none.any"))
    return Answer(voice.line(f"{topic}.none", **slots))


_PLACE = re.compile(
    r"(?i)^(?:this|the|that|our) (?:(?:whole|little|strange|odd) )?(?:place|village|town|city|house|inn|tavern"
    r"|room|spot|scene|situation)$"
)


def _craft(voice: Voice, question: Question) -> str:
    """What somebody says of a matter that belongs to their trade or skills; empty where it does not."""
    skill = abilities.skill_for(question.subject)
    if not skill or not re.search(r"(?i)\b(?:know|understand|familiar)\b", question.text):
        return ""
    level = abilities.level(voice.player.sheet, question.subject)
    topic = "know.craft" if level in ("good", "fair") else "know.craft.poor"
    return voice.line(topic, **slots_of(question)) if level != "unknown" else ""


def knowledge(voice: Voice, question: Question) -> Answer:
    text, subject = question.text, question.subject
    if re.search(
        r"(?i)\b(?:animals?|birds?|dogs?|cats?|horses?|frogs?|beasts?|crows?|fish)\b.*\b(?:say|tell|mean|want)", text
    ):
        return Answer(voice.line("beasts", **slots_of(question)))
    if voice.person and re.search(r"(?i)\b(?:about|of|know) (?:him|her|them)\b", text):
        return opinion(voice, question)
    if (given := _book(voice, question)) is not None:
        return given
    order = re.search(r"(?i)\byour (order|people|guild|kind|family|temple|village|teachers?|masters?|clan)\b", text)
    if order:
        topic = re.search(r"(?i)\babout (.+?)\W*$", text)
        named = topic[1] if topic else subject
        found = of_thing(voice, Question("knowledge", text, named), "know")
        lines = BOOK["know.none"]
        plain = any(phrase.mark and phrase.mark in found.said.casefold() for phrase in lines)
        said = voice.line("know.order", subject=f"my {order[1]}", Subject=capital(named)) if plain else ""
        return Answer(said) if said else found
    return of_thing(voice, question, "know")


def of_them(voice: Voice, question: Question) -> Answer:
    """What is known of what somebody did, or of what happened to them."""
    about = question.about | stems(voice.person)
    told = pasts.told_by(voice.player, about, 2) if voice.person else ""
    if told and (said := voice.line("know.told", told=told)):
        return Answer(said)
    if re.search(r"(?i)\b(?:die[ds]?|dead|killed|death)\b", question.text):
        about |= stems("wound wounded fever fevered died killed poison blood")
    seen = opinions.seen(voice.player, about)
    if seen and (said := voice.line("of.them", seen=ended(seen), name=voice.person or "them")):
        return Answer(said)
    return Answer(voice.some("of.them.none" if voice.person else "know.none.any", "know.none.any", name=voice.person))


def acquaintance(voice: Voice, question: Question) -> Answer:
    """How well the character knows somebody: by their own sheet, else as everybody does who has met them tonight."""
    name = voice.person or question.subject
    told = pasts.told_by(voice.player, stems(name)) if name else ""
    if told and (said := voice.line("know.told", told=told)):
        return Answer(said)
    if name and any(stems(name) <= stems(line) for _, line in abilities.open_lines(voice.player.sheet)):
        return Answer(voice.some("acquaintance.close", "know.none.any", name=name, Name=capital(name)))
    return Answer(
        voice.some("acquaintance" if name else "know.none.any", "know.none.any", name=name, Name=capital(name))
    )


def custom(voice: Voice, question: Question) -> Answer:
    """How things are done or said where the character comes from, or by others."""
    says = re.search(r"(?i)\b(?:say|saying|proverb|wisdom)\b", question.text)
    return Answer(voice.some("custom.say" if says else "custom", "know.none.any"))


def _book(voice: Voice, question: Question) -> Answer | None:
    """What one of somebody's own things has to say of it."""
    found = re.search(r"(?i)\byour ((?:\w+ )?(?:book|notes?|journal|map|letters?|papers?)s?)\b", question.text)
    topic = re.search(r"(?i)\b(?:about|of|on) (.+?)\W*$", question.text)
    if found is None or topic is None:
        return None
    item = abilities.learnt(voice.player.sheet, stems(topic[1])) or abilities.carried(
        voice.player.sheet, stems(found[1])
    )
    slots = {"subject": topic[1], "Subject": capital(topic[1])}
    said = (
        voice.line("know.own", item=item[:1].lower() + item[1:], **slots) if item else voice.line("know.none", **slots)
    )
    return Answer(said)
