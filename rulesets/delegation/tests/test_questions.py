"""A question in place of a step: delivered once, answered or not, and the step is asked for again (D-012)."""

from __future__ import annotations

import json

import delegating as kit
import pytest
from delegating import EXECUTOR, OTHER, PLANNER, REVIEWER, TASK, USER, Game, delegated, in_review, message, opened, task

from sottovoce.domain.events import AttemptFailed, TurnWithdrawn
from sottovoce.rulesets.delegation.rules.events import MessageSent, TaskHeld, WorkEnded

ASKS = "need_input\nto: planner\n\nWhich title?"


def answering(game: Game, text: str, seat: str = EXECUTOR) -> Game:
    return game.reply(seat, text)


@pytest.mark.spec("D-012", "D-056")
@pytest.mark.parametrize(
    "text", [ASKS, json.dumps(message("need_input", to_session_id=PLANNER, artifact_path="", note="Which title?"))]
)
def test_a_question_is_delivered_once_and_costs_no_attempt(text: str) -> None:
    game = answering(delegated(), text)
    assert [event.message.note for event in game.all(MessageSent)[1:]] == ["Which title?"]
    assert game.asked() == (PLANNER,), "whoever asks waits for the answer"
    assert task(game) == task(delegated()), "no task moves by it"
    assert game.turn(PLANNER).kind == "answer"
    assert any("Which title?" in line for line in game.context(PLANNER).split("\n"))
    answered = game.reply(PLANNER, "Call it Water.")
    sent = answered.last(MessageSent).message
    assert (sent.action, sent.from_session_id, sent.to_session_id, sent.note) == (
        *("input_given", PLANNER, EXECUTOR),
        "Call it Water.",
    )
    assert answered.asked() == (EXECUTOR,)
    assert answered.turn(EXECUTOR).attempts_left == 3
    assert "Call it Water." in answered.context(EXECUTOR)
    assert kit.accepted(kit.reply(answered, message("review_requested")))


@pytest.mark.spec("D-012")
def test_without_a_name_it_is_the_user_who_is_asked() -> None:
    game = answering(delegated(), "need_input\n\nWhich title?")
    assert game.asked() == (USER,)
    assert game.reply(USER, "Water.").last(MessageSent).message.to_session_id == EXECUTOR


@pytest.mark.spec("D-012")
def test_an_answer_may_come_unprompted_as_a_message() -> None:
    game = answering(delegated(), ASKS)
    fields = message("here_it_is", from_session_id=PLANNER, to_session_id=EXECUTOR, artifact_path="")
    assert kit.say(game, fields).asked() == (EXECUTOR,)
    elsewhere = message("by_the_way", from_session_id=PLANNER, to_session_id=USER, artifact_path="")
    assert kit.say(game, elsewhere).asked() == (PLANNER,)


@pytest.mark.spec("D-012")
def test_a_message_that_moves_a_task_answers_no_question() -> None:
    game = answering(delegated(), ASKS)
    refused = game.reply(PLANNER, json.dumps(message("execute_delegate_task")))
    assert "asks for an answer" in refused.refused().last(AttemptFailed).message
    assert refused.turn(PLANNER).kind == "answer"


@pytest.mark.spec("D-012", "D-057")
def test_where_no_answer_comes_the_step_is_asked_for_again_and_nothing_is_held() -> None:
    game = answering(delegated(opened(session_seconds=60)), ASKS)
    for _ in range(3):
        assert game.asked() == (PLANNER,)
        game = game.expire(PLANNER)
    assert game.asked() == (EXECUTOR,)
    assert not game.all(TaskHeld)
    assert "No answer has come" in game.context(EXECUTOR)


@pytest.mark.spec("D-012")
def test_who_has_no_part_in_the_task_is_told_and_not_asked() -> None:
    game = answering(delegated(), ASKS.replace("planner", OTHER))
    assert game.audiences(MessageSent)[-1] == [EXECUTOR, OTHER, USER]
    assert game.asked() == (EXECUTOR,)


@pytest.mark.spec("D-012", "D-056", "D-057")
def test_questions_come_to_an_end() -> None:
    """Three are delivered; from then on each is an attempt that failed, and nobody else learns of it."""
    game = delegated()
    for _ in range(3):
        game = answering(game, ASKS).reply(PLANNER, "Do as you like.")
    seen = len(game.seen(PLANNER))
    for attempts_left in (2, 1):
        game = answering(game, ASKS)
        assert game.turn(EXECUTOR).attempts_left == attempts_left
        assert len(game.seen(PLANNER)) == seen
    assert answering(game, ASKS).last(TaskHeld).waiting_for == EXECUTOR
    fresh = kit.reworking(kit.in_review(game))
    assert answering(fresh, ASKS).asked() == (PLANNER,), "after the next step one may ask again"


@pytest.mark.spec("D-012", "D-018")
def test_a_question_answers_no_turn_about_another_task() -> None:
    game = delegated(opened({TASK: "Tidy.", kit.SECOND: "Water."}))
    fields = message("need_input", to_session_id=PLANNER, artifact_path="", task_id=kit.SECOND)
    answering(game, json.dumps(fields)).refused("this turn is about")


@pytest.mark.spec("D-021")
def test_that_the_work_has_gone_on_meanwhile_takes_no_question_back() -> None:
    """The planner could tell from it that a review was asked for, which it may not see."""
    asked = answering(delegated(), ASKS)
    moved = kit.say(asked, message("review_requested"))
    assert moved.seen(PLANNER) == asked.seen(PLANNER)
    assert set(moved.asked()) == {PLANNER, REVIEWER}
    assert moved.reply(PLANNER, "Water.").last(MessageSent).message.to_session_id == EXECUTOR


def test_the_end_of_all_work_takes_open_questions_back() -> None:
    asked = kit.say(answering(delegated(), ASKS.replace("planner", "user")), message("review_requested"))
    game = kit.stopped(asked)
    for words in ("accept",):
        game = kit.choose(game, USER, words)
    game = kit.complete(kit.closing(game))
    assert game.all(WorkEnded)
    assert game.last(TurnWithdrawn).seat == USER
    assert not game.asked()


@pytest.mark.spec("D-007")
@pytest.mark.parametrize(
    "text", ["need_input\nto: executor\n\nWhich?", "review_requested\nto: executor\n\n# Request\n"]
)
def test_nobody_writes_to_itself_by_a_line_either(text: str) -> None:
    answering(delegated(), text).refused("to_session_id: name another session than the sender")


def test_the_user_may_ask_before_deciding() -> None:
    fields = message("ask_something", from_session_id=USER, to_session_id=REVIEWER, artifact_path="", note="Why?")
    game = kit.stopped(in_review()).reply(USER, json.dumps(fields))
    assert game.asked() == (REVIEWER,)
    assert game.reply(REVIEWER, "Since nothing is left.").asked("decide") == (USER,)
