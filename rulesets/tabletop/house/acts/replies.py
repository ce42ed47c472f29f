"""What somebody replies to a question: the sentence that answers it, what they can say of themself or of the hour, and
where something is, or an honest no that names what was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts import answers, everyday, inquiries
from sottovoce.rulesets.tabletop.house.acts.answers import in_words
from sottovoce.rulesets.tabletop.house.acts.looking import of_person
from sottovoce.rulesets.tabletop.house.acts.neighbours import (
    continued,
    left_to,
    of_another,
    other_in,
    shares_names_alone,
)
from sottovoce.rulesets.tabletop.house.acts.questions import Question, roots, several
from sottovoce.rulesets.tabletop.house.acts.themself import is_view, keeps_to_themself, of_themself, refused
from sottovoce.rulesets.tabletop.house.acts.threads import completed, record
from sottovoce.rulesets.tabletop.house.acts.topics import best, interests, pool
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.telling import is_clause, unquoted
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, stem, stems, words

GENERAL = re.compile(
    r"(?i)\b(?:the )?talk of the (?:village|town|day|house|place)\b|\bwho are you\b|\b(?:about|of) (?:yourself|you\b)"
    r"|\bwhat do you (?:do|know)\b"
    r"|\bwhat can you tell\b|\bhow are you\b|\bnews\b|\bgossip\b"
    r"|\brumou?rs?\b|\bwhat(?:'s| is) (?:going on|happening|new|this place)\b|\bintroduce\b|\bwhat(?:'s"
    r"| is) your (?:name|story|work|trade)\b|\bgood (?:evening|morning|day)\b|\bhello\b|\bchat\b"
    r"|\banything (?:else|new|to tell|you can tell|strange|odd)\b"
    r"|\bexcuse me\b|\bask you (?:something|a question|a few)\b"
    r"|\b(?:talk|speak|chat|conversation) (?:to|with)\b|\bconversation\b|\bpeople (?:are )?say"
)


ELSE = re.compile(
    r"(?i)\bwho else\b|\b(?:somebody|someone|anybody|anyone) else\b"
    r"|\bwho (?:can|could|should|might|would) (?:i|we|know|help|tell|get|let|show|take|bring|lead|open)\b"
    r"|\bwho knows\b"
)
_HERE = re.compile(r"(?i)\b(?:this (?:place|village|town|house|inn|city|settlement)|around here)\b")


_OF_A_DEED = re.compile(
    r"(?i)^\W*(?:where\b.*\bfrom\W*$|who(?:m|se)?\b(?! ?(?:'s|is|was)\b)"
    r"|what (?:would|will|did|does|has|had|could) (?!you\b|happen|it\b)"
    r"|what(?:'s| is| was| were| are) (?:[\w'’-]+ ){1,3}(?:been|supposed|after|afraid|worth|[a-z]{2,}ing)\b)"
)
"""What asks for somebody's doings, and not for who or what they are."""
_GOES_ON = re.compile(
    r"(?i)\bwhat(?:'s| is| has been) (?:going on|happening|the (?:matter|trouble|problem)|wrong)(?: (?:here"
    r"|around here|with"
    r" (?:this|the) (?:place|village|town)|in (?:this|the) \w+|then|today))?\W*$"
    r"|\btell (?:me|us) (?:everything|all|the whole|the story|what happened|what you (?:know|saw))\b[^?]{0,40}\W*$"
    r"|\bwhat (?:did|have) you (?:see|seen|hear|heard|notice|noticed|witness|witnessed)\W*$"
)
"""What asks for whatever has happened here."""


def words_of(person: Entity) -> frozenset[str]:
    """The words of what somebody is called."""
    return frozenset(word for each in (*person.names, person.name) for word in words(each))


def reply(
    play: Play,
    person: Entity,
    topic: frozenset[str],
    about: str | None,
    text: str,
    *,
    trusted: bool = False,
    brief: bool = False,
) -> str:
    """What somebody says to a question: what they can say of themself and of those they know, else the sentence that
    answers it, where and when it is, or where something is to be found; and else that they cannot answer this.

    A `brief` answer adds nothing of its own.
    """
    asked = topic - {stem(word) for word in words_of(person)}
    beat = _beat_answer(play, person, asked)
    if beat:
        return beat
    whole = unquoted(text)
    text = several(whole)[0]
    question = completed(play, person, text, words_of(person))
    told = _answer(play, person, question, asked, about, text, pool(play, person, trusted=trusted), brief)
    kind = inquiries.kind_of(question.text)
    record(play, person, question, told, lasting=not kind or kind in inquiries.OF_THE_PLACE)
    for more in several(whole)[1:]:
        also = reply(play, person, stems(more) & topic, None, more, trusted=trusted, brief=True)
        if also.rpartition(": ")[2].strip("“”")[:40] not in told:
            told = f"{told} {continued(also, play.known.call(person))}"
    return told


