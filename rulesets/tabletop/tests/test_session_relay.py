"""The human and their character (T-080 to T-086, T-140, T-155, T-156, T-167)."""

from __future__ import annotations

import pytest
from session import BODY, BRYN, CORWIN, TILDA, Session, answered, asked, content, decided, envelope, opened, reply

from sottovoce.domain import commands
from sottovoce.domain.events import AttemptFailed, TurnWithdrawn
from sottovoce.domain.testing import NOON
from sottovoce.rulesets.tabletop.rules.events import RelayWithdrawn, RequestPassed
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, TEAM_LEAD

RELAY = "## Scene\nThe quay.\n\n## Decision Needed\nThe rope?\n\n## Suggested Options\n- Grab it"


def relay(game: Session) -> Session:
    return game.say(TILDA, envelope(game.state, TEAM_LEAD, "RELAY_TO_HUMAN", RELAY, character=TILDA))


def to_gm(game: Session, seat: str = TILDA, kind: str = "ACTION") -> Session:
    return game.say(seat, envelope(game.state, GM, "PLAYER_TO_GM", "I run.", type=kind, character=seat))


@pytest.mark.spec("T-080", "T-079")
def test_a_relay_is_shown_to_the_human_whose_words_settle_it() -> None:
    game = asked(opened(), TILDA)
    assert game.open()[TILDA] == ["relay"]
    shown = relay(game)
    assert shown.open()[HUMAN] == ["decide"]
    assert "The rope?" in shown.play.context(HUMAN)
    assert "1 Grab it" in shown.play.context(HUMAN)
    assert "freeform" in shown.play.context(HUMAN)
    done = shown.reply(HUMAN, "Grab it, fast!")
    assert [event.body for event in done.sent("HUMAN_DECISION")] == ["Grab it, fast!"]
    assert HUMAN not in done.open()


@pytest.mark.spec("T-078", "T-080")
def test_a_relay_needs_an_open_request_a_human_who_is_there_and_no_other_relay() -> None:
    assert "no open GM_TO_PLAYER" in relay(opened()).refusal()
    assert "A relay is pending" in relay(relay(asked(opened(), TILDA))).refusal()
    assert "human is away" in relay(asked(opened().say(HUMAN, "/away"), TILDA)).refusal()
    game = asked(opened(), CORWIN)
    other = game.say(CORWIN, envelope(game.state, TEAM_LEAD, "RELAY_TO_HUMAN", RELAY, character=CORWIN))
    assert "Only the human's character" in other.refusal()
    alone = asked(opened(human=False), TILDA)
    assert not relay(alone).sent()


@pytest.mark.spec("T-082")
def test_a_decision_without_a_pending_relay_is_refused_and_with_one_opens_the_answer() -> None:
    game = asked(opened(), TILDA)
    text = envelope(game.state, TILDA, "HUMAN_DECISION", "Go!", character=TILDA)
    assert "No RELAY_TO_HUMAN is pending" in game.say(TEAM_LEAD, text).refusal()
    done = relay(game).say(TEAM_LEAD, text)
    assert done.sent("HUMAN_DECISION")
    assert HUMAN not in done.open()
    assert done.open()[TILDA] == ["quick-reaction"]
    assert "Go!" in done.play.context(TILDA)
    assert "No RELAY_TO_HUMAN is pending" in done.say(TEAM_LEAD, text).refusal()
    assert answered(done, TILDA).sent("PLAYER_TO_GM")


@pytest.mark.spec("T-082")
def test_after_an_interaction_the_decision_becomes_a_word_to_the_party() -> None:
    game = decided(asked(opened(), TILDA, kind="INTERACTION"), "Ask Corwin how he is.")
    step = game.send(TILDA, CORWIN, "PLAYER_TO_PLAYER", "How are you?", from_=TILDA, to_=CORWIN)
    assert step.sent("PLAYER_TO_PLAYER")
    assert TILDA not in step.state.requests


@pytest.mark.spec("T-083")
def test_the_mode_is_switched_for_the_human_s_character_alone() -> None:
    game = opened()
    wrong = game.say(TEAM_LEAD, envelope(game.state, CORWIN, "MODE_SWITCH", mode="AUTONOMOUS"))
    assert "human's character" in wrong.refusal()
    right = game.say(TEAM_LEAD, envelope(game.state, TILDA, "MODE_SWITCH", mode="AUTONOMOUS"))
    assert right.state.mode == "AUTONOMOUS"
    assert not game.say(GM, envelope(game.state, TILDA, "MODE_SWITCH", mode="AUTONOMOUS")).sent()


