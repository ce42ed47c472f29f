"""The party's own papers: what it has read, what it carries, where it is, and what it wonders about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.documents import PARTY_KNOWLEDGE, Documents, marked_title, rebuild
from sottovoce.rulesets.tabletop.rules.lore.entities import Fact, short_title, slug
from sottovoce.rulesets.tabletop.rules.lore.language import content, sentences, words
from sottovoce.rulesets.tabletop.rules.lore.lines import lines_of, titled

PRIMER = "world-primer.md"
OPEN_PAPERS = (PARTY_KNOWLEDGE, PRIMER)
"""What the whole party has read."""


@dataclass(frozen=True, slots=True, eq=False)
class Papers:
    """What the party has read: its sentences by topic, its words, what it carries, where it is, what it wonders."""

    text: str
    facts: tuple[Fact, ...]
    words: frozenset[str]
    carries: tuple[tuple[str, frozenset[str]], ...]
    where: str
    when: str
    now: str
    before: tuple[Fact, ...]
    questions: tuple[str, ...]
    met: frozenset[str]


@lru_cache(maxsize=64)
def _papers(known: str, primer: str) -> Papers:
    """Both papers together; where both say where the party is, the primer's word counts."""
    return _together(f"{known}\n{primer}", (_paper(PARTY_KNOWLEDGE, known), _paper(PRIMER, primer)))


_SPANNING = ("```", "~~~", "<", "%%")
"""Signs of what can go on from one section of a text into the next."""


@lru_cache(maxsize=64)
def _paper(path: str, text: str) -> Papers:
    """What one of the papers says. A section is read once: papers grow by a line at a time."""
    lines = text.splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.startswith("## ")]
    if not starts or not lines[0].startswith("# ") or not titled(text) or any(sign in text for sign in _SPANNING):
        return _section(path, text)
    parts = [_section(path, "".join(lines[: starts[0]]))]
    for at, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        parts.append(_moved(_section(path, lines[0] + "".join(lines[at:end])), path, at - 1))
    return _together(text, parts)


def _moved(section: Papers, path: str, lines: int) -> Papers:
    """The section's facts under the numbers that their lines have in the whole text."""

    def moved(fact: Fact) -> Fact:
        number, dot, place = fact.id.removeprefix(f"{path}:").partition(".")
        return replace(fact, id=f"{path}:{int(number) + lines}{dot}{place}")

    facts = {id(fact): moved(fact) for fact in section.facts}
    return replace(section, facts=tuple(facts.values()), before=tuple(facts[id(fact)] for fact in section.before))


def _together(text: str, parts: Sequence[Papers]) -> Papers:
    """Several parts as one; where more than one says where the party is, the last word counts."""

    def last(values: Iterable[str]) -> str:
        return next((value for value in reversed(list(values)) if value), "")

    return Papers(
        text,
        tuple(fact for part in parts for fact in part.facts),
        frozenset[str]().union(*(part.words for part in parts)),
        tuple(each for part in parts for each in part.carries),
        last(part.where for part in parts),
        last(part.when for part in parts),
        last(part.now for part in parts),
        tuple(fact for part in parts for fact in part.before),
        tuple(each for part in parts for each in part.questions),
        frozenset[str]().union(*(part.met for part in parts)),
    )


@lru_cache(maxsize=512)
def _section(path: str, text: str) -> Papers:
    """What a text of the papers says."""
    facts: list[Fact] = []
    carries: list[tuple[str, frozenset[str]]] = []
    told: dict[str, str] = {}
    before: list[Fact] = []
    questions: list[str] = []
    met: set[str] = set()
    for line in lines_of(text):
        under = [head for head in line.heads[1:] if head]
        top, last = (under[0], under[-1]) if under else ("", "")
        if marked_title(f"- {line.lead}") or (not under and line.lead.casefold() in ("campaign", "last updated")):
            continue
        if line.lead == "|":
            if re.search(r"(?i)npcs?|people", top) and line.cells[0].casefold() not in ("npc", "name", "who"):
                if re.search(r"(?i)\bmet\b", top):
                    met.add(slug(short_title(line.cells[0])))
                if len(line.cells) > 1 and line.cells[1]:
                    text_ = f"{short_title(line.cells[0])}: {line.cells[1]}."
                    facts.append(Fact(f"{path}:{line.number}", "known", "known", top, text_))
            continue
        carried = re.search(r"(?i)items|carry|inventory|possessions|equipment", f"{line.lead} {last}")
        if carried and line.item and not line.text.casefold().startswith("none"):
            name = re.match(
                r"((?:The |An? )?[A-Z][\w'’-]*(?:(?: of| the)?[ -][A-Z][\w'’-]*)*)(?:\s*\(([^)]*)\))?", line.text
            )
            if name:
                more = frozenset(word for word in content(name[2] or "") if len(word) > 2)
                carries.append((name[1], more))
            continue
        if "current situation" in top.casefold() and line.lead.casefold() in (
            "location",
            "time",
            "what's happening",
            "what’s happening",
        ):
            told[line.lead.casefold().replace("’", "'")] = line.text
            if line.lead.casefold() in ("location", "time"):
                continue
        if re.search(r"(?i)unresolved|open question|questions", top):
            questions.append(line.text)
            continue
        if line.lead and not line.text:
            continue
        for place, sentence in enumerate(sentences(line.text)):
            body = sentence if not line.lead or (line.item is False and place) else f"{line.lead}: {sentence}"
            if not line.lead or place:
                body = sentence
            fact = Fact(f"{path}:{line.number}.{place}", "known", "known", f"{top} {last} {line.lead}", body)
            facts.append(fact)
            if re.search(r"(?i)recent|last session|summary|errand|so far", top):
                before.append(fact)
    return Papers(
        text,
        tuple(facts),
        frozenset(words(text)),
        tuple(carries),
        told.get("location", ""),
        told.get("time", ""),
        told.get("what's happening", ""),
        tuple(before),
        tuple(questions),
        frozenset(met),
    )


def papers_of(documents: Documents, reader: str) -> Papers:
    """The party's own papers, as that character reads them."""
    found = []
    for path in OPEN_PAPERS:
        pieces = [piece for piece in documents.get(path, ()) if reader in piece.readers and piece.coding == "text"]
        found.append(rebuild(pieces))
    return _papers(*found)
