"""What the GM asks of a character and how it answers (T-056 to T-073, T-151, T-152)."""

from __future__ import annotations

import pytest
from session import (
    BODY,
    BRYN,
    CORWIN,
    FILES,
    TILDA,
    Session,
    answered,
    asked,
    content,
    decided,
    envelope,
    opened,
    reply,
)

from sottovoce.domain import commands
from sottovoce.domain.events import AttemptFailed, FallbackApplied, ReplyAccepted, TurnOpened, TurnWithdrawn
from sottovoce.domain.testing import NOON
from sottovoce.rulesets.tabletop.rules.events import RequestPassed, SceneChanged
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

RELAY = "## Scene\nThe quay.\n\n## Decision Needed\nThe rope?\n\n## Suggested Options\n- Grab it"


def prompt(kind: str) -> str:
    return asked(opened(), CORWIN, kind=kind).play.request(CORWIN).whole


def to_gm(game: Session, seat: str, kind: str, body: str = "I run.") -> Session:
    return game.say(seat, envelope(game.state, GM, "PLAYER_TO_GM", body, type=kind, character=seat))


@pytest.mark.spec("T-056")
def test_a_quick_reaction_asks_for_a_sentence_or_two_or_a_veto_and_takes_more() -> None:
    assert "one or two sentences" in prompt("QUICK_REACTION")
    assert "VETO" in prompt("QUICK_REACTION")
    assert answered(asked(opened(), CORWIN), CORWIN, body="I run. " * 50).sent("PLAYER_TO_GM")


@pytest.mark.spec("T-057", "T-071")
def test_a_full_context_takes_its_time_comes_unasked_too_and_knows_no_veto() -> None:
    assert "Take the time to decide" in prompt("FULL_CONTEXT")
    assert "VETO" not in prompt("FULL_CONTEXT")
    assert asked(opened(), CORWIN, kind="FULL_CONTEXT").sent("GM_TO_PLAYER")


@pytest.mark.spec("T-058")
def test_a_combat_action_asks_for_action_target_and_abilities_of_one_turn() -> None:
    ask = prompt("COMBAT_ACTION")
    for word in ("one combat turn", "action", "target", "abilities"):
        assert word in ask


@pytest.mark.spec("T-059")
def test_a_secret_action_and_its_answer_stay_between_gm_and_player() -> None:
    assert "honestly, in character" in prompt("SECRET_ACTION")
    game = asked(opened(), CORWIN, kind="SECRET_ACTION", body=BODY.replace("A rope snaps.", "A purse lies open."))
    game = answered(game, CORWIN, body="I take the purse.")
    for seat in game.state.seats:
        words = str(game.seen_by(seat))
        assert ("A purse lies open." in words) == (seat in (GM, CORWIN))
        assert ("I take the purse." in words) == (seat in (GM, CORWIN))


@pytest.mark.spec("T-059", "T-078", "T-081")
def test_of_a_secret_action_the_human_of_that_character_is_told() -> None:
    game = decided(asked(opened(), TILDA, kind="SECRET_ACTION"), "Take the purse.")
    seen = game.seen_by(HUMAN)
    assert [event.tag for event in seen if isinstance(event, MessageSent)][-2:] == ["RELAY_TO_HUMAN", "HUMAN_DECISION"]
    done = answered(game, TILDA, body="I take the purse.")
    assert done.audience(MessageSent, "PLAYER_TO_GM") == {TILDA, GM}


@pytest.mark.spec("T-060")
@pytest.mark.parametrize("text", ["", "  ", "pass", "PASS", "Pass."])
def test_an_optional_reaction_is_passed_by_nothing_or_by_the_word(text: str) -> None:
    game = asked(opened(), CORWIN, kind="OPTIONAL_REACTION").reply(CORWIN, text)
    assert [event for event in game.last if isinstance(event, RequestPassed)] == [RequestPassed(character=CORWIN)]
    assert not [event for event in game.last if isinstance(event, AttemptFailed)]
    assert CORWIN not in game.open()
    assert GM in game.open()


@pytest.mark.spec("T-060", "T-062")
@pytest.mark.parametrize("kind", ["OPTIONAL_REACTION", "INTERACTION"])
def test_a_player_to_gm_of_the_one_word_passes_too(kind: str) -> None:
    game = asked(opened(), CORWIN, kind=kind)
    text = envelope(game.state, GM, "PLAYER_TO_GM", "Pass", type="REACTION", character=CORWIN)
    step = game.reply(CORWIN, text)
    assert not step.sent()
    assert step.audience(RequestPassed) == {CORWIN, GM}
    assert CORWIN not in step.open()
    firm = asked(opened(), CORWIN)
    assert firm.reply(CORWIN, text).sent("PLAYER_TO_GM")


