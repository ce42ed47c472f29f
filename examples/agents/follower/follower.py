"""An agent of another package. It follows the crowd: of those that it can choose, it takes the one most often named."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sottovoce import AgentKind, CallRecord, SeatRandom, Turn, View

HEARD = 200
"""Entries of the view that it remembers."""


class Follower:
    """Plays any ruleset: its choice is the legal one that stood most often in what others said and voted."""

    by = "view"
    immediate = True

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        choices = turn.choices or turn.legal(view.state)
        if not choices:
            return turn.reply(view.state, "I think what most of you think.")
        heard = " ".join(str(entry.event.data()) for entry in view.recent(HEARD) if entry.actor != view.seat)
        named = Counter({choice: heard.count(str(choice)) for choice in choices if choice != view.seat})
        most = max(named.values(), default=0)
        liked = [choice for choice, count in named.items() if count == most] or list(choices)
        return turn.reply(view.state, random.pick(liked))


FOLLOWER = AgentKind(name="follower", make=lambda detail: Follower(), afar=True)
