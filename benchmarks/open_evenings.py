"""How the built-in game master plays an evening in the open: what acts, who is met, what it costs: `make evenings`.

    python benchmarks/open_evenings.py
    python benchmarks/open_evenings.py FOLDER --lines FILE --evenings 12 --inputs 40

A person's part is lines of FILE, one a line up to its first `|`, 40 of them an evening. Evening 1 begins with the first
and evening 2 with the one after the last of evening 1; at the end of the file it begins again. A line labelled `end` is
left out. Seeds are 1, 2, 3, and so on. Without FILE the lines for the folder of the tests are those labelled there. For
any other folder they are plain forms, filled with the people, places and things that the party has heard of by then.

An input **acts** if, through what the game master makes of it, a fact is told for the first time, or what the log keeps
of the world is another afterwards: where the party is, who was met, who likes them how well, what they carry, what was
done once and for all, a fight, a decision; or if one of the party is asked and answers. A roll that failed, a place
that was named and whatever else happens in the same turn count for nothing. `--idle` prints the inputs that did not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "kit"))

from evenings import documents, folder
from worlds import FOLDERS, HERE, Person, documents_of, heard, open_evening

from sottovoce import Refused
from sottovoce.agents.house import HouseAgent
from sottovoce.rulesets.tabletop.house import open_evening as house
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.rules.documents.folder import roster_of
from sottovoce.rulesets.tabletop.rules.lore import beats, facts, papers, things
from sottovoce.rulesets.tabletop.rules.lore import people as of_people
from sottovoce.rulesets.tabletop.rules.lore import places as of_places
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, World, world_of
from sottovoce.rulesets.tabletop.rules.lore.language import sentences
from sottovoce.rulesets.tabletop.rules.lore.memory import Memory, remembered
from sottovoce.rulesets.tabletop.rules.names import GM

SHORT = 25
"""Sentences of fewer characters are not counted as repeated."""
BARS = {"acts": 0.80, "repeated": 0.03, "people": 6, "parts": 10, "milliseconds": 5.0, "read": 0.3}
FORMS = (
    "I look around.",
    "I go to {place}.",
    "I talk to {person}.",
    "I ask {person} about {thing}.",
    "What is going on here?",
    "I look at {place} more closely.",
    "I try to convince {person} to tell us more about {thing}.",
    "I search the place for anything odd.",
    "Who is {person}?",
    "I ask about {thing}.",
    "I help {person}.",
    "We walk over to {place}.",
    "I ask {person} what happened here.",
    "I give {person} a coin.",
    "I wait and listen.",
    "I tell {person} that we are here to help.",
    "What do we know about {thing}?",
    "I ask everybody what they think.",
    "I thank {person}.",
    "I examine what we carry.",
)
"""What is said where nobody wrote lines for the folder."""


def kept(memory: Memory) -> dict[str, Any]:
    """What the note keeps of the world, without what is only counted or shown."""
    return {
        "told": {*memory.told} | {each for each in memory.seen if ".md:" in each},
        "at": (memory.at, memory.by),
        "people": ({*memory.met}, {*memory.here}, {*memory.away}, {*memory.favor}),
        "liking": {who: much for who, much in memory.liking.items() if much},
        "hardened": {what for what in memory.failed if what.partition(":")[0] in ("persuade", "lie", "threaten")},
        "carries": ({*memory.carries}, {*memory.lost}),
        "done": {*memory.done},
        "decided": (memory.decided, memory.ends),
    }


@dataclass
class Evening:
    """What one evening came to. `acts` is, for each line that was said, what it brought about, in words."""

    lines: list[str]
    acts: list[set[str]]
    memory: Memory
    told: list[str]
    replies: list[float] = field(default_factory=list)
    """Milliseconds of the processor for each reply of the game master."""


class _Timed(HouseAgent):
    """The house, with the processor time of the game master's replies."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: list[float] = []

    async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
        before = time.process_time()
        said = await super().act(view, turn, random, record)
        if turn.seat == GM:
            self.replies.append(1000 * (time.process_time() - before))
        return said


