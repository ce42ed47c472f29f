"""Objects of frozen dataclasses made quickly, where very many are made.

A frozen dataclass fills each field by a call of its own. Its mutable twin fills them in a third of the time, and an
object of the twin becomes one of the frozen class by its `__class__`, since both have the same slots.
"""

from __future__ import annotations

from dataclasses import fields, make_dataclass
from typing import Any


def unfrozen(frozen: type) -> Any:
    """The twin of a frozen dataclass with slots, to be given every field in order; set `__class__` once it is made."""
    return make_dataclass(f"Unfrozen{frozen.__name__}", [field.name for field in fields(frozen)], slots=True)
