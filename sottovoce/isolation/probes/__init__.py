"""Probes: two worlds asked with values of the hidden one, in states that games seldom come to, and in any order.

Each probe compares without end. What it asked is counted in a `Coverage`.

    situations  two logs that a seat must not be able to tell apart, in every state that there is
    lexicon     what the hidden part of two worlds holds, as values to ask with
    inputs      endpoints and parameters, read from the application, with values for each
    asks, odd   what is sent over HTTP: plainly, with hidden values, and as no client asks
    canaries    what must stand in nothing that a viewer obtains, whatever it is wrapped in
    coverage    what was asked, what there is, and what is missing
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from sottovoce.isolation.probes.agents import served
from sottovoce.isolation.probes.commands import ran
from sottovoce.isolation.probes.coverage import Coverage as Coverage
from sottovoce.isolation.probes.inquiry import Probed as Probed
from sottovoce.isolation.probes.order import ordered
from sottovoce.isolation.probes.wire import probed
from sottovoce.isolation.system import System

KINDS: Mapping[str, Callable[..., Generator[Probed]]] = {
    "wire": probed,
    "order": ordered,
    "agents": served,
    "commands": ran,
}
"""The probes by name: over HTTP and by tools, in two orders, what agents are handed, and commands."""


def probes(
    kind: str,
    ruleset: str,
    seed: int,
    folder: Path,
    coverage: Coverage,
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext,
    system: System | None = None,
) -> Generator[Probed]:
    """Comparison after comparison by the probes of that kind, without end. Commands work in the folder."""
    place = (folder,) if kind == "commands" else ()
    return KINDS[kind](ruleset, seed, *place, coverage, patch, system)
