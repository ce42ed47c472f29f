"""The one event that every message of the protocol is stored as; what it means is said by its tag's class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sottovoce import Audience, Chair, Event, Piece, named_in, those
from sottovoce.rulesets.tabletop.rules.messages.editions import ANY_EDITION, EDITIONS
from sottovoce.rulesets.tabletop.rules.messages.tag import Tag
from sottovoce.rulesets.tabletop.rules.names import GM
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State

_KINDS = {name: edition.known for name, edition in EDITIONS.items()}


@those
def _as_its_tag_says(state: State, event: MessageSent) -> Audience:
    """those that its tag says"""
    return event.typed(state.edition_name).audience(state)


class MessageSent(Event[State], name="tabletop.message-sent.v1", seen_by=_as_its_tag_says, by=named_in("seat")):
    """A message was accepted. `tag` is None for informal text; `to` is None for a broadcast.

    `group` are the characters that a NARRATIVE speaks to while the party is split, by its group note, and `label` what
    the note calls them. `fallback` marks one that the server sent because nobody else did.
    """

    seat: str
    to: str | None
    tag: str | None
    fields: dict[str, Any] = {}
    undefined: tuple[str, ...] = ()
    body: str = ""
    group: tuple[str, ...] | None = None
    label: str | None = None
    fallback: bool = False

    example = {"seat": GM, "to": None, "tag": "NARRATIVE", "body": "Rain drums on the ferry's roof."}

    def typed(self, edition: str | None = None) -> Tag:
        """The message as an object of its tag's class in that edition; with None in any, which is told alike."""
        kind = (_KINDS[edition] if edition else ANY_EDITION).get(self.tag or "", Tag)
        return kind(self.fields, self.body, self.seat, self.to, self.group, self.label, self.fallback)

    def tell(self, chair: Chair) -> Piece:
        return self.typed().tell(chair)

    def fold(self, state: State) -> State:
        """Its words are kept for the closed-words check, then its tag says what it changes."""
        message = self.typed(state.edition_name)
        if state.seed is not None:
            state = _heard(state, self, message)
        if self.seat == GM:
            state = state.but(gm_turn=replace(state.gm_turn, accepted=state.gm_turn.accepted + 1))
        return message.fold(state)

    def facts(self) -> frozenset[tuple[str, ...]]:
        texts = [self.body, *(value for value in self.fields.values() if isinstance(value, str))]
        return frozenset(("said", self.seat, text) for text in texts if text)


def _heard(state: State, event: MessageSent, message: Tag) -> State:
    """Keep a message's words for that check, or as what the GM asked, where they are no secret."""
    seats = message.audience(state).seats
    readers = state.seats if seats is None else message.open_to(state, seats)
    asks = event.seat == GM and message.asks_a_player
    if readers is None and not asks:
        return state
    text = "\n".join((event.body, *_texts(event.fields)))
    if readers is not None:
        return state.with_words(event.seat, text, readers)
    return state.but(prompted=state.prompted.adding(text, (GM,)))


def _texts(value: Any) -> Iterable[str]:
    """Every text in a field's value."""
    if isinstance(value, str):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for item in inner:
        yield from _texts(item)