@pytest.mark.spec("T-060")
def test_a_timeout_passes_an_optional_reaction_at_once() -> None:
    game = asked(opened(), CORWIN, kind="OPTIONAL_REACTION").expire(CORWIN)
    assert [event.character for event in game.last if isinstance(event, RequestPassed)] == [CORWIN]
    assert not [event for event in game.last if isinstance(event, AttemptFailed)]


@pytest.mark.spec("T-060", "T-017")
def test_other_requests_are_not_passed() -> None:
    for text in ("pass", ""):
        step = asked(opened(), CORWIN).reply(CORWIN, text)
        assert [type(event) for event in step.last if isinstance(event, AttemptFailed | RequestPassed)] == [
            AttemptFailed
        ]


@pytest.mark.spec("T-061")
def test_a_reflection_is_answered_by_a_reaction() -> None:
    assert "type (REACTION)" in prompt("REFLECTION")
    game = asked(opened(), CORWIN, kind="REFLECTION")
    assert "type: REACTION" in to_gm(game, CORWIN, "ACTION").refusal()
    assert to_gm(game, CORWIN, "REACTION").sent("PLAYER_TO_GM")


@pytest.mark.spec("T-062")
def test_an_interaction_is_closed_by_the_first_word_to_the_party() -> None:
    game = asked(opened(), CORWIN, kind="INTERACTION")
    assert "PLAYER_TO_PLAYER" in to_gm(game, CORWIN, "ACTION").refusal()
    assert "PLAYER_TO_PLAYER" in to_gm(game, CORWIN, "REACTION").refusal()
    spoken = content(game.state, "PLAYER_TO_PLAYER", "All well?", from_=CORWIN, to_=BRYN)
    more = content(game.state, "PLAYER_TO_PLAYER", "And you?", from_=CORWIN, to_=TILDA)
    step = game.reply(CORWIN, reply((BRYN, spoken), (TILDA, more)))
    assert len(step.sent("PLAYER_TO_PLAYER")) == 2
    assert CORWIN not in step.open()
    assert CORWIN not in step.state.requests
    assert game.reply(CORWIN, "pass").state.requests == {}


@pytest.mark.spec("T-062")
def test_an_interaction_needs_somebody_else_in_the_party() -> None:
    game = opened(characters=(TILDA,))
    step = asked(game, TILDA, kind="INTERACTION")
    assert "needs another character" in step.refusal()
    assert not step.sent()


@pytest.mark.spec("T-064")
def test_a_new_request_takes_the_place_of_the_same_character_s_older_one() -> None:
    game = asked(opened(), CORWIN)
    first = game.turn(CORWIN).number
    text = content(game.state, "GM_TO_PLAYER", BODY, request_type="COMBAT_ACTION", scene_number="001", scene_slug="b")
    step = game.say(GM, reply((CORWIN, text)))
    assert [event.turn for event in step.last if isinstance(event, TurnWithdrawn)] == [first]
    assert step.open()[CORWIN] == ["combat-action"]
    assert step.state.requests[CORWIN].type == "COMBAT_ACTION"
    assert "closed" in step.when(_late(CORWIN, first)).refusal()


def _late(seat: str, turn: int) -> commands.Reply:
    return commands.Reply(NOON, seat, turn, "So late.")


@pytest.mark.spec("T-064")
def test_one_reply_asks_several_characters_each_by_itself() -> None:
    game = asked(opened(), CORWIN, BRYN)
    assert game.open()[CORWIN] == game.open()[BRYN] == ["quick-reaction"]
    assert {event.seat for event in game.last if isinstance(event, TurnOpened)} == {CORWIN, BRYN}


@pytest.mark.spec("T-065", "T-066")
@pytest.mark.parametrize("edition", ["phase-2", "current"])
def test_one_player_to_gm_straight_to_the_gm_is_the_answer(edition: str) -> None:
    game = answered(asked(opened(edition), CORWIN), CORWIN)
    sent = game.sent("PLAYER_TO_GM")[0]
    assert (sent.seat, sent.to) == (CORWIN, GM)
    assert [event.seat for event in game.last if isinstance(event, ReplyAccepted)] == [CORWIN]
    elsewhere = content(game.state, "PLAYER_TO_GM", "I run.", type="ACTION", character=CORWIN)
    assert not asked(opened(edition), CORWIN).reply(CORWIN, reply((NARRATOR, elsewhere))).sent()
    assert not asked(opened(edition), CORWIN).say(GM, reply((GM, elsewhere))).sent()


