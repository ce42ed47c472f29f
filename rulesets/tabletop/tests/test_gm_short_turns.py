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
from sottovoce.rulesets.tabletop.rules.lore.lookup import words_of
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS, remembered
from sottovoce.rulesets.tabletop.rules.lore.offer import Offer, offered
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

## GM Notes

The planks are the lid of the mayor's chest.
"""
FILES = {
    "party-knowledge.md": b"# Known\n\nThe Clock Tower stands over the town.\n",
    "npcs/agnes-tarrow.md": AGNES.encode(),
    "npcs/mordant-kell.md": b"# Mordant Kell\n\n## Appearance\n\n- A tall man in a grey coat.\n",
    "locations/the-clock-tower.md": TOWER.encode(),
}
SECRET = "She pushed the old mayor from the tower"
WIND = "npcs/agnes-tarrow.md:5"
CHAINS = "locations/the-clock-tower.md:5"
OIL = "locations/the-clock-tower.md:9"
HINGE = "locations/the-clock-tower.md:10"
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


def offer_of(game: Session, *, asks: bool = True, opens: bool = True) -> Offer:
    return offered(game.state, 99, asks=asks, opens=opens)


def spoken(line: str, **more: Any) -> Session:
    """The GM's turn after that line of a character."""
    return answered(asked(opened(files=FILES, **more), CORWIN), CORWIN, body=line)


def step(game: Session, **given: Any) -> Session:
    return game.reply(GM, form_of(game).filled({"step": given}))


def shown(game: Session) -> list[FactsShown]:
    return [event for event in game.last if isinstance(event, FactsShown)]


def note(game: Session) -> str:
    return rebuild(game.state.documents.get(PROGRESS, ()))


def narrated(game: Session) -> list[str]:
    return [event.body for event in game.last if isinstance(event, MessageSent) and event.tag == "NARRATIVE"]


def test_after_a_line_that_speaks_of_nothing_there_is_all_that_can_be_told() -> None:
    form = form_of(turn_of_the_gm())
    allowed = kinds(form)
    assert allowed.keys() == {"facts", "open", "tell", "narrative"}
    assert WIND in allowed["tell"]["tell"]["enum"]
    assert allowed["facts"]["facts"]["enum"] == ["The Clock Tower"], "what the party has heard of"
    assert allowed["open"]["open"]["enum"] == ["locations/the-clock-tower.md"]
    assert CORWIN not in allowed["tell"]["prompt"]["enum"], "who has just acted is not asked next"
    told = "\n".join(form.told)
    assert f"[{WIND}] Agnes has wound the great clock" in told
    assert SECRET not in told
    assert "Fresh oil" not in told, "what stands behind a check is not shown before it"


def test_what_a_line_speaks_of_is_looked_up_before_it_is_told() -> None:
    allowed = kinds(form_of(spoken("I look around the Clock Tower.")))
    assert allowed.keys() == {"facts", "check", "open"}
    assert allowed["facts"]["facts"]["enum"] == ["The Clock Tower"]
    assert allowed["open"]["open"]["enum"] == ["locations/the-clock-tower.md"]
    assert allowed["check"]["check"]["enum"] == ["investigation", "perception"]
    assert allowed["check"]["fact"]["enum"][0] == OIL
    assert allowed["check"]["who"]["enum"] == [CORWIN], "who has done it rolls"


def test_a_document_without_more_than_its_facts_is_not_offered() -> None:
    assert offer_of(spoken("I look at Mordant Kell and at Agnes Tarrow.")).documents == ("npcs/agnes-tarrow.md",)


def test_a_line_means_those_who_share_most_of_its_words_and_were_heard_of() -> None:
    known = b"# Known\n\nThe Clock Tower stands over the town. Agnes Tarrow keeps it.\n"
    line = "I grab the iron chains and the weights, thirty years old and grey as a coat."
    assert meant(line, known) == ("The Clock Tower",), "Agnes shares two words with it, and the tower three"
    assert meant("I walk thirty years back, in a tall grey coat.", known) == ("Agnes Tarrow",), "nobody knows of Kell"


