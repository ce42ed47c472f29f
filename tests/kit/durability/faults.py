"""Planted faults: what a careless server would do. The checks must catch each one, otherwise they prove nothing.

SOTTOVOCE_TEST_FAULT installs a fault only in the processes under test, below the tap.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from sottovoce.agents.agent import SeatRandom
from sottovoce.domain.commands import Reply
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Draft, Recorded, ReplyAccepted
from sottovoce.eventlog import decision
from sottovoce.eventlog.log import Appended, Outcome, Write
from sottovoce.eventlog.sqlite import log as sqlite
from sottovoce.eventlog.sqlite.log import SqliteLog
from sottovoce.server import leases, runner
from sottovoce.server.commit import GroupCommit
from sottovoce.server.games import Games, Late


class _Undone(Exception):
    """Ends a transaction without a trace."""


def acknowledge_before_the_commit() -> None:
    """An append is acknowledged at once and written a few milliseconds later."""
    commit = SqliteLog.commit
    lock = threading.RLock()
    waiting: list[tuple[SqliteLog, Sequence[Write]]] = []

    def flush() -> None:
        with lock:
            while waiting:
                log, writes = waiting.pop(0)
                commit(log, writes)

    def early(log: SqliteLog, writes: Sequence[Write]) -> list[Outcome]:
        with lock:
            flush()
            if any(write.expected == 0 for write in writes):
                return commit(log, writes)
            outcomes: list[Outcome] = []
            try:
                with log.datastore.write() as cursor:
                    outcomes = log._store(cursor, writes)
                    raise _Undone
            except _Undone:
                waiting.append((log, writes))
            threading.Timer(0.003, flush).start()
            return outcomes

    def flushed(name: str) -> Callable[..., Any]:
        original = getattr(SqliteLog, name)

        def first(*given: Any, **more: Any) -> Any:
            flush()
            return original(*given, **more)

        return first

    for name in ("lease", "release", "due", "read", "close"):
        setattr(SqliteLog, name, flushed(name))
    SqliteLog.commit = early  # type: ignore[method-assign]


def complete_without_the_lease_check() -> None:
    """A reply is appended no matter who has the lease on its turn."""
    changes = Games._turn_changes

    def unchecked(self: Games, *given: Any) -> Any:
        return tuple(replace(change, epoch=None) for change in changes(self, *given))

    Games._turn_changes = unchecked  # type: ignore[method-assign]


def answer_a_closed_turn() -> None:
    """A late reply is appended anyway."""
    submit = Games.submit

    async def insisting(self: Games, live: Any, command: Any, **more: Any) -> list[Recorded]:
        try:
            return await submit(self, live, command, **more)
        except Late:
            if not isinstance(command, Reply):
                raise
            reply = ReplyAccepted(seat=command.seat, turn=command.turn, text=command.text)
            drafts = (Draft(reply, live.ruleset.audiences[ReplyAccepted](live.state, reply)),)
            outcome: Outcome | None = None
            while not isinstance(outcome, Appended):
                self.catch_up(live)
                write = Write(live.id, live.length, secrets.token_hex(8), command.at, drafts)
                (outcome,) = await self._commit.commit([write])
            raise

    Games.submit = insisting  # type: ignore[method-assign]


def lose_the_head_update() -> None:
    """Sometimes a game's head is not updated."""
    numbers = itertools.count(1)
    store = sqlite.store

    def forgetful(cursor: Any, decided: decision.Decision, known: decision.ReadResult) -> None:
        if next(numbers) % 20 == 0:
            decided.grown.clear()
        store(cursor, decided, known)

    sqlite.store = forgetful  # type: ignore[attr-defined]


def lose_the_hash_of_the_head() -> None:
    """Sometimes a head grows without its running hash."""
    numbers = itertools.count(1)
    seal = decision.seal  # type: ignore[attr-defined]

    def forgetful(registry: Any, write: Write, secret: bytes, running: bytes) -> Any:
        sealed = seal(registry, write, secret, running)
        return sealed._replace(running=running) if next(numbers) % 20 == 0 else sealed

    decision.seal = forgetful  # type: ignore[attr-defined]


