"""What the rules make of what the server found in a repository: events, who sees them, and refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import delegating as kit
import pytest
from delegating import EXECUTOR, FINE, PLANNER, REVIEWER, TASK, USER, WANTING, Game, message, task

from sottovoce.domain import commands
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.events import AttemptFailed
from sottovoce.domain.piece import Chair
from sottovoce.domain.testing import NOON, given
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.events import (
    CheckRan,
    CodeOffered,
    MergeChecked,
    TaskHeld,
    WorkRecorded,
    WorkspaceOpened,
)
from sottovoce.rulesets.delegation.rules.evidence import (
    ChangedFile,
    Check,
    Difference,
    Evidence,
    Fault,
    FoundCode,
    FoundMerge,
    FoundWorkspace,
    Offered,
    Workspace,
)

BASE, HEAD, NEXT = "a" * 40, "b" * 40, "c" * 40
SPACE = Workspace("worktree", f"task/{TASK}", BASE, "main", BASE)
ONE = Difference((ChangedFile("roof.py", None, 3, 1),), 99, "0" * 64, "diff --git a/roof.py b/roof.py\n", True)
PASSED, FAILED = Check("test", "make test", 0, "", 2.5, "ok\n"), Check("test", "make test", 2, "", 2.5, "1 failed\n")


def found(offered: Offered | None = None, *checks: Check) -> FoundCode:
    offered = offered or Offered(BASE, HEAD, ONE, None)
    return FoundCode(TASK, replace(offered, checks=checks), True)


def say(game: Game, fields: dict[str, Any], content: str, evidence: Evidence | None = None) -> Game:
    files = {fields["artifact_path"]: content.encode()}
    text = json.dumps(fields)
    return game.when(commands.Say(game.at, fields["from_session_id"], text, files, evidence))


def begun(**options: Any) -> Game:
    game = kit.opened(workspace="worktree", target="main", check={"test": "make test"}, **options)
    return say(game, message("execute_delegate_task"), "# Task\n", FoundWorkspace(TASK, SPACE))


def reviewed(game: Game | None = None, evidence: Evidence | None = None) -> Game:
    game = game or begun()
    return say(game, message("review_requested", task(game).round + 1), "# Request\n", evidence or found())


def closing(**options: Any) -> Game:
    return kit.closing(kit.accepting(kit.stopped(reviewed(begun(**options)))))


def merged(game: Game, evidence: Evidence | None) -> Game:
    turn = game.state.step_turn(PLANNER, TASK)
    assert turn is not None
    return game.when(commands.Reply(game.at, PLANNER, turn.number, "merged: it is in", evidence=evidence))


@pytest.mark.spec("D-064")
def test_a_task_begins_at_a_recorded_commit_which_planner_executor_and_user_see() -> None:
    game = begun()
    opened = game.last(WorkspaceOpened)
    assert (opened.branch, opened.base, opened.target) == (f"task/{TASK}", BASE, "main")
    assert game.audiences(WorkspaceOpened) == [sorted((PLANNER, EXECUTOR, USER))]
    assert f"on the branch task/{TASK}" in game.context(EXECUTOR)
    assert "«test: make test»" in game.context(EXECUTOR)


@pytest.mark.spec("D-064")
def test_a_branch_that_cannot_be_had_refuses_the_task_and_changes_nothing() -> None:
    game = kit.opened(workspace="worktree", target="main")
    why = f"workspace: the branch task/{TASK} is checked out at /home/ada/paper."
    game = say(game, message("execute_delegate_task"), "# Task\n", Fault(TASK, why))
    assert kit.refusal(game) == why
    assert task(game).step == "proposed"


@pytest.mark.spec("D-064")
def test_where_there_is_no_repository_nothing_is_said_of_one() -> None:
    game = kit.in_review()
    assert not game.all(WorkspaceOpened)
    assert not game.all(CodeOffered)
    assert "branch" not in game.context(REVIEWER)


@pytest.mark.spec("D-065")
def test_the_code_of_a_round_is_seen_by_executor_reviewer_and_user_and_not_by_the_planner() -> None:
    game = reviewed(evidence=found(None, PASSED, FAILED))
    offered = game.last(CodeOffered)
    assert (offered.round, offered.base, offered.head, offered.committed_by_server) == (1, BASE, HEAD, True)
    audience = [sorted((EXECUTOR, REVIEWER, USER))]
    assert game.audiences(CodeOffered) == audience
    assert game.audiences(CheckRan) == audience * 2
    assert "Code of round 1: 1 file, +3 −1 from aaaaaaaaaaaa to bbbbbbbbbbbb." in game.context(REVIEWER)
    assert "Changed files: «roof.py»" in game.context(REVIEWER)
    assert "roof.py" in kit.stopped(game).context(USER)


@pytest.mark.spec("D-065")
def test_no_change_since_the_last_round_is_stated() -> None:
    again = Offered(BASE, HEAD, ONE, Difference())
    game = reviewed(kit.reworking(reviewed()), found(again))
    assert "No change since the last round." in game.context(REVIEWER)
    assert "no change since the last round" in game.last(CodeOffered).tell(Chair(REVIEWER)).lead
    changed = reviewed(kit.reworking(reviewed()), found(Offered(BASE, NEXT, ONE, ONE)))
    assert "Since the last round: 1 file, +3 −1." in changed.context(REVIEWER)
    assert "No change" not in changed.context(REVIEWER)


@pytest.mark.spec("D-065")
def test_a_workspace_that_left_its_branch_refuses_the_request() -> None:
    game = reviewed(evidence=Fault(TASK, "workspace: it has left its branch."))
    assert kit.refusal(game) == "workspace: it has left its branch."
    assert not game.all(CodeOffered)


@pytest.mark.spec("D-065")
def test_evidence_of_another_task_is_not_taken() -> None:
    other = replace(found(), task_id=kit.SECOND)
    assert not reviewed(evidence=other).all(CodeOffered)


@pytest.mark.spec("D-066")
def test_a_failing_check_is_told_with_the_end_of_its_output() -> None:
    game = reviewed(evidence=found(None, FAILED))
    ran = game.last(CheckRan)
    assert (ran.round, ran.head, ran.check) == (1, HEAD, FAILED)
    assert "Check test failed with exit code 2 in 2.5 s." in game.context(REVIEWER)
    assert "The end of what test said: «1 failed»" in game.context(REVIEWER)
    assert kit.accepted(kit.stopped(game)), "it is only noted"


@pytest.mark.spec("D-066")
def test_no_stop_is_recommended_while_a_required_check_fails() -> None:
    game = reviewed(begun(checks="required"), found(None, FAILED))
    refused = say(game, message("stop_recommended"), FINE)
    assert "the check test failed with exit code 2" in kit.refusal(refused)
    assert kit.accepted(say(game, message("rework_required"), WANTING))
    assert kit.accepted(kit.stopped(reviewed(begun(checks="required"), found(None, PASSED))))


@pytest.mark.spec("D-066", "D-042")
def test_the_last_round_and_no_progress_stop_although_a_check_fails() -> None:
    last = reviewed(begun(checks="required", max_rounds=1), found(None, FAILED))
    assert kit.accepted(say(last, message("stop_recommended"), WANTING))
    stalled = reviewed(kit.reworking(reviewed(begun(checks="required"), found(None, FAILED))), found(None, FAILED))
    assert kit.accepted(say(stalled, message("stop_recommended", 2), WANTING))


@pytest.mark.spec("D-067")
def test_what_was_found_of_a_merge_follows_what_the_planner_says() -> None:
    game = merged(closing(), FoundMerge(TASK, HEAD, "main", NEXT, "merge", NEXT))
    kinds = [type(draft.event) for draft in game.new]
    assert kinds.index(WorkRecorded) + 1 == kinds.index(MergeChecked)
    assert game.audiences(MergeChecked) == [sorted((PLANNER, USER))]
    assert game.last(MergeChecked).commit == NEXT


@pytest.mark.spec("D-067")
def test_nothing_found_is_recorded_or_refused_by_the_option() -> None:
    nothing = FoundMerge(TASK, HEAD, "main", NEXT, "none", None, ("roof.py",))
    noted = merged(closing(), nothing)
    assert task(noted).merged
    assert noted.last(MergeChecked).found == "none"
    refused = merged(closing(merge_check="required"), nothing)
    assert not task(refused).merged
    assert not refused.all(MergeChecked)
    why = refused.last(AttemptFailed).message
    assert f"nothing of task/{TASK} (bbbbbbbbbbbb) is found in main (cccccccccccc); 1 files would conflict" in why
    assert task(merged(refused, FoundMerge(TASK, HEAD, "main", NEXT, "squash", NEXT))).merged


@pytest.mark.spec("D-067")
def test_a_merge_that_could_not_be_looked_for_is_refused_only_where_it_is_required() -> None:
    assert task(merged(closing(), None)).merged
    assert not task(merged(closing(merge_check="required"), None)).merged


@pytest.mark.spec("D-067", "D-057")
def test_a_planner_that_keeps_lying_puts_its_task_on_hold() -> None:
    game = closing(merge_check="required", max_attempts=2)
    for _ in range(2):
        game = merged(game, FoundMerge(TASK, HEAD, "main", NEXT, "none"))
    assert game.last(TaskHeld).waiting_for == PLANNER


@pytest.mark.spec("D-064")
def test_in_a_checkout_one_session_is_asked_at_a_time() -> None:
    briefs = {TASK: "Tidy the notes.", kit.SECOND: "Water them."}
    game = kit.opened(briefs, workspace="checkout", target="main")
    asked = [key[0] for key in game.state.turns]
    assert asked == [PLANNER]
    assert len(kit.opened(briefs, workspace="worktree", target="main").state.turns) == 2


@pytest.mark.spec("D-064")
def test_a_planner_merges_one_task_after_another() -> None:
    briefs = {TASK: "Tidy the notes.", kit.SECOND: "Water them."}
    game = kit.opened(briefs, workspace="worktree", target="main")
    for name in briefs:
        game = kit.closing(
            kit.accepting(
                kit.stopped(kit.in_review(kit.delegated(game, task_id=name), task_id=name), task_id=name), name
            ),
            task_id=name,
        )
    merging = [turn for turn in game.state.turns.values() if "merged" in turn.choices]
    assert len(merging) == 1
    game = kit.choose(game, PLANNER, "merged", TASK)
    assert [turn.choices for turn in game.state.turns.values()] == [("progress",), ("merged", "progress")]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"check": {"a b": "x"}}, "give checks as"),
        ({"check": {"test": "  "}}, "give checks as"),
        ({"check": {f"c{n}": "x" for n in range(21)}}, "at most 20 checks"),
        ({"workspace": "cloud"}, "workspace"),
        ({"merge_check": "maybe"}, "merge_check"),
    ],
)
def test_options_that_say_nothing_of_use_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(SetupRefused, match=says):
        given(DELEGATION).when(commands.Open(NOON, kit.SEATS, {}, Seed.of(1), options, {f"{TASK}.md": b"Tidy."}))


def test_an_opening_states_only_options_of_repositories_that_are_not_as_usual() -> None:
    assert "workspace" not in kit.opened().drafts[0].event.options  # type: ignore[attr-defined]
    assert begun().drafts[0].event.options["workspace"] == "worktree"  # type: ignore[attr-defined]
