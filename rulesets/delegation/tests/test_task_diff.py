"""`sottovoce diff`: the recorded code of a task with the remarks at its lines."""

from __future__ import annotations

import json

import pytest
import remarking
from delegating import EXECUTOR, PLANNER, REVIEWER, TASK, USER, Game

from sottovoce.domain.errors import UnknownName
from sottovoce.rulesets.delegation.terminal.diff import task_diffs

WORDS = "iterate\nsrc/roof.py:2: Why three?\nsrc/roof.py:3: Sum it."


def game() -> Game:
    """Two remarks in round 1, and round 2 in which one of the lines has changed."""
    request = "# R\n\n## Asked for\n\n1. done: they hold\n2. not done: no time\n"
    return remarking.requested(remarking.iterating(WORDS), request)


def shown(seat: str, round: int | None = None, *, stat: bool = False) -> list[str]:
    (one,) = task_diffs(game().known(seat), "tidy-notes", round)
    return [text for _, text in one.lines(stat=stat)]


@pytest.mark.parametrize("seat", [USER, EXECUTOR, REVIEWER])
def test_a_remark_stands_below_its_line_with_its_answers(seat: str) -> None:
    lines = shown(seat, 1)
    at = lines.index("+    nails = 3")
    assert lines[at + 1 : at + 4] == ["  | 1. user, round 1:", "  | Why three?", "  |   executor: done: they hold"]


def test_a_remark_moves_with_its_line_and_is_outdated_where_it_changed() -> None:
    lines = shown(USER)
    assert lines[lines.index("+    nails = 3") + 1] == "  | 1. user, round 1:"
    outdated = lines.index("  | 2. user, round 1, src/roof.py:3, outdated:")
    assert lines[outdated + 1] == "  | >     return roof + nails"
    assert outdated < lines.index("@@ -1,4 +1,6 @@")


def test_the_numbers_of_each_file_can_be_had_alone() -> None:
    assert shown(USER, stat=True)[1:] == [
        " src/roof.py | +2 -1, 2 remarks",
        " über uns.md | +2 -0",
        " logo.png    | binary",
    ]


def test_the_json_says_where_each_remark_is_now() -> None:
    (one,) = task_diffs(game().known(USER), TASK, None)
    told = json.loads(json.dumps(one.data()))
    assert [remark["now"] for remark in told["remarks"]] == [{"file": "src/roof.py", "line": 3, "last": 3}, None]
    assert told["rounds"] == [1, 2]


@pytest.mark.parametrize(
    ("seat", "named", "round", "why"),
    [
        (PLANNER, None, None, "There is no code of any task in this view"),
        ("other", None, None, "This view has no tasks yet"),
        (USER, "roof", None, "There is no task 'roof'. Choose one of: tidy-notes."),
        (USER, "tidy", 9, "There is no code of round 9. Choose one of: 1, 2."),
    ],
)
def test_what_is_not_there_is_said_in_one_line(seat: str, named: str | None, round: int | None, why: str) -> None:
    with pytest.raises(UnknownName) as unknown:
        task_diffs(game().known(seat), named, round)
    assert why in str(unknown.value)
