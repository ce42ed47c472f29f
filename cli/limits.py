"""The options for the budget of a game's agents, and what is said of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from sottovoce.cli.numbers import Amount, WholeNumber
from sottovoce.cli.output import say
from sottovoce.domain.commands import Fill
from sottovoce.server.games import Games
from sottovoce.server.limits import Limits, limits_of, set_limits, shown, used_in
from sottovoce.server.live import LiveGame

F = TypeVar("F", bound=Callable[..., Any])
MOST_TOKENS = 10**12
NAMES = ("tokens", "cost", "minutes")


def limit_options(command: F) -> F:
    """Add `--max-tokens`, `--max-cost`, `--max-minutes` and the same for each task, passed as one `limits`."""

    @wraps(command)
    def collected(*args: Any, **given: Any) -> Any:
        named = {name: given.pop(f"max_{name}") for name in NAMES}
        named |= {f"task_{name}": given.pop(f"task_{name}") for name in NAMES}
        return command(*args, limits=Limits(**named), **given)

    made: Any = collected
    for option in reversed(_options()):
        made = option(made)
    found: F = made
    return found


def limits_of_each_game(command: F) -> F:
    """Add the same options, each passed under its own name: the settings of a server for its new games."""
    made: Any = command
    for option in reversed(_options()):
        made = option(made)
    found: F = made
    return found


def _options() -> Sequence[Callable[[Any], Any]]:
    money, time, whole = Amount(above_zero=True), Amount(above_zero=True), WholeNumber(1, MOST_TOKENS)
    return (
        click.option(
            "--max-tokens", metavar="N", type=whole, help="Put the game on hold when its agents used N tokens."
        ),
        click.option("--max-cost", metavar="USD", type=money, help="The same for money, in US dollars."),
        click.option("--max-minutes", metavar="M", type=time, help="The same for the time that agents work."),
        click.option("--task-tokens", metavar="N", type=whole, help="The same for the tokens of each task."),
        click.option("--task-cost", metavar="USD", type=money, help="The same for the money of each task."),
        click.option("--task-minutes", metavar="M", type=time, help="The same for the working time of each task."),
    )


def raise_limits(games: Games, live: LiveGame, changes: Limits) -> None:
    """Set new limits of a game; those that the changes do not name stay as they are."""
    if changes.any:
        whole = limits_of(games.log.receipts(live.id)).with_changes(changes)
        asyncio.run(games.record(live.id, [set_limits(whole, games.now(live))]))


def told_budget(games: Games, live: LiveGame) -> list[str]:
    """Lines on what is used of the game's budget; none where it has none."""
    receipts = list(games.log.receipts(live.id))
    limits = limits_of(receipts)
    return [f"Used by {line}." for line in shown(limits, used_in(receipts))] if limits.any else []


def asked_for_more(games: Games, live: LiveGame, why: str) -> bool:
    """Ask the person at the terminal whether the limits are to be twice what they are. Whether the game continues."""
    from sottovoce.cli.question import ask

    limits = limits_of(games.log.receipts(live.id))
    say(f"\n{why}", err=True)
    try:
        answer = ask("Double the budget and continue? Type yes, or press Enter to leave the game on hold", ("yes",))
    except (click.exceptions.Exit, KeyboardInterrupt):
        return False
    if answer.strip().lower() not in ("y", "yes"):
        return False
    doubled = Limits(**{name: value and value * 2 for name, value in _named(limits).items()})
    raise_limits(games, live, doubled)
    asyncio.run(games.submit(live, Fill(games.clock())))
    return True


def _named(limits: Limits) -> dict[str, Any]:
    return {name: getattr(limits, name) for name in (*NAMES, *(f"task_{name}" for name in NAMES))}
