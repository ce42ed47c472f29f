"""How events look on a terminal: each as the piece that its ruleset makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from rich.console import RenderableType

from cli.screens.look import Look
from domain.catalogue import Catalogue
from domain.events import Event


class Renderer(Protocol):
    """Draws the events of one game in order. It may remember what it drew; it is told nothing else."""

    def draw(self, event: Event) -> Sequence[RenderableType] | None:
        """The blocks to print, none where there is nothing to show; None leaves the event to its piece."""


def _tabletop() -> Callable[[Look], Renderer]:
    from cli.screens.tabletop import TabletopRenderer

    return TabletopRenderer


RENDERERS: Catalogue[Callable[[Look], Renderer]] = Catalogue({"tabletop": _tabletop})
"""By ruleset name, those whose telling is still plain. All others are shown by the pieces that they tell."""
