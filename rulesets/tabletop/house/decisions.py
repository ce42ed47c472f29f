"""The choice that the party is put before, what it can do now, and what the evening ends with."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.places import arrive
from sottovoce.rulesets.tabletop.house.acts.topics import interests
from sottovoce.rulesets.tabletop.house.choices import choose
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import ended, lowered, stems

LENGTH = {True: 36, False: 8}
"""Turns after which the choice comes, with a person at the table and without."""


AFTER = 4
"""Turns that are left after it."""


def length_of(play: Play) -> int:
    """Turns after which the choice comes: few where there is next to nothing to find."""
    return LENGTH[play.personal] if play.world.facts or play.personal else 3


def choice_due(play: Play) -> bool:
    length = length_of(play)
    waiting = any(f"beat {beat.id}" not in play.memory.done and not beat.optional for beat in play.world.beats)
    settled = bool(play.world.beats) and not waiting and play.memory.clock >= length // 2 and play.memory.quiet >= 2
    if "choice" in play.memory.done and (
        not play.memory.postponed or play.memory.decided or play.memory.clock < play.memory.postponed + 4
    ):
        return False
    return not play.memory.decided and not play.memory.asks and (play.memory.clock >= length or settled)


def options(play: Play) -> list[tuple[str, str]]:
    """What the party can decide on now: what the beats say, else places and people that it has heard of."""
    found: list[tuple[str, str]] = []
    for beat in play.world.beats:
        if f"beat {beat.id}" not in play.memory.done:
            continue
        for text in beat.decisions:
            deed = re.sub(
                r"(?i)^(?:do|will|should|would|can) (?:they|the party|the players|the pcs|the characters) ", "", text
            ).rstrip("?. ")
            if deed != text.rstrip("?. ") and not play.known.shut(deed):
                play.table.opened_facts.append(text)
                found.append((deed[:1].upper() + deed[1:], "It is one of the things that you could do now."))
    for text in play.known.papers.questions if len(found) < 2 else ():
        deed = _deed(text)
        if deed and not play.known.shut(deed) and len(found) < 2:
            found.append((deed, "It is still open."))
    if len(found) < 3:
        been = {line.partition(" ")[2].partition("/")[0] for line in play.memory.lines if line.startswith("at ")}
        places = [
            e
            for e in play.known.entities
            if e.kind == "place" and e is not play.known.place and e.id in play.known.names and e.id not in been
        ]
        parts = [
            e
            for e in play.known.parts
            if not any(key in play.memory.told for key in (f.id for f in play.world.of.get(e.id, ())))
        ]
        found += [
            (f"Go to {each.the}", "You have heard of it, and have not looked there.") for each in (*places, *parts)[:2]
        ]
        people = [e for e in play.known.present if e.id in play.known.names][:1]
        found += [(f"Stay and win over {each.short}", "There is more to be learnt here.") for each in people]
    found.append(("Wait and see who moves first", "Whoever it is, you would rather not be the first."))
    return list(dict.fromkeys(found))[:4]


def _deed(question: str) -> str:
    """An open question as something to do about it."""
    bare = question.strip("?. ")
    if re.match(r"Who (?!is|are|was|were|did|does|do|will|should)\w+", bare) or re.match(
        r"What (?!is|are|was|were|did|does|do|will|should|has|have)\w+", bare
    ):
        return f"Find out {lowered(bare)}"
    found = re.match(r"Where (?:is|are) (.+)", bare)
    if found:
        return f"Look for {found[1]}"
    found = re.match(r"Should (?:we|they|the party) (.+)", bare)
    return f"{found[1][:1].upper()}{found[1][1:]}" if found else ""


def settle(play: Play, answer: str, labels: list[str]) -> list[str] | None:
    """Take what the party decided; None where it has to be asked back."""
    chosen = choose(answer, labels)
    if play.memory.meant and re.match(r"(?i)\W*(?:yes|yeah|aye|sure|that|right|exactly|ok)", answer):
        label = play.memory.meant
    elif chosen.option is not None and (chosen.sure or labels[chosen.option] == play.memory.meant):
        label = labels[chosen.option]
    elif play.memory.meant or chosen.option is None:
        label = ""
    else:
        play.note(f"meant {labels[chosen.option]}")
        return None
    if not label:
        play.note("meant ")
        play.note(f"postponed {play.memory.clock}")
        return []
    play.note("meant ")
    play.note(f"decided {label}")
    play.note(f"ends {play.memory.clock + AFTER}")
    play.productive = True
    told = [play.line("decided", what=lowered(label))]
    target = next((e for e in found_by(label, play.known.entities) if e.kind in ("place", "part")), None)
    if target is not None and re.search(r"(?i)\b(?:go|follow|head|travel|visit)\b", label):
        told += arrive(play, target)
    return told


def farewell(play: Play) -> list[str]:
    told = [play.line("end.told")]
    if play.memory.decided:
        told.append(play.line("end.decided", what=lowered(play.memory.decided)))
    return [" ".join(told)]


def summary(play: Play) -> tuple[str, str]:
    """What the evening came to, and what it leaves open."""
    learnt = [
        play.world.facts[key].text
        for key in play.memory.told
        if key in play.world.facts and play.world.facts[key].gate in ("trust", "check")
    ]
    names = play.table.listing(play.table.state.played)
    place = play.known.spot
    said = [f"{names} were last seen at {place.the}." if place else f"{names} came to the end of an evening."]
    if learnt:
        said.append(f"They found out: {' '.join(ended(text) for text in learnt[-2:])}")
    if play.memory.decided:
        said.append(f"They decided to {lowered(play.memory.decided)}.")
    known = {word for key in play.memory.told if key in play.world.facts for word in stems(play.world.facts[key].text)}
    questions = sorted(play.known.papers.questions, key=lambda text: len(stems(text) & known))
    hook = " ".join(ended(text) for text in questions[:2]) or (
        f"Next: {lowered(play.memory.decided)}." if play.memory.decided else "What comes next is for another evening."
    )
    return " ".join(said), hook


def suggestions(play: Play, moving: bool = True) -> list[str]:
    """Three things that can be done here now, in plain words; without `moving`, none that takes the party elsewhere."""
    known = play.known
    found: list[str] = []
    asked = play.memory.clock
    people = [each for each in known.present if play.memory.liking[each.id] > -4]
    if people:
        person = people[asked % len(people)]
        topics = interests(play, person)
        name = known.call(person)
        found.append(f"Ask {name} about {topics[asked % len(topics)]}" if topics else f"Persuade {name} to say more")
        if f"helped {person.id}" not in play.memory.done and asked % 3 == 2:
            found.append(f"Help {name}")
    unseen = [part for part in known.parts if known.fresh(part.id, "part")]
    if unseen:
        part = unseen[asked % len(unseen)]
        found.append(f"{'Go to' if asked % 2 and moving else 'Look at'} {part.the}")
    things = [play.world.entities[key] for key in play.memory.carries if key in play.world.entities]
    if things and known.fresh(things[0].id, "sense", "property"):
        found.append(f"Examine {things[0].the}")
    if people and len(found) < 3 and f"greeted {people[-1].id}" not in play.memory.done:
        found.append(f"Talk to {known.call(people[-1])}")
    rest = ["Search the place", "Wait and watch"] if asked % 2 else ["Wait and watch", "Search the place"]
    found += rest[: max(0, 3 - len(found))]
    return found[:3]


def manner_of_answer(acts: list[Act]) -> str:
    """How an answer to somebody's question is taken."""
    kinds = {act.kind for act in acts}
    text = " ".join(act.text for act in acts)
    if kinds & {"attack", "threaten"}:
        return "hostile"
    if kinds & {"lie", "hide", "no"} or re.search(
        r"(?i)\bnone of your|rather not|nothing to\b|\bwon't say|not tell", text
    ):
        return "evasive"
    return "cooperative"
