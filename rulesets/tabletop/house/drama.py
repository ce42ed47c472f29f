"""What happens by itself at an open evening: how it opens, what comes up, the choice, and the end.

Written beats go first, in anybody's form (`story_beats.py`). Without them, whoever is to be met at the place comes by,
and trouble draws nearer with each thing that the party finds out. Towards the end the party is put before a choice;
what it decides, and what stays open, is what the evening ends with (`decisions.py`).
"""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.beginnings import told_place
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.story_beats import next_lines, question_answered
from sottovoce.rulesets.tabletop.house.telling import happening, is_clause, quoted, to_you
from sottovoce.rulesets.tabletop.rules.lore.facts import Fact, slug
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, lowered, sentences, stems

RECALLED = 2
"""What was found out that the next evening begins with."""


def open_evening(play: Play) -> list[str]:
    """Where the story stands, and what is to be seen there."""
    papers = play.known.papers
    told: list[str] = []
    again = bool(play.memory.at)
    if not again:
        where = told_place(play.known)
        if where is not None:
            play.note(f"at {where.id}")
        for carried, more in papers.carries:
            thing = next(
                (
                    e
                    for e in play.world.all("thing")
                    if slug(carried) == e.id or carried.casefold().removeprefix("the ") in e.names
                ),
                None,
            )
            play.note(f"carries {thing.id if thing else carried}")
            if thing is not None:
                play.note(f"thing {thing.id}")
            del more
    told.append(play.line("open.again" if again else "open"))
    told += _last_time(play) if again else []
    if papers.when and not again:
        told.append(ended(papers.when))
    story = [] if again else [fact.text for fact in papers.before] or sentences(papers.now)
    told += [
        ended(to_you(text)) for text in story if not re.search(r"(?i)this is the beginning|session \d|campaign", text)
    ][:5]
    spot = play.known.spot
    paragraphs = [" ".join(told)]
    if spot is not None:
        seen = [play.line("open.place", name=spot.the)]
        for owner in dict.fromkeys((spot.id, spot.parent)):
            facts = play.known.fresh(owner, "sense", "part") if owner else []
            if facts:
                seen.append(play.tell(facts[0]))
                break
        people = [play.known.call(each) for each in play.known.present][:3]
        if people:
            seen.append(play.line("see.people" if len(people) > 1 else "see.person", people=listed(people)))
        paragraphs.append(" ".join(seen))
    return paragraphs


def _last_time(play: Play) -> list[str]:
    """What the whole party found out on the evening before, and what it decided."""
    told: list[str] = []
    facts = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    learnt = [f for f in facts if f.gate in ("trust", "check") and f.owner in play.world.entities][-RECALLED:]
    if learnt:
        play.table.opened_facts += [fact.text for fact in learnt]
        what = " ".join(f"{play.world.entities[f.owner].short}: {ended(f.text)}" for f in learnt)
        told.append(play.line("open.learnt", what=what))
    if play.memory.settled:
        told.append(play.line("open.settled", what=lowered(play.memory.settled)))
    return told


def tick(play: Play) -> list[str]:
    """Go on by one turn: what happens by itself, if anything does."""
    play.note(f"clock {play.memory.clock + 1}")
    play.note(f"quiet {0 if play.productive else play.memory.quiet + 1}")
    answered = question_answered(play)
    if answered is not None:
        return answered
    told = next_lines(play)
    if told:
        return told
    # the more was found out and heard, the sooner trouble comes; and it comes to those who sit and wait
    noises = sum(2 if each.startswith("noise ") else each.startswith("word ") for each in play.memory.done) // 2
    due = play.memory.found // 2 + play.memory.clock // 9 + noises > len(_troubles(play))
    rested = not play.memory.troubled or play.memory.clock - play.memory.troubled >= 5
    if not rested:
        pass
    elif (due and play.memory.quiet >= 1) or (play.memory.quiet >= 4 and play.memory.clock > 10):
        trouble = _trouble(play)
        if trouble:
            play.note("quiet 0")
            play.note(f"troubled {play.memory.clock}")
            return trouble
    if play.memory.clock % 4 == 3 and (spoken_of := _way_on(play)):
        return spoken_of
    if company.due(play):
        met = _encounter(play)
        if met:
            play.note("quiet 0")
            return met
    if play.memory.quiet >= 2:
        passed = company.sight(play) or play.fresh("time")
        return [passed] if passed else []
    return []


