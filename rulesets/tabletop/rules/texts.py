"""Texts as messages hold them, so that what is written reads back as the same."""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce import readable

SPACES = " \t"
"""What indents a line and surrounds a value. Other white space is text."""


def blank(text: str) -> bool:
    """Whether nothing of the text can be seen: only white space, controls and invisible characters."""
    return not any(char.isprintable() and not char.isspace() for char in text)


def shown(text: str) -> str:
    """The beginning of a text in quotes, on one line, for a message about it."""
    return repr(text if len(text) <= 60 else f"{text[:57]}…")


def in_lines(text: str) -> str:
    """The text with LF as its only line end, and with nothing that cannot be stored (T-015)."""
    return readable(text).replace("\r\n", "\n").replace("\r", "\n")


def body_held(text: str) -> str:
    """A body as a message holds it: verbatim but for blank lines around it (T-019, T-021). A blank one is empty."""
    return "" if blank(text) else "\n".join(trimmed(in_lines(text).split("\n")))


def held(text: str) -> str:
    """A field's text as a message holds it: of several lines, without common indent and blank lines around (T-033)."""
    text = in_lines(text)
    if "\n" in text:
        text = "\n".join(dedented(text.split("\n")))
    return "" if blank(text) else text


def trimmed(lines: Sequence[str]) -> Sequence[str]:
    """The lines without blank ones at either end."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]


def dedented(lines: Sequence[str]) -> Sequence[str]:
    """The lines without blank ones around them and without the indent that all of them share (T-022)."""
    kept = trimmed(lines)
    margins = [line[: depth(line)] for line in kept if line.strip()]
    if not margins:
        return ()
    first, last = min(margins), max(margins)
    common = next((at for at, char in enumerate(first) if last[at : at + 1] != char), len(first))
    return [line[common:] for line in kept]


def depth(line: str) -> int:
    """How many characters indent the line."""
    return len(line) - len(line.lstrip(SPACES))


def sections(body: str) -> dict[str, str]:
    """The texts below the body's `## ` headings, by heading, in order. Text before the first is in none of them.

    The texts of a heading that is given more than once are put together.
    """
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for line in body.split("\n"):
        if line.startswith("## "):
            lines = found.setdefault(line[3:].strip(), [])
        elif lines is not None:
            lines.append(line)
    return {heading: body_held("\n".join(lines)) for heading, lines in found.items()}
