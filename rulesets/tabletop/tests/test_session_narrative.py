"""Narration, together and split (T-040 to T-049, T-148 to T-150)."""

from __future__ import annotations

import pytest
from session import BODY, BRYN, CORWIN, PARTY, TILDA, Session, answered, asked, content, envelope, opened, reply

from sottovoce.domain.events import MessageRefused, TurnOpened
from sottovoce.domain.piece import Chair
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuild
from sottovoce.rulesets.tabletop.rules.events import PromptClosed
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD

DOCKS = f"(Group docks: {CORWIN}, {BRYN})\n\nThe docks are dark."
TOWER = f"(Group tower: {TILDA})\n\nThe tower sways."
TOGETHER = f"(Group all: {', '.join(PARTY)})\n\nAll meet at the gate."
PROMPT = "Fog.\n\n**What do you do?**"


def split(edition: str = "current") -> Session:
    return opened(edition).send(GM, TEAM_LEAD, "NARRATIVE", DOCKS)


@pytest.mark.spec("T-041", "T-069")
def test_the_gm_s_prompt_that_closes_a_beat_holds_all_that_was_done_and_said_in_it() -> None:
    game = asked(opened(), CORWIN, BRYN)
    game = answered(game, CORWIN, body="I leap for the rope.")
    game = game.say(CORWIN, envelope(game.state, BRYN, "PLAYER_TO_PLAYER", "Hold me!", from_=CORWIN, to_=BRYN))
    game = answered(game, BRYN, "REACTION", "My heart stops.")
    prompt = game.play.context(GM)
    for words in ("I leap for the rope.", "Hold me!", "My heart stops."):
        assert words in prompt
    assert "weave in all" in game.play.request(GM).ask
    told = game.send(GM, None, "NARRATIVE", "The rope holds.")
    assert "I leap for the rope." not in told.play.context(GM)


@pytest.mark.spec("T-044")
def test_the_human_is_shown_the_prose_without_its_tag() -> None:
    game = opened(prose="Fog lies over the quay.")
    sent = next(event for event in game.seen_by(HUMAN) if isinstance(event, MessageSent) and event.tag == "NARRATIVE")
    told = TABLETOP.tell(sent, Chair(HUMAN))
    assert told is not None
    assert told.said == "Fog lies over the quay."
    assert "[NARRATIVE]" not in told.text


@pytest.mark.spec("T-045", "F-014")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2", "current"])
def test_every_narrative_that_the_narrator_receives_is_added_to_the_scene_s_file(edition: str) -> None:
    game = opened(edition, "Fog lies over the quay.").send(GM, None, "NARRATIVE", "Then rain.")
    scene = game.state.documents["scenes/001-opening.md"]
    assert rebuild(scene) == "Fog lies over the quay.\n\nThen rain.\n"
    assert {piece.readers for piece in scene} == {(GM, NARRATOR)}
    apart = game.send(GM, TEAM_LEAD, "NARRATIVE", DOCKS)
    assert "docks are dark" not in rebuild(apart.state.documents["scenes/001-opening.md"])


@pytest.mark.spec("T-046")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2", "current"])
def test_a_broadcast_opens_no_player_s_turn(edition: str) -> None:
    game = opened(edition).send(GM, None, "NARRATIVE", "Rain falls on everybody.")
    assert {event.seat for event in game.last if isinstance(event, TurnOpened)} <= {GM, NARRATOR}


@pytest.mark.spec("T-046", "T-068")
@pytest.mark.parametrize("edition", ["phase-2", "current"])
def test_a_player_does_not_answer_a_broadcast(edition: str) -> None:
    game = opened(edition)
    step = game.say(CORWIN, envelope(game.state, GM, "PLAYER_TO_GM", "I run.", type="ACTION", character=CORWIN))
    assert "no open GM_TO_PLAYER" in step.refusal()
    assert [type(event) for event in step.last] == [MessageRefused]


@pytest.mark.spec("T-042", "T-096")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2"])
def test_an_action_prompt_asks_the_human_and_sends_their_words(edition: str) -> None:
    game = opened(edition, PROMPT)
    assert game.open()[HUMAN] == ["act"]
    acted = game.reply(HUMAN, "I wait and listen.")
    assert [event.fields["action"] for event in acted.sent("PLAYER_ACTION")] == ["I wait and listen."]
    assert HUMAN not in opened(edition, "What do you do? you ask.\nFog.").open()


