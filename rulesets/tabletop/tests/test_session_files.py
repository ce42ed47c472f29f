"""File mode: prompts and responses as files between signals (F-018 to F-040, F-050, F-052, F-062, F-063)."""

from __future__ import annotations

from typing import Any

import pytest
from session import BRYN, CORWIN, TILDA, Session, asked, opened, reply

from sottovoce.domain.errors import Refused
from sottovoce.domain.events import AttemptFailed
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.documents.pieces import Piece, Pieces, rebuild
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import (
    CONTEXT_HEADINGS,
    SECTIONS,
    VETO_FIRST_LINE,
    check_response,
    error_report,
    read_prompt,
    write_context,
    write_prompt,
)
from sottovoce.rulesets.tabletop.rules.events import PieceWritten, RequestPassed
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, TEAM_LEAD

EDITIONS = ("phase-1", "phase-2", "current")
CONTEXT = "tmp/gm-context.md"
NOTES = write_context("They pull", [("a veto", "tell more"), ("a fight", "roll")], "The crew stares", "To the gate")
GOOD = write_prompt("QUICK_REACTION", "You stand at the rail.", "A rope snaps.", "What do you do at once?")


def put(path: str, text: str) -> dict[str, Any]:
    return {"delta": {"document": path, "operation": "set", "text": text}}


def gone(path: str) -> dict[str, Any]:
    return {"delta": {"document": path, "operation": "remove"}}


def prompt(name: str) -> str:
    return f"tmp/{name}-prompt.md"


def signal(*names: str) -> tuple[str, str]:
    return TEAM_LEAD, f"[AWAIT_AI_PLAYERS: {', '.join(names)}]"


def signalled(game: Session, *names: str, kind: str = "QUICK_REACTION") -> Session:
    text = GOOD.replace("QUICK_REACTION", kind)
    return game.reply(GM, reply(put(CONTEXT, NOTES), *(put(prompt(name), text) for name in names), signal(*names)))


def documents(text: str | None) -> dict[str, Pieces]:
    if text is None:
        return {}
    path = prompt(CORWIN)
    return {path: Pieces([Piece("k", path, None, text, (CORWIN, GM))])}


def report(text: str | None, edition: str = "current") -> str | None:
    return error_report(documents(text), edition, CORWIN, "the-bell")


# notes and signal


@pytest.mark.spec("F-018", "F-019")
def test_the_gm_s_notes_have_four_headings_and_pair_conditions_with_answers() -> None:
    assert [line[3:] for line in NOTES.splitlines() if line.startswith("## ")] == list(CONTEXT_HEADINGS)
    assert CONTEXT_HEADINGS == ("Expecting", "Contingencies", "NPC Reactions", "Scene Direction")
    assert "- a veto: tell more\n- a fight: roll\n" in NOTES


@pytest.mark.spec("F-025", "F-021")
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_signal_needs_the_notes_and_every_prompt(edition: str) -> None:
    game = opened(edition)
    bare = game.reply(GM, reply(signal(CORWIN)))
    assert CONTEXT in bare.refusal()
    assert prompt(CORWIN) in bare.refusal()
    assert not bare.sent()
    half = game.reply(GM, reply(put(CONTEXT, NOTES), put(prompt(CORWIN), GOOD), signal(CORWIN, BRYN)))
    assert f"Write {prompt(BRYN)} before" in half.refusal()
    unnoted = game.reply(GM, reply(put(prompt(CORWIN), GOOD), signal(CORWIN)))
    assert f"Write {CONTEXT} before" in unnoted.refusal()


@pytest.mark.spec("F-024", "F-026")
def test_the_signal_lists_ai_characters_by_full_name() -> None:
    game = opened()
    for names in ((TILDA,), ("zed-unknown",), ("corwin",)):
        written = [put(CONTEXT, NOTES), *(put(prompt(name), GOOD) for name in (TILDA, CORWIN))]
        step = game.reply(GM, reply(*written, signal(*names)))
        assert not step.sent()
        assert step.refusal()


