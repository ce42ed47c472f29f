"""The example rulesets stay short."""

from __future__ import annotations

import pytest
from code_lines import code_lines
from guests import EXAMPLES

LIMITS = {"guessing": 90, "resistance": 152, "liars-dice": 200}
"""Lines of code that the rules of an example can have."""


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()))
def test_the_rules_of_an_example_are_short(name: str) -> None:
    lines = code_lines(EXAMPLES / name / f"{name.replace('-', '_')}.py")
    assert 50 < lines <= LIMITS[name]
