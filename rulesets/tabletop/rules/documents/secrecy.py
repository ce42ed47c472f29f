"""Cutting a document into pieces, each with its readers (F-060). Joined, the pieces are the text to the byte.

Inside a document that others may read, these are the GM's alone: a section under a marked heading, up to the next
heading of the same or a higher level; a paragraph, item, quotation, code fence or table row with a marked lead; an
entry of the front matter with a marked key; and asides (`asides`). What is left reads as if they had never been there:
the blank lines and the heading that would stand over nothing go with them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.rules.documents.inline_secrets import Line, lines_of, without_asides
from sottovoce.rulesets.tabletop.rules.documents.markdown import Heading, Lead, Outline, is_blank, is_rule
from sottovoce.rulesets.tabletop.rules.documents.marks import is_marked
from sottovoce.rulesets.tabletop.rules.documents.pieces import NO_PIECES, Piece, new_key
from sottovoce.rulesets.tabletop.rules.names import GM

_SPEAKER = re.compile(r"[ \t>]*[A-ZÀ-Þ][\w'’ -]{0,30}:\s")
"""The next one's words, in a text that tells who says what."""


def cut(path: str, text: str, readers: Sequence[str]) -> tuple[Piece, ...]:
    """The document's pieces in order: one a section, more where a section holds what only the GM may read (F-060).

    `readers` are those of the file. A text without a character is one piece without one, so that the file is kept.
    """
    lines = without_asides(text)
    hidden = [line.gone for line in lines]
    opening: dict[int, Heading] = {}
    marked = True
    while marked:
        # What is left once something is taken out is read anew: it may be marked by what stands together now.
        left = [number for number, gone in enumerate(hidden) if not gone]
        outline = Outline([lines[number].shown for number in left])
        opening = {number: heading for number, heading in opening.items() if hidden[number]}
        opening |= {left[at]: heading for at, heading in outline.heading_at.items()}
        secret = secret_lines(outline)
        marked = any(secret) and set(readers) != {GM}
        if marked:
            _hide_bare_headings(outline, secret)
            _share_out_gaps(outline, secret)
        for number, gone in zip(left, secret, strict=True):
            hidden[number] = gone
    front = left[outline.front] if 0 < outline.front < len(left) else 0
    stretches = _stretches(lines, hidden, opening, front)
    return tuple(_pieces(path, stretches, tuple(sorted(readers))))


def open_lines(text: str) -> list[str]:
    """The text's lines without their ends, each without what F-060 keeps for the GM; empty where nothing is left."""
    lines = without_asides(text)
    hidden = [line.gone for line in lines]
    while True:
        left = [number for number, gone in enumerate(hidden) if not gone]
        secret = secret_lines(Outline([lines[number].shown for number in left]))
        if not any(secret):
            return ["" if gone else line.shown.rstrip("\r\n") for line, gone in zip(lines, hidden, strict=True)]
        for number, gone in zip(left, secret, strict=True):
            hidden[number] = gone


def divide(
    path: str, text: str, like: Piece | None, readers: Sequence[str], taken: Callable[[str], bool]
) -> tuple[Piece, ...]:
    """A text written during play, cut at its headings, all of it for the same readers.

    Lines before the first heading belong to the section of `like`, if that is given. `taken` tells keys in use.
    """
    lines = lines_of(text)
    outline = Outline(lines, whole=like is None)
    hidden = [like is not None and like.secret] * len(lines)
    stretches = _stretches([Line(line) for line in lines], hidden, outline.heading_at, outline.front)
    return tuple(_pieces(path, stretches, tuple(sorted(readers)), like, taken))


def marked_title(text: str) -> str | None:
    """The first heading, lead, key or aside in the text that F-060 keeps for the GM, if there is one."""
    lines = without_asides(text)
    aside = next(
        (part for line in lines for part, hidden in line.parts() if hidden or (line.gone and part.strip())), None
    )
    if aside is not None:
        return aside.strip()
    outline = Outline([line.shown for line in lines])
    for heading in outline.headings:
        if is_marked(heading.title):
            return heading.title
    return next((title for at, _, title in _marked_leads(outline)), None)


