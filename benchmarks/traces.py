"""What steps cost a page's main thread, by a trace of Chromium: processor time, to which others' load adds little."""

from __future__ import annotations

import json
import random
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

CATEGORIES = ["devtools.timeline", "toplevel"]
SCRIPT = frozenset(
    "EventDispatch FunctionCall TimerFire FireAnimationFrame FireIdleCallback RunMicrotasks EvaluateScript "
    "BlinkScheduler_PerformMicrotaskCheckpoint MinorGC MajorGC HitTest UpdateLayoutTree Layout".split()
)
"""Script with what it collects, style, layout, and what is found below a pointer; the rest is painting."""
TASK = "ThreadControllerImpl::RunTask"


class Spread(NamedTuple):
    """Of many figures, in milliseconds."""

    p50: float
    p95: float
    most: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> Spread:
        """Of at least one."""
        ordered = sorted(figures)
        return cls(ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], ordered[-1])


class Steps(NamedTuple):
    """What each step cost: in script, style and layout, and in all that the main thread did until the next."""

    worked: Spread
    whole: Spread


class Traced:
    """Traces a page while the block lasts; `steps` are then those that began with an input event of that type."""

    def __init__(self, browser: Browser, page: Page, began: str) -> None:
        self._browser, self._page, self._began = browser, page, began

    def __enter__(self) -> Traced:
        self._browser.start_tracing(page=self._page, categories=CATEGORIES)
        return self

    def __exit__(self, *exc: object) -> None:
        self._trace = self._browser.stop_tracing()

    @property
    def steps(self) -> Steps:
        """What the steps cost; the first and the last are left out, since something else began or ended there."""
        events = [event for event in json.loads(self._trace)["traceEvents"] if event.get("ph") == "X"]
        inputs = [event for event in events if _type(event) == self._began]
        (thread,) = Counter(_thread(event) for event in inputs).most_common(1)
        main = sorted(
            (event for event in events if _thread(event) == thread[0]), key=lambda event: (event["ts"], -event["dur"])
        )
        starts = [event["ts"] for event in main if _type(event) == self._began]
        worked = _sums(starts, [event for event in main if event["name"] in SCRIPT])
        # A task in which an input comes has begun before it.
        whole = _sums(starts, [event for event in main if event["name"] == TASK], ended=True)
        return Steps(Spread.of(worked), Spread.of(whole))


class Unrest:
    """How much processor time the same work takes at most times, against its least: 1 where nobody else is at work.

    Others take the caches away, and on a virtual machine half of a core, so that even processor time grows beside them.
    """

    def __init__(self) -> None:
        self._kept = {number: str(number) for number in range(60_000)}
        self._order = random.Random(1).sample(sorted(self._kept), 8_000)
        self._took: list[float] = []

    def sample(self, times: int = 40) -> None:
        """Do the work so often, with a rest each time."""
        for _ in range(times):
            time.sleep(0.004)
            began = time.thread_time()
            sum(len(self._kept[number]) for number in self._order)
            self._took.append(time.thread_time() - began)

    @property
    def factor(self) -> float:
        """The median by the least."""
        return Spread.of(self._took).p50 / min(self._took)


def _type(event: dict[str, Any]) -> Any:
    return event["args"].get("data", {}).get("type") if event["name"] == "EventDispatch" else None


def _thread(event: dict[str, Any]) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _sums(starts: Sequence[int], events: Sequence[dict[str, Any]], ended: bool = False) -> list[float]:
    """Milliseconds of processor time in each step, of those events that lie in no other."""
    sums = [0.0] * (len(starts) + 1)
    until = 0
    for event in events:
        if event["ts"] >= until:
            until = event["ts"] + event["dur"]
            sums[bisect_right(starts, until if ended else event["ts"])] += event.get("tdur", 0) / 1000
    return sums[2:-1]
