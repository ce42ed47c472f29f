"""What the server gives an agent: games played through the real runner, with recording agents in every seat.

A game that the kit has played, and its twin, go through `server.runner` command by command, each with its own clock.
Every agent waits until the game reaches the command that is its answer. What the runner gives the agent of the seat
under test must be the same both times: view, turn, random stream, call record, texts, and time limit. Only the minutes
of the view's entries are left out, because each game has its own.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

import msgspec

from sottovoce.agents.agent import AgentFailed, CallRecord, Considered, Mind
from sottovoce.agents.prompt import build_prompt
from sottovoce.domain import commands
from sottovoce.domain.commands import Command
from sottovoce.domain.events import AttemptFailed, Recorded, TurnOpened
from sottovoce.domain.game import decide, decided, fold
from sottovoce.domain.turns import Turn
from sottovoce.eventlog import open_log
from sottovoce.isolation.craft import Craft, Sent
from sottovoce.isolation.games import START
from sottovoce.isolation.observe import Seen, difference, first_apart, in_words, written
from sottovoce.isolation.system import System
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import View
from sottovoce.server import inbox
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner

PATIENCE = 4000
"""Maximum number of rounds of the loop until the runner reaches the next command."""


class Unlike(Exception):
    """The runner did not get where the game got without it."""


@dataclass(frozen=True, slots=True)
class Handed:
    """Everything an agent got for one attempt at a turn. `left` is the number of seconds until it times out."""

    seq: int
    seen: Seen
    turn: Turn
    draws: tuple[int, ...]
    record: CallRecord
    blocks: tuple[str, ...]
    inbox: dict[str, Any]
    left: float | None


@dataclass(frozen=True, slots=True)
class Given:
    """What one seat gets in a game: what its agent gets, call by call, and its inbox by the view's length."""

    handed: list[Handed]
    inboxes: dict[int, dict[str, Any]]
    log: list[Recorded]


def apart(one: Handed, other: Handed) -> str | None:
    """Return the first difference between two calls, in a line, or None."""
    for name in ("turn", "draws", "record", "left"):
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine != theirs:
            return f"handed {name}: {mine} against {theirs}"
    found = difference(one.seen, other.seen) or first_apart(one.blocks, other.blocks)
    if found is None and one.inbox != other.inbox:
        found = inboxes_apart(one.inbox, other.inbox)
    return found and f"handed {found}"


def inboxes_apart(one: dict[str, Any], other: dict[str, Any]) -> str | None:
    """Return the first difference between two readings of an inbox."""
    return first_apart(sorted(map(str, one.items())), sorted(map(str, other.items())))


def served(
    system: System,
    craft: Craft,
    game: str,
    seat: str,
    sent: Sequence[Sent],
    opening: Callable[[], AbstractContextManager[Any]],
    rng: random.Random,
) -> Given:
    """Return what the seat gets in the game that these commands make."""
    with (
        mock.patch("sottovoce.server.runner.POLL", 0.0005),
        mock.patch("sottovoce.server.live.SeatProjection", system.projection),
        mock.patch("sottovoce.server.games.decided", _deciding(system)),
        mock.patch("sottovoce.server.games.with_evidence", _finding(craft)),
        mock.patch("sottovoce.server.runner.with_evidence", _finding(craft)),
        system.patches(),
        system.serving(),
    ):
        return asyncio.run(_Served(system, craft, game, seat, rng).play(sent, opening))


def _finding(craft: Craft) -> Callable[..., Any]:
    """Inside this block, the server finds what the kit says that there is."""

    async def with_evidence(live: LiveGame, command: Any) -> Any:
        if not isinstance(command, commands.Reply | commands.Say):
            return command
        # Anew for a command of the first game, too: tasks that are added are called by the time of day.
        return command.but(evidence=craft.evidence(live.state, command))

    return with_evidence


def _deciding(system: System) -> Callable[..., Any]:
    """Inside this block, the server decides in the system's way."""

    def changed(ruleset: Any, state: Any, command: Command) -> Any:
        drafts = system.decide(ruleset, state, command)
        return drafts, fold(ruleset, [draft.event for draft in drafts], state)

    return decided if system.decide is decide else changed