@pytest.mark.spec("T-043")
def test_under_current_a_narrative_that_asks_for_action_is_refused_in_a_split_too() -> None:
    game = opened()
    assert "GM_TO_PLAYER" in game.reply(GM, f"[NARRATIVE]\n\n{PROMPT}").refusal()
    asking = f"[NARRATIVE]\n\n{DOCKS} WHAT do _you_ do?"
    assert "GM_TO_PLAYER" in game.reply(GM, reply((TEAM_LEAD, asking))).refusal()


@pytest.mark.spec("T-148", "T-047")
def test_a_direct_narrative_splits_the_party_until_all_are_named_in_a_broadcast() -> None:
    game = split()
    assert game.state.split
    lonely = game.reply(GM, "[NARRATIVE]\n\nRain falls.")
    assert f"(Group everyone: {', '.join(PARTY)})" in lonely.refusal()
    partly = game.reply(GM, f"[NARRATIVE]\n\n{DOCKS}")
    assert "party is split" in partly.refusal()
    met = game.send(GM, None, "NARRATIVE", TOGETHER)
    assert not met.state.split
    assert met.audience(MessageSent, "NARRATIVE") == set(met.state.seats)
    assert met.send(GM, None, "NARRATIVE", "Rain falls.").sent("NARRATIVE")


@pytest.mark.spec("T-048")
@pytest.mark.parametrize(
    "prose",
    [
        "The docks are dark.",
        TOGETHER,
        "(Group docks: zed-unknown)\n\nDark.",
        "(Group docks: corwin)\n\nDark.",
        "(Group docks:)\n\nDark.",
        f"Dark.\n(Group docks: {CORWIN})",
    ],
)
def test_a_direct_narrative_says_first_which_part_of_the_party_it_is_for(prose: str) -> None:
    game = opened()
    step = game.reply(GM, reply((TEAM_LEAD, f"[NARRATIVE]\n\n{prose}")))
    assert not step.sent()
    assert step.refusal()
    assert not step.state.split


@pytest.mark.spec("T-149")
def test_in_a_split_a_character_is_in_the_group_that_named_it_last() -> None:
    game = split().send(GM, TEAM_LEAD, "NARRATIVE", TOWER)
    assert (game.state.members("docks"), game.state.members("tower")) == ((CORWIN, BRYN), (TILDA,))
    moved = game.send(GM, TEAM_LEAD, "NARRATIVE", f"(Group tower: {BRYN})\n\nBryn climbs.")
    assert (moved.state.members("docks"), moved.state.members("tower")) == ((CORWIN,), (TILDA, BRYN))
    assert moved.send(GM, None, "NARRATIVE", TOGETHER).state.group_labels == ("",)


@pytest.mark.spec("T-150", "T-164")
def test_under_phase_2_an_action_prompt_asks_nobody_while_the_human_is_away() -> None:
    game = opened("phase-2").say(HUMAN, "/away").send(GM, None, "NARRATIVE", PROMPT)
    assert HUMAN not in game.open()
    closed = [event for event in game.last if isinstance(event, PromptClosed)]
    assert [event.fallback for event in closed] == [True]


@pytest.mark.spec("T-150")
def test_under_phase_2_a_request_to_the_human_s_character_takes_the_place_of_an_open_prompt() -> None:
    game = opened("phase-2", PROMPT).say(NARRATOR, "@gm\nHm")
    assert game.open()[HUMAN] == ["act"]
    text = content(game.state, "GM_TO_PLAYER", BODY, request_type="QUICK_REACTION", scene_number="001", scene_slug="a")
    step = game.say(GM, reply((TILDA, text)))
    assert HUMAN not in step.open()
    assert [event.fallback for event in step.last if isinstance(event, PromptClosed)] == [False]
    assert step.open()[TILDA] == ["relay"]
    other = content(game.state, "GM_TO_PLAYER", BODY, request_type="QUICK_REACTION", scene_number="001", scene_slug="a")
    assert game.say(GM, reply((CORWIN, other))).open()[HUMAN] == ["act"]


def test_a_narrative_for_others_leaves_the_human_s_prompt_as_it_is() -> None:
    game = opened("phase-2", PROMPT)
    number = game.turn(HUMAN).number
    assert game.say(GM, reply((TEAM_LEAD, f"[NARRATIVE]\n\n{DOCKS}"))).turn(HUMAN).number == number
    assert game.say(GM, reply((None, f"[NARRATIVE]\n\n{PROMPT}"))).turn(HUMAN).number == number + 1
