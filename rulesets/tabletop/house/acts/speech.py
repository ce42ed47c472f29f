"""To ask and to talk: what somebody answers, and what they say where they cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts import answers, everyday
from sottovoce.rulesets.tabletop.house.acts.looking import look, of_person
from sottovoce.rulesets.tabletop.house.acts.places import arrive, seek
from sottovoce.rulesets.tabletop.house.acts.questions import Question, question_of, roots
from sottovoce.rulesets.tabletop.house.acts.remarks import reacted
from sottovoce.rulesets.tabletop.house.acts.themself import is_called, of_themself, refused
from sottovoce.rulesets.tabletop.house.acts.topics import best, deed_of, interests, pool, recall, topic_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import is_clause, quoted, spoken
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, lowered, stem, stems, words

_GENERAL = re.compile(
    r"(?i)\bwho are you\b|\b(?:about|of) (?:yourself|you\b)|\bwhat do you (?:do|know)\b"
    r"|\bwhat can you tell\b|\bhow are you\b|\bnews\b|\bgossip\b"
    r"|\brumou?rs?\b|\bwhat(?:'s| is) (?:going on|happening|new|this place)\b|\bintroduce\b|\bwhat(?:'s"
    r"| is) your (?:name|story|work|trade)\b|\bgood (?:evening|morning|day)\b|\bhello\b|\bchat\b"
    r"|\banything (?:else|new|to tell|you can tell|strange|odd)\b"
    r"|\bexcuse me\b|\bask you (?:something|a question|a few)\b"
    r"|\b(?:talk|speak|chat|conversation) (?:to|with)\b|\bconversation\b|\bpeople (?:are )?say"
)


_FAVOR = re.compile(
    r"(?i)\b(?:may|can|could) (?:i|we) (?:please )?(?:come|have|get|stay|sleep|borrow|use|enter|sit|see|buy|rent)\b"
    r"|\bfor (?:a|some) (?:room|bed|drink|meal|blanket|place|cup|bite|light|seat)\b|"
    r"\b(?:could|can|would|will) you (?:please |kindly |perhaps )?(?:fetch|bring|open|lead|take|get"
    r"|let|give|lend|send|carry|keep|wait|come|hold|make|find|watch|help)\b"
)
"""A question that asks for a deed and not for words."""


_ELSE = re.compile(
    r"(?i)\bwho else\b|\b(?:somebody|someone|anybody|anyone) else\b"
    r"|\bwho (?:can|could|should|might|would) (?:i|we|know|help|tell)\b|\bwho knows\b"
)
_HERE = re.compile(r"(?i)\b(?:this (?:place|village|town|house|inn|city|settlement)|around here)\b")


def ask(play: Play, who: str, act: Act) -> list[str]:
    person = play.entity(act.target)
    person = person if person is not None and person.kind == "person" else None
    topic = topic_of(play, act)
    about = act.thing or (act.target if person is None else None)
    question = question_of(act.text, _names(person) if person is not None else ())
    wondered = (person is None or act.meant) and not re.search(r"(?i)\byou(?:r|rs)?\b", act.text)
    if wondered and everyday.is_of_the_moment(act.text):
        told = everyday.of_the_moment(play, act.text, None)
        if told:
            return [told]
    if wondered and (told := answers.of_thing(play, question, about)):
        return [told]
    came = ""
    if person is None or (wondered and act.meant):
        listener = person or play.listener(replace(act, target=None))
        if listener is None or not _can_answer(play, listener, question):
            told = _recalled(play, question, topic, about, alone=listener is None)
            if told:
                return [told]
        person = listener
        if person is None:
            person, came = company.comes(play, "comes.asked", again=True)
        if person is None:
            return [play.line("ask.nobody")]
        question = question_of(act.text, _names(person))
    found = came or seek(play, person)
    answer = reached(play, person)
    if answer:
        return [answer]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    play.addressed(person)
    name = play.known.call(person)
    slots = {"name": name, "Name": capital(name)}
    if everyday.asks_for_anybody(act.text):
        return [" ".join(part for part in (intro, play.line("anybody", **slots)) if part)]
    if _only_called(act, person):
        said = play.line("called", **slots)
        return [" ".join(part for part in (intro, said) if part)]
    led = _led(play, person, act)
    if led:
        return [" ".join(part for part in (intro, *led) if part)]
    asks_where = re.match(r"(?i)\W*(?:where|how|which way|is there)\b", question.text)
    cost = everyday.price(play, person, act.text)
    if _FAVOR.search(act.text) and not cost and not asks_where and not _TELL.search(act.text):
        told = play.line("favor" if play.memory.liking[person.id] >= 0 else "favor.no", **slots)
        play.note(f"done favor {person.id}")
        return [" ".join(part for part in (intro, told) if part)]
    answered = cost or _answer(play, person, topic, about, act.text)
    return [" ".join(part for part in (intro, answered) if part)]


_TELL = re.compile(r"(?i)\b(?:can|could|would|will) you (?:please |perhaps )?(?:tell|say|explain)\b")


def _names(person: Entity) -> frozenset[str]:
    """The words of what somebody is called."""
    return frozenset(word for each in (*person.names, person.name) for word in words(each))


def _can_answer(play: Play, person: Entity, question: Question) -> bool:
    """Whether somebody has an answer to a question that is put to nobody in particular."""
    found = answers.find(play, person, question, pool(play, person))
    return found is not None and found.held


def _recalled(play: Play, question: Question, topic: frozenset[str], about: str | None, *, alone: bool) -> str:
    """What the party's papers say to a question that is put to nobody."""
    fact = answers.recalled(play, question)
    if fact is None:
        return recall(play, topic, about) if alone and question.word == "what" else ""
    play.note(f"seen {fact.id}")
    play.productive = True
    return play.line("recall", fact=ended(re.sub(r"^[A-Z][\w ]{2,24}: (?=[A-Z])", "", fact.text)))


