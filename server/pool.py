"""Many games at once: in one process as many as share commits well, and in several processes on one log."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait

from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import agent_for
from sottovoce.domain.commands import Fill, Halt
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.game import UNREACHED
from sottovoce.eventlog import open_log
from sottovoce.projections.tally import Tally
from sottovoce.server.games import Games
from sottovoce.server.limits import set_limits
from sottovoce.server.live import LiveGame
from sottovoce.server.plan import Plan
from sottovoce.server.runner import OnFailure, Runner

AT_ONCE = 64
"""Games under way in one process."""

LOOK = 0.25
"""Seconds between looks at games that workers play."""

FAREWELL = 5.0
"""Seconds in which a process that was asked to end may hand back its leases."""


Progress = Callable[[Tally], None]


async def play_many(games: Games, plans: Sequence[Plan], finished: Progress, on_failure: OnFailure = "void") -> None:
    """Play all the plans, `AT_ONCE` at a time; `finished` gets each game's tally as it ends."""
    queue = iter(plans)

    async def player() -> None:
        for plan in queue:
            finished(await _play(games, plan, on_failure))

    players = [asyncio.create_task(player()) for _ in range(min(AT_ONCE, len(plans)))]
    try:
        await asyncio.gather(*players)
    finally:
        for task in players:
            if not task.cancelling():  # a second time would cut short the handing back of leases
                task.cancel()
        await asyncio.gather(*players, return_exceptions=True)


async def _play(games: Games, plan: Plan, on_failure: OnFailure) -> Tally:
    started = time.monotonic()
    live = await _taken_up(games, plan)
    agents = {seat: agent_for(spec, HouseAgent) for seat, spec in plan.agents.items()}
    await Runner(games, live, agents, on_failure=on_failure).run()
    return Tally.of(live.ruleset, live.recorded, games.log.receipts(live.id), time.monotonic() - started)


async def _taken_up(games: Games, plan: Plan) -> LiveGame:
    """Return the plan's game: a new one, or the started one as it is, without a hold that an unreachable agent
    caused.
    """
    if plan.game is None or games.log.head(plan.game) is None:
        files = plan.files
        return await games.open(
            *(plan.ruleset, plan.seats, plan.agents, plan.seed, plan.options),
            game=plan.game,
            files=files,
            receipt=set_limits(plan.limits, games.clock()) if plan.limits.any else None,
        )
    live = games.load(plan.game)
    if live.state.hold == UNREACHED:
        await games.submit(live, Fill(games.clock()))
    return live


async def leave_to_workers(
    games: Games, plans: Sequence[Plan], finished: Progress, on_failure: OnFailure = "void"
) -> None:
    """Open all the games and wait until workers have played them; `finished` gets each game's tally as it ends.

    A game that was put on hold counts as ended, as it does where it is played here. Workers hold a game whose agent
    cannot be reached; it is voided here where that is wanted.
    """
    started = time.monotonic()
    waiting = [await _taken_up(games, plan) for plan in plans]
    version = None
    while waiting:
        if (latest := games.log.version()) == version:
            await asyncio.sleep(LOOK)
            continue
        version = latest
        for live in waiting:
            games.catch_up(live)
        for live in [live for live in waiting if live.state.over or live.state.hold is not None]:
            waiting.remove(live)
            if on_failure == "void":
                await games.submit(live, Halt(games.clock(), void=True))
            receipts = games.log.receipts(live.id)
            finished(Tally.of(live.ruleset, live.recorded, receipts, time.monotonic() - started))
        await asyncio.sleep(LOOK)


class WorkerFailed(SottovoceError):
    """A process of the run ended early; the games it left open can be resumed."""


def play_in_processes(
    url: str, plans: Sequence[Plan], jobs: int, finished: Progress, on_failure: OnFailure = "void"
) -> None:
    """Play all the plans in `jobs` processes that share the log. What one of them reports as an error is raised."""
    context = multiprocessing.get_context("spawn")
    shares = [plans[number::jobs] for number in range(jobs)]
    workers, pipes = [], []
    try:
        for share in shares:
            receiver, sender = context.Pipe(duplex=False)
            worker = context.Process(target=_share, args=(url, share, sender, on_failure), daemon=True)
            with _deaf_to_interrupts():
                worker.start()
                workers.append(worker)
            sender.close()
            pipes.append(receiver)
        for news in _news(pipes):
            finished(news)
    except BaseException:
        for worker in workers:
            worker.terminate()
        raise
    finally:
        for worker in workers:
            worker.join(FAREWELL)
            if worker.is_alive():
                worker.kill()
                worker.join()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """What is started within never hears Ctrl-C, which a terminal sends to all: the parent ends its workers itself.

    The library's own helper process is there before: to start it lifts the mask, so that the first worker would hear.
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _news(pipes: list[Connection]) -> Iterator[Tally]:
    """What the processes report, until each has said that it is done."""
    while pipes:
        for pipe in wait(pipes):
            assert isinstance(pipe, Connection)
            try:
                news = pipe.recv()
            except EOFError:
                raise WorkerFailed from None
            if news is None:
                pipes.remove(pipe)
            elif isinstance(news, Tally):
                yield news
            else:
                raise SottovoceError(str(news))


def _share(url: str, plans: Sequence[Plan], sender: Connection, on_failure: OnFailure) -> None:
    """One process's share. It ends with its parent, however that ends, and quietly when it is told to."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        sender.send(_play_share(url, plans, sender, on_failure))
    except asyncio.CancelledError:
        os._exit(130)


def _play_share(url: str, plans: Sequence[Plan], sender: Connection, on_failure: OnFailure) -> str | None:
    """Play the plans; what went wrong, if anything."""
    try:
        log = open_log(url)
        games = Games(log)
        try:
            asyncio.run(until_told(play_many(games, plans, sender.send, on_failure)))
        finally:
            games.close()
            log.close()
    except SottovoceError as error:
        return str(error)
    except Exception as error:
        return f"A process of the run failed ({type(error).__name__}: {error}); its games can be resumed."
    return None


async def until_told(work: Awaitable[None]) -> None:
    """Do it, or until SIGTERM comes: then it is cancelled, once, since a second word would only cut it short.

    Nothing is raised where the signal finds the process: in what Python calls by itself it would be lost.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def told() -> None:
        loop.add_signal_handler(signal.SIGTERM, lambda: None)
        task.cancel()

    loop.add_signal_handler(signal.SIGTERM, told)
    await work


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
