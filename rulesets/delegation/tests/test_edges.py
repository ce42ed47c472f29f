"""Rules of delegated work at their edges: all of several faults, and what is excepted."""

from __future__ import annotations

import delegating as kit
import pytest
from delegating import (
    EXECUTOR,
    PLANNER,
    REVIEWER,
    SKILL,
    TASK,
    accepted,
    delegated,
    message,
    opened,
    refusal,
    say,
    sent,
)

from sottovoce.domain import commands
from sottovoce.rulesets.delegation.rules.actions import ACTIONS
from sottovoce.rulesets.delegation.rules.messages import path_fault


@pytest.mark.spec("D-001")
def test_every_field_too_many_is_named() -> None:
    told = refusal(sent(priority="high", urgent=True))
    assert "priority: is not a field" in told
    assert "urgent: is not a field" in told


@pytest.mark.spec("D-001")
def test_every_fault_of_a_message_is_named() -> None:
    told = refusal(
        sent(round=3, planner_session_id="other", artifact_path=f".agent-artifacts/{TASK}/review-request-r9.md")
    )
    for field in ("planner_session_id", "round", "artifact_path"):
        assert f"{field}: " in told


@pytest.mark.spec("D-046", "D-048")
def test_another_iteration_is_called_so() -> None:
    game = kit.iterating()
    assert kit.task(game).stands == "another iteration"
    assert "Do the follow-ups" in game.request(EXECUTOR).ask


@pytest.mark.spec("D-014")
@pytest.mark.parametrize(
    "path", [f".agent-artifacts/{TASK}/./review-request-r1.md", f".agent-artifacts/{TASK}/a\x7f.md"]
)
def test_no_dot_and_no_control_character_stands_in_a_path(path: str) -> None:
    assert path_fault(path, TASK) is not None


@pytest.mark.spec("D-016", "D-059")
def test_the_usual_note_is_taken_however_short_notes_must_be() -> None:
    game = delegated(opened(max_note_chars=20), note="short")
    assert accepted(game.when(commands.Reply(game.at, EXECUTOR, 1, f"review_requested\nto: {REVIEWER}\n\n# R")))


@pytest.mark.spec("D-023")
def test_a_new_declaration_outweighs_the_option() -> None:
    game = delegated(opened(skills={REVIEWER: [SKILL, "drawing"]})).say(REVIEWER, f"skills: {SKILL}")
    assert "reviewer has not loaded drawing" in refusal(
        say(game, message("review_requested", required_skills=[SKILL, "drawing"]))
    )


@pytest.mark.spec("D-023", "D-012")
def test_other_messages_need_their_skills_too() -> None:
    other = message("need_help", artifact_path="", to_session_id=PLANNER, required_skills=["latin"])
    assert "planner has not loaded latin (D-023)" in refusal(say(delegated(), other))


@pytest.mark.spec("D-023")
def test_every_missing_skill_is_named() -> None:
    told = refusal(sent(required_skills=[SKILL, "latin", "greek"]))
    assert "reviewer has not loaded latin, greek (D-023)" in told


@pytest.mark.spec("D-030")
def test_the_usual_note_asks_for_the_next_message() -> None:
    assert "send the next control message yourself" in ACTIONS["review_requested"].note
