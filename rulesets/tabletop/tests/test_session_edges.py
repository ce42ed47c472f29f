"""Rules of a session at their edges: second clauses, exceptions, and what meets in one reply."""

from __future__ import annotations

import pytest
from session import BODY, BRYN, CORWIN, PARTY, SHEET, TILDA, Session, answered, asked, content, envelope, opened, reply
from session_cycles import DOCKS, ENTRY, PROMPT, answered_by_file, notes, put, started

from sottovoce.domain import commands
from sottovoce.domain.errors import Refused
from sottovoce.domain.piece import Chair
from sottovoce.domain.testing import NOON
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuild
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import write_context
from sottovoce.rulesets.tabletop.rules.events import PieceWritten, QuestionWithdrawn
from sottovoce.rulesets.tabletop.rules.messages import edition_named, parse
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

TOGETHER = f"(Group all: {TILDA}, {CORWIN}, {BRYN})\n\nThe gate."
STATE = {"delta": {"document": "story-state.md", "operation": "append", "text": "- Tide."}}
KNOWN = {"delta": {"document": "party-knowledge.md", "operation": "append", "text": "- Tide."}}


@pytest.mark.spec("F-026", "F-035")
def test_a_character_that_wrote_its_response_unasked_is_asked_no_more() -> None:
    """A signalled character that wrote its response unasked-for (by a delta) is asked no more, though others are."""
    written = [put("tmp/gm-context.md", write_context("a", [("b", "c")], "d", "e"))]
    written += [put(f"tmp/{name}-prompt.md", PROMPT) for name in (CORWIN, BRYN)]
    game = opened().reply(GM, reply(*written, (TEAM_LEAD, f"[AWAIT_AI_PLAYERS: {CORWIN}, {BRYN}]")))
    game = game.say(CORWIN, reply(put(f"tmp/{CORWIN}-response.md", "I row.")))
    assert CORWIN not in game.open()
    assert game.open()[BRYN] == ["response"]


@pytest.mark.spec("F-064")
def test_a_split_scene_is_not_journaled_later_by_one_without_notes() -> None:
    game = opened().say(CORWIN, reply(put(notes(CORWIN), "I was afraid.")))
    game = answered_by_file(game, CORWIN, BRYN).send(GM, TEAM_LEAD, "NARRATIVE", DOCKS)
    assert started(game) == [CORWIN]
    game = game.reply(CORWIN, ENTRY, "own-notes")
    game = game.send(GM, None, "NARRATIVE", TOGETHER)
    assert not started(game), "the split scene is not journaled later by one without notes"
    assert BRYN not in game.open()


@pytest.mark.spec("T-010", "F-017")
def test_tasks_of_the_first_edition_have_the_shared_narrative() -> None:
    game = answered_by_file(opened("phase-1"), CORWIN).send(GM, None, "NARRATIVE", "The boat moves.")
    assert game.open()[CORWIN] == ["journal"]
    assert "tmp/narrative-for-journal.md" in {e.document for e in game.seen_by(CORWIN) if isinstance(e, PieceWritten)}
    assert "The boat moves." in game.play.context(CORWIN)


@pytest.mark.spec("T-018")
def test_an_indented_line_is_no_header() -> None:
    with pytest.raises(Refused, match="Line 2 reads"):
        parse("[NARRATOR_NOTE]\n  from: gm\nnote: Green.", edition_named("current"))


@pytest.mark.spec("T-047", "T-045")
def test_the_narrator_is_asked_for_no_scene_by_a_narrative_that_it_may_not_see() -> None:
    game = opened().reply(NARRATOR, "pass", "scene")
    game = game.send(GM, TEAM_LEAD, "NARRATIVE", DOCKS)
    assert game.sent("NARRATIVE")
    assert NARRATOR not in game.open()


