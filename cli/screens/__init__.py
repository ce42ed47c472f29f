"""How each ruleset's events look on a terminal, and the one explicit list of renderers."""

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
        """The blocks to print, none where there is nothing to show; None leaves the event to the plain telling."""


def _mafia() -> Callable[[Look], Renderer]:
    from cli.screens.mafia import MafiaRenderer

    return MafiaRenderer


def _tabletop() -> Callable[[Look], Renderer]:
    from cli.screens.tabletop import TabletopRenderer

    return TabletopRenderer


def _delegation() -> Callable[[Look], Renderer]:
    from cli.screens.delegation import DelegationRenderer

    return DelegationRenderer


RENDERERS: Catalogue[Callable[[Look], Renderer]] = Catalogue(
    {"mafia": _mafia, "tabletop": _tabletop, "delegation": _delegation}
)
"""By ruleset name. A ruleset without one is shown in its own plain words."""
