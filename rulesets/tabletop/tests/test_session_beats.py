"""The order of a beat, and whose turn is next (T-130 to T-139, T-161 to T-163)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from session import BRYN, CORWIN, TILDA, Session, answered, asked, content, decided, opened, reply

from sottovoce.domain.events import AttemptFailed, FallbackApplied, HoldPlaced
from sottovoce.rulesets.tabletop.rules.documents.journals import journal_entry
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuild
from sottovoce.rulesets.tabletop.rules.events import PieceWritten, RequestPassed
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

ENTRY = {"request_type": "QUICK_REACTION", "scene_context": "a", "just_happened": "b", "request": "c"}
RELAY = "## Scene\nThe quay.\n\n## Decision Needed\nThe rope?\n\n## Suggested Options\n- Grab it"
WRITE = {"delta": {"document": "tmp/gm-state-delta.md", "operation": "set", "text": "- The rope is gone."}}


def awaiting(game: Session, *names: str) -> tuple[str, str]:
    entries = [{"name": name, **ENTRY} for name in names]
    return TEAM_LEAD, content(game.state, "AWAIT_PLAYERS", characters=entries, scene_number="001", scene_slug="opening")


def updated(game: Session) -> tuple[str, str]:
    fields: dict[str, Any] = {"deltas_written": ["tmp/gm-state-delta.md"], "characters_involved": [CORWIN]}
    return TEAM_LEAD, content(game.state, "STATE_UPDATED", **fields)


def tags(game: Session, since: int = 0) -> list[str | None]:
    drafts = game.play.drafts[since:]
    return [draft.event.tag for draft in drafts if isinstance(draft.event, MessageSent)]


@pytest.mark.spec("T-130", "T-136", "T-135")
def test_a_full_beat_of_phase_1() -> None:
    game = opened("phase-1", "Fog.\n\n**What do you do?**")
    start = len(game.play.drafts)
    game = game.reply(HUMAN, "I wait.")
    game = game.reply(GM, reply(awaiting(game, CORWIN, BRYN)))
    assert (game.open()[CORWIN], game.open()[BRYN]) == (["action"], ["action"])
    assert GM not in game.open()
    game = game.reply(BRYN, "I row.").reply(CORWIN, "I bail.")
    assert game.open()[GM] == ["beat"]
    for words in ("I wait.", "I row.", "I bail."):
        assert words in game.play.context(GM)
    game = game.reply(GM, reply((None, "[NARRATIVE]\n\nThe boat moves."), WRITE, updated(game)))
    assert tags(game, start) == ["PLAYER_ACTION", "AWAIT_PLAYERS", "PLAYER_RESPONSES", "NARRATIVE", "STATE_UPDATED"]


def _beat(edition: str) -> tuple[Session, int]:
    game = opened(edition)
    start = len(game.play.drafts)
    game = asked(game, TILDA, CORWIN, BRYN)
    game = answered(game, BRYN)
    game = answered(decided(game), TILDA)
    assert GM not in game.open()
    game = answered(game, CORWIN)
    assert game.open()[GM] == ["beat"]
    return game, start


ASKED = ["GM_TO_PLAYER"] * 3
ANSWERED = ["PLAYER_TO_GM", "RELAY_TO_HUMAN", "HUMAN_DECISION", "PLAYER_TO_GM", "PLAYER_TO_GM"]


@pytest.mark.spec("T-131", "T-133", "T-135")
def test_a_full_beat_of_phase_2() -> None:
    game, start = _beat("phase-2")
    game = game.reply(GM, reply((None, "[NARRATIVE]\n\nThe boat moves."), WRITE, updated(game)))
    assert tags(game, start) == [*ASKED, *ANSWERED, "NARRATIVE", "STATE_UPDATED", *["JOURNAL_CHECKPOINT"] * 3]


@pytest.mark.spec("T-132", "T-133", "T-135", "T-121")
def test_a_full_beat_of_current() -> None:
    game, start = _beat("current")
    writes = [
        {"delta": {"document": path, "operation": "append", "text": "The rope is gone."}}
        for path in ("story-state.md", "party-knowledge.md")
    ]
    game = game.reply(GM, reply((None, "[NARRATIVE]\n\nThe boat moves."), *writes))
    assert tags(game, start) == [*ASKED, *ANSWERED, "NARRATIVE"]
    written = [event.document for event in game.last if isinstance(event, PieceWritten) and event.seat == GM]
    assert written == ["story-state.md", "party-knowledge.md"]
    assert not [kinds for kinds in game.open().values() if "journal" in kinds]


@pytest.mark.spec("T-121", "F-047")
def test_under_current_a_player_writes_its_journal_when_it_likes() -> None:
    game = opened()
    text = journal_entry("The night", "Rain.", "I ran.", "Ropes snap.", "Cold.", "None.")
    own = {"delta": {"document": f"party/{CORWIN}-journal.md", "operation": "append", "text": text}}
    assert rebuild(game.say(CORWIN, reply(own)).state.documents[f"party/{CORWIN}-journal.md"]) == text
    assert "can't write" in game.say(BRYN, reply(own)).refusal()
    loose = {"delta": {"document": f"party/{CORWIN}-journal.md", "operation": "append", "text": "Dear diary"}}
    assert "A journal entry starts" in game.say(CORWIN, reply(loose)).refusal()


@pytest.mark.spec("T-133")
def test_the_gm_waits_until_every_request_is_settled_however() -> None:
    game = asked(opened(), TILDA, CORWIN, BRYN)
    game = answered(game, CORWIN).exhaust(BRYN)
    assert GM not in game.open()
    relayed = game.send(TILDA, TEAM_LEAD, "RELAY_TO_HUMAN", RELAY, character=TILDA)
    assert GM not in relayed.open()
    assert GM not in relayed.reply(HUMAN, "Go!").open()
    assert answered(relayed.reply(HUMAN, "Go!"), TILDA).open()[GM] == ["beat"]


@pytest.mark.spec("T-133", "T-070")
def test_after_a_veto_the_gm_tells_no_outcome_before_it_is_re_answered() -> None:
    game = answered(asked(opened(), CORWIN, BRYN), CORWIN, "VETO", "How deep?")
    game = asked(game, CORWIN, kind="FULL_CONTEXT")
    game = answered(game, BRYN)
    assert GM not in game.open()
    assert answered(game, CORWIN).open()[GM] == ["beat"]


@pytest.mark.spec("T-133", "T-149", "T-161")
def test_in_a_split_the_gm_goes_on_with_the_group_that_has_answered() -> None:
    game = opened(idle_gm_turns=9).send(GM, TEAM_LEAD, "NARRATIVE", f"(Group docks: {CORWIN})\n\nDark.")
    game = game.send(GM, TEAM_LEAD, "NARRATIVE", f"(Group tower: {TILDA}, {BRYN})\n\nStone.")
    game = asked(game, CORWIN, BRYN)
    assert GM not in game.open()
    docks = answered(game, CORWIN)
    assert docks.open()[GM] == ["beat"]
    told = docks.send(GM, TEAM_LEAD, "NARRATIVE", f"(Group docks: {CORWIN})\n\nWater.")
    assert GM not in told.open()
    assert answered(told, BRYN).open()[GM] == ["beat"]
    together = asked(opened(), CORWIN, BRYN)
    assert GM not in answered(together, CORWIN).open()


@pytest.mark.spec("T-133")
@pytest.mark.parametrize("last", ["answer", "pass", "fallback", "veto"])
def test_in_a_split_the_gm_waits_for_the_last_of_a_group(last: str) -> None:
    game = opened(idle_gm_turns=9).send(GM, TEAM_LEAD, "NARRATIVE", f"(Group docks: {CORWIN}, {BRYN})\n\nDark.")
    game = game.send(GM, TEAM_LEAD, "NARRATIVE", f"(Group tower: {TILDA})\n\nStone.")
    game = asked(game, CORWIN, BRYN, TILDA, kind="OPTIONAL_REACTION" if last == "pass" else "QUICK_REACTION")
    first = answered(game, CORWIN)
    assert GM not in first.open()
    match last:
        case "answer":
            done = answered(first, BRYN)
        case "pass":
            done = first.reply(BRYN, "pass")
        case "fallback":
            done = first.exhaust(BRYN)
        case _:
            done = asked(answered(first, BRYN, "VETO", "How deep?"), BRYN, kind="FULL_CONTEXT")
            assert GM not in done.open()
            done = answered(done, BRYN)
    assert done.open()[GM] == ["beat"]
    assert TILDA in done.state.requests


@pytest.mark.spec("T-133", "T-080")
def test_in_a_split_the_gm_waits_for_the_human_of_a_group_too() -> None:
    game = opened(idle_gm_turns=9).send(GM, TEAM_LEAD, "NARRATIVE", f"(Group docks: {CORWIN}, {TILDA})\n\nDark.")
    game = game.send(GM, TEAM_LEAD, "NARRATIVE", f"(Group tower: {BRYN})\n\nStone.")
    game = answered(asked(game, CORWIN, BRYN, TILDA), CORWIN)
    assert GM not in game.open()
    relayed = game.send(TILDA, TEAM_LEAD, "RELAY_TO_HUMAN", RELAY, character=TILDA)
    assert GM not in relayed.open()
    words = relayed.reply(HUMAN, "Go!", "decide")
    assert GM not in words.open()
    assert answered(words, TILDA).open()[GM] == ["beat"]


@pytest.mark.spec("T-133", "T-042")
def test_in_a_split_the_gm_waits_for_what_the_human_of_a_group_is_prompted_to_do() -> None:
    game = opened("phase-2", idle_gm_turns=9).send(GM, TEAM_LEAD, "NARRATIVE", f"(Group tower: {BRYN})\n\nStone.")
    docks = content(game.state, "NARRATIVE", f"(Group docks: {CORWIN}, {TILDA})\n\nDark. What do you do?")
    asks = [(name, _ask(game)) for name in (CORWIN, BRYN)]
    game = answered(game.reply(GM, reply((TEAM_LEAD, docks), *asks)), CORWIN)
    assert (game.open()[HUMAN], GM in game.open()) == (["act"], False)
    assert game.reply(HUMAN, "I hide.").open()[GM] == ["beat"]


@pytest.mark.spec("T-134", "T-135")
def test_the_human_is_shown_the_narrative_before_anything_else_is_put_to_them() -> None:
    for edition in ("phase-1", "phase-2", "current"):
        game = opened(edition)
        options = [{"label": "Left", "description": "-"}]
        question = content(game.state, "ASK_PLAYER", question="Which?", header="Door", options=options)
        game = game.reply(GM, reply((TEAM_LEAD, question), (None, "[NARRATIVE]\n\nTwo doors.")))
        seen = [type(event).__name__ + (getattr(event, "tag", "") or "") for event in game.seen_by(HUMAN)]
        assert seen.index("TurnOpened") > seen.index("MessageSentNARRATIVE")
        assert game.open()[HUMAN] == ["choose"]


@pytest.mark.spec("T-136")
def test_tasks_run_while_the_human_is_asked() -> None:
    game = opened("phase-1")
    items = [(None, "[NARRATIVE]\n\nFog.\n\nWhat do you do?"), awaiting(game, CORWIN)]
    game = game.reply(GM, reply(*items))
    assert (game.open()[HUMAN], game.open()[CORWIN]) == (["act"], ["action"])
    first = game.reply(CORWIN, "I row.")
    assert first.sent("PLAYER_RESPONSES")
    assert GM not in first.open()
    assert first.reply(HUMAN, "I wait.").open()[GM] == ["beat"]
    other = game.reply(HUMAN, "I wait.")
    assert GM not in other.open()
    assert other.reply(CORWIN, "I row.").open()[GM] == ["beat"]


@pytest.mark.spec("T-162")
@pytest.mark.parametrize("limit", [1, 3])
def test_a_gm_that_asks_nobody_goes_on_a_few_turns_and_then_the_session_pauses(limit: int) -> None:
    game = opened(idle_gm_turns=limit)
    for _ in range(limit - 1):
        assert game.open()[GM] == ["beat"]
        game = game.send(GM, None, "NARRATIVE", "Rain.")
    held = [event for event in game.last if isinstance(event, HoldPlaced)]
    assert [event.waiting_for for event in held] == [GM]
    assert GM not in game.open()
    assert opened().state.options.idle_gm_turns == 3


@pytest.mark.spec("T-162", "T-164")
def test_prompts_and_questions_that_nobody_is_there_to_answer_keep_no_monologue_going() -> None:
    options = [{"label": "Left", "description": "-"}]
    for human in (True, False):
        game = opened("phase-2", human=human)
        game = game.say(HUMAN, "/away") if human else game
        for _ in range(9):
            if game.state.hold is not None:
                break
            question = content(game.state, "ASK_PLAYER", question="Which?", header="Door", options=options)
            game = game.reply(GM, reply((None, "[NARRATIVE]\n\nFog.\n\nWhat do you do?"), (TEAM_LEAD, question)))
        assert game.state.hold is not None


@pytest.mark.spec("T-162")
def test_asking_somebody_starts_the_count_anew() -> None:
    game = opened(idle_gm_turns=2)
    for _ in range(3):
        game = answered(asked(game, CORWIN), CORWIN)
        game = game.send(GM, None, "NARRATIVE", "Rain.")
        assert game.state.hold is None


@pytest.mark.spec("T-137")
@pytest.mark.parametrize("attempts", [1, 3])
def test_a_refused_reply_is_asked_for_again_with_its_error_a_limited_number_of_times(attempts: int) -> None:
    game = asked(opened(max_attempts=attempts), CORWIN)
    for number in range(1, attempts + 1):
        assert game.turn(CORWIN).attempt == number
        game = game.reply(CORWIN, "[narrative]") if number % 2 else game.expire(CORWIN)
        failed = [event for event in game.last if isinstance(event, AttemptFailed)]
        assert [event.attempt for event in failed] == [number]
        assert all(event.message for event in failed)
    assert [event.seat for event in game.last if isinstance(event, FallbackApplied)] == [CORWIN]
    assert opened().state.options.max_attempts == 3


@pytest.mark.spec("T-138")
def test_under_phase_1_a_failed_task_is_an_entry_of_the_responses() -> None:
    game = opened("phase-1")
    game = game.reply(GM, reply(awaiting(game, CORWIN, BRYN))).reply(CORWIN, "I row.").exhaust(BRYN, "")
    responses = game.sent("PLAYER_RESPONSES")[0].fields["responses"]
    assert responses == [
        {"character": CORWIN, "response": "I row."},
        {"character": BRYN, "response": "(no answer)"},
    ]


@pytest.mark.spec("T-139")
def test_a_gm_whose_attempts_run_out_pauses_the_session_though_players_are_asked() -> None:
    game = opened()
    broken = reply((CORWIN, _ask(game)), ("zed", "Hm"))
    game = game.reply(GM, broken).reply(GM, "[narrative]").reply(GM, "[narrative]")
    assert game.state.hold is not None
    assert game.open()[CORWIN] == ["quick-reaction"]
    assert answered(game, CORWIN).sent("PLAYER_TO_GM")


def _ask(game: Session) -> str:
    fields: dict[str, Any] = {"request_type": "QUICK_REACTION", "scene_number": "001", "scene_slug": "opening"}
    return content(game.state, "GM_TO_PLAYER", "## Scene\na\n\n## Just Happened\nb\n\n## Request\nc", **fields)


@pytest.mark.spec("T-163")
@pytest.mark.parametrize(
    "items",
    [
        [(GM, "Let me think.")],
        [(NARRATOR, f"[NARRATOR_NOTE]\nfrom: {CORWIN}\nnote: I shiver.")],
        [(BRYN, f"[PLAYER_TO_PLAYER]\nfrom: {CORWIN}\nto: {BRYN}\n\nHm?")],
    ],
)
def test_a_reply_that_does_not_answer_stands_and_costs_an_attempt(items: Sequence[tuple[str, str]]) -> None:
    game = asked(opened(), CORWIN).reply(CORWIN, reply(*items))
    assert len(game.sent()) == 1
    assert [event.seat for event in game.last if isinstance(event, AttemptFailed)] == [CORWIN]
    assert game.turn(CORWIN).attempt == 2
    for _ in range(2):
        game = game.reply(CORWIN, "Still thinking.", "quick-reaction")
    assert [event.fallback for event in game.last if isinstance(event, RequestPassed)] == [True]
