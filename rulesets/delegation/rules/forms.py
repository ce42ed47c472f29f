"""What an agent that answers in fields fills in: an action with its file, never a whole control message.

Sender, receiver, round and path are not asked for, so that none of them can be wrong.
"""

from __future__ import annotations

from sottovoce import Field, Fields


class Filled(Fields):
    """The message that is due, with its file."""

    action: str
    file: str = Field(default="", description="the whole text of the file that goes with it, in Markdown")
    note: str = Field(default="", description="a note of one line, or nothing for the usual one")
    to: str = Field(default="", description="whom it goes to, where that is yours to say, else nothing")

    def __str__(self) -> str:
        """The bare action with its headers and its file, as the rules read it."""
        headers = [
            f"{name}: {' '.join(value.split())}" for name, value in (("to", self.to), ("note", self.note)) if value
        ]
        return "\n".join([self.action, *headers, "", self.file])
