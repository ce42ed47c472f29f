"""A turn that declares fields is answered by every kind of agent, of a ruleset that says no more than the class."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from guests import seat_guest

from sottovoce import Open, Seed
from sottovoce.agents.agent import CallRecord, seat_random
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.human import HumanAgent, Terminal
from sottovoce.agents.keyboard import Question
from sottovoce.agents.mcp_tools.texts import look_text
from sottovoce.agents.models.answers import Unreadable, reply_in
from sottovoce.agents.models.forms import Beside, answers_of
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.agents.scripted import ScriptedAgent
from sottovoce.domain.answers import Fields
from sottovoce.domain.events import Recorded
from sottovoce.projections.view import View, view
from sottovoce.testing import NOON, Playtest, given


@pytest.fixture(scope="module")
def dice() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        yield seat_guest(patch, "liars-dice")


ALONE = Beside("off", "off", "off")


def opened(dice: Any) -> Playtest[Any]:
    seats = ("Ada", "Bram")
    opening = Open(NOON, seats, dict.fromkeys(seats, "house"), Seed.of(1), {"dice": 2})
    return given(dice.LIARS_DICE).when(opening).reply("Ada", dice.Call(count=2, face=3))


def seen(dice: Any, game: Playtest[Any], seat: str) -> View[Any]:
    recorded = [
        Recorded("g", n, "a", d.event.stored_name, NOON, d.event.actor, d.audience, None, b"", b"", b"", d.event)
        for n, d in enumerate(game.drafts, 1)
    ]
    return view(dice.LIARS_DICE, recorded, seat)


def test_a_model_is_told_the_fields_with_their_limits_and_its_object_is_the_bid(dice: Any) -> None:
    game = opened(dice)
    here = seen(dice, game, "Bram")
    turn = here.turns[0]
    form = '{"call": bid|doubt, "count": 1 to 4 or null, "face": 1 to 6 or null, "words": text}'
    assert answers_of(here, ALONE).told_of(here, turn) == f"In this turn the reply is {form}."
    schema = answers_of(here, ALONE).exact(here, turn)
    assert schema["required"] == ["call", "count", "face", "words"]
    filled = json.dumps({"call": "bid", "count": 2, "face": 4, "words": "Sure."})
    for content in (filled, f"<think>Hm.</think>\n```json\n{filled}\n```"):
        made = game.reply("Bram", reply_in(content, here, turn)).last(dice.BidMade)
        assert (made.count, made.face, made.text) == (2, 4, "Sure.")
    assert reply_in('{"call": "doubt", "count": null, "face": null, "words": ""}', here, turn) == "doubt"
    assert reply_in("I doubt that.", here, turn) == "I doubt that."
    with pytest.raises(Unreadable, match="the field 'count' is wrong"):
        reply_in('{"call": "bid", "count": "lots"}', here, turn)


def test_an_mcp_client_reads_both_ways_to_answer(dice: Any) -> None:
    told = look_text(seen(dice, opened(dice), "Bram"), 0)
    assert "Write 3 fives, or 3 5, or doubt." in told
    assert '"count": 1 to 4 or null' in told


@pytest.mark.parametrize("reply", [{"call": "bid", "count": 3, "face": 1}, "3 ones", {"count": 3, "face": 1}])
def test_a_script_holds_fields_or_texts(dice: Any, reply: Any) -> None:
    here = seen(dice, opened(dice), "Bram")
    text = asyncio.run(ScriptedAgent([reply]).act(here, here.turns[0], Random(1), CallRecord()))
    made = opened(dice).reply("Bram", text).last(dice.BidMade)
    assert (made.count, made.face) == (3, 1)


def test_the_house_and_random_players_give_fields_and_what_is_sent_is_read_back(dice: Any) -> None:
    game = opened(dice)
    here = seen(dice, game, "Bram")
    turn, sent = here.turns[0], set[str]()
    for attempt in range(1, 30):
        random = seat_random(Seed.of(attempt), "Bram", 1, attempt)
        for agent in (RandomAgent(), HouseAgent()):
            text = asyncio.run(agent.act(here, turn, random, CallRecord()))
            assert type(text) is str
            answer = turn.read(here.state, text)
            assert isinstance(answer, Fields)
            assert turn.choice_of(answer) == text
            sent.add(text)
    assert len(sent) > 8


class Keys:
    """A keyboard at which these lines are typed."""

    patient = fancy = True
    typed, width = "", 90

    def __init__(self, *lines: str) -> None:
        self.lines, self.questions, self.written = iter(lines), list[Question](), ""

    def write(self, fragments: list[tuple[str, str]]) -> None:
        self.written += "".join(text for _, text in fragments)

    async def read(self, question: Question) -> str:
        self.questions.append(question)
        return next(self.lines)

    async def hand_over(self, name: str) -> None:
        """Nobody else sits here."""


def test_a_person_is_offered_the_options_as_completions_and_an_example_in_the_help(dice: Any) -> None:
    here, keys = seen(dice, opened(dice), "Bram"), Keys(":help", "2 2", "2 fours")
    agent = HumanAgent("Bram", Terminal(keyboard=keys))
    assert asyncio.run(agent.act(here, here.turns[0], Random(0), CallRecord())) == "2 fours"
    assert keys.questions[0].words[:3] == ("bid", "doubt", "Ada")
    assert "each field by its name: count: 2, face: 4" in keys.written
    assert "Bid higher than 2 threes" in keys.written
    assert len(keys.questions) == 3
