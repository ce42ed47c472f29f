"""How long one callback blocks an event loop, by the processor time of its thread, so that other load and other
threads don't count."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Meter:
    """The callbacks of one thread's loop."""

    thread: int
    slow: float
    """Seconds above which a callback is recorded."""
    longest: float = 0.0
    noted: list[tuple[float, str]] = field(default_factory=list)

    def note(self, seconds: float, handle: asyncio.Handle) -> None:
        self.longest = max(self.longest, seconds)
        if seconds > self.slow:
            self.noted.append((seconds, _named(handle)))


@contextmanager
def metered(thread: threading.Thread, slow: float = 0.005) -> Iterator[Meter]:
    """Measure the callbacks of the loop in that thread inside the block. The garbage collector is off meanwhile."""
    assert thread.ident is not None
    meter, run = Meter(thread.ident, slow), asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        if threading.get_ident() != meter.thread:
            run(handle)
            return
        began = time.thread_time()
        run(handle)
        meter.note(time.thread_time() - began, handle)

    asyncio.Handle._run = timed  # type: ignore[method-assign, assignment]
    gc.disable()
    try:
        yield meter
    finally:
        gc.enable()
        asyncio.Handle._run = run  # type: ignore[method-assign]


def _named(handle: asyncio.Handle) -> str:
    """Return whose step a callback was: the task's coroutine and its current line, or the function."""
    callback = getattr(handle, "_callback", None)
    task = getattr(callback, "__self__", None)
    if not isinstance(task, asyncio.Task):
        return str(callback)
    frames = task.get_stack(limit=1)
    where = f" at {frames[-1].f_code.co_filename}:{frames[-1].f_lineno}" if frames else ""
    return f"{task.get_coro()}{where}"
