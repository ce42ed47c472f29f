"""What the user says unasked: tasks added, changed and abandoned, words to a session."""

from __future__ import annotations

import delegating as kit
import pytest
from delegating import EXECUTOR, OTHER, PLANNER, REVIEWER, SECOND, TASK, USER, Game, delegated, in_review, opened, task

from sottovoce import Order
from sottovoce.domain.events import MessageRefused, TurnWithdrawn
from sottovoce.rulesets.delegation.rules.events import BriefGiven, MessageSent, TaskAbandoned, WorkEnded
from sottovoce.rulesets.delegation.shown.orders import ORDERS

ADDED = "20260101-1200-count-geese"


def test_a_task_is_added_and_its_planner_asked() -> None:
    game = delegated().say(USER, "add count-geese: Count the geese.\nTwice.")
    given = game.last(BriefGiven)
    assert (given.task_id, given.text) == (ADDED, "Count the geese.\nTwice.")
    assert (given.planner, given.executor, given.reviewer) == (PLANNER, EXECUTOR, REVIEWER)
    assert game.audiences(BriefGiven)[-1] == [PLANNER, USER]
    assert set(game.asked()) == {EXECUTOR, PLANNER}
    again = game.say(USER, "add count-geese: Count them again.")
    assert again.last(BriefGiven).task_id == "20260101-1201-count-geese", "ids differ"
    assert again.state.tasks[ADDED] == game.state.tasks[ADDED]


@pytest.mark.spec("D-004")
def test_an_added_brief_names_its_sessions_on_top_and_may_bring_a_whole_id() -> None:
    text = f"add {ADDED}:\n---\nplanner: other\nexecutor: planner\n---\nCount."
    game = opened().say(USER, text)
    assert (game.last(BriefGiven).planner, game.last(BriefGiven).executor) == (OTHER, PLANNER)
    game.say(USER, text).refused(f"Task {ADDED} already exists")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("add", "Write `add SLUG"),
        ("add geese", "Write `add SLUG"),
        ("add geese:", "Write `add SLUG"),
        ("add Count_Geese: Count.", "D-004"),
        ("add geese: ---\nplanner: nobody\n---\nCount.", "is not a session"),
        ("add geese: ---\nplanner:\n---\nCount.", "write the name of a session after planner:"),
        ("change geese: Count.", "There is no task geese. Choose one of:"),
        ("change", "Write `add SLUG"),
        ("abandon geese", "There is no task geese"),
        ("nobody: hello", "Write `add SLUG"),
    ],
)
def test_an_order_that_says_too_little_is_refused(text: str, part: str) -> None:
    game = opened().say(USER, text).refused(part)
    assert game.audiences(MessageRefused) == [[USER]]


def test_nobody_but_the_user_gives_orders() -> None:
    for seat in (PLANNER, EXECUTOR, REVIEWER, OTHER):
        for text in ("add geese: Count.", f"abandon {TASK}", f"change {TASK}: Count."):
            delegated().say(seat, text).refused()


def test_a_brief_that_nobody_has_acted_on_is_changed_and_its_planner_asked_anew() -> None:
    game = opened().say(USER, "change tidy-notes: Burn the notes.")
    assert task(game).brief == "Burn the notes."
    assert task(game).meant == task(opened()).meant
    assert game.all(TurnWithdrawn)
    assert game.turn(PLANNER).number == 2
    assert "Burn the notes." in game.context(PLANNER)


def test_a_change_of_work_under_way_is_told_to_all_who_have_a_part_in_it() -> None:
    game = in_review().say(USER, f"change {TASK}: Leave the last page.")
    told = [event.message for event in game.all(MessageSent) if event.message.action == "task_changed"]
    assert [(message.to_session_id, message.note) for message in told] == [
        (seat, "Leave the last page.") for seat in (PLANNER, EXECUTOR, REVIEWER)
    ]
    assert game.audiences(MessageSent)[-3:] == [[seat, USER] for seat in (PLANNER, EXECUTOR, REVIEWER)]
    assert task(game) == task(in_review())
    assert "Leave the last page." in game.context(REVIEWER)
    game.say(USER, f"change {TASK}: {'x' * 1001}").refused("D-016")
    kit.complete().say(USER, f"change {TASK}: More.").then_nothing()


@pytest.mark.spec("D-060", "D-063")
@pytest.mark.parametrize(
    ("game", "awaited"),
    [
        (opened, PLANNER),
        (delegated, EXECUTOR),
        (in_review, REVIEWER),
        (kit.stopped, USER),
        (kit.closing, PLANNER),
        (lambda: kit.held(in_review(), REVIEWER), REVIEWER),
    ],
)
def test_a_task_is_abandoned_wherever_it_stands(game: object, awaited: str) -> None:
    start: Game = game()  # type: ignore[operator]
    ended = start.say(USER, "abandon tidy-notes")
    assert ended.last(TaskAbandoned) == TaskAbandoned(task_id=TASK, waiting_for=awaited)
    assert ended.audiences(TaskAbandoned) == [sorted({awaited, USER})]
    assert ended.all(WorkEnded)
    assert not ended.asked()
    ended.say(USER, f"abandon {TASK}").then_nothing()


def test_abandoning_one_task_leaves_the_others_alone() -> None:
    game = delegated(opened({TASK: "Tidy.", SECOND: "Water."}))
    ended = game.say(USER, "abandon water-plants")
    assert ended.state.tasks[SECOND].abandoned
    assert ended.state.tasks[TASK] == game.state.tasks[TASK]
    assert ended.asked() == (EXECUTOR,)
    assert not ended.all(WorkEnded)
    ended.say(USER, "abandon water-plants").refused("ended")
    ended.say(USER, "change water-plants: More.").refused("ended")


@pytest.mark.spec("D-012", "D-060")
def test_words_go_to_the_session_that_they_begin_with() -> None:
    game = delegated().say(USER, "executor: use the long form")
    sent = game.last(MessageSent).message
    assert (sent.to_session_id, sent.note, sent.action) == (EXECUTOR, "use the long form", "input_given")
    assert game.audiences(MessageSent)[-1] == [EXECUTOR, USER]
    two = delegated(opened({TASK: "Tidy.", SECOND: "Water."}))
    two.say(USER, "planner: hurry").refused("Say which task you mean")
    assert two.say(USER, "planner, water-plants: hurry").last(MessageSent).message.task_id == SECOND


@pytest.mark.spec("D-012")
def test_words_to_a_session_that_asked_answer_its_question() -> None:
    two = delegated(opened({TASK: "Tidy.", SECOND: "Water."}))
    asked = kit.choose(delegated(two, task_id=SECOND), EXECUTOR, "need_input\n\nWhich form?", SECOND)
    assert asked.turn(USER).kind == "answer"
    answered = asked.say(USER, "executor: the long one")
    assert answered.last(MessageSent).message.task_id == SECOND
    assert USER not in answered.asked()


@pytest.mark.parametrize("order", ORDERS[USER], ids=lambda order: order.name)
def test_every_declared_order_is_one_that_the_rules_read(order: Order) -> None:
    game = delegated(opened({TASK: "Tidy.", SECOND: "Water."}))
    to = {"tasks": "water-plants", "others": PLANNER, "name": "count-geese"}[order.to or "name"]
    text = (order.task_text or order.text).format(to=to, words="Hurry.", task="water-plants")
    assert not game.say(USER, text).all(MessageRefused)
