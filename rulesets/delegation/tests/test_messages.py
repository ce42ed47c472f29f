"""The control message: its ten fields, each checked, and every one at fault named."""

from __future__ import annotations

import json

import msgspec
import pytest
from delegating import (
    FROM,
    SKILL,
    TASK,
    USER,
    accepted,
    delegated,
    in_review,
    message,
    opened,
    refusal,
    say,
    sent,
    task,
)
from hypothesis import given, strategies

from sottovoce.domain import commands
from sottovoce.domain.errors import Refused
from sottovoce.rulesets.delegation.rules.actions import ACTIONS
from sottovoce.rulesets.delegation.rules.events import MessageSent
from sottovoce.rulesets.delegation.rules.messages import FIELDS, ControlMessage, parse, path_fault, task_id_fault


def without(field: str) -> str:
    return json.dumps({key: value for key, value in message("review_requested").items() if key != field})


@pytest.mark.spec("D-001")
@pytest.mark.parametrize("field", FIELDS)
def test_every_field_is_needed(field: str) -> None:
    game = delegated()
    after = game.when(commands.Say(game.at, "executor", without(field)))
    assert f"{field}: is missing" in refusal(after)
    assert task(after).step == "delegated"


@pytest.mark.spec("D-001")
def test_a_message_has_exactly_ten_fields_and_no_other() -> None:
    assert len(FIELDS) == 10
    assert "priority: is not a field" in refusal(sent(priority="high"))


@pytest.mark.spec("D-001")
@pytest.mark.parametrize(
    "text", ["{", "[1]", '{"a": 1,}', "{'a': 1}", '{"a": 1}{"b": 2}', "{" * 5000, '{"round": 1e999']
)
def test_what_is_no_json_object_is_refused_in_one_line(text: str) -> None:
    game = delegated()
    said = refusal(game.when(commands.Reply(game.at, "executor", 1, text)))
    assert "\n" not in said
    assert "D-001" in said or "Put only the action" in said


@pytest.mark.spec("D-001")
def test_a_key_given_twice_is_refused() -> None:
    game = delegated()
    text = json.dumps(message("review_requested"))[:-1] + ', "round": 2}'
    assert "round: the key appears twice" in refusal(game.when(commands.Reply(game.at, "executor", 1, text)))


@pytest.mark.spec("D-001", "D-056")
def test_a_refusal_names_every_field_at_fault() -> None:
    told = refusal(sent(schema_version="2", task_id="tidy", round=0, note="", required_skills=[]))
    for field in ("schema_version", "task_id", "round", "note", "required_skills"):
        assert f"{field}: " in told
    assert "planner_session_id: " not in told


@pytest.mark.spec("D-002")
def test_the_workflow_has_six_actions() -> None:
    assert tuple(ACTIONS) == (
        "execute_delegate_task",
        "review_requested",
        "rework_required",
        "stop_recommended",
        "user_requested_iteration",
        "closeout_delivered",
    )


@pytest.mark.spec("D-003")
@pytest.mark.parametrize("version", ["1", "1.1", 1.0, None, "1.0 "])
def test_another_version_is_unsupported(version: object) -> None:
    assert "schema_version: is an unsupported version" in refusal(sent(schema_version=version))


@pytest.mark.spec("D-004")
@pytest.mark.parametrize(
    "task_id",
    ["20260101-1200", "20260101-1200-", "20260101-1200-Tidy", "2026011-1200-a", "20260101-1200-a--b", "x", "", 7],
)
def test_a_task_id_has_its_form(task_id: object) -> None:
    assert "task_id: " in refusal(sent(task_id=task_id, artifact_path="a"))
    assert task_id_fault("20260101-1200-a-2b") is None


@pytest.mark.spec("D-004")
@pytest.mark.parametrize(
    "moment", ["20260230-1200", "20261301-1200", "20260101-2400", "20260101-1260", "00000101-1200"]
)
def test_a_task_ids_date_and_time_exist(moment: str) -> None:
    assert "do not exist" in (task_id_fault(f"{moment}-a") or "")
    assert task_id_fault("20240229-2359-leap") is None