def append_again_when_in_doubt() -> None:
    """An append is repeated under a new ID, as if its outcome were unknown."""
    commit = GroupCommit.commit
    numbers = itertools.count(1)

    async def doubting(self: GroupCommit, writes: Sequence[Write]) -> list[Outcome]:
        outcomes = await commit(self, writes)
        write, outcome = writes[-1], outcomes[-1]
        if isinstance(outcome, Appended) and write.drafts and write.expected and next(numbers) % 20 == 0:
            again = replace(
                write,
                append=secrets.token_hex(8),
                expected=write.expected + len(write.drafts),
                turns=(),
                receipts=(),
                after="",
            )
            await commit(self, [again])
        return outcomes

    GroupCommit.commit = doubting  # type: ignore[method-assign]


def forget_obligations() -> None:
    """The turns that an append opens are stored in a separate transaction, after it."""
    commit = GroupCommit.commit

    async def twice(self: GroupCommit, writes: Sequence[Write]) -> list[Outcome]:
        outcomes = await commit(self, [replace(write, turns=()) for write in writes])
        for number, (write, outcome) in enumerate(zip(writes, outcomes, strict=True)):
            if isinstance(outcome, Appended) and write.turns:
                later = replace(write, drafts=(), stored=(), receipts=(), append=secrets.token_hex(8), after="")
                (outcome_of_turns,) = await commit(self, [later])
                if not isinstance(outcome_of_turns, Appended):
                    outcomes[number] = outcome_of_turns
        return outcomes

    GroupCommit.commit = twice  # type: ignore[method-assign]


def lose_the_end_of_a_call() -> None:
    """Receipts are written after their events, not with them."""
    commit = GroupCommit.commit

    async def later(self: GroupCommit, writes: Sequence[Write]) -> list[Outcome]:
        outcomes = await commit(self, [replace(write, receipts=()) if write.drafts else write for write in writes])
        for write, outcome in zip(writes, outcomes, strict=True):
            if isinstance(outcome, Appended) and write.drafts and write.receipts:
                await asyncio.sleep(0.001)
                await commit(self, [replace(write, drafts=(), turns=(), append=secrets.token_hex(8), after="")])
        return outcomes

    GroupCommit.commit = later  # type: ignore[method-assign]


def answer_by_the_process() -> None:
    """What an agent draws depends on the process that asks it."""
    seat_random = runner.seat_random

    def other(seed: Seed, *given: Any) -> SeatRandom:
        return seat_random(seed.numbered(os.getpid()), *given)

    runner.seat_random = other  # type: ignore[attr-defined]


def believe_the_dead() -> None:
    """A dead worker's lease is waited out."""
    leases.surely_dead = lambda worker: False  # type: ignore[attr-defined]


def write_without_a_transaction() -> None:
    """Every statement of an append is committed separately."""
    store = sqlite.store

    class Loose:
        """A cursor that commits what it has done before it does the next thing."""

        def __init__(self, cursor: Any) -> None:
            self._cursor = cursor

        def __getattr__(self, name: str) -> Any:
            if name in ("execute", "executemany"):
                self._cursor.execute("COMMIT")
                self._cursor.execute("BEGIN IMMEDIATE")
            return getattr(self._cursor, name)

    def loose(cursor: Any, decided: decision.Decision, known: decision.ReadResult) -> None:
        store(Loose(cursor), decided, known)  # type: ignore[arg-type]

    sqlite.store = loose  # type: ignore[attr-defined]


FAULTS: dict[str, Callable[[], None]] = {
    fault.__name__: fault
    for fault in (
        acknowledge_before_the_commit,
        complete_without_the_lease_check,
        answer_a_closed_turn,
        lose_the_head_update,
        lose_the_hash_of_the_head,
        append_again_when_in_doubt,
        forget_obligations,
        lose_the_end_of_a_call,
        answer_by_the_process,
        believe_the_dead,
        write_without_a_transaction,
    )
}

BY_KILLS = tuple(name for name in FAULTS if name not in ("complete_without_the_lease_check", "answer_a_closed_turn"))
"""The faults that kills reveal. The others need two living workers on one turn."""
