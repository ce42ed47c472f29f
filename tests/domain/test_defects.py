"""What is wrong with an event class is found when the ruleset is made, by the class's own example."""

from __future__ import annotations

from typing import Any

import pytest

from domain.audience import everyone
from domain.errors import RulesetDefect
from domain.events import Event
from domain.folds import changes_nothing, sets
from domain.piece import Chair, Piece, line
from domain.ruleset import Ruleset
from domain.turns import Table


class State(Table, frozen=True):
    """A light, as far as it is known."""

    lit: bool | None = None


class Lit(Event[State], name="lamp.lit.v1", seen_by=everyone):
    """The lamp was lit or put out."""

    lit: bool

    example = {"lit": True}
    fold = sets("lit")
    tell = line("The lamp: {lit}.")


class Untold(Event[State], name="lamp.untold.v1", seen_by=everyone):
    """Nobody says how this is told."""

    fold = changes_nothing


class Unfolded(Event[State], name="lamp.unfolded.v1", seen_by=everyone):
    """Nobody says what this changes."""

    tell = line("It happened.")


class Incomplete(Lit, name="lamp.incomplete.v1", seen_by=everyone):
    """Its example lacks a field."""

    at: int

    example = {"lit": True}


class Mistyped(Lit, name="lamp.mistyped.v1", seen_by=everyone):
    """Its example has a field of another type."""

    example = {"lit": "bright"}


class Changed(Event[State], name="lamp.changed.v1", seen_by=everyone):
    """Its example comes back from the log as something else."""

    names: tuple[str, ...]

    example = {"names": ["Ada"]}
    fold = changes_nothing
    tell = line("{names:names}")


class Lost(Event[State], name="lamp.lost.v1", seen_by=everyone):
    """It folds into a field that the state does not have."""

    bright: bool

    example = {"bright": True}
    fold = sets("bright")
    tell = line("The lamp: {bright}.")


class Mute(Event[State], name="lamp.mute.v1", seen_by=everyone):
    """It cannot be told."""

    fold = changes_nothing

    def tell(self, chair: Chair) -> Piece | None:
        raise KeyError("words")


def lamp(*classes: type[Event]) -> Ruleset[State]:
    class Lamp(Ruleset[State]):
        """Is it lit?"""

        name = "lamp"
        state = State()
        events = (Lit, *classes)

    return Lamp()


def test_a_class_that_says_all_of_itself_is_taken() -> None:
    assert lamp().evolve(State(), Lit(lit=True)).lit is True


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (Untold, "Untold is not told"),
        (Unfolded, "Unfolded is not folded"),
        (Incomplete, "Incomplete does not work with its example"),
        (Mistyped, "Mistyped does not work with its example"),
        (Changed, "Changed does not come back from the log as its example"),
        (Lost, "Lost folds into bright"),
        (Mute, "Mute does not work with its example: KeyError"),
    ],
)
def test_what_is_wrong_with_a_class_is_said_when_the_ruleset_is_made(kind: Any, what: str) -> None:
    with pytest.raises(RulesetDefect, match=what):
        lamp(kind)
