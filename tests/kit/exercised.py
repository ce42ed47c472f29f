"""An ordinary run of all probes: what it found, what it exercised and what it missed. `make isolation-report`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from sizes import sized

from sottovoce.cli.main import cli
from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.probes import KINDS, Coverage, probes

PAIRS: Mapping[str, int] = {
    "wire": sized(1_800, 40_000),
    "order": sized(150, 5_000),
    "agents": sized(900, 20_000),
    "commands": sized(110, 3_000),
}
"""Comparisons by the probes of each kind, for each ruleset."""
SEED = 1


def exercised(folder: Path, seed: int = SEED) -> tuple[Coverage, list[Difference]]:
    """What all probes together ask and visit, and what they find."""
    coverage, findings = Coverage(), []
    for ruleset in sorted(RULESETS):
        for kind in KINDS:
            place = folder / f"{ruleset}-{kind}"
            place.mkdir()
            found = probes(kind, ruleset, seed, place, coverage)
            findings += [pair.finding for pair in islice(found, PAIRS[kind]) if pair.finding is not None]
    return coverage, findings


def missing(coverage: Coverage) -> list[str]:
    """Return what was not exercised."""
    return coverage.missing(cli, map(craft_of, sorted(RULESETS)))


def main() -> int:
    """Print the report. Return 1 if anything was found or missed."""
    with tempfile.TemporaryDirectory() as folder:
        coverage, findings = exercised(Path(folder))
    print(coverage.report())
    left = missing(coverage)
    print("\nNot exercised:", *(left or ["nothing"]), sep="\n  ")
    print("\nFound:", *(map(str, findings) if findings else ["nothing"]), sep="\n  ")
    return 1 if left or findings else 0


if __name__ == "__main__":
    sys.exit(main())
