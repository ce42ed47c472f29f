"""What an agent had in mind, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sottovoce.domain.safe_text import one_line
from sottovoce.projections.thoughts import Thought


def told_thought(thought: Thought) -> Iterator[str]:
    """The thoughts, the suspicion, and the notes, each below its name."""
    if thought.thoughts:
        yield from _told("thinks", thought.thoughts)
    if thought.suspicion:
        yield f"suspects: {told_suspicion(thought.suspicion)}"
    if thought.notes is not None:
        yield from _told("notes", thought.notes)


def told_suspicion(suspicion: Mapping[str, tuple[float, float | None]]) -> str:
    """Suspicion by seat, the most suspected first, each with how far it moved if that is known."""
    much = sorted(suspicion.items(), key=lambda one: -one[1][0])
    return ", ".join(f"{one_line(name)} {value:g}{f' ({moved:+g})' if moved else ''}" for name, (value, moved) in much)


def _told(what: str, text: str) -> Iterator[str]:
    first, *others = [one_line(line) for line in text.splitlines() if line.strip()] or [""]
    yield f"{what}: {first}"
    yield from (f"  {line}" for line in others)
