"""Replies as models give them: in a code fence, below a line of talk, with a farewell."""

from __future__ import annotations

import json

import delegating as kit
import pytest
from delegating import EXECUTOR, PLANNER, REVIEWER, USER, delegated, in_review, message

from sottovoce.domain import commands
from sottovoce.domain.events import AttemptFailed
from sottovoce.rulesets.delegation.rules.events import ArtifactFiled, MessageSent, StopDecided, WorkRecorded

JSON = json.dumps(message("review_requested"), indent=2)
BARE = "review_requested\nnote: Look.\n\n# Request\n\n```python\nprint(1)\n```\n\nThat is all."
TALK = "Sure! Here is what I send, as you asked:"


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        f"```json\n{JSON}\n```",
        f"```\n{JSON}\n```",
        f"~~~\n{JSON}\n~~~",
        f"{TALK}\n{JSON}",
        f"{TALK}\n\n```json\n{JSON}\n```\n\nLet me know if that is fine.",
        f"{JSON}\nThat is it.",
    ],
)
@pytest.mark.parametrize("unprompted", [True, False])
def test_a_message_is_found_in_its_wrapping(text: str, unprompted: bool) -> None:
    game = delegated()
    files = {message("review_requested")["artifact_path"]: b"# Request\n"}
    sent: commands.Command = commands.Reply(game.at, EXECUTOR, 1, text, files)
    if unprompted:
        sent = commands.Say(game.at, EXECUTOR, text, files)
    assert game.when(sent).last(MessageSent).message.action == "review_requested"


@pytest.mark.parametrize(
    "text",
    [
        BARE,
        f"{TALK}\n{BARE}",
        f"{TALK}\n\n{BARE}",
        f"````\n{BARE}\n````",
        f"```\n{BARE}\n```",
        f"{TALK}\n```markdown\n{BARE}\n```",
        f"{TALK}\n```markdown\n{BARE}\n```\nShall I go on?",
        f"{TALK}\n**review_requested**\n{BARE.partition(chr(10))[2]}",
    ],
)
def test_an_action_and_its_file_are_found_in_their_wrapping(text: str) -> None:
    filed = delegated().reply(EXECUTOR, text).last(ArtifactFiled)
    assert filed.text == "# Request\n\n```python\nprint(1)\n```\n\nThat is all.\n"


def test_a_file_that_begins_and_ends_with_fences_keeps_them() -> None:
    text = "review_requested\n\n```\none\n```\n\n```\ntwo\n```"
    assert delegated().reply(EXECUTOR, text).last(ArtifactFiled).text == "```\none\n```\n\n```\ntwo\n```\n"


def test_a_file_may_speak_of_actions_and_hold_objects() -> None:
    text = f"rework_required\n\n## Must-fix\n\n- Say\nstop_recommended\n{JSON}\n- and so on\n"
    game = in_review().reply(REVIEWER, text)
    assert game.last(MessageSent).message.action == "rework_required"
    assert JSON in str(game.last(ArtifactFiled).text)


def test_a_choice_may_stand_in_a_fence_or_below_a_line() -> None:
    closing = kit.closing()
    for text in ("```\nmerged\n```", f"{TALK}\nmerged\nWithout conflicts.", "**merged**: without conflicts"):
        assert closing.reply(PLANNER, text).last(WorkRecorded).work == "merged"
    assert kit.stopped().reply(USER, "```\naccept\n```").all(StopDecided)


@pytest.mark.spec("D-045")
def test_what_the_user_decides_stands_first_all_the_same() -> None:
    kit.stopped().reply(USER, "I do not say\naccept\nto that.").refused("Begin with one of: accept, iterate")


@pytest.mark.parametrize("text", ["", "```\n```", '```json\n{"action": 1,\n```', f"{TALK}\nI request a review."])
def test_what_holds_no_answer_is_refused_as_before(text: str) -> None:
    game = delegated().reply(EXECUTOR, text)
    assert [type(draft.event) for draft in game.new] == [AttemptFailed]
