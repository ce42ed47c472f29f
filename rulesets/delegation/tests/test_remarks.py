"""Remarks at lines of the code: how they are read, whom they reach, and where they stand in later rounds (R-001)."""

from __future__ import annotations

import json
from typing import Any

import delegating as kit
import pytest
import remarking
from delegating import EXECUTOR, PLANNER, REVIEWER, TASK, USER, Game, task
from remarking import CODE, iterating, reported, requested

from sottovoce.domain.errors import Refused
from sottovoce.domain.events import ReplyAccepted
from sottovoce.domain.piece import Chair
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.events import (
    ArtifactFiled,
    ItemsAnswered,
    ItemsAsked,
    ItemsLeft,
    ItemsPassedOn,
    MessageSent,
    RemarksMade,
    StopDecided,
)
from sottovoce.rulesets.delegation.rules.remarks import MOST, Remark, followed, remarks_in, written

NAILS = Remark("src/roof.py", 2, 2, "new", 1, "    nails = 3", "Why three?")
ABOUT = Remark("über uns.md", 2, 2, "new", 1, "Wir decken.", "Say what.")


def read(text: str, rounds: int = 2) -> tuple[str, tuple[Remark, ...]]:
    return remarks_in(text, {round: CODE[round] for round in range(1, rounds + 1)})


@pytest.mark.parametrize(
    ("text", "place", "said", "code"),
    [
        ("src/roof.py:3: Why three?", "src/roof.py:3", "Why three?", "    nails = 3"),
        ("- `src/roof.py:3` — Why three?", "src/roof.py:3", "Why three?", "    nails = 3"),
        ("über uns.md:2: Sag was.", "über uns.md:2", "Sag was.", "Wir decken."),
        ("src/roof.py:3-4: Too\n  long.\n  \n  Really.", "src/roof.py:3-4", "Too\nlong.\n\nReally.", None),
        ("src/roof.py:2 (old): Keep it.", "src/roof.py:2 (old)", "Keep it.", "    return roof"),
        ("src/roof.py:3 (round 1): Sum it.", "src/roof.py:3", "Sum it.", "    return roof + nails"),
        ("  src/roof.py:3: 10:30: late", "src/roof.py:3", "10:30: late", "    nails = 3"),
    ],
)
def test_a_line_that_names_a_line_of_the_code_is_a_remark(text: str, place: str, said: str, code: str | None) -> None:
    words, (remark,) = read(f"Please:\n{text}\n\nThat is all.")
    assert words == "Please:\n\nThat is all."
    assert (remark.place, remark.text) == (place, said)
    assert code is None or remark.code == code


@pytest.mark.parametrize(
    "text", ["at 12:30: call me", "see http://roof.py:80: it is slow", "Item 3: nails", "src/roof.py is short", "a.b"]
)
def test_other_words_stay_words(text: str) -> None:
    assert read(text) == (text, ())


def test_without_code_nothing_is_a_remark() -> None:
    assert remarks_in("src/roof.py:3: Why?", {}) == ("src/roof.py:3: Why?", ())


@pytest.mark.spec("R-001")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("src/wall.py:3: Why?", "src/wall.py:3: src/wall.py is not among the changed files of round 2"),
        ("src/roof.py:99: Why?", "src/roof.py:99: the diff of src/roof.py does not show line 99 of round 2"),
        ("src/roof.py:9 (old): Why?", "does not show line 9 of the beginning of the task"),
        ("src/roof.py:2-1: Why?", "src/roof.py:2-1: name at most 200 lines, the first one first"),
        ("src/roof.py:2 (round 7): Why?", "src/roof.py:2: there is no code of round 7; write one of: 1, 2"),
        ("logo.png:1: Why?", "does not show line 1"),
        (f"src/roof.py:2: {'x' * 2001}", "write 1 to 2000 characters"),
        ("\n".join(["src/roof.py:2: Why?"] * (MOST + 1)), f"Send at most {MOST} remarks at once"),
    ],
)
def test_a_remark_on_what_the_diff_does_not_show_is_refused_in_one_line(text: str, why: str) -> None:
    with pytest.raises(Refused) as refusal:
        read(text)
    assert why in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_what_was_written_from_fields_is_read_as_it_was_given() -> None:
    given: list[dict[str, Any]] = [
        {"file": "src/roof.py", "line": 3, "text": "One\n\nsrc/roof.py:4: no remark\n- list"},
        {"file": "src/roof.py", "line": 2, "last": 2, "side": "old", "round": None, "text": "Two"},
        {"file": "über uns.md", "line": 1, "last": 2, "side": "new", "round": 1, "text": "Three: 3"},
    ]
    words, remarks = read(f"iterate, please\n{written(given)}")
    assert words == "iterate, please"
    assert [(one.text, one.line, one.last, one.side, one.round) for one in remarks] == [
        (given[0]["text"], 3, 3, "new", 2),
        ("Two", 2, 2, "old", 2),
        ("Three: 3", 1, 2, "new", 1),
    ]