@pytest.mark.spec("F-026", "F-010")
@pytest.mark.parametrize("edition", EDITIONS)
def test_each_listed_character_gets_a_turn_and_sees_its_own_prompt_alone(edition: str) -> None:
    game = signalled(opened(edition), CORWIN, BRYN)
    assert game.audience(MessageSent, "AWAIT_AI_PLAYERS") == {GM, TEAM_LEAD}
    assert game.open() | {"narrator": []} == {CORWIN: ["response"], BRYN: ["response"], "narrator": []}
    known = game.play.known(CORWIN).documents
    assert prompt(CORWIN) in known
    assert prompt(BRYN) not in known
    assert CONTEXT not in known
    assert GM not in game.open()


@pytest.mark.spec("F-017", "F-031", "F-027")
def test_the_turn_s_prompt_is_made_of_the_character_s_files_and_says_what_form_is_asked_for() -> None:
    files = {"party-knowledge.md": b"# Known\n", "world-primer.md": b"# World\n", f"party/{CORWIN}.md": b"# Sheet\n"}
    game = signalled(opened(files=files), CORWIN)
    lines = game.play.context(CORWIN)
    found = [line.removeprefix("DOCUMENT ") for line in lines.splitlines() if line.startswith("DOCUMENT ")]
    assert found == [prompt(CORWIN)]
    assert list(TABLETOP.handouts(game.play.known(CORWIN), CORWIN)) == [f"party/{CORWIN}.md", "party-knowledge.md"]
    assert "one or two sentences" in game.play.request(CORWIN).ask
    combat = signalled(opened(), CORWIN, kind="COMBAT_ACTION")
    assert "one combat turn" in combat.play.request(CORWIN).ask


@pytest.mark.spec("F-062", "F-022", "F-040")
def test_the_gm_is_resumed_once_all_have_written_reported_or_failed() -> None:
    game = signalled(opened(), CORWIN, BRYN).reply(CORWIN, "I row.")
    assert GM not in game.open()
    done = game.exhaust(BRYN, "---\n---")
    assert [event for event in done.last if isinstance(event, RequestPassed)] == [
        RequestPassed(character=BRYN, fallback=True)
    ]
    assert f"tmp/{BRYN}-response.md" not in done.state.documents
    assert done.open()[GM] == ["beat"]
    shown = done.play.context(GM)
    assert shown.index(f"DOCUMENT {CONTEXT}") < shown.index(f"DOCUMENT tmp/{CORWIN}-response.md")
    reported = game.reply(BRYN, "[ERROR: Malformed prompt]\n\nMissing required section: Scene")
    assert reported.open()[GM] == ["beat"]
    assert "Missing required section: Scene" in reported.play.context(GM)


@pytest.mark.spec("F-062")
def test_while_the_gm_waits_it_does_not_signal_again() -> None:
    game = signalled(opened(), CORWIN)
    assert "You wait for the responses" in game.say(GM, reply(put(prompt(BRYN), GOOD), signal(BRYN))).refusal()


# prompts


@pytest.mark.spec("F-027", "F-029")
def test_a_prompt_file_has_front_matter_and_three_sections_in_order() -> None:
    read = read_prompt(GOOD, "current")
    assert (read.request_type, read.missing) == ("QUICK_REACTION", ())
    assert GOOD.startswith("---\nrequest_type: QUICK_REACTION\n---\n")
    assert [line[3:] for line in GOOD.splitlines() if line.startswith("## ")] == list(SECTIONS)
    assert read_prompt(GOOD.replace("A rope snaps.", ""), "current").missing == ("Just Happened",)
    first, rest = GOOD.split("## Just Happened")
    swapped = first.replace("Scene", "Request") + "## Just Happened" + rest.replace("## Request", "## Scene")
    assert read_prompt(swapped, "current").missing


@pytest.mark.spec("F-028", "T-054")
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_request_types_of_a_prompt_are_the_edition_s(edition: str) -> None:
    for kind in ("QUICK_REACTION", "COMBAT_ACTION", "FULL_CONTEXT", "SECRET_ACTION"):
        assert read_prompt(GOOD.replace("QUICK_REACTION", kind), edition).request_type == kind
    for kind in ("OPTIONAL_REACTION", "REFLECTION", "INTERACTION"):
        lacks = read_prompt(GOOD.replace("QUICK_REACTION", kind), edition).missing
        assert lacks == (() if edition == "current" else ("request_type",))


