"""What a ruleset may add at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sottovoce.domain.plugins import Plugins

if TYPE_CHECKING:
    import click

    from sottovoce.cli.table_commands import Aside


@dataclass(frozen=True, slots=True)
class Starter:
    """Something that a ruleset writes to begin with: `about` is its line in the help of `new`."""

    about: str
    command: Callable[[], click.Command]


@dataclass(frozen=True, slots=True, kw_only=True)
class CliExtras:
    """What is a function is called when it is needed, and should import there what it takes: the help needs none of it.

    `about` and `many` are the lines of the ruleset in the help of `play` and `run`; `example` are further words for
    `play NAME` that the help of that command shows. `play` and `run` make commands of the ruleset's own, where it takes
    other things than players, agents and rules. `aside` is what a person may do while nobody asks them anything, and
    `watched` the seat whose screen is shown where nobody plays at this terminal and that seat is played here. `new` are
    commands of `new`, by their words.
    """

    about: str | None = None
    many: str | None = None
    example: str | None = None
    play: Callable[[], click.Command] | None = None
    run: Callable[[], click.Command] | None = None
    aside: Callable[[], Aside] | None = None
    watched: str | None = None
    new: Mapping[str, Starter] = field(default_factory=dict)


EXTRAS: Plugins[CliExtras] = Plugins("sottovoce.cli", CliExtras)
