"""What the audit looks for in one ruleset's games beyond what it looks for in all of them.

An examiner is given the whole log and yields what it found, each as `(kind, severity, what, position, seats)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from domain.events import Recorded
from domain.rulesets.delegation import events
from projections.examined import Examined
from projections.sessions import session_notes

Examiner = Callable[[Sequence[Recorded]], Iterator[Examined]]


def unanswered_rounds(recorded: Sequence[Recorded]) -> Iterator[Examined]:
    """Review requests that no reviewer has answered (D-033)."""
    asked: dict[tuple[str, object], tuple[int, str]] = {}
    for item in recorded:
        if not isinstance(item.event, events.MessageSent):
            continue
        message = item.event.message
        key = (message.task_id, message.round)
        if message.action == "review_requested":
            asked[key] = (item.position, message.to_session_id)
        elif message.action in ("rework_required", "stop_recommended"):
            asked.pop(key, None)
    for (task_id, round_), (position, reviewer) in asked.items():
        what = f"Round {round_} of {task_id} has no answer; {reviewer} owes it."
        yield Examined("round unanswered", "note", what, position, (reviewer,))


EXAMINERS: Mapping[str, Examiner] = {"delegation": unanswered_rounds, "tabletop": session_notes}
"""The examiner of each ruleset that has one, by the ruleset's name."""
