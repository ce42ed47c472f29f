"""What the audit notes about a tabletop session: fields, threads, ends, talk, work and files that are not in order."""

from __future__ import annotations

from typing import Any

import pytest
from session import BRYN, CORWIN, FILES, TILDA, Session, asked, content, envelope, opened, recorded, reply

from sottovoce.projections.audit import leaks
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import write_context, write_prompt
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR, TEAM_LEAD
from sottovoce.rulesets.tabletop.shown.sessions import session_notes

DOCKS = f"(Group docks: {CORWIN}, {BRYN})\n\nDark."
TOWER = f"(Group tower: {TILDA})\n\nStone."
TOGETHER = f"(Group all: {TILDA}, {CORWIN}, {BRYN})\n\nThe gate."
CONTEXT = "tmp/gm-context.md"
NOTES = write_context("They pull", [("a veto", "tell more")], "The crew stares", "To the gate")
PROMPT = write_prompt("QUICK_REACTION", "a", "b", "c")


def found(game: Session, *kinds: str) -> list[tuple[str, str]]:
    """Return the kind and text of each finding, of these kinds if any are named."""
    return [(note.kind, note.what) for note in session_notes(recorded(game)) if not kinds or note.kind in kinds]


def put(path: str, text: str) -> dict[str, Any]:
    return {"delta": {"document": path, "operation": "set", "text": text}}


def gone(path: str) -> dict[str, Any]:
    return {"delta": {"document": path, "operation": "remove"}}


def prompt(name: str) -> str:
    return f"tmp/{name}-prompt.md"


def signal(*names: str) -> tuple[str, str]:
    return TEAM_LEAD, f"[AWAIT_AI_PLAYERS: {', '.join(names)}]"


def end(game: Session, saved: str = "true") -> Session:
    text = content(game.state, "SESSION_END", summary="s", state_saved=saved, next_hook="h")
    save = {"delta": {"document": "story-state.md", "operation": "append", "text": "- Rain."}}
    return game.say(GM, reply(*((save,) if saved == "true" else ()), (TEAM_LEAD, text)))


def to_the_end(game: Session) -> Session:
    while not game.state.over:
        turn = next(iter(game.state.turns.values()))
        game = game.reply(turn.seat, "pass", turn.kind)
    return game


def gm(game: Session, *items: Any) -> Session:
    return game.say(GM, reply(*items))


def quiet() -> Session:
    """A session in which the GM has no turn, so that it can say anything."""
    return asked(opened(), TILDA)


def test_a_session_in_order_gives_nothing_to_note() -> None:
    game = gm(quiet(), put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT), signal(CORWIN)).reply(CORWIN, "I row.")
    game = gm(game, *map(gone, (CONTEXT, prompt(CORWIN), f"tmp/{CORWIN}-response.md")))
    game = gm(
        game, (TEAM_LEAD, f"[NARRATIVE]\n\n{DOCKS}"), (NARRATOR, "[NARRATOR_NOTE]\nfrom: gm\nnote: At the docks.")
    )
    assert found(to_the_end(end(game))) == []
    assert leaks(TABLETOP, recorded(to_the_end(end(game))), []).ok


@pytest.mark.spec("T-030")
def test_fields_that_a_tag_does_not_know_are_noted() -> None:
    game = gm(quiet(), (NARRATOR, "[NARRATOR_NOTE]\nfrom: gm\nnote: Green.\nmood: grim\ncolour: red"))
    assert found(game) == [("undefined field", "NARRATOR_NOTE of gm has unknown fields: mood, colour.")]
    audit = leaks(TABLETOP, recorded(game), [])
    assert [note.kind for note in audit.findings if note.kind == "undefined field"] == ["undefined field"]
    assert audit.ok


@pytest.mark.spec("T-049")
def test_a_narrative_for_one_group_without_a_note_that_names_it_is_noted() -> None:
    game = gm(quiet(), (TEAM_LEAD, f"[NARRATIVE]\n\n{DOCKS}"))
    assert found(game) == []
    other = (NARRATOR, "[NARRATOR_NOTE]\nfrom: gm\nnote: The tower sways.")
    own = (NARRATOR, "[NARRATOR_NOTE]\nfrom: gm\nnote: At the docks it is dark.")
    for after in ((TEAM_LEAD, f"[NARRATIVE]\n\n{DOCKS}"), (None, f"[NARRATIVE]\n\n{TOGETHER}")):
        assert [kind for kind, _ in found(gm(game, other, after))] == ["group unnoted"]
        assert found(gm(game, own, after)) == []
    assert found(gm(game, (TEAM_LEAD, f"[NARRATIVE]\n\n{TOWER}"))) == []
    assert [kind for kind, _ in found(end(game))] == ["group unnoted"]


