"""The system under test, as one value. A planted leak can replace its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from sottovoce.agents.prompt import build_prompt
from sottovoce.domain.commands import Command
from sottovoce.domain.events import Draft, Recorded
from sottovoce.domain.game import decide
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import Entry, SeatProjection, View, public_view

PromptBuilder = Callable[[View[Any], Turn], str]


def plain_prompts() -> PromptBuilder:
    """The product's prompts, which keep nothing between calls."""
    return lambda view, turn: build_prompt(view, turn).text


@dataclass(frozen=True)
class System:
    """The parts between the log and a seat.

    `prompts` returns the prompt builder for one game, so that a leak can keep something between its seats. `patches` is
    entered while the system plays or is observed, for leaks inside the rules' own modules; `serving` only while the
    server plays its games, for leaks there.
    """

    ruleset: Ruleset[Any]
    projection: Callable[[Ruleset[Any], str], SeatProjection[Any]] = SeatProjection
    spectator: Callable[[Ruleset[Any], Iterable[Recorded]], View[Any]] = public_view
    entry: Callable[[Entry], Mapping[str, Any]] = Entry.to_json
    prompts: Callable[[], PromptBuilder] = plain_prompts
    decide: Callable[[Ruleset[Any], Any, Command], tuple[Draft, ...]] = decide
    patches: Callable[[], AbstractContextManager[Any]] = nullcontext
    serving: Callable[[], AbstractContextManager[Any]] = nullcontext

    @property
    def plays_as_the_product(self) -> bool:
        """Return whether the kit's games are the same under this system as under the product."""
        shipped = self.ruleset is RULESETS.get(self.ruleset.name)
        return shipped and self.decide is decide and self.patches is nullcontext

    @property
    def shows_as_the_product(self) -> bool:
        """Return whether a seat also sees the same of the kit's games, so that only how it is served can differ."""
        return self.plays_as_the_product and replace(self, serving=nullcontext) == System(self.ruleset)