@pytest.mark.spec("F-030", "T-063")
def test_a_prompt_file_that_tells_what_is_closed_to_its_character_is_not_written() -> None:
    told = "the lamp keeper drowned the bell himself on the night"
    step = opened().reply(GM, reply(put(prompt(CORWIN), GOOD.replace("A rope snaps.", f"They say {told}."))))
    assert told in step.refusal()
    assert prompt(CORWIN) not in step.state.documents


# responses


@pytest.mark.spec("F-032", "T-138")
@pytest.mark.parametrize("text", ["", " \n", "\u200b", "---\nmood: grim\n---\n\nI row."])
def test_a_response_is_text_without_front_matter(text: str) -> None:
    game = signalled(opened(), CORWIN).reply(CORWIN, text)
    assert [event.seat for event in game.last if isinstance(event, AttemptFailed)] == [CORWIN]
    assert f"tmp/{CORWIN}-response.md" not in game.state.documents


@pytest.mark.spec("F-032", "F-010")
def test_a_response_is_written_as_the_character_s_file_for_it_and_the_gm() -> None:
    game = signalled(opened(), CORWIN).reply(CORWIN, "I row. (Athletics check)")
    pieces = game.state.documents[f"tmp/{CORWIN}-response.md"]
    assert rebuild(pieces) == "I row. (Athletics check)\n"
    assert {piece.readers for piece in pieces} == {(CORWIN, GM)}
    written = next(event for event in game.last if isinstance(event, PieceWritten))
    assert written.seat == CORWIN


@pytest.mark.spec("F-033", "F-034")
@pytest.mark.parametrize(
    "text",
    [
        "[VETO - need more input]\n\nMy sheet says nothing of ropes.",
        "[VETO] My sheet says nothing of ropes.",
        "[VETO: what?]\nMy sheet says nothing of ropes.",
    ],
)
def test_a_veto_in_any_wording_is_kept_in_one_form(text: str) -> None:
    kept = check_response(documents(GOOD), "current", CORWIN, text, "the-bell")
    assert kept == "[VETO - need more input]\n\nMy sheet says nothing of ropes.\n"


@pytest.mark.spec("F-033", "F-063")
def test_a_veto_has_a_reason_and_is_no_answer_to_full_context() -> None:
    with pytest.raises(Refused, match="gives its reason"):
        check_response(documents(GOOD), "current", CORWIN, "[VETO - need more input]\n\n", "the-bell")
    full = documents(GOOD.replace("QUICK_REACTION", "FULL_CONTEXT"))
    with pytest.raises(Refused, match="cannot be vetoed"):
        check_response(full, "current", CORWIN, "[VETO] More!", "the-bell")


@pytest.mark.spec("F-034")
def test_an_error_report_is_kept_as_it_is() -> None:
    text = "[ERROR: Something else]\n\nHm."
    assert check_response(documents(None), "current", CORWIN, text, "the-bell") == text + "\n"


@pytest.mark.spec("F-035")
def test_a_response_comes_after_the_signal_from_its_character_once() -> None:
    path = f"tmp/{CORWIN}-response.md"
    text = reply(put(path, "I row."))
    assert "after the GM has signalled" in opened().say(CORWIN, text).refusal()
    game = signalled(opened(), CORWIN)
    assert "can't write" in game.say(BRYN, text).refusal()
    appended = {"delta": {"document": path, "operation": "append", "text": "I row."}}
    assert "whole response" in game.say(CORWIN, reply(appended)).refusal()
    done = game.say(CORWIN, text)
    assert rebuild(done.state.documents[path]) == "I row.\n"
    assert CORWIN not in done.open()
    assert "only once" in done.say(CORWIN, reply(put(path, "No: I bail."))).refusal()