@pytest.mark.spec("T-084")
def test_the_session_starts_in_human_relay_or_autonomous_without_a_human() -> None:
    assert opened().state.mode == "HUMAN_RELAY"
    assert opened(human=False).state.mode == "AUTONOMOUS"
    assert asked(opened(human=False), TILDA).open()[TILDA] == ["quick-reaction"]


@pytest.mark.spec("T-084")
def test_a_switch_to_the_mode_in_force_has_no_effect() -> None:
    game = relay(asked(opened(), TILDA))
    again = game.say(HUMAN, "/back")
    assert again.state.but(heard=game.state.heard) == game.state
    away = asked(opened().say(HUMAN, "/away"), TILDA)
    assert away.say(HUMAN, "/away").state.turns == away.state.turns
    assert not away.say(HUMAN, "/away").sent(None)[1:]


@pytest.mark.spec("T-085", "T-084")
def test_when_the_human_leaves_a_pending_relay_is_withdrawn_and_the_character_decides() -> None:
    game = relay(asked(opened(), TILDA)).say(HUMAN, "/away tea")
    assert game.audience(RelayWithdrawn) == {TILDA, TEAM_LEAD, HUMAN}
    assert HUMAN not in game.open()
    assert game.open()[TILDA] == ["quick-reaction"]
    assert game.sent("MODE_SWITCH")[0].fields["reason"] == "tea"
    assert to_gm(game).sent("PLAYER_TO_GM")


@pytest.mark.spec("T-085")
def test_when_the_human_leaves_before_the_relay_the_character_is_asked_to_answer() -> None:
    game = asked(opened(), TILDA).say(HUMAN, "/away")
    assert game.open()[TILDA] == ["quick-reaction"]
    assert game.say(HUMAN, "/back").open()[TILDA] == ["relay"]


@pytest.mark.spec("T-086")
def test_on_return_the_character_sums_up_what_it_did_meanwhile() -> None:
    game = asked(opened().say(HUMAN, "/away"), TILDA, CORWIN)
    game = answered(answered(game, TILDA, body="I jump into the boat."), CORWIN, body="I row.")
    back = game.say(HUMAN, "/back")
    summary = back.sent()[-1]
    assert (summary.seat, summary.to, summary.tag) == (TILDA, TEAM_LEAD, None)
    assert "I jump into the boat." in summary.body
    assert "I row." not in summary.body
    drafts = [draft for draft in back.play.new if draft.event is summary]
    assert drafts[0].audience.seats == frozenset({TILDA, TEAM_LEAD, HUMAN})
    assert asked(back, TILDA).open()[TILDA] == ["relay"]
    later = back.say(HUMAN, "/away").say(HUMAN, "/back")
    assert "I jump" not in later.sent()[-1].body


@pytest.mark.spec("T-059", "T-086", "T-073")
@pytest.mark.parametrize("vetoed", [False, True])
@pytest.mark.parametrize("returns", [False, True])
def test_of_what_it_did_in_secret_the_character_tells_its_human_nothing(vetoed: bool, returns: bool) -> None:
    game = answered(asked(opened().say(HUMAN, "/away"), TILDA), TILDA, body="I jump into the boat.")
    game = asked(game, TILDA, kind="SECRET_ACTION")
    if vetoed:
        game = answered(game, TILDA, "VETO", "Whose purse is it?")
        game = asked(game, TILDA, kind="FULL_CONTEXT")
    if returns:
        game = game.say(HUMAN, "/back").say(HUMAN, "/away")
    game = answered(game, TILDA, body="I take the purse.")
    game = answered(asked(game, TILDA), TILDA, body="I whistle.")
    summary = game.say(HUMAN, "/back").sent()[-1].body
    assert summary == "While you were away:\n" + "\n".join(
        f"To gm: {deed}" for deed in ("I jump into the boat.", "I whistle.")[returns:]
    )
    for seat in game.state.seats:
        words = str(game.say(HUMAN, "/back").seen_by(seat))
        assert ("I take the purse." in words) == (seat in (GM, TILDA))
        assert ("Whose purse is it?" in words) == (vetoed and seat in (GM, TILDA))


