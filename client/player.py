"""Play a remote seat with an agent: it gets each turn, and its answer is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sottovoce.agents.agent import (
    Agent,
    AgentFailed,
    Assignment,
    CallRecord,
    Considered,
    KeepingAgent,
    seat_random,
)
from sottovoce.client.api import LinkEnded, ServerRefused, Verdict
from sottovoce.client.seat import RemoteSeat
from sottovoce.domain.draws import Seed, derived
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import Entry

FAILURES = 3
"""How often an agent can fail at one attempt at a turn."""

FAREWELL = 5.0
"""Seconds that the answer to a last reply can take once the game is over."""

PAUSE = 1.0
"""Seconds before the agent is asked again."""


class AgentGaveUp(SottovoceError):
    """The agent gave no answer, and the turn has no time limit."""


@dataclass(frozen=True, slots=True)
class Answered:
    """How one call of the agent ended: with the server's verdict on its reply, or with what went wrong."""

    turn: Turn
    record: CallRecord
    verdict: Verdict | None = None
    wrong: str | None = None


@dataclass(slots=True)
class _Call:
    attempt: int
    task: asyncio.Task[None] | None = None
    answered: bool = False


async def _unheard(fresh: Sequence[Entry]) -> None:
    pass


class Player:
    """Plays `seat` with `agent` until the game is over.

    `observe` gets new entries before the agent is asked about them. `report` gets how each call ended. A failing agent
    is asked `failures` times (None: forever). Then its time runs out, or AgentGaveUp is raised if the turn has no
    limit. The agent's random stream comes from the link's token, which the server does not store: it is the same after
    a restart, and no one else can know it.
    """

    def __init__(
        self,
        seat: RemoteSeat,
        agent: Agent,
        *,
        observe: Callable[[Sequence[Entry]], Awaitable[None]] = _unheard,
        report: Callable[[Answered], None] = lambda answered: None,
        failures: int | None = FAILURES,
    ) -> None:
        self.seat = seat
        self.agent = agent
        self._observe = observe
        self._report = report
        self._failures = failures
        self._calls: dict[int, _Call] = {}
        token = seat.api.connection.link.token
        self._seed = Seed(secret=derived(token[4:].encode(), "agent").hex())

    async def play(self, told: Sequence[Entry] = ()) -> None:
        """Play to the end of the game. `told` is observed first. Any error of the agent except AgentFailed ends it."""
        news: asyncio.Task[list[Entry]] | None = None
        try:
            await self._tell(told)
            while True:
                if not self.seat.state.over:
                    self._start()
                news = news or asyncio.create_task(self.seat.news())
                await asyncio.wait({news, *self._running()}, return_when=asyncio.FIRST_COMPLETED)
                self._reap()
                if news.done():
                    fresh, news = news.result(), None
                    if not fresh:
                        break
                    self._drop()
                    await self._tell(fresh)
            if last := self._running():
                await asyncio.wait(last, timeout=FAREWELL)
                self._reap()
        finally:
            tasks = [*self._running(), *([] if news is None else [news])]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if isinstance(self.agent, KeepingAgent):
                await self.agent.release(self.seat.game, over=self.seat.state.over)

    async def _tell(self, fresh: Sequence[Entry]) -> None:
        """Let the news be observed. A player who leaves need not wait for that."""
        if not fresh:
            return
        telling = asyncio.ensure_future(self._observe(fresh))
        try:
            while not telling.done():
                await asyncio.wait({telling, *self._running()}, return_when=asyncio.FIRST_COMPLETED)
                self._reap()
            telling.result()
        finally:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)

    def _start(self) -> None:
        """Give the agent every turn whose current attempt it has not had."""
        for turn in self.seat.view().turns:
            call = self._calls.get(turn.number)
            if call is None or (call.attempt != turn.attempt and (call.task is None or call.task.done())):
                self._calls[turn.number] = call = _Call(turn.attempt)
                call.task = asyncio.create_task(self._call(turn, call))

    def _drop(self) -> None:
        """Cancel the calls whose attempt is over, but let an answer that is being sent finish."""
        attempts = {turn.number: turn.attempt for turn in self.seat.view().turns}
        for number, call in self._calls.items():
            if attempts.get(number) != call.attempt and call.task is not None and not call.answered:
                call.task.cancel()

    def _running(self) -> list[asyncio.Task[None]]:
        return [call.task for call in self._calls.values() if call.task is not None and not call.task.done()]

    def _reap(self) -> None:
        for call in self._calls.values():
            if call.task is not None and call.task.done():
                ended, call.task = call.task, None
                if not ended.cancelled():
                    ended.result()

    async def _call(self, turn: Turn, call: _Call) -> None:
        failures = 0
        while True:
            record = CallRecord(assignment=Assignment(self.seat.game))
            random = seat_random(self._seed, self.seat.name, turn.number, turn.attempt)
            try:
                text = await self.agent.act(self.seat.view(), turn, random, record)
                call.answered = True
                if record.mind is not None:
                    text = Considered(text, record.mind, text.notes if isinstance(text, Considered) else "")
                verdict = await self.seat.reply(turn.number, text)
            except LinkEnded:
                raise
            except (AgentFailed, ServerRefused) as error:
                call.answered = False
                failures += 1
                self._report(Answered(turn, record, wrong=str(error)))
                if failures == self._failures and turn.seconds is None:
                    raise AgentGaveUp(f"Turn {turn.number} stays open: {error}") from None
                if failures == self._failures:
                    return
                await asyncio.sleep(PAUSE)
            else:
                self._report(Answered(turn, record, verdict))
                return
