"""To ask and to talk: what somebody answers, and what they say where they cannot."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts import answers, everyday, inquiries, plain_sight, prices
from sottovoce.rulesets.tabletop.house.acts.looking import look
from sottovoce.rulesets.tabletop.house.acts.places import arrive, seek
from sottovoce.rulesets.tabletop.house.acts.questions import Question, question_of
from sottovoce.rulesets.tabletop.house.acts.remarks import reacted
from sottovoce.rulesets.tabletop.house.acts.replies import ELSE, GENERAL, reply, words_of
from sottovoce.rulesets.tabletop.house.acts.themself import is_called
from sottovoce.rulesets.tabletop.house.acts.threads import is_of_the_absent, spoken_of
from sottovoce.rulesets.tabletop.house.acts.topics import deed_of, pool, recall, topic_of
from sottovoce.rulesets.tabletop.house.nouns import head_of
from sottovoce.rulesets.tabletop.house.play import HOSTILE, Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act, topic_in
from sottovoce.rulesets.tabletop.house.telling import spoken, to_you
from sottovoce.rulesets.tabletop.house.utterances import kind_of
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended, stem, stems, words

_FAVOR = re.compile(
    r"(?i)\b(?:may|can|could) (?:i|we) (?:please |at least |just )?(?:finish|come|have|get|stay|sleep"
    r"|borrow|use|enter|sit|join|see|buy|rent|keep|leave|trouble|go)\b|\bis (?:this|that) (?:seat"
    r"|place|chair|table) (?:taken|free)\b|\bmind if (?:i|we)\b"
    r"|\bfor (?:a|some) (?:\w+ )?(?:room|bed|drink|meal|blanket|place|cup|bite|light|seat|table)\b"
    r"|^[\W\w]{0,60}\bgot (?:an?|any|some) (?:\w+ )?(?:room|bed|table|place)s?\b|"
    r"\b(?:could|can|would|will) you (?:please |kindly |perhaps )?(?:fetch|bring|open|lead|take|get"
    r"|let|give|lend|send|carry|keep|wait|come|hold|make|find|spare|watch|help (?:me|us) (?!out\W*$)\w)\b"
)
"""A question that asks for a deed and not for words."""


def _to_them(play: Play, person: Entity, text: str) -> str:
    """A question about somebody that is put to them, as they hear it: `would he let Pim look?`"""
    if not re.match(rf"(?i)\W*(?:and |so |but )?(?:would|will|could|can|does|did|has|is|was) {person.pronoun}\b", text):
        return text
    if spoken_of(play, person, person.pronoun):
        return text  # somebody else is meant
    verbs = {"does": "do", "has": "have", "is": "are", "was": "were"}
    return re.sub(
        rf"(?i)\b(would|will|could|can|does|did|has|is|was) {person.pronoun}\b",
        lambda found: f"{verbs.get(found[1].lower(), found[1])} you",
        text,
    )


def called_by(text: str) -> frozenset[str]:
    """The words for what somebody is who is asked for: `miller` of `are you the miller?`"""
    found = re.search(r"(?i)\b(?:are|is) (?:you|that|there) (?:the|an?|our) ((?:[a-z]+ ?){1,3})", text)
    return frozenset(words(found[1])) if found else frozenset()


_TWO = re.compile(
    r"(?i)(?<=\?)\s+|[.,]? (?:and )?(?=(?:how|what|who|where|when|why|is|are|can|could|does|did) [^?]*\?)"
)
"""Where a second question begins."""


def _part(act: Act, text: str) -> Act:
    return replace(act, text=text.strip(), topic=topic_in(text, ()), head=head_of(text))


def ask(play: Play, who: str, act: Act) -> list[str]:
    act = replace(act, text=act.text[:LONGEST])
    person = play.entity(act.target)
    person = person if person is not None and person.kind == "person" else None
    if act.meant and (person not in play.known.present or _is_shunned(play, act, person)):
        person = None  # one has gone on since, or says nothing any more and is not asked
    if (person is None or act.meant) and prices.asks_to_be_served(act.text) and (host := prices.server(play)):
        person, act = host, replace(act, target=host.id, meant=False)
    topic = topic_of(play, act)
    about = act.thing or (act.target if person is None else None)
    question = question_of(act.text, words_of(person) if person is not None else ())
    wondered = (person is None or act.meant) and not re.search(r"(?i)\byou(?:r|rs)?\b", act.text)
    talk = wondered and play.entity(play.memory.spoken) in play.known.present
    local = talk and (
        inquiries.kind_of(question.text) in inquiries.OF_THE_PLACE - {"within", "purpose"}
        or is_of_the_absent(play, act.text)
    )
    wondered = wondered and not local
    first, *rest = [part for part in _TWO.split(act.text) if part.strip()] or [act.text]
    if wondered and rest and (told := plain_sight.property_of(play, who, _part(act, first), question_of(first))):
        return [" ".join((told, *ask(play, who, _part(act, rest[-1]))[:1]))]
    if wondered and (told := plain_sight.property_of(play, who, act, question)):
        return [told]
    if wondered and everyday.is_of_the_moment(act.text):
        told = everyday.of_the_moment(play, act.text, None)
        if told:
            return [told]
    if wondered and (told := answers.of_thing(play, question, about)):
        return [told]
    came = ""
    if person is None or (wondered and act.meant):
        listener = person or play.listener(replace(act, target=None))
        if listener is not None and _is_shunned(play, act, listener):
            listener = None
        if listener is None or not _canreply(play, listener, question):
            alone = listener is None
            called = alone and re.search(r"(?i)\byou(?:r|rs)?\b", act.text) is not None
            told = "" if called else _recalled(play, question, topic, about, alone=alone)
            if told:
                return [told]
        person = listener
        if person is None:
            person, came = company.comes(play, "comes.asked", again=True, wanted=called_by(act.text))
            if person is None or (wondered and not _canreply(play, person, question)):
                return [
                    plain_sight.nobody_told(play),
                    " ".join(p for p in (came, play.meet(person) if person else "") if p),
                ]
        act = replace(act, text=_to_them(play, person, act.text))
        question = question_of(act.text, words_of(person))
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
    asks_where = re.search(r"(?i)^\W*(?:where|how|which way|is there)\b|\bsomewhere\b", question.text)
    cost = prices.price(play, person, act.text)
    asks_of_past = re.match(r"(?i)\W*(?:did|does|has|had|was|were|is|are)\b", question.text)
    if _FAVOR.search(act.text) and not asks_of_past and not cost and not asks_where and not _TELL.search(act.text):
        how = "leave" if _FOR_US.search(act.text) else "favor"
        told = play.line(how if play.memory.liking[person.id] >= 0 else "favor.no", **slots)
        play.note(f"done favor {person.id}")
        return [" ".join(part for part in (intro, told) if part)]
    answered = cost or reply(play, person, topic, about, act.text)
    return [" ".join(part for part in (intro, answered) if part)]


def _is_shunned(play: Play, act: Act, person: Entity | None) -> bool:
    """Whether words are to nobody, and the one who stands here does not speak to the party any more."""
    to_them = re.search(r"(?i)\b(?:you(?:r|rs)?|sorry|apologi[sz]e|forgive|he|him|she|her|they|them)\b", act.text)
    return person is not None and to_them is None and play.memory.liking[person.id] <= HOSTILE


_FOR_US = re.compile(
    r"(?i)\b(?:may|can|could|mind if|okay if|ok if) (?:i|we) (?:please |at least |just )?(?:finish"
    r"|come|stay|sleep|use|enter|sit|join|keep|leave|see|go)\b|\b(?:seat|place|chair|table) (?:taken"
    r"|free)\b"
)
"""What somebody only has to allow."""
_TELL = re.compile(r"(?i)\b(?:can|could|would|will) you (?:please |perhaps )?(?:tell|say|explain)\b")


def _canreply(play: Play, person: Entity, question: Question) -> bool:
    """Whether somebody has an answer to a question that is put to nobody in particular."""
    if inquiries.kind_of(question.text) or re.search(r"(?i)\byou(?:r|rs)?\b", question.text):
        return True
    if (
        person.id == play.memory.spoken
        and play.memory.asked
        and re.search(r"(?i)\b(?:it|there|they|them)\b", question.text)
    ):
        return True
    found = answers.find(play, person, question, pool(play, person))
    return found is not None and found.held


def _recalled(play: Play, question: Question, topic: frozenset[str], about: str | None, *, alone: bool) -> str:
    """What the party's papers say to a question that is put to nobody."""
    fact = answers.recalled(play, question) if not ELSE.search(question.text) else None
    if fact is None:
        return recall(play, topic, about) if alone and question.word == "what" else ""
    play.note(f"seen {fact.id}")
    play.productive = True
    return play.line("recall", fact=ended(to_you(re.sub(r"^[A-Z][\w ]{2,24}: (?=[A-Z])", "", fact.text))))


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
    if play.memory.liking[person.id] <= HOSTILE:
        return play.line("hostile", name=capital(play.known.call(person)))
    return ""


