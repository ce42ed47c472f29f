"""Search for the planted leaks and print how long each took: `make leaks`, or `make leaks ARGS="NAME …"`."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from leaks import LEAKS, Leak
from leaks.files import BYTES, file_leaks, looked_for_on_disk
from leaks.probing import looked_for_by_probes, probe_leaks
from leaks.screens import screen_leaks
from leaks.wire import looked_for_on_the_wire, wire_leaks
from sottovoce.extras import craft_of
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.suite import Tally, run
from sottovoce.isolation.surfaces import compared

MOST_PAIRS = 20_000
"""The size of an ordinary run. A leak must not need the nightly size."""

MOST_GAMES = 45
"""At least this many games give those pairs if only some comparisons are made of each."""

MOST_SCREENS = 300
"""The size of an ordinary run of commands and screens."""


@dataclass(frozen=True, slots=True)
class Search:
    """The search for a leak: what was compared until it was found, if it was."""

    name: str
    ruleset: str
    pairs: int
    games: int
    seconds: float
    finding: Difference | None

    def __str__(self) -> str:
        where = "not found" if self.finding is None else self.finding.how.split(",")[0]
        size = f"{self.pairs:>6} pairs {self.games:>3} games {self.seconds:>6.1f} s"
        return f"{self.name:<46} {self.ruleset:<11} {size}  {where}"


def looked_for(leak: Leak) -> tuple[Tally, Difference | None]:
    """What the suite finds of the leak in an ordinary run."""
    craft = craft_of(leak.system.ruleset.name)
    return run(leak.system, craft, seed=1, pairs=MOST_PAIRS, kinds=leak.kinds, games=MOST_GAMES if leak.kinds else None)


def looked_for_on_screens(name: str, folder: Path) -> Search:
    """Return what an ordinary run of commands and screens finds of the leak."""
    leak, begun = screen_leaks()[name], time.process_time()
    number, seen = 0, set[str]()
    with closing(compared(leak.ruleset, 0, folder, patch=leak.patch)) as pairs:
        for _, case, found in islice(pairs, MOST_SCREENS):
            number += 1
            seen.add(case.game)
            if found is not None:
                break
    return Search(name, leak.ruleset, number, len(seen), time.process_time() - begun, found)


def searches(names: list[str]) -> Iterator[Search]:
    """Search for the leaks with these names, or for all."""
    for leak in LEAKS:
        if not names or leak.name in names:
            begun = time.process_time()
            tally, finding = looked_for(leak)
            seconds = time.process_time() - begun
            games = tally.games + (finding is not None)  # plus the one in which it was found
            yield Search(leak.name, leak.system.ruleset.name, tally.total, games, seconds, finding)
    for name in screen_leaks():
        if not names or name in names:
            with tempfile.TemporaryDirectory() as folder:
                yield looked_for_on_screens(name, Path(folder))
    for name, leaking in file_leaks().items():
        if leaking.shows == BYTES and (not names or name in names):
            begun = time.process_time()
            with tempfile.TemporaryDirectory() as folder:
                pairs, finding = looked_for_on_disk(name, Path(folder))
            yield Search(name, leaking.ruleset, pairs, pairs, time.process_time() - begun, finding)
    for name in wire_leaks():
        if not names or name in names:
            begun = time.process_time()
            pairs, games, finding = looked_for_on_the_wire(name)
            yield Search(name, wire_leaks()[name].ruleset, pairs, games, time.process_time() - begun, finding)
    for name, planted in probe_leaks().items():
        if not names or name in names or planted.probes in names:
            begun = time.process_time()
            with tempfile.TemporaryDirectory() as folder:
                pairs, games, finding = looked_for_by_probes(name, Path(folder), every_kind=True)
            yield Search(name, planted.ruleset, pairs, games, time.process_time() - begun, finding)


def main() -> int:
    """Print the list. Return 1 if any was not found."""
    survived = []
    for number, search in enumerate(searches(sys.argv[1:]), 1):
        print(f"{number:>3}  {search}", flush=True)
        survived += [] if search.finding else [search.name]
    print(f"not found: {', '.join(survived) or 'none'}")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
