"""How the fields of an answer are read from a text, and written as one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from sottovoce.domain.answers import (
    MOST_FILLED,
    Fields,
    Legal,
    Part,
    among_those,
    as_options,
    by_name,
    holds_more_than,
    parts_of,
    shortened,
    words_in,
)
from sottovoce.domain.errors import Refused
from sottovoce.domain.reading import plain
from sottovoce.domain.spellings import named, whole

F = TypeVar("F", bound=Fields)
Aliases = Mapping[str, str]

COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""Numbers that people write out."""
_NUMBER = re.compile(rf"(?:(?<!\S)[+-])?(?<![a-wyz0-9])[0-9]+|\b(?:{'|'.join(COUNTED)})(?=(?:e?s)?\b)")
_DECODER = json.JSONDecoder()


def how_to_write(fields: type[Fields], legal: Legal) -> str:
    """How an answer is written as a text: the fields in their order, and what each can be."""
    parts = parts_of(fields, legal)
    asked = [
        f"{part.label} ({part.range})" if part.range else part.label
        for part in parts
        if part.kind != "words" and part.options != (part.usual,)
    ]
    if not asked:
        return ""
    below = " Your words can follow on the next line." if any(part.kind == "words" for part in parts) else ""
    return f"Write {', '.join(asked)}.{below}"


def text_of(answer: Fields, legal: Legal = (), aliases: Aliases | None = None) -> str:
    """The text that makes the answer: in its own wording, else by the fields' names, else as JSON."""
    words = words_in(answer)
    for line in dict.fromkeys((str(answer), by_name(answer))):
        text = "\n".join(filter(None, (line, words)))
        try:
            if read_fields(text, type(answer), legal, aliases) == answer:
                return text
        except Refused:
            continue
    return answer.model_dump_json(exclude_defaults=True)


def read_fields(text: str, fields: type[F], legal: Legal = (), aliases: Aliases | None = None) -> F:
    """The fields that a text fills in: as a JSON object, by their names (`count: 3, face: 5`), or in order (`3 5`).

    `aliases` are other ways to write an option. Raises Refused, saying what is wrong.
    """
    try:
        return _Reader(fields, legal, aliases or {}).read(text)
    except Refused as refusal:
        why = str(refusal)
        raise Refused(f"{why[0].upper()}{why[1:]}") from None


