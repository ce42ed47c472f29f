"""What ordinary events do to a state, to stand as `fold` in an event class, and the hidden matters that they carry."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

Fold = Callable[[Any, Any], Any]
"""`(event, state) -> state`, to stand as `fold` in an event class."""


def sets(*fields: str) -> Fold:
    """The event's fields become those of the state that have their names."""
    return lambda event, state: state.but(**{field: getattr(event, field) for field in fields})


def adds(field: str) -> Fold:
    """The event is added to that field of the state."""
    return lambda event, state: state.but(**{field: _and(getattr(state, field), event)})


def counts(field: str) -> Fold:
    """That field of the state grows by one."""
    return lambda event, state: state.but(**{field: getattr(state, field) + 1})


def changes_nothing(event: Any, state: Any) -> Any:
    """What the event tells is nothing that the rules need."""
    return state


def fact(kind: str, *fields: str, being: str | None = None) -> Callable[[Any], frozenset[tuple[str, ...]]]:
    """The hidden matter, to stand as `facts` in an event class: its kind, and the fields that say what it is.

    A field that holds several values makes one matter of each. `being` is a last part that is always the same.
    """
    last = () if being is None else ((being,),)
    return lambda event: frozenset(product((kind,), *(_each(getattr(event, field)) for field in fields), *last))


def _each(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def _and(items: Any, item: Any) -> Any:
    return items.and_then(item) if hasattr(items, "and_then") else (*items, item)