@pytest.mark.spec("T-155")
@pytest.mark.parametrize("kind", ["ACTION", "REACTION"])
def test_the_character_answers_only_once_its_human_has_decided(kind: str) -> None:
    game = asked(opened(), TILDA)
    assert "Your human decides" in to_gm(game, kind=kind).refusal()
    assert "Your human decides" in to_gm(relay(game), kind=kind).refusal()
    assert to_gm(decided(game), kind=kind).sent("PLAYER_TO_GM")
    assert to_gm(game, kind="VETO").sent("PLAYER_TO_GM")


@pytest.mark.spec("T-155")
def test_the_character_neither_passes_nor_speaks_in_its_human_s_place() -> None:
    talk = asked(opened(), TILDA, kind="INTERACTION")
    spoken = talk.send(TILDA, CORWIN, "PLAYER_TO_PLAYER", "Hi.", from_=TILDA, to_=CORWIN)
    assert "Your human decides" in spoken.refusal()
    optional = asked(opened(), TILDA, kind="OPTIONAL_REACTION")
    text = envelope(optional.state, GM, "PLAYER_TO_GM", "pass", type="ACTION", character=TILDA)
    assert "Your human decides" in optional.reply(TILDA, text).refusal()
    assert optional.reply(TILDA, "pass").turn(TILDA).attempt == 2


@pytest.mark.spec("T-167")
def test_a_character_does_not_pass_over_what_its_human_has_decided() -> None:
    game = decided(asked(opened(), TILDA, kind="OPTIONAL_REACTION"), "Grab the rope!")
    assert "Your human has decided" in game.reply(TILDA, "pass").refusal()
    text = envelope(game.state, GM, "PLAYER_TO_GM", "pass", type="ACTION", character=TILDA)
    assert "Your human has decided" in game.reply(TILDA, text).refusal()
    agreed = decided(asked(opened(), TILDA, kind="OPTIONAL_REACTION"), "pass").reply(TILDA, "pass")
    assert [type(event) for event in agreed.last if isinstance(event, RequestPassed)] == [RequestPassed]


@pytest.mark.spec("T-156", "T-064")
def test_a_new_request_withdraws_the_relay_that_was_pending() -> None:
    game = relay(asked(opened(), TILDA))
    text = content(game.state, "GM_TO_PLAYER", BODY, request_type="COMBAT_ACTION", scene_number="001", scene_slug="b")
    step = game.say(GM, reply((TILDA, text)))
    assert [event.character for event in step.last if isinstance(event, RelayWithdrawn)] == [TILDA]
    assert HUMAN in {event.seat for event in step.last if isinstance(event, TurnWithdrawn)}
    assert HUMAN not in step.open()
    assert step.open()[TILDA] == ["relay"]
    assert relay(step).open()[HUMAN] == ["decide"]


@pytest.mark.spec("T-140")
def test_a_human_has_no_time_limit_unless_one_is_set() -> None:
    assert relay(asked(opened(), TILDA)).turn(HUMAN).seconds is None
    assert relay(asked(opened(human_seconds=60), TILDA)).turn(HUMAN).seconds == 60


@pytest.mark.spec("T-140")
def test_when_the_human_s_time_runs_out_the_character_answers_that_one_request_alone() -> None:
    game = relay(asked(opened(human_seconds=60), TILDA)).expire(HUMAN)
    assert not [event for event in game.last if isinstance(event, AttemptFailed)]
    assert game.state.mode == "HUMAN_RELAY"
    assert game.open()[TILDA] == ["quick-reaction"]
    done = answered(game, TILDA)
    assert done.sent("PLAYER_TO_GM")
    assert asked(done, TILDA).open()[TILDA] == ["relay"]


@pytest.mark.spec("T-167", "T-061")
@pytest.mark.parametrize("kind", ["QUICK_REACTION", "REFLECTION", "OPTIONAL_REACTION", "SECRET_ACTION"])
def test_when_the_character_fails_to_relay_the_human_is_shown_the_request_and_speaks_for_it(kind: str) -> None:
    game = asked(opened(), TILDA, kind=kind).exhaust(TILDA)
    shown = game.sent("RELAY_TO_HUMAN")
    assert [event.fallback for event in shown] == [True]
    for words in ("The quay at dusk.", "A rope snaps.", "What do you do about it?"):
        assert words in shown[0].body
    done = game.reply(HUMAN, "I hold fast.", "decide")
    answer = done.sent("PLAYER_TO_GM")[0]
    assert (answer.seat, answer.body, answer.fallback) == (TILDA, "I hold fast.", True)
    assert TILDA not in done.open()
    assert answer.fields["type"] == ("REACTION" if kind == "REFLECTION" else "ACTION")


