"""What a seat is asked and what is new to it, as `inbox` prints it and the server answers with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sottovoce.agents.prompt import build_prompt
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.leases import CLAIM
from sottovoce.eventlog.log import Due, Receipt
from sottovoce.projections.handovers import HANDED_OVER
from sottovoce.projections.view import View
from sottovoce.server.games import Games
from sottovoce.server.ids import fresh_id
from sottovoce.server.live import LiveGame


def answer(
    games: Games,
    live: LiveGame,
    view: View[Any],
    since: int,
    shown: Sequence[Turn] | None = None,
    dues: Sequence[Due] | None = None,
) -> dict[str, Any]:
    """The seat's open turns, or those `shown`, and the entries after `since`. `dues` are the log's, where at hand."""
    found = games.log.due(live.id) if dues is None else dues
    own = {due.turn: due for due in found if due.seat == view.seat}
    turns = [
        {
            "turn": turn.number,
            "kind": turn.kind,
            "choices": list(turn.choices),
            "attempts_left": turn.attempts_left,
            "deadline": iso(games.by_the_clock(live, own[turn.number].expires) if turn.number in own else None),
            "claimed_until": iso(_claim(own.get(turn.number))),
            **view.ruleset.about(view.state, turn),
            **_request(view, turn),
            "prompt": build_prompt(view, turn).text,
        }
        for turn in (view.turns if shown is None else shown)
    ]
    entries = [entry.to_json() for entry in view.since(since)]
    return {"seat": view.seat, "seq": view.seq, "over": view.state.over, "turns": turns, "entries": entries}


def hand_overs(
    live: LiveGame, view: View[Any], since: int, turns: Sequence[Turn], at: datetime, by: str = "inbox"
) -> list[Receipt]:
    """Receipts for what such an answer is about to hand over; none where that is nothing."""
    common = {"by": by, "agent": live.state.agents.get(view.seat, "")}
    receipts = [
        Receipt(
            HANDED_OVER,
            at,
            view.seat,
            {**common, "call": fresh_id(), "turn": turn.number, "from": 1, "to": view.seq},
            build_prompt(view, turn).blocks,
        )
        for turn in turns
    ]
    if view.seq > since:
        data = {**common, "call": fresh_id(), "turn": None, "from": since + 1, "to": view.seq}
        receipts.append(Receipt(HANDED_OVER, at, view.seat, data))
    return receipts


def _request(view: View[Any], turn: Turn) -> dict[str, Any]:
    """What the turn asks, in parts: the prompt has all of it, and the rules and what was seen besides."""
    request, form = view.ruleset.request(view.state, turn), view.ruleset.form(view.state, turn)
    return {
        "ask": request.ask,
        "how": request.how,
        "context": list(request.context),
        "enter": request.enter,
        "options": list(request.options),
        "form": None if form is None else form.schema,
        "refused": list(turn.failures),
    }


def _claim(due: Due | None) -> datetime | None:
    """When the claim of some program to the turn lapses; None where none has one, or a worker of the game's."""
    return due.leased_until if due is not None and (due.worker or "").startswith(CLAIM) else None


def iso(at: datetime | None) -> str | None:
    """A time to the second in UTC, if there is one."""
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else None
