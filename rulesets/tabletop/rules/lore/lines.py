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
    """A paragraph, item or row with the headings above it.

    `first` says that it belongs to the first block under its heading, `reference` that it is nothing but links, and
    `quoted` that it is a plain quotation.
    """

    heads: tuple[str, ...]
    lead: str
    text: str
    number: int
    item: bool = False
    cells: tuple[str, ...] = ()
    first: bool = True
    reference: bool = False
    quoted: bool = False


_ALOUD = re.compile(r"> *\[!(?:read|read[ -]?aloud|boxed?|boxed[ -]text|description|vorlesen)\][+-]?", re.IGNORECASE)
"""What opens a callout that is there to be read to the players."""


_LINKS = re.compile(r"!?\[\[[^\[\]]*\]\]|!?\[[^\[\]]*\]\([^()]*\)")


def _is_reference(text: str) -> bool:
    """Whether a line has links and no words besides."""
    found, links = _LINKS.subn("", text[:LONGEST])
    return links > 0 and not re.search(r"\w", found)


def lines_of(text: str, quotes: bool = False) -> Iterator[Line]:
    """The lines that stand open, in their order; plain quotations only where they are asked for."""
    heads: list[str] = []
    lead = ""
    begun = gap = False
    first = True
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
            begun, gap, first = False, False, True
            if not closed_at or level <= closed_at:
                closed_at = level if marked_title(heading[2]) else 0
            continue
        if quotes and line.startswith(">") and not (fenced or closed_at or line.startswith("> [!")):
            body = plain_text(line.lstrip("> "))
            if body:
                yield Line(tuple(heads), "", body, number, quoted=True)
            continue
        if not line or fenced or closed_at or line.startswith(("---", "```", "~~~", ">", "<!--", "![")):
            lead = lead if line or not lead else ""
            gap = gap or begun
            continue
        first = first and not gap
        begun = True
        if line.startswith("|"):
            cells = tuple(plain_text(cell) for cell in line.strip("|").split("|"))
            if not all(re.fullmatch(r":?-*:?", cell) for cell in cells):
                yield Line(tuple(heads), "|", "", number, cells=cells)
            continue
        item = _ITEM.fullmatch(line)
        found = _LEAD.match(item[1] if item else line)
        if found and not item:
            lead = plain_text(found[1])
            yield Line(tuple(heads), lead, plain_text(found[2]), number, first=first)
        elif found:
            yield Line(tuple(heads), plain_text(found[1]), plain_text(found[2]), number, item=True, first=first)
        else:
            body = item[1] if item else line
            reference = _is_reference(body)
            yield Line(tuple(heads), lead, plain_text(body), number, item=bool(item), first=first, reference=reference)


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


_FILLED_IN = re.compile(r"`|\{\{|<%")
"""What a program fills in when the note is shown: a heading with it is no name."""

_NUMBERED = re.compile(
    r"(?i)(?:[^\w\s\"“”'’‘(\[]{1,4}\s{1,3})?(?:(?:chapter|part|region|area|kapitel|teil|chapitre|partie|cap[ií]tulo|capitolo|parte"
    r"|глава|часть) \d{1,3}\s{0,3}[:.–—-]\s{0,3})?"
)
"""Ornaments and a chapter's number in front of a name."""


def title_of(text: str, path: str) -> str:
    found = re.search(r"(?m)^# +(\S.*)$", "\n".join(text.splitlines()[length(text) :])) if titled(text) else None
    if found and not _FILLED_IN.search(found[1]):
        title = plain_text(found[1])
        return _NUMBERED.sub("", title[:LONGEST], count=1) or title
    named = re.sub(r" \(\d+\)$", "", path.rpartition("/")[2].removesuffix(".md"))
    if named != named.lower() or " " in named:
        return named.replace("_", " ")
    return named.replace("-", " ").replace("_", " ").title()
