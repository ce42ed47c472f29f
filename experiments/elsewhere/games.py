"""Logs of other programs as games of this log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from sottovoce.domain.events import Event, GameOpened, Recorded
from sottovoce.domain.game import Game
from sottovoce.experiments.elsewhere.aiwolf import read_aiwolf
from sottovoce.experiments.elsewhere.chat import read_chat
from sottovoce.experiments.elsewhere.reading import Story
from sottovoce.experiments.elsewhere.rules import ELSEWHERE, LogRead

FORMATS: Mapping[str, Callable[[Path], Story]] = {"aiwolf": read_aiwolf, "chat": read_chat}
"""The readers, by the name of their format."""

ID_DIGITS = 12


def game_of(story: Story) -> str:
    """Return the id of a log's game: the same for the same log."""
    return f"{story.format}-{story.sha256[:ID_DIGITS]}"


def is_of(story: Story, events: Sequence[Recorded]) -> bool:
    """Whether a stored game is that log's."""
    return any(isinstance(item.event, LogRead) and item.event.sha256 == story.sha256 for item in events[:2])


def recorded(story: Story, at: datetime, fresh_id: Callable[[], str]) -> list[Recorded]:
    """Return the events of a log's game as they are to be stored, each in its own append; `at` is when it is read.

    The log gives them their salts and hashes.
    """
    game = Game(ELSEWHERE, ELSEWHERE.initial, at)
    opening = GameOpened(
        ruleset=ELSEWHERE.name, seats=story.seats, options={"keeper": "sighted", "after_end": "keeper"}
    )
    events: list[Event] = [opening, LogRead(format=story.format, sha256=story.sha256), *story.events]
    id_, found = game_of(story), list[Recorded]()
    for event in events:
        before = len(game.drafts)
        game.emit(event)
        append = fresh_id()
        for draft in game.drafts[before:]:
            one = draft.event
            position = len(found) + 1
            name, body = type(one).stored_name, one.encoded()
            found.append(
                Recorded(id_, position, append, name, at, one.actor, draft.audience, None, body, b"", b"", one)
            )
    return found
