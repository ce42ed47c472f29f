"""Deltas, tasks and journals of the older editions (T-115 to T-129)."""

from __future__ import annotations

from typing import Any

import pytest
from session import BRYN, CORWIN, PARTY, TILDA, Session, answered, asked, content, envelope, opened, reply

from sottovoce.domain.events import AttemptFailed, ReplyAccepted
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.documents.journals import journal_entry
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuild
from sottovoce.rulesets.tabletop.rules.events import ActionAsked, PieceWritten, TaskEnded, TaskStarted
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, TEAM_LEAD

STATE, KNOWN = "tmp/gm-state-delta.md", "tmp/party-knowledge-delta.md"
ENTRY = {"request_type": "QUICK_REACTION", "scene_context": "a", "just_happened": "b", "request": "c"}


def write(path: str, text: str = "- The rope is gone.") -> dict[str, Any]:
    return {"delta": {"document": path, "operation": "set", "text": text}}


def updated(game: Session, *paths: str, told: bool = True) -> Session:
    """The GM writes those delta files and reports them, and goes on."""
    report = content(game.state, "STATE_UPDATED", deltas_written=list(paths), characters_involved=[])
    writes = [write(path if path.startswith("tmp/") else f"tmp/{path}") for path in paths] if told else []
    return game.reply(GM, reply(*writes, (TEAM_LEAD, report)))


def awaiting(game: Session, *names: str, **changed: Any) -> Session:
    entries = [{"name": name, **ENTRY, **changed} for name in names]
    text = content(game.state, "AWAIT_PLAYERS", characters=entries, scene_number="001", scene_slug="opening")
    return game.reply(GM, reply((TEAM_LEAD, text)))


def tasks(game: Session) -> list[tuple[str, str | None]]:
    return [(event.task, event.character) for event in game.last if isinstance(event, TaskStarted)]


@pytest.mark.spec("T-116")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2"])
def test_a_delta_file_is_written_before_it_is_reported(edition: str) -> None:
    game = opened(edition)
    missing = updated(game, STATE, KNOWN, told=False)
    assert STATE in missing.refusal()
    assert KNOWN in missing.refusal()
    assert not missing.sent()
    assert updated(game, STATE).sent("STATE_UPDATED")
    assert updated(game, "gm-state-delta.md").sent("STATE_UPDATED")


@pytest.mark.spec("T-117", "F-013", "F-016")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2"])
def test_each_writer_merges_its_own_delta_and_only_a_listed_one(edition: str) -> None:
    game = updated(opened(edition), STATE)
    assert tasks(game) == [("state-delta-writer", None)]
    assert rebuild(game.state.documents["story-state.md"]).endswith("- The rope is gone.\n")
    assert "rope" not in rebuild(game.state.documents["party-knowledge.md"])
    assert STATE not in game.state.documents
    both = updated(opened(edition), STATE, KNOWN)
    assert tasks(both) == [("state-delta-writer", None), ("knowledge-delta-writer", None)]
    assert rebuild(both.play.known(CORWIN).documents["party-knowledge.md"]).endswith("- The rope is gone.\n")
    assert not [
        event for event in both.seen_by(CORWIN) if isinstance(event, PieceWritten) and "delta" in event.document
    ]


@pytest.mark.spec("T-117")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2"])
def test_a_delta_that_was_written_and_not_listed_waits_to_be_reported(edition: str) -> None:
    game = opened(edition)
    report = content(game.state, "STATE_UPDATED", deltas_written=[STATE], characters_involved=[])
    game = game.reply(GM, reply(write(STATE), write(KNOWN, "- The bell rang."), (TEAM_LEAD, report)))
    assert tasks(game) == [("state-delta-writer", None)]
    assert KNOWN in game.state.documents
    assert "bell rang" not in rebuild(game.state.documents["party-knowledge.md"])
    later = updated(game, KNOWN, told=False)
    assert tasks(later) == [("knowledge-delta-writer", None)]
    assert rebuild(later.state.documents["party-knowledge.md"]).endswith("- The bell rang.\n")


