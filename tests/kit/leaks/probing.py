"""Looks for the leaks that probes are to find, as an ordinary run of them does."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path

from leaks import asked, unvisited, withheld
from leaks.asked import ProbeLeak
from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.observe import Finding
from sottovoce.isolation.probes import Coverage, probes
from sottovoce.isolation.system import System

MOST_PROBED: Mapping[str, int] = {"wire": 6_000, "order": 2_500, "agents": 2_500, "commands": 400}
"""The size of an ordinary run, in comparisons by the probes of each kind."""
SEED = 1


def probe_leaks() -> dict[str, ProbeLeak]:
    """Every leak that probes are to find, by name."""
    return {**asked.leaks(), **unvisited.leaks(), **withheld.leaks()}


def looked_for_by_probes(name: str, folder: Path) -> tuple[int, int, Finding | None]:
    """What an ordinary run of probes finds of the leak: after how many pairs, of how many games, and what."""
    leak = probe_leaks()[name]
    number, seen = 0, set[str]()
    system = System(RULESETS[leak.ruleset], patches=leak.patch) if leak.plays else None
    with closing(probes(leak.probes, leak.ruleset, SEED, folder, Coverage(), leak.patch, system)) as pairs:
        for pair in islice(pairs, MOST_PROBED[leak.probes]):
            number += 1
            seen.add(pair.situation.case.game)
            if pair.finding is not None:
                return number, len(seen), pair.finding
    return number, len(seen), None