@pytest.mark.spec("T-167")
def test_when_the_character_fails_after_the_decision_the_human_s_words_count() -> None:
    for kind in ("QUICK_REACTION", "OPTIONAL_REACTION"):
        game = decided(asked(opened(), TILDA, kind=kind), "Grab the rope!")
        failed = game.exhaust(TILDA)
        assert [event.body for event in failed.sent("PLAYER_TO_GM")] == ["Grab the rope!"]
    late = decided(asked(opened(), TILDA, kind="OPTIONAL_REACTION"), "Grab the rope!").expire(TILDA)
    assert [event.body for event in late.sent("PLAYER_TO_GM")] == ["Grab the rope!"]


@pytest.mark.spec("T-167")
def test_words_for_an_interaction_go_to_the_one_they_name() -> None:
    game = asked(opened(), TILDA, kind="INTERACTION").exhaust(TILDA).reply(HUMAN, "Bryn, are you cold?")
    assert [(event.to, event.body) for event in game.sent("PLAYER_TO_PLAYER")] == [(BRYN, "Bryn, are you cold?")]
    first = asked(opened(), TILDA, kind="INTERACTION").exhaust(TILDA).reply(HUMAN, "Is anybody cold?")
    assert [event.to for event in first.sent("PLAYER_TO_PLAYER")] == [CORWIN]


@pytest.mark.spec("T-167")
def test_words_that_cannot_be_said_in_character_leave_the_session_going() -> None:
    game = asked(opened(), TILDA, kind="INTERACTION").exhaust(TILDA).reply(HUMAN, "(OOC) no idea")
    assert not game.sent("PLAYER_TO_PLAYER")
    assert [event.fallback for event in game.last if isinstance(event, RequestPassed)] == [True]
    assert game.open()[GM] == ["beat"]


@pytest.mark.spec("T-167", "T-165")
def test_a_switch_during_a_pause_leaves_no_relay_to_fail() -> None:
    game = asked(opened(), TILDA, CORWIN)
    game = answered(game, CORWIN, "VETO", "More?").exhaust(GM)
    assert game.state.hold is not None
    away = game.say(HUMAN, "/away")
    failed = away.exhaust(TILDA)
    assert not failed.sent("RELAY_TO_HUMAN")
    assert failed.say(HUMAN, "/save").open()[TILDA] == ["quick-reaction"]


def test_a_command_that_does_not_fit_costs_the_human_no_attempt() -> None:
    game = relay(asked(opened(), TILDA))
    number = game.turn(HUMAN).number
    for text in ("/nonsense", "/chat zed hm", "/chat", "/save", "/back"):
        game = game.reply(HUMAN, text, "decide")
        assert (game.turn(HUMAN).number, game.turn(HUMAN).attempt) == (number, 1)
    assert game.reply(HUMAN, "Grab it!", "decide").sent("HUMAN_DECISION")


def test_in_phase_1_nobody_steps_away() -> None:
    assert "is not available in phase-1" in opened("phase-1").say(HUMAN, "/away").refusal()


@pytest.mark.spec("T-038")
def test_of_a_request_to_the_character_the_human_sees_the_relay_alone() -> None:
    game = asked(opened(), TILDA)
    assert not [
        event for event in game.seen_by(HUMAN) if isinstance(event, MessageSent) and event.tag == "GM_TO_PLAYER"
    ]


@pytest.mark.spec("T-086", "T-165")
def test_a_human_who_is_back_while_the_session_pauses_is_told_of_the_absence_once_it_goes_on() -> None:
    game = answered(asked(opened().say(HUMAN, "/away"), TILDA, CORWIN), TILDA, body="I jump into the boat.")
    game = answered(game, CORWIN).exhaust(GM)
    assert game.state.hold is not None
    back = game.say(HUMAN, "/back").say(CORWIN, f"@{GM}\nI keep watch meanwhile.")
    assert [message.seat for message in back.sent()] == [CORWIN]
    on = back.when(commands.Fill(NOON))
    assert [(message.seat, message.to) for message in on.sent()] == [(TILDA, TEAM_LEAD)]
    assert "I jump into the boat." in on.sent()[0].body


@pytest.mark.spec("T-086")
def test_what_the_character_did_while_its_human_was_there_is_not_summed_up() -> None:
    game = decided(asked(opened(), TILDA), "I grab the rope.")
    game = to_gm(game)
    back = game.say(HUMAN, "/away").say(HUMAN, "/back")
    assert back.sent()[-1].body == "While you were away:\nNothing was asked of me."
