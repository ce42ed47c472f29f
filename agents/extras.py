"""What a ruleset may add to what fills its seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sottovoce.agents.agent import SeatRandom
from sottovoce.domain.answers import Fields
from sottovoce.domain.plugins import Plugins
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

if TYPE_CHECKING:
    from sottovoce.agents.file_agent.forms import FileForm

Play = Callable[[View[Any], Turn, SeatRandom], str | Fields]
"""`(view, turn, random) -> reply`: a pure function, without a clock, global randomness, I/O, or memory of its calls.

A turn that is answered in fields can be answered by its class of fields. A reply that is
`Considered` says what its author had in mind too, for those who look at the game afterwards.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentExtras:
    """`house` is the built-in player; without one the house plays no seat of the ruleset. `others` are more of them by
    name: an agent `house:NAME` plays as that one does.

    `random` replies at random where picking one of the choices, or saying a few plain words, is not enough. `files`
    gives the form in which turns are put into the files of a `files:DIR` seat, where it is not a plain one.
    """

    house: Play | None = None
    others: Mapping[str, Play] = field(default_factory=dict)
    random: Play | None = None
    files: Callable[[], FileForm] | None = None


EXTRAS: Plugins[AgentExtras] = Plugins("sottovoce.agents", AgentExtras)
