"""Texts as they are read: what is stored of them, what they are matched by, and the reply within its wrapping."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal
from unicodedata import combining

MOST_MARKS = 30
"""Marks in a row that belong to one letter: UAX #15 knows of no writing that needs more."""
PART = 1024
"""Characters that are put into a normal form at once."""

_BECOME_MARKS = re.compile("[\u0f73\u0f75\u0f81\uff9e\uff9f]")
"""Characters that become combining marks only in their compatible form."""
_TOO_MANY = re.compile(b"\x01{%d,}" % (MOST_MARKS + 1))
_CONTROLS = dict.fromkeys((*range(9), *range(14, 28), 127))
_TYPED = {
    **dict.fromkeys(map(ord, "’‘‛ʼʻʹ´′＇"), "'"),
    **dict.fromkeys(map(ord, "‐‑‒−﹣－"), "-"),
}
"""What keyboards and models write for an apostrophe and a hyphen."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})[\w+-]*\s*")
_AROUND = " \t\r`*_.:\"'"
_DECODER = json.JSONDecoder()
_READINGS = 4


def readable(text: str) -> str:
    """The text with every lone surrogate, which no encoding can store, as U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def normal(text: str, form: Literal["NFC", "NFKC", "NFKD"] = "NFKC") -> str:
    """Return the text in a normal form of Unicode, in time that is linear in its length.

    A row of more than 30 marks on one letter is split, as UAX #15 does for streams: sorting it would take quadratic
    time. A long text is normalised in parts, each of which begins with a letter or sign.
    """
    if text.isascii():
        return text
    if len(text) > MOST_MARKS:
        text = _broken_up(text)
    return "".join(unicodedata.normalize(form, part) for part in _parts(text))


def normal_length(text: str, most: int) -> int:
    """How many characters the text has in its compatible form; where those are more than `most`, some number above."""
    if text.isascii():
        return len(text)
    length = 0
    for part in _parts(text):
        length += len(normal(part))
        if length > most:
            break
    return length


def _is_mark(char: str) -> bool:
    return bool(combining(char)) or _BECOME_MARKS.match(char) is not None


def _broken_up(text: str) -> str:
    """The text with a joiner in every row of marks that is too long, behind each so many."""
    marks = bytes(map(_is_mark, text) if _BECOME_MARKS.search(text) else map(bool, map(combining, text)))
    if bytes((True,)) * (MOST_MARKS + 1) not in marks:
        return text
    parts, place = list[str](), 0
    for row in _TOO_MANY.finditer(marks):
        for end in range(row.start() + MOST_MARKS, row.end(), MOST_MARKS):
            parts.append(text[place:end])
            place = end
    return "\u034f".join([*parts, text[place:]])


def _parts(text: str) -> Iterator[str]:
    """The text in parts of some length, cut where nothing goes together with what stands before it."""
    start = 0
    while len(text) - start > 2 * PART:
        end = start + PART
        while end < start + 2 * PART and _joins(text[end]):
            end += 1
        yield text[start:end]
        start = end
    yield text[start:]


def _joins(char: str) -> bool:
    """Whether a character may become one with those before it."""
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff" or _is_mark(char)


def unwrapped(text: str, openings: Sequence[str] = ()) -> str:
    """Return a reply without its wrapping: a code fence around it, and talk before and after it.

    The reply is the first JSON object with a field `action` or `messages` that begins a line, among the first lines
    that begin with a brace. Or it begins at the first line that is exactly one of the `openings`. Otherwise it is the
    whole text without its fence.
    """
    body = text.strip()
    lines = body.split("\n")
    if not body.startswith("{") and lines[0].strip(_AROUND) in openings:
        return body
    found = _message_in(body, lines)
    if found is not None:
        return found
    first = next((number for number, line in enumerate(lines) if line.strip(_AROUND) in openings), None)
    if first is None:
        first = 1 if _FENCE.fullmatch(lines[0]) else 0
    fence = _FENCE.fullmatch(lines[first - 1]) if first else None
    if fence is not None:
        mark = fence[1]
        ends = [number for number in range(first, len(lines)) if _closes(lines[number].strip(), mark)]
        lines = lines[: ends[-1]] if ends else lines
    return "\n".join(lines[first:]).strip()


def _closes(line: str, mark: str) -> bool:
    return len(line) >= len(mark) and not line.strip(mark[0])


def _message_in(text: str, lines: Sequence[str]) -> str | None:
    """The first message that begins a line as JSON; None if none does.

    Objects within objects would be read again and again: after a few readings of the text nobody looks further.
    """
    place, left = 0, _READINGS * len(text)
    for line in lines:
        if line.startswith("{") and left > 0:
            value, end = _object(text, place)
            if value is not None and ("action" in value or "messages" in value):
                return text[place:end]
            left -= end - place + (end // 16 if value is None else 0)  # an error counts the lines above it
        place += len(line) + 1
    return None


def _object(text: str, start: int) -> tuple[dict[str, object] | None, int]:
    """The object that begins there as JSON, if one does, and where its reading ended."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return None, error.pos
    except (ValueError, RecursionError):
        return None, len(text)
    return value, end


def plain(text: str) -> str:
    """The text as it is matched: NFKC, case folded, without invisible characters, white space as single spaces.

    A look-alike spelling or a zero-width character inside a name does not hide the name, nor does a curly apostrophe or
    a typographic hyphen.
    """
    if text.isascii():
        return " ".join(text.lower().translate(_CONTROLS).split())
    typed = text.translate(_TYPED)
    return " ".join(normal(without(normal(typed).casefold(), "Cf", "Cc", "Cs")).split())


def without(text: str, *categories: str) -> str:
    """The text without the characters of these categories; white space stays."""
    gone = {char for char in set(text) if unicodedata.category(char) in categories and not char.isspace()}
    return text.translate(dict.fromkeys(map(ord, gone))) if gone else text