_LEAD = re.compile(
    r"(?i)\b(?:take|bring|lead|row|ferry|carry|guide|sail|drive|walk|show) (?:me|us)\b(?! (?:the )?truth)"
)


def _led(play: Play, person: Entity, act: Act) -> list[str]:
    """Somebody takes the party where it asks to be taken; nothing where it does not ask, or nobody knows the way."""
    if not _LEAD.search(act.text) or play.memory.liking[person.id] < 0:
        return []
    wanted = topic_of(play, act) - {stem(word) for each in person.names for word in words(each)}
    named = play.entity(act.thing)
    places = [e for e in play.known.entities if e.kind in ("place", "part")]
    target = named if named in places else next((e for e in places if wanted & stems(e.name)), None)
    if target is None or target.id == play.memory.at:
        return []
    name = play.known.call(person)
    told = arrive(play, target, play.line("led", name=name, Name=capital(name)))
    if person not in play.known.present:
        play.note(f"here {person.id}")
    return told


def reached(play: Play, person: Entity) -> str:
    """Why somebody cannot be spoken to; empty where they can."""
    if person.gone:
        return play.line("gone", name=capital(play.known.call(person)))
    if person not in play.known.present:
        return company.absent(play, person)
    if play.memory.liking[person.id] <= -4:
        return play.line("hostile", name=capital(play.known.call(person)))
    return ""


def _answer(
    play: Play, person: Entity, topic: frozenset[str], about: str | None, text: str, *, trusted: bool = False
) -> str:
    """What somebody says to a question: the sentence that answers it, else what they can say of themself, of where and
    when it is, or where something is to be found; and else that they cannot answer this."""
    name = play.known.call(person)
    facts = pool(play, person, trusted=trusted)
    asked = topic - {stem(word) for word in _names(person)}
    beat = _beat_answer(play, person, asked)
    if beat:
        return beat
    question = question_of(text, _names(person))
    own = [fact for fact in facts if fact.owner == person.id]
    told = of_themself(play, person, question, own)
    if told:
        return told
    if _ELSE.search(text) and (other := next(iter(company.about(play)), None)) is not None:
        play.note(f"seen {other.id}")
        spot = play.known.stands_at(other)
        where = spot.the if spot is not None else "here"
        return play.line("ask.other", other=play.known.call(other), place=where, name=name, Name=capital(name))
    lines = play.known.fresh(person.id, "line")
    if everyday.asks_the_way(question.text) and (where := everyday.somewhere(play, person, question)):
        return where
    heard = _heard_before(play, person)
    facts = [fact for fact in facts if not _far_and_unasked(play, fact, asked, about)]
    said_of_all = lines if question.word in ("what", "event") else []
    answer = answers.find(play, person, question, [*own, *said_of_all, *facts, *heard])
    if answer is not None and answer.held and (said := answers.tell(play, person, question, answer)):
        return f"{_habit(play, person)}{said}" if answer.own else said
    where = everyday.somewhere(play, person, question) or everyday.of_the_moment(play, text, person)
    if where:
        return where
    if answer is not None and (said := answers.tell(play, person, question, answer)):
        return said
    told = answers.seen_of(play, person, question)
    if not told and question.word == "event" and not question.asked:
        told = answers.what_happened(play, person)
    if told:
        return told
    general = bool(_GENERAL.search(text)) and question.asked <= _GENERIC
    if (
        general
        or (_HERE.search(text) and question.word == "what" and not question.asked)
        or not (question.asked or re.match(_WH_WORD, text))
    ):
        told = _in_general(play, person, own, facts, lines, about=_HERE.search(text) is not None)
        if told:
            return told
    if re.search(r"(?i)\b(?:hello|hi|hey)\b", text):
        return play.line("called", name=name, Name=capital(name))
    return _refusal(play, person, question)


