"""Phrases: lines of text with slots `{t}` and alternatives `[one|another|]`, read once from a package's text files.

A file is a list of topics (`# topic`) with one phrase a line; lines before the first topic are `key value` pairs.
"""

from __future__ import annotations

import random as random_module
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")
_FORMED = frozenset({"r", "role", "n", "k", "m"})
"""Slots that hold words of ours, not names: these take a capital where they begin a sentence."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One line. `parts` are the texts and alternatives it is made of; `mark` is its longest fixed stretch of words."""

    parts: tuple[tuple[str, ...], ...]
    mark: str
    slots: frozenset[str]
    capital: bool

    @classmethod
    def parse(cls, line: str) -> Phrase:
        parts: list[tuple[str, ...]] = []
        fixed: list[str] = []
        for place, piece in enumerate(_CHOICE.split(line)):
            if place % 2:
                parts.append(tuple(piece.split("|")))
            elif piece:
                parts.append((piece,))
                fixed += _SLOT.split(piece)[::2]
        mark = max(fixed, key=len, default="").strip(" ,.!?;:").casefold()
        slots = frozenset(_SLOT.findall(line))
        return cls(tuple(parts), mark, slots, not line.startswith(tuple(f"{{{slot}}}" for slot in slots - _FORMED)))

    def render(self, slots: Mapping[str, str], random: random_module.Random) -> str:
        """The line with one of each alternative and every slot filled; sentences start with a capital."""
        text = "".join([part[0] if len(part) == 1 else random.choice(part) for part in self.parts])
        if self.slots:
            text = _SLOT.sub(lambda slot: _fill(slot, slots), text)
        return text[:1].upper() + text[1:] if self.capital else text


def _fill(slot: re.Match[str], slots: Mapping[str, str]) -> str:
    text = slots[slot[1]]
    if slot[1] in _FORMED and slot.string[: slot.start()].endswith((". ", "! ", "? ")):
        return text[:1].upper() + text[1:]
    return text


Phrasebook = Mapping[str, tuple[Phrase, ...]]


@dataclass(frozen=True, slots=True)
class Page:
    """One file: its `key value` pairs and its topics."""

    traits: Mapping[str, str]
    topics: Phrasebook


def load(package: str, *path: str) -> Page:
    """The phrases of a text file of that package."""
    traits: dict[str, str] = {}
    topics: dict[str, list[Phrase]] = {}
    current: list[Phrase] | None = None
    for raw in files(package).joinpath(*path).read_text(encoding="utf-8").splitlines():
        line = raw.strip()
        if not line:
            continue
        if line.startswith("# "):
            current = topics.setdefault(line[2:], [])
        elif current is None:
            key, _, value = line.partition(" ")
            traits[key] = value
        else:
            current.append(Phrase.parse(line))
    return Page(traits, {topic: tuple(phrases) for topic, phrases in topics.items()})


def say(
    phrases: tuple[Phrase, ...], slots: Mapping[str, str], random: random_module.Random, worn: str, tries: int = 7
) -> str:
    """One of the phrases, a fresh one if a few tries find it: `worn` is all that was said so far, case folded."""
    text = ""
    for _ in range(tries):
        phrase = random.choice(phrases)
        if len(phrase.mark) > 11 and phrase.mark in worn:
            continue
        text = phrase.render(slots, random)
        if text.casefold() not in worn:
            return text
    return text or random.choice(phrases).render(slots, random)
