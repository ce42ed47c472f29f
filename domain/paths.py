"""Names and paths of files, as text."""

from __future__ import annotations

import re
import unicodedata

from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.reading import normal

_UNDECOMPOSED = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ı": "i"}
)
"""Letters with a stroke or a ligature, which Unicode does not split into a letter and a mark."""


def file_name(name: str) -> str:
    """The file name, without `.md`, that a character's full name gives; empty where no letter or digit is left (F-056).

    Applied to its own result it changes nothing (F-057).
    """
    letters = normal(name, "NFKD").casefold().translate(_UNDECOMPOSED)
    hyphened = "".join("-" if char.isspace() or unicodedata.category(char) == "Pd" else char for char in letters)
    return re.sub("-+", "-", re.sub(r"[^a-z0-9-]", "", hyphened)).strip("-")


def checked_path(path: str) -> str:
    """The path, if it stays inside the campaign folder; otherwise SetupRefused quoting it (F-004).

    A path is relative, with `/` between its parts, and none of these is empty, `.` or `..`.
    """
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or any(char in path for char in "\\\0\n\r"):
        raise SetupRefused(
            f"The path {path!r} is outside the campaign folder or malformed. Use a path such as 'party/x.md'."
        )
    return path
