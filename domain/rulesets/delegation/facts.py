"""The hidden matters that events carry, in a form in which two events can share them (audit, leak tests)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from domain.events import Event, ReplyAccepted
from domain.reading import plain
from domain.ruleset import Fact
from domain.rulesets.delegation import events

SHORTEST_ITEM = 12
"""Characters: a shorter must-fix item is too common a phrase to tell where it came from."""


def facts(event: Event) -> frozenset[Fact]:
    """What an event tells whoever sees it, beyond that it happened."""
    return frozenset(_facts(event))


def _facts(event: Event) -> Iterable[Fact]:
    match event:
        case events.BriefGiven():
            yield ("brief", event.task_id, event.text)
        case events.MessageSent() if event.message.workflow:
            yield ("sent", event.message.task_id, f"{event.message.action} {event.message.round}")
        case events.ArtifactFiled():
            yield ("file", event.path, event.sha256)
            yield from (("must-fix", event.task_id, item) for item in event.must_fix)
        case events.ArtifactDisclosed():
            yield ("file", event.path, event.sha256)
        case events.StopDecided():
            yield ("decided", event.task_id, event.decision)
        case events.HandoffGuarded():
            yield ("decided", event.task_id, "accept")
        case events.ClosingInstructed():
            yield ("decided", event.task_id, "close")
        case events.WorkRecorded():
            yield ("recorded", event.task_id, event.work)
        case events.TaskHeld():
            yield ("held", event.task_id, event.waiting_for)
        case events.TaskAbandoned():
            yield ("abandoned", event.task_id, event.waiting_for)
        case ReplyAccepted():
            if event.text:
                yield ("said", event.seat, event.text)


def mentions(fact: Fact, text: str) -> bool:
    """Whether a text may give the fact away: it names the task together with what happened to it, or quotes an item."""
    kind, subject, detail = fact
    spoken = plain(text)
    match kind:
        case "must-fix":
            return len(detail) >= SHORTEST_ITEM and plain(detail) in spoken
        case "sent":
            action, _, number = detail.rpartition(" ")
            words = (action, action.replace("_", " "))
            told = number == "final" or re.search(rf"\bround:? {number}\b", spoken) is not None
            return plain(subject) in spoken and any(word in spoken for word in words) and told
        case "file":
            return plain(subject) in spoken and detail[:12] in spoken
        case "decided":
            verbs = {
                "accept": r"\baccepted\b",
                "iterate": r"\banother iteration\b",
                "close": r"\bclose (?:it|the task)\b",
            }
            return plain(subject) in spoken and re.search(verbs[detail], spoken) is not None
        case "recorded":
            verb = r"\bmerged\b" if detail == "merged" else r"\bprogress records? (?:is|are|was|were) updated\b"
            return plain(subject) in spoken and re.search(verb, spoken) is not None
        case "held":
            return plain(subject) in spoken and re.search(r"\bon hold\b", spoken) is not None
        case "abandoned":
            return plain(subject) in spoken and re.search(r"\babandoned\b", spoken) is not None
        case "brief" | "said":
            return len(detail) >= SHORTEST_ITEM and plain(detail) in spoken
    return False
