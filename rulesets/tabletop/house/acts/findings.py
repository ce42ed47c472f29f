"""What is found out by ear, nose and tongue, by counting and measuring, and by reading a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sottovoce.rulesets.tabletop.house.acts.outcomes import kind_of, outcome_of, somebody_dead
from sottovoce.rulesets.tabletop.house.acts.topics import deed_of, fitting, particular, pool, topic_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import is_clause, quoted, to_you
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended, stem, stems, words
from sottovoce.rulesets.tabletop.rules.resources import GOLD
from sottovoce.rulesets.tabletop.shown.deeds import bare

_SENSES = {
    "hear": (
        re.compile(
            r"(?i)(?:listen|hear|eavesdrop|overhear|prick up|put my ear|press my ear|lay my ear|cock|strain)\b"
            r"|(?:hold|put|press|lift)\b.*\bto my ear\b|lean (?:in|closer|over) (?:to|and) (?:listen|hear)\b"
        ),
        re.compile(r"(?i)\b(?:hear|sounds?|noises?|voices?|hums?|rings?|knocks?|hammers?|talks?|whispers?|ticks?)\b"),
    ),
    "smell": (
        re.compile(r"(?i)(?:smell|sniff|inhale|breathe in|take a (?:sniff|whiff|deep sniff))\b"),
        re.compile(r"(?i)\b(?:smell|smells|scent|reek|stink|odou?r|smoke|fragran\w+)\b"),
    ),
    "taste": (re.compile(r"(?i)(?:taste|lick(?! (?:my|our|his|her)\b))\b"), re.compile(r"(?i)\btastes?\b")),
}
"""How a deed of each sense begins, and what is to be perceived by it."""
_LABELS = {
    "hear": re.compile(r"(?i)sound|noise"),
    "smell": re.compile(r"(?i)smell|scent"),
    "taste": re.compile(r"(?i)taste"),
}
"""What a folder calls what is perceived so."""
_ASKED = {
    "hear": re.compile(
        r"(?i)\b(?:do|can|could|what do|what can) (?:i|we) hear\b|\bwhat(?:'s| is) that (?:noise|sound)"
    ),
    "smell": re.compile(r"(?i)\b(?:do|can|what do|what can) (?:i|we) smell\b|\bwhat(?:'s| is) that smell\b|smell like"),
}
_DOOR = re.compile(r"(?i)\b(?:doors?|walls?|windows?|keyhole|hatch|shutters?|gate|floor|ceiling|chimney)\b")
_AIR = re.compile(r"(?i)\bair\b|\b(?:smell|sniff)\W*$|\bhere\b|\banything\b|\baround\b")
_TALK = re.compile(
    r"(?i)\b(?:talk\w*|convers\w+|whisper\w*|gossip\w*|saying|say|says|said|speak\w*|discuss\w*|argu\w+|murmur\w*|tables?"
    r"|guests|patrons|people|they|them|others)\b"
)
_READS = re.compile(
    r"(?i)(?:try to )?(?:re-?read|read|skim|decipher|make out|leaf through|flip through|page through|study|go"
    r" (?:over|through)"
    r"|look (?:at|over|through|in|into)|examine|check|consult|open|unfold|unroll|inspect|see what(?:'s| is)"
    r" (?:in|on|written)|break (?:open )?the seal)\b"
)
_PAPERS = re.compile(
    r"(?i)\b(?:letters?|writ|notes?|papers?|books?|guest ?book|ledgers?|diary|journal|pages?|signs?|notices?"
    r"|orders|warrant"
    r"|contract|lists?|register|inscription|scrolls?|documents?|commission|bond|writing|message)\b"
)
_ERRAND = re.compile(
    r"(?i)\b(?:(?:sends?|sent|charged|hired|asked|tasked|ordered) us|we(?:'re| are) (?:to|sent)|we (?:must|were"
    r" sent|shall))\b"
)
"""What the party was sent for, as its own papers put it."""
_MONEY = re.compile(
    r"(?i)(?:check|count|see|look (?:at|in|into|through)|go through)\b.*\b(?:(?:my|our) (?:money|coins?|purse"
    r"|gold|silver|credits|pouch|wallet)"
    r"|how much (?:money|gold|silver|coin|i|we)\b)"
)
_OFFICIAL = re.compile(r"(?i)\b(?:writ|orders|warrant|commission|contract)\b")


def found_out(play: Play, who: str, act: Act) -> list[str]:
    """What a deed finds out that is none of the eyes; nothing where it is no such deed, or the folder has the"
    " answer."""
    text = bare(act.text[:LONGEST]).text
    kind = kind_of(act.text)
    if (_READS.match(text) and _PAPERS.search(text)) or re.match(r"(?i)(?:re-?)?read\b", text):
        told = _read(play, who, act)
    elif _MONEY.match(text):
        gold = play.table.amount(who, GOLD)
        told = play.line("came.money" if gold is not None else "came.money.some", who=play.name(who), points=str(gold))
    elif sense := _sense(act.text, text):
        told = _sensed(play, who, act, sense)
    elif _BODY.match(text) and somebody_dead(play):
        told = _body(play, who)
    elif kind in ("wounds", "pulse", "ready", "test", "peep"):
        told = outcome_of(play, who, act)
    elif kind in ("count", "measure", "compare", "behind", "box"):
        known = kind != "count" and (_plain_here(play, act) or act.target is not None)
        told = "" if known else outcome_of(play, who, act)
    else:
        return []
    asked = any(pattern.search(act.text[:LONGEST]) for pattern in _ASKED.values())
    return [" ".join(part for part in ("" if asked else deed_of(play, who, act), told) if part)] if told else []


