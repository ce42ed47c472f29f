"""What a GM asks of the campaign within its turn, what its telling is looked over for, and the note that it leaves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from session import BRYN, CORWIN, TILDA, Session, answered, asked, opened

from sottovoce import only
from sottovoce.domain.events import AttemptFailed
from sottovoce.rulesets.tabletop.rules.documents import rebuild
from sottovoce.rulesets.tabletop.rules.events import DiceRolled, FactsShown
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS, remembered
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR

AGNES = """# Agnes Tarrow

## Public Knowledge

- Agnes has wound the great clock every morning for thirty years.
- She buys the oil for it in Veldham.

## Private Knowledge

- The clock stopped once before, on the night the bridge fell.

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


def steps(*given: Any) -> str:
    return json.dumps({"steps": list(given)})


def envelopes(*given: Any) -> str:
    return json.dumps({"messages": list(given)})


def turn_of_the_gm(**more: Any) -> Session:
    return answered(asked(opened(files=FILES, **more), CORWIN), CORWIN)


def shown(game: Session) -> list[FactsShown]:
    return [draft.event for draft in game.play.drafts if isinstance(draft.event, FactsShown)]


def note(game: Session) -> str:
    return rebuild(game.state.documents.get(PROGRESS, ()))


@pytest.mark.parametrize("form", [steps, envelopes])
def test_facts_are_shown_to_the_gm_alone_within_the_turn(form: Any) -> None:
    game = turn_of_the_gm()
    turn = game.play.turn(GM)
    game = game.reply(GM, form({"facts": "Agnes"}))
    [answer] = shown(game)
    assert answer.about == "Agnes Tarrow"
    near = answer.text.partition("Near, not open yet:")
    assert "wound the great clock" in near[0]
    assert "(in confidence: attitude +3) The clock stopped once before" in near[2]
    assert "(names what the party has not heard of) She buys the oil" in near[2]
    assert SECRET not in answer.text, "what is marked as secret is in the document alone"
    assert {draft.audience for draft in game.play.drafts if draft.event is answer} == {only(GM)}
    assert game.play.turn(GM) == turn, "no attempt is used, and the turn is the same"
    assert "wound the great clock" in game.play.context(GM)
    for seat in (CORWIN, NARRATOR):
        assert not [event for event in game.seen_by(seat) if isinstance(event, FactsShown)]


def test_a_topic_narrows_the_facts_and_an_unknown_name_lists_the_known() -> None:
    game = turn_of_the_gm().reply(GM, steps({"facts": "agnes tarrow", "topic": "the bridge"}))
    assert "great clock" not in shown(game)[0].text
    assert "bridge fell" in shown(game)[0].text
    game = game.reply(GM, steps({"facts": "Nobody Here"}))
    assert "nobody and nothing called" in game.refusal()
    assert "Agnes Tarrow" in game.refusal()


def test_a_check_rolls_with_the_sheet_and_opens_its_fact_on_success() -> None:
    game = turn_of_the_gm().reply(GM, steps({"facts": "the clock tower"}))
    told = shown(game)[0].text
    easy, hard = (next(line for line in told.splitlines() if word in line) for word in ("Fresh oil", "silver hinge"))
    assert "a check: perception, difficulty 1" in easy
    ids = [line.partition("]")[0].partition("[")[2] for line in (easy, hard)]
    game = game.reply(GM, steps({"check": "perception", "who": TILDA, "fact": ids[0]}))
    game = game.reply(GM, steps({"check": "investigation", "who": BRYN, "fact": ids[1]}))
    first, second = shown(game)[1:]
    assert first.about == f"perception by {TILDA}"
    assert "It opens: " in first.text
    assert "Fresh oil" in first.text
    assert "It fails" in second.text
    assert "hinge" not in second.text
    rolls = [draft.event for draft in game.play.drafts if isinstance(draft.event, DiceRolled)]
    assert [roll.dc for roll in rolls] == [1, 40]
    assert [roll.character for roll in rolls] == [TILDA, BRYN]


