"""A session in short, for prompts without room for all of it: the scene, what was told and done, what is still open."""

from __future__ import annotations

from collections.abc import Iterator

from sottovoce.rulesets.tabletop.rules.names import GM
from sottovoce.rulesets.tabletop.rules.state import TabletopState
from sottovoce.rulesets.tabletop.rules.words.extracts import resource_lines, where

LENGTHS = ((40, 400, 1200), (20, 240, 800), (10, 160, 500), (5, 100, 300))
"""How many deeds are told, and with how many characters each; and how many of the last narrative."""


def digest(state: TabletopState, seat: str) -> tuple[tuple[str, ...], ...]:
    """What the seat knows of the session, at several lengths, the longest first. The weightiest lines come last."""
    return tuple(tuple(_told(state, seat, *lengths)) for lengths in LENGTHS)


def _told(state: TabletopState, seat: str, deeds: int, each: int, narrative: int) -> Iterator[str]:
    yield from resource_lines(state, state.played if seat == GM else (seat,))
    done = list(state.deeds)[-deeds:]
    if len(done) < len(state.deeds):
        yield f"{len(state.deeds) - len(done)} earlier deeds are left out."
    yield from (f"{character}: {_quoted(text, each)}" for character, text in done)
    if state.scene_told or seat == GM:
        yield where(state)
    if state.last_shown or state.last_narrative:
        yield f"Told last: {_quoted(state.last_shown or state.last_narrative, narrative)}"
    for character, request in state.requests.items():
        yield f"Still to be answered by {character} ({request.type}): {_quoted(request.body, each)}"
    for question in state.questions:
        yield f"Still to be answered by the human: {_quoted(question.question, each)}"


def _quoted(text: str, most: int) -> str:
    """Somebody's words on one line, marked so that they cannot pass for the game's own voice."""
    words = " ".join(line for line in text.replace("«", "‹").replace("»", "›").split() if line != "##")
    return f"«{words if len(words) <= most else f'{words[:most]} […]'}»"
