"""What a ruleset may add at the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sottovoce.domain.plugins import Plugins

if TYPE_CHECKING:
    import click

    from sottovoce.cli.table_commands import Aside


@dataclass(frozen=True, slots=True)
class Starter:
    """Something that a ruleset writes to begin with: `about` is its line in the help of `new`."""

    about: str
    command: Callable[[], click.Command]


class RecordedDiff(Protocol):
    """Code that a game has recorded, as a seat knows it."""

    def lines(self, *, stat: bool) -> Iterator[tuple[str, str]]:
        """Each line to show with its style: `head`, `place`, `new`, `gone`, `remark`, or none."""

    def data(self) -> dict[str, Any]:
        """The same as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CliExtras:
    """What is a function is called when it is needed, and should import there what it takes: the help needs none of it.

    `about` and `many` are the lines of the ruleset in the help of `play` and `run`; `example` are further words for
    `play NAME` that the help of that command shows. `play` and `run` make commands of the ruleset's own, where it takes
    other things than players, agents and rules. `aside` is what a person may do while nobody asks them anything, and
    `watched` the seat whose screen is shown where nobody plays at this terminal and that seat is played here. `new` are
    commands of `new`, by their words. `diff` finds the code that a seat's state has of a task, or of all where None is
    named, in a round, or in the last one; it raises UnknownName.
    """

    about: str | None = None
    many: str | None = None
    example: str | None = None
    play: Callable[[], click.Command] | None = None
    run: Callable[[], click.Command] | None = None
    aside: Callable[[], Aside] | None = None
    watched: str | None = None
    new: Mapping[str, Starter] = field(default_factory=dict)
    diff: Callable[[], Callable[[Any, str | None, int | None], Sequence[RecordedDiff]]] | None = None


EXTRAS: Plugins[CliExtras] = Plugins("sottovoce.cli", CliExtras)