_GENERIC = roots(
    "people news gossip rumour rumours rumor rumors story new strange odd talk chat speak conversation yourself introduce"
)
_WH_WORD = re.compile(r"(?i)\W*(?:who|whom|where|why|when|how)\b")


def _heard_before(play: Play, person: Entity) -> list[Fact]:
    """What somebody has told already."""
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    return [fact for fact in told if fact.owner == person.id and fact.kind == "knows"]


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
    said = spoken(fit, person, name) if fit.owner == person.id else hearsay(play, fit, name)
    return f"{_habit(play, person)}{said}"


def _refusal(play: Play, person: Entity, question: Question) -> str:
    """No answer to this; at times with what they would rather talk about."""
    told = refused(play, person, question)
    wanted = interests(play, person)
    if not wanted or question.you or play.table.random.random() > OFFERED:
        return told
    name = play.known.call(person)
    offer = play.fresh("decline.but", topics=listed(wanted, "or"), name=name, Name=capital(name))
    return f"{told} {offer}".strip()


OFFERED = 0.4
"""How often somebody who cannot answer says what else they can talk about."""


def _far_and_unasked(play: Play, fact: Fact, asked: frozenset[str], about: str | None) -> bool:
    """Whether a fact tells of another place, which nobody asked about by its name."""
    owner = play.world.entities[fact.owner]
    place = play.world.entities.get(owner.parent, owner)
    if owner.kind not in ("part", "place") or place is play.known.place:
        return False
    return about not in (owner.id, place.id) and not asked & (stems(owner.name) | stems(place.name))


def hearsay(play: Play, fact: Fact, name: str) -> str:
    owner = play.world.entities[fact.owner]
    if owner.kind == "person":
        text = re.sub(r"^(?:She|He|They)(?=['’]s |\b)", owner.short, fact.text)
        return (
            f"“{ended(text).rstrip('.')},” says {name}."
            if "“" not in text and '"' not in text
            else f"{capital(name)} tells you: {ended(text)}"
        )
    if not is_clause(fact.text):
        return f"{capital(name)} speaks of {play.world.entities[fact.owner].the}: {lowered(fact.text).rstrip('.')}."
    return (
        f"“{ended(fact.text).rstrip('.')},” says {name}."
        if "“" not in fact.text and '"' not in fact.text
        else f"{capital(name)} tells you: {ended(fact.text)}"
    )


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


def decline(play: Play, person: Entity) -> str:
    """Somebody has nothing to say to that, says so their own way, and what they would talk about instead."""
    name = play.known.call(person)
    slots = {"name": name, "Name": capital(name)}
    lines = play.known.fresh(person.id, "line")
    wanted = interests(play, person)
    if lines:
        own = f" “{_single(play.tell(lines[0]))}”"
        return play.line("decline.offer" if wanted else "decline", topics=listed(wanted, "or"), **slots) + own
    own_facts = [fact for fact in play.known.fresh(person.id, "knows") if fact.gate == "open"]
    instead = own_facts or [fact for fact in pool(play, person) if is_clause(fact.text)]
    turn = play.fresh("decline.instead", **slots) if instead else ""
    if turn:
        play.tell(instead[0], capital(name))
        refused = f"{play.line('decline', **slots)} {turn}"
        owner = play.world.entities[instead[0].owner]
        if not own_facts and owner.kind in ("part", "place"):
            told = play.line("decline.place", place=owner.the, told=quoted(ended(instead[0].text)), **slots)
        else:
            told = spoken(instead[0], person, name) if own_facts else hearsay(play, instead[0], name)
        return f"{refused} {told}"
    if wanted:
        return play.line("decline.offer", topics=listed(wanted, "or"), **slots)
    return play.line("decline", **slots)


def _single(text: str) -> str:
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
    return f"“{_single(ended(text)).rstrip('.')},” says {name}." if person else ended(text)


