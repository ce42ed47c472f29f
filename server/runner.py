"""The reactor of one game: it opens agents' turns, waits for replies and limits, and appends what they become.

Each turn is leased, its agent called outside any transaction, and its reply appended in the transaction that closes the
turn. A reply that comes too late is dropped with a receipt. Turns opened by this process's own appends are leased in
that same transaction, so that a decision costs one commit. What is about to leave the process has a receipt before.
Agents within the process that answer at once share commits (`server.stretch`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import Any, Literal

from sottovoce.agents.agent import (
    TOLD,
    Agent,
    AgentFailed,
    AgentUnreachable,
    Assignment,
    CallRecord,
    Considered,
    KeepingAgent,
    seat_random,
)
from sottovoce.agents.models.settings import most_unanswered
from sottovoce.domain.commands import Command, Expire, Fail, Halt, Reply, Wake
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import Draft, Failure, FallbackApplied, HoldLifted, Recorded, ReplyAccepted
from sottovoce.domain.game import SPENT
from sottovoce.domain.reading import readable
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.errors import LogError
from sottovoce.eventlog.log import Receipt, Write
from sottovoce.projections.seat_counts import UNREACHED
from sottovoce.server.assignments import assignment
from sottovoce.server.decision_batch import LONGEST, DecisionBatch
from sottovoce.server.games import Games, Late, Lease
from sottovoce.server.ids import fresh_id
from sottovoce.server.leases import Taken, handed_back, taken
from sottovoce.server.limits import METERED
from sottovoce.server.live import Doing, Key, LiveGame
from sottovoce.server.liveness import surely_dead
from sottovoce.server.purse import Purse
from sottovoce.server.receipts import begun, build_blocks, call_ended, handed_over, outcome
from sottovoce.server.workplaces import programs_ended, with_evidence, workplace, workspaces

OnFailure = Literal["hold", "void", "fallback"]
"""What happens to a game whose agent is unreachable: it waits for `resume`, is aborted, or continues with a fallback
move.
"""
Filler = Callable[[Mapping[str, str]], Mapping[str, Agent | None]]
"""Makes the agents of the seats out of their names, by seat."""

Observer = Callable[[LiveGame, Sequence[Recorded]], Awaitable[None]]

POLL = 0.02
"""Seconds between looks at the log for what other processes appended, while this game is followed."""

LIVELY = 5.0
QUIET_POLL = 0.2
"""After so many seconds without news it is followed more lazily: a person may think for an hour."""

SLOW_POLL = 1.0
"""The same while agents of this process are being asked and nobody else is expected to append."""

TAKEOVER = 0.25
"""Seconds between looks at a turn that another worker holds: neither a death nor a lapsed lease shows in the log."""


SLICE = 0.05
"""Seconds for which a game that never has to wait is played before other games get their turn. Games that alternate
at every decision push each other out of the processor's cache.
"""


GIVES_NOTHING: frozenset[Failure] = frozenset({"declined", "filtered", "empty", "truncated", "failed"})
"""Reasons for which a turn may be lost with nothing to play by. An answer that can't be read is bad play instead."""
FEWEST_LOST = 2
"""Turns that must be lost like that before a game stops for it."""

CAUTION = 1.0
"""Seconds for which answers are appended one by one, after somebody else came between."""


@dataclass(slots=True)
class Call:
    """A call of an agent in its own task. After it has `answered` it is not cancelled."""

    attempt: int
    agent: Agent
    task: asyncio.Task[None]
    answered: bool = False


