"""A ruleset from outside the package stands in the same isolation tests as those that ship."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from guests import seat_guest
from sizes import sized

from sottovoce import Answer
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.game import Game
from sottovoce.extras import craft_of
from sottovoce.isolation.suite import run
from sottovoce.isolation.system import System

PAIRS = sized(600, 40_000)


@pytest.fixture(scope="module")
def guessing() -> Iterator[Any]:
    """The example, as if its package were installed."""
    with pytest.MonkeyPatch.context() as patch:
        yield seat_guest(patch, "guessing")


def test_no_seat_of_guessing_notices_what_it_may_not_see(guessing: Any) -> None:
    tally, finding = run(System(guessing.GUESSING), craft_of("guessing"), seed=1, pairs=PAIRS)
    assert finding is None, str(finding)
    assert tally.total >= PAIRS
    assert {"storm", "spectator", "forged", "dealt", "served", "order"} <= {
        kind for kind, n in tally.pairs.items() if n
    }


def _number_told_to_all(guessing: Any) -> System:
    audiences = {**guessing.GUESSING.audiences, guessing.NumberHidden: lambda state, event: EVERYONE}
    return System(guessing.GUESSING.but(audiences=audiences))


def _hint_unquoted(guessing: Any) -> System:
    def tell(event: Any, chair: Any) -> Any:
        told = guessing.GUESSING.tell(event, chair)
        return told if told is None or not told.words else replace(told, lead=f"{told.lead} {told.said}", words=())

    return System(guessing.GUESSING.but(tell=tell))


def _choices_sorted_by_what_the_number_is(guessing: Any) -> System:
    """Nothing that a player sees of one game is wrong: only another deal shows it."""

    def advance(game: Any) -> None:
        ask = game.ask

        def telling(seat: str, kind: str, choices: Any = (), **others: Any) -> None:
            ask(seat, kind, sorted(choices, reverse=game.state.number % 2 == 0), **others)

        game.ask = telling
        guessing.GUESSING.advance(game)
        del game.ask

    return System(guessing.GUESSING.but(advance=advance))


def _first_hint_hangs_on_the_number(guessing: Any) -> System:
    """A subclass of the ruleset, as the page on rulesets has it."""

    class Leaky(guessing.Guessing):  # type: ignore[misc]
        """As Guessing, but for a first hint that hangs on the number."""

        def deal(self, game: Any) -> None:
            super().deal(game)
            game.emit(guessing.HintGiven(text="Low." if game.state.number < 10 else "High."))

    return System(Leaky())


@pytest.mark.parametrize(
    "leak",
    [
        _number_told_to_all,
        _hint_unquoted,
        _choices_sorted_by_what_the_number_is,
        _first_hint_hangs_on_the_number,
    ],
)
def test_a_leak_planted_in_guessing_is_found(guessing: Any, leak: Any) -> None:
    _, finding = run(leak(guessing), craft_of("guessing"), seed=2, pairs=PAIRS)
    assert finding is not None


@pytest.fixture(scope="module")
def resistance() -> Iterator[Any]:
    """Another example: hidden sides, sealed ballots, and two kinds of hidden turns."""
    with pytest.MonkeyPatch.context() as patch:
        yield seat_guest(patch, "resistance")


def test_no_seat_of_the_resistance_notices_what_it_may_not_see(resistance: Any) -> None:
    tally, finding = run(System(resistance.RESISTANCE), craft_of("resistance"), seed=1, pairs=3 * PAIRS)
    assert finding is None, str(finding)
    assert {"storm", "spectator", "forged", "redeal", "served", "order"} <= {
        kind for kind, n in tally.pairs.items() if n
    }
    assert tally.pairs["redeal"] > PAIRS // 10, "other spies fit what most seats have seen"


def _spies_told_by_fallback(resistance: Any) -> System:
    """A leader who names nobody sends the spies."""

    def silent(self: Any, game: Any) -> Answer:
        state = game.state
        others = (seat for seat in state.seats if seat not in state.spies)
        return Answer(", ".join((*state.spies, *others)[: state.size]))

    return System(resistance.RESISTANCE, patches=lambda: mock.patch.object(resistance.Propose, "silent", silent))


def _cards_in_order_of_arrival(resistance: Any) -> System:
    """The team of a mission is told in the order in which its cards came."""

    def counted(game: Any, count: Any) -> None:
        arrived, emit = tuple(game.state.ballots["card"]), game.emit
        game.emit = lambda event: emit(event.but(team=arrived))
        original(game, count)
        del game.emit

    original = resistance.Card.counted
    return System(resistance.RESISTANCE, patches=lambda: mock.patch.object(resistance.Card, "counted", counted))


def _fails_counted_by_who_came_last(resistance: Any) -> System:
    """Only a card that the last to play might have chosen is counted."""

    def counted(game: Any, turn: Any) -> Any:
        count = original(game, turn)
        return replace(count, votes={seat: vote for seat, vote in count.votes.items() if vote in turn.choices})

    original = Game._count
    return System(resistance.RESISTANCE, patches=lambda: mock.patch.object(Game, "_count", counted))


@pytest.mark.parametrize("leak", [_spies_told_by_fallback, _cards_in_order_of_arrival, _fails_counted_by_who_came_last])
def test_a_leak_planted_in_the_resistance_is_found(resistance: Any, leak: Any) -> None:
    _, finding = run(leak(resistance), craft_of("resistance"), seed=2, pairs=8 * PAIRS)
    assert finding is not None
