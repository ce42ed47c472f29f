"""Who sits where: names, agents and rules as `play`, `run`, `resume` and `fork` take them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeVar

import click

from sottovoce.agents.kinds import KINDS, recorded
from sottovoce.cli.place import UnknownName
from sottovoce.domain.draws import Seed
from sottovoce.domain.ruleset import Ruleset
from sottovoce.server.seating import drawn_lineup, filled_seats

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Seating:
    """What `play` and `run` are told of the seats: the agent of most, those of single ones by name, and the rules."""

    agents: str
    filled: Mapping[str, str]
    rules: Mapping[str, Any]

    def unless_filled(self, seat: str, agent: str) -> Seating:
        """The same with that agent in the seat, if `--seat` does not fill it."""
        return replace(self, filled={seat: agent, **self.filled})

    def table(self, seats: Sequence[str]) -> dict[str, str]:
        """The agent of every seat; errors as `filled_seats` has them."""
        return filled_seats(seats, self.agents, self.filled)


def names_option(command: F) -> F:
    """`--names`."""
    return click.option("--names", metavar="A,B,…", help="Player names in seating order, separated by commas.")(command)


def agents_option(command: F) -> F:
    """`--agents`, above `seating_options`."""
    text = "Agent for all other seats."
    return click.option("--agents", metavar="AGENT", default="house", show_default=True, help=text)(command)


def seating_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add `--seat` and `--rule`, and `--agents` if that is an option too, passed as one `seating`."""

    @wraps(command)
    def collected(
        *args: Any, filled: Mapping[str, str], rules: Mapping[str, Any], agents: str = "house", **others: Any
    ) -> None:
        command(*args, seating=Seating(recorded(agents), filled, rules), **others)

    return seat_option(rule_option(collected))


def seat_option(command: F) -> F:
    """`--seat NAME=AGENT`, repeatable."""
    text = f"Choose a seat's agent: {', '.join(map(str, KINDS))}, or one of an installed package. Repeatable."
    return click.option("--seat", "filled", metavar="NAME=AGENT", multiple=True, callback=_pairs, help=text)(command)


def rule_option(command: F) -> F:
    """`--rule KEY=VALUE`, repeatable; VALUE is JSON where it parses as JSON, else text."""
    text = "Set a game option. VALUE is JSON or plain text. Repeatable."
    return click.option("--rule", "rules", metavar="KEY=VALUE", multiple=True, callback=_rules, help=text)(command)


def _pairs(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for value in values:
        name, equals, agent = value.partition("=")
        if not (equals and name.strip() and agent.strip()):
            raise click.BadParameter(f"{value!r} is not NAME=AGENT.", ctx, param)
        if name.strip() in pairs:
            raise click.BadParameter(f"{name.strip()!r} has two agents. Choose one.", ctx, param)
        pairs[name.strip()] = recorded(agent.strip())
    return pairs


def _rules(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, Any]:
    rules: dict[str, Any] = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals:
            raise click.BadParameter(f"{value!r} is not KEY=VALUE.", ctx, param)
        if key in rules:
            raise click.BadParameter(f"the option {key!r} is set twice.", ctx, param)
        try:
            rules[key] = json.loads(text)
        except ValueError:
            rules[key] = text
    return rules


def lineup(
    ruleset: Ruleset[Any], players: int | None, names: str | None, filled: Mapping[str, str], seed: Seed
) -> list[str]:
    """The players in seating order: those named, or as many drawn names with the filled seats among them."""
    if names is not None:
        listed = [name.strip() for name in names.split(",")]
        if players is not None and players != len(listed):
            raise UnknownName(f"--names lists {len(listed)} players, but --players is {players}. Use only one of them.")
        return listed
    return drawn_lineup(ruleset, players, filled, seed)
