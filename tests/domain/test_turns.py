"""Kinds of turns, and what a complete ballot comes to."""

from __future__ import annotations

from sottovoce.domain.turns import Count


def count(choices: tuple[str, ...], **votes: str) -> Count:
    return Count(choices, votes, {})


def test_votes_are_tallied_in_the_order_of_the_choices() -> None:
    counted = count(("yes", "no", "later"), Ada="no", Bram="yes", Cleo="no")
    assert list(counted.tally.items()) == [("yes", 1), ("no", 2)]
    assert counted.leaders == ("no",)
    assert counted.carried("no")
    assert not counted.carried("yes")


def test_a_choice_that_the_last_seat_to_answer_did_not_have_counts_as_well() -> None:
    counted = count(("success",), Ada="fail", Bram="success", Cleo="fail")
    assert counted.tally == {"success": 1, "fail": 2}
    assert counted.leaders == ("fail",)


def test_a_seat_that_made_no_choice_counts_for_nothing() -> None:
    assert count(("yes", "no"), Ada="", Bram="yes").tally == {"yes": 1}
