"""What a seat keeps for itself beside its replies: its notes, an event of its own; and beliefs, which are no event."""

from __future__ import annotations

from typing import Any

import pytest
from golden import FOLDERS, golden_games
from mafia_tables import cast

from sottovoce.domain.audience import only
from sottovoce.domain.beliefs import MOST_BELIEFS
from sottovoce.domain.commands import Reply
from sottovoce.domain.events import AttemptFailed, NotesKept, ReplyAccepted
from sottovoce.domain.game import LONGEST_NOTES, fold
from sottovoce.domain.piece import AUDITOR, PUBLIC, Chair
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.testing import Playtest


def noted(game: Playtest[Any]) -> list[NotesKept]:
    return [event for event in game.happened if isinstance(event, NotesKept)]


def answered_with(game: Playtest[Any], seat: str, notes: str) -> Playtest[Any]:
    """The game after the seat's usual answer, with notes."""
    turn = game.turn(seat)
    text = turn.choices[0] if turn.choices else "A few words."
    return game.reply(seat, text, notes)


def test_notes_are_kept_with_the_reply_that_they_came_with_and_seen_by_their_seat_alone() -> None:
    game = cast().until("protect").reply("Bram", "Ada", notes="Ada may be worth it.")
    accepted, kept = game.new[:2]
    assert isinstance(accepted.event, ReplyAccepted)
    assert kept.event == NotesKept(seat="Bram", text="Ada may be worth it.")
    assert kept.audience == only("Bram")
    assert kept.event.actor == "Bram"
    assert game.state.kept_notes == {"Bram": "Ada may be worth it."}
    for seat in game.state.seats:
        seen = fold(game.ruleset, [draft.event for draft in game.drafts if draft.audience.includes(seat)])
        assert seen.kept_notes == ({"Bram": "Ada may be worth it."} if seat == "Bram" else {})


def test_new_notes_replace_the_old_ones_and_empty_ones_keep_them() -> None:
    game = cast().until("investigate").reply("Cleo", "Ada", notes="One.")
    second = game.until(lambda state: "Cleo" in {turn.seat for turn in state.turns.values()})
    assert second.turn("Cleo").number > 2
    for notes, kept in (("", "One."), ("  \n", "One."), ("Two.", "Two.")):
        answered = answered_with(second, "Cleo", notes)
        assert answered.state.kept_notes == {"Cleo": kept}
        assert len(noted(answered)) == (kept == "Two.")


def test_notes_as_they_were_are_no_new_event() -> None:
    game = cast().until("investigate").reply("Cleo", "Ada", notes="One.")
    again = game.until(lambda state: "Cleo" in {turn.seat for turn in state.turns.values()})
    again = answered_with(again, "Cleo", "One.")
    assert noted(again) == []


def test_notes_of_a_refused_attempt_are_not_kept() -> None:
    game = cast().until("protect").reply("Bram", "nobody at all", notes="Never kept.")
    assert isinstance(game.happened[0], AttemptFailed)
    assert noted(game) == []
    assert game.state.kept_notes == {}
    assert noted(game.when(Reply(game.at, "Bram", 99, "Ada", notes="Never kept."))) == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("n" * (LONGEST_NOTES + 1), "n" * LONGEST_NOTES),
        ("n" * (LONGEST_NOTES - 1) + " n", "n" * (LONGEST_NOTES - 1)),
        (" \n Two lines\nof notes. ", "Two lines\nof notes."),
        ("lone \ud800, zero \x00", "lone \ufffd, zero \ufffd"),
    ],
)
def test_notes_are_kept_within_their_length_and_as_they_can_be_stored(given: str, kept: str) -> None:
    game = cast().until("protect").reply("Bram", "Ada", notes=given)
    assert noted(game) == [NotesKept(seat="Bram", text=kept)]
    assert noted(game)[0].misfit() is None


