"""Where the agents of a game run, and what the server finds there before it decides on what they say.

`workplace` is the one place that says, for a game, a seat and what it is asked, in which folder its agent runs.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import msgspec

from sottovoce.agents.programs.process import AFTERLIFE, LATE
from sottovoce.domain.commands import Command, Reply, Say
from sottovoce.domain.events import GameForked
from sottovoce.domain.turns import Turn
from sottovoce.server.extras import EXTRAS, Site, Workspaces
from sottovoce.server.live import LiveGame

T = TypeVar("T")
C = TypeVar("C", bound=Command)

AT_ONCE = 32
"""Threads that look at disks and wait for programs, in all games of this process together."""


async def workplace(live: LiveGame, turn: Turn) -> Path | None:
    """The folder in which the agent of an open turn runs; it is made if it is not there, which takes no time of the
    turn. None where the rules say nothing of it.

    Raises SottovoceError where it cannot be made.
    """
    found = workspaces(live)
    if found is None:
        return None
    with live.clock_stopped((turn.seat, turn.number)):
        return await _aside(lambda stop: found.place(site_of(live), live.state, turn, stop))


async def programs_ended(live: LiveGame) -> None:
    """Wait until the programs of a worker that died have ended, where those that are asked next work in the same
    folders.
    """
    if workspaces(live) is not None:
        await asyncio.sleep(AFTERLIFE + LATE)


async def with_evidence(live: LiveGame, command: C) -> C:
    """The command with what the server finds for its text, such as the code of a review request (D-065).

    Checks may take minutes. The time of the seat's turns does not run meanwhile.
    """
    if not isinstance(command, Reply | Say) or command.evidence is not None:
        return command
    found = workspaces(live)
    if found is None:
        return command
    state = live.state
    with live.clock_stopped(*(key for key in state.turns if key[0] == command.seat)):
        evidence = await _aside(lambda stop: found.find(site_of(live), state, command, stop))
    return command if evidence is None else msgspec.structs.replace(command, evidence=evidence)


def workspaces(live: LiveGame) -> Workspaces | None:
    """What the ruleset says of folders in which agents run; None where this game has no folder."""
    if live.ruleset.folder(live.state) is None:
        return None
    return _made(live.ruleset.name)


def site_of(live: LiveGame) -> Site:
    """Which game it is, for what lies on the disk."""
    return Site(live.id, any(isinstance(item.event, GameForked) for item in live.recorded))


@lru_cache(maxsize=64)
def _made(ruleset: str) -> Workspaces | None:
    make = EXTRAS.of(ruleset).workspaces
    return None if make is None else make()


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AT_ONCE, thread_name_prefix="sottovoce-work")


async def _aside(function: Callable[[threading.Event], T]) -> T:
    """What a function gives that may take long; it is told to stop when nobody waits for it any longer."""
    stop = threading.Event()
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads(), function, stop)
    except asyncio.CancelledError:
        stop.set()
        raise
