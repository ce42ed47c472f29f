"""The course of one task, message by message: receivers, rounds, files, and what each step waits for."""

from __future__ import annotations

import json

import delegating as kit
import msgspec
import pytest
from delegating import (
    EXECUTOR,
    FINE,
    PLANNER,
    REVIEWER,
    TASK,
    USER,
    WANTING,
    Game,
    accepted,
    choose,
    delegated,
    in_review,
    message,
    opened,
    reply,
    reworking,
    say,
    task,
)

from sottovoce.domain import commands
from sottovoce.domain.events import AttemptFailed, MessageRefused, ReplyAccepted
from sottovoce.rulesets.delegation.rules.events import (
    ArtifactFiled,
    ClosingInstructed,
    HandoffGuarded,
    MessageSent,
    StopDecided,
    WorkEnded,
    WorkRecorded,
)

HOME = f".agent-artifacts/{TASK}"


def told(game: Game) -> str:
    assert not accepted(game)
    (event,) = [draft.event for draft in game.new]
    assert isinstance(event, AttemptFailed | MessageRefused)
    return event.message


@pytest.mark.spec("D-024")
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"planner_session_id": "other"}, "planner_session_id: is the sender's own id"),
        ({"round": 2}, "round: execute_delegate_task has the round 1"),
        ({"to_session_id": "user"}, "to_session_id: a task goes to a session"),
    ],
)
def test_a_task_is_started_by_its_planner_in_round_one(changes: dict[str, object], field: str) -> None:
    assert field in told(say(opened(), {**message("execute_delegate_task"), **changes}))
    assert accepted(delegated())


@pytest.mark.spec("D-025", "D-029", "D-035", "D-039", "D-047", "D-051")
@pytest.mark.parametrize(
    ("game", "action", "round", "name", "rule"),
    [
        (opened, "execute_delegate_task", 1, f"delegate-task-{TASK}.md", "D-025"),
        (delegated, "review_requested", 1, "review-request-r1.md", "D-029"),
        (reworking, "review_requested", 2, "review-request-r2.md", "D-029"),
        (in_review, "rework_required", 1, "review-report-r1.md", "D-035"),
        (in_review, "stop_recommended", 1, "review-report-r1.md", "D-039"),
        (kit.requested, "user_requested_iteration", 1, "review-report-r1.md", "D-047"),
        (kit.accepting, "closeout_delivered", "final", f"closeout-{TASK}.md", "D-051"),
    ],
)
def test_each_action_has_its_file(game: object, action: str, round: object, name: str, rule: str) -> None:
    start: Game = game()  # type: ignore[operator]
    wrong = told(say(start, message(action, round, artifact_path=f"{HOME}/notes.md"), FINE))
    assert wrong == f"artifact_path: point to {HOME}/{name} ({rule})."
    right = say(start, message(action, round, artifact_path=f"{HOME}/{name}"))
    assert accepted(right)


@pytest.mark.spec("D-027")
def test_a_task_is_opened_once() -> None:
    assert "a task is delegated once (D-027)" in told(say(in_review(), message("execute_delegate_task")))


@pytest.mark.spec("D-027")
def test_whoever_tries_another_ones_id_learns_that_it_is_taken_and_no_more() -> None:
    """Not even whether the task has been opened; nor is it said to be open where it is not."""
    fields = message("execute_delegate_task", planner_session_id="other", from_session_id="other")
    answers = {told(say(game, fields)) for game in (kit.opened(), delegated(), kit.closing(), kit.instructed())}
    assert answers == {"task_id: this id is taken by a task of somebody else's; choose another one (D-027)."}


@pytest.mark.spec("D-028", "D-034", "D-038", "D-046")
@pytest.mark.parametrize(
    ("game", "action", "due", "wrong"),
    [
        (delegated, "review_requested", 1, (2, 3)),
        (reworking, "review_requested", 2, (1, 3)),
        (kit.iterating, "review_requested", 2, (1, 3)),
        (in_review, "rework_required", 1, (2,)),
        (lambda: in_review(reworking()), "rework_required", 2, (1, 3)),
        (lambda: in_review(reworking()), "stop_recommended", 2, (1, 3)),
        (kit.requested, "user_requested_iteration", 1, (2,)),
    ],
)
def test_rounds_are_counted_by_review_requests(game: object, action: str, due: int, wrong: tuple[int, ...]) -> None:
    start: Game = game()  # type: ignore[operator]
    for round in wrong:
        assert f"round: {action} has the round {due} now" in told(say(start, message(action, round), FINE))
    assert accepted(say(start, message(action, due), "## Must-fix\n- New.\n" if "rework" in action else FINE))


@pytest.mark.spec("D-031")
def test_a_review_is_asked_for_once_a_round() -> None:
    assert "handed back" in told(say(in_review(), message("review_requested", 1)))
    assert "handed back" in told(say(in_review(), message("review_requested", 2)))


