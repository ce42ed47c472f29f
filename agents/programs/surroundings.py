"""What a program is told of its call in its environment, and what it is seen to do while it runs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sottovoce.agents.agent import Assignment
from sottovoce.agents.programs.reports import LONGEST_STEP, step_in
from sottovoce.domain.safe_text import one_line

PREFIX = "SOTTOVOCE_"
MOST_STEPS = 200
_PLACEHOLDER = re.compile(r"\{(game|seat|task|round|workspace)\}")


def variables(assignment: Assignment, seat: str, workspace: Path) -> dict[str, str]:
    """The variables of a program's environment that say what its call is for; empty where there is nothing to say."""
    round_ = "" if assignment.round is None else str(assignment.round)
    told = {"game": assignment.game, "seat": seat, "task": assignment.about or "", "round": round_}
    return {f"{PREFIX}{name.upper()}": value for name, value in {**told, "workspace": str(workspace)}.items()}


def filled(word: str, told: Mapping[str, str]) -> str:
    """A word of a command with `{game}`, `{seat}`, `{task}`, `{round}` and `{workspace}` filled in."""
    return _PLACEHOLDER.sub(lambda found: told[f"{PREFIX}{found[1].upper()}"], word)


class Steps:
    """What a program is seen to do: by its stream, or else by its last line on standard error.

    `lines` are those of its standard output that came whole.
    """

    def __init__(self, doing: Callable[[str], None], cleaned: Callable[[str], str]) -> None:
        self.told: list[list[float | str]] = []
        self.lines: list[str] = []
        self._doing = doing
        self._cleaned = cleaned
        self._began = time.monotonic()
        self._streams = False

    def hear(self, line: str, error: bool) -> None:
        """Take a line of its output."""
        if not error:
            self.lines.append(line)
        step = "" if error else step_in(line)
        self._streams = self._streams or bool(step)
        if error and not self._streams:
            step = line
        step = one_line(self._cleaned(step))[:LONGEST_STEP]
        if not step or (self.told and self.told[-1][1] == step):
            return
        if len(self.told) == MOST_STEPS:
            self.told.pop()
        self.told.append([round(time.monotonic() - self._began, 1), step])
        self._doing(step)
