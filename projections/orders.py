"""What a seat can order at any time, between its turns: buttons on the page that send one text each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.piece import CLOSED

Target = Literal["players", "others", "tasks", "name"]
"""What an order is about: a player, any other seat, an open task, or a new name that the person types."""

Wording = Literal["required", "optional", "none"]
"""Whether an order needs words, can have some, or takes none."""


@with_config(CLOSED)
class OrderJson(TypedDict):
    """An order that this seat can give at any time.

    `text` is what is sent: `{to}` is the target, `{words}` the words. `task_text` is sent instead if the seat also
    chooses one of several open tasks, `{task}`; null if the order has no such choice.
    """

    name: str
    about: str
    text: str
    task_text: str | None
    words: Wording
    to: Target | None
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order: `name` is on its button, `about` says in one sentence what it does, `label` is above its target."""

    name: str
    about: str
    text: str
    task_text: str | None = None
    words: Wording = "optional"
    to: Target | None = None
    label: str = ""

    def to_json(self) -> OrderJson:
        return {
            "name": self.name,
            "about": self.about,
            "text": self.text,
            "task_text": self.task_text,
            "words": self.words,
            "to": self.to,
            "label": self.label,
        }


Orders = Mapping[str, Sequence[Order]]
"""The orders of each seat that can give any."""
