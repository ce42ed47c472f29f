"""What follows from events and receipts, held against them and made from them again, in any database (ADR 0056)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sottovoce.eventlog import heads, links, turns
from sottovoce.eventlog.log import Execute, Mended
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.revisions import CONTRADICTIONS, contradiction


def findings(run: Execute, registry: Registry, at: datetime) -> Iterator[str]:
    """Where heads, links and open turns are not what they follow from, each in one line.

    `run` reads one state of the database, so that a game that goes on meanwhile is no finding.
    """
    for kind, statement in CONTRADICTIONS.items():
        yield from (contradiction(kind, *counted) for counted in run(statement))
    yield from heads.findings(run)
    yield from links.findings(run)
    yield from turns.findings(run, registry, at)


def mended(run: Execute, registry: Registry, at: datetime) -> Mended:
    """Make links and open turns what they follow from, in the caller's transaction."""
    return Mended(links.mended(run), turns.mended(run, registry, at))