@pytest.mark.spec("D-032", "D-060", "D-063")
def test_an_executor_that_waits_is_told_the_same_however_the_work_goes_on() -> None:
    """What it may not see, it cannot find out by trying."""
    others = [in_review(), kit.stopped(), kit.accepting(), kit.requested(), kit.closing()]
    others += [kit.held(in_review(), REVIEWER), kit.held(kit.stopped(), USER)]
    answers = {told(say(game, message("review_requested", 2))) for game in others}
    assert answers == {"action: you wait until round 1 is answered and handed back to you (D-031, D-032)."}
    assert len({repr(game.seen(EXECUTOR)[-1]) for game in others[3:5]}) == 1


@pytest.mark.spec("D-037")
def test_a_round_gets_one_answer() -> None:
    for answered in (reworking(), kit.stopped()):
        assert "action: " in told(say(answered, message("rework_required"), WANTING))
        assert "action: " in told(say(answered, message("stop_recommended"), FINE))


@pytest.mark.spec("D-038", "D-044")
def test_a_stop_recommendation_goes_to_the_user_who_gets_a_readable_summary() -> None:
    assert "stop_recommended goes to user" in told(
        say(in_review(), message("stop_recommended", to_session_id="planner"))
    )
    game = kit.stopped(in_review(reworking()))
    request = game.request(USER)
    shown = "\n".join((*request.context, request.ask))
    assert "reviewer recommends stopping after round 2: no must-fix item is left." in shown
    assert "round 1: 1; round 2: none" in shown
    assert "{" not in shown
    assert game.turn(USER).choices == ("accept", "iterate")


@pytest.mark.spec("D-044")
def test_the_summary_says_why_a_stop_is_recommended() -> None:
    capped = kit.stopped(in_review(delegated(opened(max_rounds=1))), WANTING)
    assert "round 1 is the last of 1" in capped.context(USER)
    assert "«The title is missing.»" in capped.context(USER)
    stalled = kit.stopped(in_review(reworking()), WANTING)
    assert "two reports in a row list the same" in stalled.context(USER)


@pytest.mark.spec("D-045")
def test_after_a_stop_recommendation_nothing_moves_until_the_user_decides() -> None:
    game = kit.stopped()
    assert game.asked("decide") == (USER,)
    for action in ("user_requested_iteration", "closeout_delivered", "rework_required"):
        assert "action: " in told(say(game, message(action), FINE))
    assert "action: " in told(say(game, message("review_requested", 2)))


@pytest.mark.spec("D-045")
@pytest.mark.parametrize(
    ("words", "decision", "rest"),
    [
        ("accept", "accept", ""),
        ("I accept, thank you", "accept", "thank you"),
        (f"accept {TASK}", "accept", ""),
        (f"{TASK}: accept", "accept", ""),
        (f"iterate {TASK}: rename task/{TASK}", "iterate", f"rename task/{TASK}"),
        ("Iterate: add a title", "iterate", "add a title"),
        ("**iterate**\n\nadd a title", "iterate", "add a title"),
    ],
)
def test_the_user_decides_in_an_event_of_its_own(words: str, decision: str, rest: str) -> None:
    game = kit.stopped().reply(USER, words)
    assert game.last(StopDecided) == StopDecided(task_id=TASK, decision=decision, words=rest)  # type: ignore[arg-type]
    assert not accepted(game)


@pytest.mark.spec("D-045")
@pytest.mark.parametrize("words", ["I do not accept this", "no", "should I accept?", "acceptable", "review_requested"])
def test_a_word_in_passing_is_no_decision(words: str) -> None:
    assert "Begin with one of: accept, iterate" in told(kit.stopped().reply(USER, words))


@pytest.mark.spec("D-045")
def test_the_user_may_decide_without_being_asked_for_a_turn_number() -> None:
    assert kit.stopped().say(USER, f"accept {TASK}").last(StopDecided).decision == "accept"
    assert kit.stopped().say(USER, "iterate, please").last(StopDecided).words == "please"
    kit.in_review().say(USER, "accept").refused("answer your turn")


@pytest.mark.spec("D-046", "D-049")
def test_another_iteration_goes_to_the_executor_once_the_user_wants_it() -> None:
    for game in (kit.stopped(), kit.accepting()):
        assert "action: " in told(say(game, message("user_requested_iteration"), FINE))
    game = kit.iterating()
    assert accepted(game)
    assert game.asked("implement") == (EXECUTOR,)
    assert game.last(MessageSent).message.round == 1


@pytest.mark.spec("D-047")
def test_another_iteration_points_to_the_report_as_it_was() -> None:
    changed = say(kit.requested(), message("user_requested_iteration"), FINE + "And more.\n")
    assert told(changed).startswith("artifact_path: the file differs from the one recorded")
    filed = kit.iterating().all(ArtifactFiled)
    assert len(filed) == len({one.path for one in filed}), "each file is recorded once"


