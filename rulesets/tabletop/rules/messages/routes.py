"""Routes: which seat may send what to whom, by which transport, as far as the edition alone decides it."""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce import Refused
from sottovoce.rulesets.tabletop.rules.messages.editions import Edition
from sottovoce.rulesets.tabletop.rules.messages.tag import Role, Route, Transport
from sottovoce.rulesets.tabletop.rules.names import STANDING


def role_of(seat: str) -> Role:
    """The role of a seat: its own name for the standing seats, `player` for a character's."""
    match seat:
        case "gm" | "team-lead" | "narrator":
            return seat
        case _:
            return "player"


def check_route(tag: str | None, *, sender: str, transport: Transport, recipient: str | None, edition: Edition) -> None:
    """Refuse a message whose tag, sender, transport and recipient do not go together (T-034, T-035, T-051).

    `tag` is None for informal text, which any seat may send to any other by direct message. `recipient` is None for a
    broadcast. Whether the message fits the moment is not looked at.
    """
    kind = edition.live(tag)
    route = kind.route if kind else None
    what = f"A {tag}" if route else "Informal text"
    if route and role_of(sender) not in route.senders:
        raise Refused(f"{what} is sent by {' or '.join(route.senders)}, not by {sender}; send only your own messages.")
    if transport == "broadcast":
        if route is None or not route.broadcast:
            raise Refused(f"{what} is not broadcast, only a NARRATIVE is; send it as a message to one seat.")
        return
    if route and transport not in route.transports:
        raise Refused(f"{what} does not travel by {transport} in the edition {edition.name}; {_instead(route)}.")
    if recipient is None or recipient in ("human", sender):
        raise Refused(f"{what} needs one other seat as its recipient, not {recipient or 'none'}; name it.")
    if route and role_of(recipient) not in route.recipients:
        raise Refused(f"{what} goes to {' or '.join(route.recipients)}, not to {recipient}; name the right recipient.")


def one_recipient(route: Route) -> str | None:
    """The one seat that a direct message with such a tag can go to; None where it can go to several (T-143)."""
    if len(route.recipients) == 1 and route.recipients[0] != "player":
        return route.recipients[0]
    return None


def _instead(route: Route) -> str:
    if route.transports == ("task",):
        return "write it as an entry of an [AWAIT_PLAYERS]"
    return f"send it as {' or '.join(route.transports)}"


def addressees(edition: Edition, characters: Sequence[str]) -> tuple[str, ...]:
    """The seats that a message can be addressed to: never the human's (T-009), nor a character's in phase-1 (T-010)."""
    return STANDING if edition.name == "phase-1" else (*STANDING, *characters)
