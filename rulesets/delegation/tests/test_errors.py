"""Invalid messages, silence, holds, and replay."""

from __future__ import annotations

import json

import delegating as kit
import msgspec
import pytest
from delegating import EXECUTOR, PLANNER, REVIEWER, TASK, USER, choose, delegated, in_review, message, opened, say, task

from sottovoce.domain import commands
from sottovoce.domain.events import (
    AttemptFailed,
    FallbackApplied,
    HoldLifted,
    HoldPlaced,
    MessageRefused,
    TurnWithdrawn,
)
from sottovoce.domain.game import fold
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.events import (
    MessageSent,
    ProgramFailed,
    TaskAbandoned,
    TaskHeld,
    TaskResumed,
    WorkEnded,
)


@pytest.mark.spec("D-056")
@pytest.mark.parametrize("unprompted", [True, False])
def test_an_invalid_message_changes_nothing_and_may_be_tried_again(unprompted: bool) -> None:
    game = delegated()
    send = say if unprompted else kit.reply
    for attempt in (1, 2):
        game = send(game, message("review_requested", 7))
        assert game.last(AttemptFailed).attempt == attempt
        assert game.last(AttemptFailed).message.startswith("round: ")
        assert task(game) == task(delegated())
    assert kit.accepted(send(game, message("review_requested")))


@pytest.mark.spec("D-056")
def test_a_broken_message_counts_as_an_attempt_too() -> None:
    game = delegated()
    fields = message("review_requested", note="")
    game = game.when(commands.Say(game.at, EXECUTOR, json.dumps(fields)))
    assert game.last(AttemptFailed).message.startswith("note: ")
    game = game.when(commands.Say(game.at, EXECUTOR, "{not json"))
    assert game.last(MessageRefused).message.startswith("The message is not JSON")
    assert game.turn(EXECUTOR).attempt == 2


@pytest.mark.spec("D-056", "D-057")
def test_nobody_uses_up_anothers_attempts() -> None:
    game = delegated()
    for _ in range(5):
        game = say(game, message("review_requested", from_session_id=PLANNER))
    assert game.turn(EXECUTOR).attempt == 1
    assert task(game).held is None


@pytest.mark.spec("D-056", "D-057")
@pytest.mark.parametrize("attempts", [1, 3])
def test_when_the_attempts_run_out_the_task_is_held_and_the_user_told(attempts: int) -> None:
    game = delegated(opened(max_attempts=attempts))
    for _ in range(attempts):
        assert task(game).held is None
        game = say(game, message("review_requested", 7))
    assert game.last(TaskHeld).waiting_for == EXECUTOR
    assert f"nothing valid in {attempts} attempt" in game.last(TaskHeld).why
    assert game.asked() == (USER,)
    assert game.all(TurnWithdrawn)
    assert not game.all(FallbackApplied)
    assert len(game.all(MessageSent)) == 1, "no message is invented"


@pytest.mark.spec("D-057")
def test_silence_past_the_limit_holds_the_task_too() -> None:
    game = delegated(opened(session_seconds=60))
    for _ in range(3):
        game = game.expire(EXECUTOR)
    assert game.last(TaskHeld) == TaskHeld(
        task_id=TASK, waiting_for=EXECUTOR, why="executor stayed silent in 3 attempts."
    )
    assert kit.stopped(in_review(delegated(opened(session_seconds=60)))).turn(USER).seconds is None


@pytest.mark.spec("D-057", "D-063")
def test_a_held_task_goes_on_with_fresh_attempts() -> None:
    game = kit.held(delegated(), EXECUTOR)
    assert "on hold" in game.context(USER)
    refused = say(game, message("review_requested"))
    assert refused.last(MessageRefused).message == "action: the task is on hold until the user resumes it (D-063)."
    game = choose(game, USER, "resume")
    assert game.last(TaskResumed) == TaskResumed(task_id=TASK, waiting_for=EXECUTOR)
    assert game.turn(EXECUTOR).attempts_left == 3
    assert kit.accepted(say(game, message("review_requested")))


@pytest.mark.spec("D-063")
def test_an_abandoned_task_has_ended_for_good() -> None:
    game = kit.abandoned()
    assert isinstance(game.last(TaskAbandoned), TaskAbandoned)
    assert game.all(WorkEnded)
    assert not game.asked()
    game.say(USER, f"resume {TASK}").then_nothing()
    both = kit.abandoned(delegated(kit.opened({TASK: "Tidy the notes.", kit.SECOND: "Water the plants."})))
    assert not both.all(WorkEnded)
    assert "abandoned the task (D-063)" in say(both, message("review_requested")).last(MessageRefused).message
    both.say(USER, f"resume {TASK}").refused()


