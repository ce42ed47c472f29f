"""How a session starts, saves, is refreshed and ends (T-099 to T-110, T-157 to T-159, T-165)."""

from __future__ import annotations

from typing import Any

import pytest
from session import (
    BODY,
    BRYN,
    CORWIN,
    PARTY,
    TILDA,
    Session,
    answered,
    asked,
    content,
    envelope,
    opened,
    reply,
    session,
)

from sottovoce.domain import commands
from sottovoce.domain.events import HoldLifted, HoldPlaced, ReplyAccepted, TurnWithdrawn
from sottovoce.domain.testing import NOON
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.course.gm import SAVING
from sottovoce.rulesets.tabletop.rules.documents.journals import journal_entry
from sottovoce.rulesets.tabletop.rules.events import (
    QuestionWithdrawn,
    RelayWithdrawn,
    RequestWithdrawn,
    ShutdownRequested,
    TaskEnded,
    TeamDissolved,
)
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

EDITIONS = ("phase-1", "phase-2", "current")
ENTRY = journal_entry("The night", "Rain.", "I ran.", "Ropes snap.", "Cold.", "None.")


def command(game: Session, word: str, **fields: Any) -> Session:
    return game.say(TEAM_LEAD, envelope(game.state, GM, "SESSION_COMMAND", command=word, **fields))


def start_of(game: Session, **changed: Any) -> Session:
    fields = {
        "campaign": "the-drowned-bell",
        "player_character": TILDA,
        "narrative_style": "hybrid",
        "ai_characters": [CORWIN, BRYN],
        **changed,
    }
    return command(game, "start", **fields)


def end(game: Session) -> Session:
    return game.send(GM, TEAM_LEAD, "SESSION_END", summary="It ended.", state_saved="false", next_hook="Soon.")


@pytest.mark.spec("T-100", "T-099")
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_session_starts_as_it_was_set_up_and_the_gm_opens_it(edition: str) -> None:
    game = session(edition)
    start = next(event for event in game.seen_by(GM) if isinstance(event, MessageSent))
    assert (start.seat, start.tag) == (TEAM_LEAD, "SESSION_COMMAND")
    assert start.fields == {
        "command": "start",
        "campaign": "the-drowned-bell",
        "player_character": TILDA,
        "narrative_style": "hybrid",
        "ai_characters": [CORWIN, BRYN],
    }
    assert game.open() == {GM: ["opening"]}
    silent = game.send(GM, NARRATOR, "NARRATOR_NOTE", from_=GM, note="Green.")
    assert "narrate the scene that opens it" in silent.refusal()
    assert game.send(GM, None, "NARRATIVE", "Fog.").sent("NARRATIVE")


@pytest.mark.spec("T-100")
def test_a_second_start_is_refused() -> None:
    assert "already started" in start_of(opened()).refusal()


@pytest.mark.spec("T-100")
def test_before_the_start_nothing_but_questions_answers_and_refreshes_is_sent() -> None:
    game = session(start=False)
    early: list[tuple[str, str | None, str, str, dict[str, Any]]] = [
        (GM, None, "NARRATIVE", "Fog.", {}),
        (
            GM,
            CORWIN,
            "GM_TO_PLAYER",
            BODY,
            {"request_type": "QUICK_REACTION", "scene_number": "001", "scene_slug": "a"},
        ),
        (GM, TEAM_LEAD, "SESSION_END", "", {"summary": "s", "state_saved": "false", "next_hook": "h"}),
        (GM, NARRATOR, "NARRATOR_NOTE", "", {"from_": GM, "note": "n"}),
        (NARRATOR, GM, "NARRATOR_REQUEST", "", {"to_": GM, "request": "r"}),
        (CORWIN, BRYN, "PLAYER_TO_PLAYER", "Hi.", {"from_": CORWIN, "to_": BRYN}),
        (TEAM_LEAD, GM, "SESSION_COMMAND", "", {"command": "save"}),
        (TEAM_LEAD, TILDA, "MODE_SWITCH", "", {"mode": "AUTONOMOUS"}),
    ]
    for seat, to, tag, body, fields in early:
        step = game.say(seat, envelope(game.state, to, tag, body, **fields))
        assert "has not started" in step.refusal(), tag
        assert not step.sent()
    assert game.say(TEAM_LEAD, envelope(game.state, GM, "CONTEXT_REFRESH", campaign="any")).sent("CONTEXT_REFRESH")
    assert start_of(game).state.started


