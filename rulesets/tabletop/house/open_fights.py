"""A fight of an open evening: who is fought, and what becomes of lines that are no blows.

Whoever surrenders or runs ends it. Words to the foe are decided by dice, and hold the blows back until then. Any other
deed is done and told, while the rest fight on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sottovoce.rulesets.tabletop.house import fights, struggle
from sottovoce.rulesets.tabletop.house.acts import EFFECTS
from sottovoce.rulesets.tabletop.house.beats import Ask, Beat, Fight
from sottovoce.rulesets.tabletop.house.ledger import Done
from sottovoce.rulesets.tabletop.house.parts import Track
from sottovoce.rulesets.tabletop.house.play import HOSTILE, Play, capital
from sottovoce.rulesets.tabletop.house.subjects import subject_of
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import in_third_person
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD
from sottovoce.rulesets.tabletop.rules.resources import CONDITIONS, GOLD, HIT_POINTS

FIGHTS = 900
"""The numbers of fights begin here, where no beat sheet's do."""
_THEIR = {"he": ("his", "him"), "she": ("her", "her"), "they": ("their", "them")}


@dataclass(frozen=True, slots=True)
class Line:
    """The person's line in a fight: whose it is, its acts, and what it means."""

    who: str
    text: str
    acts: tuple[Act, ...]
    means: str


def begin(play: Play, track: Track) -> None:
    """Blows begin to fall: between the party and whoever was struck at."""
    assert play.fight is not None
    number = FIGHTS + 1 + sum(1 for each in play.table.ledger.steps if each > FIGHTS)
    play.note(f"done fight {number} {play.fight[1]}")
    beat = _beat(play, number, play.fight[1])
    play.table.mark(beat, "opened")
    fights.begin(play.table, track, beat)


def running(play: Play) -> int:
    """The number of the fight that goes on; 0 where there is none."""
    steps = play.table.ledger.steps
    going = [number for number, each in steps.items() if number > FIGHTS and not each[-1][0].startswith("closed")]
    return going[-1] if going else 0


def go_on(play: Play, track: Track, deeds: Sequence[tuple[Done, Sequence[Act]]]) -> str | None:
    """The next step of the fight: what is told at its end, None while it goes on. `deeds` are the person's own."""
    table = play.table
    number = running(play)
    foe = next((each.split(" ", 2)[2] for each in play.memory.done if each.startswith(f"fight {number} ")), "")
    beat = _beat(play, number, foe)
    assert beat.fight is not None
    word, _, of = (table.ledger.step(number) or "").partition(" ")
    turn = int(of) if of.isdigit() else 1
    line = _line(play, beat, turn, deeds)
    prose: str | None = None
    if word == "parley" and line is not None:
        prose = _heard(play, track, beat, turn, line, foe)
        if prose is None:
            return None
    elif word == "round" and line is not None and line.means in ("yield", "flee", "talk"):
        if line.means == "talk":
            _roll_words(play, beat, turn, line)
            return None
        prose = _given_up(play, beat, line, foe) if line.means == "yield" else _fled(play, beat, line)
    else:
        over = fights.go_on(table, track, beat, _instead(play, beat, turn, line, word))
        if over is None:
            return None
        topic = "fight.won" if over.won else "fight.lost"
        prose = f"{over.prose}\n\n{_say(play, beat, topic)}"
        if over.won and play.entity(foe) is not None:
            play.note(f"away {foe}")
    table.record([f"The party came to blows with {beat.fight.foe}."], track.members)
    table.mark(beat, "closed")
    for person in play.known.present[:3]:
        play.like(person.id, -1)
    return prose


def _beat(play: Play, number: int, foe: str) -> Beat:
    entity = play.entity(foe)
    name = play.known.call(entity) if entity else "the stranger"
    armor, points = (entity.armor, max(6, min(30, entity.hit_points))) if entity else (12, 9)
    fight = Fight(name, armor, points, 3, "dexterity", 12, "1d6", None, ())
    asks = (Ask((), "COMBAT_ACTION", f"You face {name}.", "It has come to blows.", f"What do you do about *{name}*?"),)
    return Beat(number, f"A fight with {name}", "", asks=asks, fight=fight)


