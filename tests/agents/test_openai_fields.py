"""Fields that a model fills in become replies that the rules of a tabletop session take."""

from __future__ import annotations

import json
from typing import Any

import pytest
from session import BRYN, CORWIN, PARTY, TILDA, Session, asked, opened, session

from sottovoce.agents.models.answers import Unreadable, reply_in
from sottovoce.agents.models.forms import answers_of
from sottovoce.domain.events import AttemptFailed, MessageRefused, Recorded
from sottovoce.domain.testing import NOON
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View, view
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR

PROMPT = {
    "prompt": CORWIN,
    "kind": "QUICK_REACTION",
    "scene": "The quay.",
    "just_happened": "A rope snaps.",
    "request": "What now?",
}


def seen(game: Session, seat: str) -> View[Any]:
    """The seat's own view of the session."""
    recorded = [
        Recorded("g", n, "a", d.event.stored_name, NOON, d.event.actor, d.audience, None, b"", b"", b"", d.event)
        for n, d in enumerate(game.play.drafts, 1)
    ]
    return view(TABLETOP, recorded, seat)


def how(here: View[Any], turn: Turn) -> str:
    """How one turn is answered."""
    return answers_of(here).told_of(here, turn)


def filled_in(game: Session, seat: str, kind: str, **fields: Any) -> Session:
    """The session after a model in that seat has filled in these fields."""
    turn = game.turn(seat, kind)
    return game.reply(seat, reply_in(json.dumps(fields), seen(game, seat), turn), kind)


def refusals(game: Session) -> list[str]:
    return [event.message for event in game.last if isinstance(event, AttemptFailed | MessageRefused)]


def test_a_gm_narrates_prompts_rolls_writes_and_notes_in_one_answer() -> None:
    game = filled_in(
        opened(),
        GM,
        "beat",
        steps=[
            {"narrative": "The rope parts with a crack.", "to": []},
            PROMPT,
            {**PROMPT, "prompt": BRYN},
            {"roll": "1d20+2", "who": BRYN, "check": "athletics", "dc": 12},
            {"resource": "hit points", "character": BRYN, "change": -3},
            {"document": "story-state.md", "heading": None, "operation": "append", "text": "The rope is gone."},
            {"note_to_narrator": "The crack echoes."},
        ],
    )
    assert refusals(game) == []
    assert [event.tag for event in game.sent()] == ["NARRATIVE", "NARRATOR_NOTE", "GM_TO_PLAYER", "GM_TO_PLAYER"]
    assert game.open()[CORWIN] == game.open()[BRYN] == ["quick-reaction"]


def test_a_gm_asks_the_human_and_ends_the_session() -> None:
    options = [{"label": "Left", "description": "Along the quay."}, {"label": "Right", "description": "Up the stair."}]
    question = {"header": "The fork", "question": "Which way?", "options": options}
    game = filled_in(opened(), GM, "beat", steps=[question])
    assert refusals(game) == []
    assert game.open()["human"] == ["choose"]
    over = filled_in(opened(), GM, "beat", steps=[{"end": "All is well.", "next_hook": "A bell rings."}])
    assert refusals(over) == []
    assert over.state.ended


def test_a_narrative_for_some_of_the_party_goes_to_them_alone() -> None:
    game = filled_in(opened(), GM, "beat", steps=[{"narrative": "You wait in the dark.", "to": [CORWIN]}])
    assert refusals(game) == []
    assert game.state.split
    assert game.sent("NARRATIVE")[0].group == (CORWIN,)


def test_in_phase_1_prompts_are_one_await_players() -> None:
    game = session("phase-1")
    game = filled_in(game, GM, "opening", steps=[{"narrative": "Fog lies over the quay."}, PROMPT])
    assert refusals(game) == []
    assert game.state.tasks == (CORWIN,)


def test_a_character_answers_relays_speaks_and_passes() -> None:
    game = asked(opened(), *PARTY)
    game = filled_in(game, CORWIN, "quick-reaction", type="ACTION", words="I grab the rope.")
    assert refusals(game) == []
    game = filled_in(game, TILDA, "relay", scene="The quay.", decision="The rope?", options=["Grab it", "Let go"])
    assert refusals(game) == []
    assert game.open()["human"] == ["decide"]
    talk = asked(opened(), BRYN, kind="INTERACTION")
    assert refusals(filled_in(talk, BRYN, "interaction", to=CORWIN, words="Well held.")) == []
    assert "RequestPassed" in [
        type(event).__name__ for event in filled_in(talk, BRYN, "interaction", to="", words="").last
    ]


