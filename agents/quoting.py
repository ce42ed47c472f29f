"""Texts of others in a prompt: quoted, without the look of a model's own control words, and measured."""

from __future__ import annotations

import re

from sottovoce.domain.safe_text import visible

LONGEST_WORDS = 2400

_EASY = re.compile(r"[A-Za-z \n]+")
_TAGS = re.compile(r"<(?=[|｜/!?\w])")
_BRACKETED = re.compile(r"\[(/?[A-Z_]{2,})\]")


def tokens(text: str) -> int:
    """About how many tokens a text has for a model, rather too many than too few.

    Four plain letters or spaces are one, any other character is one, and one beyond the basic plane, such as an emoji,
    three.
    """
    rest = _EASY.sub("", text)
    wide = 0 if rest.isascii() else sum(char > "\uffff" for char in rest)
    return len(rest) + 2 * wide + (len(text) - len(rest) + 3) // 4


def size(lines: list[str]) -> int:
    """The tokens of lines, each with its end."""
    return sum(tokens(line) + 1 for line in lines)


def inert(text: str) -> str:
    """The text with control characters spelled out, and without the look of a model's own control words.

    Many endpoints read `<|im_start|>`, `</s>` or `[INST]` in a message as the marks between messages.
    """
    return _BRACKETED.sub(r"(\1)", _TAGS.sub("‹", visible(text)))


def quoted(words: str) -> str:
    """Somebody's words with every line marked `> `, control characters spelled out; very long ones are cut."""
    shown = inert(words[:LONGEST_WORDS])
    if len(words) > LONGEST_WORDS or len(shown) > LONGEST_WORDS:
        shown = shown[:LONGEST_WORDS] + " […]"
    return as_quotation(shown)


def as_quotation(shown: str) -> str:
    """A text that is inert already, with every line marked."""
    return "\n".join(f"> {line}" for line in shown.split("\n"))


def shortened(line: str, length: int) -> str:
    """The line, cut if it is longer; a quotation that is cut is closed again."""
    if len(line) <= length:
        return line
    kept = line[:length].rstrip("\n")  # else the mark would stand on a line without a quotation's
    return f"{kept} […]{'»' if kept.rfind('«') > kept.rfind('»') else ''}"
