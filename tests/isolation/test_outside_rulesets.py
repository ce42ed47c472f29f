"""A ruleset from outside the package runs in the same isolation tests as the included ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from guests import seat_guest
from sizes import sized

from sottovoce import Refused
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.game import Game
from sottovoce.extras import craft_of
from sottovoce.isolation.suite import run
from sottovoce.isolation.system import System

PAIRS = sized(600, 40_000)


def installed(package: str) -> Any:
    """Return a fixture: the example ruleset, as if its package were installed."""

    @pytest.fixture(scope="module")
    def ruleset() -> Iterator[Any]:
        with pytest.MonkeyPatch.context() as patch:
            yield seat_guest(patch, package)

    return ruleset


guessing = installed("guessing")
resistance = installed("resistance")
dice = installed("liars-dice")


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
    """What a player sees of one game is all correct; only another deal shows the leak."""

    def advance(game: Any) -> None:
        ask = game.ask

        def telling(seat: str, kind: str, choices: Any = (), **others: Any) -> None:
            ask(seat, kind, sorted(choices, reverse=game.state.number % 2 == 0), **others)

        game.ask = telling
        guessing.GUESSING.advance(game)
        del game.ask

    return System(guessing.GUESSING.but(advance=advance))


def _first_hint_hangs_on_the_number(guessing: Any) -> System:
    """A subclass of the ruleset, as in the docs on rulesets."""

    class Leaky(guessing.Guessing):  # type: ignore[misc]
        """Guessing, except that the first hint depends on the number."""

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


def test_no_seat_of_the_resistance_notices_what_it_may_not_see(resistance: Any) -> None:
    tally, finding = run(System(resistance.RESISTANCE), craft_of("resistance"), seed=1, pairs=3 * PAIRS)
    assert finding is None, str(finding)
    assert {"storm", "spectator", "forged", "redeal", "served", "order"} <= {
        kind for kind, n in tally.pairs.items() if n
    }
    assert tally.pairs["redeal"] > PAIRS // 10, "other spies fit what most seats have seen"


def _spies_told_by_fallback(resistance: Any) -> System:
    """A leader who names nobody sends the spies."""

    def silent(self: Any, game: Any) -> Any:
        state = game.state
        others = (seat for seat in state.seats if seat not in state.spies)
        return resistance.Proposal(team=[*state.spies, *others][: state.size])

    return System(resistance.RESISTANCE, patches=lambda: mock.patch.object(resistance.Propose, "silent", silent))


def _cards_in_order_of_arrival(resistance: Any) -> System:
    """The team of a mission is told in the order in which its cards arrived."""

    def counted(game: Any, count: Any) -> None:
        arrived, emit = tuple(game.state.ballots["card"]), game.emit
        game.emit = lambda event: emit(event.but(team=arrived))
        original(game, count)
        del game.emit

    original = resistance.Card.counted
    return System(resistance.RESISTANCE, patches=lambda: mock.patch.object(resistance.Card, "counted", counted))


def _fails_counted_by_who_came_last(resistance: Any) -> System:
    """Only a card that the last player might have chosen is counted."""

    def counted(game: Any, turn: Any) -> Any:
        count = original(game, turn)
        return replace(count, votes={seat: vote for seat, vote in count.votes.items() if vote in turn.choices})

    original = Game._count
    return System(resistance.RESISTANCE, patches=lambda: mock.patch.object(Game, "_count", counted))


@pytest.mark.parametrize("leak", [_spies_told_by_fallback, _cards_in_order_of_arrival, _fails_counted_by_who_came_last])
def test_a_leak_planted_in_the_resistance_is_found(resistance: Any, leak: Any) -> None:
    _, finding = run(leak(resistance), craft_of("resistance"), seed=2, pairs=8 * PAIRS)
    assert finding is not None


def test_no_seat_of_liar_s_dice_notices_what_others_rolled(dice: Any) -> None:
    tally, finding = run(System(dice.LIARS_DICE), craft_of("liars-dice"), seed=1, pairs=PAIRS)
    assert finding is None, str(finding)
    assert {"storm", "spectator", "forged", "dealt", "served"} <= {kind for kind, n in tally.pairs.items() if n}
    assert tally.unvaried == []


def _bids_checked_against_the_dice(dice: Any) -> System:
    """A bid that is true is refused, as it would end the round too soon."""

    def check(self: Any, state: Any, answer: Any) -> None:
        original(self, state, answer)
        if sum(rolled.count(answer.face) for rolled in state.dice.values()) > 1:
            raise Refused("Bid something else.")

    original = dice.MakeCall.check
    return System(dice.LIARS_DICE, patches=lambda: mock.patch.object(dice.MakeCall, "check", check))


def _form_by_the_dice(dice: Any) -> System:
    """Nobody is offered a face that nobody rolled."""

    def among(self: Any, state: Any) -> Any:
        rolled = sorted({die for dice in state.dice.values() for die in dice})
        return original(self, state) | {"face": rolled or dice.FACES}

    original = dice.MakeCall.among
    return System(dice.LIARS_DICE, patches=lambda: mock.patch.object(dice.MakeCall, "among", among))


@pytest.mark.parametrize("leak", [_bids_checked_against_the_dice, _form_by_the_dice])
def test_a_leak_planted_in_liar_s_dice_is_found(dice: Any, leak: Any) -> None:
    _, finding = run(leak(dice), craft_of("liars-dice"), seed=2, pairs=8 * PAIRS)
    assert finding is not None
