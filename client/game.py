"""A remote game: the entries from a server, folded into a view by the ruleset itself.

The client has only the seat's own entries, because nothing else leaves the server. Prompts, screens and completions are
the same as in a local game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import GameOpened
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog.errors import LogError
from sottovoce.eventlog.registry import Registry, default_registry
from sottovoce.projections.view import Entry, View


class Garbled(SottovoceError):
    """The server sent an invalid view. Use the same version here and on the server."""


class RemoteGame:
    """One viewer's view of a remote game so far: a seat's, or the public one for None.

    `ruleset` is known after the opening, which is the first entry of every view.
    """

    def __init__(self, seat: str | None, registry: Registry | None = None) -> None:
        self.seat = seat
        self._registry = registry or default_registry()
        self._entries: list[Entry] = []
        self._ruleset: Ruleset[Any] | None = None
        self._state: Any = None
        self._told: dict[int, tuple[str, int] | None] = {}
        self._kept: dict[Any, Any] = {}

    @property
    def seq(self) -> int:
        """Return how many entries have arrived."""
        return len(self._entries)

    @property
    def ruleset(self) -> Ruleset[Any]:
        """Return the game's ruleset. Raises Garbled before any entry has arrived."""
        if self._ruleset is None:
            raise Garbled
        return self._ruleset

    @property
    def state(self) -> Any:
        """Return what the viewer knows."""
        return self.ruleset.initial if self._state is None else self._state

    def take(self, sent: Iterable[Mapping[str, Any]]) -> list[Entry]:
        """Accept entries from the server and return the new ones. Entries that arrived before are skipped.

        Raises Garbled if one is missing or unreadable.
        """
        fresh: list[Entry] = []
        for item in sent:
            entry = self._entry(item)
            expected = self.seq + len(fresh) + 1
            if entry.seq > expected:
                raise Garbled(f"The server sent entry {entry.seq} instead of {expected}. Ask again.")
            if entry.seq == expected:
                fresh.append(entry)
        if fresh and self._ruleset is None:
            self._ruleset = _ruleset(fresh[0])
        if fresh:
            self._state = fold(self.ruleset, [entry.event for entry in fresh], self.state)
            self._entries += fresh
        return fresh

    def view(self) -> View[Any]:
        """Return the current view. Later entries do not change it."""
        return View(
            self.ruleset, self.seat or "", self._entries, len(self._entries), self.state, self._told, self._kept
        )

    def _entry(self, item: Mapping[str, Any]) -> Entry:
        try:
            event = self._registry.decode(item["name"], msgspec.json.encode(item["data"]))
            return Entry(int(item["seq"]), datetime.fromisoformat(item["at"]), event)
        except LogError as error:
            raise Garbled(f"{str(error).rstrip('.')}.") from None
        except (KeyError, TypeError, ValueError):
            raise Garbled from None


def _ruleset(first: Entry) -> Ruleset[Any]:
    opening = first.event
    if not isinstance(opening, GameOpened):
        raise Garbled
    if opening.ruleset not in RULESETS:
        raise SottovoceError(f"This game uses {opening.ruleset}, which is not installed here. Install its ruleset.")
    return RULESETS[opening.ruleset]
