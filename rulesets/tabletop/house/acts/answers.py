"""What answers a question: the sentence that shares its words and holds the asked thing, or an honest no that names it.

Where to look, in this order: what the person themself tells openly, what the party's papers say, and what everybody
here knows of the place. A sentence that shares the words and does not hold the asked thing
is told as no more than that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sottovoce.rulesets.tabletop.house.acts.mouths import in_mouth, subject_of
from sottovoce.rulesets.tabletop.house.acts.questions import HOLDS, Question, holds, roots
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.telling import is_clause, quoted, spoken, to_you
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended, lowered

Alike = Mapping[str, frozenset[str]]
WHOLE = 0.99
MOST = 0.6
"""The part of a question's telling words that an answer must share."""
TOLD = 0.15
"""What a sentence that was told tonight falls behind one that was not."""
HALF = 0.5
"""The same where any word on the matter answers: what, and tell me of."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A sentence that answers: how much of the question it shares, whether it holds the asked thing, and its words as
    the person says them; `own` where it is about them, `paper` where the party has read it."""

    fact: Fact
    share: float
    held: bool
    said: str
    own: bool
    paper: bool


def _share(question: Question, text: str, more: frozenset[str] = frozenset(), alike: Alike | None = None) -> float:
    """The part of what is asked about that a text has, under any of its names."""
    if not question.asked:
        return 0.0
    own = roots(text) | more
    shared = sum(1 for each in question.asked if each in own or own & (alike or {}).get(each, frozenset()))
    return shared / len(question.asked)


def _alike(play: Play, question: Question) -> Alike:
    """What else the things that are asked about are called."""
    found: dict[str, frozenset[str]] = {}
    for entity in play.known.entities:
        if entity.kind == "thing" and question.asked & (names := names_of(entity)):
            found |= dict.fromkeys(question.asked & names, names)
    return found


def _threshold(question: Question, text: str = "") -> float:
    if question.word == "whether" and question.you:
        return HALF
    if question.word == "whether" and question.matter:
        return HALF if roots(question.matter) & question.asked <= roots(text) else MOST
    asks_deed = re.search(
        r"(?i)\bwhat (?:do|did|does|has|had|have|would|will|could|(?:is|was|are"
        r"|were) (?:[\w'’-]+ ){1,3}[a-z]{2,}ing)\b",
        question.text,
    )
    return HALF if question.word == "event" or (question.word == "what" and not asks_deed) else MOST


def names_of(entity: Entity) -> frozenset[str]:
    """The roots of what somebody or something is called."""
    return frozenset(each for name in entity.names for each in roots(name))