def test_a_narrator_writes_or_asks() -> None:
    game = opened()
    wrote = filled_in(game, NARRATOR, "scene", prose="Nobody speaks.", request="")
    assert refusals(wrote) == []
    assert "Nobody speaks." in wrote.state.documents["scenes/001-opening.md"][-1].text
    assert filled_in(game, NARRATOR, "scene", prose="", request="What does the fog smell of?").sent("NARRATOR_REQUEST")


def test_a_journal_entry_has_the_form_it_must_have() -> None:
    game = opened("phase-2").say("team-lead", _checkpoint())
    fields = ("title", "what_happened", "what_i_did", "what_i_learned", "how_i_feel", "notes")
    game = filled_in(game, BRYN, "journal", **dict.fromkeys(fields, "Rope."))
    assert refusals(game) == []


def _checkpoint() -> str:
    lines = ("campaign: the-drowned-bell", "scene_number: 001", "scene_slug: opening", "trigger: manual")
    return "\n".join((f"@{BRYN}", "[JOURNAL_CHECKPOINT]", *lines))


def test_the_schema_is_strict_all_the_way_down() -> None:
    game = opened()
    schema = answers_of(seen(game, GM)).exact(seen(game, GM), game.turn(GM))
    parts = [schema, *schema["$defs"].values()]
    assert all(part["required"] == list(part["properties"]) for part in parts if "properties" in part)
    assert all(part["additionalProperties"] is False for part in parts if "properties" in part)
    assert '"default"' not in json.dumps(schema)
    assert '{"narrative": ' in answers_of(seen(game, GM)).told()


@pytest.mark.parametrize(("edition", "kind"), [("current", "INTERACTION"), ("phase-2", "SECRET_ACTION")])
def test_the_schema_names_the_characters_and_what_may_be_asked(edition: str, kind: str) -> None:
    game = opened(edition)
    schema = answers_of(seen(game, GM)).exact(seen(game, GM), game.turn(GM))
    asked_for = schema["$defs"]["PromptStep"]["properties"]
    assert asked_for["prompt"]["enum"] == list(PARTY)
    assert kind in asked_for["kind"]["enum"]
    assert ("INTERACTION" in asked_for["kind"]["enum"]) == (edition == "current")
    assert schema["$defs"]["NarrativeStep"]["properties"]["to"]["items"]["enum"] == list(PARTY)
    assert "|".join(PARTY) in how(seen(game, GM), game.turn(GM))


def test_a_name_that_the_schema_lacks_is_the_rules_to_judge() -> None:
    game = filled_in(opened(), GM, "beat", steps=[{"narrative": "It rains."}, {**PROMPT, "prompt": "nobody"}])
    assert "Step 2" in refusals(game)[0]
    assert "nobody" in refusals(game)[0]
    assert game.sent("NARRATIVE")


def test_a_narrator_is_offered_no_second_question() -> None:
    asked_once = filled_in(opened(), NARRATOR, "scene", prose="", request="What does the fog smell of?")
    told = asked_once.send(GM, None, "NARRATIVE", "The fog thickens.")
    assert '"request"' in how(seen(opened(), NARRATOR), opened().turn(NARRATOR))
    assert '"request"' not in how(seen(told, NARRATOR), told.turn(NARRATOR))


@pytest.mark.parametrize("answer", ['{"narrative": 7}', '{"steps": "none"}', "{not json"])
def test_an_answer_off_the_schema_is_unreadable(answer: str) -> None:
    game = opened()
    with pytest.raises(Unreadable, match=r"[a-z]"):
        reply_in(answer, seen(game, GM), game.turn(GM))


def test_a_tagged_text_is_taken_as_it_stands() -> None:
    game = opened()
    text = "[NARRATIVE]\nThe fog lifts."
    assert reply_in(text, seen(game, GM), game.turn(GM)) == text
