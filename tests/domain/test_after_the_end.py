"""What the opening says of other chairs, and the event that opens them."""

from __future__ import annotations

from typing import Any

import pytest

from sottovoce.domain import commands
from sottovoce.domain.audience import EVERYONE, NOBODY
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import ChairsOpened, GameOpened, GameRequested, GameVoided, SeatsFilled
from sottovoce.domain.game import decide, fold
from sottovoce.domain.testing import NOON, Playtest, given
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import GameEnded
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.state import TabletopOptions

SEATS = ("Ada", "Bram", "Cleo", "Dirk", "narrator")


def opened(request: GameRequested | None = None, **options: Any) -> Playtest[Any]:
    command = commands.Open(NOON, SEATS, {}, Seed.of(1), options, request=request)
    return given(MAFIA).when(command)


@pytest.mark.spec("G-001", "G-003")
def test_the_chairs_are_opened_before_the_event_that_ends_the_game_if_the_opening_said_so() -> None:
    game = opened().to_the_end()
    told = [type(draft.event) for draft in game.drafts]
    assert told[-2:] == [ChairsOpened, GameEnded]
    assert told.count(ChairsOpened) == 1
    assert game.state.chairs == SEATS
    assert game.drafts[-2].audience == EVERYONE
    closed = opened(after_end="keeper").to_the_end()
    assert ChairsOpened not in [type(draft.event) for draft in closed.drafts]
    assert closed.state.chairs == ()


@pytest.mark.spec("G-003")
def test_nothing_before_the_end_differs_but_what_the_opening_says() -> None:
    one, other = (opened(after_end=said).to_the_end().drafts[1:] for said in ("seats", "keeper"))
    assert [draft for draft in one if type(draft.event) is not ChairsOpened] == list(other)


def test_an_aborted_game_opens_its_chairs_too() -> None:
    game = opened()
    seat, turn = next(iter(game.state.turns))
    drafts = decide(MAFIA, game.state, commands.Halt(NOON, seat, turn, void=True))
    assert [type(draft.event) for draft in drafts[-2:]] == [ChairsOpened, GameVoided]


@pytest.mark.spec("G-001")
@pytest.mark.parametrize("ruleset", [MAFIA, DELEGATION, TABLETOP])
def test_an_opening_that_does_not_say_it_keeps_its_chairs_closed(ruleset: Any) -> None:
    options = ruleset.options().model_dump(mode="json")
    assert options.pop("after_end") in ("seats", "characters")
    opening = GameOpened(ruleset=ruleset.name, seats=SEATS, options=options)
    assert ruleset.chairs_after(fold(ruleset, [opening])) == ()


@pytest.mark.spec("G-002")
def test_the_game_masters_chair_stays_closed_while_evenings_may_follow() -> None:
    seats = ("gm", "team-lead", "narrator", "pim", "sefa", "human")

    def chairs(**said: Any) -> tuple[str, ...]:
        options = TabletopOptions(campaign="x", **said).model_dump(mode="json")
        return TABLETOP.chairs_after(fold(TABLETOP, [GameOpened(ruleset="tabletop", seats=seats, options=options)]))

    assert chairs() == ("pim", "sefa", "human")
    assert chairs(after_end="seats") == seats
    assert chairs(after_end="keeper") == ()


@pytest.mark.spec("G-006")
def test_how_a_game_was_asked_for_is_recorded_right_after_its_opening_and_seen_by_nobody() -> None:
    request = GameRequested(seat="Ada", setup={"campaign": "x"})
    game = opened(request)
    first, second, third = game.drafts[:3]
    assert [type(draft.event) for draft in (first, third)] == [GameOpened, SeatsFilled]
    assert (second.event, second.audience) == (request, NOBODY)
    assert (game.state.own, game.state.setup) == ("Ada", {"campaign": "x"})
    assert [draft for draft in game.drafts if draft is not second] == list(opened().drafts)
    assert fold(MAFIA, [draft.event for draft in game.drafts]) == game.state


@pytest.mark.spec("G-007")
def test_nobody_has_a_seat_of_their_own_in_a_copy() -> None:
    game = opened(GameRequested(seat="Ada"))
    drafts = decide(MAFIA, game.state, commands.Fill(NOON, forked=("m-1", 3), known=("Ada",)))
    assert fold(MAFIA, [draft.event for draft in drafts], game.state).own is None
