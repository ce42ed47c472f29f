"""What a person may do at this terminal while nobody asks them anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from agents.human import Pages
from server.live import LiveGame


@dataclass(frozen=True, slots=True)
class Aside:
    """The person in `seat` may type one of `commands` at any time, which is sent, or look at one of the `pages`.

    `order` finds what else a typed text orders, also while a question is open: the text that is sent then. `words` are
    completed, `awaiting` says what awaits the person, and `help` what may be typed.
    """

    seat: str
    commands: tuple[str, ...]
    pages: Callable[[LiveGame], Pages]
    order: Callable[[LiveGame, str], str | None] = lambda live, text: None
    words: Callable[[LiveGame], Sequence[str]] = lambda live: ()
    awaiting: Callable[[LiveGame], Sequence[str]] = lambda live: ()
    help: Mapping[str, str] = field(default_factory=dict)