@pytest.mark.spec("T-070")
@pytest.mark.parametrize(
    "kind", ["QUICK_REACTION", "COMBAT_ACTION", "SECRET_ACTION", "REFLECTION", "OPTIONAL_REACTION", "INTERACTION"]
)
def test_after_a_veto_no_request_of_any_type_is_taken(kind: str) -> None:
    game = answered(asked(opened(), CORWIN), CORWIN, "VETO", "How deep?")
    text = content(game.state, "GM_TO_PLAYER", BODY, request_type=kind, scene_number="001", scene_slug="opening")
    game = game.reply(GM, reply((CORWIN, text)))
    assert not game.sent("GM_TO_PLAYER")
    assert "vetoed" in game.refusal()


@pytest.mark.spec("T-086")
def test_talk_during_an_absence_is_summed_up() -> None:
    game = asked(opened().say(HUMAN, "/away"), CORWIN)
    game = game.say(TILDA, envelope(game.state, BRYN, "PLAYER_TO_PLAYER", "Stay close to me.", from_=TILDA, to_=BRYN))
    back = game.say(HUMAN, "/back")
    told = [message.body for message in back.sent() if message.seat == TILDA and message.to == TEAM_LEAD]
    assert told
    assert "To bryn-oake: Stay close to me." in told[0]


@pytest.mark.spec("T-089")
def test_a_question_is_told_with_its_header() -> None:
    doors = [{"label": "Left", "description": "The left door"}]
    game = opened()
    game = game.reply(
        GM, reply((TEAM_LEAD, content(game.state, "ASK_PLAYER", question="Which?", header="Doors", options=doors)))
    )
    told = game.sent("ASK_PLAYER")[0].tell(Chair(HUMAN, state=game.play.known(HUMAN)))
    words = str(told.words)
    assert "Doors: Which?" in words


def _end(game: Session) -> str:
    return content(game.state, "SESSION_END", summary="s", state_saved="true", next_hook="h")


@pytest.mark.spec("T-104", "T-103")
def test_a_command_to_end_makes_a_save_due() -> None:
    game = opened(idle_gm_turns=9)
    saved = game.reply(GM, reply(STATE, (TEAM_LEAD, "Saved.")))
    ending = saved.say(HUMAN, "/end")
    assert "has not been saved" in ending.reply(GM, reply((TEAM_LEAD, _end(ending)))).refusal()


@pytest.mark.spec("T-104", "T-102")
def test_what_the_party_knows_counts_as_a_save() -> None:
    game = opened(idle_gm_turns=9)
    assert game.reply(GM, reply(KNOWN, (TEAM_LEAD, _end(game)))).sent("SESSION_END")


@pytest.mark.spec("T-104")
def test_a_narrative_to_one_group_makes_a_save_due() -> None:
    game = opened(idle_gm_turns=9)
    saved = game.reply(GM, reply(STATE, (TEAM_LEAD, "Saved.")))
    told = saved.send(GM, TEAM_LEAD, "NARRATIVE", DOCKS)
    assert "has not been saved" in told.reply(GM, reply((TEAM_LEAD, _end(told)))).refusal()


@pytest.mark.spec("T-105", "T-117")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2"])
def test_a_report_that_is_sent_with_the_end_is_merged(edition: str) -> None:
    report = (TEAM_LEAD, "[STATE_UPDATED]\ndeltas_written:\n  - tmp/gm-state-delta.md\ncharacters_involved: []")
    game = opened(edition, idle_gm_turns=9)
    game = game.reply(GM, reply(put("tmp/gm-state-delta.md", "- The tide turns."), report, (TEAM_LEAD, _end(game))))
    assert game.sent("SESSION_END")
    assert "- The tide turns." in rebuild(game.state.documents["story-state.md"])
    assert "tmp/gm-state-delta.md" not in game.state.documents


