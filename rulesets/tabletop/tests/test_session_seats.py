"""Who sits at a session, and who may speak as whom (T-009 to T-014)."""

from __future__ import annotations

import pytest
from session import (
    BRYN,
    CORWIN,
    FILES,
    PARTY,
    TILDA,
    Session,
    answered,
    asked,
    content,
    decided,
    envelope,
    opened,
    session,
)

from sottovoce.domain import commands
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.testing import NOON, Playtest
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.events import ActionAsked, PieceWritten
from sottovoce.rulesets.tabletop.rules.messages import addressees, edition_of
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

EDITIONS = ("phase-1", "phase-2", "current")


@pytest.mark.spec("T-009")
def test_the_seats_are_the_standing_ones_the_characters_and_the_human_if_one_takes_part() -> None:
    assert session().state.seats == (GM, TEAM_LEAD, NARRATOR, *PARTY, HUMAN)
    assert session(human=False).state.seats == (GM, TEAM_LEAD, NARRATOR, *PARTY)


@pytest.mark.spec("T-009")
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_human_s_own_seat_is_nobody_s_addressee(edition: str) -> None:
    game = opened(edition)
    refused = game.reply(GM, f"@{HUMAN}\n[NARRATIVE]\n\nFor you alone.")
    assert "write to one of" in refused.refusal()
    assert not refused.sent()


@pytest.mark.spec("T-010")
def test_in_phase_1_characters_are_no_standing_seats() -> None:
    game = opened("phase-1")
    assert addressees(edition_of(game.state), PARTY) == (GM, TEAM_LEAD, NARRATOR)
    assert CORWIN not in {seat for seat, _ in game.state.turns}
    assert "no messages" in game.say(CORWIN, f"@{GM}\nHello").refusal()
    refused = game.reply(GM, f"@{CORWIN}\n[CONTEXT_REFRESH]\ncampaign: x")
    assert not refused.sent()


@pytest.mark.spec("T-010", "F-017")
def test_in_phase_1_a_character_sees_its_own_request_and_its_files_and_no_broadcast() -> None:
    files = {"world-primer.md": b"# World\n", "party-knowledge.md": b"# Known\n", f"party/{CORWIN}.md": b"# C\n"}
    game = opened("phase-1", files=files)
    entry = {"request_type": "QUICK_REACTION", "scene_context": "a", "just_happened": "b", "request": "c"}
    game = game.send(
        GM,
        TEAM_LEAD,
        "AWAIT_PLAYERS",
        characters=[{"name": CORWIN, **entry}, {"name": BRYN, **entry}],
        scene_number="001",
        scene_slug="opening",
    )
    seen = game.seen_by(CORWIN)
    assert {event.document for event in seen if isinstance(event, PieceWritten)} == {
        "party-knowledge.md",
        f"party/{CORWIN}.md",
    }
    assert [event.character for event in seen if isinstance(event, ActionAsked)] == [CORWIN]
    names = {type(event).__name__ for event in seen}
    assert names == {"GameOpened", "PieceWritten", "ActionAsked", "TurnOpened"}


@pytest.mark.spec("T-013")
def test_a_message_that_names_another_speaker_than_its_sender_is_refused() -> None:
    game = asked(opened(), CORWIN, BRYN)
    wrong = [
        (GM, "PLAYER_TO_GM", {"type": "ACTION", "character": BRYN}),
        (BRYN, "PLAYER_TO_PLAYER", {"from_": TILDA, "to_": BRYN}),
    ]
    for to, tag, fields in wrong:
        step = game.say(CORWIN, _one(game, to, tag, "I do.", **fields))
        assert f"{CORWIN} sends this" in step.refusal()
        assert not step.sent()
    note = game.say(CORWIN, _one(game, NARRATOR, "NARRATOR_NOTE", from_=GM, note="Hm."))
    assert f"write from: {CORWIN}" in note.refusal()
    relayed = asked(opened(), TILDA)
    body = "## Scene\na\n\n## Decision Needed\nb\n\n## Suggested Options\n- c"
    assert "sends this" in relayed.send(TILDA, TEAM_LEAD, "RELAY_TO_HUMAN", body, character=CORWIN).refusal()