@pytest.mark.spec("T-104")
def test_an_end_without_saving_is_noted() -> None:
    assert [kind for kind, _ in found(end(quiet(), "false"))] == ["not saved"]
    assert found(end(quiet())) == []


@pytest.mark.spec("T-154")
def test_talk_between_groups_is_delivered_and_noted() -> None:
    def talk(game: Session, one: str, other: str) -> Session:
        return game.say(one, envelope(game.state, other, "PLAYER_TO_PLAYER", "Psst.", from_=one, to_=other))

    split = gm(quiet(), (TEAM_LEAD, f"[NARRATIVE]\n\n{DOCKS}"))
    across = talk(split, CORWIN, TILDA)
    assert across.sent("PLAYER_TO_PLAYER")
    assert found(across) == [("talk across groups", f"{CORWIN} spoke to {TILDA}, who is in another group.")]
    assert found(talk(split, CORWIN, BRYN)) == []
    assert found(talk(quiet(), CORWIN, TILDA)) == []


@pytest.mark.spec("T-159")
def test_background_work_that_failed_is_noted_once() -> None:
    game = opened().exhaust(NARRATOR)
    assert found(game) == [("work failed", "narrator did not do its part (scene).")]
    journal = gm(quiet(), put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT), signal(CORWIN)).reply(CORWIN, "I row.")
    journal = gm(journal, (None, "[NARRATIVE]\n\nRain.")).exhaust(CORWIN, "Dear diary", "journal")
    assert found(journal, "work failed") == [("work failed", f"{CORWIN} did not do its part (journal).")]
    path = "tmp/gm-state-delta.md"
    old = opened("phase-1")
    report = content(old.state, "STATE_UPDATED", deltas_written=[path], characters_involved=[])
    lost = old.reply(GM, reply(put(path, "- Tide."), (TEAM_LEAD, report), gone(path)))
    assert found(lost, "work failed") == [("work failed", "The task state-delta-writer failed.")]


@pytest.mark.spec("F-002")
def test_a_file_that_has_no_place_in_tmp_is_noted_once() -> None:
    game = gm(quiet(), put("tmp/ideas.md", "a"), put("tmp/ideas.md", "b"))
    assert found(game) == [("stray file", "tmp/ideas.md does not belong in tmp/.")]
    imported = opened(files={"tmp/old.md": b"x", CONTEXT: b"y", "tmp/gm-state-delta.md": b"z"})
    assert [what.split()[0] for _, what in found(imported, "stray file")] == ["tmp/gm-state-delta.md", "tmp/old.md"]
    assert found(opened("phase-1", files={"tmp/gm-state-delta.md": b"z"}), "stray file") == []


@pytest.mark.spec("F-020")
def test_notes_of_more_than_ten_lines_are_noted() -> None:
    ten = "## Expecting\n\n" + "- line\n" * 10
    assert found(gm(quiet(), put(CONTEXT, ten))) == []
    assert found(gm(quiet(), put(CONTEXT, ten + "- line\n"))) == [
        ("notes too long", f"{CONTEXT} has 11 lines. The limit is 10.")
    ]


@pytest.mark.spec("F-023", "F-051")
def test_notes_that_serve_two_signals_are_noted() -> None:
    game = gm(quiet(), put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT), signal(CORWIN)).reply(CORWIN, "I row.")
    again = gm(game, put(prompt(BRYN), PROMPT), signal(BRYN))
    assert [kind for kind, _ in found(again)] == ["out of order"]
    assert found(gm(game, put(CONTEXT, NOTES), put(prompt(BRYN), PROMPT), signal(BRYN))) == []


@pytest.mark.spec("F-051", "F-050")
def test_steps_out_of_order_are_noted() -> None:
    early = gm(quiet(), put(prompt(CORWIN), PROMPT), put(CONTEXT, NOTES), signal(CORWIN))
    assert found(early) == [("out of order", f"{prompt(CORWIN)} was written before {CONTEXT}.")]
    game = gm(quiet(), put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT), signal(CORWIN))
    assert found(gm(game, gone(prompt(CORWIN)))) == [
        ("out of order", f"{prompt(CORWIN)} was deleted before {CORWIN} had answered it.")
    ]
    assert found(gm(game.reply(CORWIN, "I row."), gone(prompt(CORWIN)))) == []


