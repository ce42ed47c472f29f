"""Three games of Mafia that the house played, as auditors read them; `make golden` writes them."""

from __future__ import annotations

from pathlib import Path

from table import Table

from sottovoce.agents.house import HouseAgent
from sottovoce.projections.transcript import markdown

FOLDER = Path(__file__).parents[2] / "docs" / "house-games"
SEEDS = (1, 2, 3)


def page_of(seed: int) -> Path:
    return FOLDER / f"seed-{seed}.md"


def page(seed: int) -> str:
    """The game of that seed with eight players, in full."""
    table = Table(8, seed, {}, HouseAgent()).play()
    return markdown(table.ruleset, table.recorded)