def _line(play: Play, beat: Beat, turn: int, deeds: Sequence[tuple[Done, Sequence[Act]]]) -> Line | None:
    """What the person said in this round."""
    since = play.table.ledger.since(beat.number, f"round {turn}")
    mine = [(deed, acts) for deed, acts in deeds if deed.seq > since]
    if not mine:
        return None
    deed, acts = mine[-1]
    party = [name for key, name in play.table.names.items() if key != deed.character]
    return Line(deed.character, deed.text[:LONGEST], tuple(acts), struggle.meaning(deed.text, acts, party))


def _say(play: Play, beat: Beat, topic: str, line: Line | None = None, **more: str) -> str:
    assert beat.fight is not None
    foe = beat.fight.foe
    key = next((each.split(" ", 2)[2] for each in play.memory.done if each.startswith(f"fight {beat.number} ")), "")
    entity = play.entity(key)
    their, them = _THEIR[entity.pronoun if entity else "they"]
    who = play.name(line.who) if line else ""
    return play.line(topic, foe=foe, Foe=capital(foe), who=who, their=their, them=them, **more)


def _deed(play: Play, line: Line) -> str:
    """The line as it is told of the character; words of its own stay its own."""
    name = play.name(line.who)
    text = re.sub(r"\bus\b", "them", " ".join(line.text.split())) if "“" not in line.text else line.text
    if re.match(r"(?i)\W*(?:i|we)\b", text):
        told = in_third_person(text.lstrip(), name, play.table.sheet(line.who).pronouns)
        if told:
            return told
    if re.match(rf"{re.escape(name)}\b", text):
        return text if text.endswith((".", "!", "”")) else f"{text}."
    if re.match(r"[A-Za-z]+ ", text) and line.means not in ("talk", "aside", "yield", "flee"):
        told = in_third_person(f"I {text[0].lower()}{text[1:]}", name, play.table.sheet(line.who).pronouns)
        if told:
            return told
    bare = re.sub(r"[\"“”]", "", text).strip()
    return f"“{bare}” says {name}." if bare[-1:] in "?!" else f"“{bare.rstrip('.,')},” says {name}."


# the end of it


def _given_up(play: Play, beat: Beat, line: Line, foe: str) -> str:
    """The other side stops, and may take a price."""
    assert beat.fight is not None
    table = play.table
    gold = table.amount(line.who, GOLD) or 0
    told = [_deed(play, line), _say(play, beat, "fight.yield", line)]
    if gold and table.random.random() < 0.5:
        price = min(gold, 3)
        table.change(line.who, GOLD, f"-{price}")
        told.append(_say(play, beat, "fight.price", line, price=f"{price} in gold"))
        table.record([f"{play.name(line.who)} gave up the fight with {beat.fight.foe}, and paid {price} in gold."])
    else:
        told.append(_say(play, beat, "fight.terms", line))
        table.record([f"{play.name(line.who)} gave up the fight with {beat.fight.foe}, who let the party be."])
    return " ".join(told)


def _fled(play: Play, beat: Beat, line: Line) -> str:
    """Whoever runs gets away, and the rest with them; where to is told if there is a way."""
    assert beat.fight is not None
    play.table.record([f"The party ran from {beat.fight.foe}."])
    told = f"{_deed(play, line)} {_say(play, beat, 'fight.fled', line)}"
    going = next((act for act in line.acts if act.kind == "go" and play.entity(act.target) is not None), None)
    if going is None:
        return told
    return "\n\n".join((told, *EFFECTS["go"](play, line.who, going)))


# words


def _check(beat: Beat, turn: int) -> str:
    assert beat.fight is not None
    return f"persuasion: a word to {beat.fight.foe}, round {turn}"


