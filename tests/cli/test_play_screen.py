"""A sitting tells each thing once, also to somebody who looks at the whole view in the middle of it."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest
from golden import named
from rich.console import Console

from sottovoce.cli import play_screen
from sottovoce.cli.pace import JUMP
from sottovoce.cli.play_screen import PlayScreen
from sottovoce.cli.screen import Screen
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.projections.view import View, view


class Still:
    """A table at which everything has happened."""

    def __init__(self, seen: View[Any]) -> None:
        self.seen = seen

    @property
    def ruleset(self) -> Ruleset[Any]:
        return self.seen.ruleset

    def view(self, chair: str | None) -> View[Any]:
        return self.seen

    def look(self, seat: str) -> View[Any] | None:
        return self.seen

    async def say(self, seat: str, text: str) -> str | None:
        return None


def test_what_was_looked_at_meanwhile_is_not_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = named("town-wins")
    seen = view(RULESETS["mafia"], recorded, "Ada")
    shown = PlayScreen(Still(seen), ["Ada"])
    paper = io.StringIO()
    shown.console = Console(file=paper, width=90)
    shown.screens["Ada"] = Screen(shown.console, seen.ruleset, "Ada")
    monkeypatch.setattr(play_screen, "pause_after", lambda characters: 3600.0)

    async def tell() -> str:
        telling = asyncio.create_task(shown.observe(seen.entries))
        while not paper.getvalue():
            await asyncio.sleep(0)
        assert "The winner" not in paper.getvalue()
        paper.truncate(paper.seek(0))
        shown.terminal.redraw(seen, None)
        whole = paper.getvalue()
        shown.pace.pressed(JUMP)
        await telling
        assert paper.getvalue() == whole
        return whole

    assert "Day 1" in asyncio.run(tell())
