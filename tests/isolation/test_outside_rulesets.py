"""A ruleset from outside the package stands in the same isolation tests as those that ship."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from guests import seat_guest
from sizes import sized

from domain.audience import EVERYONE
from sottovoce.extras import craft_of
from sottovoce.isolation.craft import Craft
from sottovoce.isolation.suite import NoPlan, run
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
    assert {"storm", "spectator", "forged", "redeal", "served", "order"} <= {
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


@pytest.mark.parametrize("leak", [_number_told_to_all, _hint_unquoted, _choices_sorted_by_what_the_number_is])
def test_a_leak_planted_in_guessing_is_found(guessing: Any, leak: Any) -> None:
    _, finding = run(leak(guessing), craft_of("guessing"), seed=2, pairs=PAIRS)
    assert finding is not None


def test_a_craft_without_a_plan_is_warned_of(guessing: Any) -> None:
    class Planless(type(craft_of("guessing"))):  # type: ignore[misc]
        plan = Craft.plan

    with pytest.warns(NoPlan, match="guessing has no plan"):
        run(System(guessing.GUESSING), Planless(), seed=1, pairs=10)
