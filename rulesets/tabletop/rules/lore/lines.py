"""The lines of a file that are not closed, each with the headings above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.rules.documents import marked_title, open_lines
from sottovoce.rulesets.tabletop.rules.folders.front_matter import length
from sottovoce.rulesets.tabletop.rules.lore.headings import PERSON, PLACE
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, plain_text

_HEADING = re.compile(r"(#{1,6}) +(\S.*?)\s*#*")
_LEAD = re.compile(r"\*\*([^*\n]{2,60}?):?\*\*:? *(?:\([^)]*\):? *)?[-–—:]? *(.*)")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,2}[.)]) +(?:\[.\] +)?(.*\S)")


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph, item or row with the headings above it."""

    heads: tuple[str, ...]
    lead: str
    text: str
    number: int
    item: bool = False
    cells: tuple[str, ...] = ()


_ALOUD = re.compile(r"> *\[!(?:read|read[ -]?aloud|boxed?|boxed[ -]text|description|vorlesen)\][+-]?", re.IGNORECASE)
"""What opens a callout that is there to be read to the players."""


def lines_of(text: str) -> Iterator[Line]:
    heads: list[str] = []
    lead = ""
    fenced = aloud = False
    closed_at = 0
    front, deeper = length(text), not titled(text)
    for number, raw in enumerate(open_lines(text), 1):
        line = raw.strip()
        if number <= front:
            continue
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        aloud = line.startswith(">") and (aloud or _ALOUD.match(line) is not None)
        if aloud and not fenced and not closed_at:
            body = "" if _ALOUD.match(line) else plain_text(line.lstrip("> "))
            if body:
                yield Line((*(heads or ("",)), "read aloud"), "", body, number)
            continue
        heading = _HEADING.fullmatch(line[:LONGEST])
        if heading and not fenced:
            level = len(heading[1]) + deeper
            heads = [*heads[: level - 1], *[""] * max(0, level - 1 - len(heads)), plain_text(heading[2])]
            lead = ""
            if not closed_at or level <= closed_at:
                closed_at = level if marked_title(heading[2]) else 0
            continue
        if not line or fenced or closed_at or line.startswith(("---", "```", "~~~", ">", "<!--", "![")):
            lead = lead if line or not lead else ""
            continue
        if line.startswith("|"):
            cells = tuple(plain_text(cell) for cell in line.strip("|").split("|"))
            if not all(re.fullmatch(r":?-*:?", cell) for cell in cells):
                yield Line(tuple(heads), "|", "", number, cells=cells)
            continue
        item = _ITEM.fullmatch(line)
        found = _LEAD.match(item[1] if item else line)
        if found and not item:
            lead = plain_text(found[1])
            yield Line(tuple(heads), lead, plain_text(found[2]), number)
        elif found:
            yield Line(tuple(heads), plain_text(found[1]), plain_text(found[2]), number, item=True)
        else:
            yield Line(tuple(heads), lead, plain_text(item[1] if item else line), number, item=bool(item))


_GENERIC = re.compile(
    r"(?i)\W*(?:general |campaign )?(?:overview|summary|contents|table of contents|introduction|info)\W*"
)


def titled(text: str) -> bool:
    """Whether the text's only heading of the first level stands at its top, as a title does; else all are sections."""
    lines = [line for line in text.splitlines()[length(text) :] if line.strip()]
    tops = [line for line in lines if line.startswith("# ")]
    if not tops:
        return any(line.startswith("#") for line in lines) or not lines
    known = any(pattern.search(tops[0][2:].strip().lower()) for table in (PERSON, PLACE) for pattern, _, _ in table)
    return len(tops) == 1 and not known and not _GENERIC.fullmatch(tops[0][2:].strip())


def title_of(text: str, path: str) -> str:
    found = re.search(r"(?m)^# +(\S.*)$", "\n".join(text.splitlines()[length(text) :])) if titled(text) else None
    if found:
        return plain_text(found[1])
    named = re.sub(r" \(\d+\)$", "", path.rpartition("/")[2].removesuffix(".md"))
    if named != named.lower() or " " in named:
        return named.replace("_", " ")
    return named.replace("-", " ").replace("_", " ").title()