@pytest.mark.spec("F-053")
def test_writing_over_a_file_of_an_earlier_cycle_is_noted() -> None:
    game = gm(quiet(), put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT), signal(CORWIN)).reply(CORWIN, "I row.")
    over = gm(game, put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT), signal(CORWIN)).reply(CORWIN, "I bail.")
    files = [prompt(CORWIN), f"tmp/{CORWIN}-response.md"]
    assert [what.split()[0] for _, what in found(over, "stale file")] == files
    clean = gm(game, *map(gone, files), put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT), signal(CORWIN))
    assert found(clean.reply(CORWIN, "I bail.")) == []
    drafted = gm(quiet(), put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT), put(prompt(CORWIN), PROMPT))
    assert found(drafted) == []
    left = asked(opened(files={prompt(CORWIN): b"old"}), TILDA)
    assert [kind for kind, _ in found(gm(left, put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT)))] == ["stale file"]


@pytest.mark.spec("F-054", "F-042")
def test_what_is_left_in_tmp_at_the_end_is_noted_by_name() -> None:
    game = gm(quiet(), put(CONTEXT, NOTES), put(prompt(CORWIN), PROMPT), signal(CORWIN)).reply(CORWIN, "I row.")
    game = gm(game, (None, "[NARRATIVE]\n\nRain."))
    assert "tmp/narrative-for-journal.md" in game.state.documents
    left = [what.split()[0] for kind, what in found(to_the_end(end(game)), "left over")]
    assert left == sorted((CONTEXT, prompt(CORWIN), f"tmp/{CORWIN}-response.md"))
    assert found(game, "left over") == []


def test_secrets_that_stand_in_text_open_to_a_player_are_noted() -> None:
    told = {**FILES, f"party/{TILDA}.md": b"# Tilda\n\nShe keeps the Ember Key under her coat.\n"}
    told["story-state.md"] = b"# Story\n\nThe Ember Key opens the drowned gate.\n"
    told["npcs/keeper.md"] = b"# Keeper\n\n## Secrets\nHe wants the Ember Key.\n"
    notes = found(opened(files=told), "open to a player")
    assert notes == [("open to a player", f"term: 'Ember Key' appears in party/{TILDA}.md, Tilda")]
    assert found(opened(), "open to a player") == []


def told(game: Session) -> list[tuple[int | None, tuple[str, ...], str]]:
    """Return what the audit notes about the GM's words: the position, who heard them, and what it says."""
    every = leaks(TABLETOP, recorded(game), []).findings
    return [(one.position, one.seats, one.what) for one in every if one.author == GM and one.kind != "widened"]


def test_a_gm_that_narrates_what_was_answered_openly_gives_nothing_away() -> None:
    deed = "I grab the snapping rope and hold it until somebody ties the boat."
    game = asked(opened(), CORWIN).send(CORWIN, GM, "PLAYER_TO_GM", deed, type="ACTION", character=CORWIN)
    assert told(game.send(GM, None, "NARRATIVE", f"Corwin nods. {deed}")) == []


@pytest.mark.parametrize("how", ["secret action", "whisper", "secret in a file"])
def test_a_gm_that_tells_what_others_may_not_know_is_noted_with_those_who_heard_it(how: str) -> None:
    secret = "I hide the second key under the third stone of the wall"
    files = {**FILES, "npcs/ferryman.md": f"# Ferryman\n\nWet.\n\n## Secrets\n{secret}.\n".encode()}
    game = opened(files=files if how == "secret in a file" else FILES)
    if how == "secret action":
        game = asked(game, CORWIN, kind="SECRET_ACTION")
        game = game.send(CORWIN, GM, "PLAYER_TO_GM", f"{secret}.", type="ACTION", character=CORWIN)
    elif how == "whisper":
        game = game.say(CORWIN, envelope(game.state, BRYN, "PLAYER_TO_PLAYER", f"{secret}.", from_=CORWIN, to_=BRYN))
    assert told(game) == []
    game = game.send(GM, None, "NARRATIVE", f"You all see it: {secret.lower()}. Gulls cry.")
    ((_, seats, what),) = told(game)
    assert secret.lower() in what
    knew = {"secret action": {CORWIN}, "whisper": {CORWIN, BRYN, NARRATOR}, "secret in a file": set()}[how]
    assert set(seats) == {*game.state.seats} - {GM, *knew}


@pytest.mark.spec("F-054", "F-002")
def test_what_nobody_knows_is_left_over_in_the_audit() -> None:
    game = gm(quiet(), put("tmp/tides.md", "High at dusk."))
    left = [what.split()[0] for kind, what in found(to_the_end(end(game)), "left over")]
    assert left == ["tmp/tides.md"]