def secret_lines(outline: Outline) -> list[bool]:
    """For each line whether its section or paragraph is marked for the GM."""
    secret = [False] * len(outline.lines)
    for start, end in _marked_sections(outline):
        secret[start:end] = [True] * (end - start)
    for start, end, _ in _marked_leads(outline):
        secret[start:end] = [True] * (end - start)
    return secret


@dataclass(slots=True)
class _Stretch:
    """A stretch of text that becomes one piece. `opening` is the heading that it begins with, if it does."""

    parts: list[str]
    hidden: bool
    opening: Heading | None


def _stretches(
    lines: Sequence[Line], hidden: Sequence[bool], opening: Mapping[int, Heading], front: int
) -> list[_Stretch]:
    """The text in stretches: a new one at each heading, on the line behind the front matter, and wherever what is
    hidden begins or ends."""
    found: list[_Stretch] = []
    for number, line in enumerate(lines):
        heading = opening.get(number)
        fresh = heading is not None or number == front
        for text, aside in line.parts():
            secret = hidden[number] or aside
            if fresh or not found or found[-1].hidden != secret:
                found.append(_Stretch([text], secret, heading))
            else:
                found[-1].parts.append(text)
            fresh, heading = False, None
    return found or [_Stretch([], False, None)]


def _pieces(
    path: str,
    stretches: Sequence[_Stretch],
    readers: tuple[str, ...],
    like: Piece | None = None,
    taken: Callable[[str], bool] = NO_PIECES.has,
) -> Iterator[Piece]:
    keys = set[str]()
    heading, level = shown = (like.heading, like.level) if like else (None, 0)
    alike = Counter[tuple[str | None, str, tuple[str, ...]]]()
    for stretch in stretches:
        opening, hidden, text = stretch.opening, stretch.hidden, "".join(stretch.parts)
        if opening:
            heading, level = opening.title, opening.level
        if not hidden:
            # What is left open behind a secret section stands, for its readers, under the last heading that they see.
            heading, level = shown = (heading, level) if opening else shown
        seen_by = (GM,) if hidden else readers
        alike[heading, text, seen_by] += 1
        key = new_key(
            path, heading, text, seen_by, lambda key: key in keys or taken(key), alike[heading, text, seen_by] - 1
        )
        keys.add(key)
        yield Piece(key, path, heading, text, seen_by, level, opening is not None, hidden)


def _marked_sections(outline: Outline) -> Iterator[tuple[int, int]]:
    """First line and end of each section under a marked heading."""
    start, level = -1, 0
    for heading in outline.headings:
        if start >= 0 and not heading.sloppy and heading.level <= level:
            yield start, heading.at
            start = -1
        if is_marked(heading.title):
            level = min(level, heading.level) if start >= 0 else heading.level
            start = heading.at if start < 0 else start
    if start >= 0:
        yield start, len(outline.lines)


def _marked_leads(outline: Outline) -> Iterator[tuple[int, int, str]]:
    """First line, end and title of each paragraph, item, quotation, row or front-matter entry with a marked lead."""
    fields = outline.fields()
    ends = [start for start, _ in fields[1:]] + [outline.front - 1]
    for (start, key), end in zip(fields, ends, strict=False):
        if is_marked(key):
            yield start, end, key
    index = outline.front
    while index < len(outline.lines):
        end = index + 1
        if index in outline.fenced:
            end = outline.fenced[index]
            if is_marked(outline.fence(index)):
                yield index, end, outline.fence(index)
        elif index not in outline.heading_at and not is_blank(outline.lines[index]):
            lead = outline.lead(index)
            if lead and lead.marked and (lead.field or lead.item or lead.row or _begins_block(outline, index)):
                end = _end_of_lead(outline, index, lead)
                yield index, end, lead.title
        index = end


def _begins_block(outline: Outline, index: int) -> bool:
    before = index - 1
    if index == outline.front or before in outline.heading_at or before in outline.fenced:
        return True
    above = outline.lines[before]
    return is_blank(above) or is_rule(above) or outline.prefix(index)[0] != outline.prefix(before)[0]