def _roll_words(play: Play, beat: Beat, turn: int, line: Line) -> None:
    """The dice that say whether the foe listens, and those of the blow that falls if not."""
    table, fight = play.table, beat.fight
    assert fight is not None
    sheet = table.sheet(line.who)
    table.reply.roll(line.who, _check(beat, turn), f"1d20{sheet.bonus('persuasion'):+d}", HARD)
    table.reply.roll(
        line.who, fights.check_of(fight.dodge, turn, fight), f"1d20{sheet.bonus(fight.dodge):+d}", fight.dodge_dc
    )
    table.reply.roll(line.who, fights.check_of("harm", turn, fight), fight.harm)
    table.mark(beat, f"parley {turn}")


def _heard(play: Play, track: Track, beat: Beat, turn: int, line: Line, foe: str) -> str | None:
    """What came of words to the foe: the end of the fight, or a blow and the next round."""
    assert beat.fight is not None
    table = play.table
    asked = table.ledger.since(beat.number, f"round {turn}")
    fallen = table.ledger.rolled(asked, _check(beat, turn), line.who)
    said = _deed(play, line)
    if fallen is not None and fallen.total >= HARD:
        told = f"{said} {_say(play, beat, 'fight.heard', line)}"
        table.record([f"{beat.fight.foe} let {play.name(line.who)} talk, and the fight ended."])
        asks = next((act for act in line.acts if act.kind == "ask"), None)
        person = play.entity(foe)
        if person is not None and play.memory.liking[foe] <= HOSTILE:
            play.like(foe, HOSTILE + 1 - play.memory.liking[foe])
        if asks is None or person is None or not line.text.rstrip(' "”').endswith("?"):
            return told
        return "\n\n".join((told, *EFFECTS["ask"](play, line.who, replace(asks, target=foe, nobody=""))))
    told = f"{said} {_say(play, beat, 'fight.unheard', line)}"
    fights.answer_words(table, track, beat, turn, told)
    return None


# other deeds


def _instead(play: Play, beat: Beat, turn: int, line: Line | None, word: str) -> fights.Instead | None:
    """What the person does in this round in place of a blow; None for a blow."""
    if line is None or line.means == "blow":
        return None
    if word != "struck":
        return fights.Instead(line.who, "", line.means == "shield", line.means == "hide")
    return fights.Instead(line.who, _done(play, beat, line), line.means == "shield", line.means == "hide")


def _done(play: Play, beat: Beat, line: Line) -> str:
    deed = _deed(play, line)
    other = next((key for key, name in play.table.names.items() if key != line.who and name in line.text), "")
    name = play.name(other) if other else ""
    if line.means == "aside" and other:
        return f"{deed} {play.line('fight.friend', name=name)}"
    if line.means == "aside":
        subject = subject_of(line.text) or "that"
        return f"{deed} {_say(play, beat, 'fight.aside', line, subject=subject, Subject=capital(subject))}"
    if line.means == "shield":
        return f"{deed} {_say(play, beat, 'fight.shield', line, name=name or 'the others')}"
    if line.means == "tend" and other:
        return f"{deed} {_tended(play, other)}"
    if line.means == "look":
        found = EFFECTS["look"](play, line.who, replace(line.acts[0], kind="look")) if line.acts else []
        seen = " ".join(found).replace(deed, "").strip()
        return " ".join(part for part in (deed, seen, _say(play, beat, "fight.look", line)) if part)
    return f"{deed} {_say(play, beat, 'fight.hidden' if line.means == 'hide' else 'fight.deed', line)}"


def _tended(play: Play, other: str) -> str:
    """A friend is helped in the middle of it: up from the ground, or with a wound."""
    table, name = play.table, play.name(other)
    held = table.amount(other, HIT_POINTS)
    most = re.search(r"(?i)hit points[^0-9\n]{0,12}[0-9]{1,3} ?/ ?([0-9]{1,3})", table.sheet(other).text)
    if table.fallen(other):
        table.change(other, HIT_POINTS, "1")
        table.change(other, CONDITIONS, "-unconscious")
        return play.line("fight.raised", name=name)
    if held is not None and most and held < int(most[1]):
        table.change(other, HIT_POINTS, "+1")
        return play.line("fight.tended", name=name)
    return play.line("fight.whole", name=name)
