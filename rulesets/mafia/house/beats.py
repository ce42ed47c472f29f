"""What speeches are made of."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SpeechPart:
    """One thing to say: a topic of the phrase books, and the names in it."""

    topic: str
    names: dict[str, str] = field(default_factory=dict)
