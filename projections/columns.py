"""Extra columns of `run --csv` for one ruleset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sottovoce.domain.events import Event


@dataclass(frozen=True, slots=True)
class Columns:
    """`of(events)` returns each seat's texts, from one whole game, in the order of `names`. A missing seat has none."""

    names: tuple[str, ...]
    of: Callable[[Iterable[Event]], Mapping[str, Sequence[str]]]