def met_by_label(play: Play, called: str) -> str:
    """Those who are likely to be met at this place and are called so, once they were asked for; empty without any."""
    place = play.known.place
    wanted = stems(called)
    for fact in play.world.of.get(place.id, ()) if place is not None else ():
        if fact.kind != "encounter" or f"met {fact.id}" in play.memory.done:
            continue
        if wanted & stems(fact.label) and not play.known.shut(fact.label):
            play.note(f"done met {fact.id}")
            return _met(play, fact)
    return ""


def _encounter(play: Play) -> list[str]:
    """Somebody who is likely to be met at this place comes by."""
    place = play.known.place
    if place is None:
        return []
    for fact in play.world.of.get(place.id, ()):
        if fact.kind != "encounter" or f"met {fact.id}" in play.memory.done:
            continue
        play.note(f"done met {fact.id}")
        if met := _met(play, fact):
            return [met]
    strange = [each for each in company.about(play) if each.id not in play.memory.met]
    came = "" if strange or play.memory.clock <= SETTLED else company.visits(play)
    came = came or company.comes_and_speaks(play, "comes.quiet")
    return [came] if came else []


SETTLED = 12
"""Turns after which people come over from other places, and speak of them."""


def _way_on(play: Play) -> list[str]:
    """Somebody who is here speaks of another place that the party has heard of, and of what it has not seen there."""
    known = play.known
    if play.memory.clock < SETTLED:
        return []
    speaker = next((p for p in known.present if p.id in play.memory.met and play.memory.liking[p.id] > -3), None)
    if speaker is None:
        return []
    places = [each for each in known.entities if each.kind == "place" and each is not known.place]
    for place in places:
        fact = next(iter(known.from_afar(place)), None)
        if fact is not None:
            name = known.call(speaker)
            part = play.world.entities[fact.owner]
            text = quoted(play.tell(fact))
            told = text if part is place else _of_part(part.the, text)
            return [play.line("way.on", name=name, Name=capital(name), place=place.the, told=told)]
    return []


def _of_part(name: str, text: str) -> str:
    """What somebody says of a part of a place, as a sentence: `The Loft is the only dry floor.`"""
    if is_clause(text):
        return text
    is_one = re.match(r"(?i)(?:the|an?|one) ", text) is not None
    return ended(f"{name} is {lowered(text)}" if is_one else f"At {name} there is something to see: {lowered(text)}")


def _met(play: Play, fact: Fact) -> str:
    place = play.known.place
    assert place is not None
    people = [
        e
        for e in play.world.all("person")
        if not e.gone and place.id in {play.world.entities[k].parent or k for k in e.places}
    ]
    label = re.sub(r"^(?:the|an?) ", "", fact.label.casefold())
    person = next((e for e in people if label in e.offices or label in e.names), None)
    if person is not None:
        if person in play.known.present and not play.known.closed(fact) and happening(fact.text):
            return re.sub(r"^(?:He|She|They)\b", capital(play.known.call(person)), ended(play.tell(fact)))
        if person in play.known.present:
            return ""
        company.came(play, person)
        looks = play.known.fresh(person.id, "looks")
        name = play.known.call(person)
        told = play.line("comes", name=name, Name=capital(name))
        told = f"{told} {play.tell(looks[0])}" if looks else told
        return " ".join(part for part in (told, play.meet(person, visiting=True)) if part)
    closed = play.known.closed(fact) or not happening(fact.text)
    if fact.label and not play.known.shut(fact.label):
        if closed:
            return play.line("encounter.label", label=lowered(fact.label))
        return play.line("encounter", label=lowered(fact.label), text=lowered(play.tell(fact)).rstrip("."))
    if closed:
        return play.line("encounter.none")
    return (
        ended(play.tell(fact))
        if is_clause(fact.text) and not re.match(r"(?i)they\b", fact.text)
        else play.line("encounter.text", text=lowered(play.tell(fact)).rstrip("."))
    )


def _troubles(play: Play) -> list[str]:
    return [each for each in play.memory.done if each.startswith("trouble ")]


def _trouble(play: Play) -> list[str]:
    """The next trouble: what the place threatens with, where that may be said, and else the plain signs of it."""
    place = play.known.place
    for fact in play.world.of.get(place.id, ()) if place is not None else ():
        if (
            fact.kind == "trouble"
            and f"trouble {fact.id}" not in play.memory.done
            and not play.known.closed(fact)
            and not (fact.label and play.known.shut(fact.label))
        ):
            text = happening(fact.text)
            if text and is_clause(text):
                play.note(f"done trouble {fact.id}")
                play.tell(fact)
                return [text]
    stage = min(len(_troubles(play)), 5)
    signs = play.fresh(f"trouble.{stage}")
    play.note(f"done trouble sign {len(_troubles(play))}")
    return [signs] if signs else []
