"""docs/rules states each rule of a session's course once, and every one that a test cites."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "docs" / "rules" / name for name in ("tabletop.md", "campaign-files.md")]
STATED = {page.name: re.findall(r"^- \*\*([TF]-\d{3})\*\* \S", page.read_text("utf-8"), re.MULTILINE) for page in PAGES}
OURS = (*sorted(Path(__file__).parent.glob("test_session_*.py")), ROOT / "tests" / "projections" / "test_sessions.py")


def test_no_page_states_a_rule_twice() -> None:
    for stated in STATED.values():
        assert len(stated) == len(set(stated))


def test_every_rule_that_a_test_of_sessions_cites_is_stated() -> None:
    cited: set[str] = set()
    for path in OURS:
        for marker in re.findall(r"mark\.spec\(([^)]*)\)", path.read_text(encoding="utf-8")):
            cited |= set(re.findall(r"[TF]-\d{3}", marker))
    assert len(cited) > 120
    assert sorted(cited - {rule for stated in STATED.values() for rule in stated}) == []
