"""docs/rules/campaign-files.md agrees with the code."""

from __future__ import annotations

import re
from pathlib import Path

from sottovoce.rulesets.tabletop.rules.resources import KINDS

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "campaign-files.md").read_text(encoding="utf-8")


def test_every_resource_is_named() -> None:
    words = " ".join(PAGE.split()).replace("death saves", "death save")
    for name in KINDS:
        first = re.sub(r"-[0-9]$", "", name).removesuffix("-successes").removesuffix("-failures").replace("-", " ")
        assert first in words.lower(), name
