"""What agents do and use, on the page of those who may know it."""

from __future__ import annotations

import msgspec
import pytest
from browser.sessions import People
from browser.switchboard import Switchboard, setting
from browser.walks import opened
from playwright.sync_api import expect

from sottovoce.domain.game import fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation.games import play
from sottovoce.isolation.system import System
from sottovoce.server.links import LinkKind


@pytest.mark.parametrize(("seat", "sees"), [("user", True), ("executor", False)])
def test_the_user_alone_sees_agents_at_work_and_the_budget(
    people: People, board: Switchboard, seat: str, sees: bool
) -> None:
    rules = RULESETS["delegation"]
    game = play(System(rules), craft_of("delegation"), 3)
    states = [fold(rules, [item.event for item in game.log[:end]]) for end in range(1, len(game.log))]
    end = max(end for end, state in enumerate(states, 1) if any(turn.seat != "user" for turn in state.turns.values()))
    log = [msgspec.structs.replace(item, game="m-work", salt=b"", hash=b"") for item in game.log[:end]]
    with board.serving(setting("m-work", "delegation", seat, log)):
        page = people.context().new_page()
        opened(page, board.address("m-work", LinkKind.SEAT, seat))
        working = page.get_by_role("list", name="Agents at work")
        if not sees:
            expect(page.get_by_role("group", name="Task board")).to_be_visible()
            expect(working).to_have_count(0)
            return
        expect(working).to_contain_text(": thinking, ")
        expect(working).to_contain_text("of 1,000,000,000 tokens")