class _Reader(Person):
    """Fills the forms of its lines with names that it has read, one after the other."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(lines)
        self.read: tuple[Entity, ...] = ()

    async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
        at = self.said
        if at < len(self.lines):
            named = {"{person}": ("person",), "{place}": ("part", "place"), "{thing}": ("thing", "group", "place")}
            for form, kinds in named.items():
                found = [self.call(each) for each in self.read if each.kind in kinds and not each.gone]
                self.lines[at] = self.lines[at].replace(form, found[at % len(found)] if found else "it")
        return await super().act(view, turn, random, record)

    def call(self, entity: Entity) -> str:
        """A name that the party knows, or what it calls somebody whose name it has not heard."""
        if entity.kind != "person":
            return entity.the
        return f"the {min(entity.names)}" if _nameless(entity) else entity.name


def _nameless(person: Entity) -> bool:
    return not any(name in person.name.casefold() for name in person.names)


class _Watch:
    """Credits the line that was said last with what the game master does about it."""

    def __init__(self, person: _Reader) -> None:
        self.person = person
        self.acts: list[set[str]] = [set() for _ in person.lines]
        self._effect, self._choice, self._fight = house._effect, house._choice, house._fight
        self._finish, self._unheard = house._finish, house._unheard

    def __enter__(self) -> _Watch:
        house._effect, house._choice, house._fight = self.effect, self.choice, self.fight
        house._finish, house._unheard = self.finish, self.unheard
        return self

    def __exit__(self, *error: object) -> None:
        house._effect, house._choice, house._fight = self._effect, self._choice, self._fight
        house._finish, house._unheard = self._finish, self._unheard

    def finish(self, play: Play) -> None:
        self._finish(play)
        self.person.read = play.known.entities

    def credit(self, *what: str) -> None:
        if 0 < self.person.said <= len(self.acts):
            self.acts[self.person.said - 1].update(what)

    def effect(self, play: Play, who: str, act: Any) -> list[str]:
        before, asked = kept(play.memory), len(play.asked)
        told = self._effect(play, who, act)
        if who == play.table.state.character:
            after = kept(play.memory)
            self.credit(*(what for what in after if after[what] != before[what]))
            self.credit(*["fight"] * (play.fight is not None), *["companion"] * (len(play.asked) > asked))
        return told

    def unheard(self, play: Play, name: str, acts: Sequence[Any]) -> list[str]:
        before = kept(play.memory)
        told = self._unheard(play, name, acts)
        after = kept(play.memory)
        self.credit(*(what for what in after if after[what] != before[what]))
        return told

    def choice(self, play: Play) -> list[str] | None:
        before = play.memory.decided
        told = self._choice(play)
        self.credit(*["decided"] * (play.memory.decided != before))
        return told

    def fight(self, play: Play, track: Any) -> bool | None:
        over = self._fight(play, track)
        self.credit(*["fight"] * (over is not None))
        return over


def _without_ends(text: str) -> list[str]:
    rows = [line.split("|") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [row[0].strip() for row in rows if row[1:2] != [" end "]]


def lines_of(path: Path | None, given: Path) -> list[str]:
    """The person's lines: those of a file, those of the tests for their folder, or forms to be filled."""
    if path is not None:
        text = path.read_text(encoding="utf-8")
        said = _without_ends(text)
        if not said:
            raise Refused(f"{path} has no lines. Write what the person says, one sentence a line.")
        return said
    if given.resolve() == FOLDERS["the-drowned-mill"].resolve():
        text = (HERE / "sentences.txt").read_text(encoding="utf-8")
        return _without_ends(text.partition("# ten-past-four")[0])
    return list(FORMS)


def played(lines: Sequence[str], seed: int, files: dict[str, bytes], name: str) -> Evening:
    """Play one evening with those lines."""
    person, timed = _Reader(lines), _Timed()
    with _Watch(person) as watch:
        table = open_evening((), seed, files, campaign=name, agents={"human": person, "gm": timed})
    memory = remembered(documents(table)["gm-progress.md"].decode())
    said = min(person.said, len(lines))
    return Evening(person.lines[:said], watch.acts[:said], memory, heard(table), timed.replies)


def repeated(evening: Evening) -> tuple[int, int]:
    """How many sentences were said again, of how many."""
    said = Counter(part for body in evening.told for part in sentences(" ".join(body.split())) if len(part) > SHORT)
    return sum(said.values()) - len(said), sum(said.values())


def people(evening: Evening, world: World) -> tuple[set[str], set[str]]:
    """Who was spoken with, and who was met at all: seen, spoken with, or looked for and found."""
    living = {each.id for each in world.all("person") if not each.gone}
    memory = evening.memory
    lines = [line.partition(" ") for line in memory.lines]
    spoken = {value for key, _, value in lines if key in ("met", "last")} & living
    of = {world.facts[key].owner for key in memory.told if key in world.facts and world.facts[key].kind != "clue"}
    return spoken, (spoken | of | {value for key, _, value in lines if key in ("here", "seen")}) & living


def parts(evening: Evening, world: World) -> set[str]:
    """The parts of places in which the party was, or of which it was told something."""
    found = {each.id for each in world.all("part")}
    owners = {world.facts[key].owner for key in evening.memory.told if key in world.facts}
    return found & (owners | {line.partition(" ")[2] for line in evening.memory.lines if line.startswith("at ")})


def read_in(files: dict[str, bytes]) -> tuple[World, float, float]:
    """The folder's world; seconds of the processor to read its facts, and to look them up again."""
    pieces, roster = documents_of(files), tuple(roster_of(files))
    for module in (beats, facts, of_people, of_places, papers, things):
        for cached in vars(module).values():
            if hasattr(cached, "cache_clear"):
                cached.cache_clear()
    start = time.process_time()
    world = world_of(pieces, roster)
    first = time.process_time()
    world_of(pieces, roster)
    return world, first - start, time.process_time() - first


