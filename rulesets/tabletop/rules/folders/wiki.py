"""Pages of other wikis as Markdown: the headings and bold words that the house reads by."""

from __future__ import annotations

import re

_BOLD = re.compile(r"'''([^'\n]{1,200})'''")
_MOST = 6


def as_markdown(path: str, text: str) -> str:
    """The text of a wiki page as Markdown; a text that is Markdown already stays as it is."""
    if path.casefold().endswith((".md", ".markdown", ".mdown")):
        return text
    lines = text.splitlines(keepends=True)
    headings = {
        at: title for at, line in enumerate(lines) if (title := line.strip().strip("=").strip()) and _signs(line)
    }
    if not headings:
        return text
    # DokuWiki counts down from six signs, MediaWiki up from one.
    down = _signs(lines[next(iter(headings))]) >= _MOST - 1
    for at, title in headings.items():
        signs = _signs(lines[at])
        lines[at] = f"{'#' * (_MOST + 1 - signs if down else signs)} {title}\n"
    return _BOLD.sub(r"**\1**", "".join(lines))


def _signs(line: str) -> int:
    """How many signs stand on both sides of a heading; 0 for a line that is none."""
    bare = line.strip()
    before, after = len(bare) - len(bare.lstrip("=")), len(bare) - len(bare.rstrip("="))
    return min(before, after) if before and after and before <= _MOST and len(bare) > before + after else 0
