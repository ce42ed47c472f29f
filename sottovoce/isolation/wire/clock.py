"""An event loop whose time stops while there is something to do, and jumps to the next timer when there is not.

With it two worlds do everything at comparable times, a heartbeat due in 15 seconds comes at once, and an endless wait
is an immediate error.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

IDLE = 1e-6
"""Seconds after which everything that could be done at a moment has been done."""

PASSED = 1e-7
"""Seconds after a time at which it has certainly passed, in spite of rounding."""


class Stuck(AssertionError):
    """Everything waits, and nothing is due."""


class _Jumping(selectors.DefaultSelector):
    """Passes the seconds on instead of waiting for them."""

    def __init__(self) -> None:
        super().__init__()
        self.jump: Callable[[float], None] = lambda seconds: None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise Stuck("everything waits, and nothing is due")
            if timeout > 0:
                self.jump(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """See the module. For work without sockets. Work for the loop's threads is done at once."""

    def __init__(self) -> None:
        jumping = _Jumping()
        super().__init__(jumping)
        self._now = 1000.0
        jumping.jump = self._jump

    def time(self) -> float:
        """Return the loop's own time in seconds."""
        return self._now

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Call the function now, and return its result or exception."""
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done

    def _jump(self, seconds: float) -> None:
        self._now += seconds + PASSED


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end in such a loop, and cancel what is left over."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


async def idle() -> None:
    """Return once everything that can be done at this moment has been done."""
    await asyncio.sleep(IDLE)
