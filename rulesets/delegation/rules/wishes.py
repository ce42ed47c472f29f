"""What the user asks for with another iteration, as numbered items, and what became of each (D-069)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from sottovoce.rulesets.delegation.rules.remarks import Remark

HEADING = "Asked for"
"""The heading in a review request or report under which each item is answered."""
MOST = 50
"""Items of one iteration; what is listed beyond belongs to the last one."""

_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(\S.*)")
_ANSWER = re.compile(r"(?:[-+] )?(?:item )?(\d{1,6})[.):]? ?(not done|done)\b.*", re.IGNORECASE)
"""A line without emphasis, with single spaces."""
_DONE = re.compile("done", re.IGNORECASE)
_EMPHASIS = str.maketrans("", "", "*_")
_AFTER = "*_ .:,;–—-"
"""Signs between `done` and what is said of it."""


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file says of an item: whether it is done, None where it says nothing; and in which words."""

    number: int
    done: bool | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """An item, and what executor and reviewer said of it last. `remark` is the item where it is about lines of code."""

    number: int
    text: str
    remark: Remark | None = None
    executor: Answer | None = None
    reviewer: Answer | None = None

    @property
    def settled(self) -> bool:
        """Whether the reviewer says that it is done."""
        return self.reviewer is not None and self.reviewer.done is True

    @property
    def stands(self) -> str:
        """What became of it, in a few words."""
        said = self.reviewer or self.executor
        if said is None or said.done is None:
            return "not answered"
        return "done" if said.done else "not done"


def wishes(words: str) -> tuple[str, ...]:
    """The items in the user's words: what is listed, or else the whole."""
    items: list[str] = []
    listed = False
    for line in words.splitlines():
        match = _ITEM.fullmatch(line)
        if match is not None and len(items) < MOST:
            items.append(" ".join(match[1].split()))
            listed = True
        elif line.strip() and listed:
            items[-1] += f" {' '.join(line.split())}"
    whole = " ".join(words.split())
    return tuple(items) or ((whole,) if whole else ())


def answers(text: str, open_items: Iterable[int]) -> tuple[Answer, ...]:
    """What a file says under `## Asked for` of each of the open items."""
    found = {answer.number: answer for answer in _answers(text)}
    return tuple(found.get(number, Answer(number)) for number in open_items)


def _answers(text: str) -> Iterator[Answer]:
    within = False
    for line in text.splitlines():
        if line.startswith("## "):
            within = line[3:].strip().rstrip("#").strip().casefold() == HEADING.casefold()
        elif within and (match := _ANSWER.fullmatch(" ".join(line.translate(_EMPHASIS).split()))):
            said = _DONE.split(line, maxsplit=1)[1]
            yield Answer(int(match[1]), match[2].casefold() == "done", " ".join(said.split()).lstrip(_AFTER)[:600])


def with_items(
    known: Mapping[int, Wish], first: int, items: Sequence[str], remarks: Iterable[Remark] = ()
) -> dict[int, Wish]:
    """The items known so far, and new ones from that number on: those in words, then the remarks."""
    new = {number: Wish(number, text) for number, text in enumerate(items, first)}
    at_lines = {number: Wish(number, one.text, one) for number, one in enumerate(remarks, first + len(items))}
    return {**known, **new, **at_lines}


def with_answers(known: Mapping[int, Wish], given: Iterable[Answer], *, by_reviewer: bool) -> dict[int, Wish]:
    """The items with what was said of them last."""
    found = dict(known)
    for answer in given:
        if answer.number in found:
            wish = found[answer.number]
            found[answer.number] = replace(wish, reviewer=answer) if by_reviewer else replace(wish, executor=answer)
    return found
