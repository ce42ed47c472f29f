"""What a second ballot, a second day and a second gallows make of what came before them."""

from __future__ import annotations

from functools import cache

import pytest
from mafia_tables import Game, cast, condemn, reach_trial

from sottovoce.rulesets.mafia.rules.events import ExecutionVoteClosed, MafiaBallotClosed

DAY_ONE = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Gwen")
DAY_TWO = DAY_ONE[:-1]


@cache
def second_day() -> Game:
    """The second town hall: Edda was spared on the first day, one vote being for her death; Hugo and Gwen are dead."""
    spared = condemn(cast(), "Edda", kill="Hugo").answer(
        {"execution-vote": {"Ada": "execute", **dict.fromkeys(DAY_ONE[1:], "spare")}}
    )
    return spared.until(lambda state: state.number == 2 and state.phase == "nominations", {"kill": "Gwen"})


@pytest.mark.spec("M-043", "M-046")
def test_every_earlier_ballot_of_the_night_is_before_the_mafia_in_a_revote() -> None:
    game = cast().until("kill").answer({"kill": {"Ada": "Hugo", "Dirk": "Gwen"}})
    game = game.answer({"kill": {"Ada": "Edda", "Dirk": "Finn"}})
    assert [ballot.target for ballot in game.all(MafiaBallotClosed)] == [None, None]
    for member in ("Ada", "Dirk"):
        assert "Ballot 1 was tied: Ada voted for Hugo; Dirk voted for Gwen" in game.context(member)
        assert "Ballot 2 was tied: Ada voted for Edda; Dirk voted for Finn" in game.context(member)


@pytest.mark.spec("M-080")
def test_each_revote_of_a_trial_is_among_those_tied_in_the_ballot_before() -> None:
    town = reach_trial(second_day(), "Dirk", "Edda", "Finn")
    assert town.asked("trial-vote") == DAY_TWO
    all_three = town.answer({"trial-vote": dict(zip(DAY_TWO, ["Dirk", "Edda", "Finn"] * 2, strict=True))})
    assert all_three.turn("Ada").choices == ("Dirk", "Edda", "Finn")
    two = all_three.answer({"trial-vote": dict(zip(DAY_TWO, ["Edda", "Finn"] * 3, strict=True))})
    assert two.turn("Ada").choices == ("Edda", "Finn")
    two.reply("Ada", "I vote for Dirk").refused()


@pytest.mark.spec("M-077", "M-021")
def test_a_defence_of_silence_is_before_the_voters_as_such() -> None:
    game = cast().until(
        "defence", {"nominate": {"Ada": "I nominate Dirk", "Bram": "I nominate Edda"}, "second": "yes", "kill": "Hugo"}
    )
    game = game.exhaust("Dirk").until("trial-vote", {"defence": "I prayed."})
    assert "Dirk stayed silent." in game.context("Ada")
    assert "Edda said: «I prayed.»" in game.context("Ada")


@pytest.mark.spec("M-084")
def test_the_way_to_the_gallows_has_the_votes_of_the_ballot_that_condemned() -> None:
    game = reach_trial(second_day(), "Dirk", "Finn").answer(
        {"trial-vote": dict(zip(DAY_TWO, ["Dirk", "Finn"] * 3, strict=True))}
    )
    game = game.answer({"trial-vote": {**dict.fromkeys(DAY_TWO, "Finn"), "Finn": "Dirk"}})
    assert game.asked() == ("narrator",)
    assert "Finn has been chosen for the gallows." in game.context("narrator")
    votes = "Ada: Finn; Bram: Finn; Cleo: Finn; Dirk: Finn; Edda: Finn; Finn: Dirk."
    assert f"Votes: {votes} Tally: Dirk 1, Finn 5." in game.context("narrator")


@pytest.mark.spec("M-085", "M-086", "M-091")
def test_a_second_gallows_has_a_last_speech_a_vote_and_a_count_of_its_own() -> None:
    game = reach_trial(second_day(), "Dirk").answer({"trial-vote": "Dirk"}).answer()
    assert game.asked("final-speech") == ("Dirk",)
    game = game.reply("Dirk", "Not I.")
    voters = tuple(player for player in DAY_TWO if player != "Dirk")
    assert game.asked("execution-vote") == voters
    assert "Dirk said: «Not I.»" in game.context("Ada")
    game = game.answer({"execution-vote": {**dict.fromkeys(voters, "execute"), "Finn": "spare"}})
    assert [closed.executed for closed in game.all(ExecutionVoteClosed)] == [False, True]
    assert "Tally: execute 4, spare 1." in game.context("narrator")
