"""The process under test: `sottovoce` itself, with a tap on its acknowledgements.

    python -m durability.child zygote          orders on stdin, one JSON object per line; one forked process per order
    python -m durability.child cold ARGS…      one process that imports everything itself

The tap appends to the file SOTTOVOCE_TEST_TAP. What a process has written to a file survives its SIGKILL, so the file
has every acknowledged append, including those of the processes that `run --jobs` starts.

    {"pid"}                                    a process begins
    {"game", "append", "events": [[position, hash], …]}      an acknowledged append
    {"committed": true}                        a transaction that is on the disk
    {"calling": [seat, turn, attempt]}         an agent is about to be asked

SOTTOVOCE_TEST_KILL=POINT:N kills the process the Nth time it passes a point: `begin` (before the transaction),
`inserted` (events inserted), `commit` (before COMMIT), `committed` (before the acknowledgement), `acknowledged`,
`calling` (before the agent is asked). On PostgreSQL events and COMMIT are one message, and `inserted` is a millisecond
after it starts to be sent. SOTTOVOCE_TEST_SLOW=SEAT:TURN:SECONDS makes one turn's call take that long. At
SOTTOVOCE_TEST_STUCK=SEAT:TURN the process stops itself (SIGSTOP) when called. SOTTOVOCE_TEST_LEASE=SECONDS shortens
leases. SOTTOVOCE_TEST_FAULT plants one of `durability.faults` or `durability.far_faults`. SOTTOVOCE_TEST_PAGES=N and
SOTTOVOCE_TEST_FSIZE=BYTES stop the database from growing, like a full disk and a quota. SOTTOVOCE_TEST_USER=nobody
gives up root's rights.
"""

from __future__ import annotations

import asyncio
import ctypes
import importlib
import json
import os
import pkgutil
import pwd
import resource
import signal
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from typing import Any, NoReturn

