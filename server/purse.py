"""A game's limits as a worker keeps them: whether a call may begin, and what is told after one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from sottovoce.agents.agent import CallRecord
from sottovoce.eventlog.log import Receipt, RecordedReceipt
from sottovoce.projections.receipts import CALL_ENDED, DELIVERED
from sottovoce.server.games import Games
from sottovoce.server.limits import METERED, MOST, WARNED, Limits, Used, limits_of, told, used_in
from sottovoce.server.live import Key, LiveGame
from sottovoce.server.receipts import call_ended


class Purse:
    """The limits of one game as one worker keeps them. Reads receipts only where the game has limits at all."""

    def __init__(self, games: Games, live: LiveGame) -> None:
        self._games = games
        self._live = live
        self._limits: Limits | None = None

    async def forbids(self, about: str | None) -> str:
        """Why no call may begin that is about that; empty where one may."""
        if not await self._limited():
            return ""
        receipts = await self._receipts()
        return next(_reached(limits_of(receipts), used_in(receipts), (None, about)), "")

    async def warn(self, about: str | None) -> list[str]:
        """Record and return the warnings that are due after a call, each once for the same limit."""
        if not await self._limited():
            return []
        receipts = await self._receipts()
        limits, used = limits_of(receipts), used_in(receipts)
        before = [receipt.data for receipt in receipts if receipt.name == WARNED]
        lines, at = [], self._games.now(self._live)
        for one in dict.fromkeys((None, about)):
            for what, limit in limits.of(one).items():
                data = {"about": one, "what": what, "limit": limit}
                much = getattr(used.get(one) or Used(), what)
                if much < MOST * limit or data in before:
                    continue
                await self._games.record(self._live.id, [Receipt(WARNED, at, "", data)])
                lines.append(f"Most of the budget of {one or 'the game'} is used: {told(what, much, limit)}.")
        return lines

    async def end_lost(self, left: Mapping[Key, datetime]) -> None:
        """Record the end of calls that other workers left without one, each with the time until which they lived."""
        begun: dict[str, RecordedReceipt] = {}
        for receipt in await self._receipts():
            call = str(receipt.data.get("call"))
            if receipt.name == DELIVERED and receipt.data.get("by") == METERED:
                begun[call] = receipt
            elif receipt.name == CALL_ENDED:
                begun.pop(call, None)
        at = self._games.now(self._live)
        ends = []
        for receipt in begun.values():
            until = left.get((receipt.seat, receipt.data.get("turn", 0)))
            if until is not None:
                seconds = max(0.0, (min(until, at) - receipt.at).total_seconds())
                record = CallRecord(notes={"error": "the process that made the call was gone"})
                ends.append(call_ended(receipt.seat, dict(receipt.data), "lost", seconds, record, at))
        if ends:
            await self._games.record(self._live.id, ends)

    async def _limited(self) -> bool:
        if self._limits is None:
            self._limits = limits_of(await self._receipts())
        return self._limits.any

    async def _receipts(self) -> Sequence[RecordedReceipt]:
        return list(await self._games.call(self._games.log.receipts, self._live.id))


def _reached(limits: Limits, used: dict[str | None, Used], those: Iterable[str | None]) -> Iterator[str]:
    for one in dict.fromkeys(those):
        found = used.get(one) or Used()
        for what, limit in limits.of(one).items():
            if (much := getattr(found, what)) >= limit:
                yield f"The budget of {one or 'the game'} is spent: {told(what, much, limit)}."
            elif (agent := found.uncounted.get(what)) is not None:
                named = "tokens" if what == "tokens" else "money"
                yield f"{agent} does not say what it uses, so a limit in {named} can't be kept. Limit the time."