@pytest.mark.spec("F-064")
def test_notes_that_are_gone_leave_nobody_to_ask() -> None:
    """Notes that are gone when the journal's turn comes leave nobody to ask, and play goes on."""
    game = opened().say(CORWIN, reply(put(notes(CORWIN), "I was afraid.")))
    game = answered_by_file(game, CORWIN, BRYN).send(GM, TEAM_LEAD, "NARRATIVE", DOCKS)
    game = answered_by_file(game, CORWIN).send(GM, TEAM_LEAD, "NARRATIVE", DOCKS)
    assert not started(game), "its turn for the first one is open"
    game = game.reply(CORWIN, ENTRY, "own-notes")
    assert not started(game)
    assert game.open()[GM] == ["beat"]


@pytest.mark.spec("T-114", "T-160")
def test_a_player_s_note_does_not_close_the_narrator_s_request() -> None:
    game = opened()
    want = content(game.state, "NARRATOR_REQUEST", to_=GM, request="What colour is the lamp?")
    game = game.reply(NARRATOR, reply((GM, want)), "scene")
    assert game.sent("NARRATOR_REQUEST")
    game = game.say(CORWIN, envelope(game.state, NARRATOR, "NARRATOR_NOTE", from_=CORWIN, note="Green, I think."))
    assert game.sent("NARRATOR_NOTE")
    again = game.say(NARRATOR, reply((GM, want)))
    assert "An earlier NARRATOR_REQUEST is open" in again.refusal()


REPORT = (TEAM_LEAD, "[STATE_UPDATED]\ndeltas_written:\n  - tmp/gm-state-delta.md\ncharacters_involved: []")


@pytest.mark.spec("T-120", "T-105", "T-106")
def test_a_report_with_the_end_asks_for_journals_once() -> None:
    game = answered(asked(opened("phase-2", idle_gm_turns=9), CORWIN), CORWIN)
    told = (None, "[NARRATIVE]\n\nThe rope holds.")
    game = game.reply(GM, reply(told, put("tmp/gm-state-delta.md", "- Tide."), REPORT, (TEAM_LEAD, _end(game))))
    assert {event.fields["trigger"] for event in game.sent("JOURNAL_CHECKPOINT")} == {"session_end"}
    assert [event.to for event in game.sent("JOURNAL_CHECKPOINT")] == list(PARTY)


@pytest.mark.spec("T-120", "T-105")
def test_journals_are_asked_for_at_the_end_though_a_report_had_some() -> None:
    game = answered(asked(opened("phase-2", idle_gm_turns=9), CORWIN), CORWIN)
    told = (None, "[NARRATIVE]\n\nThe rope holds.")
    game = game.reply(GM, reply(told, put("tmp/gm-state-delta.md", "- Tide."), REPORT))
    assert {event.fields["trigger"] for event in game.sent("JOURNAL_CHECKPOINT")} == {"state_updated"}
    for name in PARTY:
        game = game.reply(name, ENTRY, "journal")
    game = game.reply(GM, reply((TEAM_LEAD, _end(game).replace("state_saved: true", "state_saved: false"))))
    assert [event.to for event in game.sent("JOURNAL_CHECKPOINT")] == list(PARTY)
    assert all(game.open()[name] == ["journal"] for name in PARTY)


@pytest.mark.spec("T-149", "T-148")
def test_a_group_of_an_earlier_split_is_none_in_the_next() -> None:
    game = opened(idle_gm_turns=9).send(GM, TEAM_LEAD, "NARRATIVE", DOCKS).send(GM, None, "NARRATIVE", TOGETHER)
    game = game.send(GM, TEAM_LEAD, "NARRATIVE", f"(Group tower: {TILDA})\n\nStone.")
    assert game.state.group_of(CORWIN) == game.state.group_of(BRYN) == "", "named in an earlier split, not in this one"


