"""Seats of a session held by files: prompts as the rules have them, plain answers, and changed files."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from pathlib import Path

import pytest
from bridging import Call, Program, by_files, call, left, seen_by
from session import BRYN, CORWIN, FILES, PARTY, SHEET, STORY, TILDA, Session, answered, asked, opened, reply

from sottovoce.agents.file_agent.agent import FilesAgent
from sottovoce.agents.file_agent.prompts import id_in
from sottovoce.domain.events import AttemptFailed, MessageRefused
from sottovoce.rulesets.tabletop.players.files import access, as_message
from sottovoce.rulesets.tabletop.players.sections import by_section
from sottovoce.rulesets.tabletop.rules.documents.journals import journal_entry
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuild
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import (
    SECTIONS,
    error_report,
    read_prompt,
    write_context,
    write_prompt,
)
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR

CONTEXT = write_context("An answer.", [("she jumps", "roll")], "The keeper waits.", "To the lamp.")
PROMPT = write_prompt("QUICK_REACTION", "The quay at dusk.", "A rope snaps.", "What do you do?")
ENTRY = journal_entry("The quay", "A rope snapped.", "I caught it.", "It was cut.", "Cold.", "Ask the keeper.")
SIGNAL = f"[AWAIT_AI_PLAYERS: {CORWIN}, {BRYN}]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "seat"


def refusals(game: Session) -> list[str]:
    return [event.message for event in game.last if isinstance(event, AttemptFailed | MessageRefused)]


def text_of(game: Session, path: str) -> str:
    return rebuild(game.state.documents.get(path, ()))


def writing(files: dict[str, str | None], response: str) -> Program:
    """A program that writes these files, or removes them, and then answers."""

    async def program(call: Call) -> None:
        await call.prompted()
        for path, text in files.items():
            file = call.folder / path
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(exist_ok=True)
                file.write_text(text)
        call.respond(response)

    return program


def signalled(folder: Path, game: Session | None = None) -> Session:
    """The GM has written notes and prompts as files and signalled for two characters."""
    files: dict[str, str | None] = {"tmp/gm-context.md": CONTEXT}
    files |= {f"tmp/{name}-prompt.md": PROMPT for name in (BRYN, CORWIN)}
    return by_files(game or opened(), GM, folder, writing(files, SIGNAL))[0]


# prompt files


@pytest.mark.spec("F-027", "F-028", "F-029", "F-031")
@pytest.mark.parametrize("kind", ["QUICK_REACTION", "COMBAT_ACTION", "FULL_CONTEXT", "SECRET_ACTION", "REFLECTION"])
def test_a_request_becomes_a_prompt_file_of_the_rules_form(folder: Path, kind: str) -> None:
    game = asked(opened(), CORWIN, kind=kind)
    prompts = []

    async def program(call: Call) -> None:
        prompts.append(await call.prompted())
        call.respond("I take the rope.")

    after, _ = by_files(game, CORWIN, folder, program)
    assert refusals(after) == []
    text = prompts[0]
    assert text.startswith(f"---\nrequest_type: {kind}\n")
    read = read_prompt(text, "current")
    assert (read.request_type, read.missing) == (kind, ())
    headings = re.findall(r"^## (.*)", text, re.MULTILINE)
    assert headings[:3] == list(SECTIONS)
    assert "How to Answer" in headings
    assert ("VETO" in text) == (kind != "FULL_CONTEXT")


@pytest.mark.spec("F-010", "F-026", "F-030")
def test_a_signalled_character_reads_its_own_prompt_as_the_gm_wrote_it(tmp_path: Path) -> None:
    game = signalled(tmp_path / "gm")

    async def program(call: Call) -> None:
        text = await call.prompted("request_type: QUICK_REACTION\n")
        assert read_prompt(text, "current").missing == ()
        assert read_prompt(PROMPT, "current").body in text
        assert "What You Have Seen" not in text, "a prompt file, and no more than its files (F-017)"
        assert sorted(os.listdir(call.folder / "tmp")) == [call.prompt.name], "nobody else's prompt, no notes of the GM"
        call.respond("I catch it. (Athletics)")

    game, _ = by_files(game, CORWIN, tmp_path / "corwin", program)
    assert text_of(game, f"tmp/{CORWIN}-response.md") == "I catch it. (Athletics)\n"
    assert game.open() == {BRYN: ["response"]} | {
        seat: kinds for seat, kinds in game.open().items() if seat == NARRATOR
    }


@pytest.mark.spec("F-038", "F-039", "F-040")
def test_a_malformed_prompt_is_shown_with_what_to_report(tmp_path: Path) -> None:
    broken = "---\nrequest_type: SHOUT\n---\n\n## Scene\nThe quay.\n"
    files: dict[str, str | None] = {"tmp/gm-context.md": CONTEXT, f"tmp/{CORWIN}-prompt.md": broken}
    game, _ = by_files(opened(), GM, tmp_path / "gm", writing(files, f"[AWAIT_AI_PLAYERS: {CORWIN}]"))
    view = seen_by(game, CORWIN)
    report = error_report(view.state.documents, "current", CORWIN, view.state.campaign)
    assert report is not None

    async def program(call: Call) -> None:
        text = await call.prompted("The quay.")
        assert "request_type" not in text.partition("\n---\n")[0]
        call.respond(report)

    game, _ = by_files(game, CORWIN, tmp_path / "corwin", program)
    assert text_of(game, f"tmp/{CORWIN}-response.md").startswith("[ERROR: Malformed prompt]")


# what a seat reads


@pytest.mark.spec("F-005", "F-006", "F-007", "F-008")
def test_a_character_s_folder_holds_what_it_may_read_and_nothing_else(folder: Path) -> None:
    game = asked(opened(), CORWIN)
    found: dict[str, str] = {}

    async def program(call: Call) -> None:
        await call.prompted()
        for path in call.folder.rglob("*"):
            if path.is_file():
                found[str(path.relative_to(call.folder))] = path.read_text()
        call.respond("I take the rope.")

    by_files(game, CORWIN, folder, program)
    documents = {path for path in found if not path.startswith((".", "tmp/"))}
    assert documents == {"party-knowledge.md", f"party/{CORWIN}.md"}
    assert found["party-knowledge.md"].encode() == FILES["party-knowledge.md"]
    assert "Stubborn." in found[f"party/{CORWIN}.md"]
    whole = "\n".join(found.values())
    assert "GM Notes" not in whole
    assert "lamp keeper drowned" not in whole
    assert f"# {TILDA}" not in whole


def test_what_is_receipted_are_the_very_texts_of_the_folder(folder: Path) -> None:
    game = asked(opened(), CORWIN)
    view, turn = seen_by(game, CORWIN), game.turn(CORWIN)
    agent, found = FilesAgent(folder), []

    async def program(under_way: Call) -> None:
        found.append(await under_way.prompted())
        for path in ("party-knowledge.md", f"party/{CORWIN}.md"):
            found.append(f"{path}\n\n{(folder / path).read_text()}")
        under_way.respond("x")

    call(agent, view, turn, program)
    assert list(agent.blocks(view, turn)) == found


def test_documents_are_brought_up_to_date_with_each_prompt(folder: Path) -> None:
    game, _ = by_files(asked(opened(), CORWIN), CORWIN, folder, "I take the rope.")
    delta = {"document": "party-knowledge.md", "operation": "append", "text": "The rope was cut."}
    game = game.reply(GM, reply((None, "[NARRATIVE]\nIt was cut."), {"delta": delta}))
    game = asked(game, CORWIN)

    async def program(call: Call) -> None:
        await call.prompted()
        assert (call.folder / "party-knowledge.md").read_text() == text_of(game, "party-knowledge.md")
        assert "The rope was cut." in (call.folder / "party-knowledge.md").read_text()
        call.respond("I knew it.")

    by_files(game, CORWIN, folder, program)


# plain answers


@pytest.mark.spec("F-032")
@pytest.mark.parametrize(
    ("request_type", "kind"),
    [
        ("QUICK_REACTION", "REACTION"),
        ("FULL_CONTEXT", "ACTION"),
        ("COMBAT_ACTION", "ACTION"),
        ("SECRET_ACTION", "ACTION"),
        ("OPTIONAL_REACTION", "REACTION"),
        ("REFLECTION", "REACTION"),
    ],
)
def test_plain_words_answer_each_request(folder: Path, request_type: str, kind: str) -> None:
    game, _ = by_files(asked(opened(), CORWIN, kind=request_type), CORWIN, folder, "I catch it.\n\n(Athletics)")
    assert refusals(game) == []
    sent = game.sent("PLAYER_TO_GM")[0]
    assert (sent.seat, sent.fields["type"], sent.body) == (CORWIN, kind, "I catch it.\n\n(Athletics)")


@pytest.mark.spec("F-033", "F-034")
@pytest.mark.parametrize("veto", ["[VETO - need more input]\n\nIs it my rope?", "[VETO] Is it my rope?"])
def test_a_veto_is_a_veto(folder: Path, veto: str) -> None:
    game, _ = by_files(asked(opened(), CORWIN), CORWIN, folder, veto)
    sent = game.sent("PLAYER_TO_GM")[0]
    assert sent.fields["type"] == "VETO"
    assert "Is it my rope?" in sent.body


@pytest.mark.spec("F-040")
def test_an_error_report_to_a_request_asks_for_another_prompt(folder: Path) -> None:
    report = "[ERROR: Malformed prompt]\n\nMissing required section: Scene"
    game, _ = by_files(asked(opened(), CORWIN), CORWIN, folder, report)
    sent = game.sent("PLAYER_TO_GM")[0]
    assert (sent.fields["type"], sent.body) == ("VETO", report)


def test_a_pass_is_a_pass(folder: Path) -> None:
    game, _ = by_files(asked(opened(), CORWIN, kind="OPTIONAL_REACTION"), CORWIN, folder, "Pass.\n")
    assert refusals(game) == []
    assert game.sent() == []
    assert CORWIN not in game.open()


def test_words_to_another_go_to_whom_the_first_line_names(folder: Path) -> None:
    game = asked(opened(), CORWIN, kind="INTERACTION")
    game, _ = by_files(game, CORWIN, folder, f"@{BRYN}\nKeep close to me.")
    assert refusals(game) == []
    sent = game.sent("PLAYER_TO_PLAYER")[0]
    assert (sent.to, sent.body) == (BRYN, "Keep close to me.")


def test_without_a_name_they_go_to_whom_has_spoken(tmp_path: Path) -> None:
    game = asked(opened(), CORWIN, kind="INTERACTION")
    game, _ = by_files(game, CORWIN, tmp_path / "corwin", f"@{BRYN}\nKeep close to me.")
    game, _ = by_files(game, BRYN, tmp_path / "bryn", "I will.", "reply")
    assert refusals(game) == []
    sent = game.sent("PLAYER_TO_PLAYER")[0]
    assert (sent.to, sent.body) == (CORWIN, "I will.")


def test_to_nobody_in_particular_they_are_refused_and_the_prompt_says_so(folder: Path) -> None:
    game, _ = by_files(asked(opened(), CORWIN, kind="INTERACTION"), CORWIN, folder, "Keep close.")
    assert len(refusals(game)) == 1

    async def program(call: Call) -> None:
        await call.prompted("Attempt 1 was refused: ", "attempts_left: 2")
        call.respond(f"@{BRYN}\nKeep close.")

    game, _ = by_files(game, CORWIN, folder, program)
    assert game.sent("PLAYER_TO_PLAYER")


def test_a_question_to_the_human_needs_no_form(folder: Path) -> None:
    game, _ = by_files(asked(opened(), TILDA), TILDA, folder, "Do I grab the rope?", "relay")
    assert refusals(game) == []
    body = game.sent("RELAY_TO_HUMAN")[0].body
    assert "## Scene\nThe quay at dusk." in body
    assert "## Decision Needed\nDo I grab the rope?" in body
    assert game.open()[HUMAN] == ["decide"]


@pytest.mark.parametrize(
    "said",
    [
        f"[PLAYER_TO_GM]\ntype: ACTION\ncharacter: {CORWIN}\n\nI jump.",
        '{"messages": [{"type": "message", "recipient": "gm", "content": "[PLAYER_TO_GM]"}]}',
        '{"messages": broken',
    ],
)
def test_what_speaks_the_protocol_stays_as_it_is(said: str) -> None:
    game = asked(opened(), CORWIN)
    assert as_message(seen_by(game, CORWIN), game.turn(CORWIN), said) == said


def test_a_gm_narrates_in_plain_words(folder: Path) -> None:
    game, _ = by_files(opened(), GM, folder, "The lamp goes out.")
    assert refusals(game) == []
    sent = game.sent("NARRATIVE")[0]
    assert (sent.to, sent.body) == (None, "The lamp goes out.")


def test_a_narrator_s_prose_goes_into_the_scene_s_file(folder: Path) -> None:
    game, _ = by_files(opened(), NARRATOR, folder, "Fog ate the harbour.")
    assert refusals(game) == []
    assert "Fog ate the harbour." in text_of(game, "scenes/001-opening.md")


def test_a_narrator_may_write_into_the_scene_s_file_itself(folder: Path) -> None:
    game = opened()
    path = "scenes/001-opening.md"

    async def program(call: Call) -> None:
        await call.prompted()
        file = call.folder / path
        with file.open("a") as scene:
            scene.write("\nFog ate the harbour.\n")
        call.respond("And the lamp went out.")

    after, _ = by_files(game, NARRATOR, folder, program)
    assert refusals(after) == []
    assert text_of(after, path).startswith(text_of(game, path))
    assert text_of(after, path).index("Fog ate") < text_of(after, path).index("And the lamp")


# the GM's files


@pytest.mark.spec("F-018", "F-021", "F-024", "F-025", "F-026")
def test_notes_prompts_and_signal_go_in_that_order_whenever_they_were_written(folder: Path) -> None:
    async def program(call: Call) -> None:
        await call.prompted("[AWAIT_AI_PLAYERS: character, character]")
        for path, text in {
            f"tmp/{CORWIN}-prompt.md": PROMPT,
            f"tmp/{BRYN}-prompt.md": PROMPT,
            "tmp/gm-context.md": CONTEXT,
        }.items():
            (call.folder / path).write_text(text)
            await asyncio.sleep(0.01)
        call.respond(SIGNAL)

    game, _ = by_files(opened(), GM, folder, program)
    assert refusals(game) == []
    written = [event.document for event in game.last if hasattr(event, "document")]
    assert list(dict.fromkeys(written)) == ["tmp/gm-context.md", f"tmp/{CORWIN}-prompt.md", f"tmp/{BRYN}-prompt.md"]
    assert game.last.index(game.sent("AWAIT_AI_PLAYERS")[0]) > max(
        at for at, event in enumerate(game.last) if hasattr(event, "document")
    )
    assert {seat for seat, kinds in game.open().items() if kinds == ["response"]} == {CORWIN, BRYN}
    assert text_of(game, "tmp/gm-context.md") == CONTEXT


@pytest.mark.spec("F-025")
def test_a_signal_without_its_files_is_refused(folder: Path) -> None:
    game, _ = by_files(opened(), GM, folder, writing({"tmp/gm-context.md": CONTEXT}, SIGNAL))
    assert f"Write tmp/{CORWIN}-prompt.md, tmp/{BRYN}-prompt.md before you signal." in refusals(game)[0]
    assert text_of(game, "tmp/gm-context.md") == CONTEXT, "what was accepted stands"


@pytest.mark.spec("F-022", "F-050", "F-052", "F-062")
def test_a_whole_cycle_is_played_and_cleared_by_files(tmp_path: Path) -> None:
    game = signalled(tmp_path / "gm")
    for name in (CORWIN, BRYN):
        game, _ = by_files(game, name, tmp_path / name, f"I am {name}, and I catch it.")
        assert refusals(game) == []
    tidied: list[str] = []

    async def program(call: Call) -> None:
        await call.prompted()
        assert (call.folder / "tmp/gm-context.md").read_text() == CONTEXT
        for name in (CORWIN, BRYN):
            assert (call.folder / f"tmp/{name}-response.md").read_text() == f"I am {name}, and I catch it.\n"
        for file in (call.folder / "tmp").iterdir():
            if file != call.prompt:
                tidied.append(file.name)
                file.unlink()
        call.respond("Both of them catch it.")

    game, _ = by_files(game, GM, tmp_path / "gm", program)
    assert refusals(game) == []
    assert len(tidied) == 5
    assert [path for path in game.state.documents if path.startswith("tmp/") and "narrative" not in path] == []
    assert game.sent("NARRATIVE")


@pytest.mark.spec("F-055")
def test_the_gm_s_removal_of_a_character_s_notes_is_put_back(tmp_path: Path) -> None:
    game = signalled(tmp_path / "gm")
    notes = {f"tmp/{CORWIN}-notes-for-journal.md": "I was afraid."}
    game, _ = by_files(game, CORWIN, tmp_path / "corwin", writing(dict(notes), "I catch it."))
    game, _ = by_files(game, BRYN, tmp_path / "bryn", "I too.")
    path = f"tmp/{CORWIN}-notes-for-journal.md"
    game, _ = by_files(game, GM, tmp_path / "gm", writing({path: None}, "Both catch it."))
    assert refusals(game) == []
    assert "I was afraid." in text_of(game, path)
    assert (tmp_path / "gm" / path).exists()


@pytest.mark.spec("F-016", "T-145")
def test_the_gm_changes_its_documents_where_they_lie(folder: Path) -> None:
    changed = STORY.replace("nobody saw it", "one child saw it")
    game, _ = by_files(opened(), GM, folder, writing({"story-state.md": changed}, "Night falls."))
    assert refusals(game) == []
    assert text_of(game, "story-state.md") == changed


LONG = "# Story\n\n" + "".join(f"## Day {day}\nIt {'rained ' * 300}.\n\n" for day in range(40))


@pytest.mark.parametrize(
    ("before", "after", "operation"),
    [
        ("## Day 7\nIt rained", "## Day 7\nIt hailed", "set"),
        ("\n\n## Day 8", "\n\nThe well is dry.\n\n## Day 8", "append"),
    ],
)
def test_a_line_in_a_long_document_is_a_change_of_its_section(
    folder: Path, before: str, after: str, operation: str
) -> None:
    """The whole of it would not fit into an answer."""
    changed = LONG.replace(before, after)
    assert len(changed) > 65_536
    game = opened(files={**FILES, "story-state.md": LONG.encode()})
    done, record = by_files(game, GM, folder, writing({"story-state.md": changed}, "Night falls."))
    assert refusals(done) == []
    assert record.notes == {}
    assert text_of(done, "story-state.md") == changed
    assert len([event for event in done.last if getattr(event, "document", "") == "story-state.md"]) == 1
    delta = by_section("story-state.md", game.state.documents["story-state.md"], changed)
    assert delta is not None
    assert [(each.heading, each.operation) for each in delta] == [("Story > Day 7", operation)]


def test_what_only_the_gm_may_read_stays_so_where_it_changes_another_section(folder: Path) -> None:
    known = "# Known\n\n## Rumours\nThe bell is gone.\n\n## GM Notes\nThe keeper has it.\n\n## Facts\nIt rains.\n"
    game = opened(files={**FILES, "party-knowledge.md": known.encode()})
    changed = known.replace("It rains.", "It snows.")
    game, _ = by_files(game, GM, folder, writing({"party-knowledge.md": changed}, "Snow falls."))
    assert refusals(game) == []
    assert text_of(game, "party-knowledge.md") == changed
    assert "keeper" not in rebuild(seen_by(game, CORWIN).state.documents["party-knowledge.md"])
    assert "It snows." in rebuild(seen_by(game, CORWIN).state.documents["party-knowledge.md"])


@pytest.mark.parametrize(
    "text",
    [
        LONG.replace("## Day 7", "## Day Seven"),
        LONG.replace("# Story\n", "# Story\n## Day 3\nTwice.\n"),
        "Before all.\n" + LONG,
        LONG.replace("## Day 9\n", ""),
    ],
)
def test_a_document_with_other_headings_is_no_change_of_sections(text: str) -> None:
    game = opened(files={**FILES, "story-state.md": LONG.encode()})
    assert by_section("story-state.md", game.state.documents["story-state.md"], text) is None


def test_a_folder_that_is_deleted_removes_no_document(folder: Path) -> None:
    game = signalled(folder)
    for name in (CORWIN, BRYN):
        game = game.reply(name, "I catch it.", "response")

    async def program(call: Call) -> None:
        await call.prompted()
        shutil.rmtree(call.folder / "tmp")
        await call.prompted()
        call.respond("Night falls.")

    after, _ = by_files(game, GM, folder, program)
    assert set(after.state.documents) >= set(game.state.documents)


# a character's own files


@pytest.mark.spec("F-043")
def test_notes_go_with_the_response(tmp_path: Path) -> None:
    game = signalled(tmp_path / "gm")
    path = f"tmp/{CORWIN}-notes-for-journal.md"
    game, _ = by_files(game, CORWIN, tmp_path / "corwin", writing({path: "I was afraid."}, "I catch it."))
    assert refusals(game) == []
    assert text_of(game, path) == "I was afraid.\n"
    assert text_of(game, f"tmp/{CORWIN}-response.md") == "I catch it.\n"


@pytest.mark.spec("F-045", "F-046", "F-047")
def test_an_entry_added_to_the_journal_goes_with_the_next_answer(folder: Path) -> None:
    game = asked(opened(), CORWIN)
    path = f"party/{CORWIN}-journal.md"
    game, _ = by_files(game, CORWIN, folder, writing({path: ENTRY}, "I take the rope."))
    assert refusals(game) == []
    assert text_of(game, path) == ENTRY
    game = asked(game.reply(GM, reply((None, "[NARRATIVE]\nOn it goes."))), CORWIN)
    second = ENTRY.replace("The quay", "The lamp")

    async def program(call: Call) -> None:
        await call.prompted()
        assert (call.folder / path).read_text() == ENTRY
        with (call.folder / path).open("a") as journal:
            journal.write("\n" + second)
        call.respond("On.")

    game, _ = by_files(game, CORWIN, folder, program)
    assert refusals(game) == []
    assert text_of(game, path).startswith(ENTRY)
    assert text_of(game, path).endswith(second)
    assert text_of(game, path).count("### ") == 2


@pytest.mark.spec("F-046")
def test_a_journal_that_was_changed_is_put_back(folder: Path) -> None:
    path = f"party/{CORWIN}-journal.md"
    game, _ = by_files(asked(opened(), CORWIN), CORWIN, folder, writing({path: ENTRY}, "I take the rope."))
    game = asked(game.reply(GM, reply((None, "[NARRATIVE]\nOn it goes."))), CORWIN)
    game, record = by_files(game, CORWIN, folder, writing({path: ENTRY.replace("Cold.", "Brave.")}, "On."))
    assert refusals(game) == []
    assert text_of(game, path) == ENTRY
    assert (folder / path).read_text() == ENTRY
    assert record.notes["set_aside"] == [f"{path} was changed and has been put back: it only grows, add at its end."]
    game = asked(game.reply(GM, reply((None, "[NARRATIVE]\nAnd on."))), CORWIN)

    async def program(call: Call) -> None:
        await call.prompted("## Not Taken", f"{path} was changed and has been put back")
        call.respond("Yes.")

    by_files(game, CORWIN, folder, program)


@pytest.mark.spec("F-047")
def test_an_entry_of_the_wrong_form_is_refused_and_the_answer_stands(folder: Path) -> None:
    path = f"party/{CORWIN}-journal.md"
    game, _ = by_files(asked(opened(), CORWIN), CORWIN, folder, writing({path: "Dear diary"}, "I take the rope."))
    assert len(refusals(game)) == 1
    assert game.sent("PLAYER_TO_GM")
    assert path not in game.state.documents


def test_a_refused_change_is_gone_from_the_folder_when_its_turn_is_asked_again(folder: Path) -> None:
    path = f"party/{CORWIN}-journal.md"
    game = asked(opened(), CORWIN, kind="QUICK_REACTION")
    wrong = f"[PLAYER_TO_GM]\ntype: DANCE\ncharacter: {CORWIN}\n\nI dance."
    game, _ = by_files(game, CORWIN, folder, writing({path: "Dear diary"}, wrong))
    assert game.turn(CORWIN).attempt == 2

    async def program(call: Call) -> None:
        await call.prompted("attempts_left: 2")
        assert not (call.folder / path).exists()
        call.respond("I take the rope.")

    game, _ = by_files(game, CORWIN, folder, program)
    assert refusals(game) == []


@pytest.mark.spec("F-015")
def test_what_is_not_the_seat_s_to_write_is_put_back(folder: Path) -> None:
    game = asked(opened(), CORWIN)
    files: dict[str, str | None] = {f"party/{CORWIN}.md": "HP: 99/99", "party-knowledge.md": "I am the king."}
    after, record = by_files(game, CORWIN, folder, writing(files, "I take the rope."))
    assert after.state.documents == game.state.documents
    assert (folder / "party-knowledge.md").read_bytes() == FILES["party-knowledge.md"]
    assert len(record.notes["set_aside"]) == 2


@pytest.mark.parametrize("response", ["done", ENTRY.replace("The quay", "The lamp")])
def test_a_turn_for_the_journal_is_answered_in_its_file_or_as_the_answer(folder: Path, response: str) -> None:
    game = answered(asked(opened("phase-2"), CORWIN), CORWIN)
    wrote = reply({"delta": {"document": "tmp/gm-state-delta.md", "operation": "set", "text": "The rope is gone."}})
    game = game.reply(GM, wrote)
    game = game.send(GM, "team-lead", "STATE_UPDATED", deltas_written=["gm-state-delta.md"], characters_involved=[])
    assert game.open()[CORWIN] == ["journal"]
    path = f"party/{CORWIN}-journal.md"
    game, _ = by_files(game, CORWIN, folder, writing({path: ENTRY}, response), "journal")
    assert refusals(game) == []
    assert text_of(game, path).startswith(ENTRY)
    assert text_of(game, path).count("### ") == (1 if response == "done" else 2)
    assert CORWIN not in game.open()


def test_a_change_that_no_answer_can_carry_waits_for_the_next(folder: Path) -> None:
    """A pass is one word; the entry goes with the answer after it."""
    path = f"party/{CORWIN}-journal.md"
    game = asked(opened(), CORWIN, kind="OPTIONAL_REACTION")
    game, _ = by_files(game, CORWIN, folder, writing({path: ENTRY}, "pass"))
    assert path not in game.state.documents
    assert (folder / path).read_text() == ENTRY
    game = asked(game, CORWIN)
    game, _ = by_files(game, CORWIN, folder, "I take the rope.")
    assert refusals(game) == []
    assert text_of(game, path) == ENTRY


def test_changes_too_long_for_one_answer_are_put_back_and_told(folder: Path) -> None:
    game = opened()
    files: dict[str, str | None] = {"story-state.md": "x " * 60_000, "tmp/gm-context.md": CONTEXT}
    after, record = by_files(game, GM, folder, writing(files, "Night falls."))
    assert refusals(after) == []
    assert text_of(after, "story-state.md") == STORY
    assert text_of(after, "tmp/gm-context.md") == CONTEXT
    assert "story-state.md was changed by more than one answer can carry" in record.notes["set_aside"][0]


def test_an_undecided_answer_is_given_again_with_its_changes(folder: Path) -> None:
    game = asked(opened(), CORWIN)
    path = f"party/{CORWIN}-journal.md"
    view, turn = seen_by(game, CORWIN), game.turn(CORWIN)
    first, _ = call(FilesAgent(folder), view, turn, writing({path: ENTRY}, "I take the rope."))

    async def nothing(call: Call) -> None:
        pass

    again, _ = call(FilesAgent(folder), view, turn, nothing)
    assert first == again
    game = game.reply(CORWIN, again)
    game = asked(game.reply(GM, reply((None, "[NARRATIVE]\nOn it goes."))), CORWIN)
    game, _ = by_files(game, CORWIN, folder, "On.")
    assert text_of(game, path).count("### ") == 1, "the entry is taken once"


# isolation


def test_what_a_seat_may_not_see_changes_no_byte_of_its_folder(tmp_path: Path) -> None:
    """Another GM's text, other sheets' secrets and another's secret request: the same folder for corwin."""

    def folder_of(where: Path, secret: str, hint: str) -> dict[str, bytes]:
        sheets = {f"party/{name}.md": SHEET.format(name=name) + f"\n## Secrets\n{secret}\n" for name in PARTY}
        files = {**FILES, "story-state.md": f"# Story\n\n{secret}\n".encode()}
        game = opened(files={**files, **{path: text.encode() for path, text in sheets.items()}})
        request = f"## Scene\nYour berth.\n\n## Just Happened\n{hint}\n\n## Request\nAnd you?"
        game = asked(game, BRYN, kind="SECRET_ACTION", body=request)
        game = answered(game, BRYN, body=f"I keep to myself: {secret}")
        game = asked(game, CORWIN)
        found: dict[str, bytes] = {}

        async def program(call: Call) -> None:
            await call.prompted()
            for path in sorted(call.folder.rglob("*")):
                if path.is_file() and not path.name.startswith("."):
                    found[str(path.relative_to(call.folder))] = path.read_bytes()

        left(FilesAgent(where), seen_by(game, CORWIN), game.turn(CORWIN), program)
        return found

    long = "The child took the bell, and nobody knows the reason for it at all."
    one = folder_of(tmp_path / "one", "The keeper cut the rope.", "A hand on your purse.")
    other = folder_of(tmp_path / "other", long, "Nothing more.")
    assert one == other
    assert len(one) == 3


