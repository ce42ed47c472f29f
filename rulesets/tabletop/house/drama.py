"""What happens by itself at an open evening: how it opens, what comes up, the choice, and the end.

Written beats go first, in anybody's form. Without them, whoever is to be met at the place comes by, and trouble draws
nearer with each thing that the party finds out. Towards the end the party is put before a choice; what it decides, and
what stays open, is what the evening ends with.
"""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.places import arrive
from sottovoce.rulesets.tabletop.house.acts.speech import beat_fact
from sottovoce.rulesets.tabletop.house.acts.topics import interests
from sottovoce.rulesets.tabletop.house.beginnings import told_place
from sottovoce.rulesets.tabletop.house.choices import choose
from sottovoce.rulesets.tabletop.house.grammar import Act
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.telling import happening, is_clause
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact, StoryBeat, slug
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, lowered, sentences, stems

LENGTH = {True: 36, False: 8}
"""Turns after which the choice comes, with a person at the table and without."""
RECALLED = 2
"""What was found out that the next evening begins with."""
AFTER = 4
"""Turns that are left after it."""
_ARRIVES = re.compile(r"(?i)\b(?:arrives?|approaches|comes|enters|appears|walks in|returns|steps|bursts)\b")
_LEAVES = re.compile(r"(?i)\b(?:leaves?|goes out|departs|withdraws)\b")
_WE = (
    (re.compile(r"\bWe['’]re\b"), "You’re"),
    (re.compile(r"\bwe['’]re\b"), "you’re"),
    (re.compile(r"\bWe['’]ve\b"), "You’ve"),
    (re.compile(r"\bwe['’]ve\b"), "you’ve"),
    (re.compile(r"\bWe\b"), "You"),
    (re.compile(r"\bwe\b"), "you"),
    (re.compile(r"\bOur\b"), "Your"),
    (re.compile(r"\bour\b"), "your"),
    (re.compile(r"\bus\b"), "you"),
    (re.compile(r"\bours\b"), "yours"),
)


def to_you(text: str) -> str:
    """The party's own notes, as the GM tells them."""
    for pattern, instead in _WE:
        text = pattern.sub(instead, text)
    return text


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


# what comes up


def tick(play: Play) -> list[str]:
    """Go on by one turn: what happens by itself, if anything does."""
    play.note(f"clock {play.memory.clock + 1}")
    play.note(f"quiet {0 if play.productive else play.memory.quiet + 1}")
    answered = _answered(play)
    if answered is not None:
        return answered
    told = _beats(play)
    if told:
        return told
    # the more was found out, the sooner trouble comes; and it comes to those who sit and wait
    due = play.memory.found // 2 + play.memory.clock // 9 > len(_troubles(play))
    rested = not play.memory.troubled or play.memory.clock - play.memory.troubled >= 5
    if not rested:
        pass
    elif (due and play.memory.quiet >= 1) or (play.memory.quiet >= 4 and play.memory.clock > 10):
        trouble = _trouble(play)
        if trouble:
            play.note("quiet 0")
            play.note(f"troubled {play.memory.clock}")
            return trouble
    if play.memory.quiet >= 2 or play.memory.clock % 4 == 0:
        met = _encounter(play)
        if met:
            play.note("quiet 0")
            return met
    if play.memory.quiet >= 2:
        passed = company.sight(play) or play.fresh("time")
        return [passed] if passed else []
    return []


def _beats(play: Play) -> list[str]:
    """The next lines of a written beat."""
    if play.memory.asks:
        return []
    for beat in play.world.beats:
        if f"beat {beat.id}" in play.memory.done:
            continue
        if (
            beat.optional
            and "rested" not in play.memory.done
            and not (play.memory.quiet >= 3 and play.memory.clock > 8)
        ):
            continue
        if play.productive and play.memory.clock % 2 and play.memory.quiet < 2:
            return []
        return _go_on(play, beat)
    return []


def _lines(beat: StoryBeat) -> list[tuple[int, str]]:
    return list(enumerate(beat.happens))


def _go_on(play: Play, beat: StoryBeat) -> list[str]:
    told: list[str] = []
    people = [e for e in play.world.all("person") if not e.gone]
    for place, raw in _lines(beat):
        key = f"{beat.id} {place}"
        if key in play.memory.done:
            continue
        if len(told) >= 2:
            break
        play.note(f"done {key}")
        lead = _lead(play, beat)
        text = happening(raw, _name(play, lead) if lead else "")
        if not text:
            continue
        who = found_by(raw, people)
        if who and _ARRIVES.search(raw) and who[0] in play.known.present and re.search(r"(?i)\barrives?\b", raw):
            continue
        for each in who:
            if each.id not in play.known.names:
                play.note(f"met {each.id}")
        if who and _ARRIVES.search(raw):
            play.note(f"here {who[0].id}")
            play.note(f"last {who[0].id}")
        if who and _LEAVES.search(raw):
            play.note(f"away {who[0].id}")
        play.table.opened_facts.append(raw)
        told.append(text)
    if told:
        return [" ".join(told)]
    lead = _lead(play, beat)
    asked = sum(1 for each in play.memory.done if each.startswith(f"asked {beat.id} "))
    if lead is not None and asked < len(beat.questions) and lead in play.known.present:
        question = beat.questions[asked]
        play.note(f"done asked {beat.id} {asked}")
        play.note(f"asks {beat.id}")
        play.note(f"last {lead.id}")
        play.table.opened_facts.append(question)
        return [play.line("question", question=question.rstrip(), name=_name(play, lead))]
    play.note(f"done beat {beat.id}")
    if lead is None or not beat.questions:
        facts = [Fact(f"{beat.id}/{n}", "told", "beat", "", text) for n, text in enumerate(beat.told)]
        if facts and not beat.questions and not re.match(r"(?i)if\b", facts[0].text):
            return (
                [beat_fact(play, facts[0], None)]
                if is_clause(facts[0].text)
                else [play.line("left", what=lowered(facts[0].text.rstrip(".")))]
            )
    return []