@pytest.mark.spec("T-099")
def test_the_start_names_characters_that_are_there_each_once_and_the_session_s_campaign() -> None:
    game = session(start=False)
    assert "zed-unknown" in start_of(game, ai_characters=["zed-unknown"]).refusal()
    assert "Tilda" in str(game.say(TEAM_LEAD, _start_text("Tilda")).refusal())
    assert "campaign must be" in start_of(game, campaign="another").refusal()
    assert start_of(game, ai_characters=[]).open() == {GM: ["opening"]}


def _start_text(character: str) -> str:
    return (
        f"@gm\n[SESSION_COMMAND]\ncommand: start\ncampaign: the-drowned-bell\nplayer_character: {character}\n"
        "narrative_style: hybrid\nai_characters: []"
    )


@pytest.mark.spec("T-101")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2"])
def test_on_save_the_gm_writes_deltas_and_says_so(edition: str) -> None:
    game = asked(opened(edition), CORWIN) if edition == "phase-2" else opened(edition)
    game = game.say(HUMAN, "/save for the night")
    assert game.sent("SESSION_COMMAND")[0].fields == {"command": "save", "reason": "for the night"}
    if game.open()[GM] != ["save"]:
        game = game.send(GM, None, "NARRATIVE", "Rain.")
    assert game.open()[GM] == ["save"]
    assert SAVING["phase-1"] in game.play.request(GM).ask
    assert "STATE_UPDATED" in game.send(GM, None, "NARRATIVE", "More rain.").refusal()
    write = {"delta": {"document": "tmp/gm-state-delta.md", "operation": "set", "text": "- Tide."}}
    told = content(game.state, "STATE_UPDATED", deltas_written=["tmp/gm-state-delta.md"], characters_involved=[])
    done = game.reply(GM, reply(write, (TEAM_LEAD, told)))
    assert done.sent("STATE_UPDATED")
    assert GM in {event.seat for event in done.last if isinstance(event, ReplyAccepted)}


@pytest.mark.spec("T-102", "T-145")
def test_under_current_a_save_is_the_gm_s_own_update_of_the_documents() -> None:
    game = asked(opened(), CORWIN).say(HUMAN, "/save")
    assert game.open()[GM] == ["save"]
    assert "story-state.md and party-knowledge.md" in game.play.request(GM).ask
    assert "Save:" in game.send(GM, None, "NARRATIVE", "Rain.").refusal()
    write = {"delta": {"document": "story-state.md", "operation": "append", "text": "The rope is gone."}}
    done = game.reply(GM, reply(write))
    assert GM in {event.seat for event in done.last if isinstance(event, ReplyAccepted)}
    assert not done.sent()


@pytest.mark.spec("T-103", "T-104")
@pytest.mark.parametrize("edition", EDITIONS)
def test_on_end_the_gm_is_asked_to_save_and_end(edition: str) -> None:
    game = opened(edition).say(HUMAN, "/end")
    assert game.open()[GM] == ["end"]
    ask = game.play.request(GM).ask
    assert "and end it" in ask
    assert SAVING["current" if edition == "current" else "phase-1"] in ask
    assert end(game).state.ended


@pytest.mark.spec("T-104")
def test_the_gm_may_end_without_being_told() -> None:
    assert end(opened()).state.ended