PREFIX = "SOTTOVOCE_TEST_"
_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Ask the kernel for a SIGKILL when the parent ends, if it can do so, so that no test leaves a process."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Tap:
    """Everything that is patched into the server in a process under test."""

    def __init__(self, wishes: Mapping[str, str]) -> None:
        self._file = os.open(wishes[f"{PREFIX}TAP"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        point, _, number = wishes.get(f"{PREFIX}KILL", "").partition(":")
        self._deadly = (point, int(number)) if number else None
        self._slow = wishes.get(PREFIX + "SLOW", "::0").rsplit(":", 2)
        self._stuck = wishes.get(PREFIX + "STUCK", ":").rsplit(":", 1)
        self._lease = wishes.get(f"{PREFIX}LEASE")
        self._fault = wishes.get(f"{PREFIX}FAULT")
        self._pages = wishes.get(f"{PREFIX}PAGES")
        self._passed: Counter[str] = Counter()
        self._datastore: Any = None

    def say(self, **line: Any) -> None:
        os.write(self._file, json.dumps(line).encode() + b"\n")

    def point(self, name: str, after: float = 0.0) -> None:
        self._passed[name] += 1
        if self._deadly != (name, self._passed[name]):
            return
        if after:
            threading.Timer(after, os.kill, (os.getpid(), signal.SIGKILL)).start()
        else:
            os.kill(os.getpid(), signal.SIGKILL)

    def stand_still(self) -> None:
        """Stop this process between two writes: with the log's lock it would stop all others."""
        with nullcontext() if self._datastore is None else self._datastore._writing:
            os.kill(os.getpid(), signal.SIGSTOP)

    def install(self) -> None:
        from sottovoce.eventlog.log import Appended, Outcome, Write
        from sottovoce.eventlog.postgres import log as postgres
        from sottovoce.eventlog.sqlite import batch
        from sottovoce.eventlog.sqlite.datastore import LogDatastore
        from sottovoce.server import games as server_games
        from sottovoce.server.commit import GroupCommit

        if self._pages:
            self._fill_up(int(self._pages))
        if self._fault:
            from durability.far_faults import FAR_FAULTS
            from durability.faults import FAULTS

            (FAULTS | FAR_FAULTS)[self._fault]()
        if self._lease:
            server_games.Games.__init__.__defaults__ = (server_games.now, timedelta(seconds=float(self._lease)))
        tap = self
        commit, write, insert_rows = GroupCommit.commit, LogDatastore.write, batch.insert_rows
        round_trip = postgres.round_trip

        async def tapped_commit(committer: GroupCommit, given: Sequence[Write]) -> list[Outcome]:
            outcomes = await commit(committer, given)
            for write, outcome in zip(given, outcomes, strict=True):
                if isinstance(outcome, Appended) and outcome.events:
                    events = [[event.position, event.hash.hex()] for event in outcome.events]
                    tap.say(game=write.game, append=outcome.events[0].append, events=events)
                    tap.point("acknowledged")
            return outcomes

        @contextmanager
        def tapped_write(datastore: LogDatastore) -> Iterator[Any]:
            tap._datastore = datastore
            tap.point("begin")
            with write(datastore) as cursor:
                yield cursor
                tap.point("commit")
            tap.say(committed=True)
            tap.point("committed")

        def tapped_insert(cursor: Any, rows: Any) -> None:
            insert_rows(cursor, rows)
            tap.point("inserted")

        def tapped_round_trip(connection: Any, statements: Any) -> Any:
            said = [statement.partition(" ")[0] for statement, _ in statements]
            if "BEGIN" in said:
                tap.point("begin")
            if "COMMIT" not in said:
                return round_trip(connection, statements)
            tap.point("commit")
            # Events and COMMIT are one message; this death comes while it is being sent.
            tap.point("inserted", after=0.001)
            answer = round_trip(connection, statements)
            tap.say(committed=True)
            tap.point("committed")
            return answer

        postgres.round_trip = tapped_round_trip  # type: ignore[assignment]
        GroupCommit.commit = tapped_commit  # type: ignore[method-assign]
        LogDatastore.write = tapped_write  # type: ignore[method-assign]
        batch.insert_rows = tapped_insert
        self._tap_agents()
        self.say(pid=os.getpid())

    def _fill_up(self, pages: int) -> None:
        from sottovoce.eventlog.sqlite import datastore

        make_durable = datastore.make_durable

        def full(writer: Any, path: Any) -> None:
            make_durable(writer, path)
            writer.execute(f"PRAGMA max_page_count = {pages}")

        datastore.make_durable = full  # type: ignore[attr-defined]

    def _tap_agents(self) -> None:
        from sottovoce.agents import kinds

        fill, tap = kinds.agent_for, self

        class Tapped:
            def __init__(self, agent: Any) -> None:
                self.agent = agent
                self.by = agent.by
                self.immediate = getattr(agent, "immediate", False) and not tap._slow[0] and not tap._stuck[0]

            async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
                tap.say(calling=[turn.seat, turn.number, turn.attempt])
                tap.point("calling")
                if tap._slow[:2] == [turn.seat, str(turn.number)]:
                    await asyncio.sleep(float(tap._slow[2]))
                if tap._stuck == [turn.seat, str(turn.number)]:
                    tap._stuck = []
                    tap.stand_still()
                text: str = await self.agent.act(view, turn, random, record)
                return text

        def tapped(spec: str, human: Any) -> Any:
            agent = fill(spec, human)
            return None if agent is None else Tapped(agent)

        for name in ("sottovoce.agents.kinds", "sottovoce.cli.session", "sottovoce.server.pool"):
            module = sys.modules.get(name) or __import__(name, fromlist=["agent_for"])
            module.agent_for = tapped  # type: ignore[attr-defined]


def run(arguments: list[str]) -> int:
    """Run the command line in this process, and return its exit code."""
    if size := os.environ.get(f"{PREFIX}FSIZE"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    if f"{PREFIX}TAP" in os.environ:
        Tap(os.environ).install()
    if user := os.environ.get(f"{PREFIX}USER"):
        _become(user)
    from sottovoce.cli.main import main

    sys.argv = ["sottovoce", *arguments]
    try:
        main()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 1


def _become(user: str) -> None:
    """Give up root's rights."""
    found = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(found.pw_gid)
    os.setuid(found.pw_uid)
    die_with_parent()


def zygote() -> None:
    """Fork one process per order, `{"arguments", "environment", "given", "out", "err"}`.

    Report its process ID, then its end.
    """
    import sqlalchemy
    from sqlalchemy.pool import NullPool

    from sottovoce.domain.rulesets import RULESETS
    from sottovoce.eventlog.registry import default_registry

    # Import everything a child may need, because another user may not be able to read Python's folder.
    for package in map(importlib.import_module, ("cli", "server", "eventlog", "projections", "agents", "domain")):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    default_registry()
    dict(RULESETS)  # reads the rulebooks
    # Loads its driver, which a child without root's rights may not be able to do.
    sqlalchemy.create_engine("sqlite://", poolclass=NullPool).connect().close()
    print(json.dumps({"ready": os.getpid()}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _child(order)
        print(json.dumps({"pid": pid}), flush=True)
        _, status = os.waitpid(pid, 0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status)}), flush=True)


def _child(order: dict[str, Any]) -> NoReturn:
    code = 70
    try:
        die_with_parent()
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, path in ((0, order["given"]), (1, order["out"]), (2, order["err"])):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND
            os.dup2(os.open(path, flags, 0o600), number)
        os.environ.update(order["environment"])
        code = run(order["arguments"])
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


if __name__ == "__mp_main__":
    if f"{PREFIX}TAP" in os.environ:
        Tap(os.environ).install()
elif __name__ == "__main__":
    die_with_parent()
    if sys.argv[1:2] == ["zygote"]:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        zygote()
    else:
        sys.exit(run(sys.argv[2:]))