@pytest.mark.spec("T-117", "T-159")
def test_a_delta_that_is_gone_again_fails_its_writer_and_nothing_else() -> None:
    game = opened("phase-1")
    report = content(game.state, "STATE_UPDATED", deltas_written=[STATE], characters_involved=[])
    remove = {"delta": {"document": STATE, "operation": "remove"}}
    step = game.reply(GM, reply(write(STATE), (TEAM_LEAD, report), remove))
    assert [(event.task, event.done) for event in step.last if isinstance(event, TaskEnded)] == [
        ("state-delta-writer", False)
    ]
    assert step.open()[GM] == ["beat"]


@pytest.mark.spec("T-118")
def test_under_phase_1_journals_and_decision_log_follow_an_action_cycle() -> None:
    game = awaiting(opened("phase-1"), CORWIN, BRYN).reply(CORWIN, "I row.").reply(BRYN, "I bail.")
    game = updated(game, STATE)
    assert tasks(game) == [
        ("ai-player-journal", CORWIN),
        ("ai-player-journal", BRYN),
        ("state-delta-writer", None),
        ("decision-log", None),
    ]
    log = rebuild(game.state.documents["decision-log.md"])
    assert f"{CORWIN}: I row." in log
    assert f"{BRYN}: I bail." in log
    assert tasks(updated(game, STATE)) == [("state-delta-writer", None)]


@pytest.mark.spec("T-118", "T-120")
def test_under_phase_2_the_decision_log_alone_and_checkpoints_follow() -> None:
    game = answered(asked(opened("phase-2"), CORWIN), CORWIN, body="I row.")
    game = updated(game, STATE)
    assert tasks(game) == [("state-delta-writer", None), ("decision-log", None)]
    sent = game.sent("JOURNAL_CHECKPOINT")
    assert [event.to for event in sent] == list(PARTY)
    assert {event.fields["trigger"] for event in sent} == {"state_updated"}
    assert all("journal" in game.open()[name] for name in PARTY)
    quiet = updated(game, STATE)
    assert not quiet.sent("JOURNAL_CHECKPOINT")
    assert tasks(updated(opened("phase-2"), STATE)) == [("state-delta-writer", None)]


@pytest.mark.spec("T-120", "T-119")
def test_a_checkpoint_by_hand_asks_that_player_for_an_entry() -> None:
    game = opened("phase-2")
    fields = {"campaign": "the-drowned-bell", "scene_number": "001", "scene_slug": "opening", "trigger": "manual"}
    game = game.say(TEAM_LEAD, envelope(game.state, CORWIN, "JOURNAL_CHECKPOINT", **fields))
    assert game.open()[CORWIN] == ["journal"]
    assert BRYN not in game.open()
    text = journal_entry("The night", "Rain.", "I ran.", "Ropes snap.", "Cold.", "None.")
    assert rebuild(game.reply(CORWIN, text).state.documents[f"party/{CORWIN}-journal.md"]) == text


@pytest.mark.spec("T-118", "T-073")
def test_the_decision_log_holds_no_secret() -> None:
    game = answered(asked(opened("phase-2"), CORWIN, kind="SECRET_ACTION"), CORWIN, body="I take the purse.")
    game = updated(game, STATE)
    assert "decision-log.md" not in game.state.documents
    assert "purse" not in str(game.seen_by(TEAM_LEAD))


