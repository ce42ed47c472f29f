"""The rules of liar's dice, as its package plays them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from guests import seat_guest

from sottovoce import FallbackApplied, Open, ReplyAccepted, Seed
from sottovoce.testing import NOON, Playtest, given

NAMES = ("Ada", "Bram", "Cleo")


@pytest.fixture(scope="module")
def rules() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        yield seat_guest(patch, "liars-dice")


def opened(rules: Any, dice: int = 2, seed: int = 1, **options: Any) -> Playtest[Any]:
    agents = dict.fromkeys(NAMES, "house")
    return given(rules.LIARS_DICE).when(Open(NOON, NAMES, agents, Seed.of(seed), {"dice": dice, **options}))


def rolled(game: Playtest[Any]) -> Counter[int]:
    """How many dice on the table show each face."""
    return Counter(face for dice in game.state.dice.values() for face in dice)


def test_a_player_knows_its_own_dice_and_how_many_the_others_have(rules: Any) -> None:
    game = opened(rules)
    assert [len(event.dice) for event in game.all(rules.DiceRolled)] == [2, 2, 2]
    assert game.audiences(rules.DiceRolled) == [["Ada"], ["Bram"], ["Cleo"]]
    assert {*game.known("Bram").dice} == {"Bram"}
    assert "Dice on the table: 6 (Ada 2, Bram 2, Cleo 2)." in game.context("Ada")


def test_every_face_is_rolled_about_as_often_and_dice_of_one_hand_may_be_alike(rules: Any) -> None:
    hands = [event.dice for seed in range(60) for event in opened(rules, 5, seed).all(rules.DiceRolled)]
    faces = Counter(face for dice in hands for face in dice)
    assert len(faces) == 6
    assert max(faces.values()) < 1.5 * min(faces.values())
    assert any(max(Counter(dice).values()) > 3 for dice in hands)


@pytest.mark.parametrize(
    ("text", "bid"),
    [("3 fives", (3, 5)), ("3 5", (3, 5)), ("count: 2, face: 6", (2, 6)), ("I bid four twos", (4, 2))],
)
def test_a_bid_is_said_in_many_ways_and_told_in_one(rules: Any, text: str, bid: tuple[int, int]) -> None:
    game = opened(rules).reply("Ada", text)
    made = game.last(rules.BidMade)
    assert (made.count, made.face) == bid
    assert game.last(ReplyAccepted).choice == made.bid == rules.in_words(*bid)
    assert game.asked() == ("Bram",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("doubt", "Call cannot be doubt here. Write 3 fives"),
        ("2", "Your answer has 1 number; give 2."),
        ("7 ones", "Count cannot be 7 here."),
        ("2 7", "Face cannot be 7 here."),
        ("call: bid", "A bid has a count and a face"),
        ("many", "fits none of the fields"),
    ],
)
def test_what_is_no_bid_is_refused(rules: Any, text: str, why: str) -> None:
    opened(rules).reply("Ada", text).refused(why)


@pytest.mark.parametrize(
    ("text", "higher"), [("2 4", True), ("3 1", True), ("2 3", False), ("2 2", False), ("1 6", False)]
)
def test_a_bid_is_higher_with_more_dice_or_as_many_of_a_higher_face(rules: Any, text: str, higher: bool) -> None:
    game = opened(rules).reply("Ada", "2 3").reply("Bram", text)
    if higher:
        assert game.asked() == ("Cleo",)
    else:
        game.refused("Bid higher than 2 threes")


@pytest.mark.parametrize(("short", "loser"), [(0, "Bram"), (1, "Ada")])
def test_a_doubt_shows_all_dice_and_costs_the_one_who_was_wrong_a_die(rules: Any, short: int, loser: str) -> None:
    """As many as the bid says are enough."""
    game = opened(rules)
    face, found = rolled(game).most_common(1)[0]
    game = game.reply("Ada", f"{found + short} {face}").reply("Bram", "Liar!\nNever in my life.")
    assert game.last(rules.BidDoubted).text == "Never in my life."
    shown = [event.dice for event in game.all(rules.DiceShown)]
    assert shown == [event.dice for event in game.all(rules.DiceRolled)[:3]]
    judged = game.last(rules.BidJudged)
    assert (judged.found, judged.loser, judged.left) == (found, loser, 1)
    assert game.asked() == (loser,), "the loser bids first"
    assert game.state.total == 5
    assert {*game.known("Cleo").dice} == {"Cleo"}, "what was shown is of the last round"


def test_a_doubt_takes_no_bid_with_it(rules: Any) -> None:
    game = opened(rules).reply("Ada", "1 1")
    game.reply("Bram", rules.Call(call="doubt", count=2, face=2)).refused("leave out count and face")
    assert game.reply("Bram", rules.Call(count=2, face=2)).last(rules.BidMade).bid == "2 twos"


def test_a_player_without_dice_is_out_and_the_next_bids_first(rules: Any) -> None:
    game = opened(rules, dice=1)
    rare = next(face for face in range(1, 7) if not rolled(game)[face])
    game = game.reply("Ada", f"1 {rare}").reply("Bram", "doubt")
    assert game.state.players == ("Bram", "Cleo")
    assert game.asked() == ("Bram",)
    rare = next(face for face in range(1, 7) if not rolled(game)[face])
    game = game.reply("Bram", f"2 {rare}").reply("Cleo", "doubt")
    assert (game.state.over, game.state.winner) == (True, "Cleo")


def test_whoever_is_silent_makes_some_legal_call(rules: Any) -> None:
    game = opened(rules, max_attempts=1).reply("Ada", "6 5")
    choice = game.expire("Bram").last(FallbackApplied).choice
    assert choice in ("6 sixes", "doubt")
    assert opened(rules, max_attempts=1).reply("Ada", "6 6").expire("Bram").last(FallbackApplied).choice == "doubt"


def test_the_form_offers_what_is_legal_and_makes_the_same_bid(rules: Any) -> None:
    game = opened(rules)
    form = game.turn("Ada").form(game.known("Ada"))
    assert form is not None
    properties = form.schema["properties"]
    assert properties["call"]["enum"] == ["bid"]
    assert properties["count"]["anyOf"][0] == {"type": "integer", "minimum": 1, "maximum": 6}
    assert form.filled({"count": 2, "face": 6, "words": "Easily."}) == "2 sixes\nEasily."
    assert (
        game.reply("Ada", form.filled({"count": 2, "face": 6, "words": "Easily."})).last(rules.BidMade).text
        == "Easily."
    )


def test_the_house_plays_to_the_end_and_doubts_what_cannot_be(rules: Any) -> None:
    from random import Random

    from liars_dice_extras import awaited  # type: ignore[import-not-found,unused-ignore]

    class Seen:
        def __init__(self, game: Playtest[Any], seat: str) -> None:
            self.state, self.seat = game.known(seat), seat

    game, random = opened(rules), Random(3)
    while not game.state.over:
        (seat,) = game.asked()
        assert awaited(game.known("nobody at the table")) == (seat,)
        turn = game.turn(seat)
        game = game.reply(seat, turn.reply(game.known(seat), rules.play(Seen(game, seat), turn, random)))
    assert awaited(game.known("nobody at the table")) == ()
    sure = opened(rules).reply("Ada", "6 6")
    if 6 not in sure.known("Bram").dice["Bram"]:
        assert rules.play(Seen(sure, "Bram"), sure.turn("Bram"), random).call == "doubt"