def meant(line: str, known: bytes) -> tuple[str, ...]:
    """The names that are offered after a line in which there is no name."""
    files = {**FILES, "party-knowledge.md": known}
    return offer_of(answered(asked(opened(files=files, human=False), CORWIN), CORWIN, body=line)).names


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"facts": "The Clock Tower"}, {"check", "open", "tell"}),
        ({"open": "locations/the-clock-tower.md"}, {"check", "tell"}),
        ({"check": "perception", "who": CORWIN, "fact": OIL}, {"facts", "open", "tell"}),
        ({"check": "investigation", "who": CORWIN, "fact": HINGE}, {"facts", "open"}),
    ],
    ids=["facts", "document", "check that succeeds", "check that fails"],
)
def test_each_lookup_is_offered_while_it_brings_something(first: dict[str, str], then: set[str]) -> None:
    game = step(spoken("I look around the Clock Tower."), **first)
    assert kinds(form_of(game)).keys() == then


def test_what_a_lookup_has_shown_is_offered_to_tell() -> None:
    game = spoken("I look around the Clock Tower.")
    assert offer_of(game).tell == ()
    for first in ({"facts": "The Clock Tower"}, {"open": "locations/the-clock-tower.md"}):
        assert [fact.id for fact in offer_of(step(game, **first)).tell] == [CHAINS]
    rolled = step(game, check="perception", who=CORWIN, fact=OIL)
    assert [fact.id for fact in offer_of(rolled).tell] == [OIL], "what it has opened, and nothing that is not looked up"
    both = step(rolled, facts="The Clock Tower")
    assert [fact.id for fact in offer_of(both).tell] == [OIL, CHAINS]


def test_where_no_more_can_be_looked_up_there_is_something_to_tell() -> None:
    offer = offer_of(spoken("I look around the Clock Tower."), asks=False, opens=False)
    assert (offer.names, offer.roll, offer.documents) == ((), (), ())
    assert [fact.id for fact in offer.tell] == [CHAINS]
    game = spoken("I ask Agnes about Mordant Kell and the Clock Tower.")
    for about in ("Agnes Tarrow", "Mordant Kell", "The Clock Tower"):
        game = step(game, facts=about)
    game = step(game, check="perception", who=CORWIN, fact=OIL)
    assert kinds(form_of(game)).keys() == {"open", "tell"}, "four questions fit into a turn"
    for path in ("npcs/agnes-tarrow.md", "locations/the-clock-tower.md"):
        game = step(game, open=path)
    assert kinds(form_of(game)).keys() == {"tell"}, "and two documents"


def test_what_is_told_is_not_looked_up_again() -> None:
    game = step(spoken("I ask Agnes Tarrow about the clock.", human=False), facts="Agnes Tarrow")
    game = answered(step(game, tell=WIND, prompt=TILDA), TILDA, body="I thank Agnes Tarrow.")
    assert kinds(form_of(game)).keys() == {"open", "tell", "narrative"}
    assert offer_of(game).names == ()


@pytest.mark.parametrize("line", ["I grab the rope.", "I ask Agnes for her secrets.", "I look around the Clock Tower."])
def test_closed_words_stand_in_no_list(line: str) -> None:
    changed = {path: text.replace(b"old mayor", b"young priest") for path, text in FILES.items()}
    changed = {path: text.replace(b"Fresh oil glistens", b"Old blood dries") for path, text in changed.items()}
    games = [answered(asked(opened(files=files), CORWIN), CORWIN, body=line) for files in (FILES, changed)]
    forms = [form_of(game) for game in games]
    assert forms[0].told == forms[1].told
    assert forms[0].schema == forms[1].schema
    shown = "\n".join(forms[0].told)
    assert not [words for words in (SECRET, "mayor", "Fresh oil", "silver hinge") if words in shown]


def test_a_telling_has_the_words_of_the_campaign_and_asks() -> None:
    game = step(turn_of_the_gm(), tell=WIND, prompt=TILDA)
    assert narrated(game) == ["Agnes has wound the great clock every morning for thirty years."]
    assert WIND in remembered(note(game)).told
    assert TILDA in game.state.requests
    assert WIND not in [fact.id for fact in offer_of(game).tell], "and is not offered again"


def test_what_is_asked_comes_back_within_the_turn_and_then_it_is_told() -> None:
    game = turn_of_the_gm()
    turn = game.play.turn(GM)
    game = step(game, facts="Agnes Tarrow")
    assert game.play.turn(GM) == turn
    assert shown(game)[0].about == "Agnes Tarrow"
    assert kinds(form_of(game)).keys() == {"open", "tell"}
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
    game = step(spoken("I ask Agnes about the great clock."), open="npcs/agnes-tarrow.md")
    assert list(kinds(form_of(game))) == ["tell"]
    assert kinds(form_of(game))["tell"]["tell"]["enum"] == [WIND]
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