def test_only_an_auditor_is_told_of_notes() -> None:
    event = NotesKept.sample()
    for chair in (Chair("Ada"), Chair("Bram"), PUBLIC):
        assert event.tell(chair) is None
    told = event.tell(AUDITOR)
    assert told is not None
    assert told.said == event.text
    assert told.weight == 0


@pytest.mark.parametrize("name", FOLDERS)
def test_notes_are_kept_in_every_ruleset_and_change_nothing_else(name: str) -> None:
    golden = next(iter(golden_games(name)))
    ruleset = RULESETS[golden.ruleset]
    assert NotesKept in ruleset.audiences
    assert ruleset.initial.kept_notes == {}
    after = fold(ruleset, [NotesKept(seat="Ada", text="One.")])
    assert after == ruleset.initial.but(kept_notes={"Ada": "One."})


def test_an_answer_that_ends_the_game_keeps_its_notes_before_the_end() -> None:
    game, last = cast(), None
    while not game.state.over:
        turn = next(iter(game.state.turns.values()))
        last, game = game, game.answer(order=[turn.seat])
    assert last is not None
    turn = next(iter(last.state.turns.values()))
    ended = answered_with(last, turn.seat, "The end.")
    assert ended.state.over
    assert [type(event) for event in ended.happened].index(NotesKept) == 1


@pytest.mark.parametrize(
    ("percent", "suspicion"),
    [(50, 0.0), (0, -4.6), (100, 4.6), (99, 4.6), (75, 1.1), (25, -1.1), (50.4, 0.0), ("75 %", 1.1), ("75%", 1.1)],
)
def test_percents_become_suspicion_in_the_scale_of_house_players(percent: Any, suspicion: float) -> None:
    game = cast()
    given = [{"player": "Bram", "percent": percent}]
    assert game.ruleset.suspicion(game.state, "Ada", given) == {"Bram": suspicion}


@pytest.mark.parametrize(
    "item",
    [
        {"player": "Ada", "percent": 40},
        {"player": "narrator", "percent": 40},
        {"player": "Zed", "percent": 40},
        {"player": "Bram"},
        {"player": "Bram", "percent": 101},
        {"player": "Bram", "percent": -1},
        {"player": "Bram", "percent": float("nan")},
        {"player": "Bram", "percent": "very"},
        {"player": "Bram", "percent": None},
        {"player": ["Bram"], "percent": 1},
        "Bram",
        None,
    ],
)
def test_a_belief_that_cannot_be_read_is_left_out(item: Any) -> None:
    game = cast()
    suspicion = game.ruleset.suspicion(game.state, "Ada", [item, {"player": "Cleo", "percent": 50}])
    assert suspicion == {"Cleo": 0.0}


@pytest.mark.parametrize("given", [None, {}, "Bram", {"Bram": 40}, 7])
def test_what_is_no_list_of_beliefs_is_none(given: Any) -> None:
    game = cast()
    assert game.ruleset.suspicion(game.state, "Ada", given) == {}


def test_a_list_of_beliefs_has_an_end() -> None:
    game = cast()
    many = [{"player": "Zed", "percent": 1}] * MOST_BELIEFS
    assert game.ruleset.suspicion(game.state, "Ada", [*many, {"player": "Bram", "percent": 1}]) == {}


def test_beliefs_are_about_the_other_living_players_and_the_narrator_has_none() -> None:
    game = cast()
    assert game.ruleset.believed(game.state, "Ada") == tuple(name for name in game.state.players if name != "Ada")
    assert game.ruleset.believed(game.state, "narrator") == ()
    fallen = game.until(lambda state: bool(state.dead))
    assert not {*fallen.state.dead} & {*fallen.ruleset.believed(fallen.state, "Ada")}


def test_a_ruleset_that_asks_for_no_beliefs_reads_none() -> None:
    ruleset = RULESETS["tabletop"]
    assert ruleset.beliefs is None
    assert ruleset.suspicion(ruleset.initial, "Ada", [{"player": "Bram", "percent": 1}]) == {}