_BODY = re.compile(
    r"(?i)(?:check|examine|inspect|look (?:at|over|for)|study|search|turn|lift|feel|see to)\b.*"
    r"\b(?:body|corpse|her wounds?|his wounds?|the wounds?|dead (?:woman|man)|remains)\b"
)
_HURT = re.compile(r"(?i)\b(?:wound\w*|fever\w*|injur\w*|hurt|blood\w*|stab\w*|poison\w*|burn\w*)\b")


def _body(play: Play, who: str) -> str:
    """What a dead body shows: what the party's papers say of its wounds."""
    facts = [fact for fact in play.known.papers.facts if _HURT.search(fact.text[:LONGEST])]
    fact = next((fact for fact in facts if f"seen {fact.id}" not in play.memory.lines), None)
    if fact is None:
        return play.line("came.body.none", who=play.name(who))
    play.note(f"seen {fact.id}")
    return play.line("came.body", who=play.name(who), told=ended(to_you(_LABEL.sub("", fact.text))))


def _sense(said: str, deed: str) -> str:
    for sense, (begins, _) in _SENSES.items():
        if begins.match(deed) or (sense in _ASKED and _ASKED[sense].search(said[:LONGEST])):
            return sense
    return ""


def _owners(play: Play) -> list[str]:
    known = play.known
    return list(dict.fromkeys(e.id for e in (known.spot, known.place, *known.parts) if e is not None))


def _plain_here(play: Play, act: Act) -> Fact | None:
    """A sentence of this place that has the very thing in it."""
    topic = particular(topic_of(play, act))
    facts = [fact for owner in _owners(play) for fact in play.known.fresh(owner, "sense", "part")]
    return fitting(facts, act, topic) if act.head and topic else None