class Runner:
    """Plays one game with the given agents; a seat without one is played from outside.

    `observe` gets every batch of new events in order, except those up to position `seen`. `follow` looks for appends of
    other processes all the time, not only when nothing else is left to do. With `share` other workers play the game
    too: `run` returns when nothing is left for this one. `on_failure` says what happens when an agent is unreachable;
    `unreached` then says what was wrong. `tell` gets a line when most of a budget is used.

    With `fill` the game is one of a server's live games: other tasks append to it, take in what other processes append,
    and change who plays its seats. The runner then waits for the game to grow and never polls the log.
    """

    def __init__(
        self,
        games: Games,
        live: LiveGame,
        agents: Mapping[str, Agent | None],
        *,
        observe: Observer | None = None,
        follow: bool = False,
        share: bool = False,
        on_failure: OnFailure = "hold",
        seen: int = 0,
        fill: Filler | None = None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.games = games
        self.live = live
        self.agents = {seat: agent for seat, agent in agents.items() if agent is not None}
        self._fill = fill
        self._filled = live.state.agents
        self._refilled = False
        self._stir = asyncio.Event()
        self._leasing: asyncio.Future[Taken] | None = None
        self.length = live.length
        """How long the game was when this runner last found nothing to do."""
        self._observe = observe
        self._follow = follow
        self._share = share
        self._on_failure = on_failure
        self.unreached: str | None = None
        self.spent: str | None = None
        """Which limit is used up, if the game was held for that."""
        self._purse = Purse(games, live)
        self._tell = tell
        self._observed = seen
        self._calls: dict[Key, Call] = {}
        self._elsewhere: dict[Key, float] = {}
        self._seen_version: int | None = None
        self._stretch: DecisionBatch | None = None
        self._stretches = observe is None and fill is None and not follow
        self._stretches_again_at = 0.0
        self._gives_way_at = self._news_at = time.monotonic()

    @property
    def wakes_at(self) -> datetime | None:
        """The next moment at which the rules want something done without a reply: a limit or a wake-up."""
        alarm = self._next_alarm()
        return alarm and alarm[0]

    async def run(self) -> None:
        """Play until the game is over or on hold. An exception, such as a player leaving, ends all calls first."""
        if self._fill is not None:
            self.live.noticed = self._stir.set
        async with self.games.heartbeat.beating():
            done = False
            try:
                while not done:
                    self._stir.clear()
                    await self._show()
                    self._refill()
                    if self.live.state.over or self.live.state.hold is not None:
                        if self.live.state.hold != SPENT or not await self._let_end():
                            return
                        continue
                    if self._calls:
                        self._reap()
                        self._drop_stale()
                    if await self._play_stretch() or await self._start_turns():
                        continue
                    done = self._share and await self._idle()
                    if not done:
                        await self._wait()
            finally:
                self.live.noticed = None
                self.length = self.live.length
                if not done or self._refilled:
                    await self._stop()

    async def _let_end(self) -> bool:
        """Wait for a call that was under way when the budget was found spent: it has been paid for. Whether one was."""
        if not self._calls:
            return False
        tasks = [call.task for call in self._calls.values()]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        self._reap()
        return True

    async def _show(self) -> None:
        """Show the observer what is new, batch after batch in order, whichever process appended it."""
        while self._observe is not None and self._observed < self.live.length:
            fresh = self.live.recorded[self._observed :]
            self._observed = self.live.length
            await self._observe(self.live, fresh)

    def _refill(self) -> None:
        """Take the agents that the seats have got meanwhile."""
        if self._fill is not None and self.live.state.agents is not self._filled:
            self._filled, self._refilled = self.live.state.agents, True
            self.agents = {seat: agent for seat, agent in self._fill(self._filled).items() if agent is not None}

    async def _idle(self) -> bool:
        """Whether nothing is under way here and no limit has run out. What others appended is taken in first."""
        if self._calls or (self._fill is None and self.live.take(await self._news())):
            return False
        length = self.live.length
        await self._learn_limits()
        wakes_at = self.wakes_at
        return self.live.length == length and (wakes_at is None or wakes_at > self.games.now(self.live))

    async def _news(self) -> Sequence[Recorded]:
        """What the log has beyond what is known here."""
        return await self.games.call(self.games.log.read, self.live.id, self.live.length)

    def _reap(self) -> None:
        """Forget the calls that have ended; one that failed says so here."""
        for key in [key for key, call in self._calls.items() if call.task.done()]:
            task = self._calls.pop(key).task
            if not task.cancelled():
                task.result()

    def _drop_stale(self) -> None:
        """End the calls for turns that were closed, or whose attempt ran out, meanwhile; not those that answered."""
        for key, call in self._calls.items():
            turn = self.live.state.turns.get(key)
            gone = self._fill is not None and self.agents.get(key[0]) is not call.agent
            if not call.answered and (turn is None or turn.attempt != call.attempt or gone):
                call.task.cancel()

    async def _play_stretch(self) -> bool:
        """Call the agents that answer at once, and append several of their answers in one commit. Returns whether it
        did.

        It does so only if no other agent is being called and no one watches, because the game is ahead of the log
        meanwhile. After an append by another process, answers are appended one by one for a while.
        """
        if not self._stretches or time.monotonic() < self._stretches_again_at:
            return False
        live = self.live
        if not (wanted := self._wanted_at_once()) or live.ruleset.folder(live.state) is not None:
            return False
        async with live.lock:
            stretch = self._stretch = DecisionBatch(live)
            try:
                while wanted and len(stretch.writes) < LONGEST:
                    for key in wanted:
                        if (turn := live.state.turns.get(key)) is not None and key in live.leased:
                            await self._act(turn, live.leased.pop(key))
                    wanted = self._wanted_at_once()
            finally:
                self._stretch = None
                if not await self.games.store_stretch(stretch):
                    self._stretches_again_at = time.monotonic() + CAUTION
        await self._give_way()
        return True

    def _wanted_at_once(self) -> list[Key]:
        """The open turns of this runner, if an agent within this process answers each of them at once."""
        state, leased = self.live.state, self.live.leased
        wanted: list[Key] = []
        if state.over or state.hold is not None:
            return wanted
        for key, turn in state.turns.items():
            if (agent := self.agents.get(key[0])) is None:
                continue
            if key not in leased or not _at_once(agent, turn) or agent.by != "view":
                return []
            wanted.append(key)
        return wanted

    async def _start_turns(self) -> bool:
        """Lease and start what is open. Returns whether agents that answer at once were called meanwhile.

        Only a call that can wait, or that ends when its time runs out, needs its own task.
        """
        leased = self.live.leased
        wanted = [key for key in self.live.state.turns if key[0] in self.agents and key not in self._calls]
        await self._lease([key for key in wanted if key not in leased])
        answered = False
        for key in wanted:
            turn = self.live.state.turns.get(key)
            if turn is None or key not in leased or key in self._calls:
                continue
            agent = self.agents[turn.seat]
            acting = self._act(turn, leased.pop(key))
            if _at_once(agent, turn):
                await acting
                answered = True
            else:
                task = asyncio.create_task(acting)
                task.add_done_callback(self._stirred)
                self._calls[key] = Call(turn.attempt, agent, task)
        if answered:
            await self._give_way()
        return answered

    async def _give_way(self) -> None:
        if time.monotonic() >= self._gives_way_at:
            await asyncio.sleep(0)
            self._gives_way_at = time.monotonic() + SLICE

    def _stirred(self, task: asyncio.Task[None]) -> None:
        self._stir.set()

    async def _lease(self, keys: Sequence[Key]) -> None:
        """Lease turns that no living worker holds, and pick up those that are this worker's already.

        Those that another one holds are looked at again after a while.
        """
        now = time.monotonic()
        keys = [key for key in keys if self._elsewhere.get(key, 0.0) <= now]
        if not keys:
            return
        # Cut off in the middle, it is waited for by `_stop`, which hands back what was leased.
        self._leasing = asyncio.ensure_future(self.games.call(taken, self.games, self.live.id, keys))
        leased, absent, left = await asyncio.shield(self._leasing)
        self._leasing = None
        if left:
            await self._purse.end_lost(left)
            await programs_ended(self.live)
        if absent:
            await self._require_closed(*absent)
        self.live.leased.update((key, epoch) for key, epoch in leased.items() if key in self.live.state.turns)
        self._elsewhere = {key: now + TAKEOVER for key in keys if key not in leased}

    async def _require_closed(self, *turns: Key) -> None:
        """DamagedLog where turns without a row are open by the events, too; what others appended is taken in first."""
        async with self.live.lock:
            self.live.take(await self._news())
        self.live.require_closed(*turns)

    async def _wait(self) -> None:
        """Wait for a call to end, for a limit or a wake-up to come, or for somebody else's append."""
        await self._learn_limits()
        alarm = self._next_alarm()
        timeout = SLOW_POLL
        if self._fill is None and (self._follow or not self._calls):
            timeout = POLL if time.monotonic() - self._news_at < LIVELY else QUIET_POLL
        if alarm is not None:
            timeout = min(timeout, max(0.0, (alarm[0] - self.games.now(self.live)).total_seconds()))
        done: set[asyncio.Task[None]] = set()
        if self._fill is not None:
            held_elsewhere = any(key in self._elsewhere for key in self.live.state.turns)
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout if alarm or held_elsewhere else None):
                    await self._stir.wait()
        elif self._calls:
            tasks = [call.task for call in self._calls.values()]
            done, _ = await asyncio.wait(tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            self._reap()
        else:
            await asyncio.sleep(timeout)
        if alarm is not None and self.games.now(self.live) >= alarm[0]:
            await self._ring()
        if self._fill is None and (self._follow or not done):
            await self._look()

    async def _ring(self) -> None:
        """Submit what is due now. The time of a turn may have been stopped since its alarm was set."""
        alarm, at = self._next_alarm(), self.games.now(self.live)
        if alarm is None or at < alarm[0]:
            return
        command = alarm[1](at)
        if isinstance(command, Expire) and await self._seen_to_elsewhere((command.seat, command.turn)):
            self.live.put_off((command.seat, command.turn), TAKEOVER)
        else:
            await self.games.submit(self.live, command, preleased=self.agents)

    async def _seen_to_elsewhere(self, key: Key) -> bool:
        """Whether another worker calls an agent for the turn in a repository: checks may run there for it, whose time
        does not count, and that worker ends the turn's time itself.
        """
        if workspaces(self.live) is None:
            return False
        now = self.games.now(self.live)
        rows = await self.games.call(self.games.log.due, self.live.id)
        held = next((due for due in rows if (due.seat, due.turn) == key and not due.is_free(now)), None)
        return held is not None and held.worker != self.games.worker and not surely_dead(held.worker or "")

    async def _look(self) -> None:
        version = self.games.log.version()
        if version != self._seen_version:
            self._seen_version = version
            self._news_at = time.monotonic()
            self.live.take(await self._news())

    def _next_alarm(self) -> tuple[datetime, Callable[[datetime], Command]] | None:
        """The next moment at which the rules want a command, and that command."""
        alarms: list[tuple[datetime, Callable[[datetime], Command]]] = []
        wake = self.live.ruleset.wakes_at(self.live.state)
        if wake is not None:
            alarms.append((wake, Wake))
        for key, turn in self.live.state.turns.items():
            if turn.seconds is not None and (limit := self.live.limit(key, turn.attempt)) is not None:
                alarms.append((limit, partial(Expire, seat=turn.seat, turn=turn.number, attempt=turn.attempt)))
        return min(alarms, key=lambda alarm: alarm[0], default=None)

    async def _learn_limits(self) -> None:
        """Ask the log for the limits of turns that somebody else opened."""
        live = self.live
        while self._without_limit():
            length = live.length
            live.learn(await self.games.call(self.games.log.due, live.id))
            if (turns := self._without_limit()) and live.length == length:
                async with live.lock:
                    live.take(await self._news())
                if live.length == length:
                    live.require_closed(*turns)

    def _without_limit(self) -> list[Key]:
        """The open turns that have a limit which is not known here."""
        turns = self.live.state.turns.items()
        return [key for key, turn in turns if turn.seconds is not None and not self.live.knows_limit(key, turn.attempt)]

    async def _act(self, turn: Turn, epoch: int) -> None:
        """Call the agent of one turn and append what its reply becomes."""
        seat, number, attempt = turn.seat, turn.number, turn.attempt
        agent = self.agents[seat]
        view = self.live.view(seat)
        given = assignment(self.live, view, turn)
        if agent.by == METERED and (why := await self._purse.forbids(given.about)):
            await self._hold_spent(turn, epoch, why)
            return
        said = begun(self.live, agent, turn, view.seq, epoch, given.about)
        if agent.by != "view":
            blocks = build_blocks(agent, view, turn)
            await self.games.record(self.live.id, [handed_over(seat, said, self.games.now(self.live), blocks)])
        random = seat_random(self.live.seed, seat, number, attempt)
        started = time.monotonic()
        aside = self.live.stood_still((seat, number))
        record = CallRecord(assignment=given, doing=partial(self._does, turn, given.about, started))

        def worked() -> float:
            """The seconds so far, without those in which the server looked at the work."""
            return time.monotonic() - started - self.live.stood_still((seat, number)) + aside

        how = "accepted"
        command: Reply | Expire | Fail | Halt
        try:
            record.assignment = await self._put_to_work(turn, given)
            text = await agent.act(view, turn, random, record)
            notes = ""
            if isinstance(text, Considered):
                notes, record.mind = text.notes, text.mind or record.mind
            command = Reply(
                self.games.now(self.live), seat, number, readable(text.replace("\x00", "\ufffd")), notes=notes
            )
            # Here, where the call can still be cut off: checks of the code may take minutes.
            if record.assignment.place is not None:
                record.doing("done; the server looks at the work")
            command = await with_evidence(self.live, command)
        except asyncio.CancelledError:
            await asyncio.shield(self._end(seat, said, "late", worked(), record))
            raise
        except AgentFailed as error:
            how, now, why = "failed", self.games.now(self.live), str(error)
            record.notes |= {"error": why, "reason": error.reason}
            unreached = isinstance(error, AgentUnreachable)
            if not unreached and agent.by == "prompt" and (silence := self._silence(turn, error)):
                unreached, why = True, f"{why} {silence}"
            if unreached and self._on_failure != "fallback":
                how, self.unreached = UNREACHED, why
                command = Halt(now, seat, number, void=self._on_failure == "void")
            elif error.reason == "timeout" and not error.own:
                command = Expire(now, seat, number, attempt)
            else:
                command = Fail(now, seat, number, attempt, error.reason, error.told, error.own)
        except SottovoceError:
            await self._end(seat, said, "lost", worked(), record)
            raise
        except Exception as error:
            how = "failed"
            (*_, last) = extract_tb(error.__traceback__)
            record.notes["error"] = f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
            command = Fail(self.games.now(self.live), seat, number, attempt, "failed", TOLD["failed"])
        finally:
            self.live.doing.pop((seat, number), None)
        submitted = command
        seconds = worked()
        if (call := self._calls.get((seat, number))) is not None:
            call.answered = True

        def ended(drafts: Sequence[Draft]) -> Receipt:
            return call_ended(seat, said, outcome(how, drafts), seconds, record, submitted.at)

        lease = Lease(seat, number, epoch)
        if (stretch := self._stretch) is not None:
            self.games.foresee(stretch, submitted, lease=lease, preleased=self.agents, ended=ended)
            return
        try:
            await self.games.submit(self.live, submitted, lease=lease, preleased=self.agents, ended=ended)
        except Late:
            await self._end(seat, said, "late", worked(), record)
        if agent.by == METERED:
            for line in await self._purse.warn(given.about):
                self._tell(line)

    async def _hold_spent(self, turn: Turn, epoch: int, why: str) -> None:
        """Put the game on hold instead of calling an agent. Calls under way come to their end."""
        self.spent = why
        halt = Halt(self.games.now(self.live), turn.seat, turn.number, spent=True)
        with suppress(Late):
            await self.games.submit(self.live, halt, lease=Lease(turn.seat, turn.number, epoch))

    def _does(self, turn: Turn, task: str | None, began: float, step: str) -> None:
        """Note what the agent of a turn does now."""
        self.live.doing[turn.seat, turn.number] = Doing(turn.seat, task, step, began)

    async def _put_to_work(self, turn: Turn, given: Assignment) -> Assignment:
        """What the agent is told of its call, with the folder that is the turn's own if the rules have one for it.

        Raises AgentFailed if that folder cannot be made.
        """
        try:
            place = await workplace(self.live, turn)
            return given if place is None else replace(given, place=place)
        except SottovoceError as error:
            failed = AgentFailed(str(error))
            failed.told = str(error)
            raise failed from None

    def _silence(self, turn: Turn, error: AgentFailed) -> str:
        """What to say of an agent that gives nothing for too many of its turns; empty while it does not.

        Counted since the game was last resumed, over all seats of the same agent, when a turn is about to be lost.
        """
        if not error.nothing or turn.attempts_left > 1:
            return ""
        agents = self.live.state.agents
        spec = agents.get(turn.seat)
        lost, answered = 1, 0
        for item in reversed(self.live.recorded):
            event = item.event
            if isinstance(event, HoldLifted):
                break
            if isinstance(event, FallbackApplied | ReplyAccepted) and agents.get(event.seat) == spec:
                lost += isinstance(event, FallbackApplied) and event.reason in GIVES_NOTHING
                answered += isinstance(event, ReplyAccepted)
        if lost < FEWEST_LOST or lost <= most_unanswered() * (lost + answered):
            return ""
        return (
            f"It gave nothing for {lost} of its {lost + answered} turns. "
            "Give its seat another agent, or raise SOTTOVOCE_MOST_UNANSWERED."
        )

    async def _end(self, seat: str, said: dict[str, Any], how: str, seconds: float, record: CallRecord) -> None:
        at = self.games.now(self.live)
        receipt = call_ended(seat, said, how, seconds, record, at)
        if (stretch := self._stretch) is not None:
            stretch.take(Write(self.live.id, self.live.length, fresh_id(), at, receipts=(receipt,)), self.live.state)
        else:
            await self.games.record(self.live.id, [receipt])

    async def _stop(self) -> None:
        """End the calls, let answers that are being appended through, and hand the leases back."""
        for call in self._calls.values():
            if not call.answered:
                call.task.cancel()
        try:
            if self._leasing is not None:
                await asyncio.wait([self._leasing])
            await asyncio.gather(*(call.task for call in self._calls.values()), return_exceptions=True)
            await self.games.settle()
            await self._release()
        finally:
            self._calls.clear()
            self.live.leased.clear()
            with suppress(LogError):
                await self.games.call(handed_back, self.games, self.live.id)

    async def _release(self) -> None:
        """Let agents end what they kept for this game. In a shared game that continues they are called again soon."""
        over = self.live.state.over
        for agent in {id(one): one for one in self.agents.values()}.values():
            if isinstance(agent, KeepingAgent) and (over or not self._share):
                await agent.release(self.live.id, over=over)


def _at_once(agent: Agent, turn: Turn) -> bool:
    """Whether the agent answers without waiting, and nothing ends its time meanwhile."""
    return turn.seconds is None and getattr(agent, "immediate", False)
