"""What was read in one file: its entities and its facts."""

from __future__ import annotations

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
        before = ""
        for place, sentence in enumerate(sentences(line.text if text is None else text)):
            key = f"{self.path}:{line.number}" + (f".{place}" if place else "")
            if 3 < len(sentence) <= LONGEST:
                self.facts.append(Fact(key, kind, gate, owner, sentence, before, **more))  # type: ignore[arg-type]
            before = f"{before} {sentence}".strip()


def introduced(read: Reading, owner: str, line: Line, strict: bool) -> None:
    """What stands above the first heading shows what the place or thing is; in a strange folder its first sentence."""
    if not strict:
        read.add("sense", "sight", owner, line)
    elif not read.facts:
        read.add("sense", "sight", owner, line, (sentences(line.text) or [""])[0])
