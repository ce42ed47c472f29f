"""Who is bound to a task, who sees what of it, and what each may know."""

from __future__ import annotations

from collections.abc import Callable

import delegating as kit
import pytest
from delegating import (
    EXECUTOR,
    FINE,
    OTHER,
    PLANNER,
    REVIEWER,
    SEATS,
    SKILL,
    TASK,
    USER,
    Game,
    accepted,
    choose,
    delegated,
    in_review,
    message,
    opened,
    reworking,
    say,
    task,
)

from sottovoce.domain import commands
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed, MessageRefused
from sottovoce.domain.testing import NOON, given
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.events import (
    ArtifactDisclosed,
    ArtifactFiled,
    BriefGiven,
    ClosingInstructed,
    HandoffGuarded,
    MessageSent,
    SkillsDeclared,
    StopDecided,
    TaskAbandoned,
    TaskHeld,
    TaskResumed,
    WorkRecorded,
)


def told(game: Game) -> str:
    assert not accepted(game)
    (event,) = [draft.event for draft in game.new]
    assert isinstance(event, AttemptFailed | MessageRefused)
    return event.message


def filed(game: Game, kind: str) -> list[list[str]]:
    """The audiences of the files of a kind."""
    return [
        draft.audience.to_json()  # type: ignore[misc]
        for draft in game.drafts
        if isinstance(draft.event, ArtifactFiled) and draft.event.kind == kind
    ]


@pytest.mark.spec("D-018")
def test_the_parts_are_bound_by_the_first_messages() -> None:
    assert (task(delegated()).planner, task(delegated()).executor) == (PLANNER, EXECUTOR)
    assert task(delegated()).reviewer is None
    assert task(in_review()).reviewer == REVIEWER
    assert task(delegated(to_session_id=OTHER)).executor == OTHER, "the brief binds nobody"


@pytest.mark.spec("D-018")
def test_later_messages_come_from_the_bound_and_go_to_them() -> None:
    game = reworking()
    assert "goes to reviewer" in told(say(game, message("review_requested", 2, to_session_id=OTHER)))
    assert "no part" in told(say(game, message("review_requested", 2, from_session_id=OTHER)))
    assert "which you are not" in told(say(game, message("review_requested", 2, from_session_id=PLANNER)))
    game = in_review()
    assert "goes to executor" in told(say(game, message("rework_required", to_session_id=OTHER)))
    fields = message("rework_required", from_session_id=EXECUTOR, to_session_id=REVIEWER)
    assert "which you are not" in told(say(game, fields))


@pytest.mark.spec("D-018")
def test_a_review_is_not_asked_of_the_user() -> None:
    assert "not to the user" in told(say(delegated(), message("review_requested", to_session_id=USER)))


@pytest.mark.spec("D-019", "D-020")
@pytest.mark.parametrize(
    ("game", "action", "round"),
    [
        (delegated, "review_requested", 1),
        (in_review, "rework_required", 1),
        (in_review, "stop_recommended", 1),
        (reworking, "review_requested", 2),
        (kit.requested, "user_requested_iteration", 1),
        (kit.accepting, "closeout_delivered", "final"),
        (in_review, "ask_question", 1),
    ],
)
def test_the_planners_id_is_copied_into_every_message(game: object, action: str, round: object) -> None:
    start: Game = game()  # type: ignore[operator]
    for sender in SEATS[:-1]:
        fields = message(action, round, from_session_id=sender, planner_session_id=OTHER)
        if fields["to_session_id"] == sender:
            continue
        after = say(start, fields)
        assert not accepted(after)
        if sender != OTHER:
            assert "planner_session_id: never changes within a task; copy planner (D-019)" in told(after)
        assert task(after) == task(start)


@pytest.mark.spec("D-021")
def test_a_message_is_seen_by_its_two_ends_and_the_user() -> None:
    game = kit.complete(kit.closing(kit.accepting(kit.stopped(in_review(kit.iterating())))))
    for draft in game.drafts:
        if isinstance(draft.event, MessageSent):
            sent = draft.event.message
            assert draft.audience.seats == frozenset({sent.from_session_id, sent.to_session_id, USER})


