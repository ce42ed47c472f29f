"""docs/rules/campaign-files.md states each rule on documents once."""

from __future__ import annotations

import re
from pathlib import Path

from domain.rulesets.tabletop.resources import KINDS

HERE = Path(__file__).parent
PAGE = (HERE.parents[2] / "docs" / "rules" / "campaign-files.md").read_text(encoding="utf-8")
STATED = re.findall(r"^- \*\*([TF]-\d{3})\*\* \S", PAGE, re.MULTILINE)
ELSEWHERE = {"T-011", "T-012"}
"""Cited here too, and stated on the page of the message protocol."""


def test_no_rule_is_stated_twice() -> None:
    assert len(STATED) == len(set(STATED))


def test_the_rules_that_are_stated_are_those_that_tests_cite() -> None:
    files = [*HERE.glob("test_documents_*.py"), HERE / "test_names.py", HERE / "test_closed_words.py"]
    files.append(HERE.parents[1] / "server" / "test_campaign.py")
    markers = [marker for path in files for marker in re.findall(r"mark\.spec\(([^)]*)\)", path.read_text("utf-8"))]
    cited = {rule for marker in markers for rule in re.findall(r"[TF]-\d{3}", marker)}
    assert cited - ELSEWHERE == set(STATED)


def test_every_resource_is_named() -> None:
    words = " ".join(PAGE.split()).replace("death saves", "death save")
    for name in KINDS:
        first = re.sub(r"-[0-9]$", "", name).removesuffix("-successes").removesuffix("-failures").replace("-", " ")
        assert first in words.lower(), name
