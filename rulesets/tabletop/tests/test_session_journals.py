"""Journals: the shared narrative, notes, entries and their cycle (F-041 to F-049, F-055, F-064)."""

from __future__ import annotations

import pytest
from session import BRYN, CORWIN, PARTY, content, opened, reply
from session_cycles import DOCKS, ENTRY, PROMPT, answered_by_file, notes, put, started

from sottovoce.domain.errors import Refused
from sottovoce.domain.events import AttemptFailed
from sottovoce.rulesets.tabletop.rules.documents.journals import BULLETS, check_entry
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuild
from sottovoce.rulesets.tabletop.rules.events import PieceRemoved, PieceWritten, TaskEnded, TaskStarted
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR, TEAM_LEAD

SHARED = "tmp/narrative-for-journal.md"


@pytest.mark.spec("F-048", "F-041", "F-012")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2", "current"])
def test_after_a_cycle_by_files_journals_are_written_once_a_narrative_returns(edition: str) -> None:
    game = answered_by_file(opened(edition), CORWIN, BRYN)
    assert not started(game)
    game = game.send(GM, None, "NARRATIVE", "The boat moves.")
    assert started(game) == [CORWIN, BRYN]
    assert (game.open()[CORWIN], game.open()[BRYN]) == (["journal"], ["journal"])
    kinds = [(type(event), getattr(event, "document", None)) for event in game.last]
    assert kinds.index((PieceWritten, SHARED)) < kinds.index((TaskStarted, None))
    shared = game.state.documents[SHARED]
    assert rebuild(shared) == "The boat moves.\n"
    assert {piece.readers for piece in shared} == {tuple(sorted({GM, NARRATOR, TEAM_LEAD, *PARTY}))}
    assert {event.seat for event in game.last if isinstance(event, PieceWritten) and event.document == SHARED} == {
        TEAM_LEAD
    }
    assert game.open()[GM] == ["beat"]
    assert not started(game.send(GM, None, "NARRATIVE", "And on."))


@pytest.mark.spec("T-117", "T-118", "T-131")
def test_a_report_of_no_delta_file_still_logs_what_was_decided() -> None:
    report = (TEAM_LEAD, "[STATE_UPDATED]\ndeltas_written:\n  - tmp/tides.md\ncharacters_involved: []")
    noted = put("tmp/tides.md", "High at dusk.")
    idle = opened("phase-1").reply(GM, reply(noted, report))
    assert not [event for event in idle.last if isinstance(event, TaskStarted)]
    game = answered_by_file(opened("phase-1"), CORWIN).reply(GM, reply(noted, report))
    assert [event.task for event in game.last if isinstance(event, TaskStarted)] == ["decision-log"]
    assert CORWIN in rebuild(game.state.documents["decision-log.md"])


@pytest.mark.spec("F-048", "T-118")
@pytest.mark.parametrize("told_first", [True, False])
def test_no_cycle_is_journaled_twice(told_first: bool) -> None:
    game = answered_by_file(opened("phase-1"), CORWIN)
    report = (TEAM_LEAD, "[STATE_UPDATED]\ndeltas_written:\n  - tmp/gm-state-delta.md\ncharacters_involved: []")
    delta = put("tmp/gm-state-delta.md", "- Tide.")
    if told_first:
        game = game.send(GM, None, "NARRATIVE", "The boat moves.")
        game = game.reply(CORWIN, ENTRY, "journal")
        game = game.reply(GM, reply(delta, report))
    else:
        game = game.reply(GM, reply(delta, report))
        game = game.send(GM, None, "NARRATIVE", "The boat moves.")
    everything = [draft.event for draft in game.play.drafts]
    own = [event for event in everything if isinstance(event, TaskStarted) and event.task == "ai-player-journal"]
    assert [event.character for event in own] == [CORWIN]
    assert "I row." in rebuild(game.state.documents["decision-log.md"])


@pytest.mark.spec("F-042")
def test_the_shared_narrative_is_overwritten_by_each_cycle_and_stays() -> None:
    game = answered_by_file(opened(), CORWIN).send(GM, None, "NARRATIVE", "The boat moves.")
    game = game.reply(CORWIN, ENTRY, "journal")
    assert rebuild(game.state.documents[SHARED]) == "The boat moves.\n"
    game = answered_by_file(game, CORWIN).send(GM, None, "NARRATIVE", "The boat sinks.")
    assert rebuild(game.state.documents[SHARED]) == "The boat sinks.\n"
    assert "can't write" in game.say(GM, reply({"delta": {"document": SHARED, "operation": "remove"}})).refusal()


@pytest.mark.spec("F-043", "F-011", "F-047")
def test_a_character_writes_notes_for_itself_and_the_gm() -> None:
    game = opened().say(CORWIN, reply(put(notes(CORWIN), "I was afraid.")))
    pieces = game.state.documents[notes(CORWIN)]
    assert {piece.readers for piece in pieces} == {(CORWIN, GM)}
    assert "can't write" in game.say(BRYN, reply(put(notes(CORWIN), "Ha."))).refusal()