@pytest.mark.spec("D-005")
@pytest.mark.parametrize("planner", ["", "  ", None, 3, ["planner"]])
def test_the_planner_is_named_in_every_message(planner: object) -> None:
    assert "planner_session_id: " in refusal(sent(planner_session_id=planner))


@pytest.mark.spec("D-006")
@pytest.mark.parametrize("skills", [[], ["other"], [SKILL, ""], SKILL, [SKILL, 3], None])
def test_workflow_messages_require_the_workflow_skill(skills: object) -> None:
    assert "required_skills: " in refusal(sent(required_skills=skills))


@pytest.mark.spec("D-006", "D-023")
def test_further_skills_are_allowed() -> None:
    game = opened(skills={"reviewer": [SKILL, "security-review"]})
    game = say(delegated(game), message("review_requested", required_skills=["security-review", SKILL]))
    assert accepted(game)


@pytest.mark.spec("D-007")
@pytest.mark.parametrize(("field", "value"), [("from_session_id", ""), ("to_session_id", None), ("to_session_id", " ")])
def test_sender_and_receiver_are_named(field: str, value: object) -> None:
    assert f"{field}: " in refusal(say(delegated(), message("review_requested", **{field: value}), seat="executor"))


@pytest.mark.spec("D-007")
def test_the_sender_is_the_session_that_sends_whatever_it_writes() -> None:
    game = say(delegated(), message("review_requested", from_session_id="planner"), seat="executor")
    assert "from_session_id: is not the session that sends; write executor" in refusal(game)
    game = say(delegated(), message("review_requested"), seat="planner")
    assert "from_session_id: is not the session that sends; write planner" in refusal(game)


@pytest.mark.spec("D-007")
def test_nobody_writes_to_itself_or_to_nobody() -> None:
    assert "name another session than the sender" in refusal(sent(to_session_id="executor"))
    assert "name another session than the sender" in refusal(sent(to_session_id="Executor"))
    assert "to_session_id: there is no such session" in refusal(sent(to_session_id="the reviewer"))


@pytest.mark.spec("D-007")
@pytest.mark.parametrize("name", ["user", "User", "USER"])
def test_no_session_is_called_user(name: str) -> None:
    with pytest.raises(Exception, match="the rules use the word"):
        opened(seats=("planner", name, "user"))


@pytest.mark.spec("D-008")
@pytest.mark.parametrize("round", [0, -1, 1.5, True, None, "first", "", "1.0", "-1", "Final", [1], "٣"])
def test_a_round_is_a_number_from_one_or_final(round: object) -> None:
    assert "round: " in refusal(say(delegated(), {**message("review_requested"), "round": round}))


@pytest.mark.spec("D-009")
def test_a_round_of_digits_is_a_number_and_is_written_as_one() -> None:
    game = sent(round="1")
    assert accepted(game)
    assert game.last(MessageSent).message.round == 1
    assert json.loads(game.last(MessageSent).message.text())["round"] == 1


@pytest.mark.spec("D-010")
@pytest.mark.parametrize("action", [action for action in ACTIONS if action != "closeout_delivered"])
def test_final_belongs_to_the_closeout(action: str) -> None:
    text = json.dumps(message(action, "final"))
    with pytest.raises(Exception, match=r'round: only closeout_delivered has the round "final"'):
        parse(text, 1000, FROM[action])
    assert parse(json.dumps(message("closeout_delivered")), 1000, "reviewer").round == "final"


@pytest.mark.spec("D-011")
@pytest.mark.parametrize(
    "action",
    ["", "Review", "review2", "review_2", "review requested", "review-requested", "_review", "review_", "a__b", 1],
)
def test_an_action_is_a_verb_phrase_in_snake_case(action: object) -> None:
    assert "action: " in refusal(sent(action=action))


