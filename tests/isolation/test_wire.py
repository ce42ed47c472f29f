"""What a link obtains over HTTP is a function of what its holder may see, to the byte."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest
from sizes import sized

from domain.rulesets import RULESETS
from sottovoce.isolation.wire import compared
from sottovoce.isolation.wire.operations import BESIDE, OPERATIONS

PAIRS = sized(4_000, 200_000)
"""Of each ruleset."""
PARTS = sized(1, 20)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_no_link_obtains_a_difference(ruleset: str, part: int) -> None:
    asked = Counter[str]()
    for pair in islice(compared(ruleset, part), PAIRS // PARTS):
        asked[pair.name] += 1
        assert pair.finding is None, f"{pair.finding}\n  repeat: compared({ruleset!r}, {part})"
    print(", ".join(f"{name} {pairs}" for name, pairs in asked.most_common()))
    assert asked.keys() >= OPERATIONS.keys()
    assert sum(name.startswith("beside ") for name in asked) == len({(method, path) for method, path, _ in BESIDE})
    assert asked["live stream"] > 100
    assert asked["wait for turns"] > 10