_TOUCH = re.compile(
    r"(?i)\b(?:pats?|claps? (?=him|her|them|his|the|[A-Z])|shakes?|hugs?|embraces?|takes? (?:his|her"
    r"|their) hand|squeezes?|puts? (?:a|my"
    r"|an) (?:hand|arm))\b"
)
"""Kindness without words."""
_GESTURE = re.compile(r"(?i)\b(?:nod|smile|wave|bow|wink|grin|shrug|curtsy|beckon)s?\b")
_QUOTED = re.compile(r"“[^”]*”")
GREETS = re.compile(
    r"(?i)\b(?:hello|hi|hey|hallo|good (?:morning|day|evening|afternoon)|greet\w*|anybody|anyone|somebody|someone|talk"
    r"|speak|tell|say|call|ask|introduce|shout|excuse me|help)\b"
)
"""Words that make somebody come who was not there: said to nobody, any others are only heard by the party."""
_HAILS = frozenset("the hey hello hi oh you there master mistress mother father sir".split())
_REMARK = re.compile(r"(?i)\b(?:joke|story|lie|say (?:that|so|no|yes)|remark|comment|toast|promise|everything)\b")
"""Words that somebody only listens to."""


_WORD_WITH = re.compile(
    r"(?i)^[\W\w]{0,40}?\b(?:a (?:quick )?word(?: with you)?|a moment(?: of your time)?|are you (?:there|in|awake)"
    r"|(?:can|may|could) (?:we|i)"
    r" (?:talk|speak)(?: (?:to|with) you)?)\W*(?:please)?\W*$"
)