def _one(game: Session, to: str, tag: str, body: str = "", **fields: str) -> str:
    return envelope(game.state, to, tag, body, **fields)


@pytest.mark.spec("T-014")
def test_what_speaks_of_the_human_names_the_human_s_character() -> None:
    relayed = asked(opened(), TILDA).send(
        TILDA,
        TEAM_LEAD,
        "RELAY_TO_HUMAN",
        "## Scene\na\n\n## Decision Needed\nb\n\n## Suggested Options\n- c",
        character=TILDA,
    )
    assert (
        "tilda-brannock"
        in relayed.say(TEAM_LEAD, _one(relayed, TILDA, "HUMAN_DECISION", "Go!", character=CORWIN)).refusal()
    )
    dice = {"check": "luck", "roll": "1d20 = [8] = 8"}
    assert (
        "human's character"
        in relayed.say(TEAM_LEAD, _one(relayed, GM, "DICE_RESULT", character=BRYN, **dice)).refusal()
    )
    assert relayed.say(TEAM_LEAD, _one(relayed, GM, "DICE_RESULT", character=TILDA, **dice)).sent("DICE_RESULT")
    acting = opened("phase-2", "Fog.\n\nWhat do you do?")
    text = _one(acting, GM, "PLAYER_ACTION", character=CORWIN, action="I wait.")
    assert "human's character" in acting.say(TEAM_LEAD, text).refusal()


def test_a_seat_that_is_not_at_the_table_sends_nothing() -> None:
    game = opened()
    step = game.say("zed-the-stranger", content(game.state, "NARRATIVE", "Ha."))
    assert "no seat" in step.refusal()


@pytest.mark.spec("F-004", "T-002")
@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("campaign", ""),
        ("campaign", "The Bell"),
        ("campaign", "../bell"),
        ("narrative_style", " "),
        ("edition", "next"),
    ],
)
def test_a_session_with_a_malformed_rule_is_not_opened(rule: str, value: str) -> None:
    command = commands.Open(
        NOON, session().state.seats, {}, Seed.of(1), {"campaign": "the-bell", "player_character": TILDA, rule: value}
    )
    with pytest.raises(SetupRefused, match=rule):
        Playtest(TABLETOP, TABLETOP.initial).when(command)


def test_a_session_needs_a_character_and_one_that_is_there() -> None:
    opening = {"campaign": "the-bell"}
    with pytest.raises(SetupRefused, match="at least one character"):
        Playtest(TABLETOP, TABLETOP.initial).when(
            commands.Open(NOON, (GM, TEAM_LEAD, NARRATOR), {}, Seed.of(1), opening)
        )
    with pytest.raises(SetupRefused, match="not one of the characters"):
        session(player_character="zed")


def test_nothing_is_taken_once_the_session_is_over() -> None:
    game = opened().send(GM, TEAM_LEAD, "SESSION_END", summary="s", state_saved="false", next_hook="h")
    if not game.state.over:
        game = game.reply(NARRATOR, "pass", "scene")
    assert game.state.over
    for text in (
        '{"delta": {"document": "story-state.md", "operation": "append", "text": "More."}}',
        f'{{"roll": {{"who": "{TILDA}", "check": "luck", "expression": "1d20"}}}}',
        "Hello?",
    ):
        step = game.say(GM, text)
        assert not step.last
        assert step.state == game.state


def test_the_characters_stand_in_seating_order_whoever_of_them_is_the_human_s() -> None:
    game = opened(player_character=BRYN)
    assert game.state.played == PARTY
    assert game.state.ai_characters == (TILDA, CORWIN)
    assert opened(human=False).state.ai_characters == PARTY
    assert answered(decided(asked(game, BRYN)), BRYN).sent("PLAYER_TO_GM")


@pytest.mark.spec("F-060", "T-144")
def test_what_the_gm_alone_reads_in_a_sheet_is_nothing_that_its_character_has() -> None:
    sheet = b"# Tilda\n\nHP: 12/12\n\n## GM Notes\nGold: 400\n"
    game = opened(files={**FILES, f"party/{TILDA}.md": sheet})
    assert {name for who, name in game.state.resources if who == TILDA} == {"hit-points"}
