"""A seat's turns: what it is asked, and what it sends."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sottovoce.domain.game import LONGEST_REPLY
from sottovoce.domain.reading import readable
from sottovoce.server.http.models.fields import Given, example
from sottovoce.server.http.models.views import Told

MOST_TEXT = LONGEST_REPLY * 2
"""Characters of a text that is read at all: the rules refuse a shorter one already, and say so."""

Text = Annotated[str, Field(max_length=MOST_TEXT), AfterValidator(readable)]


class OpenTurn(BaseModel):
    """An open turn, with what its ruleset adds.

    `ask` is the request and `context` its context, line by line; `prompt` has both, the rules and the view.
    `options` can be answered by their numbers where any text is allowed. `form` is the JSON schema of the fields you
    can send instead of a text, and `how` says how to write that text. `enter` is the reply of a seat with nothing to
    add; `refused` says why earlier attempts were refused.
    """

    model_config = ConfigDict(extra="allow")

    turn: int
    kind: str
    choices: list[str]
    attempts_left: int
    deadline: str | None
    claimed_until: str | None
    ask: str
    how: str
    context: list[str]
    enter: str | None
    options: list[str]
    form: dict[str, Any] | None
    refused: list[str]
    prompt: str


class Inbox(BaseModel):
    """A seat's open turns and new entries."""

    model_config = example(
        seat="Ada",
        seq=12,
        over=False,
        turns=[
            {
                "turn": 7,
                "kind": "mafia.vote",
                "choices": ["Bram", "Cleo"],
                "attempts_left": 3,
                "deadline": None,
                "claimed_until": None,
                "ask": "Whom do you vote for?",
                "how": "",
                "context": ["Nominated: Bram, Cleo."],
                "enter": None,
                "options": [],
                "form": None,
                "refused": [],
                "prompt": "YOUR TURN 7. Whom do you vote for?",
            }
        ],
        entries=[],
    )

    seat: str
    seq: int
    over: bool
    turns: list[OpenTurn]
    entries: list[Told]


class Sent(Given):
    """A text that a seat sends."""

    model_config = example(text="I vote for Bram.")

    text: Text


class SentReply(Given):
    """A seat's answer to a turn: a text, or the fields of the turn's form, filled in."""

    model_config = example(text="I vote for Bram.")

    text: Text | None = None
    fields: Annotated[dict[str, Any] | None, Field(description="As the turn's `form` describes them.")] = None

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
