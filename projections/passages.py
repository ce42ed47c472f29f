"""The form of a chapter to read, before it has a format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sottovoce.projections.view import View

PassageKind = Literal["scene", "telling", "deed", "speech", "thought", "note"]
"""A scene's heading, what was told, what the seat did, what was said, what it thought, and a remark at the end."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a chapter, as plain text."""

    kind: PassageKind
    text: str


@dataclass(frozen=True, slots=True)
class Novel:
    """A chapter: its title, through whose eyes, and its passages in order."""

    title: str
    whose: str
    passages: Sequence[Passage]


Novelist = Callable[[View[Any]], Novel]
"""Makes the chapter of a seat's view."""
