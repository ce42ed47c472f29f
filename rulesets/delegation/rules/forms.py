"""What an agent that answers in fields fills in: an action with its file, never a whole control message.

Sender, receiver, round and path are not asked for, so that none of them can be wrong.
"""

from __future__ import annotations

from typing import Any

from sottovoce import Field, Fields
from sottovoce.rulesets.delegation.rules.diff_lines import Side
from sottovoce.rulesets.delegation.rules.remarks import HEADING, written


class RemarkGiven(Fields):
    """A remark at a line, or at the lines up to `last`."""

    file: str = Field(description="the path of a changed file")
    line: int = Field(ge=1, le=9_999_999, description="the number of the line, as the diff has it")
    last: int | None = Field(default=None, ge=1, le=9_999_999, description="the last line, if there are several")
    side: Side = Field(default="new", description="old for a line as it was when the task began")
    round: int | None = Field(
        default=None, ge=1, le=9_999_999, description="the round of the code, if it is not the last one"
    )
    text: str = Field(description="what you say of it")


def remarks_written(remarks: tuple[RemarkGiven, ...]) -> str:
    """Remarks as the text that makes them; the rules check them when they read it."""
    given: list[dict[str, Any]] = [one.model_dump() for one in remarks]
    return written(given)


class Decided(Fields):
    """A choice about a task, with words and with remarks at lines of its code."""

    choice: str = ""
    words: str = Field(default="", description="what you say with it")
    remarks: tuple[RemarkGiven, ...] = Field(default=(), description="remarks at lines of the code")

    def __str__(self) -> str:
        """The choice, the words below it, and each remark in a line."""
        return "\n".join(filter(None, (self.choice, self.words, remarks_written(self.remarks))))


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


class Reported(Filled):
    """A review with its report."""

    remarks: tuple[RemarkGiven, ...] = Field(default=(), description="remarks at lines of the code")

    def __str__(self) -> str:
        """The remarks are a section of the report."""
        if not self.remarks:
            return super().__str__()
        in_a_line = tuple(one.model_copy(update={"text": " ".join(one.text.split())}) for one in self.remarks)
        listed = "\n".join(f"- {line}" for line in remarks_written(in_a_line).split("\n"))
        return f"{super().__str__().rstrip()}\n\n## {HEADING}\n\n{listed}\n"
