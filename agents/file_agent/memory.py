"""What a bridge folder's own hidden file remembers: whose folder it is, what was written there, and what was taken."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sottovoce.agents.folder import read_file, write_file
from sottovoce.domain.turns import Turn

MEMORY_FILE = ".sottovoce-bridge.json"
LARGEST = 20_000_000

Mark = tuple[int, str]
"""A content by its length in bytes and its SHA-256."""


def mark_of(content: bytes) -> Mark:
    return len(content), hashlib.sha256(content).hexdigest()


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Taken(_Form):
    """An answer that was taken out of the folder: the reply it became, and the documents whose changes went with it."""

    turn: int
    attempt: int
    reply: str
    paths: list[str] = Field(default_factory=list)


class Memory(_Form):
    """What is remembered between calls, and across processes.

    `table` and `game` tell games apart: the one as all seats see it, the other as this seat does. `own` are the paths
    of prompt and response. `written` are the contents that program and game both know, by path: what differs was
    changed by the program. `asked` is the id of the prompt that was written last, and when, in nanoseconds. `taken` are
    answers by prompt id, kept while their turn may still be open. `notes` tell the program what was not taken.
    """

    seat: str
    table: str
    game: str
    own: list[str]
    written: dict[str, Mark] = Field(default_factory=dict)
    asked: tuple[str, int] | None = None
    taken: dict[str, Taken] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)

    @classmethod
    def load(cls, top: int) -> Self | None:
        """What the folder remembers; None where there is nothing, or nothing that can be read as such."""
        try:
            return cls.model_validate_json(read_file(top, MEMORY_FILE, LARGEST) or b"")
        except (OSError, ValidationError):
            return None

    def save(self, top: int) -> None:
        write_file(top, MEMORY_FILE, self.model_dump_json().encode())

    def forget_closed(self, open_turns: Mapping[tuple[str, int], Turn]) -> None:
        """Forget the answers whose turn is closed, or asks again."""
        for prompt, taken in list(self.taken.items()):
            turn = open_turns.get((self.seat, taken.turn))
            if turn is None or turn.attempt != taken.attempt:
                del self.taken[prompt]

    def offered(self) -> Sequence[str]:
        """The paths whose changes are on their way to the game."""
        return [path for taken in self.taken.values() for path in taken.paths]