class _Reader(Generic[F]):
    """Reads a text for the fields of an answer."""

    def __init__(self, fields: type[F], legal: Legal, aliases: Aliases) -> None:
        self.fields, self.legal, self.aliases = fields, legal, aliases
        self.parts = parts_of(fields, legal)
        self.spoken = [part.name for part in self.parts if part.kind == "words"]
        self.asked = [part for part in self.parts if part.kind != "words"]

    def read(self, text: str) -> F:
        if not plain(text):
            raise Refused("Your reply is empty.")
        given = self.as_json(text)
        if given is None:
            given = self.by_name(text)
        if given is None:
            given = self.in_order(text)
        try:
            found = self.fields.model_validate(as_options(given, self.fields, self.legal))
        except ValidationError as error:
            raise Refused(self.fault(error)) from None
        among_those(found, dict(self.legal))
        return found

    def as_json(self, text: str) -> dict[str, Any] | None:
        """What a JSON object holds, with or without a code fence around it; None of any other text."""
        body = text.strip()
        if body.startswith("```"):
            body = body.partition("\n")[2].lstrip()
        if not body.startswith("{"):
            return None
        try:
            found = _DECODER.raw_decode(body)[0]
        except (ValueError, RecursionError):
            raise Refused("Your answer begins like JSON, but it is not valid JSON.") from None
        if holds_more_than(MOST_FILLED, found):
            raise Refused(f"Your answer holds more than {MOST_FILLED} values.")
        names = {name.lower(): name for name in self.fields.model_fields}
        return {names.get(key.strip().lower().replace(" ", "_"), key): value for key, value in found.items()}

    def by_name(self, text: str) -> dict[str, Any] | None:
        """What a text says by the fields' names; None if its first line names no field."""
        given: dict[str, Any] = {}
        last: Part | None = None
        labels = {label.lower(): part for part in self.parts for label in (part.name, part.label)}
        numbers = tuple(label for label, part in labels.items() if part.kind == "number")
        lines = text.strip().split("\n")
        for number, line in enumerate(lines):
            marks = list(_labels(tuple(labels), numbers).finditer(line))
            if not marks and not given:
                return None
            if not (marks or line.strip() or last is None or last.kind == "text"):
                continue
            if not marks or (all(part.name in given for part in self.asked) and not self.opens(line)):
                below = "\n".join(lines[number:]).strip()
                if last is not None and last.kind == "text" and not self.spoken:
                    given[last.name] = f"{given[last.name]}\n{below}"
                return {**dict.fromkeys(self.spoken, below), **given}
            for mark, after in zip_longest(marks, marks[1:]):
                last = part = labels[(mark[1] or mark[2]).lower()]
                if part.kind == "words":
                    return {**given, part.name: "\n".join([line[mark.end() :], *lines[number + 1 :]]).strip()}
                said = line[mark.end() : after.start() if after else None].strip()
                said = said if part.kind == "text" and after is None else said.strip(" ,;.\"'`*_")
                given.setdefault(part.name, self.value(said, part))
        return given

    def opens(self, text: str) -> bool:
        """Whether a text begins with the name of a field of words."""
        found = _labels(tuple(self.spoken), ()).match(text.lstrip()) if self.spoken else None
        return found is not None

    def in_order(self, text: str) -> dict[str, Any]:
        """What the first line says, field by field; the lines below it are words."""
        first, _, below = text.strip().partition("\n") if self.spoken and self.asked else (text.strip(), "", "")
        given: dict[str, Any] = {}
        taken: dict[tuple[str, ...], list[str]] = {}
        for part in self.asked:
            if part.options and part.kind == "several":
                if names := self.named(first, part):
                    given[part.name] = names
            elif part.options:
                names = taken.setdefault(part.options, self.named(first, part))
                if names:
                    given[part.name] = names.pop(0)
        for options, left in taken.items():
            if left:
                part = next(part for part in self.asked if part.options == options)
                raise Refused(f"your answer gives {part.label} more than once ({', '.join(left)} too); give one.")
        given |= self.numbers(first)
        free = [part for part in self.asked if part.kind in ("text", "list")]
        if free == self.asked and len(free) == 1:
            given[free[0].name] = self.value(first, free[0])
        for part in parts_of(self.fields, ()) if self.legal else ():  # what can be chosen at other times
            if part.kind == "choice" and part.name not in given and (names := self.named(first, part)):
                given[part.name] = names[0]
        if self.asked and not given:
            raise Refused("your answer fits none of the fields.")
        return {**dict.fromkeys(self.spoken, below.strip() if self.asked else first), **given}

    def numbers(self, text: str) -> dict[str, Any]:
        """The numbers of a text for the fields that take one, those in words only where they are needed."""
        parts = [part for part in self.asked if part.kind == "number"]
        wanted = [part.name for part in parts]
        enough = {len(wanted), sum(part.required for part in parts)} - {0}
        rest = plain(text) if wanted else ""
        for name in sorted({*self.aliases, *(option for part in self.asked for option in part.options)}, key=len)[::-1]:
            rest = whole(name).sub(" ", rest)
        found = _NUMBER.findall(rest)
        digits = [one for one in found if one not in COUNTED]
        chosen = next((some for some in (digits, found) if len(some) in enough), digits or found)
        if chosen and len(chosen) not in enough:
            raise Refused(f"your answer has {len(chosen)} number{'s'[: len(chosen) > 1]}; give {len(wanted)}.")
        return {name: _number(one) for name, one in zip(wanted, chosen, strict=False)}

    def named(self, text: str, part: Part) -> list[str]:
        """The options that a text mentions, in its order."""
        spellings = {option: option for option in part.options}
        spellings |= {alias: option for alias, option in self.aliases.items() if option in spellings}
        return list(dict.fromkeys(spellings[word] for word in named(text, spellings)))

    def value(self, said: str, part: Part) -> Any:
        """The value of one field that a text gives by its name."""
        if part.kind == "number":
            found = _NUMBER.findall(plain(said))
            return _number(found[0]) if len(found) == 1 else said
        if part.kind == "list":
            return [one.strip() for one in said.split("," if "," in said else " and ") if one.strip()]
        if not part.options:
            return said
        names = self.named(said, part)
        if part.kind == "choice":
            return names[0] if len(names) == 1 else said
        rest = plain(said)
        for name in sorted({*self.aliases, *part.options}, key=len)[::-1]:
            rest = whole(name).sub(" ", rest)
        others = rest.replace(" and ", " ").strip(" ,;.&")
        return [*names, others] if any(map(str.isalnum, others)) else names

    def fault(self, error: ValidationError) -> str:
        """The first thing that is wrong with the fields."""
        first = error.errors()[0]
        part = next((part for part in self.parts if first["loc"] == (part.name,)), None)
        if part is not None and first["type"] == "missing":
            return f"your answer has no {part.label}."
        if first["type"] in ("value_error", "assertion_error"):
            return f"{first['msg'].partition(', ')[2].rstrip('.')}."
        if part is None or not part.range:
            where = ".".join(map(str, first["loc"])).replace("_", " ") or "your answer"
            return f"{where} is wrong: {first['msg'][0].lower()}{first['msg'][1:]}."
        return f"{part.label} cannot be {shortened(first['input'])}."


@lru_cache(maxsize=256)
def _labels(names: tuple[str, ...], numbers: tuple[str, ...]) -> re.Pattern[str]:
    """Where a line gives a field by its name: `count: 3`, `count = 3`, and of a number `count 3` too."""
    return re.compile(
        rf"(?<![^\W_])(?:({_either(names)})[\"'`*_]*[ \t]*[:=]|({_either(numbers)})(?=[ \t]+[+-]?[0-9]))", re.IGNORECASE
    )


def _either(names: Iterable[str]) -> str:
    """A pattern of any of the names; of none it fits nothing."""
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"


def _number(text: str) -> Any:
    """A number as it stands or as it is written out; one of absurd length stays a text."""
    if text in COUNTED:
        return COUNTED.index(text) + 1
    return int(text) if len(text) <= 18 else text
