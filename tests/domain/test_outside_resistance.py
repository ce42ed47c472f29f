"""The rules of The Resistance, as its package plays them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from guests import seat_guest

from sottovoce import Open, Seed
from sottovoce.testing import NOON, Playtest, given

NAMES = ("Ada", "Bram", "Cleo", "Dirk", "Els", "Finn", "Gus", "Hedi", "Ilse", "Jan")


@pytest.fixture(scope="module")
def rules() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        yield seat_guest(patch, "resistance")


def opened(rules: Any, players: int = 5, seed: int = 1) -> Playtest[Any]:
    seats = NAMES[:players]
    return given(rules.RESISTANCE).when(Open(NOON, seats, dict.fromkeys(seats, "house"), Seed.of(seed), {}))


def proposed(game: Playtest[Any], team: tuple[str, ...] = ()) -> Playtest[Any]:
    """The leader names the team, or the first seats."""
    return game.reply(game.state.leader, ", ".join(team or game.state.seats[: game.state.size]))


def mission(game: Playtest[Any], fails: int = 0) -> Playtest[Any]:
    """A whole mission that so many spies let fail, with as many of them on the team."""
    spies = game.state.spies[:fails]
    rest = tuple(seat for seat in game.state.seats if seat not in game.state.spies)
    game = proposed(game, (*spies, *rest)[: game.state.size]).answer({"vote": "approve"})
    return game.answer({"card": {seat: "fail" if seat in spies else "success" for seat in game.state.seats}})


@pytest.mark.parametrize(
    ("players", "spies", "sizes"),
    [
        (5, 2, (2, 3, 2, 3, 3)),
        (6, 2, (2, 3, 4, 3, 4)),
        (7, 3, (2, 3, 3, 4, 4)),
        (8, 3, (3, 4, 4, 5, 5)),
        (9, 3, (3, 4, 4, 5, 5)),
        (10, 4, (3, 4, 4, 5, 5)),
    ],
)
def test_spies_and_teams_are_as_many_as_the_table_says(
    rules: Any, players: int, spies: int, sizes: tuple[int, ...]
) -> None:
    game = opened(rules, players)
    assert len(game.state.spies) == spies
    assert game.audiences(rules.SpiesMet) == [sorted(game.state.spies)]
    found = []
    for fails in (0, 2, 0, 2, 0):
        found.append(game.state.size)
        game = mission(game, fails)
    assert tuple(found) == sizes
    assert game.state.winner == "resistance"


@pytest.mark.parametrize(("players", "outcome"), [(6, "failed"), (7, "succeeded")])
def test_the_fourth_mission_takes_two_fails_with_seven_players_or_more(rules: Any, players: int, outcome: str) -> None:
    game = opened(rules, players)
    for fails in (0, 2, 0, 1):
        game = mission(game, fails)
    assert game.last(rules.MissionEnded).outcome == outcome
    again = opened(rules, players)
    for fails in (0, 1, 0, 2):
        again = mission(again, fails)
    assert [one.outcome for one in again.all(rules.MissionEnded)] == ["succeeded", "failed", "succeeded", "failed"]


def test_three_missions_that_fail_win_for_the_spies(rules: Any) -> None:
    game = opened(rules)
    for _ in range(3):
        assert not game.state.over
        game = mission(game, 1)
    assert (game.state.over, game.state.winner) == (True, "spies")


def test_five_rejected_teams_in_a_row_win_for_the_spies(rules: Any) -> None:
    game, leaders = mission(opened(rules)), []
    for _ in range(5):
        assert not game.state.over
        leaders.append(game.state.leader)
        game = proposed(game).answer({"vote": "reject"})
    assert leaders == ["Bram", "Cleo", "Dirk", "Els", "Ada"]
    assert game.state.winner == "spies"


def test_a_team_that_is_approved_ends_the_row_of_rejected_ones(rules: Any) -> None:
    game = opened(rules)
    for _ in range(4):
        game = proposed(game).answer({"vote": "reject"})
    assert game.state.attempt == 5
    assert mission(game).state.attempt == 1


def test_half_the_votes_are_not_enough(rules: Any) -> None:
    game = proposed(opened(rules, 6))
    votes = dict(zip(game.state.seats, ("approve", "reject") * 3, strict=True))
    assert game.answer({"vote": votes}).last(rules.TeamVoted).vote == "rejected"


def test_only_a_spy_may_let_a_mission_fail(rules: Any) -> None:
    game = opened(rules)
    spy, loyal = game.state.spies[0], next(seat for seat in game.state.seats if seat not in game.state.spies)
    game = proposed(game, (spy, loyal)).answer({"vote": "approve"})
    game.reply(loyal, "fail").refused("success")
    assert game.reply(spy, "fail").reply(loyal, "success").last(rules.MissionEnded).fails == 1


def test_the_number_of_fails_does_not_hang_on_who_plays_last(rules: Any) -> None:
    game = opened(rules)
    spy, loyal = game.state.spies[0], next(seat for seat in game.state.seats if seat not in game.state.spies)
    game = proposed(game, (spy, loyal)).answer({"vote": "approve"})
    one = game.reply(spy, "fail").reply(loyal, "success")
    other = game.reply(loyal, "success").reply(spy, "fail")
    assert one.last(rules.MissionEnded) == other.last(rules.MissionEnded)


def test_a_leader_who_names_nobody_goes_with_those_who_sit_next(rules: Any) -> None:
    game = proposed(opened(rules)).answer({"vote": "reject"})
    assert game.exhaust("Bram").last(rules.TeamProposed).team == ("Bram", "Cleo")


def test_a_team_of_another_size_is_refused_and_what_is_said_below_it_is_told(rules: Any) -> None:
    game = opened(rules)
    game.reply("Ada", "Ada").refused("name 2")
    game.reply("Ada", "Ada, Bram, Cleo").refused("name 2")
    told = game.reply("Ada", "Ada, Els\nI trust neither Bram nor Cleo.").last(rules.TeamProposed)
    assert (told.team, told.text) == (("Ada", "Els"), "I trust neither Bram nor Cleo.")


def test_who_is_awaited_is_what_everybody_knows(rules: Any) -> None:
    from resistance_extras import awaited  # type: ignore[import-not-found,unused-ignore]

    game = opened(rules)
    for step in (proposed, lambda game: game.answer({"vote": "approve"}), lambda game: game.answer(), proposed):
        assert awaited(game.known("nobody at the table")) == game.asked()
        game = step(game)
    assert awaited(game.known("nobody at the table")) == game.asked() == game.state.seats
