"""The sentences of a campaign folder that only its game master reads, and how to find them in what somebody was told.

closed = closed_sentences(files)
[each for each in closed if each.is_in(said(body))]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder, roster_of
from sottovoce.rulesets.tabletop.rules.lore.language import plain_text, sentences, words

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
        """Whether its headings keep it from everybody, by a rule that is not the house's."""
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
