"""What the built-in game master gives away of closed text, whatever it is asked for: `make closed-words`.

    python benchmarks/closed_words.py
    python benchmarks/closed_words.py FOLDER --inputs 400 --seed 5

A person asks for every name of the folder, heard of or not, and for words that stand in closed text alone, in evenings
of 32 inputs; every eighth input is a plain one, so that the evening continues. If the names take more than half of the
inputs, they are drawn. What stands in closed text is said at `ClosedText` in `tests/kit/closed_text.py`. Printed are:

- how many of the **five-word runs** that stand in closed text alone the game master said; and how many of facts whose
  gate did not open that evening, as far as no open text has the same words. Both must be 0.
- every **sentence to read** of the game master in which a word stands that only closed text has, and no phrase of the
  house, with the first places of that word; or a name that the party has not heard by the end of the evening. Most of
  them give back what the person has just asked for: whether a sentence tells something closed is for a reader to judge.

The exit code is 1 if there is such a run.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "kit"))

from closed_text import ClosedText, runs
from evenings import documents
from worlds import FOLDERS, heard, open_evening

from sottovoce import Refused, SetupRefused
from sottovoce.rulesets.tabletop.opening import read_evening
from sottovoce.rulesets.tabletop.rules.documents.folder import roster_of
from sottovoce.rulesets.tabletop.rules.lore.facts import papers_of, slug
from sottovoce.rulesets.tabletop.rules.lore.known import Known, is_named
from sottovoce.rulesets.tabletop.rules.lore.language import content, sentences, words
from sottovoce.rulesets.tabletop.rules.lore.memory import Memory, remembered

EVENING = 32
"""Inputs of an evening: it lasts longer than that."""
PLAIN_EVERY = 8
PLAIN = ("I look around.", "I search the place.", "I persuade them to tell more.", "I wait.")
OF_NAMES = (
    "I ask about {}.",
    "Who is {}?",
    "I talk to {}.",
    "I look at {}.",
    "I go to {}.",
    "Tell me about {}.",
)
OF_WORDS = (
    "I ask about the {}.",
    "What about the {}?",
    "I search for the {}.",
    "I ask everybody about {}.",
    "I persuade them to tell us about the {}.",
    "What do you know of the {}?",
)
SAID = ("NARRATIVE", "SESSION_END", "ASK_PLAYER", "GM_TO_PLAYER")
"""The messages of the game master that a character or a person reads."""
PLACES = 2
"""Places that are named for a word."""


@dataclass
class Found:
    """What came of the evenings: closed runs, runs of unopened facts, and sentences to read, with their words."""

    inputs: int = 0
    evenings: int = 0
    closed: dict[tuple[str, ...], str] = field(default_factory=dict)
    unopened: dict[tuple[str, ...], str] = field(default_factory=dict)
    read: dict[str, list[str]] = field(default_factory=dict)


def asked(closed: ClosedText, count: int, seed: int) -> list[str]:
    """The inputs: every name, or half of the inputs if there are more; words of closed text by the draw; shuffled."""
    draw = random.Random(seed)
    names = sorted({entity.name for entity in closed.world.entities.values()})
    hidden = sorted(closed.words())
    plain = count // PLAIN_EVERY
    names = draw.sample(names, min(len(names), (count - plain) // 2 if hidden else count))
    wanted = count - plain - len(names)
    picked = draw.sample(hidden, min(wanted, len(hidden)))
    picked += draw.choices(hidden, k=wanted - len(picked)) if hidden else []
    lines = [draw.choice(OF_NAMES).format(name) for name in names]
    lines += [draw.choice(OF_WORDS).format(word) for word in picked]
    draw.shuffle(lines)
    for at in range(plain):
        lines.insert(PLAIN_EVERY * (at + 1) - 1, PLAIN[at % len(PLAIN)])
    return lines[:count]


def measured(files: Mapping[str, bytes], lines: Sequence[str], campaign: str, closed: ClosedText) -> Found:
    """Play the inputs, an evening after the other, and look for closed text in what the game master says."""
    hidden, flagged = closed.runs(), closed.words()
    found = Found(inputs=len(lines))
    for start in range(0, len(lines), EVENING):
        found.evenings += 1
        said = lines[start : start + EVENING]
        table = open_evening(said, found.evenings, files, campaign=campaign, player_character=roster_of(files)[0])
        told = heard(table, SAID)
        spoken = set().union(*map(runs, told)) if told else set()
        found.closed |= {run: hidden[run] for run in spoken & hidden.keys() if not closed.is_name(run)}
        note = remembered(documents(table)["gm-progress.md"].decode())
        unopened = _unopened(closed, note.told, said)
        found.unopened |= {run: unopened[run] for run in spoken & unopened.keys()}
        heard_of = _heard(closed, note, files, said)
        unheard = [each for each in closed.world.entities.values() if each.id not in heard_of]
        free = {word for each in closed.world.entities.values() if each.id in heard_of for word in words(each.name)}
        for body in told:
            for sentence in (each for line in body.splitlines() for each in sentences(line)):
                having = [word for word in dict.fromkeys(content(sentence)) if word in flagged and word not in free]
                having += [each.name for each in unheard if is_named(each, sentence)]
                if having:
                    found.read.setdefault(sentence, having)
        print(f"evening {found.evenings}: {len(found.read)} sentences to read", file=sys.stderr, flush=True)
    return found


def _heard(closed: ClosedText, note: Memory, files: Mapping[str, bytes], said: Sequence[str]) -> frozenset[str]:
    """The ids of all that the party has heard of by the end of an evening or asked for, and parts of where it was."""
    roster = roster_of(files)
    known = Known(closed.world, papers_of(closed.documents, roster[0]), note, roster)
    been = {line.removeprefix("at ").partition("/")[0] for line in note.lines if line.startswith("at ")}
    every = closed.world.entities.values()
    return known.names | {e.id for e in every if e.parent in been or any(e.name in line for line in said)}


def _unopened(closed: ClosedText, noted: Mapping[str, None], said: Sequence[str]) -> dict[tuple[str, ...], str]:
    """The runs of facts that the evening's note does not have, without those that are open elsewhere."""
    facts = closed.world.facts.values()
    names = {key: entity.name for key, entity in closed.world.entities.items()}
    opened = [f"{names[fact.owner]} {fact.lead} {fact.text}" for fact in facts if fact.id in noted]
    opened += [f"{fact.label} {fact.text}" for fact in facts if fact.id in noted]
    opened += [*closed.papers, *closed.beats, *closed.phrases, *names.values(), *said]
    free = set().union(*map(runs, opened))
    return {run: fact.id for fact in facts if fact.id not in noted for run in runs(fact.text) - free}


