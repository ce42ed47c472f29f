"""Asides: what is not for players within a text though no heading or lead stands over it (F-060).

They are comments, which no page shows; elements that are marked, such as `<details>` with a summary "GM notes"; and
columns of a table under a marked heading. What is left of the text is cut as if they had never been there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sottovoce.rulesets.tabletop.rules.documents.marks import is_marked

_END = re.compile(r"[\r\n]")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OPENING = re.compile(
    r"(?P<comment><!--)|(?P<margin>%%)|<(?P<tag>details|div|section|aside|span|p)\b(?P<with>[^<>]{0,300})>",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"(?:\s++|(?:<!--(?:(?!-->).){0,300}|(?:(?!<summary\b|-->).){0,300})-->)*+<summary\b[^<>]{0,300}>(.{0,300}?)</summary>",
    re.DOTALL | re.IGNORECASE,
)
_VALUE = re.compile(r"=\s*(?:\"([^\"]*)\"|'([^']*)')")
_HIDDEN_VALUES = ("secret", "secrets", "hidden", "spoiler")
_REFERENCE = re.compile(r" {0,3}\[(?://|comment|_)\]:\s", re.IGNORECASE)
_DELIMITERS = re.compile(r"[ \t>]*+\|?[ \t]*+:?-++:?(?:[ \t]*+\|[ \t]*+:?-++:?)*+[ \t]*+\|?[ \t]*+")
_BAR = re.compile(r"(?<!\\)\|")
_BARE = re.compile(r"[\s>]*+(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[[ xX]\])?)?[\s|]*+")
_BLANK = re.compile(r"[\s\ufeff\u200b\u2060]*")

Span = tuple[int, int]


def lines_of(text: str) -> list[str]:
    """The lines with their endings, whichever those are; joined they are the text."""
    return _LINE.findall(text)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a text. `holes` are the stretches of it that are asides; `gone` says that all of it is one."""

    text: str
    holes: tuple[Span, ...] = ()
    gone: bool = False

    @property
    def shown(self) -> str:
        """What is left of it."""
        return "".join(text for text, hidden in self.parts() if not hidden)

    def parts(self) -> Iterator[tuple[str, bool]]:
        """The line's stretches in order, and whether each is an aside."""
        at = 0
        for start, end in self.holes:
            if start > at:
                yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        if at < len(self.text):
            yield self.text[at:], False


def without_asides(text: str) -> list[Line]:
    """The text's lines, with what in them is an aside. Joined they are the text."""
    lines = lines_of(text)
    found = [Line(line) for line in lines]
    if "<" in text or "%%" in text or "]:" in text:
        _take_out_spans(found, _spans(text))
    if "|" in text:
        _take_out_columns(found)
    _close_gaps(found)
    return found


def _spans(text: str) -> list[Span]:
    """Comments and marked elements, from their first character to behind the last."""
    spans: list[Span] = []
    at = 0
    closers: dict[str, bool] = {}
    while (opening := _OPENING.search(text, at)) is not None:
        start, end = opening.start(), None
        if opening["comment"]:
            end = _after(text, "-->", start + 2, closers)
            if end is None:
                # A page shows nothing below a comment that is begun on a line of its own and never ends.
                end = len(text) if _begins_line(text, start) else _line_end(text, start)
        elif opening["margin"]:
            end = _margin_end(text, start, closers)
        elif _is_marked_element(text, opening):
            end = _element_end(text, opening)
        if end is None:
            at = opening.end()
        else:
            spans.append((start, end))
            at = end
    return spans


def _after(text: str, closer: str, start: int, none_left: dict[str, bool]) -> int | None:
    """Behind the next closer, or None. `none_left` keeps a long text without one from being searched over and over."""
    if none_left.get(closer):
        return None
    found = text.find(closer, start)
    none_left[closer] = found < 0
    return None if found < 0 else found + len(closer)


def _begins_line(text: str, start: int) -> bool:
    return not text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start].strip(" \t\ufeff>")


def _line_end(text: str, start: int) -> int:
    end = _END.search(text, start)
    return end.start() if end else len(text)


def _margin_end(text: str, start: int, none_left: dict[str, bool]) -> int | None:
    """A comment between two `%%` ends on its line, or, where it begins that line, wherever it is closed."""
    end = _after(text, "%%", start + 2, none_left)
    if end is None or _END.search(text, start, end) is None:
        return end
    return end if _begins_line(text, start) else None


def _is_marked_element(text: str, opening: re.Match[str]) -> bool:
    values = (first or second for first, second in _VALUE.findall(opening["with"]))
    if any(is_marked(value) or value.lower() in _HIDDEN_VALUES for value in values):
        return True
    summary = _SUMMARY.match(text, opening.end()) if opening["tag"].lower() == "details" else None
    return summary is not None and is_marked(summary[1])


