"""Search for the leaks that probes must find, like an ordinary run of the probes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path

from leaks import asked, later, unvisited, withheld
from leaks.asked import ProbeLeak
from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.probes import Coverage, probes
from sottovoce.isolation.system import System

MOST_PROBED: Mapping[str, int] = {"wire": 10_000, "order": 2_500, "agents": 2_500, "commands": 400}
"""The size of an ordinary run, in comparisons by the probes of each kind."""
SEED = 1


def probe_leaks() -> dict[str, ProbeLeak]:
    """Every leak that probes are to find, by name."""
    return {**asked.leaks(), **unvisited.leaks(), **withheld.leaks(), **later.leaks()}


def looked_for_by_probes(name: str, folder: Path, *, every_kind: bool = False) -> tuple[int, int, Difference | None]:
    """What an ordinary run of probes finds of the leak: after how many pairs, of how many games, and what. Only the
    probes of its kind look for it, or with `every_kind` the others after them.
    """
    leak = probe_leaks()[name]
    number, seen = 0, set[str]()
    system = System(RULESETS[leak.ruleset], patches=leak.patch) if leak.plays else None
    kinds = [leak.probes, *(kind for kind in MOST_PROBED if kind != leak.probes and every_kind)]
    for kind in kinds:
        place = folder / kind
        place.mkdir()
        with closing(probes(kind, leak.ruleset, SEED, place, Coverage(), leak.patch, system)) as pairs:
            for pair in islice(pairs, MOST_PROBED[kind]):
                number += 1
                seen.add(pair.situation.case.game)
                if pair.finding is not None:
                    return number, len(seen), pair.finding
    return number, len(seen), None
