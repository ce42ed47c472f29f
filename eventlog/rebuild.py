"""Check and rebuild what follows from events and receipts, in any database (ADR 0056)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sottovoce.eventlog import heads, links, turns
from sottovoce.eventlog.log import Execute, Mended
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.revisions import CONTRADICTIONS, contradiction


def findings(run: Execute, registry: Registry, at: datetime) -> Iterator[str]:
    """Return where heads, links and open turns do not match their events and receipts, one line each.

    `run` reads one state of the database, so a game in progress is not reported.
    """
    for kind, statement in CONTRADICTIONS.items():
        yield from (contradiction(kind, *counted) for counted in run(statement))
    yield from heads.findings(run)
    yield from links.findings(run)
    yield from turns.findings(run, registry, at)


def mended(run: Execute, registry: Registry, at: datetime) -> Mended:
    """Rebuild links and open turns from their receipts and events, in the caller's transaction."""
    return Mended(links.mended(run), turns.mended(run, registry, at))