def find(play: Play, person: Entity, question: Question, facts: Sequence[Fact]) -> Answer | None:
    """The best answer that the person has: of `facts`, which are open to them, and of the party's papers."""
    if not question.asked:
        return None
    known = play.known
    people = sorted({n for e in known.entities if e.kind in ("person", "group") for n in e.names})
    everybody = [each for each in known.entities if each.kind == "person"]
    spots = sorted((e.name for e in known.entities if e.kind in ("place", "part")), key=len, reverse=True)

    def without(text: str) -> str:  # a place is nobody
        for spot in spots if question.word == "who" else ():
            text = text.replace(spot, "there")
        return text

    found: list[tuple[float, int, Answer]] = []
    alike = _alike(play, question)
    for place, fact in enumerate(facts):
        owner = play.world.entities[fact.owner]
        mine = owner.id == person.id
        if question.you and not mine:
            continue
        if question.word == "whether" and not is_clause(fact.text):
            continue
        if fact.kind == "line" and question.asked <= _PERCEIVED:
            continue
        if fact.kind == "line" and question.word not in ("what", "event") and _share(question, fact.text) < WHOLE:
            continue
        if question.word in ("who", "why", "when", "whether") and fact.kind in ("part", "sense") and not _speaks(fact):
            continue
        more = names_of(owner) if not mine else frozenset[str]()
        more |= names_of(play.world.entities[owner.parent]) if owner.parent and not mine else frozenset[str]()
        share = _share(question, f"{fact.label} {fact.text}", more, alike)
        body = roots(f"{fact.label} {fact.text}")
        if not question.asked & body and not (more and question.asked <= more):
            continue
        held = holds(question, without(fact.text), people) or (question.word == "who" and mine)
        answer = Answer(fact, share, held, "", mine, False)
        whole = 0.0 if is_clause(fact.text) else -0.3
        own = 0.3 if mine and fact.kind != "line" else 0.0
        found.append((share + 0.4 * held + own + whole + _form(question, fact.text), -place, answer))
    for place, fact in enumerate(known.papers.facts):
        if len(fact.text) > LONGEST:
            continue
        share = _share(question, fact.text, alike=alike)
        headed = _headed(question, fact)
        if headed and not is_clause(fact.text):
            answer = Answer(fact, 1.0, True, f"{capital(question.matter)}? {ended(fact.text)}", False, True)
            found.append((2.5, -place - 500, answer))
            continue
        if share < _threshold(question, fact.text):
            continue
        if question.word == "why" and len(question.asked) < 2 and not _form(question, fact.text):
            continue
        about = subject_of(fact, known.papers.facts, everybody)
        mine = about is person
        if question.you and not mine:
            continue
        said = in_mouth(play, fact, person)
        if not said:
            continue
        held = holds(question, without(fact.text), people)
        if _WHAT_IS.search(question.text) and question.word == "who":
            held = _form(question, fact.text) > 0 or said.partition("?")[0] != said
        answer = Answer(fact, share, held, said, mine, True)
        found.append((share + 0.4 * held + 0.3 * mine + _form(question, fact.text), -place - 500, answer))
    found = [each for each in found if each[2].share >= _threshold(question, each[2].fact.text)]
    best = max(
        found,
        key=lambda each: (each[0] - (TOLD if was_told(play, person, each[2].fact) else 0.0), each[1]),
        default=None,
    )
    return best[2] if best is not None else None


def _headed(question: Question, fact: Fact) -> bool:
    """Whether a line stands under a heading that is the very thing that is asked about: `About the Vel'ashi`."""
    found = re.search(r"\bAbout ((?:the |The )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)", fact.label)
    return bool(
        found
        and _WHAT_IS.search(question.text)
        and question.asked
        and question.matter
        and question.asked <= roots(found[1])
    )


_PERCEIVED = roots("see hear notice carry say tell")
"""What somebody is asked for by these alone is no matter of their favourite saying."""


def what_happened(play: Play, person: Entity, word: str = "event") -> str:
    """What the party has read of what happened here, as the person says it: asked for without a word of the matter.

    `word` is what else must be in it: a time for `when` and `long`.
    """
    time = HOLDS.get(word)
    for fact in (*play.known.papers.before, *play.known.papers.facts):
        if len(fact.text) > LONGEST or re.search(r"(?i)\b(?:we|us)\b", fact.text) or was_told(play, person, fact):
            continue
        if re.search(
            r"(?i)\b(?:has|have|was|were) (?:\w+ )?(?:been|\w+ed|lost|gone)\b|\blost\b|\bdied\b", fact.text
        ) and (time is None or time.search(fact.text)):
            said = in_mouth(play, fact, person)
            if said:
                play.note(f"seen {fact.id}")
                play.note(f"done said {person.id} {fact.id}")
                play.productive = True
                return f"“{said.rstrip('.')},” says {play.known.call(person)}."
    return ""


def seen_of(play: Play, person: Entity, question: Question) -> str:
    """What is to be seen of somebody that a question points at: `what is that on your cuff`."""
    if (
        not re.search(r"(?i)\byour\b|\bthat on you\b", question.text)
        or not question.asked
        or question.word == "whether"
    ):
        return ""
    shown = [
        fact
        for fact in play.world.of.get(person.id, ())
        if fact.kind in ("looks", "habit") and not play.known.closed(fact)
    ]
    fit = next((fact for fact in shown if question.asked <= roots(fact.text)), None)
    if fit is None:
        return ""
    name = play.known.call(person)
    return f"{play.line('seen.of', name=name, Name=capital(name))} {play.tell(fit)}"


