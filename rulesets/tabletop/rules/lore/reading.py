"""What was read in one file: its entities and its facts."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.rules.lore.entities import Entity, Fact, Gate
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, sentences
from sottovoce.rulesets.tabletop.rules.lore.lines import Line


class Reading:
    """One file's entities and facts."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.entities: list[Entity] = []
        self.facts: list[Fact] = []

    def add(self, kind: str, gate: Gate, owner: str, line: Line, text: str | None = None, **more: object) -> None:
        if line.reference and text is None:
            return
        before = ""
        for place, sentence in enumerate(sentences(line.text if text is None else text)):
            key = f"{self.path}:{line.number}" + (f".{place}" if place else "")
            if 3 < len(sentence) <= LONGEST and not (sentence.isupper() and " " not in sentence):
                self.facts.append(Fact(key, kind, gate, owner, sentence, before, **more))  # type: ignore[arg-type]
            before = f"{before} {sentence}".strip()


_FIELD = re.compile(r"\w+(?: \w+)?::? ")
"""A note about a note, such as `Owner: Mills`."""


def introduced(read: Reading, owner: str, line: Line, strict: bool) -> bool:
    """What stands above the first heading shows what the place or thing is; in a strange folder its first sentence.

    Whether the line says something of the kind.
    """
    before = len(read.facts)
    if not strict:
        read.add("sense", "sight", owner, line)
    elif not any(fact.owner == owner for fact in read.facts) and not (line.item or line.reference):
        first = (sentences(line.text) or [""])[0]
        if " " in first and not _FIELD.match(first):
            read.add("sense", "sight", owner, line, first)
    return len(read.facts) > before