@pytest.mark.spec("D-021")
def test_the_planner_sees_nothing_of_the_review_rounds() -> None:
    game = in_review(reworking())
    seen = [type(event) for event in game.seen(PLANNER)]
    assert seen.count(MessageSent) == 1
    assert game.known(PLANNER).tasks[TASK].round == 0
    assert len(game.seen(PLANNER)) == len(delegated().seen(PLANNER))


@pytest.mark.spec("D-022")
def test_files_are_opened_to_the_task_and_no_further() -> None:
    game = kit.closing()
    assert filed(game, "task") == [["executor", "planner", "user"]]
    assert filed(game, "request") == [["executor", "reviewer", "user"]]
    assert filed(game, "report") == [["executor", "reviewer", "user"]]
    assert filed(game, "closeout") == [["planner", "reviewer", "user"]]
    assert not any(isinstance(event, ArtifactFiled) for event in game.seen(OTHER))


@pytest.mark.spec("D-022")
def test_the_task_file_is_disclosed_to_the_reviewer_at_the_first_request_only() -> None:
    game = in_review(reworking())
    assert game.audiences(ArtifactDisclosed) == [["reviewer"]]
    assert game.last(ArtifactDisclosed).text == FINE
    assert not kit.guarded().all(ArtifactDisclosed), "a planner that reviews has it already"


@pytest.mark.spec("D-022")
def test_other_messages_open_no_file_to_anybody_but_the_user() -> None:
    home = f".agent-artifacts/{TASK}"
    game = reworking()
    for name in ("notes.md", "review-report-r1.md"):
        fields = message(
            "ask_question", from_session_id=EXECUTOR, to_session_id=PLANNER, artifact_path=f"{home}/{name}"
        )
        after = say(game, fields, kit.WANTING)
        assert accepted(after)
        assert [draft.audience.to_json() for draft in after.new if isinstance(draft.event, ArtifactFiled)] == (
            [["user"]] if name == "notes.md" else []
        )


@pytest.mark.spec("D-023")
def test_a_receiver_without_the_skill_is_not_sent_the_message() -> None:
    game = opened(skills={"executor": []})
    assert f"required_skills: executor has not loaded {SKILL}" in told(say(game, message("execute_delegate_task")))
    assert task(game).step == "proposed"
    game = delegated()
    wanted = told(say(game, message("review_requested", required_skills=[SKILL, "latin"])))
    assert wanted == "required_skills: reviewer has not loaded latin (D-023)."


@pytest.mark.spec("D-023")
def test_a_session_may_declare_its_skills_anew() -> None:
    game = delegated().say(REVIEWER, f"skills: latin, {SKILL}")
    assert game.last(SkillsDeclared) == SkillsDeclared(session=REVIEWER, skills=("latin", SKILL))
    assert game.audiences(SkillsDeclared) == ["everyone"]
    assert accepted(say(game, message("review_requested", required_skills=[SKILL, "latin"])))
    game.say(USER, "skills: latin").refused("needs no skills")


@pytest.mark.spec("D-023")
def test_the_user_needs_no_skill() -> None:
    assert accepted(say(in_review(), message("stop_recommended", required_skills=[SKILL, "latin"]), FINE))


@pytest.mark.spec("D-060")
def test_decisions_records_and_holds_go_to_those_they_concern() -> None:
    game = choose(kit.closing(), PLANNER, "merged")
    assert game.audiences(StopDecided) == [["reviewer", "user"]]
    assert game.audiences(WorkRecorded) == [["planner", "user"]]
    game = kit.instructed()
    assert game.audiences(HandoffGuarded) == [["planner", "user"]]
    assert game.audiences(ClosingInstructed) == [["planner", "user"]]
    game = kit.held(delegated(), EXECUTOR)
    assert game.audiences(TaskHeld) == [["executor", "user"]]
    assert choose(game, USER, "resume").audiences(TaskResumed) == [["executor", "user"]]
    assert choose(game, USER, "abandon").audiences(TaskAbandoned) == [["executor", "user"]]


