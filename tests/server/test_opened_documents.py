"""A game master that opens documents is asked again within its turn, whatever plays the game."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from evenings import PARTY, folder

from sottovoce.agents.house import HouseAgent
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed, ReplyAccepted
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.eventlog import open_log
from sottovoce.projections.receipts import endings, read_deliveries
from sottovoce.projections.view import View
from sottovoce.rulesets.tabletop.rules.events import DocumentOpened
from sottovoce.rulesets.tabletop.rules.names import GM
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner


class Reader:
    """Opens two documents at its first turn, and goes on once it has read them."""

    by = "view"

    def __init__(self, *, immediate: bool) -> None:
        self.immediate = immediate
        self.read: list[str] = []

    async def act(self, view: View[Any], turn: Turn, random: Any, record: Any) -> str:
        if not self.immediate:
            await asyncio.sleep(0)
        known = [name for name, _ in view.state.gm_turn.opened]
        if turn.number > 1:
            self.read = self.read or ["none"]
            return json.dumps({"steps": [{"end": "They went home.", "next_hook": ""}]})
        if len(known) < 2:
            return json.dumps({"steps": [{"open": ("npcs/the-pruner.md", "items/the-eleventh-wheel.md")[len(known)]}]})
        self.read = known
        return json.dumps({"steps": [{"narrative": "The bridge lies still.", "to": []}]})


@pytest.mark.parametrize("immediate", [True, False])
def test_a_turn_goes_on_after_a_document_was_opened(tmp_path: Path, immediate: bool) -> None:
    reader = Reader(immediate=immediate)

    log = open_log(f"sqlite:///{tmp_path / 'games.db'}")
    games = Games(log)
    seats = RULESETS["tabletop"].seats_for(PARTY)
    agents: dict[str, Any] = {seat: HouseAgent() for seat in seats} | {GM: reader}

    async def whole() -> LiveGame:
        options = {"campaign": "ten-past-four"}
        names = dict.fromkeys(seats, "house")
        live = await games.open("tabletop", seats, names, Seed.of(3), options, files=folder())
        await asyncio.wait_for(Runner(games, live, agents).run(), 60)
        return live

    try:
        live = asyncio.run(whole())
        receipts = log.receipts(live.id)
    finally:
        games.close()
        log.close()
    events = [item.event for item in live.recorded]
    opened = [event for event in events if isinstance(event, DocumentOpened)]
    assert [event.document for event in opened] == reader.read
    assert not [event for event in events if isinstance(event, AttemptFailed) and event.seat == GM]
    replies = [event for event in events if isinstance(event, ReplyAccepted)]
    assert [event.turn for event in replies if event.seat == GM].count(1) == 1
    calls = [each.call for each in read_deliveries(receipts)[GM] if each.turn == 1]
    assert len(calls) == len({*calls}) == 3, "each call is recorded by itself"
    assert {*calls} <= endings(receipts).keys()
