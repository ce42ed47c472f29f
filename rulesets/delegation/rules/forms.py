"""What an agent that answers in fields fills in: an action with its file, never a whole control message.

Sender, receiver, round and path are not asked for, so that none of them can be wrong.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from sottovoce import Form


class Filled(BaseModel):
    """The fields of any action; `action` is narrowed to those that the turn takes."""

    action: str
    file: str = Field(default="", description="the whole text of the file that goes with it, in Markdown")
    note: str = Field(default="", description="a note of one line, or nothing for the usual one")
    to: str = Field(default="", description="whom it goes to, where that is yours to say, else nothing")


def form_of(choices: tuple[str, ...]) -> Form:
    """The fields of a turn that asks for one of those messages."""
    return Form(_fields(choices), _reply)


@lru_cache(maxsize=16)
def _fields(choices: tuple[str, ...]) -> type[BaseModel]:
    legal: Any = Literal.__getitem__(choices)
    return create_model("Filled", __base__=Filled, action=(legal, ...))


def _reply(filled: Any) -> str:
    """The bare action with its headers and its file, as the rules read it."""
    headers = [
        f"{name}: {' '.join(value.split())}" for name, value in (("to", filled.to), ("note", filled.note)) if value
    ]
    return "\n".join([filled.action, *headers, "", filled.file])
