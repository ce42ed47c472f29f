"""Whether a text may give a hidden matter away (audit, leak tests)."""

from __future__ import annotations

import re

from sottovoce import Fact, plain

SHORTEST_QUOTE = 12
"""Characters: what is shorter is too common a phrase to tell where it came from."""

_SAID_OF_A_TASK = {
    ("decided", "accept"): r"\baccepted\b",
    ("decided", "iterate"): r"\banother iteration\b",
    ("decided", "close"): r"\bclose (?:it|the task)\b",
    ("recorded", "merged"): r"\bmerged\b",
    ("recorded", "progress"): r"\bprogress records? (?:is|are|was|were) updated\b",
    ("held", None): r"\bon hold\b",
    ("abandoned", None): r"\babandoned\b",
}


QUOTED = ("must-fix", "brief", "said")
"""The kinds of facts that a text gives away only in their own words."""


def trace(fact: Fact) -> str:
    """The words without which no text mentions the fact."""
    kind, subject, detail = fact
    return plain(detail if kind in QUOTED else subject)


def mentions(fact: Fact, text: str) -> bool:
    """Whether a text names the task together with what happened to it, or quotes what was written."""
    kind, subject, detail = fact
    spoken = plain(text)
    if kind in QUOTED:
        return len(detail) >= SHORTEST_QUOTE and plain(detail) in spoken
    if plain(subject) not in spoken:
        return False
    if kind == "file":
        return detail[:12] in spoken
    if kind == "sent":
        action, _, number = detail.rpartition(" ")
        told = number == "final" or re.search(rf"\bround:? {number}\b", spoken) is not None
        return told and (action in spoken or action.replace("_", " ") in spoken)
    said = _SAID_OF_A_TASK.get((kind, detail)) or _SAID_OF_A_TASK.get((kind, None))
    return said is not None and re.search(said, spoken) is not None
