"""A changed document as changes of its sections, so that one line in a long file is a short delta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sottovoce.rulesets.tabletop.rules.documents import Outline, Piece, lines_of, rebuild
from sottovoce.rulesets.tabletop.rules.messages import TextDelta


@dataclass(frozen=True, slots=True)
class _Section:
    """What lies between a heading and the next; before the first heading, `trail` is empty."""

    trail: tuple[str, ...]
    text: str

    @property
    def heading_line(self) -> str:
        return self.text.partition("\n")[0] if self.trail else ""


def by_section(path: str, pieces: Sequence[Piece], text: str) -> Sequence[TextDelta] | None:
    """The deltas that make the document, as a seat sees it, into the text; None where that is not done by sections.

    That is so where headings were changed, added, removed or moved, where two sections have the same headings above
    them, or where the text before the first heading is another.
    """
    old, new = _sections(rebuild(pieces)), _sections(text)
    alike = [(section.trail, section.heading_line) for section in old]
    if alike != [(section.trail, section.heading_line) for section in new] or len(set(alike)) < len(alike):
        return None
    if any(was.text != now.text and not was.trail for was, now in zip(old, new, strict=True)):
        return None
    return [_delta(path, was, now) for was, now in zip(old, new, strict=True) if was.text != now.text]


def _delta(path: str, was: _Section, now: _Section) -> TextDelta:
    heading = " > ".join(now.trail)
    before = was.text.rstrip("\n") + "\n"
    if now.text.startswith(before) and now.text[len(before) :].strip():
        return TextDelta(path, heading, "append", now.text[len(before) :])
    return TextDelta(path, heading, "set", now.text)


def _sections(text: str) -> Sequence[_Section]:
    outline = Outline(lines_of(text))
    starts = sorted(outline.heading_at)
    found = [_Section((), "".join(outline.lines[: starts[0] if starts else len(outline.lines)]))]
    above: list[tuple[int, str]] = []
    for start, end in pairwise([*starts, len(outline.lines)]):
        heading = outline.heading_at[start]
        above = [(level, title) for level, title in above if level < heading.level]
        above.append((heading.level, heading.title))
        found.append(_Section(tuple(title for _, title in above), "".join(outline.lines[start:end])))
    return found
