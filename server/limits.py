"""What the agents of a game may use: limits in tokens, money and time, for the game and for each piece of work in it.

Limits and warnings are receipts, so that every process that continues a game finds them. What was used is summed up
from the receipts of the calls: of models and programs, and no others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any, Final

from sottovoce.eventlog.log import Receipt, RecordedReceipt
from sottovoce.projections.receipts import CALL_ENDED, DELIVERED

SET: Final = "core.budget-set.v1"
"""The limits of a game from now on; the latest receipt counts."""
WARNED: Final = "core.budget-warned.v1"
"""A warning that most of a limit is used up."""
MOST: Final = 0.8
"""The share of a limit from which on there is a warning."""
METERED: Final = "prompt"
"""How the agents are called whose calls count."""
COUNTED: Final = ("accepted", "refused")
"""Endings of calls that say what they used, or else nobody knows."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a game and of each piece of work; None for none. Money in US dollars, time in minutes of calls."""

    tokens: int | None = None
    cost: float | None = None
    minutes: float | None = None
    task_tokens: int | None = None
    task_cost: float | None = None
    task_minutes: float | None = None

    @property
    def any(self) -> bool:
        """Whether anything is limited."""
        return any(value is not None for value in asdict(self).values())

    def with_changes(self, other: Limits) -> Limits:
        """These limits, with those of the other that it has."""
        return Limits(**{**asdict(self), **{name: value for name, value in asdict(other).items() if value is not None}})

    def of(self, about: str | None) -> dict[str, float]:
        """The limits by measure, of the game or of a piece of work."""
        found = {
            what: getattr(self, what if about is None else f"task_{what}") for what in ("tokens", "cost", "minutes")
        }
        return {what: value for what, value in found.items() if value is not None}


NO_LIMITS = Limits()


@dataclass(slots=True)
class Used:
    """What was used by so many `calls`, those under way among them. `silent` are calls that came to an end and said
    nothing of their tokens, such as those that were cut off. `uncounted` are the agents that never say it, by measure.
    """

    tokens: int = 0
    cost: float = 0.0
    minutes: float = 0.0
    calls: int = 0
    silent: int = 0
    uncounted: dict[str, str] = field(default_factory=dict)

    def add(self, data: dict[str, Any], agent: str) -> None:
        """Count a call by the receipt of its end."""
        prompt, reply, cost = data.get("prompt_tokens"), data.get("reply_tokens"), data.get("cost")
        known = data.get("how") in COUNTED
        if prompt is not None and reply is not None:
            self.tokens += prompt + reply
        else:
            self.silent += 1
            if known:
                self.uncounted["tokens"] = agent
        if cost is not None:
            self.cost += cost
        elif known:
            self.uncounted["cost"] = agent
        self.minutes += (data.get("seconds") or 0.0) / 60


def limits_of(receipts: Iterable[RecordedReceipt | Receipt]) -> Limits:
    """The limits that hold now. What a later version may have added is passed over."""
    found = Limits()
    known = {one.name for one in fields(Limits)}
    for receipt in receipts:
        if receipt.name == SET:
            found = Limits(**{name: value for name, value in receipt.data.items() if name in known})
    return found


def used_in(receipts: Iterable[RecordedReceipt | Receipt]) -> dict[str | None, Used]:
    """What was used, in the whole game (None) and for each piece of work."""
    begun: dict[str, tuple[str | None, str]] = {}
    ended: dict[str, dict[str, Any]] = {}
    for receipt in receipts:
        data = receipt.data
        if receipt.name == DELIVERED and data.get("by") == METERED:
            begun[str(data.get("call"))] = data.get("about"), str(data.get("agent"))
        elif receipt.name == CALL_ENDED and (call := str(data.get("call"))) in begun:
            ended[call] = dict(data)  # a call that was taken for lost may end after all
    found: dict[str | None, Used] = {None: Used()}
    for call, (about, agent) in begun.items():
        for one in {None, about}:
            used = found.setdefault(one, Used())
            used.calls += 1
            if call in ended:
                used.add(ended[call], agent)
    return found


def set_limits(limits: Limits, at: datetime) -> Receipt:
    """The receipt that says which limits hold from now on."""
    return Receipt(SET, at, "", asdict(limits))


def shown(limits: Limits, used: dict[str | None, Used]) -> list[str]:
    """A line for the game and for each piece of work that has limits, with what is used of each."""
    lines = []
    for about, one in used.items():
        parts = [told(what, getattr(one, what), limit) for what, limit in limits.of(about).items()]
        if parts:
            lines.append(f"{about or 'the game'}: {', '.join(parts)}")
    return lines


def told(what: str, much: float, limit: float) -> str:
    """How much of a limit is used, such as `$0.42 of $2`."""
    if what == "cost":
        return f"${much:.2f} of ${limit:g}"
    return f"{much:,.0f} of {limit:,.0f} tokens" if what == "tokens" else f"{much:.1f} of {limit:g} minutes"


def plain(what: str, much: float) -> str:
    """How much is used where nothing limits it, such as `1.5 minutes`."""
    if what == "cost":
        return f"${much:.2f}"
    return f"{much:,.0f} tokens" if what == "tokens" else f"{much:.1f} minutes"


def most(what: str, limit: float) -> str:
    """A limit of which nobody says how much is used, such as `at most $2`."""
    if what == "cost":
        return f"at most ${limit:g}"
    return f"at most {limit:,.0f} tokens" if what == "tokens" else f"at most {limit:g} minutes"
