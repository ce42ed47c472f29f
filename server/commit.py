"""Group commit: the appends of all games of this process share transactions."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from time import perf_counter

from sottovoce.domain.errors import SottovoceError
from sottovoce.eventlog.durations import Durations
from sottovoce.eventlog.log import EventLog, Outcome, Write

Store = Callable[[Sequence[Write]], list[Outcome] | None]
"""One of the ways in which a log stores writes."""


class GroupCommit:
    """Commits writes in batches: whatever waits while one batch is being written goes into the next.

    A write is acknowledged only once its batch is durable. An error of the storage, such as a full disk, reaches every
    writer in the batch; a defect in one write reaches its own writer alone. With `aside` no write is stored in
    the loop, not even one that has its batch to itself.

    `alone` says that one game is played here, and so nobody to share a batch with: a write is then stored at once.
    """

    def __init__(self, log: EventLog, alone: Callable[[], bool]) -> None:
        self._log = log
        self._alone = alone
        self.aside = False
        self.seconds = Durations()
        """How long each commit took, waiting for others included."""
        self.outcomes: Counter[str] = Counter()
        """How many writes ended how: the names of outcomes, or "Error"."""
        self._waiting: list[tuple[Sequence[Write], asyncio.Future[list[Outcome]]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._given = self._written = 0
        self._batch: asyncio.Future[None] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sottovoce-commit")

    async def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """Store writes that belong together, in one batch; the outcome of each."""
        if not self._log.blocking:
            return self._log.commit(writes)
        if self._writer is None and self._alone() and (results := self._stored_here(writes)) is not None:
            return _outcomes(results)
        future: asyncio.Future[list[Outcome]] = asyncio.get_running_loop().create_future()
        self._waiting.append((writes, future))
        self._given += 1
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        return await future

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        batch: list[tuple[Sequence[Write], asyncio.Future[list[Outcome]]]] = []
        try:
            await asyncio.sleep(0)
            while self._waiting:
                batch, self._waiting = self._waiting, []
                self._batch = loop.create_future()
                writes = [write for together, _ in batch for write in together]
                results = self._stored_here(writes)
                if results is None:
                    results = await loop.run_in_executor(self._thread, self._results, writes)
                given = iter(results)
                for together, future in batch:
                    own = list(islice(given, len(together)))
                    if future.done():
                        continue
                    try:
                        future.set_result(_outcomes(own))
                    except Exception as error:
                        future.set_exception(error)
                self._written += len(batch)
                self._batch.set_result(None)
        finally:
            # Cancelled with its loop: nobody may be left waiting, and the next loop begins with a writer of its own.
            self._writer = None
            self._written = self._given
            if self._batch is not None and not self._batch.done():
                self._batch.cancel()
            for _, future in [*batch, *self._waiting]:
                future.cancel()
            self._waiting = []

    def _stored_here(self, writes: Sequence[Write]) -> Sequence[Outcome | Exception] | None:
        """The results of writes that are stored right here, since the way to the thread and back takes longer than the
        disk. None where others write, since a loop must not wait for their lock, and where it has to be found out
        which of several writes went wrong."""
        if self.aside:
            return None
        try:
            return self._counted(self._log.commit_at_once, writes)
        except Exception as error:
            return [error] if len(writes) == 1 else None

    def _results(self, writes: Sequence[Write]) -> Sequence[Outcome | Exception]:
        try:
            return self._counted(self._log.commit, writes) or ()
        except SottovoceError as error:
            return [error] * len(writes)
        except Exception as error:
            if len(writes) == 1:
                return [error]
            return [result for write in writes for result in self._results([write])]

    def _counted(self, store: Store, writes: Sequence[Write]) -> list[Outcome] | None:
        """The outcomes of writes that were stored, counted; None, and nothing counted, if they were not."""
        started = perf_counter()
        try:
            outcomes = store(writes)
        except Exception:
            self.outcomes["Error"] += len(writes)
            raise
        if outcomes is not None:
            self.seconds.add(perf_counter() - started)
            self.outcomes.update(type(outcome).__name__ for outcome in outcomes)
        return outcomes

    async def settle(self) -> None:
        """Wait until all that was given up to now is written.

        Not until nothing is: among many games there may always be one that writes, and a game that has ended would
        wait for all the others.
        """
        given = self._given
        while self._written < given and self._writer is not None:
            if self._batch is None or self._batch.done():
                await asyncio.sleep(0)
            else:
                await asyncio.wait([self._batch])

    def close(self) -> None:
        """Wait for the batch being written, if any."""
        self._thread.shutdown(wait=True)


def _outcomes(results: Sequence[Outcome | Exception]) -> list[Outcome]:
    """The outcomes; the first of the errors is raised, where there are any."""
    outcomes: list[Outcome] = []
    for result in results:
        if isinstance(result, Exception):
            raise result
        outcomes.append(result)
    return outcomes
