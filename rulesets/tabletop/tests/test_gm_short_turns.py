"""The short form of a GM's turn: what a model with a small window is offered, and the steps that its answer makes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace
from session import CORWIN, TILDA, Session, answered, asked, opened

from sottovoce import Refused
from sottovoce.domain.answers import Form
from sottovoce.domain.events import AttemptFailed
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.course.short_turns import EVENING
from sottovoce.rulesets.tabletop.rules.documents import rebuild
from sottovoce.rulesets.tabletop.rules.events import FactsShown
from sottovoce.rulesets.tabletop.rules.lore.lookup import offered, words_of
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS, remembered
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM
from sottovoce.rulesets.tabletop.rules.state import TabletopState
from sottovoce.rulesets.tabletop.rules.words import BriefGmFields

AGNES = """# Agnes Tarrow

## Public Knowledge

- Agnes has wound the great clock every morning for thirty years.

## Secrets

- She pushed the old mayor from the tower and hid his silver watch under the bell.
"""
TOWER = """# The Clock Tower

## Sights

- Cold iron weights hang on chains down the middle of the stair.

## Clues

- **DC 1 perception**: Fresh oil glistens on the smallest wheel.
- **DC 40 investigation**: A silver hinge shines between two planks.
"""
FILES = {
    "npcs/agnes-tarrow.md": AGNES.encode(),
    "npcs/mordant-kell.md": b"# Mordant Kell\n\n## Appearance\n\n- A tall man in a grey coat.\n",
    "locations/the-clock-tower.md": TOWER.encode(),
}
SECRET = "She pushed the old mayor from the tower"
WIND = "npcs/agnes-tarrow.md:5"
OIL = "locations/the-clock-tower.md:9"
SAID = "A cart rolls by outside, and then it is quiet again."


def turn_of_the_gm(**more: Any) -> Session:
    return answered(asked(opened(files=FILES, **more), CORWIN), CORWIN)


def form_of(game: Session) -> Form:
    form = TABLETOP.form(game.state, game.play.turn(GM), brief=True)
    assert form is not None
    assert form.fields is BriefGmFields
    return form


def kinds(form: Form) -> dict[str, dict[str, Any]]:
    """The kinds of step that the schema allows, by their first key, with the fields of each."""
    defined = form.schema["$defs"]
    allowed = [
        defined[one["$ref"].rpartition("/")[2]]["properties"] for one in form.schema["properties"]["step"]["anyOf"]
    ]
    return {next(iter(fields)): fields for fields in allowed}


def step(game: Session, **given: Any) -> Session:
    return game.reply(GM, form_of(game).filled({"step": given}))


def shown(game: Session) -> list[FactsShown]:
    return [event for event in game.last if isinstance(event, FactsShown)]


def note(game: Session) -> str:
    return rebuild(game.state.documents.get(PROGRESS, ()))


def narrated(game: Session) -> list[str]:
    return [event.body for event in game.last if isinstance(event, MessageSent) and event.tag == "NARRATIVE"]


def test_only_what_there_is_can_be_chosen() -> None:
    form = form_of(turn_of_the_gm())
    allowed = kinds(form)
    assert allowed.keys() == {"tell", "narrative", "facts", "check", "open"}
    assert WIND in allowed["tell"]["tell"]["enum"]
    assert set(allowed["facts"]["facts"]["enum"]) == {"Agnes Tarrow", "Mordant Kell", "The Clock Tower"}, (
        "none is known"
    )
    assert allowed["check"]["check"]["enum"] == ["investigation", "perception"]
    assert OIL in allowed["check"]["fact"]["enum"]
    assert "npcs/agnes-tarrow.md" in allowed["open"]["open"]["enum"]
    assert CORWIN not in allowed["tell"]["prompt"]["enum"], "who has just acted is not asked next"
    told = "\n".join(form.told)
    assert f"[{WIND}] Agnes has wound the great clock" in told
    assert SECRET not in told
    assert "Fresh oil" not in told, "what stands behind a check is not shown before it"


def test_a_telling_has_the_words_of_the_campaign_and_asks() -> None:
    game = step(turn_of_the_gm(), tell=WIND, prompt=TILDA)
    assert narrated(game) == ["Agnes has wound the great clock every morning for thirty years."]
    assert WIND in remembered(note(game)).told
    assert TILDA in game.state.requests
    assert WIND not in [fact.id for fact in offered(game.state, 99).open], "and is not offered again"


def test_what_is_asked_comes_back_within_the_turn_and_then_it_is_told() -> None:
    game = turn_of_the_gm()
    turn = game.play.turn(GM)
    game = step(game, facts="Agnes Tarrow")
    assert game.play.turn(GM) == turn
    assert shown(game)[0].about == "Agnes Tarrow"
    assert kinds(form_of(game)).keys() == {"tell"}
    told = kinds(form_of(game))["tell"]["tell"]["enum"]
    assert {fact.partition(":")[0] for fact in told} == {"npcs/agnes-tarrow.md"}


def test_a_check_opens_its_fact_and_no_other_way_does() -> None:
    game = step(turn_of_the_gm(), tell=OIL, prompt=TILDA)
    assert "is not open yet (a check: perception, difficulty 1)" in game.refusal()
    assert not narrated(game)
    game = step(turn_of_the_gm(), check="perception", who=TILDA, fact=OIL)
    assert OIL in kinds(form_of(game))["tell"]["tell"]["enum"]
    game = step(game, tell=OIL, prompt=TILDA)
    assert narrated(game)[0] == "The Clock Tower. Fresh oil glistens on the smallest wheel."


def test_what_was_spoken_of_is_told_in_the_words_of_the_campaign() -> None:
    spoken = answered(asked(opened(files=FILES), CORWIN), CORWIN, body="I ask Agnes about the great clock.")
    assert list(kinds(form_of(spoken))) == ["tell"]
    assert kinds(form_of(spoken))["tell"]["tell"]["enum"] == [WIND]
    idle = answered(asked(opened(files=FILES), CORWIN), CORWIN, body="I sneeze.")
    assert "narrative" in kinds(form_of(idle))
    assert narrated(step(idle, narrative=SAID, prompt=TILDA)) == [SAID]


def test_a_turn_with_one_purpose_has_one_kind_of_step() -> None:
    game = turn_of_the_gm()
    turn = game.play.turn(GM)
    for kind, wanted in (("note", "note_to_narrator"), ("save", "save")):
        form = TABLETOP.form(game.state, turn.but(kind=kind), brief=True)
        assert form is not None
        assert list(kinds(form)) == [wanted]
    form = TABLETOP.form(replace(game.state, ending=True), turn, brief=True)
    assert form is not None
    assert list(kinds(form)) == ["end"]
    made = json.loads(form.filled({"step": {"end": "They went home, and the clock struck."}}))["steps"]
    assert [next(iter(each)) for each in made] == ["document", "document", "end"]


def test_without_a_person_the_evening_comes_to_an_end() -> None:
    game = turn_of_the_gm()
    beats = {beat: _at(game.state, beat, game.play.turn(GM)) for beat in (1, EVENING * 2 // 3 + 1, EVENING)}
    assert [("end" in allowed, len(allowed) > 1) for allowed in beats.values()] == [
        (False, True),
        (True, True),
        (True, False),
    ]


def _at(state: TabletopState, beat: int, turn: Any) -> dict[str, Any]:
    seats = tuple(seat for seat in state.seats if seat != "human")
    form = TABLETOP.form(replace(state, beat=beat, seats=seats), turn, brief=True)
    assert form is not None
    return kinds(form)


def test_a_wrong_step_is_refused_by_what_is_wrong_with_it() -> None:
    for given, why in (
        ({"tell": "npcs/nobody.md:1", "prompt": TILDA}, "There is no fact"),
        ({"dance": 1}, "none of the keys"),
        ("x", "a step is an object"),
    ):
        game = turn_of_the_gm()
        game = game.reply(GM, form_of(game).filled({"step": given}))
        assert why in game.refusal()
        assert any(isinstance(event, AttemptFailed) for event in game.last)


def test_a_split_party_and_older_editions_need_the_whole_form() -> None:
    game = turn_of_the_gm()
    turn = game.play.turn(GM)
    for state in (replace(game.state, split=True), replace(game.state, edition_name="phase-2")):
        form = TABLETOP.form(state, turn, brief=True)
        assert form is not None
        assert form.fields is not BriefGmFields


def test_facts_are_told_in_steps_by_their_ids_too() -> None:
    game = turn_of_the_gm().reply(GM, json.dumps({"steps": [{"tell": [WIND], "to": []}, {"narrative": SAID}]}))
    assert narrated(game)[0].startswith("Agnes has wound")
    with pytest.raises(Refused, match="There is no fact"):
        words_of(game.state, ["npcs/nobody.md:1"])
