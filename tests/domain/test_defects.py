"""What is wrong with an event class is found when the ruleset is made, by the class's own example."""

from __future__ import annotations

from typing import Any

import pytest

from sottovoce.domain.audience import everyone, nobody
from sottovoce.domain.commands import Open
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import RulesetDefect
from sottovoce.domain.events import Closing, Event
from sottovoce.domain.folds import changes_nothing, sets
from sottovoce.domain.game import Game
from sottovoce.domain.piece import Chair, Piece, line
from sottovoce.domain.ruleset import Caution, Players, Ruleset, TurnOptions
from sottovoce.domain.turns import Ballot, Count, Table, Turn
from sottovoce.testing import NOON, given


class State(Table, frozen=True):
    """A light, as far as it is known."""

    options: TurnOptions = TurnOptions()
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


class Private(Closing[State], name="lamp.private.v1", seen_by=nobody):
    """It ends the game, and nobody hears of it."""

    winner: str | None = None

    tell = line("The end.")


class Gloomy(Event[State], name="lamp.gloomy.v1", seen_by=everyone):
    """It is told in a mood that there is not."""

    fold = changes_nothing
    tell = line("It happened.", mood="gloomy")


class Factless(Event[State], name="lamp.factless.v1", seen_by=everyone):
    """It carries a fact that it has no field for."""

    fold = changes_nothing
    tell = line("It happened.")

    def facts(self) -> frozenset[tuple[str, ...]]:
        return frozenset({("lit", str(self.lit))})  # type: ignore[attr-defined]


class Ask(Turn[State], kind="ask", choices=("on", "off"), silence="off"):
    """Should it be lit?"""


class Again(Turn[State], kind="ask"):
    """Should it be lit, I ask again?"""


class Drowsy(Turn[State], kind="drowsy", choices=("on", "off"), silence="perhaps"):
    """Should it be lit, or not?"""


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
        (Private, "Private ends the game, which everybody has to see"),
        (Gloomy, "Gloomy is told as 'gloomy', which is not one of good, bad"),
        (Factless, "Factless does not work with its example: AttributeError"),
    ],
)
def test_what_is_wrong_with_a_class_is_said_when_the_ruleset_is_made(kind: Any, what: str) -> None:
    with pytest.raises(RulesetDefect, match=what):
        lamp(kind)


@pytest.mark.parametrize(
    ("parts", "what"),
    [
        ({"turns": (Ask, Again)}, "two turns are of one kind"),
        ({"turns": (Drowsy,)}, "the silence of Drowsy is not one of its choices"),
        ({"seats": (Players(1), "keeper", Players(1))}, "two Players"),
        (
            {"cautions": (Caution("oil", 0, "It goes out."),)},
            "a caution is about 'oil', which is not one of its options",
        ),
    ],
)
def test_what_is_wrong_with_turns_and_seats_is_said_when_the_ruleset_is_made(parts: dict[str, Any], what: str) -> None:
    with pytest.raises(RulesetDefect, match=what):
        lamp().but(**parts)


def test_choices_are_no_text_and_votes_are_counted_by_the_class() -> None:
    with pytest.raises(TypeError, match="one text"):

        class Letters(Turn[State], kind="letters", choices="abc"):
            """Which?"""

    with pytest.raises(TypeError, match="classmethod"):

        class Votes(Ballot[State], kind="votes"):
            """Which?"""

            def counted(self, game: Game[State], count: Count) -> None:  # type: ignore[override]
                pass


class Night(Ruleset[State]):
    """Somebody is asked whether the lamp is to be lit."""

    name = "lamp"
    state = State()
    events = (Lit,)
    turns = (Ask,)

    def advance(self, game: Game[State]) -> None:
        game.ask(game.state.seats[0], Ask)


def opened(**parts: Any) -> Any:
    return given(Night().but(**parts)).when(Open(NOON, ("Ada", "Bram"), {}, Seed.of(1), {}))


@pytest.mark.parametrize(
    ("step", "what"),
    [
        (lambda game: game.ask("Ada", Drowsy), "Drowsy is asked, and is not among its turns"),
        (lambda game: game.ask(("Ada", "Zoe"), Ask), "'ask' is asked of 'Zoe', who is not at the table"),
        (lambda game: game.emit(Gloomy()), "Gloomy is not among its events"),
        (lambda game: game.emit(Lit(lit="bright")), "Lit cannot be read again: Expected `bool`, got `str`"),  # type: ignore[arg-type]
        (lambda game: game.emit(Lit(lit=object())), "Lit cannot be read again: .*object"),  # type: ignore[arg-type]
        (lambda game: game.deal("abc", ("Ada", "Zoe"), "hands"), "cards are dealt to 'Zoe', who is not at the table"),
        (lambda game: game.deal("abc", ("Ada", "Ada"), "hands"), "cards are dealt to no seat, or to one of them twice"),
        (lambda game: game.deal("abc", (), "hands"), "cards are dealt to no seat, or to one of them twice"),
        (lambda game: game.deal("a", ("Ada", "Bram"), "hands"), "1 cards give no hand of 0 to 2 seats"),
        (lambda game: game.deal("abc", ("Ada", "Bram"), "hands", each=2), "3 cards give no hand of 2 to 2 seats"),
        (None, "it has no next step"),
    ],
)
def test_what_cannot_go_on_is_a_defect_and_nothing_of_it_is_kept(step: Any, what: str) -> None:
    with pytest.raises(RulesetDefect, match=what):
        opened(advance=step or Ruleset.advance.__get__(Night()))


def test_rules_with_other_turns_ask_the_others() -> None:
    """Else a leak that is planted so would be none."""
    for parts in ({"turns": (Again,)}, {"kinds": {"ask": Again}}):
        assert opened(**parts).request("Ada").ask == "Should it be lit, I ask again?"
    assert opened().request("Ada").ask == "Should it be lit?"


def test_a_state_needs_a_place_for_the_options() -> None:
    with pytest.raises(RulesetDefect, match="its state has no field `options`"):
        Ruleset()
