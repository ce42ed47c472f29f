"""A seat's turns: what it is asked, and what it sends."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from sottovoce.domain.beliefs import MOST_BELIEFS
from sottovoce.domain.game import LONGEST_REPLY
from sottovoce.domain.reading import readable
from sottovoce.server.http.models.fields import Given, example

MOST_TEXT = LONGEST_REPLY * 2
"""Characters of a text that is read at all: the rules refuse a shorter one already, and say so."""

MOST_BESIDE = 20_000
"""Characters of thoughts and notes that are read; fewer are kept."""

Text = Annotated[str, Field(max_length=MOST_TEXT), AfterValidator(readable)]


class Sent(Given):
    """A text that a seat sends."""

    model_config = example(text="I vote for Bram.")

    text: Text


class SentReply(Given):
    """A seat's answer to a turn: a text, or the fields of the turn's form, filled in."""

    model_config = example(text="I vote for Bram.")

    text: Text | None = None
    fields: Annotated[dict[str, Any] | None, Field(description="As the turn's `form` describes them.")] = None
    thoughts: Annotated[str, Field(max_length=MOST_BESIDE, description="For auditors only.")] = ""
    beliefs: Annotated[
        list[Any],
        Field(max_length=MOST_BELIEFS, description="`{player, percent}` each. For auditors only."),
    ] = []
    notes: Annotated[
        str, Field(max_length=MOST_BESIDE, description="Your notes for yourself. They replace those you have.")
    ] = ""

    @model_validator(mode="after")
    def one_of_both(self) -> Self:
        """Neither none nor both."""
        if (self.text is None) == (self.fields is None):
            raise ValueError("give either a text or the fields of the turn's form, not both")
        return self


class Accepted(BaseModel):
    """The text was accepted; `repeated` if it was accepted before.

    `seq` is the last entry of the seat that follows from it.
    """

    model_config = example(accepted=True, repeated=False, seq=14)

    accepted: Literal[True]
    repeated: bool
    seq: int
