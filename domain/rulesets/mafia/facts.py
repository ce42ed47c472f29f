"""The hidden matters that events carry, in a form in which two events can share them (audit, leak tests)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from domain.events import Event, ReplyAccepted
from domain.reading import named, plain
from domain.ruleset import Fact
from domain.rulesets.mafia import events


def facts(event: Event) -> frozenset[Fact]:
    """What an event tells whoever sees it, beyond that it happened."""
    return frozenset(_facts(event))


def _facts(event: Event) -> Iterable[Fact]:
    match event:
        case events.RoleDealt() | events.RoleRevealed():
            yield ("role", event.player, event.role)
        case events.MafiaIntroduced():
            yield from (("role", member, "Mafia") for member in event.members)
        case events.PlayerProtected():
            yield ("protected", event.target, str(event.night))
        case events.PlayerInvestigated():
            yield ("investigated", event.target, str(event.night))
            yield ("role", event.target, event.role)
        case events.MafiaWhispered():
            if event.text is not None:
                yield ("said", event.player, event.text)
        case events.BidsClosed():
            yield from (("voted", player, str(bid)) for player, bid in event.bids.items())
        case events.MafiaBallotClosed():
            yield from (("voted", voter, choice) for voter, choice in event.votes.items())
            if event.target is not None:
                yield ("targeted", event.target, str(event.night))
        case events.NightResolved():
            yield ("targeted", event.target, str(event.night))
            if event.protected is not None:
                yield ("protected", event.protected, str(event.night))
        case events.SecondingClosed() | events.TrialClosed() | events.ExecutionVoteClosed():
            yield from (("voted", voter, choice) for voter, choice in event.votes.items())
        case events.GameEnded():
            yield from (("role", player, role) for player, role in event.roles.items())
        case events.RepliesHeard():
            yield from (("said", player, text) for player, text in event.replies.items())
        case ReplyAccepted():
            if event.choice is not None:
                yield ("voted", event.seat, event.choice)
            if event.text:
                yield ("said", event.seat, event.text)


def mentions(fact: Fact, text: str) -> bool:
    """Whether a text may give the fact away: it names the player together with the role or the deed."""
    kind, player, detail = fact
    spoken = plain(text)
    match kind:
        case "role":
            return bool(named(text, [player])) and re.search(rf"\b{plain(detail)}\b", spoken) is not None
        case "protected":
            return bool(named(text, [player])) and re.search(r"\b(?:protect|sav|guard|heal|shield)", spoken) is not None
        case "investigated":
            return bool(named(text, [player])) and re.search(r"\b(?:investigat|examin)", spoken) is not None
        case "targeted":
            return bool(named(text, [player])) and re.search(r"\b(?:kill|target|murder)", spoken) is not None
        case "said":
            return len(detail) > 12 and plain(detail) in spoken
    return bool(named(text, [player])) and bool(named(text, [detail]))
