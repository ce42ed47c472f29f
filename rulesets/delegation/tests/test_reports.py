"""The must-fix items of a report, and what follows from them."""

from __future__ import annotations

import pytest
from delegating import FINE, WANTING, Game, accepted, delegated, in_review, iterating, message, opened, reworking, say
from delegating import stopped as recommended

from sottovoce.domain.events import AttemptFailed
from sottovoce.rulesets.delegation.rules.events import ArtifactFiled
from sottovoce.rulesets.delegation.rules.reports import missing_in, must_fix, same_items

OTHER = "## Must-fix\n\n- Something else is wrong.\n"


@pytest.mark.spec("D-043")
@pytest.mark.parametrize(
    ("report", "items"),
    [
        ("", ()),
        ("# Report\n\n- not this\n", ()),
        ("## Must-fix\n\n- one\n* two\n+ three\n1. four\n2) five\n", ("one", "two", "three", "four", "five")),
        ("## Must-fix\n- one\n  goes on\n- two\n\nA paragraph.\n", ("one goes on", "two")),
        ("## Must-fix\n- one\n### Detail\n- two\n## Nice to have\n- three\n", ("one", "two")),
        ("## Must-fix\n- one\n# Next\n- two\n## must-FIX ##\n- three\n", ("one", "three")),
        ("### Must-fix\n- one\n", ()),
        ("# Must-fix\n- one\n", ()),
        ("## Must-fix items\n- one\n", ()),
        ("```\n## Must-fix\n- one\n```\n## Must-fix\n~~~\n- two\n~~~\n- three\n", ("three",)),
        ("## Must-fix\nNothing.\n", ()),
        ("## Must-fix\r\n\r\n- [ ] one\r\n  - below it\r\n", ("[ ] one", "below it")),
    ],
)
def test_the_items_are_those_of_the_list_under_the_heading(report: str, items: tuple[str, ...]) -> None:
    assert must_fix(report) == items


@pytest.mark.spec("D-042", "D-043")
def test_items_are_the_same_whatever_their_order_case_or_spaces() -> None:
    assert same_items(("One  thing", "two"), ("TWO", "one thing"))
    assert not same_items(("one",), ("one", "two"))
    assert missing_in(("One",), ("one", "two")) == ("two",)


@pytest.mark.spec("D-043")
def test_a_filed_report_states_its_items() -> None:
    assert reworking().last(ArtifactFiled).must_fix == ("The title is missing.",)
    assert in_review().last(ArtifactFiled).must_fix == ()


@pytest.mark.spec("D-043")
def test_a_filed_report_states_what_was_opened_and_what_was_closed() -> None:
    game = reworking(items="## Must-fix\n- One.\n- Two.\n")
    assert game.last(ArtifactFiled).again == game.last(ArtifactFiled).closed == ()
    filed = reworking(in_review(game), "## Must-fix\n- two.\n- Three.\n").last(ArtifactFiled)
    assert (filed.must_fix, filed.again, filed.closed) == (("two.", "Three."), ("two.",), ("One.",))
    game = in_review(game)
    assert game.last(ArtifactFiled).closed == (), "a request closes nothing"


def refused_with(game: Game, *parts: str) -> None:
    told = game.last(AttemptFailed).message
    assert not accepted(game)
    assert all(part in told for part in parts), told


@pytest.mark.spec("D-061")
def test_rework_without_an_item_and_a_stop_without_a_condition_are_refused() -> None:
    refused_with(say(in_review(), message("rework_required"), FINE), "no item", "D-061")
    refused_with(say(in_review(), message("stop_recommended"), WANTING), "no other stop condition", "D-061")


@pytest.mark.spec("D-041")
def test_nothing_left_is_enough_to_stop() -> None:
    assert accepted(say(in_review(), message("stop_recommended"), FINE))


@pytest.mark.spec("D-041", "D-042")
def test_the_last_round_is_enough_to_stop_and_bars_rework() -> None:
    game = in_review(reworking(in_review(delegated(opened(max_rounds=2)))))
    refused_with(say(game, message("rework_required", 2), OTHER), "round 2 is the last", "D-042")
    assert accepted(say(game, message("stop_recommended", 2), OTHER))
    assert game.turn("reviewer").choices == ("stop_recommended",)


@pytest.mark.spec("D-042")
def test_the_cap_is_five_rounds_where_nothing_else_is_said() -> None:
    game = delegated()
    for number in range(1, 5):
        game = reworking(in_review(game), f"## Must-fix\n- Fault number {number}.\n")
    refused_with(say(in_review(game), message("rework_required", 5), OTHER), "round 5 is the last")


@pytest.mark.spec("D-041", "D-042")
def test_two_reports_with_the_same_items_are_enough_to_stop_and_bar_rework() -> None:
    game = in_review(reworking())
    refused_with(say(game, message("rework_required", 2), WANTING.upper().replace("MUST-FIX", "Must-fix")), "in a row")
    assert accepted(say(game, message("stop_recommended", 2), WANTING))
    assert accepted(say(game, message("rework_required", 2), WANTING + "- And one more.\n"))


@pytest.mark.spec("D-042")
def test_only_reports_in_a_row_count_as_stalled() -> None:
    game = in_review(reworking(in_review(reworking()), OTHER))
    assert accepted(say(game, message("rework_required", 3), WANTING))


@pytest.mark.spec("D-042")
def test_two_reports_without_items_are_no_lack_of_progress() -> None:
    game = in_review(iterating())
    refused_with(say(game, message("rework_required", 2), FINE), "D-061")
    assert accepted(say(game, message("rework_required", 2), WANTING))


@pytest.mark.spec("D-042", "D-049")
def test_the_user_may_ask_for_more_beyond_the_cap() -> None:
    game = recommended(in_review(delegated(opened(max_rounds=1))), WANTING)
    game = game.reply("user", "iterate")
    game = say(game, message("user_requested_iteration", 1), WANTING)
    assert accepted(game)
    game = in_review(game)
    assert game.state.tasks[message("x")["task_id"]].round == 2
    refused_with(say(game, message("rework_required", 2), OTHER), "round 2 is the last")