@pytest.mark.spec("T-105")
@pytest.mark.parametrize("edition", EDITIONS)
def test_after_session_end_background_work_is_waited_for_and_then_all_are_let_go(edition: str) -> None:
    game = end(opened(edition))
    assert [event.tag for event in game.seen_by(HUMAN) if isinstance(event, MessageSent)][-1] == "SESSION_END"
    assert not game.state.over
    journals = [turn.seat for turn in game.state.turns.values() if turn.kind == "journal"]
    assert journals == (list(PARTY) if edition == "phase-2" else [])
    if edition == "phase-2":
        assert {event.fields["trigger"] for event in game.sent("JOURNAL_CHECKPOINT")} == {"session_end"}
    for name in journals:
        game = game.reply(name, ENTRY, "journal")
        assert not game.state.over
    game = game.reply(NARRATOR, "pass", "scene")
    kinds = [event for event in game.last if isinstance(event, ShutdownRequested | TeamDissolved)]
    others = [GM, NARRATOR] if edition == "phase-1" else [GM, NARRATOR, *PARTY]
    assert [event.seat for event in kinds if isinstance(event, ShutdownRequested)] == others
    assert isinstance(kinds[-1], TeamDissolved)
    assert game.state.over
    assert not game.state.turns


@pytest.mark.spec("T-106")
@pytest.mark.parametrize("edition", EDITIONS)
def test_after_session_end_nothing_more_is_sent(edition: str) -> None:
    game = end(opened(edition))
    tries: list[tuple[str, str | None, str, str, dict[str, Any]]] = [
        (GM, None, "NARRATIVE", "One more thing.", {}),
        (GM, TEAM_LEAD, "SESSION_END", "", {"summary": "s", "state_saved": "false", "next_hook": "h"}),
        (NARRATOR, GM, "NARRATOR_REQUEST", "", {"to_": GM, "request": "r"}),
        (TEAM_LEAD, GM, "SESSION_COMMAND", "", {"command": "save"}),
        (TEAM_LEAD, GM, "CONTEXT_REFRESH", "", {"campaign": "the-drowned-bell"}),
    ]
    for seat, to, tag, body, fields in tries:
        step = game.say(seat, envelope(game.state, to, tag, body, **fields))
        assert "The session has ended" in step.refusal(), tag
    assert "The session has ended" in game.say(GM, reply((NARRATOR, "Bye."))).refusal()


@pytest.mark.spec("T-106")
def test_under_phase_2_only_the_journals_of_the_end_are_still_asked_for() -> None:
    game = end(opened("phase-2"))
    fields = {"campaign": "the-drowned-bell", "scene_number": "001", "scene_slug": "opening"}
    late = game.say(TEAM_LEAD, envelope(game.state, CORWIN, "JOURNAL_CHECKPOINT", trigger="session_end", **fields))
    assert late.sent("JOURNAL_CHECKPOINT")
    manual = game.say(TEAM_LEAD, envelope(game.state, CORWIN, "JOURNAL_CHECKPOINT", trigger="manual", **fields))
    assert "The session has ended" in manual.refusal()


@pytest.mark.spec("T-157")
def test_after_end_one_narrative_is_left_and_no_prompt() -> None:
    game = opened().say(HUMAN, "/end")
    two = game.reply(GM, reply(*[(None, content(game.state, "NARRATIVE", prose)) for prose in ("Dusk.", "Night.")]))
    assert [event.body for event in two.sent("NARRATIVE")] == ["Dusk."]
    assert "one last NARRATIVE" in two.refusal()
    again = two.send(GM, None, "NARRATIVE", "Dawn.")
    assert not again.sent()
    assert "no GM_TO_PLAYER" in asked(game, CORWIN).refusal()
    question = game.send(
        GM, TEAM_LEAD, "ASK_PLAYER", question="q", header="h", options=[{"label": "a", "description": "b"}]
    )
    assert "no ASK_PLAYER" in question.refusal()
    old = opened("phase-1").say(HUMAN, "/end")
    entry_ = {"request_type": "QUICK_REACTION", "scene_context": "a", "just_happened": "b", "request": "c"}
    awaiting = old.send(
        GM, TEAM_LEAD, "AWAIT_PLAYERS", characters=[{"name": CORWIN, **entry_}], scene_number="001", scene_slug="a"
    )
    assert "no AWAIT_PLAYERS" in awaiting.refusal()


