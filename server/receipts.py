"""What receipts record of an agent's call: the delivery before it, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.agents.agent import Agent, CallRecord, Mind, PromptedAgent
from sottovoce.domain.events import AttemptFailed, Draft, MessageRefused
from sottovoce.domain.piece import CLOSED
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.log import EventLog, Receipt, RecordedReceipt
from sottovoce.eventlog.verify import text_of
from sottovoce.projections.exports import stamp
from sottovoce.projections.receipts import CALL_ENDED, CALLED, DELIVERED, WITH_REPLY
from sottovoce.projections.seat_counts import UNREACHED
from sottovoce.server.ids import fresh_id
from sottovoce.server.live import LiveGame

_REFUSALS = (AttemptFailed, MessageRefused)


@with_config(CLOSED)
class ReceiptRow(TypedDict):
    """A delivery with its texts, the end of a call, or a change of a link."""

    game: str
    number: int
    name: str
    at: str
    seat: str
    data: dict[str, Any]
    texts: list[str]
    hash: str


def receipt_json(log: EventLog, receipt: RecordedReceipt) -> ReceiptRow:
    """Return a receipt as `export --receipts` writes it, with the delivered texts."""
    return {
        "game": receipt.game,
        "number": receipt.number,
        "name": receipt.name,
        "at": stamp(receipt.at),
        "seat": receipt.seat,
        "data": dict(receipt.data),
        "texts": [text_of(log, digest) for digest in receipt.blocks],
        "hash": receipt.hash.hex(),
    }


def begun(live: LiveGame, agent: Agent, turn: Turn, seq: int, epoch: int, about: str | None = None) -> dict[str, Any]:
    """What a receipt says of a call that begins: the seat's view up to `seq` is given to its agent for that turn.

    `data["call"]` names the call; `epoch` is that of the lease it is made with. Of a call that leaves this process it
    is noted which piece of work it is about.
    """
    filled = live.state.agents.get(turn.seat, "")
    numbers = {"turn": turn.number, "from": 1, "to": seq, "epoch": epoch}
    named = {} if about is None or agent.by == "view" else {"about": about}
    return {"call": fresh_id(), **numbers, "by": agent.by, "agent": filled, **named}


def handed_over(seat: str, data: dict[str, Any], at: datetime, blocks: tuple[str, ...]) -> Receipt:
    """A receipt for what is about to leave this process, written before it does."""
    return Receipt(DELIVERED, at, seat, data, blocks)


def call_ended(seat: str, data: dict[str, Any], how: str, seconds: float, record: CallRecord, at: datetime) -> Receipt:
    """Return a receipt for the end of a call: `accepted`, `refused`, `failed`, `unreached`, `late`, or `lost`.

    A lost call is one whose process ended. An unreached call got no answer, and the game does not continue. If the view
    never left this process, the receipt covers the whole call: if such a call is cut off, nothing else knew of it.
    """
    within = data["by"] == "view"
    ending = {
        "how": how,
        "seconds": round(seconds, 6),
        "prompt_tokens": record.prompt_tokens,
        "reply_tokens": record.reply_tokens,
        **({} if record.cached_tokens is None else {"cached_tokens": record.cached_tokens}),
        **({} if record.reasoning_tokens is None else {"reasoning_tokens": record.reasoning_tokens}),
        "cost": record.cost,
        "notes": record.notes,
        **({} if record.mind is None else {"mind": record.mind.to_json()}),
    }
    return Receipt(
        CALLED if within else CALL_ENDED, at, seat, {**(data if within else {"call": data["call"]}), **ending}
    )


def considered(live: LiveGame, seat: str, turn: int, mind: Mind, at: datetime, drafts: Sequence[Draft]) -> Receipt:
    """A receipt for the thoughts that a seat from outside sent with its reply. It hands nothing over."""
    seq = live.view(seat).seq
    data = {"call": fresh_id(), "turn": turn, "from": seq + 1, "to": seq, "by": WITH_REPLY}
    ended = {"how": outcome("accepted", drafts), "mind": mind.to_json()}
    return Receipt(CALLED, at, seat, {**data, "agent": live.state.agents.get(seat, ""), **ended})


def outcome(how: str, drafts: Sequence[Draft]) -> str:
    """How a call ended whose reply became these drafts."""
    if how in ("failed", UNREACHED):
        return how
    for draft in drafts:
        if type(draft.event) in _REFUSALS:
            return "refused"
    return "accepted"


def build_blocks(agent: Agent, view: Any, turn: Turn) -> tuple[str, ...]:
    """The texts that leave this process for an agent that gets a prompt; none for the others."""
    return agent.blocks(view, turn) if isinstance(agent, PromptedAgent) else ()
