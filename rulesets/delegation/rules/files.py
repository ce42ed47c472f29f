"""The files that a text is about: what the server reads for it, and what it writes when the text is accepted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sottovoce.rulesets.delegation.rules.replies import carried
from sottovoce.rulesets.delegation.rules.state import DelegationState


def named(state: DelegationState, seat: str, turn: Any, text: str) -> Sequence[str]:
    """The path that the text's message points to, relative to the game's folder (D-014)."""
    found = carried(state, seat, turn, text)
    return (found[0].artifact_path,) if found is not None and found[0].artifact_path else ()


def brought(state: DelegationState, seat: str, turn: Any, text: str) -> Mapping[str, bytes]:
    """The file that the text brings along. One that is recorded already is never written again."""
    message, content = carried(state, seat, turn, text) or (None, None)
    if message is None or content is None:
        return {}
    task = state.tasks.get(message.task_id)
    if task is not None and message.artifact_path in task.files:
        return {}
    return {message.artifact_path: content.encode()}


def recorded(state: DelegationState) -> Mapping[str, tuple[str, bytes | None]]:
    """Every file that a message pointed to, by path, as recorded: its SHA-256, and its bytes where it is text."""
    filed = {path: one for task in state.tasks.values() for path, one in task.files.items()}
    return {path: (one.sha256, None if one.text is None else one.text.encode()) for path, one in filed.items()}


def documents(state: DelegationState) -> Mapping[str, bytes]:
    """The files that a seat may read, by path, as they were recorded."""
    return {path: data for path, (_, data) in recorded(state).items() if data is not None}


def folder(state: DelegationState) -> str | None:
    """The folder below which the files lie; None where the game was opened without one."""
    return state.folder