def _speaks(fact: Fact) -> bool:
    """Whether a description of a place says what people do there."""
    return bool(re.search(r"(?i)\b(?:keep|keeps|kept|lives?|built|wardens?|since|council|owner|people)\b", fact.text))


def _form(question: Question, text: str) -> float:
    """What is asked about stands at the beginning of a sentence about it; a long sentence says much else besides."""
    early = 0.2 if question.asked & roots(" ".join(text.split()[:4])) else 0.0
    known_as = re.match(r"(?i)\W*(?:the )?((?:[\w'’-]+ ){1,3}?)(?:is|are|was|were)\b", text)
    known_as = None if re.match(r"(?i)(?:most|some|many|few|no|all) ", text) else known_as
    defined = (
        bool(_WHAT_IS.search(question.text)) and known_as is not None and bool(question.asked & roots(known_as[1]))
    )
    early += 0.4 if defined else 0.0
    happened = (
        0.4 if question.word == "event" and re.search(r"(?i)\b(?:missing|not been seen|gone|lost)\b", text) else 0.0
    )
    return early + happened - (0.25 if len(text) > LONG else 0.0)


_WHAT_IS = re.compile(r"(?i)\b(?:who|what)(?:'s| exactly is| is| are| was| were)\b")
LONG = 190


def was_told(play: Play, person: Entity, fact: Fact) -> bool:
    """Whether this person has said it tonight, or it was told as what is there; not whether the party has read it."""
    return fact.id in play.memory.told or f"said {person.id} {fact.id}" in play.memory.done


def tell(play: Play, person: Entity, question: Question, answer: Answer) -> str:
    """The answer in the person's mouth; empty where they have said it before and nothing else is left to say."""
    name = play.known.call(person)
    slots = {"name": name, "Name": capital(name)}
    if was_told(play, person, answer.fact):
        if not answer.held or answer.share < WHOLE or _FOR_USE.search(question.text):
            return ""
        said = in_words(play, answer.fact, person) if not answer.paper else f"“{answer.said.rstrip('.')},” says {name}."
        lead = play.fresh("as.said") if said.startswith("“") else ""
        if lead or question.word == "whether":
            return f"“{lead} {said[1:]}" if lead else ""
        return play.fresh("again", **slots)
    partly = answer.share < WHOLE if question.word == "whether" else not answer.held
    matter = roots(question.matter) & question.asked
    named = bool(matter) and matter <= roots(answer.fact.text)
    near = answer.share >= (HALF if question.word == "whether" else WHOLE) and (answer.own if question.you else named)
    short = play.fresh(f"partial.{question.word}", **slots) if partly and near else ""
    if partly and not short:
        return ""
    if answer.paper:
        play.note(f"seen {answer.fact.id}")
        play.note(f"done said {person.id} {answer.fact.id}")
        play.productive = True
        told = f"“{answer.said.rstrip('.')},” says {name}."
    else:
        if answer.fact.gate == "trust":
            play.note(f"found {play.memory.found + 1}")
        play.tell(answer.fact, capital(play.known.call(person)))
        told = in_words(play, answer.fact, person)
    if not short:
        return told
    return f"“{short} {told[1:]}" if told.startswith("“") else f"“{short}” {told}"


def in_words(play: Play, fact: Fact, person: Entity) -> str:
    """A sentence of the folder as somebody says it, of themself or of another."""
    name = play.known.call(person)
    if fact.owner == person.id:
        said = re.match(r"(?:She|He|They) (?:says?|tells? \w+) (?:that )?(?=[A-Za-z])(.+)", fact.text)
        if said is not None and not re.search(r"(?i)\b(?:she|he|they|her|his|their)\b", said[1]):
            return f"“{quoted(ended(said[1])).rstrip('.')},” says {name}."
        return spoken(fact, person, name)
    return hearsay(play, fact, name)