@pytest.mark.spec("T-151")
def test_another_scene_is_told_to_gm_team_lead_and_narrator() -> None:
    game = opened()
    assert game.state.scene == ("001", "opening")

    def ask(kind: str, number: str, slug: str) -> Session:
        fields = {"request_type": kind, "scene_number": number, "scene_slug": slug}
        return game.reply(GM, reply((CORWIN, content(game.state, "GM_TO_PLAYER", BODY, **fields))))

    changed = ask("QUICK_REACTION", "002", "the-stair")
    assert changed.audience(SceneChanged) == {GM, TEAM_LEAD, NARRATOR}
    assert changed.state.scene == ("002", "the-stair")
    assert not [event for event in ask("QUICK_REACTION", "001", "opening").last if isinstance(event, SceneChanged)]
    assert not [event for event in ask("SECRET_ACTION", "002", "the-stair").last if isinstance(event, SceneChanged)]
    told = answered(changed, CORWIN).send(GM, None, "NARRATIVE", "The stair drips.")
    assert "scenes/002-the-stair.md" in told.state.documents


@pytest.mark.spec("T-151", "T-073")
def test_the_full_context_after_a_secret_veto_tells_of_no_scene_either() -> None:
    game = answered(asked(opened(), CORWIN, kind="SECRET_ACTION"), CORWIN, "VETO", "How deep is it?")
    fields = {"request_type": "FULL_CONTEXT", "scene_number": "002", "scene_slug": "below"}
    step = game.reply(GM, reply((CORWIN, content(game.state, "GM_TO_PLAYER", BODY, **fields))))
    assert step.sent("GM_TO_PLAYER")
    assert not [event for event in step.last if isinstance(event, SceneChanged)]


@pytest.mark.spec("T-068")
def test_a_request_is_answered_once() -> None:
    game = answered(asked(opened(), CORWIN, BRYN), CORWIN)
    assert "no open GM_TO_PLAYER" in to_gm(game, CORWIN, "ACTION").refusal()
    assert to_gm(game, BRYN, "ACTION").sent("PLAYER_TO_GM")


@pytest.mark.spec("T-068")
def test_an_answer_sent_unasked_closes_the_turn_as_well() -> None:
    game = to_gm(asked(opened(), CORWIN), CORWIN, "ACTION")
    assert CORWIN not in game.open()
    assert game.open()[GM] == ["beat"]


@pytest.mark.spec("T-069")
def test_the_answer_to_a_secret_action_is_not_to_be_woven_in() -> None:
    game = answered(asked(opened(), CORWIN, kind="SECRET_ACTION"), CORWIN, body="I take the purse.")
    assert not game.state.acts
    assert "DONE AND SAID" not in game.play.context(GM)


@pytest.mark.spec("T-069")
def test_in_a_split_an_answer_is_woven_into_its_own_group_s_narrative() -> None:
    game = opened().send(GM, TEAM_LEAD, "NARRATIVE", f"(Group docks: {CORWIN})\n\nDark.")
    game = answered(answered(asked(game, CORWIN, BRYN), CORWIN, body="I dive."), BRYN, body="I climb.")
    game = game.send(GM, TEAM_LEAD, "NARRATIVE", f"(Group tower: {BRYN}, {TILDA})\n\nStone.")
    assert [act.text for act in game.state.acts] == ["I dive."]
    assert not game.send(GM, TEAM_LEAD, "NARRATIVE", f"(Group docks: {CORWIN})\n\nWater.").state.acts


@pytest.mark.spec("T-070")
def test_after_a_veto_the_gm_sends_full_context_before_anything_else_to_that_player() -> None:
    game = answered(asked(opened(), CORWIN, BRYN), CORWIN, "VETO", "How deep is the water?")
    assert game.open()[GM] == ["veto"]
    assert CORWIN not in game.open()
    other = asked(game, CORWIN)
    assert "FULL_CONTEXT" in other.refusal()
    told = game.send(GM, None, "NARRATIVE", "It rains.")
    assert "FULL_CONTEXT" in told.refusal()
    full = asked(game, CORWIN, kind="FULL_CONTEXT")
    assert full.open()[CORWIN] == ["full-context"]
    assert GM not in full.open()


@pytest.mark.spec("T-071")
@pytest.mark.parametrize(
    "kind",
    ["QUICK_REACTION", "COMBAT_ACTION", "SECRET_ACTION", "OPTIONAL_REACTION", "REFLECTION", "INTERACTION"],
)
def test_every_request_but_full_context_can_be_vetoed(kind: str) -> None:
    vetoed = answered(asked(opened(), CORWIN, kind=kind), CORWIN, "VETO", "Tell me more.")
    assert vetoed.sent("PLAYER_TO_GM")
    assert vetoed.state.requests[CORWIN].vetoed
    again = answered(asked(vetoed, CORWIN, kind="FULL_CONTEXT"), CORWIN, "VETO", "More!")
    assert "cannot be vetoed" in again.refusal()


