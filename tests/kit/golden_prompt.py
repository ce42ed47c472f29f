"""Make the page with one whole prompt of a model that is the game master, from a session of the sample campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenings import at_table

from sottovoce.agents.house import HouseAgent
from sottovoce.agents.models.blocks import model_blocks
from sottovoce.agents.quoting import tokens
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View
from sottovoce.rulesets.tabletop.rules.names import GM

PAGE = Path(__file__).parents[2] / "docs" / "game-master-prompt.md"
BUDGET = 32_000
TURN = 4
"""Which turn of the game master is shown."""
PARTS = ("What all seats share", "What stays the same for this seat", "What it has seen", "What changes every turn")

HEAD = f"""# A whole prompt of a game master

`make golden` writes this page: turn {TURN} of a game master in the sample campaign, with a budget of {BUDGET:,} tokens.
It gives away how that campaign goes. What the parts are for is in [models.md](models.md#what-a-model-gets).
"""


class _Reader:
    """Plays as the house does, and keeps the prompt that a model would get."""

    immediate = True

    def __init__(self) -> None:
        self.blocks: tuple[str, ...] = ()

    async def act(self, view: View[Any], turn: Turn, random: Any, record: Any) -> str:
        if (turn.seat, turn.number) == (GM, TURN):
            self.blocks = model_blocks(view, turn, BUDGET)
        return await HouseAgent().act(view, turn, random, record)


def page() -> str:
    """Return the current page."""
    reader = _Reader()
    table = at_table(seed=1, agents=reader)
    while not reader.blocks and not table.state.over:
        table.play(1)
    parts = [HEAD]
    for title, block in zip(PARTS, reader.blocks, strict=True):
        parts.append(f"\n## {title}\n\nAbout {round(tokens(block), -2):,} tokens.\n\n``````text\n{block}\n``````\n")
    return "".join(parts)
