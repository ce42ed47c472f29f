"""Ten tasks at once with shared sessions: no message of one moves another."""

from __future__ import annotations

import random

import delegating as kit
import pytest
from delegating import EXECUTOR, PLANNER, REVIEWER, USER, Game, message

from sottovoce.rulesets.delegation.rules.events import TaskAbandoned, WorkEnded
from sottovoce.rulesets.delegation.rules.reports import must_fix
from sottovoce.rulesets.delegation.rules.state import Task

TASKS = tuple(f"20260101-12{minute:02}-task-{minute}" for minute in range(10))
CROSSWISE = "---\nplanner: reviewer\nexecutor: planner\nreviewer: executor\n---\n"


def many() -> Game:
    """Ten tasks; in every third one the same sessions have other parts."""
    texts = {task: (CROSSWISE if number % 3 == 2 else "") + "Do it." for number, task in enumerate(TASKS)}
    return kit.opened(texts, (PLANNER, EXECUTOR, REVIEWER, USER))


def step(game: Game, task_id: str, rng: random.Random) -> Game:
    """One right message or choice about the task, or now and then a wrong one."""
    task: Task = game.state.tasks[task_id]
    meant = task.meant
    assert meant is not None
    planner, executor, reviewer = meant
    common = {"task_id": task_id, "planner_session_id": planner}
    match task.step:
        case "proposed":
            fields = message("execute_delegate_task", from_session_id=planner, to_session_id=executor, **common)
            return kit.say(game, fields)
        case "delegated" | "rework" | "iterating":
            fields = message(
                "review_requested", task.round + 1, from_session_id=executor, to_session_id=reviewer, **common
            )
            return kit.say(game, fields)
        case "review":
            again = task.round < 3 and rng.random() < 0.6
            action = "rework_required" if again else "stop_recommended"
            to = executor if again else USER
            fields = message(action, task.round, from_session_id=reviewer, to_session_id=to, **common)
            return kit.say(game, fields, f"## Must-fix\n- Fault {task.round} of {task_id}.\n" if again else kit.FINE)
        case "stopped":
            return kit.choose(game, USER, rng.choice(("accept", "iterate")), task_id)
        case "requested":
            fields = message(
                "user_requested_iteration", task.round, from_session_id=reviewer, to_session_id=executor, **common
            )
            return kit.say(game, fields, kit.FINE)
        case "accepted":
            fields = message("closeout_delivered", from_session_id=reviewer, to_session_id=planner, **common)
            return kit.say(game, fields)
    return kit.choose(game, planner, "progress" if task.merged else "merged", task_id)


@pytest.mark.spec("D-004", "D-018", "D-058")
@pytest.mark.parametrize("seed", range(5))
def test_no_message_of_one_task_moves_another(seed: int) -> None:
    rng = random.Random(seed)
    game = many()
    steps = 0
    while open_tasks := [task_id for task_id in TASKS if not game.state.tasks[task_id].ended]:
        task_id = rng.choice(open_tasks)
        before = game.state.tasks
        game = step(game, task_id, rng)
        steps += 1
        assert game.state.tasks[task_id] != before[task_id], (task_id, game.new)
        assert all(game.state.tasks[other] == before[other] for other in TASKS if other != task_id)
        assert steps < 2000
    assert game.state.over
    assert all(game.state.tasks[task_id].complete for task_id in TASKS)


def test_sessions_are_asked_about_all_their_tasks_at_once() -> None:
    game = many()
    assert game.asked("delegate") == tuple(REVIEWER if number % 3 == 2 else PLANNER for number in range(10))
    about = {game.state.task_of(*key).task_id for key in game.state.turns}  # type: ignore[union-attr]
    assert about == set(TASKS)


@pytest.mark.spec("D-057", "D-063")
def test_a_hold_of_one_task_stops_no_other() -> None:
    game = many()
    game = kit.held(game, PLANNER, TASKS[0])
    other = message("execute_delegate_task", task_id=TASKS[1])
    game = kit.say(game, other)
    assert kit.accepted(game)
    game = kit.choose(game, USER, "abandon", TASKS[0])
    assert game.last(TaskAbandoned).task_id == TASKS[0]
    assert not game.all(WorkEnded)


def test_an_unprompted_choice_that_fits_several_tasks_must_name_one() -> None:
    game = many()
    for task_id in TASKS[:2]:
        for name in ("delegated", "in_review", "stopped"):
            game = getattr(kit, name)(game, task_id=task_id)
    refused = game.say(USER, "accept").refused("Name exactly one task")
    assert refused.state.tasks == game.state.tasks
    accepted = game.say(USER, f"accept {TASKS[1]}")
    assert accepted.state.tasks[TASKS[1]].step == "accepted"
    assert accepted.state.tasks[TASKS[0]].step == "stopped"


def test_the_kits_reports_say_what_they_should() -> None:
    assert must_fix(kit.FINE) == ()
    assert must_fix(kit.WANTING) == ("The title is missing.",)
