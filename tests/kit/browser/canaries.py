"""Games whose secrets are marked with words that occur nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from sottovoce.domain.events import Recorded

PROSE = 12
"""The length from which a text with a space counts as someone's words."""


def canary(position: int) -> str:
    """Return the mark for what happened there: the same in every run, and in no other text."""
    return f"kanari{sha256(str(position).encode()).hexdigest()[:14]}"


def planted(log: Sequence[Recorded], seat: str | None) -> tuple[list[Recorded], dict[str, str]]:
    """Return the log with a canary in all words that the seat can't see (without a seat: that not everyone sees),
    and each canary's event name."""
    marked, canaries = [], {}
    for item in log:
        hidden = item.audience.seats is not None and (seat is None or not item.audience.includes(seat))
        found = _marked(item, canary(item.position)) if hidden else None
        if found is not None:
            canaries[canary(item.position)] = item.name
        marked.append(found or item)
    return marked, canaries


def _marked(item: Recorded, mark: str) -> Recorded | None:
    """Return the event with the mark in its words, or None if it has none or would become invalid."""
    data = item.event.data()
    changed = _in_words(data, mark)
    if changed == data:
        return None
    try:
        event = msgspec.convert(changed, type(item.event))
    except msgspec.ValidationError:
        return None
    return msgspec.structs.replace(item, event=event, body=event.encoded(), salt=b"", hash=b"")


def _in_words(value: Any, mark: str) -> Any:
    match value:
        case str() if len(value) >= PROSE and " " in value and value[0] not in "{[" and not value[-1].isdigit():
            return f"{value} {mark}"
        case dict():
            return {key: _in_words(held, mark) for key, held in value.items()}
        case list():
            return [_in_words(held, mark) for held in value]
    return value
