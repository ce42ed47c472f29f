"""What is to be seen from where the party stands, what of it was told, and what more there is of what was told."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.surroundings import indoors
from sottovoce.rulesets.tabletop.house.acts.topics import fitting, is_ordinary, particular
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Fact
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, stem, stems, words


def look_around(play: Play, who: str) -> list[str]:
    """What is to be seen from where the party stands: the spot first, then the place, what else is near, and who."""
    known = play.known
    spot, place = known.spot, known.place
    told: list[str] = []
    around = (spot,) if indoors(play) and spot is not place else (spot, place)
    for owner in dict.fromkeys(each.id for each in around if each is not None):
        for fact in known.fresh(owner, "sense", "part")[:2]:
            told.append(show(play, fact))
        if told:
            break
    if not told and not indoors(play) and (seen := company.sight(play)):
        told.append(seen)
    named = [part.the for part in known.parts if f"seen {part.id}" not in play.memory.lines and part is not spot][:4]
    if named:
        for part in known.parts:
            if part.the in named:
                play.note(f"seen {part.id}")
        told.append(play.line("see.parts" if len(named) > 1 else "see.parts.one", parts=listed(named)))
    people = [known.call(each) for each in known.present if f"seen {each.id}" not in play.memory.lines][:3]
    if people:
        for each in known.present[:3]:
            play.note(f"seen {each.id}")
        told.append(play.line("see.people" if len(people) > 1 else "see.person", people=listed(people)))
    return [" ".join(told)] if told else [_in_short(play, who)]


def _in_short(play: Play, who: str) -> str:
    """Where the party is, what is near and who is here, once all has been told: the first time that it is asked for."""
    known = play.known
    if known.spot is None or f"short {known.spot.id}" in play.memory.done:
        return play.line("look.nothing", who=play.name(who))
    play.note(f"done short {known.spot.id}")
    parts = [part.the for part in known.parts if part is not known.spot][:4]
    people = [known.call(each) for each in known.present][:3]
    told = [play.line("look.short", name=known.spot.the)]
    told += [play.line("see.parts" if len(parts) > 1 else "see.parts.one", parts=listed(parts))] if parts else []
    told += [play.line("see.people" if len(people) > 1 else "see.person", people=listed(people))] if people else []
    return " ".join(told)


_CONTINUES = re.compile(
    r"(?:It|Its|They|Their|Them|One|He|She|His|Her|But|Both|Each|Some|Another|Others|Without|Unlike|When)\b"
    r"|The (?:\w+ ){1,3}of (?:it|them)\b"
)
"""How a sentence begins that speaks on of what the one before it named."""


def show(play: Play, fact: Fact) -> str:
    """Tell what is to be seen; a sentence that speaks on comes with the one before it, where that is long past."""
    before = next((f for f in play.world.of.get(fact.owner, ()) if f.text and fact.lead.endswith(f.text)), None)
    told = play.tell(fact)
    if before is None or before.id not in play.memory.told:
        return told
    # where both are told, so is what runs from the one into the other
    play.table.opened_facts.append(f"{before.text} {fact.text}")
    again = _CONTINUES.match(fact.text) and not fresh_in_mind(play, before)
    return f"{ended(before.text)} {told}" if again else told


def following(play: Play, fact: Fact) -> list[str]:
    """The sentence that follows in the same paragraph, where it speaks on of the same."""
    follow = [
        f
        for f in play.known.fresh(fact.owner, fact.kind)
        if f.lead == f"{fact.lead} {fact.text}".strip()
        and f.id.split(".md:")[1].split(".")[0] == fact.id.split(".md:")[1].split(".")[0]
    ]
    return [play.tell(follow[0])] if follow and len(fact.text) < 140 else []


def fits_here(play: Play, act: Act, topic: frozenset[str]) -> Fact | None:
    """Something to see here that has the very thing in it that the deed is about."""
    if not particular(topic):
        return None
    known = play.known
    facts: list[Fact] = []
    for owner in dict.fromkeys(
        each.id for each in (known.spot, known.place, *(() if is_ordinary(act) else known.parts)) if each is not None
    ):
        facts += known.fresh(owner, "sense", "part")
    if act.kind == "look":
        facts = [fact for fact in facts if not stems(fact.label) & stems("sounds smells feeling")]
    if re.search(r"(?i)\b(?:his|her|their)\b", act.text):
        for person in known.present:
            facts += known.fresh(person.id, "looks")
    return fitting(facts, act, particular(topic))


def matching_here(play: Play, act: Act, topic: frozenset[str]) -> str:
    """Tell something to see here that has to do with the deed; empty where there is nothing."""
    fit = fits_here(play, act, topic)
    return show(play, fit) if fit else ""


def told_here(play: Play, act: Act, topic: frozenset[str]) -> bool:
    """Whether something about the topic was to be seen here, and has been told."""
    return told_fact(play, act, topic) is not None


def more_of(play: Play, fact: Fact, head: str) -> str:
    """The next sentence of the same paragraph, where it speaks on of the same thing and was not told; or nothing."""
    same = fact.id.split(".md:")[1].split(".")[0]
    fresh = (f for f in play.known.fresh(fact.owner, fact.kind) if f.id.split(".md:")[1].split(".")[0] == same)
    follow = next((f for f in fresh if len(f.lead) > len(fact.lead)), None)
    speaks_on = follow is not None and (_CONTINUES.match(follow.text) or head in stems(follow.text))
    return play.tell(follow) if follow is not None and speaks_on else ""


RECENT = 2
"""Turns for which nobody needs to be told the same again."""


def fresh_in_mind(play: Play, fact: Fact, turns: int = RECENT) -> bool:
    """Whether a sentence was told in the last turns."""
    lines = play.memory.lines
    at = max((n for n, line in enumerate(lines) if line == f"told {fact.id}"), default=0)
    return sum(line.startswith("clock ") for line in lines[at:]) <= turns


def told_fact(play: Play, act: Act, topic: frozenset[str]) -> Fact | None:
    """What was told of something here: of this spot before other spots."""
    known = play.known
    if not particular(topic):
        return None
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    for owners in ({known.spot}, {known.place}, {*known.parts}):
        own = {each.id for each in owners if each is not None}
        fact = fitting([each for each in told if each.owner in own], act, particular(topic))
        if fact is not None:
            return fact
    return None


def regarded(play: Play, act: Act) -> Act:
    """A look that does not say at what: `closer`, `what is behind it?` It is at what was looked at last."""
    eyes, thing = play.memory.eyes, play.entity(act.target)
    unnamed = (
        thing is not None and act.target == play.memory.thing and not any(n in act.text.casefold() for n in thing.names)
    )
    if unnamed and (_HERE.search(act.text) or (eyes and eyes != act.target and not _READS.search(act.text))):
        act = replace(act, target=None, topic=act.topic - stems(" ".join(thing.names if thing is not None else ())))
    if not eyes or act.target is not None or _HERE.search(act.text):
        return act
    if not (_CLOSER.match(act.text) or (_IT.search(act.text) and not act.head)):
        return act
    entity = play.entity(eyes)
    if entity is not None:
        return replace(act, target=entity.id, topic=frozenset(), text=f"{act.text} {entity.the}")
    noun = stem(words(eyes)[-1])
    return replace(act, head=noun, topic=act.topic | {noun}, text=f"I look at {eyes}")


_CLOSER = re.compile(r"(?i)^\W*(?:[a-z']+,? ){0,6}closer(?: (?:look|to (?:it|them)))?(?: please| now)?\W*$")
_READS = re.compile(r"(?i)\b(?:read|unfold|turn|hold)")
_HERE = re.compile(r"(?i)\b(?:who|here|this place|the place)\b")
_IT = re.compile(r"(?i)\b(?:it|them)\b|\b(?:that|there|those|this)\W*$")


def eye(play: Play, who: str, what: str) -> None:
    """Remember what the person looked at last: an id, or a thing with its article."""
    if play.memory.eyes != what and is_persons(play, who):
        play.note(f"eyes {what}")


def is_persons(play: Play, who: str) -> bool:
    """Whether it is the person who does it, where one plays: `it` stands for what that one has before their eyes."""
    return not play.personal or who == play.table.state.character