@pytest.mark.spec("F-035", "F-037")
def test_without_its_prompt_a_character_can_only_report_that() -> None:
    game = signalled(opened(), CORWIN).say(GM, reply(gone(prompt(CORWIN))))
    step = game.reply(CORWIN, "I row.")
    assert "There is no prompt file" in step.refusal()
    missing = f"[ERROR: Prompt file not found]\n\nExpected: campaigns/the-drowned-bell/{prompt(CORWIN)}"
    assert all(line in game.play.context(CORWIN) for line in missing.splitlines())
    assert rebuild(game.reply(CORWIN, missing).state.documents[f"tmp/{CORWIN}-response.md"]) == missing + "\n"


@pytest.mark.spec("F-036", "F-062")
def test_after_a_veto_the_gm_writes_a_fresh_prompt_with_full_context() -> None:
    game = signalled(opened(), CORWIN, BRYN).reply(BRYN, "I bail.").reply(CORWIN, "[VETO] My sheet is silent.")
    assert game.open()[GM] == ["veto"]
    assert "FULL_CONTEXT" in game.send(GM, None, "NARRATIVE", "Rain.").refusal()
    stale = game.reply(GM, reply(signal(CORWIN)))
    assert "request_type: FULL_CONTEXT" in stale.refusal()
    full = signalled(game, CORWIN, kind="FULL_CONTEXT")
    assert full.open()[CORWIN] == ["response"]
    assert "cannot be vetoed" in full.reply(CORWIN, "[VETO] More!").refusal()
    done = full.reply(CORWIN, "I dive.")
    assert rebuild(done.state.documents[f"tmp/{CORWIN}-response.md"]) == "I dive.\n"
    assert done.open()[GM] == ["beat"]


@pytest.mark.spec("F-036")
def test_a_signal_settles_no_veto_but_those_of_the_characters_that_it_lists() -> None:
    game = signalled(opened(), CORWIN, BRYN).reply(BRYN, "[VETO] Which boat?").reply(CORWIN, "[VETO] Which rope?")
    answered = signalled(game, CORWIN, kind="FULL_CONTEXT").reply(CORWIN, "I dive.")
    early = signalled(answered, BRYN)
    assert f"{BRYN} vetoed" in early.refusal()
    assert not early.sent()
    assert signalled(answered, BRYN, kind="FULL_CONTEXT").open()[BRYN] == ["response"]


# error reports


@pytest.mark.spec("F-037")
def test_a_missing_prompt_is_reported_with_its_path() -> None:
    assert report(None) == f"[ERROR: Prompt file not found]\n\nExpected: campaigns/the-bell/{prompt(CORWIN)}"
    assert report(GOOD) is None


@pytest.mark.spec("F-038", "F-039")
def test_a_malformed_prompt_is_reported_section_by_section() -> None:
    head = "[ERROR: Malformed prompt]\n\n"
    line = "Missing required section: "
    assert report(GOOD.replace("## Scene", "## Place")) == f"{head}{line}Scene"
    assert report("## Scene\na\n") == f"{head}{line}request_type\n{line}Just Happened\n{line}Request"
    assert report(GOOD.replace("QUICK_REACTION", "QUICK | FULL")) == f"{head}{line}request_type"
    assert report(GOOD.replace("QUICK_REACTION", "REFLECTION"), "phase-1") == f"{head}{line}request_type"


@pytest.mark.spec("F-040")
def test_the_gm_goes_on_after_a_report_with_or_without_the_reply() -> None:
    game = signalled(opened(), CORWIN).reply(CORWIN, "[ERROR: Malformed prompt]\n\nMissing required section: Scene")
    assert game.open()[GM] == ["beat"]
    assert game.send(GM, None, "NARRATIVE", "Rain.").sent("NARRATIVE")
    assert signalled(game, CORWIN).open()[CORWIN] == ["response"]


# the whole cycle


