"""What the game master tells the party of itself: its errand, what it has found out, its wounds and its bags."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import abilities, decisions
from sottovoce.rulesets.tabletop.house.acts.answers import names_of
from sottovoce.rulesets.tabletop.house.acts.questions import Question, roots
from sottovoce.rulesets.tabletop.house.acts.surroundings import carries
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import to_you
from sottovoce.rulesets.tabletop.rules.lore.facts import Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended, listed, lowered, stem, words
from sottovoce.rulesets.tabletop.rules.resources import HIT_POINTS

_LABEL = re.compile(r"^[A-Z][A-Za-z' ]{2,28}: (?=[A-Z])")
_DULL = re.compile(r"(?i)^(?:current progress|given by|next steps?|status|last updated|type|date)\b")
_ERRAND = re.compile(r"(?i)\b(?:errand|objective|goal|mission|quest|task|assignment|job|charge)\b")
MOST = 3
"""Sentences that a summary has."""


def errand(play: Play, who: str, act: Act, question: Question) -> str:
    """What the party is here for, by its papers."""
    facts = [fact for fact in play.known.papers.facts if len(fact.text) <= LONGEST]
    pay = re.search(r"(?i)\b(?:paid|pay|get for)\b", act.text)
    if pay:
        found = [fact for fact in facts if re.search(r"(?i)\b(?:paid|pays?|silver|gold|reward|coins?)\b", fact.text)]
        return _in_words(play, found[:1]) or play.line("party.pay.none")
    if re.search(r"(?i)^\W*(?:\w+,? )?who\b", act.text):
        found = [
            f
            for f in facts
            if re.search(r"(?i)\b(?:sends?|sent|hired?|asks?|asked|wrote|gave|letter|charged)\b", f.text)
        ]
        return _in_words(play, found[:1]) or play.line("party.sent.none")
    aimed = [f for f in facts if re.match(r"(?i)(?:objective|goal|mission|task)\b", f.text)]
    found = aimed or [f for f in facts if _ERRAND.search(f.owner) and not _DULL.match(f.text)]
    told = _in_words(play, found[: 1 if aimed else MOST])
    return f"{play.line('party.errand')} {told}" if told else play.line("party.errand.none")


def recap(play: Play, who: str, act: Act, question: Question) -> str:
    """What the party knows: of the matter that is asked about, or of all that was found out last."""
    about = _about(question)
    papers = [f for f in play.known.papers.facts if len(f.text) <= LONGEST and not _DULL.match(f.text)]
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    told = [fact for fact in told if len(fact.text) <= LONGEST]
    if about:
        names = {e.id for e in play.known.entities if about <= names_of(e)}
        alike = frozenset[str]().union(*(names_of(play.world.entities[key]) for key in names))

        def fits_it(fact: Fact) -> bool:
            own = roots(fact.text)
            return fact.owner in names or about <= own or bool(alike & own)

        fits = [fact for fact in (*papers, *told) if fits_it(fact)]
        fits = fits or [f for f in (*papers, *told) if len(about) > 1 and 2 * len(about & roots(f.text)) > len(about)]
        fits.sort(key=lambda fact: (not (about & roots(" ".join(fact.text.split()[:4]))), fact.owner not in names))
        said = _in_words(play, fits[:MOST])
        if said:
            return f"{play.line('party.know')} {said}"
        matter = question.matter
        return play.line("party.know.none.of" if matter else "party.know.none", matter=matter, Matter=capital(matter))
    if re.match(r"(?i)\W*(?:\w+,? )?who\b", act.text):
        people = [e for e in play.known.entities if e.kind == "person" and e.id in play.known.names]
        lines = [next((f for f in papers if names_of(e) & roots(" ".join(f.text.split()[:3]))), None) for e in people]
        said = _in_words(play, [fact for fact in dict.fromkeys(lines) if fact is not None][:MOST])
        return f"{play.line('party.know')} {said}" if said else play.line("party.know.none")
    found = [f for f in told if f.kind in ("knows", "clue", "line", "told", "property", "history")][-MOST:]
    said = _in_words(play, found)
    if said:
        return f"{play.line('party.recap')} {said}"
    said = _in_words(play, [*play.known.papers.before, *papers][: 2 * MOST - 1])
    return f"{play.line('party.recap.papers')} {said}" if said else play.line("party.know.none")


_GENERIC = roots(
    "so far yet now until moment situation whole thing everything story here today yesterday night case matter"
)


def _about(question: Question) -> frozenset[str]:
    return question.asked - _GENERIC - _ASKED_FOR


_ASKED_FOR = roots(
    "actually really exactly learn learned learnt discover gathered remember recap remind summary state found heard"
    " told"
)


def _in_words(play: Play, facts: list[Fact]) -> str:
    """Sentences of the papers, or told tonight, as the game master says them to the party."""
    said = [ended(to_you(_owned(play, fact))) for fact in facts]
    for fact in facts:
        play.note(f"seen {fact.id}")
    return " ".join(dict.fromkeys(said))


def _owned(play: Play, fact: Fact) -> str:
    """A sentence that stands alone: whose it is, where it begins with `she`."""
    text = _LABEL.sub("", fact.text)
    owner = play.world.entities.get(fact.owner)
    if owner is None:
        return text
    if owner.kind == "person":
        call = capital(play.known.call(owner))
        if fact.kind == "line":
            return f"{call} said: “{re.sub(r'[“”]', '', text).rstrip('.')}.”"
        return re.sub(r"^(?:She|He|They)(?=['’]s |\b)", call, text)
    return text


def found(play: Play, who: str, act: Act, question: Question) -> str:
    """Whether the party has found anything: the last clue or word that it came upon tonight."""
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    last = [fact for fact in told if fact.kind in ("clue", "told", "property")][-1:]
    said = _in_words(play, last)
    return f"{play.line('party.found')} {said}" if said else play.line("party.found.none")


def said(play: Play, who: str, act: Act, question: Question) -> str:
    """What somebody has said tonight, on the matter that is asked about or at all."""
    person = next(
        (e for e in (play.entity(act.thing), play.entity(act.target)) if e is not None and e.kind == "person"), None
    )
    if re.search(r"(?i)\b(?:died|dead|dying|last words|at the end)\b", act.text):
        gone = [e for e in play.known.entities if e.kind == "person" and e.gone]
        lines = [
            fact
            for fact in play.known.papers.facts
            if len(fact.text) <= LONGEST
            and re.search(
                r"(?i)\b(?:said|says|mentioned|begged|told|charged|asked|warned|whispered|words)\b", fact.text
            )
            and (
                not gone
                or any(names_of(e) & roots(fact.text) for e in gone)
                or re.match(r"(?:She|He|They)\b", fact.text)
            )
        ]
        return _in_words(play, lines[:MOST]) or play.line("party.last.none")
    person = person or play.entity(play.memory.spoken) or play.entity(play.memory.last)
    if person is None:
        return play.line("party.said.none")
    name = play.known.call(person)
    slots = {"name": name, "Name": capital(name), "matter": question.matter or "that"}
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    own = [fact for fact in told if fact.owner == person.id and fact.kind in ("knows", "line", "told")]
    about = question.asked - names_of(person) - roots("say said tell told mention mean meant answer word")
    fits = [fact for fact in own if about & roots(fact.text)] if about else own[-2:]
    words_ = _in_words(play, fits[:2])
    if words_:
        return words_
    return play.line("party.said.nothing" if about or not own else "party.said.none", **slots)


def own(play: Play, who: str, act: Act, question: Question) -> str:
    """What goes on in the asking character's own head, which is theirs to say; or what the papers have."""
    text = act.text.casefold()
    if re.search(r"\b(?:know|recogni[sz]e|met|remember)\b", text):
        person = play.entity(act.thing) or play.entity(act.target)
        if person is None and re.search(r"\b(?:him|her|them)\b", text):
            person = play.entity(play.memory.spoken) or play.entity(play.memory.last)
        facts = [f for f in play.known.papers.facts if person is not None and names_of(person) & roots(f.text)]
        told = _in_words(play, facts[:2])
        return f"{play.line('party.know')} {told}" if told else play.line("party.know.not", who=play.name(who))
    if re.search(r"\bbeen\b", text):
        return play.line("party.been", who=play.name(who))
    return play.line("party.own", who=play.name(who))