@pytest.mark.spec("D-050", "D-053")
def test_the_closeout_goes_to_the_planner_after_acceptance_and_once() -> None:
    for game in (in_review(), kit.stopped(), kit.requested(), kit.closing()):
        assert "action: " in told(say(game, message("closeout_delivered"), FINE))
    wrong = told(say(kit.accepting(), message("closeout_delivered", to_session_id="executor"), FINE))
    assert wrong == "to_session_id: closeout_delivered goes to planner (D-018)."
    late = {**message("closeout_delivered"), "round": 1}
    assert "round: closeout_delivered has the round final" in told(say(kit.accepting(), late, FINE))
    assert accepted(kit.closing())


@pytest.mark.spec("D-054")
def test_nobody_hands_over_to_itself() -> None:
    game = kit.guarded()
    assert game.all(HandoffGuarded) == [HandoffGuarded(task_id=TASK, session=PLANNER)]
    assert game.asked() == (USER,), "the reviewer stops, and the user is waited for"
    for to in (PLANNER, EXECUTOR):
        fields = message("closeout_delivered", from_session_id=PLANNER, to_session_id=to)
        assert "D-054" in told(say(game, fields, FINE))
    assert not kit.accepting().all(HandoffGuarded)


@pytest.mark.spec("D-055")
def test_a_task_is_complete_once_merge_and_progress_are_recorded() -> None:
    for first, second in (("merged", "progress"), ("progress", "merged")):
        game = choose(kit.closing(), PLANNER, f"{first}: done")
        assert not task(game).complete
        assert game.turn(PLANNER).choices == (second,)
        assert game.last(WorkRecorded).words == "done"
        game = choose(game, PLANNER, second)
        assert task(game).complete
        assert game.all(WorkEnded)
        assert game.state.over


@pytest.mark.spec("D-055")
@pytest.mark.parametrize("game", [kit.opened, delegated, in_review, kit.stopped, kit.accepting, kit.guarded])
def test_nothing_is_recorded_before_the_closeout(game: object) -> None:
    start: Game = game()  # type: ignore[operator]
    for words in (f"merged {TASK}", "progress"):
        after = start.say(PLANNER, words)
        assert not after.all(WorkRecorded)
        after.refused()


@pytest.mark.spec("D-055")
def test_only_the_planner_records() -> None:
    for seat in (EXECUTOR, REVIEWER, "other"):
        kit.closing().say(seat, f"merged {TASK}").refused()


@pytest.mark.spec("D-062")
def test_the_user_has_a_task_closed_that_nobody_can_hand_over() -> None:
    kit.accepting().say(USER, f"close {TASK}").refused()
    game = kit.instructed()
    assert game.all(ClosingInstructed)
    assert game.asked("record") == (PLANNER,)
    game = choose(choose(game, PLANNER, "merged"), PLANNER, "progress")
    assert task(game).complete
    assert "closeout_delivered" not in [sent.message.action for sent in game.all(MessageSent)]


def test_a_bare_action_becomes_the_whole_message() -> None:
    game = opened().reply(PLANNER, "execute_delegate_task\n\n# Task\n\nReviewer: reviewer\n")
    game = game.reply(EXECUTOR, "review_requested\nnote: have a look\nskills: agent-deck-workflow\n\n# Request\n")
    sent = game.last(MessageSent).message
    assert msgspec.structs.asdict(sent) == {
        **message("review_requested"),
        "required_skills": (kit.SKILL,),
        "note": "have a look",
    }
    assert game.last(ArtifactFiled).text == "# Request\n"
    assert game.last(ReplyAccepted).choice == "review_requested"


def test_the_reviewer_of_a_bare_request_is_the_one_the_task_file_names() -> None:
    game = opened().reply(PLANNER, "execute_delegate_task\n\n# Task\n\nReviewer: other\n")
    game = game.reply(EXECUTOR, "review_requested\n\n# Request\n")
    assert task(game).reviewer == "other"
    game = opened().reply(PLANNER, "execute_delegate_task\n\n# Task\n")
    assert task(game.reply(EXECUTOR, "review_requested\nto: other\n\n# Request\n")).reviewer == "other"


def test_a_turn_takes_messages_about_its_own_task_alone() -> None:
    game = opened({TASK: "Tidy.", kit.SECOND: "Water."})
    assert accepted(reply(game, message("execute_delegate_task")))
    turn = game.state.step_turn(PLANNER, kit.SECOND)
    assert turn is not None
    fields = message("execute_delegate_task")
    wrong = game.when(
        commands.Reply(game.at, PLANNER, turn.number, json.dumps(fields), {fields["artifact_path"]: b"x"})
    )
    assert told(wrong).startswith(f"task_id: this turn is about {kit.SECOND}")
