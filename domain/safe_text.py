"""What reaches a screen or a page: text of any origin, made harmless.

What seats say, what they are called and what documents hold is untrusted: an escape sequence could move the cursor or
forge a line in the game's own voice, a direction mark turn a sentence round, and characters that nobody sees carry what
nobody reads. Such characters are shown as written, never sent. Every surface goes through this module: terminals,
transcripts, JSON, error lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

LINE_ENDS = re.compile("\r\n|[\r\x85\u2028\u2029]")

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
_DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_JOINERS = "\u200c\u200d"
_SELECTORS = "\ufe0e\ufe0f"
_BLANK = (
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN = re.compile(f"[{_CONTROLS}{_DIRECTIONS}{_JOINERS}{_SELECTORS}{_BLANK}]")
"""Controls, and what takes no room: zero-width and direction marks, fillers, selectors and tag characters."""
_NEEDED_BY_SOME = re.compile(f"[{_JOINERS}{_SELECTORS}]")
"""Those of them that may stand as they are, behind some characters."""


def visible(text: str) -> str:
    """The text with everything that controls or hides spelled out, such as `\\x1b`; only `\\n` breaks a line.

    Joiners stay where words and emoji need them: behind a sign that is neither Latin nor hidden itself. Tabs become
    spaces, and a run of empty lines becomes one, so that nobody can push a screen away.
    """
    if text.isascii() and text.isprintable():
        return text
    text = LINE_ENDS.sub("\n", text).replace("\t", "    ")
    text = _without_hidden(text, _spelled)
    return re.sub(r"\n[ \n]*\n", "\n\n", text)


def one_line(text: str) -> str:
    """`visible` text on a single line."""
    return " ".join(visible(text).split())


def visible_json(text: str) -> str:
    """A JSON text that reads as the same value, with everything that controls or hides escaped."""
    return text if text.isascii() and text.isprintable() else _without_hidden(text, _escaped)


def hides(text: str) -> bool:
    """Whether any character of the text would be spelled out."""
    return any(not _needed(hidden) for hidden in _HIDDEN.finditer(text))


def _without_hidden(text: str, written: Callable[[str], str]) -> str:
    """The text with what controls or hides written out, unless it is needed where it stands."""
    if _HIDDEN.search(text) is None:
        return text
    text = _NEEDED_BY_SOME.sub(lambda hidden: hidden[0] if _needed(hidden) else written(hidden[0]), text)
    always = (char for char in set(text) if _HIDDEN.match(char) and not _NEEDED_BY_SOME.match(char))
    return text.translate({ord(char): written(char) for char in always})


def _spelled(hidden: str) -> str:
    return hidden.encode("unicode_escape", "backslashreplace").decode("ascii")


def _escaped(hidden: str) -> str:
    units = hidden.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


def _needed(hidden: re.Match[str]) -> bool:
    """Whether a character that nobody sees makes a word or an emoji what it is."""
    before = hidden.string[max(0, hidden.start() - 1) : hidden.start()]
    if hidden[0] in _JOINERS:
        return _joinable(before)
    return hidden[0] in _SELECTORS and _has_two_looks(before)


def _joinable(before: str) -> bool:
    """Whether a joiner does something behind that sign: in Arabic and Indic scripts, and between emoji."""
    if before in _SELECTORS:
        return before != ""
    return before > "\u024f" and unicodedata.category(before)[0] in "LMS" and not _HIDDEN.match(before)


def _has_two_looks(before: str) -> bool:
    """Whether the sign may be drawn as a letter or as a picture: symbols, and the signs of keycaps."""
    return before != "" and (unicodedata.category(before)[0] == "S" or before in "0123456789#*‼⁉ℹ〰")