def health(play: Play, who: str, act: Act, question: Question) -> str:
    """How badly somebody is hurt, by what is counted of them: the asking character, or each of the party."""
    if (found := re.search(r"(?i)\b(ac|armou?r class|level)\b", act.text)) is not None:
        name = "armor class" if found[1].casefold() != "level" else "class"
        value = play.table.sheet(who).fields.get(name, "")
        return f"{play.name(who)}: {name}, {value}." if value else play.line("party.sheet")
    named = next((each for each in play.table.state.played if play.name(each).casefold() in act.text.casefold()), None)
    if named is not None and named != who:
        return _health_of(play, named)
    everybody = re.search(r"(?i)\b(?:we|us|our|everyone|everybody)\b", act.text)
    return " ".join(_health_of(play, each) for each in (play.table.state.played if everybody else (who,)))


def _health_of(play: Play, who: str) -> str:
    name, now = play.name(who), play.table.amount(who, HIT_POINTS)
    held = play.table.state.resources.get((who, HIT_POINTS))
    most = held.most if held is not None else None
    if now is None or most is None:
        return play.line("party.whole", who=name)
    how = "down" if now <= 0 else "bad" if 2 * now < most else "hurt" if now < most else "whole.of"
    return play.line(f"party.{how}", who=name, now=str(now), most=str(most))