def _answer(
    play: Play,
    person: Entity,
    question: Question,
    asked: frozenset[str],
    about: str | None,
    text: str,
    facts: list[Fact],
    brief: bool,
) -> str:
    name = play.known.call(person)
    own = [fact for fact in facts if fact.owner == person.id]
    kind = inquiries.kind_of(question.text)
    told = answers.what_happened(play, person) if _GOES_ON.search(question.text) else ""
    told = told or answers.seen_of(play, person, question) or of_themself(play, person, question, own)
    if not told and kind and kind not in inquiries.OF_THE_PLACE:
        told = inquiries.answered(play, person, question, kind, own)
    told = told or of_another(play, person, question, text)
    if told:
        return told
    if ELSE.search(question.text) and (other := _somebody_else(play, person)) is not None:
        play.note(f"seen {other.id}")
        if other in play.known.present:
            call = play.known.call(other)
            return play.line("ask.other.here", other=call, Other=capital(call), name=name, Name=capital(name))
        spot = play.known.stands_at(other)
        where = spot.the if spot is not None else "here"
        return play.line(
            "ask.other",
            other=play.known.call(other),
            Other=capital(play.known.call(other)),
            place=where,
            name=name,
            Name=capital(name),
        )
    lines = play.known.fresh(person.id, "line")
    if everyday.asks_the_way(question.text):
        where = everyday.somewhere(play, person, question) or everyday.told_where(play, person, question)
        if where:
            return where
    if everyday.is_of_the_moment(text) and (moment := everyday.of_the_moment(play, text, person)):
        return moment
    heard = _heard_before(play, person)
    facts = [fact for fact in facts if not _far_and_unasked(play, fact, asked, about)]
    answer = answers.find(play, person, question, [*own, *lines, *facts, *heard])
    closed = question.word in ("whether", "far", "long", "many", "how", "why") or _OF_A_DEED.search(question.text)
    if answer is not None and closed and shares_names_alone(play, person, question, answer.fact.text):
        answer = None  # a sentence about somebody says neither yes nor no, nor where they come from
    partly = answer is not None and question.word == "whether" and answer.share < answers.WHOLE
    if answer is not None and answer.held and not partly and (said := answers.tell(play, person, question, answer)):
        return f"{_habit(play, person)}{said}" if answer.own else said
    where = everyday.somewhere(play, person, question) or everyday.told_where(play, person, question)
    where = where or everyday.of_the_moment(play, text, person)
    where = where or (inquiries.answered(play, person, question, kind, own) if kind else "")
    if where:
        return where
    said = ""
    if answer is not None and other_in(play, person, question) is None:
        said = answers.tell(play, person, question, answer)
    if not said and question.word in ("event", "long", "when") and not question.asked and not question.you:
        said = answers.what_happened(play, person, question.word)
    if said:
        return said
    general = bool(GENERAL.search(text)) and question.asked <= _GENERIC
    if (
        general
        or (_HERE.search(text) and question.word == "what" and not question.asked)
        or (not question.asked and question.word == "what" and question.you and not is_view(question.text))
    ):
        told = _in_general(play, person, own, facts, lines, about=_HERE.search(text) is not None)
        if told:
            return told
    if re.search(r"(?i)\b(?:hello|hi|hey)\b", text):
        return play.line("called", name=name, Name=capital(name))
    return left_to(play, person, question) or _refusal(play, person, question, brief)


def _somebody_else(play: Play, person: Entity) -> Entity | None:
    """Who else may know something: one of this place who is not here, else one who is."""
    here = [each for each in play.known.present if each is not person]
    return next(iter([*company.about(play), *here]), None)


_GENERIC = roots(
    "people news gossip rumour rumor story new strange odd talk chat speak conversation yourself introduce"
)


def _heard_before(play: Play, person: Entity) -> list[Fact]:
    """What somebody has told already."""
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    return [fact for fact in told if fact.owner == person.id and fact.kind in ("knows", "line")]


