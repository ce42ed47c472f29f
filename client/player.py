"""A far seat held by an agent: each of its turns is put to the agent, and what it answers is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sottovoce.agents.agent import Agent, AgentFailed, CallRecord, seat_random
from sottovoce.client.api import LinkEnded, ServerRefused, Verdict
from sottovoce.client.seat import FarSeat
from sottovoce.domain.draws import Seed, derived
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import Entry

FAILURES = 3
"""Times that an agent may give no answer to one attempt at a turn."""

FAREWELL = 5.0
"""Seconds that the answer to a last reply may take once the game is over."""

PAUSE = 1.0
"""Seconds before it is asked again."""


class AgentGaveUp(SottovoceError):
    """The agent gave no answer, and the turn has no time limit."""


@dataclass(frozen=True, slots=True)
class Answered:
    """How one call of the agent ended: with the server's verdict on its reply, or with what went wrong instead."""

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

    `observe` is awaited with what the seat comes to see, before it is asked anything about it, and `report` told how
    each call ended. An agent that fails is asked again, `failures` times in all, None for ever; then its time runs out,
    or AgentGaveUp is raised where there is no limit. The agent's random stream comes from the link's token, which the
    server does not keep: the same after a restart, and nobody else's to know.
    """

    def __init__(
        self,
        seat: FarSeat,
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
        """Play to the end of the game; `told` is observed first. What the agent raises beside AgentFailed ends it."""
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

    async def _tell(self, fresh: Sequence[Entry]) -> None:
        """Let the news be observed; whoever leaves meanwhile need not hear them out."""
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
        """Put every turn to the agent whose present attempt has not been."""
        for turn in self.seat.view().turns:
            call = self._calls.get(turn.number)
            if call is None or (call.attempt != turn.attempt and (call.task is None or call.task.done())):
                self._calls[turn.number] = call = _Call(turn.attempt)
                call.task = asyncio.create_task(self._call(turn, call))

    def _drop(self) -> None:
        """Cut the calls off whose attempt is over; an answer that is on its way is let through."""
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
            record = CallRecord()
            random = seat_random(self._seed, self.seat.name, turn.number, turn.attempt)
            try:
                text = await self.agent.act(self.seat.view(), turn, random, record)
                call.answered = True
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
