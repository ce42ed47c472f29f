"""What a run of the probes exercised and what it missed: endpoints, inputs, tools, commands, states.

The full list comes from the application's routes, the tools at `/mcp`, click's tree of commands and the crafts. So
anything new fails the run until a probe asks it, or it is listed here with a reason.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import click
from fastapi import FastAPI

from sottovoce.isolation.craft import Craft
from sottovoce.isolation.probes.inputs import endpoints, mounted
from sottovoce.isolation.probes.states import states_of

AUDITORS = frozenset({"auditor"})
"""Links for which an endpoint hides nothing from the viewers it opens for."""

UNSEATED: Mapping[str, str] = {
    "play": "opens a game, and shows a person's seat as `resume` does",
    "run": "opens games and plays them to their end",
    "experiment": "the same, by a plan; its report is for who runs it",
    "data": "for auditors: it writes every secret of finished and running games",
    "new": "writes files to begin with, and reads no game",
    "open": "opens a game on a server: `POST /v1/games`",
    "link": "asks a server: `/v1/games/{game}/links`",
    "join": "holds a seat on a server by what `/stream` and `/turns` tell",
    "agent": "holds a seat on a server by what `/stream` and `/turns` tell",
    "mcp": "holds a seat on a server by what `/view` and `/turns` tell, with the tools of `/mcp`",
    "serve": "is the server itself",
    "worker": "plays games of the log and shows none",
    "fork": "is the log's owner's, who sees everything",
    "export": "is the log's owner's, who sees everything",
    "import": "is the log's owner's, who sees everything",
    "audit": "is the log's owner's, who sees everything",
    "db": "is the log's owner's, who sees everything",
}
"""Commands that show nothing of a seat's view, each with what they do."""

UNASKED: Mapping[str, str] = {
    "--server": "asks a server, whose answers are probed where they are made",
    "--auditor": "shows everything, which is an auditor's to see",
}
"""Options that no seat uses, or that are probed elsewhere."""


@dataclass
class Coverage:
    """What was asked, counted."""

    requests: Counter[str] = field(default_factory=Counter)
    """By the name of the endpoint."""
    inputs: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By endpoint and parameter."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Values by kind."""
    chairs: Counter[str] = field(default_factory=Counter)
    oddities: Counter[str] = field(default_factory=Counter)
    """Requests that no client would send: unusual paths, other methods, headers that nobody reads."""
    tools: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By tool and argument; empty for a call without arguments."""
    commands: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By command and option; empty for a run without options."""
    states: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By ruleset and state."""
    comparisons: Counter[str] = field(default_factory=Counter)
    """By what was compared."""
    app: FastAPI | None = None
    """The last application that was asked."""
    offered: dict[str, Any] = field(default_factory=dict)
    """The tools that `/mcp` listed, by name, and what else it offers."""

    def report(self) -> str:
        """Return what was exercised and how often; first the share of what exists."""
        lines = [self._summary()]
        for name, title in TITLES.items():
            counted = getattr(self, name)
            lines += ["", f"{title} ({len(counted)})", *textwrap.wrap(_listed(counted), 116, **INDENTED)]
        return "\n".join(lines)

    def _summary(self) -> str:
        tools, commands = {tool for tool, _ in self.tools}, {name for name, _ in self.commands}
        arguments, options = (sum(bool(each) for _, each in some) for some in (self.tools, self.commands))
        return (
            f"{self.comparisons.total()} comparisons: "
            f"{len(self.requests)} endpoints with {len(self.inputs)} parameters, "
            f"{len(tools)} tools with {arguments} arguments, "
            f"{len(commands)} commands with {options} options, {len(self.states)} states"
        )

    # what is missing

    def missing(self, cli: click.Group, crafts: Iterable[Craft]) -> list[str]:
        """Return everything that was not exercised, each in a line that says what to do."""
        return [
            *(self.missing_requests(self.app) if self.app is not None else ["No endpoint was asked."]),
            *self.missing_tools(self.offered.values()),
            *self.missing_commands(cli),
            *(line for craft in crafts for line in self.missing_states(craft)),
        ]

    def missing_requests(self, app: FastAPI) -> Iterator[str]:
        """Return the endpoints and parameters that were not used, each in a line that says what to do."""
        for one in endpoints(app):
            if not self.requests[one.name]:
                yield (
                    f"{one.name} was never asked. If its method is not GET, say in OPERATIONS "
                    "(sottovoce/isolation/wire/operations.py) what it does and how it is asked."
                )
            for parameter in one.parameters:
                if one.kinds != AUDITORS and one.method != "HEAD" and not self.inputs[one.name, parameter.name]:
                    yield (
                        f"{one.name}: the {parameter.where} parameter {parameter.name!r} was never given a value. If "
                        "probes/inputs.py has no values for its type, add them to `values` there."
                    )
        for path in mounted(app):
            if not self.requests[path]:
                yield f"{path} was never asked: probes/wire.py must say how its parts are found."

    def missing_tools(self, tools: Iterable[Any]) -> Iterator[str]:
        """Return the tools and arguments that `/mcp` listed and that were not used."""
        for tool in tools:
            for argument in ("", *tool.get("inputSchema", {}).get("properties", ())):
                if not self.tools[tool["name"], argument]:
                    what = f"argument {argument!r}" if argument else "any call"
                    yield f"MCP tool {tool['name']}: {what} was never tried; see `calls` in probes/tools.py."

    def missing_commands(self, cli: click.Group) -> Iterator[str]:
        """Return the commands and options that were not run."""
        ctx = click.Context(cli)
        for name in cli.list_commands(ctx):
            if name in UNSEATED:
                continue
            command = cli.get_command(ctx, name)
            assert command is not None, name
            for option in ("", *options_of(command)):
                if not self.commands[name, option]:
                    yield (
                        f"sottovoce {name} {option}".rstrip() + " was never run. Where it is not from a seat's chair, "
                        "say so in UNSEATED or UNASKED (sottovoce/isolation/probes/coverage.py); else give its type "
                        "values in probes/commands.py."
                    )

    def missing_states(self, craft: Craft) -> Iterator[str]:
        """Return the states of a ruleset's games that were not visited."""
        for name in states_of(craft):
            if not self.states[craft.name, name]:
                yield (
                    f"No game of {craft.name} came to the state {name!r}. If none can, say why in the craft's "
                    "`unreached`; else let its games come to it."
                )


INDENTED: Any = {"initial_indent": "  ", "subsequent_indent": "  ", "break_long_words": False}
TITLES = {
    "comparisons": "Compared",
    "requests": "Endpoints",
    "inputs": "Parameters",
    "kinds": "Values by kind",
    "chairs": "Asked from the chair of",
    "oddities": "Oddities",
    "tools": "MCP tools and arguments",
    "commands": "Commands and options",
    "states": "States",
}


def options_of(command: click.Command) -> list[str]:
    """Return the options of a command that a seat can use, each by its longest name."""
    return [
        max(param.opts, key=len)
        for param in command.params
        if isinstance(param, click.Option) and max(param.opts, key=len) not in UNASKED
    ]


def _listed(counted: Counter[Any]) -> str:
    named = {" ".join(key) if isinstance(key, tuple) else key: number for key, number in counted.items()}
    return ", ".join(f"{name.strip()} {number}" for name, number in sorted(named.items()))
