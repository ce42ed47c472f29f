"""Reading a choice out of a free text."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal
from unicodedata import combining

from sottovoce.domain.errors import Refused

MOST_MARKS = 30
"""Marks in a row that belong to one letter: UAX #15 knows of no writing that needs more."""
PART = 1024
"""Characters that are put into a normal form at once."""

_BECOME_MARKS = re.compile("[\u0f73\u0f75\u0f81\uff9e\uff9f]")
"""What is no mark by itself and becomes one in its compatible form."""
_TOO_MANY = re.compile(b"\x01{%d,}" % (MOST_MARKS + 1))
_CONTROLS = dict.fromkeys((*range(9), *range(14, 28), 127))
_SURROGATE = re.compile("[\ud800-\udfff]")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})[\w+-]*\s*")
_AROUND = " \t\r`*_.:\"'"
_DECODER = json.JSONDecoder()
_READINGS = 4
_OPENERS = "\"'`*_#>([{-–—“”‘’«» "


def readable(text: str) -> str:
    """The text with every lone surrogate, which no encoding can store, as U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def normal(text: str, form: Literal["NFC", "NFKC", "NFKD"] = "NFKC") -> str:
    """The text in a normal form of Unicode, in time that is linear in its length.

    A row of more than 30 marks above and below one letter is broken up, as UAX #15 does for streams: to sort it would
    take the square of its length. A long text is taken in parts, each of which begins with a letter or sign of its own.
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
    """What a reply holds besides its wrapping: the code fence around it, and the talk before and after it.

    The reply is the first JSON object with an `action` or a `messages` field that begins one of the first lines which
    begin with a brace, or begins at the first line that is one of the `openings` and nothing else; otherwise it is the
    whole text, out of its fence if it has one.
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

    A look-alike spelling or a zero-width character inside a name does not hide the name.
    """
    if text.isascii():
        return " ".join(text.lower().translate(_CONTROLS).split())
    return " ".join(normal(without(normal(text).casefold(), "Cf", "Cc", "Cs")).split())


def without(text: str, *categories: str) -> str:
    """The text without the characters of these categories; white space stays."""
    gone = {char for char in set(text) if unicodedata.category(char) in categories and not char.isspace()}
    return text.translate(dict.fromkeys(map(ord, gone))) if gone else text


@lru_cache(maxsize=4096)
def whole(name: str) -> re.Pattern[str]:
    """The name as whole words in a `plain` text. An underscore beside it is emphasis, not a letter of its own."""
    return re.compile(rf"(?<![^\W_]){re.escape(plain(name))}(?![^\W_])")


def named(text: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that the text mentions as whole words, in order of first mention.

    Longer names are matched first, so that "Ann Lee" is no mention of "Ann" and "Player 10" none of "Player 1".
    """
    found: dict[str, int] = {}
    rest = plain(text)
    for name in _longest_first(names):
        pattern = whole(name)
        match = pattern.search(rest)
        if match:
            found[name] = match.start()
            rest = pattern.sub(lambda hit: "\x00" * len(hit.group()), rest)
    return sorted(found, key=found.__getitem__)


def one_choice(
    text: str,
    choices: Sequence[str],
    patterns: Sequence[str],
    names: Iterable[str] = (),
    aliases: Mapping[str, str] | None = None,
) -> str:
    """The one legal choice that the text makes (M-016), or Refused with what was wrong (M-017, M-018).

    The text counts if it starts with one of the `patterns` (such as `i protect {}`) holding a legal choice, or else
    mentions exactly one. `names` are other names: mentioned in passing they mean nothing, but a text that starts with
    a pattern's words and one of them ("I protect Dirk") chooses what is not legal, whatever else it mentions.
    `aliases` are further ways to write a choice. The message depends on the text and the choices alone.
    """
    if text in choices:
        return text
    spellings = {choice: choice for choice in choices}
    spellings |= {alias: choice for alias, choice in (aliases or {}).items() if choice in spellings}
    vocabulary = _longest_first({*spellings, *names})
    legal = ", ".join(choices)
    opening = plain(text).lstrip(_OPENERS)
    for pattern in patterns:
        word = _filling(pattern, opening, vocabulary)
        if word in spellings:
            return spellings[word]
        if word is not None and not pattern.startswith("{}"):
            raise Refused(f"{word} is not a legal choice here; name exactly one of: {legal}.")
    hits = list(dict.fromkeys(spellings[word] for word in named(text, vocabulary) if word in spellings))
    if len(hits) == 1:
        return hits[0]
    if hits:
        raise Refused(f"Your reply names several choices ({', '.join(hits)}); name exactly one of: {legal}.")
    raise Refused(f"Your reply names no legal choice; name exactly one of: {legal}.")


def _longest_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (-len(name), name))


def _filling(pattern: str, opening: str, vocabulary: Sequence[str]) -> str | None:
    """The first word of the vocabulary that the opening holds where the pattern has `{}`; None if it does not fit."""
    before, _, after = pattern.partition("{}")
    if not opening.startswith(before):
        return None
    rest = opening[len(before) :].lstrip(_OPENERS)
    for word in vocabulary:
        match = whole(word).match(rest)
        if match and rest[match.end() :].lstrip("*_\"'`”’ ").startswith(after):
            return word
    return None