@pytest.mark.spec("T-157")
def test_after_end_all_that_was_open_is_withdrawn() -> None:
    game = asked(opened(), TILDA, CORWIN)
    relay = "## Scene\na\n\n## Decision Needed\nb\n\n## Suggested Options\n- c"
    game = game.send(TILDA, TEAM_LEAD, "RELAY_TO_HUMAN", relay, character=TILDA)
    options = [{"label": "a", "description": "b"}]
    game = game.say(GM, envelope(game.state, TEAM_LEAD, "ASK_PLAYER", question="q", header="h", options=options))
    assert sorted(game.open()[HUMAN]) == ["choose", "decide"]
    step = game.say(HUMAN, "/end")
    assert set(step.open()) == {GM, NARRATOR}
    kinds = {type(event) for event in step.last}
    assert {RelayWithdrawn, QuestionWithdrawn, RequestWithdrawn, TurnWithdrawn} <= kinds
    assert not step.state.requests
    assert not step.state.questions
    prompt = opened("phase-2", "Fog.\n\nWhat do you do?").say(HUMAN, "/end")
    assert HUMAN not in prompt.open()
    old = opened("phase-1")
    entry_ = {"request_type": "QUICK_REACTION", "scene_context": "a", "just_happened": "b", "request": "c"}
    tasks = old.send(
        GM, TEAM_LEAD, "AWAIT_PLAYERS", characters=[{"name": CORWIN, **entry_}], scene_number="001", scene_slug="a"
    )
    over = tasks.say(HUMAN, "/end")
    assert not over.state.tasks
    assert CORWIN not in over.open()
    assert end(over).sent("SESSION_END")


@pytest.mark.spec("T-158", "T-047")
@pytest.mark.parametrize("edition", EDITIONS)
def test_a_gm_that_never_ends_is_ended_by_the_server_with_what_the_human_has_seen(edition: str) -> None:
    told = "The gate falls shut."
    game = opened(edition, told).send(GM, TEAM_LEAD, "NARRATIVE", f"(Group docks: {CORWIN})\n\nThe hidden docks.")
    game = game.say(HUMAN, "/end")
    for left in (2, 1):
        game = game.send(GM, NARRATOR, "NARRATOR_NOTE", from_=GM, note="Not yet.")
        assert not game.state.ended
        assert game.turn(GM).attempts_left == left
    game = game.send(GM, NARRATOR, "NARRATOR_NOTE", from_=GM, note="Not yet.")
    closing = game.sent("SESSION_END")[0]
    assert closing.fallback
    assert closing.fields["state_saved"] is False
    assert told in closing.fields["summary"]
    assert "hidden docks" not in str(closing)
    assert game.state.ended


@pytest.mark.spec("T-158")
@pytest.mark.parametrize(
    ("last", "told"),
    [
        (f"(Group docks: {CORWIN})\n\nThe hidden docks.", "The gate falls shut."),
        (f"(Group gate: {TILDA}, {BRYN})\n\nThe winch turns.", f"(Group gate: {TILDA}, {BRYN}) The winch turns."),
    ],
)
def test_the_server_s_ending_is_made_of_what_the_human_was_told_last_and_of_nothing_else(last: str, told: str) -> None:
    game = opened("current", "The gate falls shut.").send(GM, NARRATOR, "NARRATOR_NOTE", from_=GM, note="Rust.")
    game = answered(asked(game, CORWIN), CORWIN, body="I palm the key.").send(GM, TEAM_LEAD, "NARRATIVE", last)
    game = game.reply(GM, reply({"delta": {"document": "story-state.md", "operation": "append", "text": "- A trap."}}))
    game = game.say(HUMAN, "/end").exhaust(GM, "[narrative]")
    [closing] = game.sent("SESSION_END")
    hook = "The story goes on where it was left."
    assert dict(closing.fields) == {"summary": told, "state_saved": False, "next_hook": hook}
    assert not closing.body.strip()


