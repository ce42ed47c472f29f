"""What a person may do at this terminal while nobody asks them anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.agents.human import Pages
from sottovoce.projections.view import View

Look = Callable[[str], View[Any] | None]
"""Returns what a seat has seen so far. In a remote game it is None for every seat except the person's own."""


@dataclass(frozen=True, slots=True)
class Aside:
    """The person in `seat` may type one of `commands` at any time, which is sent, or look at one of the `pages`.

    `order` finds what else a typed text orders, also while a question is open: the text that is sent then. `words` are
    completed, `awaiting` says what awaits the person, and `help` what may be typed. `shows` finds the page of a text
    that says more than a page's name.
    """

    seat: str
    commands: tuple[str, ...]
    pages: Callable[[Look], Pages]
    order: Callable[[Look, str], str | None] = lambda look, text: None
    words: Callable[[Look], Sequence[str]] = lambda look: ()
    awaiting: Callable[[Look], Sequence[str]] = lambda look: ()
    help: Mapping[str, str] = field(default_factory=dict)
    shows: Callable[[Look, str], Sequence[str] | None] = lambda look, text: None
