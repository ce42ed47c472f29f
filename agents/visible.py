"""Text that a seat wrote, made harmless for a terminal.

What other seats say is untrusted: an escape sequence in a speech could move the cursor, clear the screen or forge a
line in the game's own voice. Such characters are shown as written, never sent.
"""

from __future__ import annotations

import re
import unicodedata

LINE_ENDS = re.compile("\r\n|[\r\x85\u2028\u2029]")
JOINERS = "\u200c\u200d"
"""Invisible, but parts of ordinary words and emoji."""


def visible(text: str) -> str:
    """The text with control characters and direction marks spelled out, such as `\\x1b`; only `\\n` breaks a line.

    Tabs become spaces, and a run of empty lines becomes one, so that nobody can push a screen away.
    """
    if text.isprintable():
        return text
    text = LINE_ENDS.sub("\n", text).replace("\t", "    ")
    if not text.replace("\n", "").isprintable():
        text = "".join(char if char == "\n" or not _hidden(char) else _spelled(char) for char in text)
    return re.sub(r"\n[ \n]*\n", "\n\n", text)


def one_line(text: str) -> str:
    """`visible` text on a single line."""
    return " ".join(visible(text).split())


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs") and char not in JOINERS


def _spelled(char: str) -> str:
    return char.encode("unicode_escape", "backslashreplace").decode("ascii")