def _sensed(play: Play, who: str, act: Act, sense: str) -> str:
    """What is to be heard, smelled or tasted here, by the folder and else as anywhere."""
    if sense == "hear" and _TALK.search(act.text) and not _DOOR.search(act.text):
        return _overheard(play, who)
    _, perceived = _SENSES[sense]
    label = _LABELS[sense]
    facts = [
        fact
        for owner in _owners(play)[:2]
        for fact in play.known.fresh(owner, "sense", "part")
        if label.search(fact.label[:LONGEST]) or perceived.search(fact.text[:LONGEST])
    ]
    named = _plain_here(play, act)
    entity = play.entity(act.target)
    if named is not None and perceived.search(named.text[:LONGEST]):
        return play.tell(named)
    if facts and not _DOOR.search(act.text) and (not act.head or entity is None):
        fit = next((fact for fact in facts if label.search(fact.label[:LONGEST])), facts[0])
        return play.tell(fit)
    if sense == "smell" and not _AIR.search(act.text):
        return play.line("came.smell.thing", who=play.name(who))
    where = ".door" if _DOOR.search(act.text) else ".thing" if re.search(r"(?i)\bto my ear\b", act.text) else ""
    return play.line(f"came.hear{where}" if sense == "hear" else f"came.{sense}", who=play.name(who))


def _overheard(play: Play, who: str) -> str:
    """What somebody who is here says to others: something that they would tell anybody."""
    for person in play.known.present:
        for fact in pool(play, person):
            if fact.gate == "open" and fact.owner != person.id and is_clause(fact.text) and len(fact.text) < 160:
                name = play.known.call(person)
                play.tell(fact, capital(name))
                return play.line("came.hear.said", who=play.name(who), name=name, said=quoted(ended(fact.text)))
    return play.line("came.hear.talk", who=play.name(who))


def _read(play: Play, who: str, act: Act) -> str:
    """What a paper says, as far as the party's own papers and its open properties have it."""
    thing = next((e for e in map(play.entity, (act.target, act.thing)) if e is not None and e.kind == "thing"), None)
    target = play.entity(act.target)
    if thing is None and target is not None and target.kind != "person":
        return ""
    read = next((each[10:] for each in reversed(play.memory.lines) if each.startswith("done read ")), "")
    act = replace(act, head=act.head or read) if thing is None else act
    if act.head and act.head != read:
        play.note(f"done read {act.head}")
    told = list(_stated(play, act, thing))
    if not told:
        here = _plain_here(play, act)
        return play.tell(here) if here is not None else play.line("came.read", who=play.name(who))
    fresh = [fact for fact in told if f"seen {fact.id}" not in play.memory.lines] or told
    for fact in fresh[:2]:
        play.note(f"seen {fact.id}")
    said = " ".join(ended(to_you(_LABEL.sub("", fact.text))) for fact in fresh[:2])
    errand = thing is None and bool(_ERRAND.search(fresh[0].text[:LONGEST]))
    return play.line("came.read.errand" if errand else "came.read.is", who=play.name(who), told=said)


_LABEL = re.compile(r"^[A-Z][A-Za-z' ]{2,28}: (?=[A-Z])")


def _stated(play: Play, act: Act, thing: Entity | None) -> Iterator[Fact]:
    """The sentences of the party's papers that tell of what a paper says."""
    facts = play.known.papers.facts
    noun = stem(words(thing.name)[-1]) if thing is not None else act.head
    if noun and noun not in {stem(word) for word in play.known.papers.words} and thing is None:
        return
    if _OFFICIAL.search(act.text) or noun in {stem(word) for word in ("writ", "warrant", "commission", "contract")}:
        yield from (fact for fact in facts if _ERRAND.search(fact.text[:LONGEST]))
        return
    own = {stem(word) for word in words(thing.name)} if thing is not None else {noun}
    wrote = [
        f for f in facts if re.search(r"(?i)\b(?:wrote|writes|asks? (?:us|you)|asked (?:us|you))\b", f.text[:LONGEST])
    ]
    for fact in facts:
        if fact in wrote and (noun in stems(fact.text) or own & stems(fact.text) or thing is not None):
            yield fact
    yield from (fact for fact in facts if fact not in wrote and noun in stems(fact.text) and not thing)