@pytest.mark.spec("R-001")
def test_remarks_become_items_after_the_words_and_reach_the_executor_with_the_iteration() -> None:
    game = kit.choose(reported(), USER, "iterate: Add a title.\nsrc/roof.py:2: Why three?\nüber uns.md:2: Say what.")
    asked = game.last(ItemsAsked)
    assert (asked.first, asked.items, asked.remarks) == (1, ("Add a title.",), (NAILS, ABOUT))
    assert game.audiences(ItemsAsked) == [[REVIEWER, USER]]
    assert (game.last(StopDecided).words, game.last(StopDecided).remarks) == ("Add a title.", ())
    assert not game.known(EXECUTOR).tasks[TASK].wanted
    assert "Item 2: «src/roof.py:2: Why three?»" in game.context(REVIEWER)
    game = remarking.sent(game, kit.message("user_requested_iteration", 1), kit.FINE)
    passed = game.last(ItemsPassedOn)
    assert (passed.items, passed.remarks) == (("Add a title.",), (NAILS, ABOUT))
    assert game.audiences(ItemsPassedOn) == [[EXECUTOR]]
    wanted = game.known(EXECUTOR).tasks[TASK].wanted
    assert {number: wish.remark for number, wish in wanted.items()} == {1: None, 2: NAILS, 3: ABOUT}
    assert TASK not in game.known("other").tasks
    assert not game.known(PLANNER).tasks[TASK].wanted


@pytest.mark.spec("R-001")
def test_prompts_of_executor_and_reviewer_show_file_line_and_code() -> None:
    game = iterating("iterate\nsrc/roof.py:2-3: Why\n  so?")
    said = "«src/roof.py:2-3: Why so?» Line 2: «nails = 3» Line 3: «return roof + nails»"
    assert f"Asked for by the user, item 1: {said}" in " ".join(game.context(EXECUTOR).split("\n"))
    game = requested(game, "# R\n\n## Asked for\n\n1. done: they are enough\n")
    assert f"Asked for by the user, item 1, round 1: {said}" in " ".join(game.context(REVIEWER).split("\n"))
    assert "The executor says of item 1: «done. they are enough»" in game.context(REVIEWER)
    game = reported(game, "# R\n\n## Asked for\n\n1. not done: why?\n")
    assert [one.answers[0].done for one in game.all(ItemsAnswered)] == [True, False]
    assert "item 1, which is not done: «src/roof.py:2-3: Why so?»" in game.context(USER)
    game = kit.closing(kit.accepting(game))
    assert game.last(ItemsLeft).items == ((1, "Why\nso?", "not done"),)


@pytest.mark.spec("R-001")
def test_remarks_with_an_acceptance_are_seen_by_the_reviewer_and_are_not_items() -> None:
    game = kit.choose(reported(), USER, "accept: well done\nsrc/roof.py:2: Why three?")
    decided = game.last(StopDecided)
    assert (decided.decision, decided.words, decided.remarks) == ("accept", "well done", (NAILS,))
    assert game.audiences(StopDecided) == [[REVIEWER, USER]]
    assert not game.all(ItemsAsked)
    assert "Remark 1 of the user: «src/roof.py:2: Why three?»" in game.context(REVIEWER)
    assert "src/roof.py:2: Why three?" in str(decided.tell(Chair(USER)).words)


@pytest.mark.spec("R-001")
def test_a_wrong_remark_changes_nothing_and_can_be_corrected() -> None:
    game = kit.choose(reported(), USER, "iterate\nsrc/roof.py:99: Why?")
    assert "does not show line 99" in kit.refusal(game)
    assert task(game).step == "stopped"
    assert not game.all(ItemsAsked)
    assert task(kit.choose(game, USER, "iterate\nsrc/roof.py:2: Why?")).step == "requested"


REPORT = (
    "# Report\n\n## Must-fix\n\n- `src/roof.py:2`: three nails are few\n- src/wall.py:1: not here\n- more tests\n\n"
    "## Remarks\n\n- über uns.md:2: nice\n"
)


@pytest.mark.spec("R-001")
def test_what_a_report_says_of_lines_stands_at_them_and_the_rest_is_just_an_item() -> None:
    game = reported(report=REPORT, action="rework_required")
    made = game.last(RemarksMade)
    assert [(one.place, one.text) for one in made.remarks] == [
        ("src/roof.py:2", "three nails are few"),
        ("über uns.md:2", "nice"),
    ]
    assert (made.round, made.session) == (1, REVIEWER)
    assert game.audiences(RemarksMade) == [sorted((EXECUTOR, REVIEWER, USER))]
    assert len(game.last(ArtifactFiled).must_fix) == 3
    assert "Remark 1 of the report of round 1: «src/roof.py:2: three nails are few»" in game.context(EXECUTOR)
    assert "Line 2: «nails = 3»" in game.context(EXECUTOR)
    assert "Remark 1 of the report of round 1" in requested(game).context(REVIEWER)


