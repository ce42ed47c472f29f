"""The party's own papers: what it has read, what it carries, where it is, and what it wonders about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.documents import PARTY_KNOWLEDGE, Documents, marked_title, rebuild
from sottovoce.rulesets.tabletop.rules.lore.entities import Fact, short_title, slug
from sottovoce.rulesets.tabletop.rules.lore.language import content, sentences, words
from sottovoce.rulesets.tabletop.rules.lore.lines import lines_of

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
    first, second = _paper(PARTY_KNOWLEDGE, known), _paper(PRIMER, primer)
    return Papers(
        f"{known}\n{primer}",
        (*first.facts, *second.facts),
        first.words | second.words,
        (*first.carries, *second.carries),
        second.where or first.where,
        second.when or first.when,
        second.now or first.now,
        (*first.before, *second.before),
        (*first.questions, *second.questions),
        first.met | second.met,
    )


@lru_cache(maxsize=64)
def _paper(path: str, text: str) -> Papers:
    """What one of the papers says."""
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
