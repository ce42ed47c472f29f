"""The sentences of a campaign folder that only its game master reads, and how to find them in what somebody was told.

closed = closed_sentences(files)
[each for each in closed if each.is_in(said(body))]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worlds import documents_of

from sottovoce.rulesets.tabletop import house
from sottovoce.rulesets.tabletop.rules.documents import STORY_STATE
from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder, roster_of
from sottovoce.rulesets.tabletop.rules.folders.kinds import read_as
from sottovoce.rulesets.tabletop.rules.lore.facts import world_of
from sottovoce.rulesets.tabletop.rules.lore.language import content, plain_text, sentences, words

FEWEST = 6
"""Words that a sentence must have to be recognized in somebody's mouth."""
NEVER = re.compile(r"(?i)\b(?:secrets?|gm|hidden|private|true|notes?|does ?n[o']t know)\b")
"""A heading or bold lead under which nothing is told to somebody who only asks or looks."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a folder: `place` is `FILE:LINE`, and `under` are the headings above it, its bold lead last."""

    text: str
    place: str
    under: tuple[str, ...]

    @property
    def file(self) -> str:
        return self.place.rpartition(":")[0]

    @property
    def spoken(self) -> str:
        return said(self.text)

    @property
    def is_secret(self) -> bool:
        """Whether its headings keep it from everybody. The house decides that by other code."""
        return any(NEVER.search(head) for head in self.under)


def said(text: str) -> str:
    """The words of a text, however it is written, with a space at both ends."""
    return f" {' '.join(words(text))} "


def texts_of(data: Any) -> Iterator[str]:
    """Every text in JSON data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping | list):
        for each in data.values() if isinstance(data, Mapping) else data:
            yield from texts_of(each)


def closed_sentences(files: Mapping[str, bytes]) -> list[Sentence]:
    """The sentences of at least `FEWEST` words that no character of the party reads in any file."""
    roster = roster_of(files)
    pieces = [piece for piece in import_folder(files, roster) if piece.coding == "text"]
    shared = said("\n".join(piece.text for piece in pieces if {*piece.readers} & {*roster}))
    found: list[Sentence] = []
    at: dict[str, int] = {}
    heads: dict[str, list[tuple[int, str]]] = {}
    for piece in pieces:
        number = at.get(piece.document, 1)
        at[piece.document] = number + piece.text.count("\n")
        above = heads.setdefault(piece.document, [])
        for line, text in enumerate(piece.text.split("\n"), number):
            heading = re.match(r"(#+) (.*)", text)
            if heading:
                above[:] = [(level, head) for level, head in above if level < len(heading[1])]
                above.append((len(heading[1]), heading[2]))
            elif not {*piece.readers} & {*roster}:
                lead = re.match(r"\W*\*\*([^*]+)\*\*:?", text)
                under = (*(head for _, head in above), *([lead[1]] if lead else []))
                rest = text[lead.end() :] if lead else text
                found += (Sentence(each, f"{piece.document}:{line}", under) for each in sentences(plain_text(rest)))
    return [each for each in found if each.spoken.count(" ") > FEWEST and each.spoken not in shared]


def seen_in(closed: Iterable[Sentence], text: str) -> list[Sentence]:
    """Those of the sentences that a text, as `said` gives it, has whole."""
    return [each for each in closed if each.spoken in text]


CUES = frozenset(
    f"{name}.txt" for name in "aside_cues cues inquiries ordinary outcomes questions speech struggle verbs".split()
)
"""Files of the house with what it hears, and never says."""
PHRASES = [
    path.read_text(encoding="utf-8")
    for path in sorted(Path(house.__file__).parent.glob("*.txt"))
    if path.name not in CUES
]
"""What the house says by itself."""
RUN = 5
"""Words in a row that tell where they were taken from."""


def runs(text: str) -> set[tuple[str, ...]]:
    """Every five words in a row of a text."""
    found = words(text)
    return {tuple(found[at : at + RUN]) for at in range(len(found) - RUN + 1)}


class ClosedText:
    """What a folder keeps from the party for good: what stands in the GM's files and can be told by no gate.

    `open` are the texts that can be heard: the `papers` that a character reads, every fact with its owner's name, its
    label and what stands before it, and what the `beats` bring. `lines` are all lines that no character reads, each
    with its `FILE:LINE`; those that facts are read from are among them.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        roster = roster_of(files)
        self.documents = documents_of(files)
        self.world = world_of(self.documents, roster)
        self.papers, self.beats, self.phrases = [*self._read_by(roster)], [*self._beats()], PHRASES
        self.open = [*self.papers, *self._facts(), *self.beats]
        self.party = [seat.replace("-", " ").title() for seat in roster]
        self.names = [*(entity.name for entity in self.world.entities.values()), *self.party]
        self.lines = [*self._unread_by(roster)]

    def _read_by(self, roster: Sequence[str]) -> Iterator[str]:
        for pieces in self.documents.values():
            yield from (piece.text for piece in pieces if piece.coding == "text" and {*piece.readers} & {*roster})

    def _unread_by(self, roster: Sequence[str]) -> Iterator[tuple[str, str]]:
        for path, pieces in self.documents.items():
            number = 1
            for piece in (piece for piece in pieces if piece.coding == "text"):
                if not {*piece.readers} & {*roster}:
                    lines = enumerate(piece.text.split("\n"), number)
                    yield from ((f"{path}:{at}", line) for at, line in lines if not line.startswith("#"))
                number += piece.text.count("\n")

    def _facts(self) -> Iterator[str]:
        for fact in self.world.facts.values():
            yield f"{self.world.entities[fact.owner].name} {fact.lead} {fact.text}"
            yield f"{fact.label} {fact.text}"

    def _beats(self) -> Iterator[str]:
        for beat in self.world.beats:
            yield from (beat.title, *beat.happens, *beat.questions, *beat.told, *beat.decisions)
            yield from (f"{label} {text}" for label, text in beat.outcomes.items())

    def runs(self) -> dict[tuple[str, ...], str]:
        """Every five words in a row that stand in closed text alone, with the first place of each."""
        told = set().union(*map(runs, self.open))
        found: dict[tuple[str, ...], str] = {}
        for place, line in self.lines:
            for run in runs(line) - told:
                found.setdefault(run, place)
        return found

    def is_name(self, run: Sequence[str]) -> bool:
        """Whether a run is only a name, with words such as `at the` around it."""
        return any({*content(" ".join(run))} <= {*words(name)} for name in self.names)

    def words(self) -> dict[str, list[str]]:
        """Every word of at least four letters that stands in closed text alone, with its places.

        Left out are files of which the house reads nothing, words that its own phrases have, and the party's names.
        """
        told = {word for text in (*self.open, *self.phrases) for word in words(text)}
        told |= {word for name in self.party for word in words(name)}
        found: dict[str, list[str]] = {}
        for place, line in self.lines:
            path = place.rpartition(":")[0]
            if read_as(path) is None and path != STORY_STATE:
                continue
            for word in dict.fromkeys(content(plain_text(line))):
                if len(word) > 3 and word not in told and not word.isdigit():
                    found.setdefault(word, []).append(place)
        return found