@pytest.mark.spec("R-001")
def test_a_message_can_have_remarks_beside_its_ten_fields() -> None:
    beside = [{"file": "src/roof.py", "line": 2, "text": "Why three?"}]
    game = reported(remarks=beside)
    assert game.last(RemarksMade).remarks == (NAILS,)
    assert "remarks" not in game.last(MessageSent).message.text()
    assert not reported().all(RemarksMade), "and needs none"
    assert "remarks: is not a field" in kit.refusal(
        remarking.sent(remarking.begun(), {**kit.message("review_requested", 1), "remarks": beside}, "# R\n")
    )


@pytest.mark.spec("R-001")
@pytest.mark.parametrize(
    ("beside", "why"),
    [
        ("all good", "remarks: give a list"),
        (["all good"], "remarks: give a list of objects"),
        ([{"file": "src/roof.py", "line": "2", "text": "x"}], "remarks: line is the number of a line"),
        ([{"file": "src/roof.py", "line": True, "text": "x"}], "remarks: line is the number of a line"),
        ([{"file": "src/roof.py", "line": 2}], "remarks: text is what you say"),
        ([{"file": "src/roof.py", "line": 2, "text": "x", "side": "left"}], 'remarks: side is "new" or "old"'),
        ([{"file": "src/roof.py", "line": 2, "text": "x", "mood": 1}], "remarks: 'mood' is not a field"),
        ([{"file": "src/roof.py", "line": 77, "text": "x"}], "does not show line 77"),
        ([{"file": "src/roof.py", "line": 2, "text": " "}], "write 1 to 2000 characters"),
        ([{"file": "src/roof.py", "line": 2, "last": -4, "text": "x"}], "the first one first"),
    ],
)
def test_wrong_remarks_of_a_message_are_refused_in_one_line(beside: Any, why: str) -> None:
    game = reported(remarks=beside)
    assert why in kit.refusal(game)
    assert "\n" not in kit.refusal(game)
    assert task(game).step == "review"


def form(game: Game, seat: str) -> Any:
    return DELEGATION.form(game.known(seat), game.turn(seat))


@pytest.mark.spec("R-001")
def test_the_form_of_a_decision_takes_remarks() -> None:
    game = reported()
    remark = {"file": "src/roof.py", "line": 2, "text": "Why three?"}
    text = form(game, USER).filled({"choice": "iterate", "words": "Add a title.", "remarks": [remark]})
    game = game.reply(USER, text)
    assert (game.last(ItemsAsked).items, game.last(ItemsAsked).remarks) == (("Add a title.",), (NAILS,))
    assert form(kit.stopped(), USER) is None, "where there is no code, a choice needs no form"


@pytest.mark.spec("R-001")
def test_the_fields_of_a_decision_can_be_sent_as_json() -> None:
    remark = {"file": "src/roof.py", "line": 2, "text": "Why three?"}
    game = reported().reply(USER, json.dumps({"choice": "iterate", "remarks": [remark]}))
    assert game.last(ItemsAsked).remarks == (NAILS,)
    wrong = reported().reply(USER, json.dumps({"choice": "iterate", "remarks": [{"file": "src/roof.py"}]}))
    assert "the field 'remarks.0.line' is wrong" in kit.refusal(wrong)


@pytest.mark.spec("R-001")
def test_the_form_of_a_review_takes_remarks_where_there_is_code() -> None:
    game = requested()
    assert "remarks" in form(game, REVIEWER).schema["properties"]
    remark = {"file": "src/roof.py", "line": 2, "text": "Why\nthree?"}
    game = game.reply(REVIEWER, form(game, REVIEWER).filled({"action": "stop_recommended", "remarks": [remark]}))
    assert [one.text for one in game.last(RemarksMade).remarks] == ["Why three?"]
    assert "remarks" not in form(kit.in_review(), REVIEWER).schema["properties"]
    assert game.last(ReplyAccepted).choice == "stop_recommended"


@pytest.mark.parametrize(
    ("remark", "found"),
    [
        (NAILS, ("src/roof.py", 3, 3)),
        (Remark("src/roof.py", 3, 3, "new", 1, "    return roof + nails", "x"), None),
        (Remark("src/roof.py", 2, 3, "new", 1, "", "x"), None),
        (Remark("src/roof.py", 4, 5, "new", 1, "", "x"), ("src/roof.py", 5, 6)),
        (Remark("src/roof.py", 40, 40, "new", 1, "", "x"), ("src/roof.py", 41, 41)),
        (ABOUT, ("über uns.md", 2, 2)),
        (Remark("src/roof.py", 2, 2, "old", 1, "    return roof", "x"), ("src/roof.py", 2, 2)),
        (Remark("src/roof.py", 2, 2, "old", 1, "    return wall", "x"), None),
    ],
)
def test_a_remark_is_found_in_a_later_round_unless_its_lines_changed(remark: Remark, found: Any) -> None:
    assert followed(CODE, remark, 2) == found


def test_a_line_that_only_a_later_round_shows_as_old_belongs_to_the_round_before() -> None:
    _, (remark,) = read("src/roof.py:5 (round 1): x")
    assert remark.code == "mend(1)"
