"""Whose view of a game a command shows (invariant 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sottovoce.cli.place import find_seat
from sottovoce.projections.perspective import FULL, PUBLIC, Perspective, of_seat

if TYPE_CHECKING:
    from sottovoce.server.live import LiveGame


def perspective(live: LiveGame, seat: str | None, auditor: bool) -> Perspective:
    """A seat's with --as, everything with --auditor; else the public view while the game runs, everything after it."""
    if seat is not None and auditor:
        raise click.UsageError("Use either --as or --auditor, not both")
    if seat is not None:
        return of_seat(find_seat(live, seat))
    return FULL if auditor or live.state.over else PUBLIC