def _in_general(
    play: Play, person: Entity, own: Sequence[Fact], facts: Sequence[Fact], lines: Sequence[Fact], *, about: bool
) -> str:
    """What somebody tells who is asked for nothing in particular, or for the place."""
    name = play.known.call(person)
    place = play.known.place
    local = [fact for fact in facts if fact.kind in ("knows", "history")]
    if about and place is not None:
        local = [*play.known.fresh(place.id, "history", "sense"), *(f for f in facts if f.kind == "part")]
        own = []
    fit = next(iter((*own, *local, *([] if about else lines))), None)
    if fit is None:
        return ""
    play.tell(fit, capital(person.short) if person.id in play.known.names else capital(name))
    said = in_words(play, fit, person)
    return f"{_habit(play, person)}{said}"


def _refusal(play: Play, person: Entity, question: Question, brief: bool) -> str:
    """No answer to this, said first; then, as one who does not want to leave it at that, what they can tell instead."""
    name = play.known.call(person)
    told = _what_is_theirs(play, person, question)
    if told:
        return told
    told = refused(play, person, question)
    slots = {"name": name, "Name": capital(name)}
    chance = play.table.random.random()
    if brief or keeps_to_themself(question):
        return told
    facts = [fact for fact in pool(play, person) if fact.gate == "open" and is_clause(fact.text)]
    near = [fact for fact in facts if fact.owner == person.id]
    fact = next((each for each in (*near, *facts) if question.asked & roots(each.text)), None)
    if fact is None and chance > OFFERED:
        return told
    fact = fact or next(iter(near), None)
    turn = play.fresh("instead", **slots) if fact is not None else ""
    if turn and fact is not None:
        play.tell(fact, capital(name))
        return f"{told} {turn} {continued(in_words(play, fact, person), name)}"
    wanted = interests(play, person)
    offer = play.fresh("instead.offer", topics=listed(wanted, "or"), **slots) if wanted else ""
    return f"{told} {offer}".strip()


def _what_is_theirs(play: Play, person: Entity, question: Question) -> str:
    """What somebody openly has to do with the thing that is asked about, where they can say no more of it."""
    wanted = roots(question.matter) & question.asked
    own = [f for f in pool(play, person) if f.owner == person.id and f.gate == "open" and is_clause(f.text)]
    fact = next((each for each in own if wanted and wanted <= roots(each.text)), None)
    fit = fact is not None and question.word in ("who", "where", "whether") and not question.you
    lead = play.fresh("partial.whether") if fit else ""
    if fact is None or not lead:
        return ""
    play.tell(fact, capital(play.known.call(person)))
    told = in_words(play, fact, person)
    return f"“{lead} {told[1:]}" if told.startswith("“") else told


OFFERED = 0.4
"""How often somebody who cannot answer speaks of something that has nothing to do with it."""


def _far_and_unasked(play: Play, fact: Fact, asked: frozenset[str], about: str | None) -> bool:
    """Whether a fact tells of another place, which nobody asked about by its name."""
    owner = play.world.entities[fact.owner]
    place = play.world.entities.get(owner.parent, owner)
    if owner.kind not in ("part", "place") or place is play.known.place:
        return False
    return about not in (owner.id, place.id) and not asked & (stems(owner.name) | stems(place.name))


def _habit(play: Play, person: Entity) -> str:
    """At times, what somebody does while they speak."""
    if play.table.random.random() > 0.4:
        return ""
    habits = [f for f in play.known.fresh(person.id, "habit") if len(f.text) < 110]
    return (
        f"{of_person(play, person, habits[0])} "
        if habits and re.match(r"[A-Z][a-z]+s |She |He |They ", habits[0].text)
        else ""
    )


def single(text: str) -> str:
    return re.sub(r"[\"“”]", "’", text)


def _beat_answer(play: Play, person: Entity, topic: frozenset[str]) -> str:
    """What a beat has made this person ready to tell."""
    for beat in play.world.beats:
        if f"told {beat.id} {person.id}" not in play.memory.done:
            continue
        facts = [
            Fact(f"{beat.id}/{place}", "told", "beat", person.id, text)
            for place, text in enumerate(beat.told)
            if f"{beat.id}/{place}" not in play.memory.told
        ]
        fit = best(facts, topic) or (facts[0] if facts and not topic else None)
        if fit is not None:
            return beat_fact(play, fit, person)
    return ""


def beat_fact(play: Play, fact: Fact, person: Entity | None) -> str:
    play.note(f"found {play.memory.found + 1}")
    for each in found_by(fact.text, play.world.entities.values()):
        if each.id not in play.known.names and each.kind != "part":
            play.note(f"met {each.id}")
    text = play.tell(fact, capital(play.known.call(person)) if person else "We have seen")
    name = play.known.call(person) if person else ""
    return f"“{single(ended(text)).rstrip('.')},” says {name}." if person else ended(text)