def _end_of_lead(outline: Outline, start: int, lead: Lead) -> int:
    """The line after the block that the lead on line `start` opens."""
    if lead.row:
        return start + 1
    if lead.callout:
        return next(
            (at for at in range(start + 1, len(outline.lines)) if not outline.prefix(at)[0]), len(outline.lines)
        )
    if lead.plainly and not lead.item and outline.lines[start].rstrip().endswith((")", "]", "}")):
        return start + 1
    lines, index, wanting = outline.lines, start + 1, lead.alone
    listed = False
    while index < len(lines):
        if index in outline.heading_at:
            break
        if index in outline.fenced:
            index, wanting = outline.fenced[index], False
            continue
        if is_blank(lines[index]):
            following = next((at for at in range(index, len(lines)) if not is_blank(lines[at])), None)
            if following is None or following in outline.heading_at or is_rule(lines[following]):
                break
            quoted, indent, item = outline.prefix(following)
            deeper = indent > lead.indent and (lead.item or listed)
            goes_on = deeper or (item and listed and not lead.item) or (wanting and not (lead.item and item))
            if quoted != lead.quoted or not goes_on:
                break
            index, wanting = following, False
        quoted, indent, item = outline.prefix(index)
        if lead.item and item and indent <= lead.indent:
            break
        if not item and indent <= lead.indent and (own := outline.lead(index)) and own.field and not own.row:
            break
        if lead.plainly and not item and _SPEAKER.match(lines[index]):
            break
        listed = listed or item
        wanting = False
        index += 1
    return index


def _hide_bare_headings(outline: Outline, secret: list[bool]) -> None:
    """A heading over nothing but secrets is secret too, the document's first heading apart."""
    headings = sorted(outline.heading_at.values(), key=lambda heading: heading.at)
    below: list[Heading] = []
    written, shown = [0], [0]  # lines with words up to each line, and those of them that are open
    hidden_before: list[int] = []  # the headings hidden here, as negative lines, and how many open lines they took
    hidden_lines = [0]
    for line, hidden in zip(outline.lines, secret, strict=True):
        counts = not _is_gap(line)
        written.append(written[-1] + counts)
        shown.append(shown[-1] + (counts and not hidden))
    for place in range(len(headings) - 1, -1, -1):
        heading = headings[place]
        while below and below[-1].level > heading.level:
            below.pop()
        end = below[-1].at if below else len(secret)
        below.append(heading)
        own = 1 if outline.lines[heading.at].lstrip(" \ufeff").startswith("#") else 2
        body = min(heading.at + own, end)
        emptied = hidden_lines[-1] - hidden_lines[bisect_right(hidden_before, -end)]
        openly = shown[end] - shown[body] - emptied
        if place and not secret[heading.at] and written[end] > written[body] and openly == 0:
            secret[heading.at : end] = [True] * (end - heading.at)
            hidden_before.append(-heading.at)
            hidden_lines.append(hidden_lines[-1] + shown[body] - shown[heading.at])


def _share_out_gaps(outline: Outline, secret: list[bool]) -> None:
    """Give the blank and drawn lines around a secret to the side where they leave no trace of it."""
    gap = [index >= outline.front and _is_gap(line) for index, line in enumerate(outline.lines)]
    start = 0
    while start < len(secret):
        end = start
        while end < len(secret) and (secret[end] or gap[end]):
            end += 1
        written = [index for index in range(start, end) if secret[index] and not gap[index]]
        if written:
            _settle(outline, secret, (start, written[0], written[-1] + 1, end))
        start = max(end, start + 1)


def _settle(outline: Outline, secret: list[bool], bounds: tuple[int, int, int, int]) -> None:
    """`bounds`: where the gap before a secret begins, where the secret does, where it ends, and the gap after it."""
    start, first, last, end = bounds
    secret[start:end] = [True] * (end - start)
    if start == 0 or end == len(secret):
        return
    drawn_after = any(is_rule(line) for line in outline.lines[last:end])
    drawn_before = any(is_rule(line) for line in outline.lines[start:first])
    if start == first or (drawn_after and not drawn_before):
        secret[last:end] = [False] * (end - last)
    else:
        secret[start:first] = [False] * (first - start)


def _is_gap(line: str) -> bool:
    return is_blank(line) or is_rule(line)
