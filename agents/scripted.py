"""`scripted:FILE`: replies from a YAML file."""

from __future__ import annotations

import json
import random as random_module
from collections import defaultdict
from pathlib import Path
from typing import Any

import yaml

from sottovoce.agents.agent import AgentFailed, CallRecord
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View


class ScriptUnusable(SottovoceError):
    """The script cannot be used."""

    exit_code = 2


class ScriptedAgent:
    """Plays from a script: a list of replies, one per turn, or a mapping from a turn's kind to such a list.

    Turn number N of the seat takes reply number N, so that a resumed game continues where it stopped; in a mapping the
    turns of each kind are counted. A list for `{ask}` can contain lists, with one text for each attempt. A reply that
    is a mapping fills in fields. A script that is used up, or contains null, gives no reply.
    """

    by = "view"
    immediate = True

    def __init__(self, script: list[Any] | dict[str, Any]) -> None:
        self._script = script

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedAgent:
        """The script in a YAML file; ScriptUnusable says what is wrong with it."""
        try:
            loaded = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ScriptUnusable(f"Cannot read the script {path}: {error.strerror}. Check the path.") from None
        except (yaml.YAMLError, UnicodeDecodeError):
            raise ScriptUnusable(f"The script {path} is not YAML. Write a list of replies.") from None
        if isinstance(loaded, dict) and all(isinstance(value, list) for value in loaded.values()):
            return cls({str(kind): value for kind, value in loaded.items()})
        if isinstance(loaded, list):
            return cls(loaded)
        raise ScriptUnusable(f"The script {path} must be a list of replies, or lists by turn kind.")

    async def act(self, view: View[Any], turn: Turn, random: random_module.Random, record: CallRecord) -> str:
        place, replies = turn.number - 1, self._script
        if isinstance(replies, dict):
            place = _count_before(view, turn)
            replies = replies.get(turn.kind, [])
        reply = replies[place] if place < len(replies) else None
        if isinstance(reply, list):
            reply = reply[turn.attempt - 1] if turn.attempt <= len(reply) else None
        if reply is None:
            raise AgentFailed("The script holds no reply for this turn.")
        if isinstance(reply, dict):
            return json.dumps(reply, ensure_ascii=False, default=str)
        return {True: "yes", False: "no"}[reply] if isinstance(reply, bool) else str(reply)


def _count_before(view: View[Any], turn: Turn) -> int:
    """How many turns of the same kind the seat had before this one."""
    kinds: dict[str, int] = defaultdict(int)
    for entry in view.entries:
        opened = entry.event
        if entry.name == "core.turn-opened.v1" and getattr(opened, "turn", 0) < turn.number:
            kinds[getattr(opened, "kind", "")] += 1
    return kinds[turn.kind]
