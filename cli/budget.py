"""What is used of a game's limits, as `show` tells it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sottovoce.server.limits import Limits, most, plain, told

if TYPE_CHECKING:
    from sottovoce.server.oversight import BudgetJson, UsedJson


def budget_lines(budget: BudgetJson | None) -> list[str]:
    """A line on what is used of the game's limits and one for each task; none where there is neither limit nor use."""
    if budget is None:
        return []
    limits = Limits(**budget["limits"])
    if budget["used"] is None:
        parts = [most(what, limit) for what, limit in limits.of(None).items()]
        each = [most(what, limit) for what, limit in limits.of("").items()]
        lines = [f"the game: {', '.join(parts)}" if parts else "", f"each task: {', '.join(each)}" if each else ""]
        return [*filter(None, lines), "what is used is shown after the end, or with --auditor"]
    return [f"{one['task'] or 'the game'}: {', '.join(_parts(one, limits))}" for one in budget["used"]]


def _parts(one: UsedJson, limits: Limits) -> Iterator[str]:
    """What is used of each measure that has a limit or that somebody counted, and which calls nobody could count."""
    named = limits.of(one["task"])
    much: dict[str, float] = {"tokens": one["tokens"], "cost": one["cost"], "minutes": one["minutes"]}
    for what, value in much.items():
        if (limit := named.get(what)) is None and not value:
            continue
        spent = f"{plain(what, value)} used" if limit is None else told(what, value, limit)
        yield f"{spent}, and more that was not counted" if what in one["uncounted"] else spent
    if one["silent"] and (one["tokens"] or one["cost"] or {"tokens", "cost"} & {*named}):
        yield f"{one['silent']} of {one['calls']} calls did not say what they used"
