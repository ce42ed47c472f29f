"""What is written down of an agent's call: the hand-over before it, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from agents.agent import Agent, CallRecord, PromptedAgent
from domain.events import AttemptFailed, Draft, MessageRefused
from domain.turns import Turn
from eventlog.log import Receipt
from projections.seat_counts import UNREACHED
from server.ids import fresh_id

_REFUSALS = (AttemptFailed, MessageRefused)


def handed_over(
    seat: str, turn: int, seq: int, by: str, agent: str, at: datetime, blocks: tuple[str, ...] = ()
) -> Receipt:
    """A receipt for a seat's view up to `seq`, given to its agent for one turn; `data["call"]` names the call."""
    data = {"call": fresh_id(), "turn": turn, "from": 1, "to": seq, "by": by, "agent": agent}
    return Receipt("core.handed-over.v1", at, seat, data, blocks)


def call_ended(call: str, seat: str, how: str, seconds: float, record: CallRecord, at: datetime) -> Receipt:
    """A receipt for the end of a call: `accepted`, `refused`, `failed`, `unreached`, `late`, or `lost`.

    Lost is a call whose process ended; unreached one that nothing answered, for which the game does not go on.
    """
    data = {
        "call": call,
        "how": how,
        "seconds": round(seconds, 6),
        "prompt_tokens": record.prompt_tokens,
        "reply_tokens": record.reply_tokens,
        "cost": record.cost,
        "notes": record.notes,
    }
    return Receipt("core.call-ended.v1", at, seat, data)


def outcome(how: str, drafts: Sequence[Draft]) -> str:
    """How a call ended whose reply became these drafts."""
    if how in ("failed", UNREACHED):
        return how
    for draft in drafts:
        if isinstance(draft.event, _REFUSALS):
            return "refused"
    return "accepted"


def build_blocks(agent: Agent, view: Any, turn: Turn) -> tuple[str, ...]:
    """The texts that leave this process for an agent that gets a prompt; none for the others."""
    return agent.blocks(view, turn) if isinstance(agent, PromptedAgent) else ()
