"""An in-memory table: a game of Mafia from the opening to the end, with no log, database or clock.

table = Table(("Ada", "Bram", "Cleo", "Dirk"), seed=7, agents=RandomAgent())
table.play()
table.recorded, table.state, table.view("Ada")
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from house_invariants import broken

from sottovoce.agents.agent import Agent, AgentFailed, CallRecord, seat_random
from sottovoce.agents.house import HouseAgent
from sottovoce.domain import commands
from sottovoce.domain.commands import Command
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Draft, Recorded
from sottovoce.domain.game import decide
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import SeatProjection, View

START = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
NAMES = (
    *("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Greta", "Hugo"),
    *("Ines", "Jory", "Klara", "Lorn", "Mina", "Ned", "Odile"),
)
"""Player names in seating order, enough for the largest games of the tests."""


def answer(agent: Agent, view: View[Any], turn: Turn, seed: int) -> str:
    """Return the agent's reply to a turn in a game of that seed, asked once more."""
    random = seat_random(Seed.of(seed), turn.seat, turn.number, turn.attempt)
    return asyncio.run(agent.act(view, turn, random, CallRecord()))


class Asked(NamedTuple):
    """What an agent was shown, what it was asked and answered, and what it left of its call."""

    view: View[Any]
    turn: Turn
    text: str
    record: CallRecord


class Table:
    """A game and the current view of every seat.

    `agents` is one agent for all seats or one for each. Time is a fixed start plus one second per command. `recorded`
    has every event with a made-up envelope, `drafts` the same as decided, `replies` each reply as `(turn, text)`, and
    `asked` what each agent was shown, with its reply and record.
    """

    def __init__(
        self,
        players: Sequence[str] | int,
        seed: int,
        options: Mapping[str, Any] | None = None,
        agents: Mapping[str, Agent] | Agent | None = None,
        *,
        ruleset: str | Ruleset[Any] = "mafia",
        files: Mapping[str, bytes] | None = None,
        checked: bool = True,
    ) -> None:
        names = NAMES[:players] if isinstance(players, int) else tuple(players)
        self.ruleset: Ruleset[Any] = RULESETS[ruleset] if isinstance(ruleset, str) else ruleset
        self.seats = self.ruleset.seats_for(names)
        self.seed = seed
        self.recorded: list[Recorded] = []
        self.drafts: list[Draft] = []
        self.replies: list[tuple[Turn, str]] = []
        self.records: list[CallRecord] = []
        self.asked: list[Asked] = []
        self.state: Any = self.ruleset.initial
        self._agents = agents
        self._checked = checked
        self._commands = 0
        self._projections = {seat: SeatProjection(self.ruleset, seat) for seat in self.seats}
        filled = dict.fromkeys(self.seats, "test")
        self.send(commands.Open(self.now, self.seats, filled, Seed.of(seed), options or {}, files or {}))

    @property
    def now(self) -> datetime:
        """Return the time of the next command."""
        return START + timedelta(seconds=self._commands)

    def send(self, command: Command) -> list[Recorded]:
        """Decide one command, and return its events."""
        self._commands += 1
        new = []
        for draft in decide(self.ruleset, self.state, command):
            event = draft.event
            self.state = self.ruleset.evolve(self.state, event)
            recorded = Recorded(
                game="m-table",
                position=len(self.recorded) + 1,
                append=f"a{self._commands}",
                name=event.stored_name,
                at=command.at,
                actor=event.actor,
                audience=draft.audience,
                cause=None,
                body=event.encoded(),
                salt=b"",
                hash=b"",
                event=event,
            )
            self.drafts.append(draft)
            self.recorded.append(recorded)
            new.append(recorded)
            for projection in self._projections.values():
                projection.take(recorded)
        return new

    def reply(self, seat: str, text: str) -> list[Recorded]:
        """Answer the seat's first open turn."""
        turn = self.view(seat).turns[0]
        self.replies.append((turn, text))
        return self.send(commands.Reply(self.now, seat, turn.number, text))

    def view(self, seat: str) -> View[Any]:
        """Return what the seat has seen so far."""
        return self._projections[seat].view()

    def agent(self, seat: str) -> Agent:
        if isinstance(self._agents, Mapping):
            return self._agents[seat]
        assert self._agents is not None, "this table has no agents: answer with `reply`"
        return self._agents

    def play(self, max_decisions: int | None = None) -> Table:
        """Ask the agents until the game is over, or until that many replies were sent. Return this table.

        What house players of Mafia said and did must keep the rules of `house_invariants`, unless `checked` is false.
        """
        asyncio.run(self._play(max_decisions))
        if self.ruleset.name == "mafia" and self._checked:
            seats = {seat for seat in self.seats if self._agents and isinstance(self.agent(seat), HouseAgent)}
            breaches = broken([recorded.event for recorded in self.recorded], seats)
            assert not breaches, breaches[0]
        return self

    async def _play(self, max_decisions: int | None) -> None:
        sent = 0
        while not self.state.over and (max_decisions is None or sent < max_decisions):
            turn = next(iter(self.state.turns.values()), None)
            if turn is None:
                wake = self.ruleset.wakes_at(self.state)
                assert wake is not None, "no turn is open and nothing is waited for"
                self.send(commands.Wake(max(wake, self.now)))
                continue
            await self._answer(turn)
            sent += 1

    async def _answer(self, turn: Turn) -> None:
        record = CallRecord()
        random = seat_random(Seed.of(self.seed), turn.seat, turn.number, turn.attempt)
        view = self.view(turn.seat)
        try:
            text = await self.agent(turn.seat).act(view, turn, random, record)
        except AgentFailed:
            self.send(commands.Expire(self.now, turn.seat, turn.number, turn.attempt))
            return
        self.records.append(record)
        self.asked.append(Asked(view, turn, text, record))
        self.replies.append((turn, text))
        self.send(commands.Reply(self.now, turn.seat, turn.number, text))
