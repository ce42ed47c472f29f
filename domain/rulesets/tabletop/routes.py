"""Routes: which seat may send what to whom, by which transport, as far as the edition alone decides it."""

from __future__ import annotations

from collections.abc import Sequence

from domain.errors import Refused
from domain.rulesets.tabletop.editions import SIGNAL, Edition, Role, TagRule, Transport


def role_of(seat: str) -> Role:
    """The role of a seat: its own name for the standing seats, `player` for a character's."""
    match seat:
        case "gm" | "team-lead" | "narrator":
            return seat
        case _:
            return "player"


def rule_of(tag: str | None, edition: Edition) -> TagRule | None:
    """The rule of a live tag, the file-mode signal's included; None for informal text."""
    if tag == SIGNAL.tag:
        return SIGNAL
    return edition.tags.get(tag) if tag else None


def check_route(tag: str | None, *, sender: str, transport: Transport, recipient: str | None, edition: Edition) -> None:
    """Refuse a message whose tag, sender, transport and recipient do not go together (T-034, T-035, T-051).

    `tag` is None for informal text, which any seat may send to any other by direct message. `recipient` is None for a
    broadcast. Whether the message fits the moment is not looked at.
    """
    rule = rule_of(tag, edition)
    what = f"A {tag}" if rule else "Informal text"
    if rule and role_of(sender) not in rule.senders:
        raise Refused(f"{what} is sent by {' or '.join(rule.senders)}, not by {sender}; send what is yours to send.")
    if transport == "broadcast":
        if rule is None or not rule.broadcast:
            raise Refused(f"{what} is not broadcast, only a NARRATIVE is; send it as a message to one seat.")
        return
    if rule and transport not in rule.transports:
        raise Refused(f"{what} does not travel by {transport} in the edition {edition.name}; {_instead(rule)}.")
    if recipient is None or recipient in ("human", sender):
        raise Refused(f"{what} needs one other seat as its recipient, not {recipient or 'none'}; name it.")
    if rule and role_of(recipient) not in rule.recipients:
        raise Refused(f"{what} goes to {' or '.join(rule.recipients)}, not to {recipient}; name the right recipient.")


def one_recipient(rule: TagRule) -> str | None:
    """The one seat that a direct message with this tag can go to; None where it can go to several (T-143)."""
    if len(rule.recipients) == 1 and rule.recipients[0] != "player":
        return rule.recipients[0]
    return None


def _instead(rule: TagRule) -> str:
    if rule.transports == ("task",):
        return "write it as an entry of an [AWAIT_PLAYERS]"
    return f"send it as {' or '.join(rule.transports)}"


def addressees(edition: Edition, characters: Sequence[str]) -> tuple[str, ...]:
    """The seats that a message can be addressed to: never the human's (T-009), nor a character's in phase-1 (T-010)."""
    standing = ("gm", "team-lead", "narrator")
    return standing if edition.name == "phase-1" else (*standing, *characters)
