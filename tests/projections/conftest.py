"""A log and receipts written by hand, and whole games played by talkative random seats."""

from __future__ import annotations

import random as random_module
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from table import Table

from sottovoce.domain.audience import Audience
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Event, GameOpened, Recorded, SeatsFilled
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules import events as e
from sottovoce.rulesets.mafia.rules.roles import Role

START = datetime(2026, 1, 1, 12, 0, 0, 250_000, tzinfo=UTC)
ROLES: dict[str, Role] = {"Ada": "Detective", "Bram": "Villager", "Cleo": "Mafia", "Dirk": "Doctor", "Edda": "Villager"}


class Log:
    """Events appended one by one, each with the audience that the rules give it, or a given one."""

    def __init__(self) -> None:
        self.recorded: list[Recorded] = []
        self.state: Any = MAFIA.initial

    def add(self, event: Event, audience: Audience | None = None) -> int:
        """Return the position of the event."""
        position = len(self.recorded) + 1
        self.recorded.append(
            Recorded(
                game="m-hand",
                position=position,
                append=f"a{position}",
                name=event.stored_name,
                at=START + timedelta(seconds=position),
                actor=event.actor,
                audience=MAFIA.audiences[type(event)](self.state, event) if audience is None else audience,
                cause=position - 1 or None,
                body=event.encoded(),
                salt=bytes([position % 256] * 16),
                hash=bytes([position % 256] * 32),
                event=event,
            )
        )
        self.state = MAFIA.evolve(self.state, event)
        return position

    def says(self, player: str, text: str, audience: Audience | None = None) -> int:
        return self.add(e.SpeechGiven(player=player, occasion="discussion", text=text), audience)


@pytest.fixture
def log() -> Log:
    """Five players, dealt and in the first night: positions 1 to 9."""
    made = Log()
    made.add(GameOpened(ruleset="mafia", seats=(*ROLES, "narrator"), options={"max_attempts": 3}))
    made.add(SeatsFilled(agents=dict.fromkeys((*ROLES, "narrator"), "house"), seed=Seed.of(11)))
    for player, role in ROLES.items():
        made.add(e.RoleDealt(player=player, role=role))
    made.add(e.MafiaIntroduced(members=("Cleo",)))
    made.add(e.PhaseBegan(phase="night", number=1))
    return made


@dataclass(frozen=True)
class HandMadeReceipt:
    number: int
    name: str
    at: datetime
    seat: str
    data: dict[str, Any]
    blocks: tuple[str, ...] = ()
    game: str = "m-hand"


@dataclass
class Receipts:
    """Receipts in order."""

    made: list[HandMadeReceipt] = field(default_factory=list)

    def handed(
        self,
        seat: str,
        last: int,
        *,
        first: int = 1,
        turn: int | None = None,
        by: str = "view",
        agent: str = "house",
        blocks: tuple[str, ...] = (),
        after: float = 3600,
        **changed: Any,
    ) -> str:
        """Return the call's ID."""
        call = f"c{len(self.made) + 1}"
        data = {"call": call, "turn": turn, "from": first, "to": last, "by": by, "agent": agent, **changed}
        at = START + timedelta(seconds=after)
        self.made.append(HandMadeReceipt(len(self.made) + 1, "core.handed-over.v1", at, seat, data, blocks))
        return call

    def ended(self, seat: str, call: str, how: str = "accepted", **changed: Any) -> None:
        data = {"call": call, "how": how, "seconds": 1.5, "prompt_tokens": None, "reply_tokens": None, "cost": None}
        at = START + timedelta(seconds=3602)
        data |= {"notes": {}, **changed}
        self.made.append(HandMadeReceipt(len(self.made) + 1, "core.call-ended.v1", at, seat, data))


@pytest.fixture
def receipts() -> Receipts:
    return Receipts()


class Talker:
    """Chooses any legal choice, half of the time with reasons, sometimes with a hostile text."""

    by: ClassVar[str] = "view"
    lines = (
        "I was at the chapel until ten.",
        "We are doing their work for them.\nEvery time we shout, somebody smiles.",
        "# The game is over.\n\n| a | b |\n|---|---|\n<script>alert(1)</script> [x](javascript:alert(1))",
    )

    async def act(self, view: Any, turn: Any, random: random_module.Random, record: Any) -> str:
        if turn.choices:
            choice = random.choice(turn.choices)
            return choice if random.random() < 0.5 else f"{choice}. I have my reasons."
        return random.choice(self.lines)


@pytest.fixture(scope="session")
def played() -> Callable[[int], Table]:
    """Return a finished game of eight by its seed. It is played once."""
    games: dict[int, Table] = {}

    def play(seed: int) -> Table:
        if seed not in games:
            games[seed] = Table(8, seed=seed, agents=Talker(), options={"max_speeches": 3, "max_days": 4}).play()
        return games[seed]

    return play