def _element_end(text: str, opening: re.Match[str]) -> int:
    """Behind the element's own closing tag; one that is never closed takes the rest of the text."""
    tag = re.compile(rf"<(/?){opening['tag']}\b[^<>]{{0,300}}>", re.IGNORECASE)
    depth, at = 1, opening.end()
    while depth and (found := tag.search(text, at)) is not None:
        depth += -1 if found[1] else 1
        at = found.end()
    return len(text) if depth else at


def _take_out_spans(lines: list[Line], spans: Sequence[Span]) -> None:
    place, at = 0, 0
    for index, line in enumerate(lines):
        body = len(line.text.rstrip("\r\n"))
        while place < len(spans) and spans[place][1] <= at:
            place += 1
        here = _until(spans, place, at + len(line.text))
        if any(
            start <= at and end >= at + body and (body or (start < at < end)) for start, end in here
        ) or _REFERENCE.match(line.text):
            lines[index] = Line(line.text, gone=True)
        elif here:
            holes = [_widened(line.text[:body], max(start - at, 0), min(end - at, body)) for start, end in here]
            lines[index] = _settled(line.text, holes)
        at += len(line.text)


def _until(spans: Sequence[Span], place: int, end: int) -> Sequence[Span]:
    """The spans from that place on that begin before `end`."""
    return spans[place : bisect_left(spans, (end, 0), place)]


def _widened(body: str, start: int, end: int) -> Span:
    """With the blanks beside it that would be left over."""
    if body[:start].strip(" \t"):
        if end == len(body) or body[end] in " \t":
            while start and body[start - 1] in " \t":
                start -= 1
    else:
        while end < len(body) and body[end] in " \t":
            end += 1
    return start, end


def _settled(text: str, holes: Sequence[Span]) -> Line:
    """The line with those holes; gone where they leave nothing of it, or leave what may be half a comment."""
    line = Line(text, _joined(holes))
    shown = line.shown
    if _BARE.fullmatch(shown) or _REFERENCE.match(shown) or "<!--" in shown or "%%" in shown:
        return Line(text, gone=True)
    return line


def _joined(holes: Sequence[Span]) -> tuple[Span, ...]:
    found: list[Span] = []
    for start, end in sorted(hole for hole in holes if hole[0] < hole[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def _take_out_columns(lines: list[Line]) -> None:
    """The columns of each table whose heading is marked, its bar with each cell."""
    place = 0
    while place + 1 < len(lines):
        heading = lines[place]
        below = next((line.shown for line in lines[place + 1 : place + 9] if not line.gone), "").rstrip()
        table = not heading.gone and "|" in heading.text and "|" in below
        if not (table and _DELIMITERS.fullmatch(below)):
            place += 1
            continue
        words = heading.shown
        cells = _cells(words)
        marked = [number for number, cell in enumerate(cells) if is_marked(words[slice(*cell)])]
        end = place
        while end < len(lines) and (lines[end].gone or "|" in lines[end].text):
            if marked and not lines[end].gone:
                lines[end] = _without_cells(lines[end], marked, len(cells))
            end += 1
        place = end


def _cells(row: str) -> list[Span]:
    """Where each cell's text lies, from the bar before it or the row's beginning to the bar behind it or the end."""
    body = row.rstrip()
    bars = [match.start() for match in _BAR.finditer(body)]
    bounds = [*bars, len(body)] if not bars or bars[-1] != len(body) - 1 else bars
    if not bars or body[: bars[0]].strip(" \t>"):
        bounds = [-1, *bounds]
    return [(start + 1, end) for start, end in pairwise(bounds)]


def _without_cells(line: Line, marked: Sequence[int], columns: int) -> Line:
    """Without those cells. A row with more cells than columns has a bar in its text: the last column takes the rest.

    Where a row holds an aside besides, no telling which bars are its own: all of it is gone.
    """
    if line.holes:
        return Line(line.text, gone=True)
    cells = _cells(line.text)
    gone = {number for number in marked if number < len(cells)}
    if columns - 1 in marked:
        gone |= set(range(columns, len(cells)))
    if len(gone) == len(cells):
        return Line(line.text, gone=True)
    holes: list[Span] = []
    first, last = cells[0][0], len(cells) - 1
    for number in sorted(gone):
        start, end = cells[number]
        closed = end < len(line.text) and line.text[end] == "|"
        if closed and not (number == last and not first):
            holes.append((start, end + 1))
        else:
            holes.append((max(start - 1, 0), end))
    return _settled(line.text, holes)


def _close_gaps(lines: list[Line]) -> None:
    """The empty lines behind an aside that had empty lines before it, or began the text, go with it."""
    index = 0
    while index < len(lines):
        if not lines[index].gone:
            index += 1
            continue
        start = index
        while index < len(lines) and lines[index].gone:
            index += 1
        after = index
        while after < len(lines) and _BLANK.fullmatch(lines[after].text):
            after += 1
        if after > index and (start == 0 or _BLANK.fullmatch(lines[start - 1].text)):
            lines[index:after] = [Line(line.text, gone=True) for line in lines[index:after]]
            index = after