@pytest.mark.spec("F-050", "F-052")
@pytest.mark.parametrize("edition", EDITIONS)
def test_one_cycle_from_notes_to_cleaning_up(edition: str) -> None:
    game = signalled(opened(edition), CORWIN, BRYN).reply(BRYN, "I bail.").reply(CORWIN, "I row.")
    left = (CONTEXT, *(path for name in (CORWIN, BRYN) for path in (prompt(name), f"tmp/{name}-response.md")))
    assert set(left) <= set(game.state.documents)
    done = game.reply(GM, reply((None, "[NARRATIVE]\n\nThe boat moves."), *map(gone, left)))
    assert not [path for path in done.state.documents if path in left]
    happened: list[Any] = [draft.event for draft in done.play.drafts]

    def subject(event: Any) -> Any:
        return event.document if hasattr(event, "document") else getattr(event, "tag", None)

    order = [
        (type(event).__name__, subject(event))
        for event in happened
        if subject(event) in {*left, "AWAIT_AI_PLAYERS", "NARRATIVE"} and getattr(event, "seat", None)
    ]
    names = [name for _, name in order]
    assert names.index(CONTEXT) < names.index(prompt(CORWIN)) < names.index("AWAIT_AI_PLAYERS")
    assert names.index("AWAIT_AI_PLAYERS") < names.index(f"tmp/{BRYN}-response.md")
    assert [kind for kind, _ in order[-len(left) :]] == ["PieceRemoved"] * len(left)


@pytest.mark.spec("T-059", "T-073", "F-010", "T-118")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2"])
@pytest.mark.parametrize("vetoed", [False, True])
def test_a_secret_response_stays_out_of_the_decision_log(edition: str, vetoed: bool) -> None:
    game = opened(edition).reply(GM, reply(put(CONTEXT, NOTES), put(prompt(BRYN), GOOD), signal(BRYN)))
    game = signalled(game.reply(BRYN, "I bail."), CORWIN, kind="SECRET_ACTION")
    if vetoed:
        game = signalled(game.reply(CORWIN, f"{VETO_FIRST_LINE}\n\nWhose purse?"), CORWIN, kind="FULL_CONTEXT")
    game = game.reply(CORWIN, "I take the purse.")
    report = (TEAM_LEAD, "[STATE_UPDATED]\ndeltas_written:\n  - tmp/gm-state-delta.md\ncharacters_involved: []")
    game = game.reply(GM, reply(put("tmp/gm-state-delta.md", "- Tide."), report))
    assert "I bail." in rebuild(game.state.documents["decision-log.md"])
    for seat in game.state.seats:
        assert ("I take the purse." in str(game.seen_by(seat))) == (seat in (GM, CORWIN))
    again = signalled(game.send(GM, None, "NARRATIVE", "Rain."), CORWIN, kind="FULL_CONTEXT").reply(
        CORWIN, "I wave.", "response"
    )
    told = again.reply(GM, reply(put("tmp/gm-state-delta.md", "- Ebb."), report))
    assert "I wave." in rebuild(told.state.documents["decision-log.md"])


@pytest.mark.spec("F-026", "T-133")
def test_files_and_messages_can_be_awaited_at_once() -> None:
    game = opened()
    items: list[Any] = [put(CONTEXT, NOTES), put(prompt(CORWIN), GOOD), signal(CORWIN)]
    game = asked(game, BRYN).say(GM, reply(*items))
    assert (game.open()[BRYN], game.open()[CORWIN]) == (["quick-reaction"], ["response"])
    assert GM not in game.reply(CORWIN, "I row.").open()


@pytest.mark.spec("F-062", "T-157")
def test_an_end_takes_the_responses_back() -> None:
    game = signalled(opened(), CORWIN).say(HUMAN, "/end")
    assert CORWIN not in game.open()
    assert not game.state.signalled


@pytest.mark.spec("F-052", "F-015")
def test_the_gm_takes_responses_away_and_changes_nothing_in_them() -> None:
    game = signalled(opened(), CORWIN).reply(CORWIN, "I row.")
    path = f"tmp/{CORWIN}-response.md"
    assert "can't write" in game.say(GM, reply(put(path, "I flee."))).refusal()
    part = {"delta": {"document": path, "operation": "remove", "text": "row"}}
    assert "can't write" in game.say(GM, reply(part)).refusal()
    assert path not in game.say(GM, reply(gone(path))).state.documents