@pytest.mark.spec("F-043", "F-035")
def test_notes_can_come_with_the_response() -> None:
    game = opened()
    written = [put("tmp/gm-context.md", "a\n"), put(f"tmp/{CORWIN}-prompt.md", PROMPT)]
    game = game.reply(GM, reply(*written, (TEAM_LEAD, f"[AWAIT_AI_PLAYERS: {CORWIN}]")))
    only = game.reply(CORWIN, reply(put(notes(CORWIN), "I was afraid.")))
    assert "Write your response" in only.refusal()
    both = game.reply(CORWIN, reply(put(notes(CORWIN), "I was afraid."), put(f"tmp/{CORWIN}-response.md", "I row.")))
    assert notes(CORWIN) in both.state.documents
    assert CORWIN not in both.open()
    assert both.open()[GM] == ["beat"]


@pytest.mark.spec("F-044", "F-047")
def test_a_journal_is_written_from_the_narrative_and_one_s_own_notes() -> None:
    game = opened().say(CORWIN, reply(put(notes(CORWIN), "I was afraid.")))
    game = answered_by_file(game, CORWIN, BRYN).send(GM, None, "NARRATIVE", "The boat moves.")
    own, other = game.play.context(CORWIN), game.play.context(BRYN)
    assert "I was afraid." in own
    assert "The boat moves." in own
    assert "The boat moves." in other
    assert "afraid" not in other
    assert game.reply(BRYN, ENTRY, "journal").last
    assert not [event for event in game.reply(BRYN, ENTRY, "journal").last if isinstance(event, AttemptFailed)]


@pytest.mark.spec("F-045")
def test_an_entry_has_a_rule_a_title_and_five_bullets_in_order() -> None:
    assert ENTRY.splitlines()[:2] == ["---", "### The night"]
    assert BULLETS == ("What happened:", "What I did:", "What I learned:", "How I feel:", "Notes:")
    assert check_entry(ENTRY) == ENTRY
    lines = ENTRY.splitlines()
    broken = {
        "starts with a line ---": "\n".join(lines[1:]),
        "has a title": "\n".join([lines[0], *lines[2:]]),
        "it lacks How I feel:": "\n".join(line for line in lines if "How I feel" not in line),
        "in another order or more than once": "\n".join([*lines, "- Notes: again"]),
    }
    for message, text in broken.items():
        with pytest.raises(Refused, match=message):
            check_entry(text)
    swapped = "\n".join([*lines[:3], lines[4], lines[3], *lines[5:]])
    with pytest.raises(Refused, match="another order"):
        check_entry(swapped)


@pytest.mark.spec("F-045", "F-046", "F-049")
def test_an_entry_is_appended_and_the_notes_are_done_with() -> None:
    files = {f"party/{CORWIN}-journal.md": b"# Mine\n\nOld words stay.\n"}
    game = opened(files=files).say(CORWIN, reply(put(notes(CORWIN), "I was afraid.")))
    game = answered_by_file(game, CORWIN).send(GM, None, "NARRATIVE", "The boat moves.")
    failed = game.reply(CORWIN, "Dear diary", "journal")
    assert "A journal entry starts" in failed.refusal()
    assert notes(CORWIN) in failed.state.documents
    done = failed.reply(CORWIN, ENTRY, "journal")
    kept = rebuild(done.state.documents[f"party/{CORWIN}-journal.md"])
    assert kept.startswith("# Mine\n\nOld words stay.\n")
    assert kept.endswith(ENTRY)
    assert notes(CORWIN) not in done.state.documents
    assert [(event.character, event.done) for event in done.last if isinstance(event, TaskEnded)] == [(CORWIN, True)]
    assert [event.seat for event in done.last if isinstance(event, PieceRemoved)] == [CORWIN]


@pytest.mark.spec("F-045")
def test_an_entry_may_come_as_a_delta_but_something_must_come() -> None:
    game = answered_by_file(opened(), CORWIN).send(GM, None, "NARRATIVE", "The boat moves.")
    own = {"delta": {"document": f"party/{CORWIN}-journal.md", "operation": "append", "text": ENTRY}}
    done = game.reply(CORWIN, reply(own), "journal")
    assert CORWIN not in done.open()
    assert [event.done for event in done.last if isinstance(event, TaskEnded)] == [True]
    assert "Write the entry" in game.reply(CORWIN, reply((GM, "No.")), "journal").refusal()


