"""What a seat gets at one moment, and the first difference between two such observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from sottovoce.domain.events import Recorded
from sottovoce.domain.turns import Turn
from sottovoce.isolation.system import PromptBuilder, System
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import Entry, View


@dataclass(frozen=True, slots=True)
class PromptSnapshot:
    """One open turn as its seat gets it."""

    turn: Turn
    context: tuple[str, ...]
    ask: str
    prompt: str


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything a seat gets at one moment: its entries as JSON, also as pieces and marks, its open turns and its
    state."""

    entries: tuple[bytes, ...]
    told: tuple[str, ...]
    asked: tuple[PromptSnapshot, ...]
    state: Any
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two observations differ that should not, and how to see it again."""

    how: str
    what: str
    repeat: str = ""

    def __str__(self) -> str:
        return f"{self.how}: {self.what}" + (f"\n  repeat: {self.repeat}" if self.repeat else "")


class Watcher:
    """One seat that follows a log. You can call `see` at any time; each entry is serialised once."""

    def __init__(self, system: System, seat: str, prompts: PromptBuilder | None = None) -> None:
        self.system = system
        self.seat = seat
        self.projection = system.projection(system.ruleset, seat)
        self.prompts = prompts or system.prompts()
        self._teller = Teller(system.ruleset, seat)
        self._written: dict[int, tuple[Entry, bytes, str]] = {}

    def take(self, recorded: Recorded) -> None:
        self.projection.take(recorded)

    @property
    def seq(self) -> int:
        return self.projection.seq

    def see(self) -> Seen:
        """Return what the seat has and is asked now.

        An exception is an observation too, because no one should see one.
        """
        try:
            return self._see(self.projection.view())
        except Exception as error:
            return Seen((), (), (), None, f"{type(error).__name__}: {error}")

    def _see(self, view: View[Any]) -> Seen:
        entries, told = [], []
        for entry in view.entries:
            known = self._written.get(id(entry))
            if known is None:
                told_as = in_words(self._teller.shown(entry.event))
                known = self._written[id(entry)] = (entry, written(self.system, entry), told_as)
            entries.append(known[1])
            told.append(known[2])
        asked = []
        for turn in view.turns:
            request = view.ruleset.request(view.state, turn)
            asked.append(PromptSnapshot(turn, request.context, request.whole, self.prompts(view, turn)))
        return Seen(tuple(entries), tuple(told), tuple(asked), view.state)


def spectate(system: System, log: Sequence[Recorded]) -> Seen:
    """Return what a viewer without a seat gets from a log."""
    try:
        view = system.spectator(system.ruleset, log)
        teller = Teller(system.ruleset)
        told = tuple(in_words(teller.shown(entry.event)) for entry in view.entries)
        return Seen(tuple(written(system, entry) for entry in view.entries), told, (), view.state)
    except Exception as error:
        return Seen((), (), (), None, f"{type(error).__name__}: {error}")


def written(system: System, entry: Entry) -> bytes:
    """Return the entry as JSON."""
    return msgspec.json.encode(system.entry(entry))


def in_words(told: Mapping[str, Any]) -> str:
    """A piece and its marks, in full."""
    return msgspec.json.encode(told).decode()


def difference(one: Seen, other: Seen) -> str | None:
    """Return the first difference in a line or two, or None. An error always counts as one."""
    if one.error or other.error:
        return f"raised {one.error or other.error}"
    if one.entries != other.entries:
        return "entries: " + _first(one.entries, other.entries)
    if one.told != other.told:
        return "told: " + _first(one.told, other.told)
    if one.asked != other.asked:
        return _asked(one.asked, other.asked)
    if one.state != other.state:
        fields = one.state.__struct_fields__
        name = next(name for name in fields if getattr(one.state, name) != getattr(other.state, name, None))
        return f"state.{name}: {_apart(str(getattr(one.state, name)), str(getattr(other.state, name, None)))}"
    return None


def _asked(one: tuple[PromptSnapshot, ...], other: tuple[PromptSnapshot, ...]) -> str:
    if [asked.turn for asked in one] != [asked.turn for asked in other]:
        return "turns: " + _first([asked.turn for asked in one], [asked.turn for asked in other])
    for mine, theirs in zip(one, other, strict=True):
        for part in ("context", "ask", "prompt"):
            if getattr(mine, part) != getattr(theirs, part):
                where = f"{part} of {mine.turn.kind} turn {mine.turn.number}"
                return f"{where}: {_apart(str(getattr(mine, part)), str(getattr(theirs, part)))}"
    raise AssertionError("equal after all")


def first_apart(one: Sequence[object], other: Sequence[object]) -> str | None:
    """Return the first index at which two sequences differ, or None."""
    return None if one == other else _first(one, other)


def _first(one: Sequence[object], other: Sequence[object]) -> str:
    for number, (mine, theirs) in enumerate(zip(one, other, strict=False), 1):
        if mine != theirs:
            return f"number {number}: {_apart(_text(mine), _text(theirs))}"
    longer = one if len(one) > len(other) else other
    return (
        f"{len(one)} against {len(other)}; the first one too many is {_text(longer[min(len(one), len(other))])[:200]}"
    )


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _apart(one: str, other: str) -> str:
    """Return the two texts around the place where they differ."""
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, at - 50)
    return f"{one[start : at + 70]!r} against {other[start : at + 70]!r}"
