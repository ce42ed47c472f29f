"""What a house seat does not say: eight words in a row out of what is closed to somebody who hears them (T-063).

A seat acts on all that it reads. Whatever it sends, whatever turn it answers, goes through `discreet`; so none of the
modules that find the words has to think of who hears them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any

from sottovoce import Refused, Turn, View
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.documents import (
    DECISION_LOG,
    PARTY_DELTA,
    PARTY_KNOWLEDGE,
    RUN,
    STORY_STATE,
    Piece,
    is_journal,
    is_recap,
    numbered,
    readers_of,
    runs_in,
)
from sottovoce.rulesets.tabletop.rules.messages import Message, MessageSent, edition_of, parse, serialise
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN
from sottovoce.rulesets.tabletop.rules.phrases import group_note
from sottovoce.rulesets.tabletop.rules.state import TabletopState
from sottovoce.rulesets.tabletop.rules.turns import JOURNALS

READ_OUT = "beats/"
"""The folder of what the GM is to tell: it is closed, and written to be said."""
OF_THE_EVENING = ("scenes/", "tmp/", DECISION_LOG, "gm-progress.md")
"""What is written as the evening goes on, out of what was said in it."""
INSTEAD = {
    "NARRATIVE": "For a moment nobody says a word.",
    "GM_TO_PLAYER": "## Scene\nWhere you were.\n\n## Just Happened\nNothing new.\n\n## Request\nWhat now?",
    "RELAY_TO_HUMAN": "## Scene\nWhere we were.\n\n## Decision Needed\nWhat now?\n\n## Suggested Options\n- Wait",
}
NOTHING_SAID = "(keeps it back)"
"""What stands where nothing is left of the words."""

_SENTENCE = re.compile(r"[^\n]*?[.!?…][\"”’)*_]*(?=\s|$)\s?|[^\n]+|\n")


def discreet(reply: str, view: View[TabletopState], turn: Turn, opened: Sequence[str] = ()) -> str:
    """The reply without what quotes closed words; `opened` are sentences whose gate this very reply has opened."""
    if turn.kind in JOURNALS:
        return reply
    guard = _Guard(view, turn.seat, opened)
    try:
        items = json.loads(reply)["messages"]
    except (ValueError, TypeError, KeyError):
        return guard.kept(reply, guard.everybody)
    changed = [guard.item(item) for item in items]
    return reply if changed == items else json.dumps({"messages": changed}, ensure_ascii=False)


class _Guard:
    """What the seat may not repeat to whom."""

    def __init__(self, view: View[TabletopState], seat: str, opened: Sequence[str] = ()) -> None:
        self.opened = frozenset(run for text in (*opened, " ".join(opened)) for run in runs_in(text))
        self.view, self.state, self.seat = view, view.state, seat
        self.everybody = tuple(name for name in (*view.state.roster, HUMAN) if name != seat)

    @cached_property
    def _closed(self) -> Closed:
        """The closed runs of every document by who reads them."""
        roster = self.state.roster
        return tuple(each for pieces in self.state.documents.values() for each in _closed_runs(pieces, roster))

    def item(self, item: dict[str, Any]) -> dict[str, Any]:
        """A message, change or roll as it may be sent."""
        if "delta" in item and "document" in item["delta"]:
            delta = item["delta"]
            hearers = self._readers(delta["document"])
            text = (
                self.kept(delta.get("text", ""), hearers, "- Something that is not to be told yet.\n")
                if hearers
                else None
            )
            text = delta.get("text") if text is None else text
            return item if text == delta.get("text") else {"delta": {**delta, "text": text}}
        if "content" not in item:
            return item
        content = self._message(item["content"], item.get("recipient"))
        return item if content == item["content"] else {**item, "content": content}

    def _message(self, content: str, to: str | None) -> str:
        try:
            message = parse(content, edition_of(self.state))
        except Refused:
            return content
        note = group_note(message.body) if message.tag == "NARRATIVE" else None
        hearers = note.names if note else (to,) if self.seat == GM and to in self.state.roster else self.everybody
        body = self.kept(message.body, hearers, INSTEAD.get(message.tag or ""))
        fields = {name: self._field(value, hearers) for name, value in message.fields.items()}
        if body == message.body and fields == dict(message.fields):
            return content
        return serialise(Message(message.tag, fields, body, message.undefined), edition_of(self.state))

    def _field(self, value: Any, hearers: Sequence[str]) -> Any:
        if isinstance(value, str):
            return self.kept(value, hearers)
        if isinstance(value, tuple):
            return tuple(self._field(each, hearers) for each in value)
        if isinstance(value, dict):
            return {key: self._field(each, hearers) for key, each in value.items()}
        return value

    def _readers(self, document: str) -> tuple[str, ...]:
        """The players who read what is written there."""
        path = PARTY_KNOWLEDGE if document == PARTY_DELTA else document
        return tuple(name for name in readers_of(path, self.state.roster) if name in self.everybody)

    def kept(self, text: str, hearers: Iterable[str], instead: str | None = None) -> str:
        """The text without the sentences that quote what is closed to one of the hearers."""
        closed = {run for hearer in hearers for run in self._quoted(text, hearer)}
        if not closed:
            return text
        words = numbered(text)
        taken = [(words[at][1], words[at + RUN - 1][2]) for at, run in enumerate(runs_in(text)) if run in closed]
        left = "".join(
            part[0]
            for part in _SENTENCE.finditer(text)
            if not any(start < part.end() and end > part.start() for start, end in taken)
        )
        left = re.sub(r"\n{3,}", "\n\n", left).strip()
        if not left or (instead and instead.startswith("##")):
            left = instead or NOTHING_SAID
        return left

    def _quoted(self, text: str, hearer: str) -> set[int]:
        """The runs of the text that are closed to the hearer."""
        runs = set(runs_in(text)) - self.opened
        reader = self.state.character if hearer == HUMAN else hearer
        found: set[int] = set()
        for readers, closed in self._closed if runs else ():
            if hearer not in readers and reader not in readers and not self._with_the_party(hearer, readers):
                found |= runs & closed
        if found:
            for open_text in self._open_to(hearer):
                found -= _runs_of(open_text)
        return found

    def _with_the_party(self, hearer: str, readers: frozenset[str]) -> bool:
        """Whether it is for the person who reads what the whole party reads: others do not see whom they play."""
        return hearer == HUMAN and self.state.character is None and readers.issuperset(self.state.roster)

    def _reads(self, hearer: str, piece: Piece) -> bool:
        """Whether the hearer may read it; the person at the table reads what their character does."""
        return hearer in piece.readers or (hearer == HUMAN and self.state.character in piece.readers)

    def _pieces(self) -> Iterable[Piece]:
        return (piece for pieces in self.state.documents.values() for piece in pieces if piece.coding == "text")

    def _open_to(self, hearer: str) -> Iterable[str]:
        """Everything that the hearer has read or heard, as far as the seat knows."""
        yield from (piece.text for piece in self._pieces() if self._reads(hearer, piece))
        for entry in self.view.entries:
            event: Any = entry.event
            if isinstance(event, MessageSent):
                character = self.state.character if hearer == HUMAN else hearer
                told = event.tag == "NARRATIVE" and (event.group is None or character in event.group)
                if told or hearer in (event.seat, event.to):
                    yield event.body
            elif isinstance(event, events.ChatSaid) and hearer in (event.seat, event.to):
                yield event.text


def _is_closed(piece: Piece, roster: Sequence[str]) -> bool:
    """Whether its words are for its readers alone: not what is there to be told, nor what was said already."""
    if piece.secret or piece.document == STORY_STATE:
        return True
    if is_journal(piece.document, roster) or is_recap(piece.document, roster):
        return False
    return not piece.document.startswith((READ_OUT, *OF_THE_EVENING))


Closed = tuple[tuple[frozenset[str], frozenset[int]], ...]
_closed: dict[tuple[int, tuple[str, ...]], tuple[Iterable[Piece], Closed]] = {}


def _closed_runs(pieces: Iterable[Piece], roster: Sequence[str]) -> Closed:
    """The closed runs of one document by who reads them, kept as long as its pieces are."""
    key = (id(pieces), tuple(roster))
    held = _closed.get(key)
    if held is None or held[0] is not pieces:
        if len(_closed) > 2048:
            _closed.clear()
        by: dict[frozenset[str], set[int]] = {}
        for piece in pieces:
            if piece.coding == "text" and _is_closed(piece, roster):
                by.setdefault(frozenset(piece.readers), set()).update(_runs_of(piece.text))
        held = _closed[key] = (pieces, tuple((readers, frozenset(runs)) for readers, runs in by.items()))
    return held[1]


@lru_cache(maxsize=4096)
def _runs_of(text: str) -> frozenset[int]:
    return frozenset(runs_in(text))
