"""What the closed-words check is to know of what is said and written, and who has access to it (T-063)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.rulesets.tabletop.audience import message as message_audience
from domain.rulesets.tabletop.events import GM, MessageSent
from domain.rulesets.tabletop.state import TabletopState as State


def hear_words(state: State, author: str | None, text: str, readers: Iterable[str]) -> State:
    """Keep what the closed-words check compares with (T-063). Only the full state, which alone has the secret, checks.

    What the GM put to somebody is no secret once a player repeats it.
    """
    if state.seed is None:
        return state
    besides = None if author in (None, GM) else state.prompted
    return state.but(heard=state.heard.adding(text, readers, besides))


def hear_message(state: State, event: MessageSent) -> State:
    """Keep a message's words for that check, or as what the GM asked, where they are no secret."""
    if state.seed is None:
        return state
    text = "\n".join((event.body, *_texts(event.fields)))
    readers = _readers_that_count(state, event)
    if readers is not None:
        return hear_words(state, event.seat, text, readers)
    asks = event.seat == GM and event.tag in ("GM_TO_PLAYER", "AWAIT_PLAYERS")
    return state.but(prompted=state.prompted.adding(text, (GM,))) if asks else state


def _readers_that_count(state: State, event: MessageSent) -> Iterable[str] | None:
    """Who has access to a message's words, where the closed-words check is to know it (T-063); None where it is not.

    Closed to others are secret requests and their answers, vetoes, and talk between two. What is told to all, or to the
    group that a NARRATIVE names, is open to those. The GM's other prompts and the answers to them are no secret: many
    may be told of one scene, and what was answered is about to be narrated.
    """
    audience = message_audience(state, event)
    if audience.seats is None:
        return state.seats
    request = state.requests.get(event.seat)
    match event.tag:
        case "NARRATIVE":
            return audience.seats | set(state.played if event.group is None else event.group)
        case "GM_TO_PLAYER":
            earlier = state.requests.get(event.to or "")
            secret = event.fields["request_type"] == "SECRET_ACTION" or (earlier and earlier.vetoed and earlier.secret)
            return audience.seats if secret else None
        case "PLAYER_TO_GM":
            secret = event.fields["type"] == "VETO" or (request is not None and request.secret)
            return audience.seats if secret else None
        case "PLAYER_TO_PLAYER" | None:
            return audience.seats
        case _:
            return None


def _texts(value: Any) -> list[str]:
    """Every text in a field's value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]
