"""Planted leaks of what a seat keeps for itself: its notes, and what its agent thought and believed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from leaks.rules import also, deciding, everyone, heard_by, in_place, patched
from leaks.views import folding, telling
from sottovoce.cli.source import LoggedGame
from sottovoce.domain.commands import Command
from sottovoce.domain.events import AttemptFailed, Draft, Event, NotesKept, TurnOpened
from sottovoce.domain.game import Game
from sottovoce.domain.ruleset import Ruleset
from sottovoce.isolation.system import System
from sottovoce.rulesets.mafia.rules.events import SpeechGiven
from sottovoce.rulesets.mafia.rules.roles import NARRATOR
from sottovoce.server import inbox

_EMIT, _SHOWN, _ANSWER = Game.emit, LoggedGame.show, inbox.answer


def _said_aloud(self: Game[Any], event: Event) -> None:
    """What a player noted slips into what it says."""
    if isinstance(event, SpeechGiven) and (notes := self.state.kept_notes.get(event.player)):
        event = event.but(text=f"{event.text} {notes}")
    _EMIT(self, event)


def _noters_first(ruleset: Ruleset[Any], state: Any, command: Command, drafts: list[Draft]) -> list[Draft]:
    """Choices are ordered by who keeps notes."""
    return [
        Draft(
            draft.event.but(choices=tuple(sorted(draft.event.choices, key=state.kept_notes.__contains__))),
            draft.audience,
        )
        if isinstance(draft.event, TurnOpened)
        else draft
        for draft in drafts
    ]


def _refused_by_notes(ruleset: Ruleset[Any], state: Any, command: Command, drafts: list[Draft]) -> list[Draft]:
    """A refusal says how much others have written down."""
    length = sum(map(len, state.kept_notes.values()))
    return [
        Draft(draft.event.but(message=f"{draft.event.message} ({length})"), draft.audience)
        if isinstance(draft.event, AttemptFailed)
        else draft
        for draft in drafts
    ]


def systems() -> dict[str, System]:
    """Return every planted leak of this module by name that a seat's view, prompts or decisions have."""
    return {
        "notes_told_to_all": heard_by(NotesKept, everyone),
        "notes_seen_by_the_narrator": also(NotesKept, lambda state: [NARRATOR]),
        "notes_seen_by_the_mafia": also(NotesKept, lambda state: state.mafia),
        "notes_of_others_in_the_prompt": telling(lambda view, turn: f"Notes: {dict(view.full.kept_notes)}."),
        "noters_counted_in_the_prompt": telling(lambda view, turn: f"Keep notes: {len(view.full.kept_notes)}."),
        "notes_folded_for_all": folding(lambda item: item.name == NotesKept.stored_name),
        "notes_said_aloud": patched(in_place(Game, "emit", _said_aloud)),
        "choices_ordered_by_notes": deciding(_noters_first),
        "refusal_measures_notes": deciding(_refused_by_notes),
    }


# on screens and over HTTP: what receipts hold


def _minds(log: Any, game: str) -> list[dict[str, Any]]:
    return [receipt.data["mind"] for receipt in log.receipts(game) if "mind" in receipt.data]


def _suspected_most(self: LoggedGame, chair: Any) -> Any:
    """The status tells whom all agents together suspect most."""
    where = _SHOWN(self, chair)
    much: dict[str, float] = {}
    for mind in _minds(self._log, self.id):
        for name, value in mind["suspicion"].items():
            much[name] = much.get(name, 0.0) + value
    most = max(much, key=much.__getitem__, default="")
    return replace(where, options={**where.options, "suspected": most})


def _thought_last(games: Any, live: Any, view: Any, *rest: Any, **named: Any) -> dict[str, Any]:
    """The inbox holds the last thoughts of anybody's agent."""
    thoughts = [mind["thoughts"] for mind in _minds(games.log, live.id)]
    return {**_ANSWER(games, live, view, *rest, **named), "thought": thoughts[-1:]}


def thoughts_in_the_inbox() -> Any:
    """Enter the leak in the inbox."""
    return in_place(inbox, "answer", _thought_last)()


def suspicion_in_the_status() -> Any:
    """Enter the leak in `show`."""
    return in_place(LoggedGame, "show", _suspected_most)()


def thinking_in_a_header(log: Any, headers: dict[bytes, bytes]) -> None:
    """Every answer weighs what the agents thought."""
    length = sum(len(mind["thoughts"]) for game in log.games() for mind in _minds(log, game))
    headers[b"x-thinking"] = b"%d" % length
