"""The fields that stand between two `---` lines at the top of a note, as far as anything here needs them."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FIELD = re.compile(r"([^\s:#-][^:\n]{0,60}):(.*)")
_ITEM = re.compile(r"[ \t]*+-[ \t]++(.*)")
LONGEST = 20_000
"""Characters that are looked at."""


def fields(text: str) -> Mapping[str, tuple[str, ...]]:
    """The fields by name in lower case, each with its values; none where there is no front matter.

    Texts and lists of texts are read; what else YAML can say is not.
    """
    found: dict[str, tuple[str, ...]] = {}
    key = ""
    for line in text[:LONGEST].splitlines()[_begin(text) + 1 : max(1, length(text) - 1)]:
        field, item = _FIELD.fullmatch(line.rstrip()), _ITEM.fullmatch(line.rstrip())
        if item and key:
            found[key] = (*found[key], _value(item[1]))
        elif field:
            key = field[1].strip().strip("\"'").casefold()
            value = field[2].strip()
            listed = value[1:-1].split(",") if value.startswith("[") and not value.startswith("[[") else [value]
            found[key] = tuple(each for each in map(_value, listed) if each)
    return found


def _value(text: str) -> str:
    return text.strip().strip("\"'").strip()


def length(text: str) -> int:
    """How many lines the front matter takes, its `---` lines and a comment above it included; 0 without one."""
    begin = _begin(text)
    lines = text[:LONGEST].splitlines()[begin:]
    if not lines or lines[0].lstrip("\ufeff").rstrip() != "---":
        return 0
    return next((begin + at + 1 for at, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)


def _begin(text: str) -> int:
    """The lines before front matter: none, or those of a comment and blank ones."""
    if text.lstrip("\ufeff")[:4] != "<!--":
        return 0
    lines = text[:LONGEST].splitlines()
    end = next((at for at, line in enumerate(lines) if line.rstrip().endswith("-->")), len(lines)) + 1
    return next((at for at, line in enumerate(lines[end:], end) if line.strip()), 0)
