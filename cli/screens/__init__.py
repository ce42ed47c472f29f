"""How events look on a terminal: each as the piece that its ruleset makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.console import RenderableType

from domain.events import Event


class Renderer(Protocol):
    """Draws the events of one game in order. It may remember what it drew; it is told nothing else."""

    def draw(self, event: Event) -> Sequence[RenderableType] | None:
        """The blocks to print, none where there is nothing to show; None leaves the event to its piece."""
