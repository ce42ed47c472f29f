"""A seat's view, pieces, requests and prompts don't depend on anything that the seat must not see."""

from __future__ import annotations

import pytest
from sizes import sized

from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation.games import play
from sottovoce.isolation.suite import Tally, run
from sottovoce.isolation.system import System

PAIRS = sized(9_000, 1_000_000) // len(RULESETS)
"""Pairs for each ruleset, so that another ruleset does not make the night longer."""
PARTS = sized(4, 40)


@pytest.mark.spec("M-011", "M-013", "M-015", "M-023", "M-024", "M-033", "M-083", "D-021", "D-022", "D-060")
@pytest.mark.spec("T-036", "T-039", "T-059", "T-124", "F-005", "F-007", "F-060")
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_no_seat_notices_what_it_may_not_see(ruleset: str, part: int) -> None:
    tally, finding = run(System(RULESETS[ruleset]), craft_of(ruleset), seed=part, pairs=-(-PAIRS // PARTS))
    print(report(tally))
    assert finding is None, finding
    again, discarded = tally.twins["redeal"] + tally.twins["order"], tally.discarded.total()
    assert discarded <= max(2, 0.12 * again), f"too many games could not be dealt again: {tally.discarded}"


@pytest.mark.spec("M-102", "M-108", "D-021", "D-022", "D-060")
@pytest.mark.spec("T-036", "T-037", "T-038", "T-040", "T-047", "T-048", "T-050", "T-072", "T-073", "T-075", "T-078")
@pytest.mark.spec("T-081", "T-083", "T-087", "T-090", "T-092", "T-096", "T-098", "T-104", "T-107", "T-111", "T-113")
@pytest.mark.spec("T-115", "T-119", "T-122", "T-127", "T-144", "T-151", "T-166", "F-005", "F-006", "F-007", "F-008")
@pytest.mark.spec("F-009", "F-010", "F-011", "F-012", "F-013", "F-014", "F-026", "F-060", "F-061")
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_every_event_goes_to_whom_the_spec_names(ruleset: str) -> None:
    """The kit says who can see what, from the spec only. The product's own table must agree."""
    for seed in range(sized(18, 600) // len(RULESETS)):
        played = play(System(RULESETS[ruleset]), craft_of(ruleset), 5_000_000 + seed)
        for item, seats in zip(played.log, played.audiences, strict=True):
            assert item.audience.seats == seats, f"game {seed}, position {item.position}: {item.name}"


def report(tally: Tally) -> str:
    kinds = ", ".join(f"{kind} {pairs}" for kind, pairs in tally.pairs.most_common())
    return f"{tally.total} pairs from {tally.games} games ({kinds}); discarded {dict(tally.discarded)}"
