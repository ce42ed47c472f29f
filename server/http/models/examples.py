"""Examples in the document of the interface, of what projections make: built as the answers are."""

from __future__ import annotations

from typing import Any

from sottovoce.domain.piece import Piece, Voice, marked
from sottovoce.projections.exports import FullEvent
from sottovoce.projections.marks import Awaited, to_json
from sottovoce.projections.pieces import EntryJson
from sottovoce.projections.summary import GameLine, GameShown
from sottovoce.projections.track import Head
from sottovoce.server.http.models.fields import GAME

_PIECE = Piece(f"{marked('Ada')} says:", "speech", "Ada", words=(Voice("Ada", "It was not me."),)).to_json()
_ENTRY: EntryJson = {
    "seq": 12,
    "name": "mafia.spoke.v1",
    "at": "2026-05-01T18:02:00+00:00",
    "actor": "Ada",
    "data": {"player": "Ada", "text": "It was not me."},
    "piece": _PIECE,
    "marks": to_json([Awaited(("narrator",))]),
}
_EVENT: FullEvent = {
    "game": GAME,
    "position": 12,
    "append": "0f3c5a7e9b1d2f4a",
    "name": _ENTRY["name"],
    "at": "2026-05-01T18:02:11.123456+00:00",
    "actor": "Ada",
    "audience": "everyone",
    "cause": 11,
    "data": _ENTRY["data"],
    "salt": "00",
    "hash": "00",
}
_LINE: GameLine = {
    "game": GAME,
    "ruleset": "mafia",
    "status": "open",
    "started": "2026-05-01T18:02:00.000000+00:00",
    "ended": None,
    "winner": None,
    "fallbacks": None,
}
_SHOWN: GameShown = {
    **_LINE,
    "seats": ["narrator", "Ada", "Bram"],
    "phase": "day 1",
    "waiting_for": ["Ada"],
    "options": {"max_attempts": 3},
    "chairs": [],
    "seed": None,
    "repeatable": None,
    "failures": None,
    "substitutes": None,
}
_HEAD = Head(
    game=GAME,
    ruleset="mafia",
    layout="table",
    title="A game of Mafia",
    seat="Ada",
    full=False,
    chairs=(),
    over=False,
    seq=0,
    seats=("narrator", "Ada", "Bram"),
    offices=("narrator",),
    orders=(),
    plays=None,
    started=None,
)

_INBOX: dict[str, Any] = {
    "seat": "Ada",
    "seq": 12,
    "over": False,
    "turns": [
        {
            "turn": 7,
            "kind": "mafia.vote",
            "choices": ["Bram", "Cleo"],
            "attempts_left": 3,
            "deadline": None,
            "claimed_until": None,
            "ask": "Whom do you vote for?",
            "how": "",
            "context": ["Nominated: Bram, Cleo."],
            "enter": None,
            "options": [],
            "form": None,
            "refused": [],
            "prompt": "YOUR TURN 7. Whom do you vote for?",
        }
    ],
    "entries": [],
}

EXAMPLES: dict[str, Any] = {
    "Piece": _PIECE,
    "Entry": _ENTRY,
    "FullEvent": _EVENT,
    "GameListed": {**_LINE, "seats": ["narrator", "Ada", "Bram"], "phase": "day 1", "waiting_for": ["Ada"]},
    "GameShown": _SHOWN,
    "Inbox": _INBOX,
    "Replay": {**_HEAD.to_json(), "entries": []},
}
"""By the name of the schema."""
