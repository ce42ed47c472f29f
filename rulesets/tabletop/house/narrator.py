"""The narrator: it keeps the scene files, out of what was told to all, what the players openly answered, and notes."""

from __future__ import annotations

import random as random_module
from typing import Any

from sottovoce import Turn, View
from sottovoce.agents.house.phrases import load, say
from sottovoce.rulesets.tabletop.house.account import MOODS, manner_of, trimmed, woven
from sottovoce.rulesets.tabletop.house.ledger import Done
from sottovoce.rulesets.tabletop.house.player import called
from sottovoce.rulesets.tabletop.house.reply import Reply
from sottovoce.rulesets.tabletop.rules.documents import rebuild
from sottovoce.rulesets.tabletop.rules.events import PieceWritten, SceneChanged
from sottovoce.rulesets.tabletop.rules.messages import (
    MessageSent,
    Narrative,
    NarratorNote,
    PlayerToGm,
    PlayerToPlayer,
    edition_of,
)
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR
from sottovoce.rulesets.tabletop.rules.state import TabletopState

PHRASES = load("sottovoce.rulesets.tabletop.house", "narrator.txt").topics
ASKS = 0.12
"""How often the narrator asks the GM for a detail."""


def reply(view: View[TabletopState], turn: Turn, random: random_module.Random) -> str:
    """What is added to the scene's file: all that is new since the last time; at times a question to the GM with it."""
    state = view.state
    news = _since_last(view)
    number, slug = state.scene
    path = f"scenes/{number}-{slug}.md"
    before = rebuild(state.documents.get(path, ()))
    text = _prose(state, news, before, random)
    reply = Reply(edition_of(state))
    if text:
        reply.write(path, text)
    asking = not state.note_open and state.notes_asked < state.options.note_requests_per_beat
    if asking and _goes_on(view) and random.random() < ASKS:
        question = say(PHRASES["ask"], {}, random, "")
        reply.send(GM, "NARRATOR_REQUEST", to=GM, request=question)
    return reply.text() if reply else "pass"


def _goes_on(view: View[TabletopState]) -> bool:
    """Whether play has gone on since the last NARRATIVE; where it has not, the session may have ended with it."""
    for entry in reversed(view.entries):
        event: Any = entry.event
        if isinstance(event, SceneChanged) or (isinstance(event, MessageSent) and event.tag != "NARRATIVE"):
            return True
        if isinstance(event, MessageSent):
            return False
    return False


def _since_last(view: View[TabletopState]) -> list[MessageSent]:
    """What is to be written: everything since the last NARRATIVE that is in a scene file already.

    Answers that no NARRATIVE has followed yet wait for it, since the GM may tell them itself.
    """
    news: list[MessageSent] = []
    for entry in view.entries:
        event: Any = entry.event
        if isinstance(event, PieceWritten) and event.seat == NARRATOR:
            news = news[_told(news) :]
        elif isinstance(event, MessageSent):
            news.append(event)
    return news[: _told(news)]


def _told(news: list[MessageSent]) -> int:
    """How many of the messages the last NARRATIVE closes."""
    return max((at + 1 for at, event in enumerate(news) if event.tag == "NARRATIVE"), default=0)


def _prose(state: TabletopState, news: list[MessageSent], before: str, random: random_module.Random) -> str:
    """The new messages as prose, in the order in which they came; in the style that the session wants."""
    manner = manner_of(state)
    names = {name: called(name) for name in state.played}
    parts: list[str] = []
    told = "\n".join((before, *(event.body for event in news if event.tag == "NARRATIVE")))
    for event in news:
        match event.typed():
            case Narrative() if event.body not in before:
                parts.append(event.body)
            case PlayerToGm() | PlayerToPlayer() if not manner.brief and trimmed(event.body)[:60] not in told:
                to = event.to if event.tag == "PLAYER_TO_PLAYER" else None
                parts += woven([Done(0, event.seat, event.body, to)], names, PHRASES, random, before.casefold(), manner)
            case NarratorNote() as kept if not manner.brief:
                note = trimmed(kept.note)
                if note and note not in before:
                    parts.append(say(PHRASES["noted"], {"note": note}, random, before.casefold()))
            case _:
                pass
    if len(parts) > 2 and manner.style == "hybrid" and random.random() < MOODS:
        parts.append(say(PHRASES["mood"], {}, random, before.casefold()))
    return "\n\n".join(parts)
