"""Signs for consoles that cannot show all of them."""

from __future__ import annotations

PLAIN_SIGNS = {
    "☾": "*",
    "☀": "*",
    "→": "->",
    "·": "-",
    "…": "...",
    "█": "#",
    "✗": "x",
    "✓": "ok",
    "—": "--",
    "–": "-",
    "┆": ":",
    "│": "|",
    "┌": "+",
    "└": "+",
    "─": "-",
    "━": "=",
    "«": '"',
    "»": '"',
    "‹": "'",
    "›": "'",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
}
"""What stands for a sign where the console's encoding has no room for it."""


def is_unicode(encoding: str) -> bool:
    """Whether the encoding holds every sign."""
    return encoding.lower().replace("-", "").startswith("utf")


def within(encoding: str, text: str) -> str:
    """The text in what the encoding can hold, with plain signs for the usual ones and escapes for all others."""
    if is_unicode(encoding):
        return text
    shown = "".join(PLAIN_SIGNS.get(char, char) if ord(char) > 127 else char for char in text)
    return shown.encode(encoding, "backslashreplace").decode(encoding)