@pytest.mark.spec("D-057")
def test_where_the_user_fails_everything_stops_until_somebody_resumes_the_game() -> None:
    game = kit.held(kit.held(kit.stopped(), USER), USER)
    assert game.last(HoldPlaced).waiting_for == USER
    assert game.audiences(HoldPlaced) == ["everyone"]
    assert TASK not in game.last(HoldPlaced).why, "all work stops, and nobody learns of which task"
    assert not game.asked()
    game = game.when(commands.Fill(game.at))
    assert game.all(HoldLifted)
    assert game.asked("hold") == (USER,)
    assert choose(game, USER, "resume").asked("decide") == (USER,)


@pytest.mark.spec("D-033")
def test_after_a_review_request_the_reviewer_owes_the_answer_unasked() -> None:
    game = in_review()
    assert game.asked("review") == (REVIEWER,)
    assert task(game).awaited == REVIEWER


@pytest.mark.spec("D-058")
@pytest.mark.parametrize(
    "game", [delegated, in_review, kit.iterating, kit.instructed, kit.complete, kit.abandoned, kit.requested]
)
def test_the_log_alone_gives_the_state_again(game: object) -> None:
    played = game()  # type: ignore[operator]
    events = [msgspec.json.decode(draft.event.encoded(), type=type(draft.event)) for draft in played.drafts]
    assert fold(DELEGATION, events) == played.state


@pytest.mark.spec("D-058")
def test_the_state_says_who_is_awaited_in_every_step() -> None:
    for game, awaited in (
        (opened(), PLANNER),
        (delegated(), EXECUTOR),
        (in_review(), REVIEWER),
        (kit.stopped(), USER),
        (kit.requested(), REVIEWER),
        (kit.accepting(), REVIEWER),
        (kit.closing(), PLANNER),
        (kit.guarded(), USER),
        (kit.instructed(), PLANNER),
        (kit.held(delegated(), EXECUTOR), USER),
        (kit.complete(), None),
        (kit.abandoned(), None),
    ):
        assert task(game).awaited == awaited
        assert set(game.asked()) == ({awaited} if awaited else set())


@pytest.mark.spec("D-068")
def test_a_program_that_fails_is_recorded_with_its_reason_for_its_session_and_the_user() -> None:
    game = delegated()
    turn = game.turn(EXECUTOR)
    why = "codex ended with exit code 1: usage limit reached."
    failed = game.when(commands.Fail(game.at, EXECUTOR, turn.number, turn.attempt, "failed", why))
    event = failed.last(ProgramFailed)
    assert (event.session, event.task_id, event.reason, event.why) == (EXECUTOR, TASK, "failed", why)
    assert failed.audiences(ProgramFailed) == [sorted((EXECUTOR, USER))]
    assert failed.last(AttemptFailed).reason == "failed", "no silence, which is `timeout`"
    assert len(failed.all(MessageSent)) == len(game.all(MessageSent)), "no message either"
    late = game.expire(EXECUTOR) if turn.seconds else game
    assert not late.all(ProgramFailed)


@pytest.mark.spec("D-068")
def test_a_program_that_failed_by_its_own_account_is_not_paid_again_before_the_user_resumes() -> None:
    game = delegated()
    turn = game.turn(EXECUTOR)
    assert turn.attempts_left > 1
    failed = game.when(commands.Fail(game.at, EXECUTOR, turn.number, 1, "failed", "codex crashed.", final=True))
    assert failed.last(TaskHeld).why == "executor failed in 1 attempt."
    assert EXECUTOR not in failed.asked()
    assert USER in failed.asked()
    again = game.when(commands.Fail(game.at, EXECUTOR, turn.number, 1, "failed", "It said nothing."))
    assert not again.all(TaskHeld)


@pytest.mark.spec("D-068")
def test_the_user_s_own_program_is_the_user_s_matter() -> None:
    game = in_review()
    asked = kit.reply(game, message("stop_recommended"))
    turn = asked.turn(USER)
    failed = asked.when(commands.Fail(asked.at, USER, turn.number, turn.attempt, "empty", "It said nothing."))
    assert not failed.all(ProgramFailed)
    assert failed.last(AttemptFailed).seat == USER