@pytest.mark.spec("T-158")
def test_the_server_s_ending_claims_no_save_though_the_gm_made_one() -> None:
    game = opened("phase-1").say(HUMAN, "/end")
    path = "tmp/gm-state-delta.md"
    write = {"delta": {"document": path, "operation": "set", "text": "- The rope is gone."}}
    report = content(game.state, "STATE_UPDATED", deltas_written=[path], characters_involved=[])
    game = game.reply(GM, reply(write, (TEAM_LEAD, report)))
    assert game.sent("STATE_UPDATED")
    assert game.turn(GM).attempts_left == 2
    [closing] = game.exhaust(GM).sent("SESSION_END")
    assert closing.fallback
    assert closing.fields["state_saved"] is False


@pytest.mark.spec("T-158")
def test_a_timeout_after_end_counts_like_a_turn_without_session_end() -> None:
    game = opened(gm_seconds=10).say(HUMAN, "/end")
    for _ in range(3):
        game = game.expire(GM)
    assert [event.fallback for event in game.sent("SESSION_END")] == [True]


@pytest.mark.spec("T-158", "T-142")
def test_an_end_in_the_gm_s_last_attempt_stands_whatever_else_was_refused() -> None:
    game = opened(max_attempts=1).say(HUMAN, "/end")
    ending = content(game.state, "SESSION_END", summary="s", state_saved="false", next_hook="h")
    done = game.reply(GM, reply((TEAM_LEAD, ending), ("zed", "Hm")))
    assert [event.fallback for event in done.sent("SESSION_END")] == [False]
    assert done.refusal()


@pytest.mark.spec("T-157")
def test_end_takes_back_the_gm_s_turn_and_asks_it_anew() -> None:
    game = opened()
    number = game.turn(GM).number
    step = game.reply(GM, "[narrative]").say(HUMAN, "/end")
    assert step.turn(GM).number == number + 1
    assert step.turn(GM).attempts_left == 3
    assert "already ending" in step.say(HUMAN, "/end").refusal()


@pytest.mark.spec("T-159")
def test_a_journal_that_fails_is_recorded_and_holds_up_neither_play_nor_the_end() -> None:
    game = opened("phase-1")
    entry_ = {"request_type": "QUICK_REACTION", "scene_context": "a", "just_happened": "b", "request": "c"}
    game = game.send(
        GM, TEAM_LEAD, "AWAIT_PLAYERS", characters=[{"name": CORWIN, **entry_}], scene_number="001", scene_slug="a"
    ).reply(CORWIN, "I run.")
    write = {"delta": {"document": "tmp/gm-state-delta.md", "operation": "set", "text": "- Tide."}}
    told = content(game.state, "STATE_UPDATED", deltas_written=["tmp/gm-state-delta.md"], characters_involved=[])
    game = game.reply(GM, reply((None, "[NARRATIVE]\n\nRain."), write, (TEAM_LEAD, told)))
    assert GM in game.open()
    over = end(game)
    assert not over.state.over
    for seat in (CORWIN, BRYN):
        while over.open().get(seat):
            over = over.expire(seat, "journal")
        assert [(event.character, event.done) for event in over.last if isinstance(event, TaskEnded)] == [(seat, False)]
    assert over.reply(NARRATOR, "pass", "scene").state.over


@pytest.mark.spec("T-107", "T-109")
def test_a_refresh_opens_no_turn_for_a_player_and_widens_no_view() -> None:
    game = opened()
    known = game.play.known(CORWIN).documents
    for to in (CORWIN, NARRATOR):
        step = game.say(TEAM_LEAD, envelope(game.state, to, "CONTEXT_REFRESH", campaign="the-drowned-bell"))
        assert step.state.turns == game.state.turns
    assert step.play.known(CORWIN).documents == known
    asked_ = asked(step, CORWIN)
    in_hand = TABLETOP.handouts(asked_.play.known(CORWIN), CORWIN)
    assert "party/corwin-voss.md" in in_hand
    assert "story-state.md" not in in_hand