@pytest.mark.spec("F-049", "F-055", "T-159")
def test_where_no_entry_comes_the_notes_stay_and_the_gm_does_not_delete_them() -> None:
    game = opened().say(CORWIN, reply(put(notes(CORWIN), "I was afraid.")))
    game = answered_by_file(game, CORWIN).send(GM, None, "NARRATIVE", "The boat moves.")
    game = game.exhaust(CORWIN, "Dear diary", "journal")
    assert notes(CORWIN) in game.state.documents
    assert [event.done for event in game.last if isinstance(event, TaskEnded)] == [False]
    delete = {"delta": {"document": notes(CORWIN), "operation": "remove"}}
    assert "can't write" in game.say(GM, reply(delete)).refusal()


@pytest.mark.spec("F-064", "F-012")
def test_after_a_split_scene_only_those_with_notes_write_and_from_these_alone() -> None:
    game = answered_by_file(opened(), CORWIN).send(GM, None, "NARRATIVE", "All saw the bell.")
    game = game.reply(CORWIN, ENTRY, "journal")
    game = game.say(CORWIN, reply(put(notes(CORWIN), "I was afraid.")))
    game = answered_by_file(game, CORWIN, BRYN).send(GM, TEAM_LEAD, "NARRATIVE", DOCKS)
    assert started(game) == [CORWIN]
    assert game.open()[CORWIN] == ["own-notes"]
    assert BRYN not in game.open()
    assert rebuild(game.state.documents[SHARED]) == "All saw the bell.\n"
    prompt = game.play.context(CORWIN)
    assert "I was afraid." in prompt
    assert "All saw the bell." not in prompt
    assert CORWIN not in game.reply(CORWIN, ENTRY, "own-notes").open()


@pytest.mark.spec("F-064")
def test_after_a_split_scene_without_any_notes_nobody_writes_and_play_goes_on() -> None:
    game = answered_by_file(opened(), CORWIN, BRYN).send(GM, TEAM_LEAD, "NARRATIVE", DOCKS)
    assert not started(game)
    assert game.open()[GM] == ["beat"]


@pytest.mark.spec("F-064", "T-118")
@pytest.mark.parametrize("noted", [False, True])
def test_in_a_split_a_report_of_phase_1_asks_only_those_with_notes_and_from_these_alone(noted: bool) -> None:
    game = opened("phase-1", characters=("tilda-brannock", CORWIN, BRYN)).send(
        GM, None, "NARRATIVE", "All saw the bell."
    )
    entry_of = {"request_type": "QUICK_REACTION", "scene_context": "a", "just_happened": "b", "request": "c"}
    asked_for = content(
        game.state,
        "AWAIT_PLAYERS",
        characters=[{"name": name, **entry_of} for name in (CORWIN, BRYN)],
        scene_number="001",
        scene_slug="opening",
    )
    told = content(game.state, "NARRATIVE", DOCKS)
    game = game.reply(GM, reply((TEAM_LEAD, told), (TEAM_LEAD, asked_for)))
    note = (put(notes(CORWIN), "I was afraid."),) if noted else ()
    game = game.reply(CORWIN, "I row.").reply(BRYN, "I bail.")
    game = game.say(CORWIN, reply(*note)) if note else game
    report = (TEAM_LEAD, "[STATE_UPDATED]\ndeltas_written:\n  - tmp/gm-state-delta.md\ncharacters_involved: []")
    game = game.reply(GM, reply(put("tmp/gm-state-delta.md", "- Tide."), report))
    journals = [e.character for e in game.last if isinstance(e, TaskStarted) and e.task == "ai-player-journal"]
    assert journals == ([CORWIN] if noted else [])
    assert {name: kinds for name, kinds in game.open().items() if name in PARTY} == (
        {CORWIN: ["own-notes"]} if noted else {}
    )
    assert SHARED not in game.state.documents
    if noted:
        prompt = game.play.context(CORWIN)
        assert "I was afraid." in prompt
        assert "bell" not in prompt.replace("the-drowned-bell", "")


@pytest.mark.spec("F-048")
def test_a_journal_still_being_written_is_followed_by_the_next() -> None:
    game = answered_by_file(opened(), CORWIN).send(GM, None, "NARRATIVE", "The boat moves.")
    game = answered_by_file(game, CORWIN).send(GM, None, "NARRATIVE", "The boat sinks.")
    assert not started(game)
    done = game.reply(CORWIN, ENTRY, "journal")
    assert started(done) == [CORWIN]
    assert "The boat sinks." in done.play.context(CORWIN)


@pytest.mark.spec("F-045")
@pytest.mark.parametrize("title", ["###", "### ", "###   ", "###Tide", "## Tide", "#### Tide"])
def test_an_entry_has_a_title_of_some_words_behind_three_hashes(title: str) -> None:
    bullets = "\n".join(f"- {bullet} x" for bullet in BULLETS)
    with pytest.raises(Refused, match="has a title"):
        check_entry(f"---\n{title}\n\n{bullets}")
    assert check_entry(f"---\n### Tide\n\n{bullets}")
