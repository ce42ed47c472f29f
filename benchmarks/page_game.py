"""Play a Mafia game of more than 10,000 events for the page: people talk for days, claim, accuse and deny."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from workload import RULES, SEATS, SEED

from sottovoce.agents.agent import CallRecord, SeatRandom
from sottovoce.agents.models.blocks import model_blocks
from sottovoce.agents.prompt import BUDGET
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.draws import Seed
from sottovoce.domain.turns import Turn
from sottovoce.eventlog import open_log
from sottovoce.projections.view import View
from sottovoce.rulesets.mafia.rules.roles import TOWN_HALL
from sottovoce.rulesets.mafia.rules.turns import Moderate, Speech
from sottovoce.server.games import Games
from sottovoce.server.links import LinkKind, Links
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner

LENGTH = 10_000
PROMPTED = "Ada"
"""The seat that the page shows. Its agent gets prompts as text."""
A_DAY = 560
"""Speeches per day. The game has three or four days."""
LEFT = 1_500
"""How many events before the end the second game forks off, in the last day's talk."""

SENTENCES = (
    "I was at the mill until the bell, and the miller will say the same to whoever asks him.",
    "The frost came early; nobody who slept well can tell me what went past the well at midnight.",
    "You all look at the floor, and the one who looks at me has the most to hide.",
    "Let us go through the votes of yesterday once more, one after another, and slowly.",
    "I have said what I have to say.",
    "There were two lamps on the hill and one of them went out before the cry.",
    "A quiet voter is not an innocent voter, and a loud one is not a guilty one; so count what they did.",
    "I would rather hear it from those who have not spoken today.",
)
CLAIMS = (
    "I am the Detective.",
    "I am the Doctor, and I protected {one} on night 1.",
    "{one} is Mafia, and I will say so until you listen.",
    "{one} is not Mafia.",
    "I am no Mafia, I am a Villager.",
    "{one} is the Doctor.",
    "On night 1 I investigated {one}: {one} is Mafia.",
)


class Talker(RandomAgent):
    """Speaks in some sentences, sometimes with a claim. The narrator calls on someone while speeches remain."""

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        if isinstance(turn, Moderate):
            return str(random.choice([choice for choice in turn.choices if choice != TOWN_HALL] or turn.choices))
        if isinstance(turn, Speech):
            said = [random.choice(SENTENCES) for _ in range(random.randrange(1, 5))]
            if random.random() < 0.3:
                said.append(random.choice(CLAIMS).format(one=random.choice(sorted(view.state.living))))
            return " ".join(said)
        return await super().act(view, turn, random, record)


class Prompted(Talker):
    """The same agent, with a prompt like a model's for each turn."""

    by = "prompt"
    immediate = False

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        """Return what a model would be sent."""
        return model_blocks(view, turn, BUDGET)

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        record.blocks.extend(self.blocks(view, turn))
        return await super().act(view, turn, random, record)


class Game(NamedTuple):
    """A game in a log, with the tokens of its links."""

    id: str
    events: int
    auditor: str
    seats: dict[str, str]


def long_games(url: str) -> tuple[Game, Game]:
    """Play a game of more than 10,000 events, and fork one near its end with only remote seats."""
    return asyncio.run(_long_games(url))


async def _long_games(url: str) -> tuple[Game, Game]:
    log = open_log(url, create=True)
    games = Games(log)
    try:
        agents = {seat: Prompted() if seat == PROMPTED else Talker() for seat in SEATS}
        rules = {**RULES, "max_speeches": A_DAY}
        live = await games.open("mafia", SEATS, dict.fromkeys(SEATS, "random"), Seed.of(SEED), rules)
        await Runner(games, live, agents).run()
        if live.length < LENGTH:
            raise RuntimeError(f"the game has {live.length} events, and not {LENGTH}")
        links = Links(games)
        waiting = await games.fork(live, live.length - LEFT, agents=dict.fromkeys(SEATS, "outside"))
        return await _linked(links, live), await _linked(links, waiting)
    finally:
        games.close()
        log.close()


async def _linked(links: Links, live: LiveGame) -> Game:
    seats = await links.issue_first(live, [(LinkKind.SEAT, seat) for seat in SEATS])
    auditor = await links.issue(live, LinkKind.AUDITOR)
    return Game(live.id, live.length, auditor, dict(zip(SEATS, seats, strict=True)))
