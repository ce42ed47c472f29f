"""A far table: the entries that come from a server, folded into a view by the ruleset itself.

Nothing but the seat's own entries is here, as nothing else leaves the server; so prompts, screens and what is completed
are those of a game played at this machine.
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


class FarTable:
    """One chair's view of a far game, as far as it has come: a seat's, or the public one for None.

    `ruleset` is known once the opening has come, which is the first entry of every view.
    """

    def __init__(self, seat: str | None, registry: Registry | None = None) -> None:
        self.seat = seat
        self._registry = registry or default_registry()
        self._entries: list[Entry] = []
        self._ruleset: Ruleset[Any] | None = None
        self._state: Any = None
        self._told: dict[int, tuple[str, int] | None] = {}

    @property
    def seq(self) -> int:
        """How many entries have come."""
        return len(self._entries)

    @property
    def ruleset(self) -> Ruleset[Any]:
        """The rules of the game. Raises Garbled while nothing has come."""
        if self._ruleset is None:
            raise Garbled
        return self._ruleset

    @property
    def state(self) -> Any:
        """What the chair knows."""
        return self.ruleset.initial if self._state is None else self._state

    def take(self, sent: Iterable[Mapping[str, Any]]) -> list[Entry]:
        """Take in entries as the server tells them; those that are new here. One that came before is passed over.

        Raises Garbled where one is missing before the next, or cannot be read.
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
        """The view as it is now; what comes later does not change it."""
        return View(self.ruleset, self.seat or "", self._entries, len(self._entries), self.state, self._told)

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
