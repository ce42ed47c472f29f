"""The code of a task on the page: its rounds, the checks that ran, the changed files and their lines."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from browser.sessions import People
from browser.switchboard import Switchboard, setting
from browser.walks import opened
from playwright.sync_api import expect

from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation.craft import Played
from sottovoce.isolation.games import play
from sottovoce.isolation.system import System
from sottovoce.server.links import LinkKind

CODE = "delegation.code-offered.v1"


@cache
def reviewed() -> tuple[Played, list[Any]]:
    """Return a game of the kit in which some task has offered code in two rounds, and these offers."""
    for seed in range(200):
        game = play(System(RULESETS["delegation"]), craft_of("delegation"), seed)
        offers = game.events(CODE)
        for task in {offer.task_id for offer in offers}:
            mine = [offer for offer in offers if offer.task_id == task]
            if len(mine) > 1 and mine[-1].whole.files and mine[-1].since and mine[-1].since.files:
                return game, mine
    raise AssertionError("no game of the kit has code in two rounds")


def test_the_user_reviews_the_code_of_each_round(people: People, board: Switchboard) -> None:
    game, offers = reviewed()
    last = offers[-1]
    append = next(item.append for item in game.log if item.event is last)
    end = max(place for place, item in enumerate(game.log, 1) if item.append == append)
    log = [msgspec.structs.replace(item, game="m-code", salt=b"", hash=b"") for item in game.log[:end]]
    with board.serving(setting("m-code", "delegation", "user", log)):
        page = people.context().new_page()
        opened(page, board.address("m-code", LinkKind.SEAT, "user"))
        title = last.task_id[14:].replace("-", " ")
        page.get_by_role("group", name="Task board").get_by_role("button", name=title).first.click()
        files = page.get_by_role("region", name="Files of")
        expect(files.get_by_role("button", name="code")).to_have_attribute("aria-pressed", "true")
        changed = files.get_by_role("list", name="Changed files")
        expect(changed).to_contain_text(last.since.files[0].path)
        expect(files).to_contain_text(last.head[:12])
        expect(files.get_by_role("list", name="Checks")).to_contain_text("test")
        files.get_by_label("Show changes since round").uncheck()
        expect(changed).to_contain_text(last.whole.files[0].path)
        files.get_by_role("button", name=f"round {offers[0].round}", exact=True).click()
        expect(files).to_contain_text(offers[0].head[:12])
        files.get_by_role("button", name="review request").click()
        expect(files.get_by_role("button", name="code")).to_have_attribute("aria-pressed", "false")
        expect(files.get_by_role("list", name="Changed files")).to_have_count(0)