@pytest.mark.spec("T-110")
def test_the_gm_answers_a_refresh_by_telling_where_things_stand() -> None:
    game = asked(opened(), CORWIN)
    game = game.say(TEAM_LEAD, envelope(game.state, GM, "CONTEXT_REFRESH", campaign="the-drowned-bell"))
    assert game.open()[GM] == ["recap"]
    assert "where things stand" in game.send(GM, NARRATOR, "NARRATOR_NOTE", from_=GM, note="n").refusal()
    assert GM not in game.send(GM, None, "NARRATIVE", "So far: fog.").open()


@pytest.mark.spec("T-110")
def test_in_a_split_a_refresh_is_answered_for_each_group() -> None:
    docks, tower = f"(Group docks: {CORWIN}, {BRYN})\n\nDark.", f"(Group tower: {TILDA})\n\nStone."
    game = opened(idle_gm_turns=9).send(GM, TEAM_LEAD, "NARRATIVE", docks).send(GM, TEAM_LEAD, "NARRATIVE", tower)
    game = asked(game, CORWIN)
    game = game.say(TEAM_LEAD, envelope(game.state, GM, "CONTEXT_REFRESH", campaign="the-drowned-bell"))
    partly = game.send(GM, TEAM_LEAD, "NARRATIVE", docks)
    assert "in one for each group" in partly.refusal()
    assert GM not in partly.send(GM, TEAM_LEAD, "NARRATIVE", tower).open()


@pytest.mark.spec("T-110")
def test_before_the_start_a_refresh_asks_for_no_narrative() -> None:
    game = session(start=False)
    step = game.say(TEAM_LEAD, envelope(game.state, GM, "CONTEXT_REFRESH", campaign="the-drowned-bell"))
    assert step.open() == {GM: ["cast"]}
    assert "recap" not in step.state.calls


@pytest.mark.spec("T-165", "T-139")
@pytest.mark.parametrize("how", ["save", "refresh", "resume"])
def test_a_paused_session_goes_on_with_fresh_attempts_for_the_gm(how: str) -> None:
    game = opened().exhaust(GM)
    held = [event for event in game.last if isinstance(event, HoldPlaced)]
    assert [event.waiting_for for event in held] == [GM]
    assert GM not in game.open()
    refresh = envelope(game.state, GM, "CONTEXT_REFRESH", campaign="the-drowned-bell")
    step = {
        "save": lambda: game.say(HUMAN, "/save"),
        "refresh": lambda: game.say(TEAM_LEAD, refresh),
        "resume": lambda: game.when(commands.Fill(NOON)),
    }[how]()
    assert [type(event) for event in step.last if isinstance(event, HoldLifted)] == [HoldLifted]
    assert step.turn(GM).attempts_left == 3
    other = envelope(game.state, NARRATOR, "CONTEXT_REFRESH", campaign="the-drowned-bell")
    assert game.say(TEAM_LEAD, other).state.hold is not None


@pytest.mark.spec("T-139", "T-165")
def test_what_the_gm_owed_before_a_pause_is_still_owed_after_it() -> None:
    game = answered(asked(opened(), CORWIN, BRYN), CORWIN, "VETO", "How deep?").exhaust(GM)
    assert game.state.hold is not None
    game = answered(game, BRYN)
    assert game.state.hold is not None
    lifted = game.say(HUMAN, "/save")
    assert "FULL_CONTEXT" in lifted.play.request(GM).ask


SAVES: dict[str, list[Any]] = {
    "phase-1": [
        {"delta": {"document": "tmp/gm-state-delta.md", "operation": "set", "text": "- Tide."}},
        (TEAM_LEAD, "[STATE_UPDATED]\ndeltas_written:\n  - tmp/gm-state-delta.md\ncharacters_involved: []"),
    ],
    "current": [{"delta": {"document": "story-state.md", "operation": "append", "text": "- Tide."}}],
}


