"""What a seat is asked and what is new to it, as `inbox` prints it and the server answers with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from sottovoce.agents.prompt import build_prompt
from sottovoce.domain.piece import CLOSED
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.leases import CLAIM
from sottovoce.eventlog.log import Due, Receipt
from sottovoce.projections.receipts import DELIVERED
from sottovoce.projections.view import Told, View
from sottovoce.server.games import Games
from sottovoce.server.ids import fresh_id
from sottovoce.server.live import LiveGame


@with_config(ConfigDict(extra="allow"))
class OpenTurn(TypedDict):
    """An open turn, with what its ruleset adds.

    `ask` is the request and `context` its context, line by line; `prompt` has both, the rules and the view.
    `goes_to` is who sees the answer: seats, or null for everyone, under "" or by the value of a field.
    `options` can be answered by their numbers where any text is allowed. `form` is the JSON schema of the fields you
    can send instead of a text, and `how` says how to write that text. `enter` is the reply of a seat with nothing to
    add; `refused` says why earlier attempts were refused.
    """

    turn: int
    kind: str
    choices: list[str]
    attempts_left: int
    deadline: str | None
    claimed_until: str | None
    ask: str
    how: str
    context: list[str]
    enter: str | None
    goes_to: Mapping[str, list[str] | None]
    options: list[str]
    form: Mapping[str, Any] | None
    refused: list[str]
    prompt: str


@with_config(CLOSED)
class Inbox(TypedDict):
    """A seat's open turns and new entries."""

    seat: str
    seq: int
    over: bool
    turns: list[OpenTurn]
    entries: list[Told]


def answer(
    games: Games,
    live: LiveGame,
    view: View[Any],
    since: int,
    shown: Sequence[Turn] | None = None,
    dues: Sequence[Due] | None = None,
) -> Inbox:
    """The seat's open turns, or those `shown`, and the entries after `since`. `dues` are the log's, where at hand."""
    found = games.log.due(live.id) if dues is None else dues
    own = {due.turn: due for due in found if due.seat == view.seat}
    turns = [
        _open_turn(
            view,
            turn,
            iso(games.by_the_clock(live, own[turn.number].expires) if turn.number in own else None),
            iso(_claim(own.get(turn.number))),
        )
        for turn in (view.turns if shown is None else shown)
    ]
    entries = [entry.to_json() for entry in view.since(since)]
    return {"seat": view.seat, "seq": view.seq, "over": view.state.over, "turns": turns, "entries": entries}


def delivery_receipts(
    live: LiveGame, view: View[Any], since: int, turns: Sequence[Turn], at: datetime, by: str = "inbox"
) -> list[Receipt]:
    """Return receipts for what such an answer is about to deliver; no receipts if it delivers nothing."""
    common = {"by": by, "agent": live.state.agents.get(view.seat, "")}
    receipts = [
        Receipt(
            DELIVERED,
            at,
            view.seat,
            {**common, "call": fresh_id(), "turn": turn.number, "from": 1, "to": view.seq},
            build_prompt(view, turn).blocks,
        )
        for turn in turns
    ]
    if view.seq > since:
        data = {**common, "call": fresh_id(), "turn": None, "from": since + 1, "to": view.seq}
        receipts.append(Receipt(DELIVERED, at, view.seat, data))
    return receipts


def _open_turn(view: View[Any], turn: Turn, deadline: str | None, claimed_until: str | None) -> OpenTurn:
    request, form = view.ruleset.request(view.state, turn), view.ruleset.form(view.state, turn)
    shared: OpenTurn = {
        "turn": turn.number,
        "kind": turn.kind,
        "choices": list(turn.choices),
        "attempts_left": turn.attempts_left,
        "deadline": deadline,
        "claimed_until": claimed_until,
        "ask": request.ask,
        "how": request.how,
        "context": list(request.context),
        "enter": request.enter,
        "goes_to": {
            choice: None if seats is None else list(seats)
            for choice, seats in view.ruleset.goes_to(view.state, turn).items()
        },
        "options": list(request.options),
        "form": None if form is None else form.schema,
        "refused": list(turn.failures),
        "prompt": build_prompt(view, turn).text,
    }
    return cast(OpenTurn, {**view.ruleset.about(view.state, turn), **shared})


def _claim(due: Due | None) -> datetime | None:
    """When the claim of some program to the turn lapses; None where none has one, or a worker of the game's."""
    return due.leased_until if due is not None and (due.worker or "").startswith(CLAIM) else None


def iso(at: datetime | None) -> str | None:
    """A time to the second in UTC, if there is one."""
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else None