def report(name: str, closed: ClosedText, lines: Sequence[str], found: Found) -> Iterator[str]:
    """The figures, and the sentences to read."""
    hidden = closed.words()
    names = {entity.name for entity in closed.world.entities.values()}
    named = {name for name in names if any(name in line for line in lines)}
    used = {word for line in lines for word in content(line)} & hidden.keys()
    yield f"{name}: {found.inputs} inputs in {found.evenings} evenings\n"
    yield "| figure | measured |\n|---|---|"
    yield f"| names asked for, of all | {len(named)} of {len(names)} |"
    yield f"| words of closed text asked for, of all | {len(used)} of {len(hidden)} |"
    yield f"| five-word runs of closed text said, of all | {len(found.closed)} of {len(closed.runs())} |"
    yield f"| five-word runs said of facts that were not opened | {len(found.unopened)} |"
    yield f"| sentences to read | {len(found.read)} |"
    for title, these in (("closed runs said", found.closed), ("runs of unopened facts said", found.unopened)):
        if these:
            yield f"\n{title}:"
            yield from (f"- {' '.join(run)}: {place}" for run, place in sorted(these.items()))
    yield "\nto read:"
    for sentence, having in found.read.items():
        places = "; ".join(f"{word} {', '.join(hidden.get(word, ['not heard of'])[:PLACES])}" for word in having)
        yield f"- {sentence} [{places}]"


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What the built-in game master gives away of closed text.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDERS["the-drowned-mill"])
    parser.add_argument("--inputs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=5, help="of what is asked, and in which order")
    options = parser.parse_args(given)
    if options.inputs < 1:
        parser.error("--inputs takes a number of at least 1.")
    try:
        files = dict(read_evening(options.folder, None).files)
    except (Refused, SetupRefused) as error:
        parser.error(str(error))
    closed = ClosedText(files)
    lines = asked(closed, options.inputs, options.seed)
    name = slug(options.folder.resolve().name)
    found = measured(files, lines, name, closed)
    for row in report(name, closed, lines, found):
        print(row)
    return 1 if found.closed or found.unopened else 0


if __name__ == "__main__":
    sys.exit(main())