def test_four_questions_a_turn() -> None:
    game = turn_of_the_gm()
    for _ in range(4):
        game = game.reply(GM, steps({"facts": "Agnes"}))
    assert game.play.turn(GM).attempt == 1
    game = game.reply(GM, steps({"facts": "Agnes"}))
    assert "You have asked 4 times in this turn" in game.refusal()
    assert len(game.state.gm_turn.opened) == 4
    game = game.reply(GM, steps({"open": "npcs/agnes-tarrow.md"}))
    assert len(game.state.gm_turn.opened) == 5, "documents have their own number"


def test_only_the_gm_asks() -> None:
    game = asked(opened(files=FILES), CORWIN)
    for item in ({"facts": "Agnes"}, {"check": "perception", "who": CORWIN}, {"attitude": "Agnes", "change": 1}):
        game = game.reply(CORWIN, envelopes(item)) if CORWIN in game.state.requests else game
        assert "Only the GM" in game.refusal()
        game = asked(opened(files=FILES), CORWIN)
    assert not shown(game)


def test_an_attitude_opens_what_is_told_in_confidence() -> None:
    game = turn_of_the_gm().reply(
        GM, steps({"attitude": "Agnes", "change": 2}, {"attitude": "Agnes", "change": 1}, {"facts": "Agnes"})
    )
    assert "attitude +3" in shown(game)[0].text
    assert "The clock stopped once before" in shown(game)[0].text.partition("Near, not open yet")[0]
    assert remembered(note(game)).liking == {"agnes-tarrow": 3}
    refused = turn_of_the_gm().reply(GM, steps({"attitude": "the clock tower", "change": 1}))
    assert "has no attitude" in refused.refusal()
    assert "change is a number" in turn_of_the_gm().reply(GM, steps({"attitude": "Agnes", "change": 9})).refusal()


def test_a_telling_is_looked_over_once_before_it_is_sent() -> None:
    game = turn_of_the_gm()
    telling = steps({"narrative": "Up in the tower Mordant Kell is waiting for you."})
    game = game.reply(GM, telling)
    assert "Before this is sent: your telling has Mordant Kell" in game.refusal()
    assert not [draft for draft in game.play.drafts if "Mordant" in getattr(draft.event, "body", "")]
    game = game.reply(GM, telling)
    assert [draft for draft in game.play.drafts if "Mordant" in getattr(draft.event, "body", "")]
    assert "mordant-kell" in remembered(note(game)).met
    later = answered(asked(game, CORWIN), CORWIN).reply(GM, steps({"narrative": "Mordant Kell bows."}))
    assert not [d for d in later.play.drafts[len(game.play.drafts) :] if isinstance(d.event, AttemptFailed)]


def test_words_out_of_a_secret_are_warned_of_and_the_last_attempt_is_sent() -> None:
    telling = steps({"narrative": f"{SECRET}, the old women say."})
    game = turn_of_the_gm().reply(GM, telling)
    assert SECRET in game.refusal()
    once = turn_of_the_gm(max_attempts=1).reply(GM, telling)
    assert any(isinstance(d.event, MessageSent) and SECRET in d.event.body for d in once.play.drafts)


def test_asking_for_somebody_first_needs_no_warning() -> None:
    game = turn_of_the_gm().reply(GM, steps({"facts": "Mordant Kell"}))
    game = game.reply(GM, steps({"narrative": "A tall man in a grey coat: Mordant Kell."}))
    assert not [draft for draft in game.play.drafts if isinstance(draft.event, AttemptFailed)]


def test_the_note_says_which_facts_were_told() -> None:
    game = turn_of_the_gm().reply(GM, steps({"facts": "Agnes"}))
    game = game.reply(GM, steps({"narrative": "Agnes winds the great clock each morning, thirty years now."}))
    memory = remembered(note(game))
    assert [key.partition(":")[0] for key in memory.told] == ["npcs/agnes-tarrow.md"]
    assert "agnes-tarrow" in memory.met
    later = answered(asked(game, CORWIN), CORWIN).reply(GM, steps({"facts": "Agnes"}))
    told = shown(later)[-1].text.partition("The party has been told:")
    assert "great clock" in told[2]
    assert "great clock" not in told[0]
