"""The outline of a Markdown text, line by line: front matter, fences, headings, marked leads (F-060).

Where a text can be read in two ways, what may be secret is read as secret: a sloppy heading that is marked for the GM
opens its section, but a sloppy heading never ends one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.rules.documents.marks import ORNAMENT, callout, is_marked, marked_cell, marked_label

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(.*))?")
_SLOPPY_ATX = re.compile(r"\s*+(#{1,6})\s*+(.*)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r"[ \t]*+(?:>[ \t]*+)*+(`{3,}+|~{3,}+)(.*)")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_FIELD = re.compile(r"([^\s:#][^:]*):")
_PREFIX = re.compile(
    r"(?P<quote>(?:[ \t]*>)*)(?P<indent>[ \t]*)(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?"
    r"(?P<row>\|[ \t]*)?(?P<rest>.*)",
    re.DOTALL,
)
_BOLD = re.compile(
    r"[(\[\"'“_*~]{0,2}?(?:\*\*(?P<stars>[^*\s].{0,300}?)\*\*|__(?P<lines>[^_\s].{0,300}?)__"
    r"|<(?P<tag>b|strong|summary)>(?P<tagged>.{0,300}?)</(?P=tag)>|\*\*(?P<open>[^*\n]+)\Z)[*_~]?(?P<after>.*)",
    re.DOTALL,
)
_SENTENCE_ENDS = (".", "!", "?", ",", ";", ":", "…", "”", '"')
_INVISIBLE = "\ufeff\u200b\u2060\x0c\x0b"


def is_blank(line: str) -> bool:
    return not line.strip().strip(_INVISIBLE)


def is_rule(line: str) -> bool:
    """Whether the line is a drawn line between parts."""
    return _RULE.fullmatch(line.rstrip()) is not None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that begins at line `at`. A sloppy one opens a GM's section at most; it ends none and names none."""

    at: int
    level: int
    title: str
    sloppy: bool = False


@dataclass(frozen=True, slots=True)
class Lead:
    """The bold words that a paragraph, item, quotation or table row opens with, or plain ones that mark it.

    `alone` says that nothing follows them on the line; `field` that they are a label, with a colon. `marked` keeps what
    they stand over for the GM (F-060). `plainly` says that they are not bold, and `callout` that they open a callout.
    """

    title: str
    quoted: bool
    indent: int
    item: bool
    row: bool
    alone: bool
    field: bool
    marked: bool
    plainly: bool = False
    callout: bool = False