def hearsay(play: Play, fact: Fact, name: str) -> str:
    """A sentence of the folder as somebody of that name says it of another."""
    owner = play.world.entities[fact.owner]
    text = fact.text
    if owner.kind == "person":
        text = re.sub(r"^(?:She|He|They)(?=['’]s |\b)", owner.short, text)
    elif not is_clause(text):
        return f"{capital(name)} speaks of {owner.the}: {lowered(text).rstrip('.')}."
    if "“" in text or '"' in text:
        return f"{capital(name)} tells you: {ended(text)}"
    return f"“{ended(text).rstrip('.')},” says {name}."


_FOR_USE = re.compile(
    r"(?i)\bwhat (?:is|'s|are|does|do|can) (?:it|this|that|the [\w' -]+?|these)(?: for| do| mean| made of)?\W*$"
    r"|\bhow does (?:it|this|that) work"
    r"|\bwhat(?:'s| is) (?:it|this|that)\b"
)


_STUFF = re.compile(
    r"(?i)\b(?:metal|wood|wooden|stone|iron|steel|brass|bronze|copper|silver|gold|glass|bone|cloth|paper|leather"
    r"|clay|made of)\b"
)
"""What a thing can be made of."""


def of_thing(play: Play, question: Question, named: str | None) -> str:
    """What a thing that the party has at hand is like or does, where that is asked: from its page, or its papers."""
    if question.word == "far" and named and (place := play.entity(named)) is not None and place.kind != "thing":
        return ""
    key = named or (play.memory.thing if re.search(r"(?i)\b(?:it|its)\b", question.text) else None)
    carried = [play.world.entities[each] for each in play.memory.carries if each in play.world.entities]
    thing = play.world.entities.get(key or "")
    held = re.search(r"(?i)\b(?:it|its|this|that)\b", question.text) is not None
    things = [thing] if thing is not None and thing.kind == "thing" else carried if held else []
    for each in things:
        if each.id not in play.known.names:
            continue
        facts = [
            fact
            for fact in play.world.of.get(each.id, ())
            if fact.kind in ("sense", "property") and fact.gate in ("open", "sight") and not play.known.closed(fact)
        ]
        wanted = question.asked - names_of(each) - {"look", "smell", "sound", "feel"}
        fresh = [fact for fact in facts if fact.id not in play.memory.told]
        fit = next((f for f in (*fresh, *facts) if wanted and wanted <= roots(f.text)), None)
        if fit is None and each is thing and _FOR_USE.search(question.text):
            used = [fact for fact in fresh if fact.kind == "property"]
            paper = recalled(play, replace(question, word="what", asked=names_of(each)))
            if not used and paper is not None:
                play.note(f"seen {paper.id}")
                return play.line("recall", fact=ended(to_you(paper.text)))
            made = [fact for fact in facts if _STUFF.search(fact.text)] if "made of" in question.text else []
            fit = next(iter((*made, *used, *fresh)), None)
        if fit is not None:
            play.note(f"thing {each.id}")
            return play.tell(fit)
    return ""


def recalled(play: Play, question: Question) -> Fact | None:
    """The line of the party's papers that answers a question, where nobody else is there to answer it."""
    if not question.asked:
        return None
    people = sorted({n for e in play.known.entities if e.kind in ("person", "group") for n in e.names})
    plain = replace(question, you=False)
    alike = _alike(play, question)
    scored = [
        (share + _form(question, fact.text), -place, fact)
        for place, fact in enumerate(play.known.papers.facts)
        if len(fact.text) <= LONGEST
        and (share := _share(plain, fact.text, alike=alike))
        >= (WHOLE if plain.word == "whether" else _threshold(plain))
        and holds(plain, fact.text, people)
        and f"seen {fact.id}" not in play.memory.lines
        and (plain.word != "why" or len(plain.asked) > 1 or _form(plain, fact.text) > 0)
    ]
    return max(scored, key=lambda each: each[:2])[2] if scored else None