@pytest.mark.spec("D-012", "D-021")
def test_any_other_action_is_delivered_and_moves_nothing() -> None:
    game = delegated()
    after = say(game, message("ask_question", artifact_path="", to_session_id="planner"))
    assert accepted(after)
    assert task(after) == task(game)
    assert after.audiences(MessageSent)[-1] == ["executor", "planner", "user"]
    assert after.turn("executor").attempt == 1, "an unprompted word costs no attempt"


@pytest.mark.spec("D-012")
def test_who_has_no_part_in_a_task_is_told_the_same_whether_or_not_it_exists() -> None:
    game = in_review()
    told = []
    for task_id in (TASK, "20260101-1200-nothing"):
        fields = message("ask_question", task_id=task_id, from_session_id="other", artifact_path="")
        told.append(refusal(say(game, fields)).replace(task_id, "T"))
    assert told[0] == told[1] == "task_id: you have no part in a task T (D-018)."


@pytest.mark.spec("D-013")
@pytest.mark.parametrize("action", ACTIONS)
def test_a_workflow_message_always_points_to_a_file(action: str) -> None:
    with pytest.raises(Exception, match="artifact_path: name the file"):
        parse(json.dumps(message(action, artifact_path="")), 1000, FROM[action])


@pytest.mark.spec("D-013")
@pytest.mark.parametrize("path", [None, 3, [], {}])
def test_a_path_is_always_a_text(path: object) -> None:
    assert "artifact_path: give a text" in refusal(sent(artifact_path=path))


@pytest.mark.spec("D-014")
@pytest.mark.parametrize(
    "path",
    [
        f"/.agent-artifacts/{TASK}/a.md",
        f".agent-artifacts/{TASK}/../a.md",
        f".agent-artifacts/{TASK}/../{TASK}/review-request-r1.md",
        ".agent-artifacts/20260101-1200-other/review-request-r1.md",
        f".agent-artifacts/{TASK}x/review-request-r1.md",
        f"./.agent-artifacts/{TASK}/review-request-r1.md",
        f".agent-artifacts//{TASK}/review-request-r1.md",
        f".agent-artifacts/{TASK}/",
        f".agent-artifacts/{TASK}",
        f".agent-artifacts/{TASK}/a\\..\\b.md",
        f".agent-artifacts/{TASK}/a\x00.md",
        f".agent-artifacts/{TASK}/{'a' * 400}.md",
        "review-request-r1.md",
        "C:/a.md",
    ],
)
def test_a_path_stays_below_its_own_tasks_folder(path: str) -> None:
    assert "artifact_path: " in refusal(sent(artifact_path=path))
    assert path_fault(path, TASK) is not None


@pytest.mark.spec("D-015")
def test_the_file_must_be_there() -> None:
    fields = message("review_requested")
    game = delegated()
    for files in ({}, {fields["artifact_path"]: None}):
        told = refusal(game.when(commands.Say(game.at, "executor", json.dumps(fields), files)))
        assert told == "artifact_path: there is no such file; write it first, then send the message (D-015)."


@pytest.mark.spec("D-015")
@pytest.mark.parametrize("data", [b"\xff\xfe", b"x" * 262_145])
def test_the_file_must_be_a_text_of_some_size(data: bytes) -> None:
    fields = message("review_requested")
    game = delegated()
    told = refusal(game.when(commands.Say(game.at, "executor", json.dumps(fields), {fields["artifact_path"]: data})))
    assert told.startswith("artifact_path: the file ")


@pytest.mark.spec("D-016")
@pytest.mark.parametrize("note", ["", "   ", None, 5])
def test_a_note_is_not_empty(note: object) -> None:
    assert "note: " in refusal(sent(note=note))


@pytest.mark.spec("D-016")
def test_a_note_is_short_and_the_rest_belongs_into_the_artifact() -> None:
    assert accepted(sent(note="x" * 1000))
    assert "put the rest into the artifact" in refusal(sent(note="x" * 1001))
    game = delegated(opened(max_note_chars=20))
    assert "write at most 20" in refusal(say(game, message("review_requested", note="x" * 21)))
    told = refusal(game.when(commands.Reply(game.at, "executor", 1, f"review_requested\nnote: {'x' * 21}\n\n# R")))
    assert "write at most 20" in told


