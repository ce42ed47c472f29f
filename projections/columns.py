"""Columns that `run --csv` has for one ruleset beside those that it has for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sottovoce.domain.events import Event


@dataclass(frozen=True, slots=True)
class Columns:
    """`of(events)` gives, from one whole game, the seats' texts in the order of `names`; a seat it lacks has none."""

    names: tuple[str, ...]
    of: Callable[[Iterable[Event]], Mapping[str, Sequence[str]]]
