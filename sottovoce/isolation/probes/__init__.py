"""Probes: ask two worlds with values from the hidden one, in states that games seldom reach, and in any order.

Each probe compares endlessly. A `Coverage` counts what it asked.

    situations  two logs that a seat must not be able to tell apart, in every possible state
    lexicon     values from the hidden part of two worlds, to ask with
    inputs      endpoints and parameters, read from the application, with values for each
    asks, odd   what is sent over HTTP: plainly, with hidden values, and in ways no client would
    canaries    what must never reach a viewer, in any encoding
    coverage    what was asked, what exists, and what is missing
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
"""The probes by name: over HTTP and with tools, in two orders, what agents get, and commands."""


def probes(
    kind: str,
    ruleset: str,
    seed: int,
    folder: Path,
    coverage: Coverage,
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext,
    system: System | None = None,
) -> Generator[Probed]:
    """Yield comparisons by the probes of that kind, endlessly. Commands work in the folder."""
    place = (folder,) if kind == "commands" else ()
    return KINDS[kind](ruleset, seed, *place, coverage, patch, system)