@pytest.mark.spec("T-124", "F-017", "T-063")
def test_a_task_gets_its_own_entry_and_its_character_s_files_and_nothing_else() -> None:
    game = opened("phase-1", files={"secrets.md": b"# S\n", "party-knowledge.md": b"# Known\n"})
    entries = [
        {"name": CORWIN, **ENTRY, "request": "What does the sailor do?"},
        {"name": BRYN, **ENTRY, "request": "What does the thief do?"},
    ]
    text = content(game.state, "AWAIT_PLAYERS", characters=entries, scene_number="007", scene_slug="the-hold")
    game = game.reply(GM, reply((TEAM_LEAD, text)))
    own = next(event for event in game.seen_by(CORWIN) if isinstance(event, ActionAsked))
    assert (own.scene_number, own.scene_slug, own.request) == ("007", "the-hold", "What does the sailor do?")
    assert "thief" not in str(game.seen_by(CORWIN))
    prompt = game.play.context(CORWIN)
    assert "What does the sailor do?" in prompt
    in_hand = TABLETOP.handouts(game.play.known(CORWIN), CORWIN)
    assert "party-knowledge.md" in in_hand
    assert "secrets.md" not in in_hand
    assert "DOCUMENT" not in prompt


@pytest.mark.spec("T-125", "T-128")
def test_the_tasks_run_side_by_side_and_their_results_come_together() -> None:
    game = awaiting(opened("phase-1"), CORWIN, BRYN)
    assert (game.open()[CORWIN], game.open()[BRYN]) == (["action"], ["action"])
    one = game.reply(BRYN, "I bail.")
    assert not one.sent()
    both = one.reply(CORWIN, "I row.")
    assert both.sent("PLAYER_RESPONSES")[0].fields == {
        "responses": [{"character": CORWIN, "response": "I row."}, {"character": BRYN, "response": "I bail."}]
    }
    assert awaiting(opened("phase-1"), CORWIN).open()[CORWIN] == ["action"]


@pytest.mark.spec("T-128")
def test_vetoes_are_listed_with_their_reasons_and_must_have_one() -> None:
    game = awaiting(opened("phase-1"), CORWIN, BRYN).reply(CORWIN, "[VETO - need more input]")
    assert "needs its reason" in game.refusal()
    game = game.reply(CORWIN, "[VETO] How deep is it?").reply(BRYN, "I bail.")
    assert game.sent("PLAYER_RESPONSES")[0].fields == {
        "responses": [{"character": BRYN, "response": "I bail."}],
        "vetoes": [{"character": CORWIN, "reason": "How deep is it?"}],
    }
    for nothing in ("", " ", "\u200b"):
        assert "empty" in awaiting(opened("phase-1"), CORWIN).reply(CORWIN, nothing).refusal()


@pytest.mark.spec("T-128", "T-127")
def test_responses_that_do_not_list_each_awaited_character_once_are_refused() -> None:
    game = awaiting(opened("phase-1"), CORWIN, BRYN)

    def respond(*names: str) -> Session:
        responses = [{"character": name, "response": "I row."} for name in names]
        return game.say(TEAM_LEAD, envelope(game.state, GM, "PLAYER_RESPONSES", responses=responses))

    assert "must list each of these characters once" in respond(CORWIN).refusal()
    assert "Not all tasks have ended" in respond(CORWIN, BRYN).refusal()
    idle = opened("phase-1")
    text = envelope(idle.state, GM, "PLAYER_RESPONSES", responses=[{"character": CORWIN, "response": "I row."}])
    assert "No AWAIT_PLAYERS is open" in idle.say(TEAM_LEAD, text).refusal()


@pytest.mark.spec("T-123")
def test_ai_characters_are_awaited_and_the_human_s_is_not_unless_there_is_no_human() -> None:
    refused = awaiting(opened("phase-1"), TILDA)
    assert not refused.sent()
    assert awaiting(opened("phase-1", human=False), TILDA).open()[TILDA] == ["action"]


@pytest.mark.spec("T-123", "T-063")
def test_an_entry_that_tells_what_is_closed_to_its_character_is_refused() -> None:
    told = "the lamp keeper drowned the bell himself on the night"
    step = awaiting(opened("phase-1"), CORWIN, scene_context=f"You know that {told}.")
    assert told in step.refusal()
    assert CORWIN not in step.open()


