"""Measure what the audit costs as a session grows: each question about the same session, after more and more beats.

    python benchmarks/audit.py [--beats 500,1000,2000]

Times are seconds of processor time. The last column divides the time for the longest session by that for the shortest.
If the cost grows with the length, it is the ratio of the lengths: 4 by default.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from endurance import PARTY, long_session  # noqa: E402

from sottovoce.domain.events import Recorded, TurnOpened  # noqa: E402
from sottovoce.domain.rulesets import RULESETS  # noqa: E402
from sottovoce.projections import audit  # noqa: E402
from sottovoce.rulesets.tabletop.rules.messages import MessageSent  # noqa: E402

TABLETOP = RULESETS["tabletop"]
SEAT = PARTY[-1]


class Asked(NamedTuple):
    """A session as the audit reads it: the events of its first beats, and their receipts."""

    recorded: Sequence[Recorded]
    receipts: Sequence[Any]

    def last(self, *kinds: type) -> Recorded:
        return next(item for item in reversed(self.recorded) if isinstance(item.event, kinds))


def leaks(asked: Asked) -> object:
    return audit.leaks(TABLETOP, asked.recorded, asked.receipts)


def saw(asked: Asked) -> object:
    return [entry.to_json() for entry in audit.saw(TABLETOP, asked.recorded, asked.receipts, SEAT)]


def who_saw(asked: Asked) -> object:
    return audit.who_saw(TABLETOP, asked.recorded, asked.receipts, asked.last(MessageSent).position).to_json()


def how(asked: Asked) -> object:
    first = next(item.position for item in asked.recorded if isinstance(item.event, MessageSent))
    return audit.how(TABLETOP, asked.recorded, SEAT, first).to_json()


def prompt(asked: Asked) -> object:
    opened: Any = asked.last(TurnOpened).event
    return audit.prompt(asked.recorded, asked.receipts, opened.seat, opened.turn).to_json()


QUESTIONS: dict[str, Callable[[Asked], object]] = {
    "audit leaks": leaks,
    "audit saw": saw,
    "audit who-saw": who_saw,
    "audit how": how,
    "audit prompt": prompt,
}


def sessions(beats: Sequence[int]) -> list[Asked]:
    """Play one session and cut it after each number of beats."""
    times, live, receipts = asyncio.run(long_session(max(beats)))
    found = []
    for count in beats:
        length, _ = times[count]
        last = live.recorded[length - 1].at
        found.append(Asked(live.recorded[:length], [receipt for receipt in receipts if receipt.at <= last]))
    return found


def cost(question: Callable[[Asked], object], asked: Asked) -> float:
    """Return the seconds of processor time for one question."""
    gc.collect()
    started = time.process_time()
    question(asked)
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--beats", default="500,1000,2000", help="after how many beats to ask, in rising order")
    beats = [int(part) for part in parser.parse_args().beats.split(",")]
    asked = sessions(beats)
    print(f"| seconds after | {' | '.join(f'{count} beats' for count in beats)} | growth |")
    print(f"|---|{'---:|' * (len(beats) + 1)}")
    print(f"| events | {' | '.join(str(len(one.recorded)) for one in asked)} | |")
    for name, question in QUESTIONS.items():
        costs = [cost(question, one) for one in asked]
        print(f"| {name} | {' | '.join(f'{each:.2f}' for each in costs)} | {costs[-1] / costs[0]:.1f} × |", flush=True)


if __name__ == "__main__":
    main()
