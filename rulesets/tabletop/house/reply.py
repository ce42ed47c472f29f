"""A reply in the making: messages, state deltas and rolls, in the order in which they are to be taken."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sottovoce.rulesets.tabletop.rules.messages import Edition, compose, serialise


class Spoken(str):
    """A reply, with the sentences of closed papers that it opens to those who hear it."""

    opened: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, opened: Iterable[str]) -> Spoken:
        made = cls(text)
        made.opened = tuple(opened)
        return made


class Reply:
    """Gathers what one reply sends. Falsy while it sends nothing."""

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.items: list[dict[str, Any]] = []

    def __bool__(self) -> bool:
        return bool(self.items)

    def broadcast(self, prose: str, place: str = "", time: str = "") -> None:
        """A NARRATIVE to all seats, with where and when it plays if that is said."""
        at = {"place": place, "time": time} if place or time else {}
        self.items.append({"type": "broadcast", "content": self._content("NARRATIVE", prose), **at})

    def send(self, to: str, tag: str, body: str = "", /, *, at: Mapping[str, str] | None = None, **fields: Any) -> None:
        """A message to one seat. A field named with a closing underscore stands for a word of Python.

        `at` is where and when a NARRATIVE plays, as `place` and `time`.
        """
        content = self._content(tag, body, **fields)
        self.items.append({"type": "message", "recipient": to, "content": content, **(at or {})})

    def say(self, to: str, text: str) -> None:
        """Informal text to one seat."""
        self.items.append({"type": "message", "recipient": to, "content": text})

    def write(self, document: str, text: str, operation: str = "append") -> None:
        self.items.append({"delta": {"document": document, "operation": operation, "text": text}})

    def remove(self, document: str) -> None:
        self.items.append({"delta": {"document": document, "operation": "remove"}})

    def change(self, character: str, resource: str, change: int | str) -> None:
        """A number is added to the resource; a text is what it is from now on, `+word` and `-word` aside."""
        self.items.append({"delta": {"character": character, "resource": resource, "change": change}})

    def roll(self, who: str, check: str, expression: str, dc: int | None = None) -> None:
        roll = {"who": who, "check": check, "expression": expression, "dc": dc}
        self.items.append({"roll": {key: value for key, value in roll.items() if value is not None}})

    def text(self) -> str:
        """The reply as it is sent."""
        return json.dumps({"messages": self.items}, ensure_ascii=False)

    def _content(self, tag: str, body: str = "", /, **fields: Any) -> str:
        named = {name.rstrip("_"): value for name, value in fields.items()}
        return serialise(compose(tag, named, body, edition=self.edition), self.edition)