def _only_called(act: Act, person: Entity) -> bool:
    names = {word for each in (*person.names, *person.offices) for word in words(each)}
    said = words(act.text)
    named = any(word in names for word in said) and not re.search(
        r"(?i)\byou (?:the\b|an?\b|(?-i:[A-Z])[\w'’-]+\W*\?)", act.text
    )
    return named and (all(word in names or word in _HAILS for word in said) or bool(_WORD_WITH.search(act.text)))


def talk(play: Play, who: str, act: Act) -> list[str]:
    act = replace(act, text=act.text[:LONGEST])
    target = play.entity(act.target)
    if target is not None and target.kind != "person":
        return look(play, who, act)
    person, came = play.listener(act), ""
    if act.meant and kind_of(act.text) == "serve":
        person = prices.server(play) or person
    if company.shouts(act.text) and (act.target is None or act.meant):
        return _shouted(play, who, act)
    if person is not None and (act.target is None or act.meant) and _is_shunned(play, act, person):
        return [play.line("to.party")]
    if person is None and not GREETS.search(act.text) and "“" not in act.text and kind_of(act.text) != "greeted":
        return [play.line("to.party")]
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
    told = _led(play, person, act) or _answered(play, who, person, act)
    return [" ".join(part for part in (intro, *told) if part)]


def _answered(play: Play, who: str, person: Entity, act: Act) -> list[str]:
    """What somebody makes of what is said to them, with the deed around it."""
    name = play.known.call(person)
    slots = {"name": name, "Name": capital(name)}
    if _TOUCH.search(act.text) and "“" not in act.text:
        told = reacted(play, person, act.text.partition(". ")[2])
        told = told or play.fresh("touched", **slots) or play.line("gesture", **slots)
        return [deed_of(play, who, replace(act, text=act.text.partition(". ")[0])), told]
    deed = (
        deed_of(play, who, replace(act, text=_QUOTED.sub("", act.text)))
        if "“" in act.text and _TOUCH.search(act.text)
        else ""
    )
    deed = re.sub(r"(?: |^)(?:he|she|they) says?[.,:]*$", "", deed)
    said = "" if "?" in act.text else is_called(play, person, act.text)
    if said := said or reacted(play, person, act.text):
        return [deed, said]
    if _only_called(act, person):
        return [deed, play.line("called", **slots)]
    if _GESTURE.search(act.text) and "“" not in act.text:
        return [play.line("gesture", **slots)]
    lines = play.known.fresh(person.id, "line")
    asked = topic_of(play, act) - {stem(word) for each in person.names for word in words(each)}
    if GENERAL.search(act.text) or (not asked and not _REMARK.search(act.text)):
        if "?" not in act.text and not GENERAL.search(act.text) and len(words(act.text)) > 2:
            return [deed, play.line("remark", **slots)]
        if lines:
            return [deed, spoken(play_tell(play, lines[0]), person, name)]
        return [deed, reply(play, person, frozenset(), None, "hello")]
    if "?" in act.text:
        return [deed, reply(play, person, asked, act.thing, act.text)]
    if f"told {person.id}" not in play.memory.done:
        play.note(f"done told {person.id}")
        play.like(person.id, 1)
    return [deed, play.fresh("heard", **slots) or play.line("claimed", **slots)]


def _shouted(play: Play, who: str, act: Act) -> list[str]:
    """Words that everybody within earshot hears, and who comes for them."""
    deed = deed_of(play, who, replace(act, text=re.sub(r"”” ?", "", _QUOTED.sub("", act.text)).rstrip(" :,")))
    deed = (
        "" if re.fullmatch(r"[\w' -]+ (?:shouts?|yells?|screams?|bellows?|roars?|calls?)(?: out)?\.?", deed) else deed
    )
    here = next(iter(play.known.present), None)
    if here is None:
        return [f"{deed} {company.heard_far(play)}".strip()]
    name = play.known.call(here)
    return [" ".join(part for part in (deed, play.line("shouted", name=name, Name=capital(name))) if part)]


def play_tell(play: Play, fact: Fact) -> Fact:
    play.tell(fact)
    return fact