def kit(play: Play, who: str, act: Act, question: Question) -> str:
    """What somebody has: coin, spells, a thing that is asked for, or all of it; of several that are asked for, each."""
    low = act.text[:LONGEST].casefold()
    told = []
    if re.search(r"\b(?:money|gold|silver|coins?|cash|rich|afford|tokens?|credits?)\b", low):
        told.append(_coin(play, who))
    if re.search(r"\bspells?\b", low):
        told.append(_spells(play, who))
    if re.search(
        r"\b(?:carry|carrying|on me|with me|in (?:my|our) (?:pack|bags?|pockets?|purse|satchel|backpack|kit)"
        r"|inventory|have on|gear|weapons?)\b",
        low,
    ):
        told.append(_things(play, who))
    return " ".join(told) or _thing(play, who, act) or _things(play, who)


def _coin(play: Play, who: str) -> str:
    gold = play.table.amount(who, "gold")
    name = play.name(who)
    return play.line("party.gold", who=name, much=str(gold)) if gold else play.line("party.gold.none", who=name)


def _spells(play: Play, who: str) -> str:
    lines = abilities.open_lines(play.table.sheet(who))
    found = [re.split(r"[:(]| {2}", line)[0].strip() for under, line in lines if "spell" in under.casefold()]
    name = play.name(who)
    return (
        play.line("party.kit", who=name, things=listed(found[:4]))
        if found
        else play.line("party.spells.none", who=name)
    )


_WANTED = re.compile(
    r"(?i)\b(?:have|got|bring|carry|own|pack|any) (?:still )?(?:(?:an?|any|some|the|that|our|my|enough|something"
    r"|anything) )?"
    r"([\w' -]{2,40}?)(?: (?:left|with us|with me|on me|here|to|for|in|at hand|ready)\b[^?]*)?\W*$"
)


def _thing(play: Play, who: str, act: Act) -> str:
    """Whether somebody of the party has the thing that is asked for; empty where none is named."""
    text = act.text[:LONGEST]
    asked = None if re.match(r"(?i)\W*(?:\w+,? )?(?:what|which)\b", text) else _WANTED.search(text)
    nouns = (
        [word for word in words(asked[1]) if word not in ("i", "we", "any", "got", "with", "me", "us")] if asked else []
    )
    if not nouns:
        return ""
    noun = stem(nouns[-1])
    ours = [
        fact
        for fact in play.known.papers.facts
        if len(fact.text) <= LONGEST
        and noun in {stem(word) for word in words(fact.text)}
        and re.search(r"(?i)\b(?:we|us|our|carry|have|share|items?|held)\b", f"{fact.owner} {fact.text}")
    ]
    if ours:
        return _in_words(play, ours[:1])
    having = [each for each in (who, *play.table.state.played) if carries(play, each, noun)]
    what = " ".join(nouns)
    return (
        play.line("party.have", who=play.name(having[0]), what=what)
        if having
        else play.line("party.have.not", what=what)
    )


def _things(play: Play, who: str) -> str:
    """All that somebody carries, and what the party shares."""
    sheet, name = play.table.sheet(who), play.name(who)
    found = [weapon.lower() for weapon, _, _ in sheet.weapons] + [lowered(each) for each in abilities.gear(sheet)]
    found = [
        each
        if re.match(r"(?:the|an?|some|two|three|\d)\b", each) or each.endswith("s")
        else f"{'an' if each[0] in 'aeiou' else 'a'} {each}"
        for each in found
        if "unarmed" not in each.casefold()
    ]
    found += [e.the if (e := play.entity(key)) is not None else f"the {key}" for key in play.memory.carries]
    together = [lowered(each) if each.startswith("The ") else each for each, _ in play.known.papers.carries]
    found += [each if each.startswith("the ") else f"the {each}" for each in together]
    things = list({each.casefold(): each for each in reversed(found)}.values())[:-8:-1]
    ours = [f for f in play.known.papers.facts if re.match(r"(?i)we (?:share|carry|have)\b", f.text)]
    both = _in_words(play, ours[:1])
    if things:
        return f"{play.line('party.kit', who=name, things=listed(things))} {both}".strip()
    return both if both else play.line("party.kit.none", who=name)


def identity(play: Play, who: str, act: Act, question: Question) -> str:
    """Who somebody is, by the open lines of the sheet."""
    said = []
    for each in play.table.state.played if re.search(r"(?i)\bwe\b", act.text) else (who,):
        sheet = play.table.sheet(each)
        kind, past = abilities.trade(sheet)
        people = sheet.fields.get("people", "") or sheet.fields.get("race", "") or sheet.fields.get("species", "")
        about = ", ".join(part for part in (people.lower(), kind, past) if part)
        said.append(f"{play.name(each)}: {about}." if about else f"{play.name(each)}.")
    return " ".join(said)


def options(play: Play, who: str, act: Act, question: Question) -> str:
    """Three things that can be done here."""
    found = [lowered(each.rstrip(".")) for each in decisions.suggestions(play)]
    return play.line("party.options", options=listed(found, "or"))


def dice(play: Play, who: str, act: Act, question: Question) -> str:
    """When the dice are asked for."""
    return play.line("party.dice")
