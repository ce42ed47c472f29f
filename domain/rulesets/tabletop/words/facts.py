"""The matters that events carry, in a form in which two events can share them (audit, leak tests)."""

from __future__ import annotations

from collections.abc import Iterable

from domain.events import Event, ReplyAccepted
from domain.reading import plain
from domain.ruleset import Fact
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.messages import MessageSent

SHORTEST = 24
"""A text shorter than this is too common to give anything away."""


def facts(event: Event) -> frozenset[Fact]:
    """What an event tells whoever sees it, beyond that it happened."""
    return frozenset(_facts(event))


def _facts(event: Event) -> Iterable[Fact]:
    match event:
        case MessageSent():
            if event.body:
                yield ("said", event.seat, event.body)
            yield from (("said", event.seat, value) for value in event.fields.values() if isinstance(value, str))
        case events.ChatSaid():
            yield ("said", event.seat, event.text)
        case events.PieceWritten():
            yield from (("written", event.document, line) for line in event.text.splitlines() if line.strip())
        case events.DiceRolled():
            yield ("rolled", event.character, event.roll)
        case events.ActionAsked():
            yield ("asked", event.character, event.request)
        case ReplyAccepted():
            if event.text:
                yield ("said", event.seat, event.text)


def mentions(fact: Fact, text: str) -> bool:
    """Whether a text may give the fact away: it holds its words, if they are no common ones."""
    words = plain(fact[2])
    return len(words) >= SHORTEST and words in plain(text)
