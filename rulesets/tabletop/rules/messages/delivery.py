"""Whether a message may be sent as things stand, and what follows from it at once.

`send` is the only way in for every message of every seat, the server's own clerk included: routing first (who may send
this tag to whom, and how), then what the tag itself demands, then the fact, then its effects.
"""

from __future__ import annotations

import re

from sottovoce import Refused
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.messages.editions import edition_of
from sottovoce.rulesets.tabletop.rules.messages.items import Place, Send
from sottovoce.rulesets.tabletop.rules.messages.message import Message, parse
from sottovoce.rulesets.tabletop.rules.messages.narration import Narrative
from sottovoce.rulesets.tabletop.rules.messages.requests import PlayerToGm
from sottovoce.rulesets.tabletop.rules.messages.routes import addressees, check_route
from sottovoce.rulesets.tabletop.rules.messages.sent import MessageSent
from sottovoce.rulesets.tabletop.rules.messages.tag import Tag, Transport
from sottovoce.rulesets.tabletop.rules.names import HUMAN, STANDING, full_name, is_slug
from sottovoce.rulesets.tabletop.rules.state import Game, TabletopState


def send(game: Game, seat: str, item: Send, *, fallback: bool = False) -> None:
    """Send one envelope. Raises Refused with what is wrong; nothing has happened then."""
    message = parse(item.content, edition_of(game.state))
    to = item.recipient if item.transport == "message" else None
    post(game, seat, to, message, place=item.place, fallback=fallback)


def post(
    game: Game, seat: str, to: str | None, message: Message, *, place: Place | None = None, fallback: bool = False
) -> None:
    """Send a message that has been read; a NARRATIVE with the place that it plays at, if one is named."""
    before = game.state
    edition = edition_of(before)
    if seat not in (*STANDING, *addressees(edition, before.played)):
        raise Refused("You send no messages in this session; answer when you are asked.")
    sent = edition.class_of(message.tag)(message.fields, message.body, seat, to, fallback=fallback)
    if message.tag is None:
        _informal(before, sent)
    else:
        _in_time(before, sent)
        transport: Transport = "broadcast" if to is None else "message"
        check_route(message.tag, sender=seat, transport=transport, recipient=to, edition=edition)
        if to is not None:
            _known(before, seat, to)
        if isinstance(sent, PlayerToGm) and sent.passes(before):
            game.emit(events.RequestPassed(character=seat))
            return
        sent.check(game)
    note = sent.group_note()
    if place is not None:
        _name_place(game, sent, note.names if note else None, place)
    event = MessageSent(
        seat=seat,
        to=to,
        tag=message.tag,
        fields=message.to_json(),
        undefined=message.undefined,
        body=message.body,
        group=note.names if note else None,
        label=note.group if note else None,
        fallback=fallback,
    )
    game.emit(event)
    event.typed(before.edition_name).effect(game, before)


LONGEST_PLACE = 80
"""Characters of a place, or of a time."""


def _name_place(game: Game, sent: Tag, group: tuple[str, ...] | None, place: Place) -> None:
    """T-168: in plain words, and never by the scene's number or slug, which T-151 keeps closed."""
    if not isinstance(sent, Narrative):
        raise Refused("A place and a time go with a NARRATIVE; leave them out here.")
    fault = place_fault(game.state, place)
    if fault is not None:
        raise Refused(fault)
    game.emit(events.PlaceNamed(place=place.name, time=place.time, group=group))


def place_fault(state: TabletopState, place: Place) -> str | None:
    """What is wrong with a place or a time: too long, the scene's number or slug, or any slug. None where it is fit."""
    number, slug = state.scene
    for name, words in (("place", place.name), ("time", place.time)):
        if len(words) > LONGEST_PLACE:
            return f"The {name} has {len(words)} characters; write at most {LONGEST_PLACE}."
        if number in re.findall(r"[0-9]+", words) or re.search(rf"(?<![\w-]){re.escape(slug)}(?![\w-])", words):
            return f"The {name} holds the scene's number or slug; say it in plain words."
        if "-" in words and is_slug(words):
            return f"The {name} {words!r} looks like a slug; say it in plain words."
    return None


def _informal(state: TabletopState, sent: Tag) -> None:
    if sent.to is None:
        raise Refused("Only a NARRATIVE travels by broadcast; address informal text to one seat.")
    _known(state, sent.seat, sent.to)
    if state.ended:
        raise Refused("The session has ended; nothing more is sent.")


def _known(state: TabletopState, seat: str, to: str) -> None:
    seats = addressees(edition_of(state), state.played)
    if to not in seats:
        if to not in (*STANDING, HUMAN):
            full_name(to, state.played)
        raise Refused(f"No message can be addressed to {to!r}; the seats are: {', '.join(seats)}.")
    if to == seat:
        raise Refused("You can't send a message to yourself. Address another seat.")


def _in_time(state: TabletopState, sent: Tag) -> None:
    """What the session's course allows at all: T-100, T-106, T-157, T-126."""
    if not state.started and not sent.starts():
        tags = edition_of(state).tags.items()
        before = ", ".join(tag for tag, kind in tags if kind.before_start)
        raise Refused(f"The session has not started: before SESSION_COMMAND start only {before} is sent.")
    if state.ended:
        if not sent.closes():
            raise Refused("The session has ended; nothing more is sent.")
    elif state.ending:
        if not sent.while_ending:
            raise Refused(
                f"The session is ending: no {sent.tag} any more; save what is to be saved and send SESSION_END."
            )
        if sent.tag == "NARRATIVE" and state.words_after_end:
            raise Refused("The session is ending, and its one last NARRATIVE has been told; send SESSION_END.")
    if state.tasks and not sent.while_awaiting:
        raise Refused(f"You wait for PLAYER_RESPONSES; until it comes no {sent.tag} is sent.")
