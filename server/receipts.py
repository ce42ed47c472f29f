"""What is written down of an agent's call: the hand-over before it, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sottovoce.agents.agent import Agent, CallRecord, PromptedAgent
from sottovoce.domain.events import AttemptFailed, Draft, MessageRefused
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.log import EventLog, Receipt, RecordedReceipt
from sottovoce.eventlog.verify import text_of
from sottovoce.projections.exports import stamp
from sottovoce.projections.handovers import CALL_ENDED, CALLED, HANDED_OVER
from sottovoce.projections.seat_counts import UNREACHED
from sottovoce.server.ids import fresh_id
from sottovoce.server.live import LiveGame

_REFUSALS = (AttemptFailed, MessageRefused)


def receipt_json(log: EventLog, receipt: RecordedReceipt) -> dict[str, Any]:
    """A receipt as `export --receipts` writes it, with the texts that were handed over."""
    return {
        "game": receipt.game,
        "number": receipt.number,
        "name": receipt.name,
        "at": stamp(receipt.at),
        "seat": receipt.seat,
        "data": receipt.data,
        "texts": [text_of(log, digest) for digest in receipt.blocks],
        "hash": receipt.hash.hex(),
    }


def begun(live: LiveGame, agent: Agent, turn: Turn, seq: int, epoch: int) -> dict[str, Any]:
    """What a receipt says of a call that begins: the seat's view up to `seq` is given to its agent for that turn.

    `data["call"]` names the call; `epoch` is that of the lease it is made with.
    """
    filled = live.state.agents.get(turn.seat, "")
    numbers = {"turn": turn.number, "from": 1, "to": seq, "epoch": epoch}
    return {"call": fresh_id(), **numbers, "by": agent.by, "agent": filled}


def handed_over(seat: str, data: dict[str, Any], at: datetime, blocks: tuple[str, ...]) -> Receipt:
    """A receipt for what is about to leave this process, written before it does."""
    return Receipt(HANDED_OVER, at, seat, data, blocks)


def call_ended(seat: str, data: dict[str, Any], how: str, seconds: float, record: CallRecord, at: datetime) -> Receipt:
    """A receipt for the end of a call: `accepted`, `refused`, `failed`, `unreached`, `late`, or `lost`.

    Lost is a call whose process ended; unreached one that nothing answered, for which the game does not go on. Where
    the view never left this process the receipt is that of the whole call: nobody could tell more of one that was cut
    off, since all that knew of it is gone.
    """
    within = data["by"] == "view"
    ending = {
        "how": how,
        "seconds": round(seconds, 6),
        "prompt_tokens": record.prompt_tokens,
        "reply_tokens": record.reply_tokens,
        "cost": record.cost,
        "notes": record.notes,
        **({} if record.mind is None else {"mind": record.mind.to_json()}),
    }
    return Receipt(
        CALLED if within else CALL_ENDED, at, seat, {**(data if within else {"call": data["call"]}), **ending}
    )


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
