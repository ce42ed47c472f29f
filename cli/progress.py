"""How far long work over many games has come, on stderr."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from sottovoce.cli.output import say

if TYPE_CHECKING:
    from rich.progress import Progress

EVERY = 1.0
"""Seconds between looks at what was appended."""

PATIENCE = 5.0
"""Seconds without a line, where there is no terminal, after which there is one all the same."""


class Steps:
    """A bar at a terminal, a line at every tenth elsewhere, nothing if quiet; entered, it takes how many are done.

    Games may take long, and all of them end at once: with `told`, which gives words for what was done so far, it says
    those too, and says something from the first second on.
    """

    def __init__(
        self,
        total: int,
        quiet: bool = False,
        told: Callable[[], str] | None = None,
    ) -> None:
        self._total, self._quiet = total, quiet
        self._more = told
        self._done = self._tenth = 0
        self._silent = 0.0
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._bar: Progress | None = None

    def __enter__(self) -> Callable[[int], None]:
        if self._quiet:
            return lambda done: None
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console(stderr=True)
        if console.is_terminal:
            columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, TextColumn("{task.description}"), console=console)
            self._bar.start()
            self._task = self._bar.add_task("", total=self._total)
        elif self._more is not None:
            self._say()
        if self._more is not None:
            self._thread = threading.Thread(target=self._watch, args=(self._more,), daemon=True)
            self._thread.start()
        return self._report

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._bar is not None:
            self._bar.stop()

    def _report(self, done: int) -> None:
        self._done = done
        if self._bar is not None:
            self._bar.update(self._task, completed=done)
        elif (tenth := done * 10 // self._total) > self._tenth:
            self._tenth = tenth
            self._say()

    def _watch(self, told: Callable[[], str]) -> None:
        while not self._ended.wait(EVERY):
            more = told()
            self._silent += EVERY
            if self._bar is not None:
                self._bar.update(self._task, description=more)
            elif self._silent >= PATIENCE:
                self._say(more)

    def _say(self, more: str = "") -> None:
        self._silent = 0.0
        say(f"{self._done} of {self._total} games{f', {more}' if more else ''}", err=True)
