"""Bids for the floor, where the rules say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given as always
from hypothesis import settings
from hypothesis import strategies as st
from mafia_tables import CAST, Game, cast

from sottovoce.domain.events import ReplyAccepted
from sottovoce.rulesets.mafia.rules.events import (
    BidsClosed,
    FloorGiven,
    PhaseBegan,
    RepliesHeard,
    SpeakerChosen,
    SpeechGiven,
)
from sottovoce.rulesets.mafia.rules.options import MafiaOptions

LIVING = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Gwen")


def discussion(seed: int = 1, **options: Any) -> Game:
    """The first discussion, Hugo being dead; all are asked for a bid."""
    return cast(seed, floor="bids", **options).until("bid", {"kill": "Hugo"})


def bidding(game: Game, bids: Mapping[str, int]) -> Game:
    return game.answer({"bid": {player: str(bids.get(player, 0)) for player in LIVING}})


@pytest.mark.spec("M-114", "M-057")
def test_the_narrator_gives_the_floor_unless_the_rules_say_otherwise() -> None:
    assert MafiaOptions().floor == "narrator"
    game = cast().until("moderate", {"kill": "Hugo"})
    assert game.asked() == ("narrator",)
    assert not game.to_the_end().all(BidsClosed)


@pytest.mark.spec("M-114", "M-107")
def test_all_living_players_bid_and_the_highest_speaks_without_the_narrator() -> None:
    game = discussion()
    assert game.asked("bid") == LIVING
    assert set(game.turn("Ada").choices) == {"0", "1", "2", "3", "4"}
    game = bidding(game, {"Ada": 2, "Edda": 4, "Gwen": 3})
    assert game.last(FloorGiven) == FloorGiven(day=1, round=0, choice="Edda")
    assert game.asked() == ("Edda",)
    assert "Your bid has won you the floor, Edda." in game.context("Edda")
    game = game.reply("Edda", "I heard steps.")
    assert game.asked("bid") == LIVING
    assert not game.to_the_end({"bid": "0"}).all(SpeakerChosen)


@pytest.mark.spec("M-114")
@pytest.mark.parametrize("text", ["3", "I bid 3.", "My bid is 3", "3, for I saw something"])
def test_a_bid_is_read_from_a_sentence(text: str) -> None:
    game = discussion().reply("Ada", text)
    assert game.seen("Ada", ReplyAccepted)[-1].choice == "3"


@pytest.mark.spec("M-114", "M-017")
@pytest.mark.parametrize("text", ["5", "Ada", "either 2 or 3", "yes"])
def test_any_other_bid_is_invalid(text: str) -> None:
    discussion().reply("Ada", text).refused()


@pytest.mark.spec("M-114")
def test_the_town_hall_opens_when_nobody_bids() -> None:
    game = bidding(discussion(), {})
    assert game.last(FloorGiven).choice == "town_hall"
    assert game.last(PhaseBegan).phase == "nominations"


@pytest.mark.spec("M-114", "M-061")
def test_the_bound_on_speeches_holds_with_bids_too() -> None:
    game = discussion(max_speeches=2).until("nominate", {"bid": "4"})
    assert len(game.all(SpeechGiven)) == 2
    assert len(game.all(BidsClosed)) == 2


@pytest.mark.spec("M-114")
def test_among_equals_whoever_was_named_since_last_speaking_goes_first() -> None:
    for seed in range(12):
        game = bidding(discussion(seed), {"Gwen": 1}).reply("Gwen", "Ask Finn where he was, and ask me.")
        tied = bidding(game, {"Ada": 3, "Finn": 3, "Gwen": 3})
        assert tied.last(FloorGiven).choice == "Finn"
        answered = tied.reply("Finn", "In bed. Ask Ada, not me.")
        again = bidding(answered, {"Ada": 2, "Finn": 2, "Dirk": 2})
        assert again.last(FloorGiven).choice == "Ada", "Finn has spoken since he was named, and nobody named Dirk"
        higher = bidding(answered, {"Ada": 2, "Dirk": 3})
        assert higher.last(FloorGiven).choice == "Dirk", "a name decides only among equals"


@pytest.mark.spec("M-114")
def test_among_equals_nobody_was_heard_of_the_draw_decides_by_the_games_secret() -> None:
    drawn = {bidding(discussion(seed), dict.fromkeys(LIVING, 1)).last(FloorGiven).choice for seed in range(40)}
    assert len(drawn) > 3
    again = [bidding(discussion(5), dict.fromkeys(LIVING, 1)).last(FloorGiven).choice for _ in range(3)]
    assert len(set(again)) == 1


@pytest.mark.spec("M-114", "M-083")
def test_bids_are_seen_by_their_own_player_and_by_the_narrator_once_all_are_in() -> None:
    game = discussion()
    for player in LIVING[:-1]:
        game = game.reply(player, "2, for the quince pie")
        assert [draft.audience.to_json() for draft in game.new] == [[player]]
    assert "quince" not in repr(game.seen("narrator"))
    game = game.reply("Gwen", "1")
    assert game.audiences(BidsClosed) == [["narrator"]]
    assert game.audiences(RepliesHeard)[-1] == ["narrator"]
    assert list(game.last(BidsClosed).bids) == list(LIVING), "in seating order"
    for player in CAST:
        assert "quince" not in repr([event for event in game.seen(player) if event.actor != player])
        assert not game.seen(player, BidsClosed)
        assert FloorGiven(day=1, round=0, choice=game.last(FloorGiven).choice) in game.seen(player)


@pytest.mark.spec("M-114", "M-013")
@settings(max_examples=25)
@always(data=st.data())
def test_the_order_of_bids_changes_nothing(data: st.DataObject) -> None:
    game = discussion()
    bids = {player: str(data.draw(st.integers(0, 4))) for player in LIVING}
    one, two = (game.answer({"bid": bids}, order=data.draw(st.permutations(LIVING))) for _ in range(2))
    for seat in game.state.seats:
        assert one.seen(seat) == two.seen(seat)


@pytest.mark.spec("M-114", "M-020")
def test_who_makes_no_bid_bids_nothing() -> None:
    game = discussion(max_attempts=1)
    for player in LIVING:
        game = game.exhaust(player, "I cannot say.")
    assert set(game.last(BidsClosed).bids.values()) == {0}
    assert game.state.phase == "nominations"


@pytest.mark.spec("M-114")
def test_among_several_who_were_named_the_draw_decides_and_among_them_alone() -> None:
    drawn = set()
    for seed in range(24):
        game = bidding(discussion(seed), {"Gwen": 1}).reply("Gwen", "What say Finn and Ada?")
        drawn.add(bidding(game, dict.fromkeys(("Ada", "Bram", "Cleo", "Edda", "Finn"), 3)).last(FloorGiven).choice)
    assert drawn == {"Ada", "Finn"}


@pytest.mark.spec("M-114")
def test_who_speaks_of_themselves_is_not_waited_for() -> None:
    for seed in range(12):
        game = bidding(discussion(seed), {"Gwen": 1}).reply("Gwen", "I am Gwen, and I ask Finn.")
        assert bidding(game, {"Finn": 3, "Gwen": 3}).last(FloorGiven).choice == "Finn"