class Outline:
    """What the lines of one text are."""

    def __init__(self, lines: Sequence[str], *, whole: bool = True) -> None:
        """`whole`: the text begins its document, so that it may have front matter."""
        self.lines = lines
        self.front = self._front_matter() if whole else 0
        self.fenced = self._fenced()
        self.headings = list(self._headings())
        self.heading_at = {heading.at: heading for heading in self.headings if not heading.sloppy}

    def _front_matter(self) -> int:
        """How many lines the front matter takes, its `---` lines included; 0 without one."""
        if not self.lines or self.lines[0].lstrip("\ufeff").rstrip() != "---":
            return 0
        for index, line in enumerate(self.lines[1:], 1):
            if line.rstrip() in ("---", "..."):
                return index + 1
        return 0

    def _fenced(self) -> dict[int, int]:
        """For each line in a code fence, the first line after it. A fence that is never closed is none."""
        closers = [
            (index, match[1][0], len(match[1]))
            for index in range(self.front, len(self.lines))
            if (match := _FENCE.fullmatch(self.lines[index].rstrip())) and not match[2].strip()
        ]
        found: dict[int, int] = {}
        unclosed = {"`": len(self.lines) + 1, "~": len(self.lines) + 1, "": 0}
        index, at = self.front, 0
        while index < len(self.lines):
            match = _FENCE.fullmatch(self.lines[index].rstrip())
            kind, length = (match[1][0], len(match[1])) if match else ("", 0)
            if match and not (kind == "`" and "`" in match[2]) and length < unclosed[kind]:
                while at < len(closers) and closers[at][0] <= index:
                    at += 1
                later = (closers[place] for place in range(at, len(closers)))
                end = next((line for line, mark, size in later if mark == kind and size >= length), None)
                if end is not None:
                    found.update(dict.fromkeys(range(index, end + 1), end + 1))
                    index = end
                else:
                    unclosed[kind] = length
            index += 1
        return found

    def _headings(self) -> Iterator[Heading]:
        for index in range(self.front, len(self.lines)):
            if index in self.fenced:
                continue
            line = self.lines[index].rstrip().lstrip(_INVISIBLE)
            strict, sloppy = _ATX.fullmatch(line), _SLOPPY_ATX.fullmatch(line)
            if strict:
                yield Heading(index, len(strict[1]), _title(strict[2] or ""))
            elif sloppy:
                yield Heading(index, len(sloppy[1]), _title(sloppy[2]), sloppy=True)
            elif underlined := self._underlined(index):
                yield underlined

    def _underlined(self, index: int) -> Heading | None:
        """The heading whose only line of text this is, drawn under in the next."""
        if index + 1 >= len(self.lines) or index + 1 in self.fenced or is_blank(self.lines[index]):
            return None
        underline = _UNDERLINE.fullmatch(self.lines[index + 1].rstrip())
        if underline is None:
            return None
        line = self.lines[index].rstrip().lstrip(_INVISIBLE)
        prefix = _PREFIX.fullmatch(line)
        assert prefix is not None
        if prefix["quote"] or prefix["item"] or prefix["row"] or is_rule(line):
            return None
        first = index == self.front or is_blank(before := self.lines[index - 1]) or self._ends_block(before)
        sloppy = not first or len(prefix["indent"]) > 3 or line.endswith(_SENTENCE_ENDS) or len(underline[1]) < 2
        return Heading(index, 1 if underline[1][0] == "=" else 2, _title(line), sloppy)

    def _ends_block(self, line: str) -> bool:
        """Whether a paragraph cannot go on after this line."""
        return bool(_ATX.fullmatch(line.rstrip()) or _UNDERLINE.fullmatch(line.rstrip()) or is_rule(line))

    def lead(self, index: int) -> Lead | None:
        """The lead that line `index` opens with; a bold one may run on over the next two lines."""
        paragraph = self.lines[index : index + 3]
        for length, line in enumerate(paragraph):
            if is_blank(line):
                paragraph = paragraph[:length]
                break
        prefix = _PREFIX.fullmatch("".join(paragraph).lstrip(_INVISIBLE).rstrip())
        if prefix is None:
            return None
        place = (bool(prefix["quote"]), len(prefix["indent"].expandtabs(4)), bool(prefix["item"]), bool(prefix["row"]))
        quoted_heading = _SLOPPY_ATX.match(prefix["rest"].split("\n")[0]) if place[0] or place[2] else None
        if quoted_heading:
            title = _title(quoted_heading[2])
            return Lead(title, *place, alone=True, field=True, marked=is_marked(title))
        rest = ORNAMENT.sub("", prefix["rest"], count=1) if ORNAMENT.match(prefix["rest"]) else prefix["rest"]
        bold = _BOLD.match(rest)
        if bold is None:
            return _plain_lead(rest.partition("\n")[0], place)
        title = bold["stars"] or bold["lines"] or bold["tagged"] or bold["open"] or ""
        after = bold["after"].partition("\n")[0].strip()
        field = after.startswith(":") or title.rstrip().endswith(":")
        return Lead(title, *place, alone=not after.strip(":.–— "), field=field, marked=is_marked(title))

    def fence(self, index: int) -> str:
        """What is written behind the marks that open the code fence on that line."""
        match = _FENCE.fullmatch(self.lines[index].rstrip())
        return match[2].strip() if match else ""

    def prefix(self, index: int) -> tuple[bool, int, bool]:
        """Whether the line is quoted, how far it is indented, and whether it is a list item."""
        match = _PREFIX.fullmatch(self.lines[index].rstrip())
        assert match is not None
        return bool(match["quote"]), len(match["indent"].expandtabs(4)), bool(match["item"])

    def fields(self) -> Sequence[tuple[int, str]]:
        """Where each entry of the front matter begins, and its key."""
        if not self.front:
            return ()
        found = []
        for index in range(1, self.front - 1):
            match = _FIELD.match(self.lines[index])
            if match:
                found.append((index, match[1]))
        return found


def _plain_lead(rest: str, place: tuple[bool, int, bool, bool]) -> Lead | None:
    """The label, callout or cell without emphasis that marks what it opens; None where there is none."""
    quoted, _, _, row = place
    if quoted and (kind := callout(rest)):
        return Lead(kind, *place, alone=True, field=True, marked=True, plainly=True, callout=True)
    title = marked_cell(rest) if row else marked_label(rest)
    if title is None:
        return None
    after = rest.partition(":")[2].strip(" *_)]}")
    return Lead(title, *place, alone=not after and not row, field=True, marked=True, plainly=True)


def _title(text: str) -> str:
    """A heading's words, without the closing hashes that some write."""
    title = text.strip()
    bare = title.rstrip("#")
    return bare.strip() if not bare or bare[-1] in " \t" else title