def _name(play: Play, person: Entity) -> str:
    return play.known.call(person)


def _lead(play: Play, beat: StoryBeat) -> Entity | None:
    """Whose beat it is: the first person whom it names."""
    found = found_by(" ".join((*beat.happens, beat.title)), [e for e in play.world.all("person") if not e.gone])
    return found[0] if found else None


def _answered(play: Play) -> list[str] | None:
    """What somebody makes of the answer to their question; None where nobody was asked."""
    if not play.memory.asks:
        return None
    beat = next((each for each in play.world.beats if each.id == play.memory.asks), None)
    play.note("asks ")
    if beat is None:
        return None
    lead = _lead(play, beat)
    if lead is None or lead not in play.known.present:
        return None
    play.note(f"answer {beat.id} {play.manner}")
    asked = sum(1 for each in play.memory.done if each.startswith(f"asked {beat.id} "))
    if asked < len(beat.questions):
        said = play.fresh(f"answer.{play.manner}", name=_name(play, lead), Name=_capital(_name(play, lead)))
        question = beat.questions[asked]
        play.note(f"done asked {beat.id} {asked}")
        play.note(f"asks {beat.id}")
        play.table.opened_facts.append(question)
        return [
            " ".join(part for part in (said, play.line("question", question=question, name=_name(play, lead))) if part)
        ]
    weigh = {"cooperative": 1.0, "evasive": 1.5, "hostile": 3.0}
    scores = {
        how: weight * sum(1 for one, mode in play.memory.answers if one == beat.id and mode == how)
        for how, weight in weigh.items()
    }
    outcome = max(scores, key=lambda how: scores[how])
    play.note(f"done beat {beat.id}")
    if outcome == "cooperative":
        play.note(f"done told {beat.id} {lead.id}")
        play.like(lead.id, 1)
    else:
        play.like(lead.id, -1)
    subject = {"she": "She", "he": "He"}.get(lead.pronoun, "They")
    raw = next((text for label, text in beat.outcomes.items() if outcome in label or label in outcome), "")
    told = []
    for sentence in sentences(raw):
        if re.search(r"(?i)\b(?:may|might|should|if|players?|unless|could)\b", sentence) or re.match(
            r"Not\b", sentence
        ):
            continue
        sentence = re.sub(r"^(\w+s) them\b", lambda m: f"{subject} {m[1].lower()} you", sentence)
        sentence = re.sub(
            r"^(Warns|Offers|Does|Calls|Lets|Grows|Asks|Gives|Tells|Refuses|Leaves|Takes|Demands)\b",
            lambda m: f"{subject} {m[1].lower()}",
            sentence,
        )
        sentence = re.sub(r"(?i)\bthe party\b", "you", re.sub(r"\bthem\b", "you", sentence))
        told.append(ended(sentence))
    play.table.opened_facts.append(raw)
    fact = None
    if outcome == "cooperative" and beat.told:
        fact = Fact(f"{beat.id}/0", "told", "beat", lead.id, beat.told[0])
    parts = [" ".join(told)] if told else []
    if fact is not None:
        parts.append(beat_fact(play, fact, lead))
    return parts or [play.line(f"answer.{outcome}", name=_name(play, lead), Name=_capital(_name(play, lead)))]


def _encounter(play: Play) -> list[str]:
    """Somebody who is likely to be met at this place comes by."""
    place = play.known.place
    if place is None:
        return []
    for fact in play.world.of.get(place.id, ()):
        if fact.kind != "encounter" or f"met {fact.id}" in play.memory.done:
            continue
        play.note(f"done met {fact.id}")
        return [_met(play, fact)]
    absent = [
        e
        for e in play.world.all("person")
        if not e.gone
        and place.id in {play.world.entities[k].parent or k for k in e.places}
        and e not in play.known.present
        and e.id not in play.memory.away
    ]
    if absent and f"came {absent[0].id}" not in play.memory.done and absent[0].id in play.known.names:
        person = absent[0]
        play.note(f"done came {person.id}")
        play.note(f"here {person.id}")
        looks = play.known.fresh(person.id, "looks")
        return [play.line("comes", name=_capital(_name(play, person))) + (f" {play.tell(looks[0])}" if looks else "")]
    return []


def _met(play: Play, fact: Fact) -> str:
    place = play.known.place
    assert place is not None
    people = [
        e
        for e in play.world.all("person")
        if not e.gone and place.id in {play.world.entities[k].parent or k for k in e.places}
    ]
    label = fact.label.casefold().removeprefix("the ")
    person = next((e for e in people if label in e.offices or label in e.names), None)
    if person is not None:
        if person not in play.known.present:
            play.note(f"here {person.id}")
        looks = play.known.fresh(person.id, "looks")
        return play.line("comes", name=_capital(_name(play, person))) + (f" {play.tell(looks[0])}" if looks else "")
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


# the choice and the end


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
        places = [
            e
            for e in play.known.entities
            if e.kind == "place" and e is not play.known.place and e.id in play.known.names
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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
