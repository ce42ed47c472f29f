"""States that a seat can be in, each with a test for it. The kit visits all of them on purpose.

States of every ruleset are here; states of one ruleset are in its craft's `states`. A craft that can't reach a state
says why in `unreached`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sottovoce.agents.history import LEFT_OUT
from sottovoce.agents.prompt import build_prompt
from sottovoce.domain.events import AttemptFailed, FallbackApplied, Recorded, ReplyAccepted, TurnWithdrawn
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.isolation.craft import Craft
from sottovoce.projections.view import View, public_view, view


@dataclass(frozen=True)
class Glance:
    """A game at one moment, for one seat, or for the public (no seat)."""

    ruleset: Ruleset[Any]
    log: Sequence[Recorded]
    seat: str | None

    @cached_property
    def view(self) -> View[Any]:
        """Return what the seat has seen by then."""
        if self.seat is None:
            return public_view(self.ruleset, self.log)
        return view(self.ruleset, self.log, self.seat)

    @cached_property
    def full(self) -> Any:
        """Return the full state."""
        return fold(self.ruleset, [item.event for item in self.log])

    def any(self, kind: type[Any], *, own: bool) -> bool:
        """Return whether something of that kind happened to the seat, or to others. Nothing happens to the public."""
        found = (item.event for item in self.log if isinstance(item.event, kind))
        return any((event.seat == self.seat) == own for event in found)

    @cached_property
    def crowded(self) -> bool:
        """Return whether a prompt of the seat leaves something out."""
        return any(LEFT_OUT in build_prompt(self.view, turn).text for turn in self.view.turns)

    @cached_property
    def closed_documents(self) -> bool:
        """Return whether there are documents that the seat can't read, or can read only in part."""
        kept = self.ruleset.documents
        return kept is not None and self.seat is not None and dict(kept(self.view.state)) != dict(kept(self.full))


Tells = Callable[[Glance], bool]

STATES: Mapping[str, Tells] = {
    "in public": lambda at: at.seat is None,
    "just opened": lambda at: not any(isinstance(item.event, ReplyAccepted | AttemptFailed) for item in at.log),
    "asked": lambda at: bool(at.view.turns),
    "asked in a sealed ballot": lambda at: any(turn.ballot for turn in at.view.turns),
    "asked for several things at once": lambda at: len(at.view.turns) > 1,
    "asked while others are": lambda at: (
        bool(at.view.turns) and any(turn.seat != at.seat for turn in at.full.turns.values())
    ),
    "only others are asked": lambda at: bool(at.full.turns) and not at.view.turns,
    "refused at an open turn": lambda at: any(turn.failures for turn in at.view.turns),
    "fell back": lambda at: at.any(FallbackApplied, own=True),
    "others fell back": lambda at: at.any(FallbackApplied, own=False),
    "a turn was taken back": lambda at: at.any(TurnWithdrawn, own=True),
    "keeps notes": lambda at: at.seat in at.view.state.kept_notes,
    "others keep notes": lambda at: bool(at.full.kept_notes.keys() - {at.seat}),
    "a prompt over its budget": lambda at: at.crowded,
    "closed documents": lambda at: at.closed_documents,
    "on hold": lambda at: at.full.hold is not None and not at.full.over,
    "void": lambda at: bool(at.full.voided),
    "over": lambda at: bool(at.full.over and not at.full.voided),
    "over with fallbacks in it": lambda at: (
        bool(at.full.over and not at.full.voided) and at.any(FallbackApplied, own=False)
    ),
    "void with fallbacks in it": lambda at: bool(at.full.voided) and at.any(FallbackApplied, own=False),
}
"""States that games of any ruleset can reach."""


def states_of(craft: Craft) -> Mapping[str, Tells]:
    """Return the states that games of a ruleset can reach."""
    found = {**STATES, **craft.states}
    return {name: tells for name, tells in found.items() if name not in craft.unreached}


def states_at(craft: Craft, at: Glance) -> Iterator[str]:
    """Return the names of the seat's states."""
    return (name for name, tells in states_of(craft).items() if tells(at))