@pytest.mark.spec("T-103", "T-104")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2", "current"])
@pytest.mark.parametrize("told", [True, False])
def test_the_gm_does_not_say_that_it_saved_where_it_has_not(edition: str, told: bool) -> None:
    save = SAVES["current" if edition == "current" else "phase-1"]
    game = opened(edition, idle_gm_turns=9)
    end = content(game.state, "SESSION_END", summary="s", state_saved="true", next_hook="h")
    fair = content(game.state, "SESSION_END", summary="s", state_saved="false", next_hook="h")
    if told:
        game = game.say(HUMAN, "/end")
    assert "has not been saved" in game.reply(GM, reply((TEAM_LEAD, end))).refusal()
    assert game.reply(GM, reply((TEAM_LEAD, fair))).sent("SESSION_END")
    assert game.reply(GM, reply(*save, (TEAM_LEAD, end))).sent("SESSION_END")
    narrated = reply(*save, (None, "[NARRATIVE]\n\nThe tide turns."), (TEAM_LEAD, end))
    assert game.reply(GM, narrated).sent("SESSION_END"), "saved in the same reply, whatever the order"
    if not told:
        saved = game.reply(GM, reply(*save, (TEAM_LEAD, "Saved.")))
        assert saved.reply(GM, reply((TEAM_LEAD, end))).sent("SESSION_END"), "nothing was told since"
        later = saved.send(GM, None, "NARRATIVE", "The tide turns.")
        assert "has not been saved" in later.reply(GM, reply((TEAM_LEAD, end))).refusal()
        assert "has not been saved" in saved.say(HUMAN, "/save").reply(GM, reply((TEAM_LEAD, end))).refusal()


@pytest.mark.spec("T-151")
def test_where_the_session_stands_names_the_scene_to_those_who_are_told_of_it() -> None:
    game = opened()
    text = content(game.state, "GM_TO_PLAYER", BODY, request_type="QUICK_REACTION", scene_number="007", scene_slug="x")
    game = game.reply(GM, reply((CORWIN, text)))
    assert TABLETOP.phase(game.state) == "scene 007, beat 1"
    for seat in game.state.seats:
        known = TABLETOP.phase(game.play.known(seat))
        assert known == ("scene 007, beat 1" if seat in (GM, TEAM_LEAD, NARRATOR) else "beat 1"), seat


@pytest.mark.spec("T-162", "T-101")
def test_a_gm_that_has_asked_nobody_is_still_asked_to_save_before_the_session_pauses() -> None:
    game = opened(idle_gm_turns=2).say(HUMAN, "/save").send(GM, None, "NARRATIVE", "Rain.")
    assert game.state.hold is None
    assert game.open()[GM] == ["save"]
    without = opened(idle_gm_turns=2).send(GM, None, "NARRATIVE", "Rain.")
    assert without.state.hold is not None


@pytest.mark.spec("T-157", "T-153")
def test_after_end_nobody_is_asked_for_an_answer_in_kind() -> None:
    game = asked(opened(), CORWIN)
    spoken = game.say(CORWIN, envelope(game.state, BRYN, "PLAYER_TO_PLAYER", "Well?", from_=CORWIN, to_=BRYN))
    assert spoken.open()[BRYN] == ["reply"]
    assert BRYN not in spoken.say(HUMAN, "/end").open()


@pytest.mark.spec("T-157", "T-076")
@pytest.mark.parametrize("edition", ["phase-2", "current"])
def test_after_end_nobody_is_asked_to_chat_any_more(edition: str) -> None:
    game = opened(edition).say(HUMAN, f"/chat {CORWIN} Shall we stop here?")
    assert game.open()[CORWIN] == ["chat"]
    ending = game.say(HUMAN, "/end")
    assert CORWIN not in ending.open()
    withdrawn = [(event.seat, event.turn) for event in ending.last if isinstance(event, TurnWithdrawn)]
    assert (CORWIN, game.turn(CORWIN).number) in withdrawn
    assert "chat" not in end(game).open().get(CORWIN, []), "an end that the GM brings about takes it back as well"


@pytest.mark.spec("T-157")
def test_a_chat_after_end_is_asked_for_and_taken_back_with_the_last_word() -> None:
    game = opened().say(HUMAN, "/end").say(HUMAN, f"/chat {CORWIN} Good night.")
    assert game.open()[CORWIN] == ["chat"]
    over = end(game)
    assert CORWIN not in over.open()
