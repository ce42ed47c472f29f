"""How much of what people type house players of Mafia understand: recall and precision by sort.

    python tests/kit/house_english.py

Reads `rulesets/mafia/tests/typed_sentences.txt`: each sentence with its sorts.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sottovoce.rulesets.mafia.house.free_english import SORTS
from sottovoce.rulesets.mafia.house.reading import hear

FILE = Path(__file__).resolve().parents[2] / "rulesets" / "mafia" / "tests" / "typed_sentences.txt"
NAMES = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Greta", "Hugo")


def labelled() -> Iterator[tuple[set[str], str]]:
    """Each sentence with its sorts."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if "|" in line and not line.startswith("#"):
            sorts, _, text = line.partition("|")
            yield {sort.strip() for sort in sorts.split(",") if sort.strip()}, text.strip()


def figures() -> dict[str, tuple[int, int, int]]:
    """By sort, and for all: how many are right, how many were said to be, and how many are."""
    right, said, are = Counter[str](), Counter[str](), Counter[str]()
    for sorts, text in labelled():
        found = hear(text, NAMES).sorts
        right.update(found & sorts)
        said.update(found)
        are.update(sorts)
    table = {sort: (right[sort], said[sort], are[sort]) for sort in SORTS}
    return {**table, "all": (right.total(), said.total(), are.total())}


def main() -> int:
    print("| sort | recall | precision |\n|---|---|---|")
    for sort, (right, said, are) in figures().items():
        print(f"| {sort} | {right / are:.2f} ({right} of {are}) | {right / max(1, said):.2f} ({right} of {said}) |")
    if "--wrong" in sys.argv:
        for sorts, text in labelled():
            found = hear(text, NAMES).sorts
            if found != sorts:
                print(f"  {sorted(sorts)} heard as {sorted(found)}: {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
