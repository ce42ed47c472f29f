"""A seat's view, told history, requests and prompts depend on nothing that the seat may not see."""

from __future__ import annotations

import pytest
from sizes import sized

from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation.games import play
from sottovoce.isolation.suite import Tally, run
from sottovoce.isolation.system import System

PAIRS = sized(20_000, 1_000_000) // len(RULESETS)
"""For each ruleset its share, so that another ruleset makes no longer a night."""
PARTS = sized(8, 40)


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
    """The kit states from the spec alone who may see what; the product's own table must say the same."""
    for seed in range(sized(30, 600) // len(RULESETS)):
        played = play(System(RULESETS[ruleset]), craft_of(ruleset), 5_000_000 + seed)
        for item, seats in zip(played.log, played.audiences, strict=True):
            assert item.audience.seats == seats, f"game {seed}, position {item.position}: {item.name}"


def report(tally: Tally) -> str:
    kinds = ", ".join(f"{kind} {pairs}" for kind, pairs in tally.pairs.most_common())
    return f"{tally.total} pairs from {tally.games} games ({kinds}); discarded {dict(tally.discarded)}"