@pytest.mark.spec("D-022", "D-060")
def test_the_brief_is_the_users_and_the_planners() -> None:
    assert opened().audiences(BriefGiven) == [["planner", "user"]]


def test_a_brief_names_its_sessions() -> None:
    text = "---\nplanner: other\nexecutor: reviewer\nreviewer: planner\n---\nTidy the notes."
    brief = opened({TASK: text}).last(BriefGiven)
    assert (brief.planner, brief.executor, brief.reviewer, brief.text) == (OTHER, REVIEWER, PLANNER, "Tidy the notes.")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("---\nplanner: nobody\n---\nx", "'nobody' is not a session"),
        ("---\nexecutor: planner\n---\nx", "the executor is also the planner"),
        ("---\nreviewer: executor\n---\nx", "the executor is also the planner or the reviewer"),
        ("---\nplanner: ''\n---\nx", "line 2"),
        ("---\nplanner: planner\nx", "need a closing line"),
        ("---\nplanner: planner", "need a closing line"),
        ("  \n", "is empty"),
    ],
)
def test_a_brief_that_is_wrong_opens_no_game(text: str, part: str) -> None:
    with pytest.raises(Exception, match=part):
        opened({TASK: text})


def test_a_setup_that_is_wrong_opens_no_game() -> None:
    def open_with(seats: tuple[str, ...] = SEATS, files: dict[str, bytes] | None = None, **options: object) -> None:
        given(DELEGATION).when(commands.Open(NOON, seats, {}, Seed.of(1), options, {} if files is None else files))

    brief = {f"{TASK}.md": b"Tidy."}
    with pytest.raises(Exception, match="1 to 100 briefs"):
        open_with()
    with pytest.raises(Exception, match="names no task"):
        open_with(files={"tidy.md": b"Tidy."})
    with pytest.raises(Exception, match="not UTF-8"):
        open_with(files={f"{TASK}.md": b"\xff"})
    with pytest.raises(Exception, match="last seat of a delegation must be the user"):
        open_with(("planner", "executor"), brief)
    with pytest.raises(Exception, match="at least 2 sessions"):
        open_with(("planner", "user"), brief)
    with pytest.raises(Exception, match="not a session"):
        open_with(files=brief, skills={"nobody": []})


def test_with_two_sessions_the_planner_reviews() -> None:
    brief = opened(seats=(PLANNER, EXECUTOR, USER)).last(BriefGiven)
    assert (brief.planner, brief.executor, brief.reviewer) == (PLANNER, EXECUTOR, PLANNER)


@pytest.mark.spec("D-023")
def test_skills_declared_anew_are_all_that_a_session_has() -> None:
    game = kit.delegated().say("reviewer", "skills: agent-deck-workflow, drawing").say("reviewer", "skills: singing")
    assert game.state.declared("reviewer") == ("singing",)
    refused = kit.say(game, kit.message("review_requested"))
    assert "reviewer has not loaded agent-deck-workflow (D-023)" in refused.new[0].event.message  # type: ignore[attr-defined]


@pytest.mark.spec("D-018", "D-034", "D-046", "D-050", "D-002")
@pytest.mark.parametrize(
    ("game", "action"),
    [
        (kit.in_review, "rework_required"),
        (kit.requested, "user_requested_iteration"),
        (kit.accepting, "closeout_delivered"),
        (kit.reworking, "review_requested"),
    ],
)
def test_what_comes_later_goes_to_whoever_is_bound(game: Callable[[], kit.Game], action: str) -> None:
    start = game()
    round = kit.task(start).round + (action == "review_requested")
    for other in (kit.OTHER, USER):
        refused = kit.say(start, kit.message(action, round, to_session_id=other))
        assert not kit.accepted(refused)
        assert f"to_session_id: {action} goes to {kit.TO[action]} (D-018)" in str(refused.new[0].event)
    assert kit.accepted(kit.say(start, kit.message(action, round), kit.content_for(action)))
