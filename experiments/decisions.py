"""Every decision of a game as its author had it: the prompt, the answer, and what came of the game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sottovoce.agents.models.blocks import model_blocks
from sottovoce.domain.events import ReplyAccepted
from sottovoce.domain.safe_text import visible_json
from sottovoce.eventlog import EventLog
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.receipts import Delivery, Ending, endings, read_deliveries
from sottovoce.projections.summary import status_of
from sottovoce.projections.view import SeatProjection
from sottovoce.server.live import LiveGame

BUDGET = 1_000_000
"""Tokens of a prompt that is made of a view: none is cut."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One accepted reply. `system` and `user` are what was sent where `sent`, else what a model would have been sent.

    `answer` is the answer as it came where the receipt has all of it, with a model's thoughts; else the reply.
    """

    game: str
    seat: str
    turn: int
    kind: str
    position: int
    agent: str | None
    sent: bool
    system: str
    user: str
    answer: str
    reply: str
    choice: str | None
    delivery: Delivery | None
    ending: Ending | None


def decisions(log: EventLog, live: LiveGame, *, sent_only: bool = False) -> Iterator[Decision]:
    """Return the decisions of a game in order. With `sent_only`, those whose prompt left the process."""
    receipts = log.receipts(live.id)
    ended = endings(receipts)
    calls = {
        (seat, handed.turn): handed
        for seat, given in read_deliveries(receipts).items()
        for handed in given
        if handed.turn is not None and (end := ended.get(handed.call)) is not None and end.how == "accepted"
    }
    seats = {seat: SeatProjection(live.ruleset, seat) for seat in live.state.seats}
    for item in live.recorded:
        event = item.event
        if isinstance(event, ReplyAccepted):
            delivery = calls.get((event.seat, event.turn))
            sent = delivery is not None and bool(delivery.blocks)
            turn = next((one for one in seats[event.seat].view().turns if one.number == event.turn), None)
            if turn is not None and (sent or not sent_only):
                if delivery is not None and sent:
                    blocks = tuple(log.block(digest) for digest in delivery.blocks)
                else:
                    blocks = model_blocks(seats[event.seat].view(), turn, BUDGET)
                ending = None if delivery is None else ended.get(delivery.call)
                yield Decision(
                    game=live.id,
                    seat=event.seat,
                    turn=event.turn,
                    kind=turn.stored_kind,
                    position=item.position,
                    agent=delivery.agent if delivery is not None else live.state.agents.get(event.seat),
                    sent=sent,
                    system=blocks[0],
                    user="\n\n".join(blocks[1:]),
                    answer=_answer(ending) or event.text,
                    reply=event.text,
                    choice=event.choice,
                    delivery=delivery,
                    ending=ending,
                )
        for projection in seats.values():
            projection.take(item)


def _answer(ending: Ending | None) -> str | None:
    """The answer as it came, if the receipt has all of it."""
    raw = ending.notes.get("raw") if ending is not None else None
    if not isinstance(raw, dict) or not isinstance(raw.get("text"), str):
        return None
    text: str = raw["text"]
    return text if len(text.encode()) == raw.get("bytes") else None


def results(live: LiveGame) -> dict[str, tuple[str, bool]]:
    """Return each seat's part and whether it won; nothing for a game that is not over."""
    standing = EXTRAS.of(live.ruleset.name).standing
    if standing is None or status_of(live.state) != "over":
        return {}
    return dict(standing.parts(live.state))


def training_line(live: LiveGame, one: Decision, parts: dict[str, tuple[str, bool]]) -> str:
    """Return a decision as one line of JSON in the chat format, with what came of the game, without the line end."""
    part, won = parts.get(one.seat, (None, None))
    line: dict[str, Any] = {
        "messages": [
            {"role": "system", "content": one.system},
            {"role": "user", "content": one.user},
            {"role": "assistant", "content": one.answer},
        ],
        "game": one.game,
        "seat": one.seat,
        "turn": one.turn,
        "kind": one.kind,
        "agent": one.agent,
        "sent": one.sent,
        "choice": one.choice,
        "part": part,
        "won": won,
        "winner": live.state.winner,
        "status": status_of(live.state),
    }
    return visible_json(json.dumps(line, ensure_ascii=False))