@pytest.mark.spec("D-016")
def test_a_note_of_a_megabyte_is_one_clear_error() -> None:
    game = delegated()
    told = refusal(game.when(commands.Reply(game.at, "executor", 1, json.dumps(message("x", note="x" * 2**20)))))
    assert len(told) < 200
    assert task(game).step == "delegated"


TEXTS = strategies.text(strategies.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(str.strip)


@pytest.mark.spec("D-017")
@given(note=TEXTS, planner=TEXTS, round=strategies.one_of(strategies.integers(1, 10**9 - 1), strategies.just("final")))
def test_a_message_is_written_in_the_order_of_its_fields_and_read_back_equal(
    note: str, planner: str, round: int | str
) -> None:
    fields = message("ask_question", round, note=note, planner_session_id=planner, artifact_path="")
    first = parse(json.dumps(dict(reversed(fields.items()))), 1000, "executor")
    assert list(json.loads(first.text())) == list(FIELDS)
    assert parse(first.text(), 1000, "executor") == first
    assert msgspec.json.decode(msgspec.json.encode(first), type=ControlMessage) == first


@pytest.mark.spec("D-017")
def test_what_no_encoding_can_store_is_replaced() -> None:
    read = parse(json.dumps(message("ask_question", note="a \ud800 b")), 1000, "executor")
    assert read.note == "a � b"


@pytest.mark.spec("D-059")
def test_any_words_do_for_a_note() -> None:
    assert accepted(sent(note="ok"))


@pytest.mark.spec("D-026", "D-030", "D-036", "D-040", "D-048", "D-052", "D-059")
@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("execute_delegate_task", ("task file", f"task/{TASK}", "commit", "review request")),
        ("review_requested", ("read the review request", "full review report", "rework", "stop recommendation")),
        ("rework_required", ("must-fix items remain", "next round", "review request")),
        ("stop_recommended", ("stop condition", "confirm acceptance and closeout")),
        ("user_requested_iteration", ("wants another pass", "follow-ups", "new review request")),
        ("closeout_delivered", ("complete", "user has confirmed", f"task/{TASK}", "progress records", "up to you")),
    ],
)
def test_the_default_note_tells_what_is_to_be_done(action: str, words: tuple[str, ...]) -> None:
    note = ACTIONS[action].note.format(task=TASK)
    for word in words:
        assert word.casefold() in note.casefold()
    assert len(note) <= 1000


def test_the_user_is_no_sender_of_workflow_messages() -> None:
    fields = message("review_requested", from_session_id=USER, to_session_id="reviewer")
    assert "the user decides" in refusal(say(delegated(), fields))


@pytest.mark.spec("D-005", "D-007")
@pytest.mark.parametrize("field", ["planner_session_id", "to_session_id"])
@pytest.mark.parametrize("value", ["", " ", "\t\n", None, 7, []])
def test_a_session_id_says_something(field: str, value: object) -> None:
    assert f"{field}: give a session id, a text that is not empty" in refusal(sent(**{field: value}))


@pytest.mark.spec("D-009")
@pytest.mark.parametrize("written", ["1", "01", "0001"])
def test_a_round_of_digits_is_its_number_however_it_is_written(written: str) -> None:
    game = sent(round=written)
    assert accepted(game)
    assert game.last(MessageSent).message.round == 1
    assert "round: give a whole number from 1" in refusal(sent(round="00"))


@pytest.mark.spec("D-001")
@pytest.mark.parametrize("text", ["[]", "[{}]", '"accept"', "7", "null", "true"])
def test_what_is_json_and_no_object_is_refused_as_such(text: str) -> None:
    with pytest.raises(Refused, match=r"not a JSON object.*D-001"):
        parse(text, 500, "planner")
