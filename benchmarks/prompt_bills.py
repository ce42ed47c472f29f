"""Measure what the prompts of a game cost at an endpoint with a prompt cache.

    python benchmarks/prompt_bills.py [--budget N ...] [--seed N] [--json FILE]

House players play whole games in memory, and every turn's prompt is laid out as a hosted model would get it: the schema
first, as endpoints count it, then the texts. A cache holds the longest beginning that any earlier prompt of the game
has, from 1,024 tokens on and in steps of 128. Tokens are characters / 4. A bill is the input of one prompt in tokens at
full price, with cached tokens at a tenth and at half of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple

from sottovoce.agents.agent import CallRecord, SeatRandom
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.domain.draws import Seed
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.eventlog import open_log
from sottovoce.projections.view import View
from sottovoce.server.games import Games
from sottovoce.server.runner import Runner

EXAMPLES = Path(__file__).parents[1] / "examples"
CAMPAIGN = EXAMPLES / "campaigns" / "ten-past-four"
BRIEF = EXAMPLES / "delegation" / "village-paper" / "tasks" / "spring-fair.md"
NAMES = (
    *("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Greta", "Hugo"),
    *("Ines", "Jory", "Klara", "Lorn", "Mina", "Ned", "Odile", "Pia"),
)
PARTY = ("isolde-marrow", "bertram-oakes", "pim-tallow", "sefa-quillon")
BUDGETS = (6_000, 16_000)
SEED = 5
LETTERS = 4
"""Characters of a token."""
LEAST, STEP = 1_024, 128
"""Tokens from which a cache keeps anything, and the steps in which it does."""
MOST_SECONDS = 300.0


class Sent(NamedTuple):
    """The prompt of one turn."""

    seat: str
    schema: str
    blocks: tuple[str, ...]

    @property
    def text(self) -> str:
        """All that an endpoint counts, in its order."""
        return "\n\n".join((self.schema, *self.blocks))


@dataclass(frozen=True, slots=True)
class Bill:
    """What the prompts of a game cost on average, each, in tokens; `cached` is the share of them that a cache holds."""

    game: str
    budget: int
    prompts: int
    schemas: int
    tokens: int
    cached: float
    tenth: int
    half: int
    parts: tuple[int, ...] = ()


class Reader(HouseAgent):
    """The house, which keeps the prompt that a model would have got for each of its turns."""

    def __init__(self, budget: int) -> None:
        super().__init__()
        settings = Settings(base_url="https://api.openai.com/v1", prompt_tokens=budget)
        self._model = OpenAIAgent("a-model", settings)
        self.sent: list[Sent] = []

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        schema = json.dumps(self._model.schema(view, turn), ensure_ascii=False)
        self.sent.append(Sent(turn.seat, schema, self._model.blocks(view, turn)))
        return await super().act(view, turn, random, record)


class Setting(NamedTuple):
    """A game to play."""

    ruleset: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    files: Mapping[str, bytes]


def settings() -> dict[str, Setting]:
    """Return the games that are measured."""
    campaign = {str(file.relative_to(CAMPAIGN)): file.read_bytes() for file in CAMPAIGN.rglob("*") if file.is_file()}
    evening = {"edition": "current", "campaign": CAMPAIGN.name}
    mafia, tabletop = RULESETS["mafia"], RULESETS["tabletop"]
    return {
        "Mafia, 8 players": Setting("mafia", mafia.seats_for(NAMES[:8]), {}, {}),
        "Mafia, 16 players": Setting("mafia", mafia.seats_for(NAMES), {}, {}),
        "a tabletop evening": Setting("tabletop", tabletop.seats_for((*PARTY, "human")), evening, campaign),
        "a delegated task": Setting(
            *("delegation", ("planner", "executor", "reviewer", "user")),
            *({}, {"20260101-1200-spring-fair.md": BRIEF.read_bytes()}),
        ),
    }


async def played(setting: Setting, budget: int, seed: int) -> list[Sent]:
    """Play a game to its end. Return the prompts of all turns, in order."""
    games, reader, seats = Games(open_log("memory:")), Reader(budget), setting.seats
    try:
        filled = dict.fromkeys(seats, "house")
        live = await games.open(setting.ruleset, seats, filled, Seed.of(seed), setting.options, files=setting.files)
        async with asyncio.timeout(MOST_SECONDS):
            await Runner(games, live, dict.fromkeys(seats, reader)).run()
        if not live.state.over:
            raise RuntimeError(f"the game of {setting.ruleset} did not end")
        return reader.sent
    finally:
        games.close()


def billed(game: str, budget: int, sent: Sequence[Sent]) -> Bill:
    """Return what these prompts cost each."""
    seen: list[str] = []
    total = cached = 0
    for prompt in sent:
        text = prompt.text
        total += len(text) // LETTERS
        found = shared_beginning(seen, text) // LETTERS
        cached += found // STEP * STEP if found >= LEAST else 0
    count = len(sent)
    parts = [prompt.blocks for prompt in sent]
    return Bill(
        game=game,
        budget=budget,
        prompts=count,
        schemas=len({prompt.schema for prompt in sent}),
        tokens=round(total / count),
        cached=round(cached / total, 3),
        tenth=round((total - 0.9 * cached) / count),
        half=round((total - 0.5 * cached) / count),
        parts=tuple(round(sum(map(len, part)) / LETTERS / count) for part in zip(*parts, strict=True)),
    )


def shared_beginning(seen: list[str], text: str) -> int:
    """Return how much of a text any earlier one begins with, and put it among them, in order."""
    place = bisect(seen, text)
    beside = [seen[at] for at in (place - 1, place) if 0 <= at < len(seen)]
    seen.insert(place, text)
    return max((len(commonprefix([one, text])) for one in beside), default=0)  # noqa: RUF071 - these are no paths


def main() -> None:
    """Print a table of bills."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=int, nargs="+", default=BUDGETS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    bills: list[Bill] = []
    print("| | budget | prompts | schemas | tokens | cached | bill at a tenth | at half | shared, own, history, tail |")
    print("|---|---|---|---|---|---|---|---|---|")
    for game, setting in settings().items():
        for budget in given.budget:
            sent = asyncio.run(played(setting, budget, given.seed))
            rows = {game: sent}
            if setting.ruleset == "tabletop":
                rows["its game master"] = [prompt for prompt in sent if prompt.seat == "gm"]
            for name, prompts in rows.items():
                bill = billed(name, budget, prompts)
                bills.append(bill)
                told = (bill.prompts, bill.schemas, f"{bill.tokens:,}", f"{bill.cached:.0%}")
                parts = ", ".join(f"{part:,}" for part in bill.parts)
                cells = (name, f"{budget:,}", *told, f"{bill.tenth:,}", f"{bill.half:,}", parts)
                print(f"| {' | '.join(map(str, cells))} |", flush=True)
    if given.json:
        given.json.write_text(json.dumps([asdict(bill) for bill in bills], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