@pytest.mark.spec("T-126")
def test_until_the_responses_the_gm_waits() -> None:
    game = awaiting(opened("phase-1"), CORWIN)
    texts = [
        (None, "[NARRATIVE]\n\nRain."),
        (TEAM_LEAD, content(game.state, "SESSION_END", summary="s", state_saved="true", next_hook="h")),
        (TEAM_LEAD, content(game.state, "STATE_UPDATED", deltas_written=["x"], characters_involved=[])),
    ]
    for message in texts:
        assert "wait for PLAYER_RESPONSES" in game.say(GM, reply(message)).refusal()
    entries = [{"name": BRYN, **ENTRY}]
    again = envelope(
        game.state, TEAM_LEAD, "AWAIT_PLAYERS", characters=entries, scene_number="001", scene_slug="opening"
    )
    assert "wait for PLAYER_RESPONSES" in game.say(GM, again).refusal()
    note = game.say(GM, reply(("narrator", "[NARRATOR_NOTE]\nfrom: gm\nnote: Green.")))
    assert note.sent("NARRATOR_NOTE")


@pytest.mark.spec("T-126")
@pytest.mark.parametrize("what", ["save", "refresh"])
def test_a_save_or_refresh_that_comes_meanwhile_is_acted_on_afterwards(what: str) -> None:
    game = awaiting(opened("phase-1"), CORWIN)
    if what == "save":
        game = game.say(HUMAN, "/save")
    else:
        game = game.say(TEAM_LEAD, envelope(game.state, GM, "CONTEXT_REFRESH", campaign="the-drowned-bell"))
    assert GM not in game.open()
    assert game.reply(CORWIN, "I row.").open()[GM] == ["save" if what == "save" else "recap"]


@pytest.mark.spec("T-129")
def test_for_vetoes_the_gm_awaits_those_characters_alone_with_full_context() -> None:
    game = awaiting(opened("phase-1"), CORWIN, BRYN).reply(CORWIN, "[VETO] How deep is it?").reply(BRYN, "I bail.")
    assert game.open()[GM] == ["veto"]
    assert "I bail." in game.play.context(GM)
    for wrong in (awaiting(game, CORWIN), awaiting(game, CORWIN, BRYN, request_type="FULL_CONTEXT")):
        assert "FULL_CONTEXT for exactly those" in wrong.refusal()
    told = game.send(GM, None, "NARRATIVE", "Rain.")
    assert "asked for more" in told.refusal()
    full = awaiting(game, CORWIN, request_type="FULL_CONTEXT")
    assert full.open()[CORWIN] == ["action"]
    assert "cannot be vetoed" in full.reply(CORWIN, "[VETO] More!").refusal()
    done = full.reply(CORWIN, "I dive.")
    assert [event.tag for event in done.last if isinstance(event, MessageSent)] == ["PLAYER_RESPONSES"]


@pytest.mark.spec("T-118", "T-120", "T-159")
def test_a_report_is_followed_up_once_and_the_session_goes_on() -> None:
    for edition in ("phase-1", "phase-2"):
        game = updated(opened(edition), STATE)
        assert not [event for event in game.last if isinstance(event, AttemptFailed)]
        assert GM in {event.seat for event in game.last if isinstance(event, ReplyAccepted)}
        assert not game.state.updated
        assert not game.state.background


@pytest.mark.spec("T-138", "T-128")
def test_whose_attempts_have_run_out_has_an_entry_that_says_so() -> None:
    game = awaiting(opened("phase-1"), CORWIN, BRYN).reply(BRYN, "I bail.").exhaust(CORWIN, "  ")
    (told,) = game.sent("PLAYER_RESPONSES")
    assert told.fields["responses"] == [
        {"character": CORWIN, "response": "(no answer)"},
        {"character": BRYN, "response": "I bail."},
    ]
    assert "vetoes" not in told.fields