class StandIn:
    """An agent that answers what it is told: inside this process, or like one that sends a prompt elsewhere."""

    def __init__(self, table: _Served, by: str = "view") -> None:
        self.table = table
        self.by = by

    async def act(self, view: View[Any], turn: Turn, random: random.Random, record: CallRecord) -> str:
        record.notes["thought"] = random.random()
        record.mind = Mind(f"zq{random.getrandbits(40):010x}", {turn.seat: random.random()})
        return await self.table.answer(turn)


class Listener(StandIn):
    """The agent of the seat under test. It records what it gets, including texts."""

    def __init__(self, table: _Served) -> None:
        super().__init__(table, "prompt")
        self.given: tuple[str, ...] = ()

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        self.given = (str(view.seq), str(turn), *build_prompt(view, turn).blocks)
        return self.given

    async def act(self, view: View[Any], turn: Turn, random: random.Random, record: CallRecord) -> str:
        self.table.note(view, turn, random, record, self.given)
        return await self.table.answer(turn)


class _Served:
    """One game in the runner, with its clock and the agents that wait for their answers."""

    def __init__(self, system: System, craft: Craft, game: str, seat: str, rng: random.Random) -> None:
        self.system, self.craft, self.seat, self.rng = system, craft, seat, rng
        self.now = START + timedelta(seconds=rng.randrange(86_400))
        self.pace = rng.choice((0.0, 0.4, 5.0, 50.0))
        self.games = Games(open_log("memory:"), clock=lambda: self.now)
        self.live = LiveGame(game, system.ruleset)
        self.waiting: dict[tuple[str, int, int], asyncio.Future[str]] = {}
        self.handed: list[Handed] = []
        self.inboxes: dict[int, dict[str, Any]] = {}
        self.agents: dict[str, StandIn] = {}
        self.running: asyncio.Task[None]
        self._written: dict[int, tuple[Any, bytes, str]] = {}
        self._teller = Teller(system.ruleset, seat)

    async def play(self, sent: Sequence[Sent], opening: Callable[[], AbstractContextManager[Any]]) -> Given:
        with opening():
            await self.games.submit(self.live, sent[0].command.but(at=self.now))
        self.agents = {
            name: Listener(self) if name == self.seat else StandIn(self, ("view", "prompt")[place % 2])
            for place, name in enumerate(self.live.state.seats)
        }
        self.running = self._runner()
        try:
            for item in sent[1:]:
                await self._until(item.length)
                await self._do(item.command)
            await self._quiet()
        finally:
            self.running.cancel()
            with suppress(asyncio.CancelledError):
                await self.running
            self.games.close()
        return Given(self.handed, self.inboxes, self.live.recorded)

    def _runner(self) -> asyncio.Task[None]:
        return asyncio.create_task(Runner(self.games, self.live, self.agents, follow=True, on_failure="fallback").run())

    async def _until(self, length: int) -> None:
        """Wait until every seat with a turn has been called, and the log is as long as when the command was sent.

        A night that must be waited out ends at once if the kit's own clock had passed its end.
        """
        await self._quiet()
        if self.running.done() and self.live.state.hold is None and not self.live.state.over:
            self.running.result()
            self.running = self._runner()
            await self._quiet()
        wake = self.live.ruleset.wakes_at(self.live.state)
        if self.live.length < length and wake is not None:
            await self._wake(wake)
            await self._quiet()
        if length and self.live.length != length:
            raise Unlike(f"{self.live.length} events at the runner, {length} without it")
        self._tick()
        self.look()

    async def _wake(self, at: datetime) -> None:
        before, self.now = self.live.length, max(self.now, at)
        await self._moved(before)

    async def _do(self, command: Command) -> None:
        before = self.live.length
        match command:
            case commands.Reply() | commands.Expire() | commands.Fail():
                turn = self.live.state.turns.get((command.seat, command.turn))
                attempt = getattr(command, "attempt", turn and turn.attempt)
                waiting = self.waiting.pop((command.seat, command.turn, attempt or 0), None)
                if waiting is None:
                    await self.games.submit(self.live, command.but(at=self.now))
                elif isinstance(command, commands.Reply):
                    waiting.set_result(Considered(command.text, notes=command.notes))
                elif isinstance(command, commands.Fail):
                    waiting.set_exception(AgentFailed("no answer", command.reason))
                elif not self._first_to_run_out(command):
                    waiting.set_exception(AgentFailed("no answer", "timeout"))
                if waiting is not None:
                    await self._moved(before)
            case commands.Wake():
                wake = self.live.ruleset.wakes_at(self.live.state)
                if wake is not None:
                    await self._wake(wake)
            case _:
                await self.games.submit(self.live, command.but(at=self.now))

    def _first_to_run_out(self, command: commands.Expire) -> bool:
        """Let that attempt time out if it is the next one to do so; the runner's own clock ends it."""
        limits = self._limits()
        own = limits.pop((command.seat, command.turn), None)
        if own is None or any(other <= own for other in limits.values()):
            return False
        self.now = max(self.now, own)
        return True

    def _tick(self) -> None:
        """Let some time pass, but no limit."""
        limits = [max(self.now, limit - timedelta(milliseconds=1)) for limit in self._limits().values()]
        self.now = min([self.now + timedelta(seconds=self.pace * self.rng.random()), *limits])

    def _limits(self) -> dict[tuple[str, int], datetime]:
        """When the time of each turn runs out, and when the rules continue without anyone."""
        limits = {(due.seat, due.turn): due.expires for due in self.games.log.due(self.live.id) if due.expires}
        return limits | {("", number): at for number, at in enumerate(self.craft.limits(self.live.state))}

    async def _quiet(self) -> None:
        """Wait until every seat with a turn has been called."""
        for number in range(PATIENCE):
            stopping = self.live.state.hold is not None or self.live.state.over
            turns = self.live.state.turns.values()
            called = not stopping and all((turn.seat, turn.number, turn.attempt) in self.waiting for turn in turns)
            if called or self.running.done():
                return
            await asyncio.sleep(0 if number < 40 else 0.0005)
        raise Unlike("the runner has not called everybody whose turn it is")

    async def _moved(self, before: int) -> None:
        for number in range(PATIENCE):
            if self.live.length > before or self.running.done():
                return
            await asyncio.sleep(0 if number < 40 else 0.0005)
        raise Unlike("the runner has not taken what it was given")

    async def answer(self, turn: Turn) -> str:
        key = (turn.seat, turn.number, turn.attempt)
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.waiting[key] = future
        try:
            return await future
        finally:
            if self.waiting.get(key) is future:
                del self.waiting[key]

    def note(
        self, view: View[Any], turn: Turn, random: random.Random, record: CallRecord, blocks: tuple[str, ...]
    ) -> None:
        """Record what the agent of the seat under test got."""
        entries, told = [], []
        for entry in view.entries:
            known = self._written.get(id(entry))
            if known is None:
                fixed = msgspec.structs.replace(entry, at=START)
                known = self._written[id(entry)] = (
                    entry,
                    written(self.system, fixed),
                    in_words(self._teller.shown(entry.event)),
                )
            entries.append(known[1])
            told.append(known[2])
        answer = self._inbox(view)
        left = next((one.get("left") for one in answer["turns"] if one["turn"] == turn.number), None)
        seen = Seen(tuple(entries), tuple(told), (), view.state)
        draws = tuple(random.getrandbits(32) for _ in range(3))
        # The two games have ids of their own.
        noted = replace(record, notes={**record.notes}, assignment=replace(record.assignment, game=""))
        self.handed.append(Handed(view.seq, seen, turn, draws, noted, blocks, answer, left))

    def look(self) -> None:
        """Read the seat's inbox, as a program can at any time: as soon as something is new, and sometimes when
        nothing is."""
        view = self.live.view(self.seat)
        if view.seq not in self.inboxes or self.rng.random() < 0.3:
            self.inboxes[view.seq] = self._inbox(view)

    def _inbox(self, view: View[Any]) -> dict[str, Any]:
        """Return the inbox's open turns, each with its time limit instead of the time when it ends."""
        answer: dict[str, Any] = {**inbox.answer(self.games, self.live, view, view.seq)}
        for turn in answer["turns"]:
            deadline = turn.pop("deadline")
            if deadline is not None:
                turn["left"] = self._left(turn["turn"], datetime.fromisoformat(deadline))
        return answer

    def _left(self, number: int, deadline: datetime) -> float:
        """Return the seconds that the attempt had when it began, rounded like deadlines."""
        begun = max(
            item.at
            for item in self.live.recorded
            if isinstance(item.event, TurnOpened | AttemptFailed)
            and (item.event.seat, item.event.turn) == (self.seat, number)
        )
        return (deadline - begun.replace(microsecond=0)).total_seconds()