@pytest.mark.spec("F-015")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2", "current"])
def test_each_seat_may_write_what_the_rules_say(edition: str) -> None:
    game = opened(edition)
    assert set(access(seen_by(game, CORWIN)).paths) == {
        f"tmp/{CORWIN}-notes-for-journal.md",
        f"party/{CORWIN}-journal.md",
    }
    gm = access(seen_by(game, GM)).paths
    assert ("story-state.md" in gm) == (edition == "current")
    assert ("tmp/gm-state-delta.md" in gm) == (edition != "current")
    assert gm[0] == "tmp/gm-context.md"
    assert access(seen_by(game, HUMAN)).paths == ()
    assert set(access(seen_by(game, NARRATOR)).paths) == {"scenes/001-opening.md"}


def test_ids_tell_turns_apart(tmp_path: Path) -> None:
    ids = []

    async def program(call: Call) -> None:
        ids.append(id_in(await call.prompted()))
        call.respond("I take the rope.")

    game, _ = by_files(asked(opened(), CORWIN), CORWIN, tmp_path / "a", program)
    game = asked(game.reply(GM, reply((None, "[NARRATIVE]\nOn it goes."))), CORWIN)
    by_files(game, CORWIN, tmp_path / "a", program)
    assert len(set(ids)) == 2