@pytest.mark.spec("T-073")
def test_a_vetoed_secret_action_stays_secret_when_it_is_asked_in_full() -> None:
    game = answered(asked(opened(), CORWIN, kind="SECRET_ACTION"), CORWIN, "VETO", "How deep?")
    game = answered(asked(game, CORWIN, kind="FULL_CONTEXT"), CORWIN)
    assert game.audience(MessageSent, "PLAYER_TO_GM") == {CORWIN, GM}
    plain = answered(asked(opened(), CORWIN), CORWIN, "VETO", "How deep?")
    plain = answered(asked(plain, CORWIN, kind="FULL_CONTEXT"), CORWIN)
    assert plain.audience(MessageSent, "PLAYER_TO_GM") == {CORWIN, GM, NARRATOR}


@pytest.mark.spec("T-152")
def test_mechanical_notes_reach_the_gm_as_written_and_roll_nothing() -> None:
    game = answered(asked(opened(), CORWIN), CORWIN, body="I leap. (Athletics check, 1d20+5)")
    assert [type(event).__name__ for event in game.last if "Dice" in type(event).__name__] == []
    assert "(Athletics check, 1d20+5)" in game.play.context(GM)


@pytest.mark.spec("T-063", "T-114")
def test_words_closed_to_their_hearer_are_refused_with_the_words() -> None:
    game = opened()
    told = "the lamp keeper drowned the bell himself on the night"
    step = asked(game, CORWIN, body=BODY.replace("A rope snaps.", f"You know that {told}."))
    assert told in step.refusal()
    assert not step.sent()
    note = game.send(GM, NARRATOR, "NARRATOR_NOTE", from_=GM, note=f"Remember: {told}.")
    assert "narrator has no access" in note.refusal()


@pytest.mark.spec("T-063", "T-114")
def test_a_hidden_motive_in_any_file_is_closed_and_the_look_of_a_place_is_not() -> None:
    motive = "the ferryman wants the lamp dark so that nobody counts his crossings"
    look = "three stone steps lead down from the lamp to the black water"
    npc = f"# The ferryman\n\nHe rows, and says that {look}.\n\n## Secrets\nIn truth {motive}.\n"
    game = opened(files={**FILES, "npcs/ferryman.md": npc.encode()})
    assert motive in asked(game, CORWIN, body=BODY.replace("A rope snaps.", f"You know that {motive}.")).refusal()
    assert motive in game.send(GM, NARRATOR, "NARRATOR_NOTE", from_=GM, note=f"Say that {motive}.").refusal()
    assert asked(game, CORWIN, body=BODY.replace("A rope snaps.", f"You see that {look}.")).sent("GM_TO_PLAYER")


@pytest.mark.spec("T-138")
def test_a_fallback_of_a_request_is_a_pass_that_is_marked() -> None:
    game = asked(opened(), CORWIN).exhaust(CORWIN)
    assert [event for event in game.last if isinstance(event, RequestPassed)] == [
        RequestPassed(character=CORWIN, fallback=True)
    ]
    assert [event.seat for event in game.last if isinstance(event, FallbackApplied)] == [CORWIN]
    assert game.audience(RequestPassed) == {CORWIN, GM}
    assert game.open()[GM] == ["beat"]


def whisper(game: Session, words: str) -> Session:
    """Corwin to Bryn."""
    return game.say(CORWIN, envelope(game.state, BRYN, "PLAYER_TO_PLAYER", words, from_=CORWIN, to_=BRYN))


@pytest.mark.spec("T-063")
def test_words_that_the_gm_put_to_a_character_are_no_secret_for_being_whispered_on() -> None:
    offer = "You might say that there may be a third way out of this, if somebody can find it."
    body = f"## Scene\nThe quay.\n\n## Just Happened\nA rope snaps.\n\n## Request\n{offer}"
    game = answered(asked(opened(), CORWIN, body=body), CORWIN)
    whispered = whisper(game, f"{offer} So I was told.")
    assert asked(whispered, TILDA, body=body).sent("GM_TO_PLAYER")
    own = "I buried the second key under the third stone of the wall behind the inn."
    secret = whisper(game, own)
    assert "has no access to" in asked(secret, TILDA, body=body.replace(offer, own)).refusal()


@pytest.mark.spec("T-068", "T-142")
def test_an_answer_stands_and_closes_the_turn_whatever_else_of_the_reply_is_refused() -> None:
    game = asked(opened(), CORWIN)
    act = content(game.state, "PLAYER_TO_GM", "I grab the rope.", type="ACTION", character=CORWIN)
    both = game.reply(CORWIN, reply((GM, act), ("nobody-here", "Hello.")), "quick-reaction")
    kinds = [type(event) for event in both.last]
    assert ReplyAccepted in kinds
    assert not {AttemptFailed, TurnWithdrawn} & set(kinds)
    assert "nobody-here" in both.refusal()
    assert CORWIN not in both.open()
