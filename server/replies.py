"""How a text that a seat sends fares: the verdict that `send` prints and the server answers with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sottovoce.domain.commands import Command, Reply, Say
from sottovoce.domain.events import (
    AttemptFailed,
    FallbackApplied,
    MessageRefused,
    Recorded,
    ReplyAccepted,
    TurnWithdrawn,
)
from sottovoce.domain.piece import AUDITOR
from sottovoce.server.games import Games
from sottovoce.server.ids import fresh_id
from sottovoce.server.live import LiveGame

GAME_OVER = "The game is over. Answers are no longer accepted."


async def send(games: Games, live: LiveGame, seat: str, turn: int | None, text: str) -> dict[str, Any]:
    """Send a reply to a turn, or an unprompted message; whether it is accepted, and if not, why."""
    command, append = command_of(games.clock(), seat, turn, text), fresh_id()
    accepted = None if turn is None else partial(accepting, live, seat, turn, text)
    return outcome(live, seat, await games.submit(live, command, append=append, unless=accepted), append)


def command_of(at: datetime, seat: str, turn: int | None, text: str) -> Command:
    """The command that a text is: a reply to the turn, or a message that nobody asked for."""
    return Say(at, seat, text) if turn is None else Reply(at, seat, turn, text)


def outcome(live: LiveGame, seat: str, events: Sequence[Recorded], append: str) -> dict[str, Any]:
    """What is to be said of a text that was submitted under that append id and became these events; where they are
    another append's, the text had been accepted before."""
    if events and events[0].append != append:
        return {"accepted": True, "repeated": True}
    if not events and live.state.over:
        return {"accepted": False, "message": GAME_OVER}
    return verdict(events, seat)


def accepting(live: LiveGame, seat: str, turn: int, text: str) -> list[Recorded]:
    """The events of the append in which this very text was accepted as the answer of the turn; none if it was not."""
    opened = live.opening_position(seat, turn) or len(live.recorded)
    for place, item in enumerate(live.recorded[opened:], opened):
        event = item.event
        if isinstance(event, ReplyAccepted) and (event.seat, event.turn) == (seat, turn):
            same = [other for other in live.recorded[place:] if other.append == item.append]
            told = (live.ruleset.tell(other.event, AUDITOR) for other in same if other.event.actor == seat)
            if text == event.text or any(voice.text == text for piece in told if piece for voice in piece.words):
                return same
            return []
    return []


def was_closed(live: LiveGame, seat: str, turn: int, position: int) -> bool:
    """Whether the turn had been closed before that position."""
    closings = (ReplyAccepted, FallbackApplied, TurnWithdrawn)
    opened = live.opening_position(seat, turn) or position
    before = (item.event for item in live.recorded[opened : position - 1])
    return any(isinstance(event, closings) and (event.seat, event.turn) == (seat, turn) for event in before)


def seq_after(live: LiveGame, seat: str, events: Sequence[Recorded]) -> int:
    """The seat's last seq once these events, of one append, had been appended; as it is now where there are none.

    It is the same whenever it is asked, so that a repeated message gets the first one's answer.
    """
    seen = live.view(seat).seq
    if not events:
        return seen
    return seen - sum(item.audience.includes(seat) for item in live.recorded[events[-1].position :])


def verdict(events: Sequence[Recorded], seat: str) -> dict[str, Any]:
    """How the seat's message fared, from what it became. Other seats' events of the same append say nothing of it."""
    messages, left = [], True
    for item in events:
        event = item.event
        if isinstance(event, AttemptFailed | MessageRefused) and event.seat == seat:
            messages.append(event.message)
        if isinstance(event, FallbackApplied) and event.seat == seat:
            left = False
    if not messages:
        return {"accepted": True}
    if not left:
        messages.append("That was the last attempt; the rules' fallback was applied.")
    return {"accepted": False, "message": " ".join(messages)}