_TOUCH = re.compile(
    r"(?i)\b(?:pats?|claps?|shakes?|hugs?|embraces?|takes? (?:his|her|their) hand|squeezes?|puts? (?:a|my|an) (?:hand|arm))\b"
)
"""Kindness without words."""
_GESTURE = re.compile(r"(?i)\b(?:nod|smile|wave|bow|wink|grin|shrug|curtsy|beckon)s?\b")
_HAILS = frozenset("the hey hello hi oh you there master mistress mother father sir".split())
_REMARK = re.compile(r"(?i)\b(?:joke|story|lie|say (?:that|so|no|yes)|remark|comment|toast|promise|everything)\b")
"""Words that somebody only listens to."""


_WORD_WITH = re.compile(
    r"(?i)^[\W\w]{0,40}?\b(?:a (?:quick )?word(?: with you)?|a moment(?: of your time)?|are you (?:there|in|awake)|(?:can|may|could) (?:we|i)"
    r" (?:talk|speak)(?: (?:to|with) you)?)\W*(?:please)?\W*$"
)


def _only_called(act: Act, person: Entity) -> bool:
    names = {word for each in (*person.names, *person.offices) for word in words(each)}
    said = words(act.text)
    named = any(word in names for word in said)
    return named and (all(word in names or word in _HAILS for word in said) or bool(_WORD_WITH.search(act.text)))


def talk(play: Play, who: str, act: Act) -> list[str]:
    target = play.entity(act.target)
    if target is not None and target.kind != "person":
        return look(play, who, act)
    person, came = play.listener(act), ""
    if company.loud(act.text) and (act.target is None or act.meant):
        return [f"{deed_of(play, who, act)} {company.heard_far(play)}".strip()]
    if person is None:
        person, came = company.comes(play, "comes.asked", again=True)
    if person is None:
        return [play.line("talk.nobody", who=play.name(who))]
    found = came or seek(play, person)
    answer = reached(play, person)
    if answer:
        return [answer]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    play.addressed(person)
    if f"greeted {person.id}" not in play.memory.done:
        play.note(f"done greeted {person.id}")
        play.like(person.id, 1)
    led = _led(play, person, act)
    if led:
        return [" ".join(part for part in (intro, *led) if part)]
    if (
        re.search(r"(?i)\b(?:thank|sorry|apolog|compliment|congratulat)", act.text)
        and f"kind {person.id}" not in play.memory.done
    ):
        play.note(f"done kind {person.id}")
        play.like(person.id, 1)
        return [
            " ".join(
                part
                for part in (
                    intro,
                    play.line("thanked", name=play.known.call(person), Name=capital(play.known.call(person))),
                )
                if part
            )
        ]
    name = play.known.call(person)
    if _TOUCH.search(act.text) and "“" not in act.text:
        told = reacted(play, person, act.text.partition(". ")[2])
        told = (
            told
            or play.fresh("touched", name=name, Name=capital(name))
            or play.line("gesture", name=name, Name=capital(name))
        )
        return [" ".join(part for part in (intro, deed_of(play, who, act), told) if part)]
    said = "" if "?" in act.text else is_called(play, person, act.text) or reacted(play, person, act.text)
    if said:
        return [" ".join(part for part in (intro, said) if part)]
    asked = topic_of(play, act) - {stem(word) for each in person.names for word in words(each)}
    how = "gesture" if _GESTURE.search(act.text) else "called" if _only_called(act, person) else ""
    if how and (said := play.fresh(how, name=name, Name=capital(name))):
        return [" ".join(part for part in (intro, said) if part)]
    lines = play.known.fresh(person.id, "line")
    if _GENERAL.search(act.text) or (not asked and not _REMARK.search(act.text)):
        if lines:
            return [
                " ".join(
                    part
                    for part in (
                        intro,
                        spoken(play_tell(play, lines[0]), person, play.known.call(person)),
                    )
                    if part
                )
            ]
        return [" ".join(part for part in (intro, _answer(play, person, frozenset(), None, "hello")) if part)]
    if "?" in act.text:
        return [" ".join(part for part in (intro, _answer(play, person, asked, act.thing, act.text)) if part)]
    if f"told {person.id}" not in play.memory.done:
        play.note(f"done told {person.id}")
        play.like(person.id, 1)
    heard = play.fresh("heard", name=play.known.call(person), Name=capital(play.known.call(person)))
    if heard:
        own = f"“{_single(play.tell(lines[0]))}”" if lines else ""
        return [" ".join(part for part in (intro, heard, own) if part)]
    return [" ".join(part for part in (intro, decline(play, person)) if part)]


def play_tell(play: Play, fact: Fact) -> Fact:
    play.tell(fact)
    return fact