@pytest.mark.spec("T-157")
def test_every_open_question_is_withdrawn_at_the_end() -> None:
    game = opened()
    doors = [{"label": "Left", "description": "-"}]
    asks = [
        (TEAM_LEAD, content(game.state, "ASK_PLAYER", question=q, header="Doors", options=doors)) for q in ("A?", "B?")
    ]
    game = game.reply(GM, reply(*asks)).say(HUMAN, "/end")
    assert [event.question for event in game.last if isinstance(event, QuestionWithdrawn)] == ["A?", "B?"]
    assert not game.state.questions
    assert HUMAN not in game.open()


@pytest.mark.spec("T-165", "T-162")
def test_a_session_paused_for_idleness_goes_on_when_resumed() -> None:
    game = opened(idle_gm_turns=2)
    while game.state.hold is None:
        game = game.send(GM, None, "NARRATIVE", "And on it rains.")
    game = game.when(commands.Fill(NOON))
    assert game.state.hold is None
    assert game.turn(GM).attempts_left == 3


@pytest.mark.spec("T-165", "T-139")
@pytest.mark.parametrize("owed", ["save", "recap"])
def test_what_the_gm_owed_is_owed_after_a_pause(owed: str) -> None:
    game = opened(idle_gm_turns=9)
    if owed == "save":
        game = game.say(HUMAN, "/save")
    else:
        game = game.say(TEAM_LEAD, envelope(game.state, GM, "CONTEXT_REFRESH", campaign="the-drowned-bell"))
    game = game.reply(GM, reply((TEAM_LEAD, "A moment.")))
    assert game.open()[GM] == [owed]
    game = game.exhaust(GM)
    assert game.state.hold is not None
    assert game.when(commands.Fill(NOON)).open()[GM] == [owed]


@pytest.mark.spec("T-167")
def test_words_go_to_the_next_where_the_pair_is_spent() -> None:
    game = opened(messages_per_pair=1)
    game = game.say(CORWIN, envelope(game.state, TILDA, "PLAYER_TO_PLAYER", "Hi.", from_=CORWIN, to_=TILDA))
    assert game.sent("PLAYER_TO_PLAYER")
    game = asked(game, TILDA, kind="INTERACTION").exhaust(TILDA, kind="relay").reply(HUMAN, "Corwin, are you cold?")
    assert [event.to for event in game.sent("PLAYER_TO_PLAYER")] == [BRYN]


@pytest.mark.spec("F-015", "F-052")
def test_a_response_is_removed_by_nobody_but_its_writers() -> None:
    game = answered_by_file(opened(), CORWIN)
    gone = reply({"delta": {"document": f"tmp/{CORWIN}-response.md", "operation": "remove"}})
    for seat in (TEAM_LEAD, NARRATOR, BRYN):
        assert "can't write" in game.say(seat, gone).refusal()
    assert "can't write" not in str(game.say(GM, gone).last)


@pytest.mark.spec("F-015", "T-144")
@pytest.mark.parametrize("seat", [TILDA, CORWIN, NARRATOR, TEAM_LEAD])
def test_resources_are_changed_by_the_gm_alone(seat: str) -> None:
    change = {"delta": {"character": TILDA, "resource": "hit points", "change": 3}}
    assert "Only the GM" in opened().say(seat, reply(change)).refusal()


@pytest.mark.spec("T-167")
@pytest.mark.parametrize(("words", "to"), [("Corwin, shall we all rest?", "corwin-voss"), ("Al, rest.", "al-reed")])
def test_a_name_within_a_word_is_no_name(words: str, to: str) -> None:
    party = ("tilda-brannock", "al-reed", "corwin-voss")
    files = {"story-state.md": b"# S\n", "party-knowledge.md": b"# K\n"}
    files |= {f"party/{name}.md": SHEET.format(name=name).encode() for name in party}
    game = asked(opened(characters=party, files=files), party[0], kind="INTERACTION").exhaust(party[0])
    assert [event.to for event in game.reply(HUMAN, words).sent("PLAYER_TO_PLAYER")] == [to]
