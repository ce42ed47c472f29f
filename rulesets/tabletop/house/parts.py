"""Who plays the parts of a beat sheet: the party at the table, whatever its names, in the groups that it wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.house.beats import ALL, Beat, Evening


@dataclass(frozen=True, slots=True)
class Cast:
    """The party at the table, and who of it plays whom of the sheet."""

    played: tuple[str, ...]
    parts: dict[str, str]

    def of(self, names: Sequence[str], among: Sequence[str]) -> tuple[str, ...]:
        """Those of the party that the names of a sheet mean, `among` these; in seating order."""
        if tuple(names) == ALL:
            return tuple(among)
        meant = {self.parts[name] for name in names if name in self.parts}
        return tuple(name for name in among if name in meant)

    def one(self, name: str, among: Sequence[str]) -> str:
        """Who of these plays the part, or stands in for it."""
        return next(iter(self.of((name,), among)), among[0])


def cast(evening: Evening, played: Sequence[str]) -> Cast:
    """Everybody whom the sheet names plays themself; parts that nobody has go to those whom it does not name."""
    wanted = evening.names()
    free = [name for name in played if name not in wanted]
    parts = {}
    for name in wanted:
        if name in played:
            parts[name] = name
        elif free:
            parts[name] = free.pop(0)
    return Cast(tuple(played), parts)


@dataclass(frozen=True, slots=True)
class Track:
    """Beats that are played one after the other by the same part of the party; `label` is None for all of it."""

    label: str | None
    members: tuple[str, ...]
    beats: tuple[Beat, ...]


Block = tuple[Track, ...]
"""Tracks that are played side by side."""


def blocks(evening: Evening, who: Cast) -> tuple[Block, ...]:
    """The evening in the order of play: one track at a time, or one for each group while the party is split."""
    found: list[Block] = []
    run: list[Beat] = []
    for beat in (*evening.beats, None):
        if beat is not None and beat.group is not None:
            run.append(beat)
            continue
        if run:
            found.append(_split(run, who))
            run = []
        if beat is not None:
            found.append((Track(None, who.played, (beat,)),))
    return tuple(found)


def _split(run: Sequence[Beat], who: Cast) -> Block:
    """The groups of a run of beats. Whoever is in none joins the first; a group without anybody is left out."""
    named: dict[str, tuple[str, ...]] = {}
    for beat in run:
        assert beat.group is not None
        label, names = beat.group
        named[label] = (*named.get(label, ()), *names)
    members = {label: who.of(tuple(names), who.played) for label, names in named.items()}
    placed: set[str] = set()
    for label, names in members.items():
        members[label] = tuple(name for name in names if name not in placed)
        placed |= set(names)
    present = [label for label in members if members[label]] or list(members)[:1]
    rest = [name for name in who.played if name not in placed]
    members[present[0]] = tuple(name for name in who.played if name in (*members[present[0]], *rest))
    of = {label: tuple(beat for beat in run if beat.group and beat.group[0] == label) for label in present}
    if len(present) == 1:
        return (Track(None, who.played, of[present[0]]),)
    return tuple(Track(label, members[label], of[label]) for label in present)
