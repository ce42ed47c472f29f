"""Checklists in plain sentences: what each sentence asks of a text, where the text fails it, and how it is mended."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Faults = Callable[[str, re.Match[str]], list[str]]
Mend = Callable[[str, re.Match[str]], str]

NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SENTENCE = re.compile(r"(?:\A|(?<=[.!?])\s++|(?<!\n)\n\n++)([a-zà-öø-ÿ])")
_TWICE = re.compile(r"\b(\w+)(\s+)\1\b", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![\w.,:-])(\d{1,2})(?![\w:-]|[.,]\d)")
_QUOTED = r"[\"“«]([^\"”»]+)[\"”»]"


@dataclass(frozen=True, slots=True)
class Check:
    """One sentence of a checklist that the house understands."""

    line: str
    match: re.Match[str]
    find: Faults
    put_right: Mend | None

    def faults(self, text: str) -> list[str]:
        """Where the text fails the sentence; empty if it meets it."""
        return self.find(text, self.match)

    def mended(self, text: str) -> str:
        """The text with this put right as far as the house can; that may break another sentence."""
        if self.put_right is None or not self.faults(text):
            return text
        return self.put_right(text, self.match)


def read(line: str) -> Check | None:
    """The check that a sentence asks for, or None where the house does not understand it."""
    plain = " ".join(line.split())
    for pattern, find, mend in _KINDS:
        match = pattern.fullmatch(plain)
        if match is not None:
            return Check(plain, match, find, mend)
    return None


def understood(lines: Sequence[str]) -> tuple[list[Check], list[str]]:
    """The checks of a list of sentences, and the sentences that are not understood."""
    read_lines = [(line, read(line)) for line in lines]
    return [check for _, check in read_lines if check], [line for line, check in read_lines if check is None]


def _long_lines(text: str, match: re.Match[str]) -> list[str]:
    most = int(match[1])
    long = [number for number, line in enumerate(text.splitlines(), 1) if len(line) > most and " " in line.strip()]
    return [f"too long: {_places('line', long)}"] if long else []


def _wrapped(text: str, match: re.Match[str]) -> str:
    """Paragraphs filled anew; headings and list items keep a line of their own as far as they fit."""
    most = int(match[1])
    blocks = []
    for block in re.split(r"\n{2,}", text):
        lines = block.splitlines()
        if all(len(line) <= most for line in lines):
            blocks.append(block)
        else:
            blocks.append("\n".join(_filled(" ".join(block.split()), most)))
    return "\n\n".join(blocks)


def _filled(words: str, most: int) -> list[str]:
    lines = [""]
    for word in words.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _no_title(text: str, match: re.Match[str]) -> list[str]:
    return [] if text.splitlines()[:1] == [f"# {match[1]}"] else ["the title is not there"]


def _titled(text: str, match: re.Match[str]) -> str:
    rest = re.sub(r"\A# .*\n*", "", text)
    return f"# {match[1]}\n\n{rest}"


def _word(words: str, after: str = "") -> re.Pattern[str]:
    """The words wherever they stand, broken over two lines too."""
    spaced = r"\s+".join(map(re.escape, words.split()))
    return re.compile(rf"(?<!\w){spaced}(?!\w){after}", re.IGNORECASE)


def _used(text: str, match: re.Match[str]) -> list[str]:
    at = list(dict.fromkeys(text.count("\n", 0, found.start()) + 1 for found in _word(match[1]).finditer(text)))
    return [f"found in {_places('line', at)}"] if at else []


def _unused(text: str, match: re.Match[str]) -> str:
    return _word(match[1], "[ ]?").sub("", text)


def _replaced(text: str, match: re.Match[str]) -> str:
    def written(found: re.Match[str]) -> str:
        return match[2][:1].upper() + match[2][1:] if found[0][:1].isupper() else match[2]

    return _word(match[1]).sub(written, text)


def _repeated(text: str, match: re.Match[str]) -> list[str]:
    words = list(dict.fromkeys(found[1].lower() for found in _TWICE.finditer(text)))
    return [f"twice in a row: {', '.join(words)}"] if words else []


def _once(text: str, match: re.Match[str]) -> str:
    before = ""
    while before != text:
        before, text = text, _TWICE.sub(r"\1", text)
    return text


def _small(text: str, match: re.Match[str]) -> list[str]:
    count = len(_SENTENCE.findall(text))
    return [f"{count} begin{'s' if count == 1 else ''} with a small one"] if count else []


def _capitals(text: str, match: re.Match[str]) -> str:
    return _SENTENCE.sub(lambda found: found[0][:-1] + found[1].upper(), text)


def _spaces(text: str, match: re.Match[str]) -> list[str]:
    lines = enumerate(text.splitlines(), 1)
    at = [number for number, line in lines if "  " in line.strip() or line != line.rstrip() or "\t" in line]
    return [f"more in {_places('line', at)}"] if at else []


def _spaced(text: str, match: re.Match[str]) -> str:
    return "\n".join(re.sub(r"[ \t]+", " ", line).rstrip() for line in text.splitlines())


def _figures(text: str, match: re.Match[str]) -> list[str]:
    found = [digits for digits in _DIGITS.findall(text) if int(digits) < len(NUMBERS)]
    return [f"in figures: {', '.join(dict.fromkeys(found))}"] if found else []


def _in_words(text: str, match: re.Match[str]) -> str:
    return _DIGITS.sub(lambda found: NUMBERS[int(found[1])] if int(found[1]) < len(NUMBERS) else found[0], text)


def _ends_otherwise(text: str, match: re.Match[str]) -> list[str]:
    return [] if text.rstrip().endswith(match[1]) else ["it ends otherwise"]


def _ending(text: str, match: re.Match[str]) -> str:
    return f"{text.rstrip()}\n\n{match[1]}"


def _no_section(text: str, match: re.Match[str]) -> list[str]:
    return [] if f"## {match[1]}" in text.splitlines() else ["it is not there"]


def _with_section(text: str, match: re.Match[str]) -> str:
    return f"{text.rstrip()}\n\n## {match[1]}\n\nNothing to say yet."


def _too_many(text: str, match: re.Match[str]) -> list[str]:
    count, most = len(text.split()), int(match[1])
    return [f"it has {count}"] if count > most else []


def _shortened(text: str, match: re.Match[str]) -> str:
    """Whole sentences go from the end until it fits; one sentence always stays."""
    sentences = re.split(r"(?<=[.!?])(\s+)", text.rstrip())
    while len(sentences) > 2 and len("".join(sentences).split()) > int(match[1]):
        sentences = sentences[:-2]
    return "".join(sentences)


def _too_few(text: str, match: re.Match[str]) -> list[str]:
    count, fewest = len(text.split()), int(match[1])
    return [f"it has {count}"] if count < fewest else []


def _places(what: str, numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:5])) + (" and more" if len(numbers) > 5 else "")
    return f"{what}{'s' if len(numbers) > 1 else ''} {shown}"


def _kind(pattern: str, find: Faults, mend: Mend | None) -> tuple[re.Pattern[str], Faults, Mend | None]:
    return re.compile(pattern + r"\.?", re.IGNORECASE), find, mend


_KINDS = (
    _kind(rf"The text begins with the title {_QUOTED}", _no_title, _titled),
    _kind(r"No line is longer than (\d{1,4}) characters", _long_lines, _wrapped),
    _kind(rf"The words? {_QUOTED} (?:is|are) not used", _used, _unused),
    _kind(rf"{_QUOTED} is written {_QUOTED}", _used, _replaced),
    _kind(r"No word stands twice in a row", _repeated, _once),
    _kind(r"Every sentence begins with a capital letter", _small, _capitals),
    _kind(r"Words are one space apart", _spaces, _spaced),
    _kind(r"Numbers up to twelve are written as words", _figures, _in_words),
    _kind(rf"The text ends with {_QUOTED}", _ends_otherwise, _ending),
    _kind(rf"There is a section {_QUOTED}", _no_section, _with_section),
    _kind(r"The text has at most (\d{1,5}) words", _too_many, _shortened),
    _kind(r"The text has at least (\d{1,5}) words", _too_few, None),
)
"""The sentences that the house understands. It cannot make a text longer: nothing would be said with it."""
