"""Measure what steps cost a page's main thread, from a Chromium trace: processor time, hardly affected by other
load."""

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
"""Script with garbage collection, style, layout, and the search below a pointer. The rest is painting."""
TASK = "ThreadControllerImpl::RunTask"


class Spread(NamedTuple):
    """Statistics of some figures, in milliseconds."""

    p50: float
    p95: float
    most: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> Spread:
        """Compute the statistics of at least one figure."""
        ordered = sorted(figures)
        return cls(ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], ordered[-1])


class Steps(NamedTuple):
    """The cost of each step: script, style and layout, and everything the main thread did until the next step."""

    worked: Spread
    whole: Spread


class Traced:
    """Traces a page inside the block. `steps` are those that began with an input event of that type."""

    def __init__(self, browser: Browser, page: Page, began: str) -> None:
        self._browser, self._page, self._began = browser, page, began

    def __enter__(self) -> Traced:
        self._browser.start_tracing(page=self._page, categories=CATEGORIES)
        return self

    def __exit__(self, *exc: object) -> None:
        self._trace = self._browser.stop_tracing()

    @property
    def steps(self) -> Steps:
        """Return what the steps cost, without the first and the last, where something else began or ended."""
        events = [event for event in json.loads(self._trace)["traceEvents"] if event.get("ph") == "X"]
        inputs = [event for event in events if _type(event) == self._began]
        (thread,) = Counter(_thread(event) for event in inputs).most_common(1)
        main = sorted(
            (event for event in events if _thread(event) == thread[0]), key=lambda event: (event["ts"], -event["dur"])
        )
        starts = [event["ts"] for event in main if _type(event) == self._began]
        worked = _sums(starts, [event for event in main if event["name"] in SCRIPT])
        # A task that receives an input started before the input.
        whole = _sums(starts, [event for event in main if event["name"] == TASK], ended=True)
        return Steps(Spread.of(worked), Spread.of(whole))


class Unrest:
    """How much more processor time the same work usually takes than at its fastest: 1 on an idle machine.

    Other load uses the caches, and on a virtual machine half of a core, so it raises even processor time.
    """

    def __init__(self) -> None:
        self._kept = {number: str(number) for number in range(60_000)}
        self._order = random.Random(1).sample(sorted(self._kept), 8_000)
        self._took: list[float] = []

    def sample(self, times: int = 40) -> None:
        """Do the work this many times, with a rest each time."""
        for _ in range(times):
            time.sleep(0.004)
            began = time.thread_time()
            sum(len(self._kept[number]) for number in self._order)
            self._took.append(time.thread_time() - began)

    @property
    def factor(self) -> float:
        """Return the median divided by the minimum."""
        return Spread.of(self._took).p50 / min(self._took)


def _type(event: dict[str, Any]) -> Any:
    return event["args"].get("data", {}).get("type") if event["name"] == "EventDispatch" else None


def _thread(event: dict[str, Any]) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _sums(starts: Sequence[int], events: Sequence[dict[str, Any]], ended: bool = False) -> list[float]:
    """Return milliseconds of processor time in each step, counting only outermost events."""
    sums = [0.0] * (len(starts) + 1)
    until = 0
    for event in events:
        if event["ts"] >= until:
            until = event["ts"] + event["dur"]
            sums[bisect_right(starts, until if ended else event["ts"])] += event.get("tdur", 0) / 1000
    return sums[2:-1]
