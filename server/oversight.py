"""What those who watch over a game are told of its agents: what each does now, and what is used of the budget.

Who is asked, and for how long, can be a secret of a game; so can how much is used, which grows with each call. So only
an auditor is told of any game. In a ruleset with an `overseer`, that seat and the keeper are told too. Keepers of other
games know the limits, and what was used once the game is over (ADR 0110).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.piece import CLOSED
from sottovoce.eventlog.log import Due, RecordedReceipt
from sottovoce.projections.perspective import Perspective
from sottovoce.projections.receipts import CALL_ENDED, DELIVERED
from sottovoce.server.extras import EXTRAS
from sottovoce.server.limits import METERED, Used, limits_of, used_in
from sottovoce.server.live import Key, LiveGame


@with_config(CLOSED)
class LimitsJson(TypedDict):
    """The limits of the game, and those of each task; null for none. Money is in US dollars."""

    tokens: int | None
    cost: float | None
    minutes: float | None
    task_tokens: int | None
    task_cost: float | None
    task_minutes: float | None


@with_config(CLOSED)
class UsedJson(TypedDict):
    """What models and programs used: in the whole game (`task` is null), or for a task.

    `calls` are all that were made. `silent` of them ended without a word about their tokens, such as those that were
    cut off. `uncounted` names the measures (`tokens`, `cost`) that some agent does not report, so that the number is
    too low.
    """

    task: str | None
    tokens: int
    cost: float
    minutes: float
    calls: int
    silent: int
    uncounted: list[str]


@with_config(CLOSED)
class BudgetJson(TypedDict):
    """The limits, and what is used: null if this viewer can't know it yet."""

    limits: LimitsJson
    used: list[UsedJson] | None


@with_config(CLOSED)
class AgentAtWork(TypedDict):
    """A model or program that has been asked: its seat, its turn and task, and for how many seconds it has worked.

    `step` is what it does now in its own words, or null if it did not say so in this process.
    """

    seat: str
    turn: int
    task: str | None
    step: str | None
    seconds: int


@dataclass(frozen=True, slots=True)
class Oversight:
    """What a viewer is told: what agents do now, and what is used. The limits are told in any case."""

    agents: bool
    used: bool


def oversight(live: LiveGame, perspective: Perspective, *, keeps: bool) -> Oversight | None:
    """What a viewer with that perspective is told, who `keeps` the game or does not; None for nothing at all."""
    if perspective.full:
        return Oversight(agents=True, used=True)
    overseer = EXTRAS.of(live.ruleset.name).overseer
    if overseer is not None and (perspective.seat == overseer if not keeps else not live.blind):
        return Oversight(agents=True, used=True)
    return Oversight(agents=False, used=live.state.over) if keeps else None


def budget(receipts: Iterable[RecordedReceipt], told: Oversight) -> BudgetJson | None:
    """The limits of a game and what is used of them, as far as that is told; None if there is neither."""
    kept = list(receipts)
    limits = limits_of(kept)
    used = [_used(task, one) for task, one in used_in(kept).items()] if told.used else []
    if not limits.any and not any(one["calls"] for one in used):
        return None
    set_now: LimitsJson = asdict(limits)  # type: ignore[assignment]
    return {"limits": set_now, "used": used if told.used else None}


def _used(task: str | None, one: Used) -> UsedJson:
    return {
        "task": task,
        "tokens": one.tokens,
        "cost": round(one.cost, 6),
        "minutes": round(one.minutes, 3),
        "calls": one.calls,
        "silent": one.silent,
        "uncounted": sorted(one.uncounted),
    }


def at_work(
    live: LiveGame, receipts: Iterable[RecordedReceipt], due: Sequence[Due], now: datetime
) -> list[AgentAtWork]:
    """The models and programs that work on an open turn at `now`, in the order of their seats.

    That a call is under way is known from its receipt and the lease of its turn, whichever process makes it; what the
    agent does is known only in the process that made the call.
    """
    open_calls = dict(_open_calls(receipts))
    leased = {(one.seat, one.turn) for one in due if not one.is_free(now)}
    found = []
    for key, turn in live.state.turns.items():
        doing = live.doing.get(key)
        if doing is not None:
            task, step, seconds = doing.about, doing.step, time.monotonic() - doing.began
        elif key in open_calls and key in leased:
            (task, begun), step = open_calls[key], None
            seconds = (now - begun).total_seconds()
        else:
            continue
        found.append(AgentAtWork(seat=turn.seat, turn=turn.number, task=task, step=step, seconds=max(0, int(seconds))))
    return sorted(found, key=lambda one: (live.state.seats.index(one["seat"]), one["turn"]))


def _open_calls(receipts: Iterable[RecordedReceipt]) -> Iterator[tuple[Key, tuple[str | None, datetime]]]:
    """The calls without an end: the turn of each, its task, and when it began."""
    calls: dict[str, tuple[Key, tuple[str | None, datetime]]] = {}
    for receipt in receipts:
        data = receipt.data
        if receipt.name == DELIVERED and data.get("by") == METERED and isinstance(data.get("turn"), int):
            calls[str(data.get("call"))] = (receipt.seat, data["turn"]), (data.get("about"), receipt.at)
        elif receipt.name == CALL_ENDED:
            calls.pop(str(data.get("call")), None)
    yield from calls.values()
