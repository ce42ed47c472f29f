"""What `show` adds for a ruleset that keeps a board.

A board is made from a perspective's own lines and from the state folded from them, like everything that it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from domain.catalogue import Catalogue
from projections.perspective import Line
from projections.transcripts.shape import Grid

Board = Callable[[Sequence[Line], Any], Grid | None]


def _tasks() -> Board:
    from projections.task_board import tasks

    return tasks


BOARDS: Catalogue[Board] = Catalogue({"delegation": _tasks})
"""The board of each ruleset that keeps one, by the ruleset's name."""