def _row(what: str, figure: str, bar: str, good: bool | None) -> str:
    return f"| {what} | {figure} | {bar} | {'' if good is None else 'yes' if good else 'no'} |"


def report(evenings: Sequence[Evening], world: World, seconds: tuple[float, float]) -> Iterator[str]:
    """The table of figures, with their bars."""
    acts = [act for evening in evenings for act in evening.acts]
    did = sum(map(bool, acts))
    yield "| figure | measured | bar | met |\n|---|---|---|---|"
    share = did / max(1, len(acts))
    yield _row(
        "inputs that act", f"{share:.3f}, {did} of {len(acts)}", f"at least {BARS['acts']}", share >= BARS["acts"]
    )
    for what, of in (("told", "tell a fact for the first time"), ("companion", "are answered by one of the party")):
        yield _row(f"… that {of}", f"{sum(what in act for act in acts) / max(1, len(acts)):.3f}", "", None)
    other = sum(bool(act - {"told", "companion"}) for act in acts) / max(1, len(acts))
    yield _row("… that change what the log keeps", f"{other:.3f}", "", None)
    living = [each for each in world.all("person") if not each.gone]
    spoken, met = zip(*(people(evening, world) for evening in evenings), strict=True)
    yield _row("people spoken with, an evening", _spread(spoken), f"of {len(living)} living", None)
    least = min(BARS["people"], len(living))
    yield _row("people met, an evening", _spread(met), f"at least {least}", min(map(len, met)) >= least)
    used = [parts(evening, world) for evening in evenings]
    least = min(BARS["parts"], len(world.all("part")))
    bar = f"at least {least}, of {len(world.all('part'))}"
    yield _row("parts of places used, an evening", _spread(used), bar, min(map(len, used)) >= least)
    again, of_all = (sum(each) for each in zip(*map(repeated, evenings), strict=True))
    share = again / max(1, of_all)
    most = f"under {BARS['repeated']}"
    yield _row(
        "sentences repeated within an evening", f"{share:.3f}, {again} of {of_all}", most, share < BARS["repeated"]
    )
    times = sorted(each for evening in evenings for each in evening.replies)
    mean, slow = sum(times) / len(times), times[int(0.99 * len(times))]
    figure = f"{mean:.1f} ms; {slow:.1f} ms for the slowest in a hundred"
    yield _row("processor time of a reply", figure, f"under {BARS['milliseconds']:g} ms", mean < BARS["milliseconds"])
    figure = f"{seconds[0]:.3f} s; {seconds[1]:.5f} s again"
    yield _row("facts of the folder read", figure, f"under {BARS['read']} s", seconds[0] < BARS["read"])


def _least(what: str) -> str:
    return f"at least {BARS[what]:g}"


def _spread(found: Sequence[set[str]]) -> str:
    counts = sorted(map(len, found))
    return f"{sum(counts) / len(counts):.1f}, from {counts[0]} to {counts[-1]}"


def _names(found: Sequence[Entity]) -> str:
    return ", ".join(each.name for each in found) or "nobody and nothing"


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="How the built-in game master plays an evening in the open.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDERS["the-drowned-mill"])
    parser.add_argument("--lines", type=Path, help="what the person says, one sentence a line")
    parser.add_argument("--evenings", type=int, default=8)
    parser.add_argument("--inputs", type=int, default=40, help="lines of the person in an evening")
    parser.add_argument("--idle", action="store_true", help="print the inputs that brought nothing about as well")
    options = parser.parse_args(given)
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is no folder. Give a campaign folder.")
    if options.evenings < 1 or options.inputs < 1:
        parser.error("--evenings and --inputs take a number of at least 1.")
    files = folder(options.folder)
    world, *seconds = read_in(files)
    try:
        lines = lines_of(options.lines, options.folder)
    except (OSError, Refused) as error:
        parser.error(str(error))
    name = options.folder.resolve().name
    evenings = []
    for seed in range(1, options.evenings + 1):
        first = (seed - 1) * options.inputs
        said = [lines[at % len(lines)] for at in range(first, first + options.inputs)]
        evenings.append(played(said, seed, files, name))
    print(f"{name}: {options.evenings} evenings of up to {options.inputs} inputs\n")
    for row in report(evenings, world, (seconds[0], seconds[1])):
        print(row)
    missed = [e for e in world.all("person") if not e.gone and not any(e.id in people(x, world)[1] for x in evenings)]
    print(f"\nnever met: {_names(missed)}")
    print(f"never used: {_names([e for e in world.all('part') if not any(e.id in parts(x, world) for x in evenings)])}")
    if options.idle:
        print("\nbrought nothing about:")
        for evening in evenings:
            print("\n".join(f"- {line}" for line, act in zip(evening.lines, evening.acts, strict=True) if not act))
    return 0


if __name__ == "__main__":
    sys.exit(main())
