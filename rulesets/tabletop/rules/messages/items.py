"""The items of a reply: a message, a change, a roll, or what cannot be read; and the forms that they have in JSON.

The forms are pydantic models, whose schema is what a model is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

Operation = Literal["set", "append", "remove"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where and when a NARRATIVE plays, in the GM's plain words (T-168). Either may be empty, but not both."""

    name: str
    time: str = ""


@dataclass(frozen=True, slots=True)
class Send:
    """A message on its way: `recipient` is one seat, or None for a broadcast. `content` is the text to be parsed.

    `place` goes with a NARRATIVE alone.
    """

    transport: Literal["broadcast", "message"]
    recipient: str | None
    content: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A change of a document, below a heading or as a whole: the text is set, appended or removed (T-144)."""

    document: str
    heading: str | None
    operation: Operation
    text: str


@dataclass(frozen=True, slots=True)
class ResourceDelta:
    """A change of a character's resource: a number is added to it, a text is what it is from now on (T-144)."""

    character: str
    resource: str
    change: int | str


@dataclass(frozen=True, slots=True)
class RollRequest:
    """Dice that a seat asks the game to roll, against `dc` where one is known (T-166)."""

    who: str
    check: str
    expression: str
    dc: int | None


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document that the GM wants to read within its turn, below one heading or as a whole."""

    document: str
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class FactsRequest:
    """Facts of a person or place that the GM asks for within its turn, about a topic or all of them."""

    about: str
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A check that the GM asks for within its turn: a skill of a character's, for a fact where one is named."""

    skill: str
    who: str
    fact: str | None = None


@dataclass(frozen=True, slots=True)
class AttitudeChange:
    """How much better or worse somebody of the campaign thinks of the party from now on."""

    who: str
    change: int


@dataclass(frozen=True, slots=True)
class Malformed:
    """An item that cannot be read, and what is wrong with it; the others stand (T-142)."""

    message: str


Item = (
    Send
    | TextDelta
    | ResourceDelta
    | RollRequest
    | OpenDocument
    | FactsRequest
    | CheckRequest
    | AttitudeChange
    | Malformed
)

# the forms


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("may not be blank")
    return text


Filled = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_not_blank)]
LARGEST_CHANGE = 1_000_000


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class EnvelopeForm(_Form):
    """A message. `type` is broadcast or message; a message names one seat as its recipient, a broadcast none.

    With a NARRATIVE, `place` and `time` may say in plain words where and when it plays."""

    type: Literal["broadcast", "message"]
    recipient: str | None = None
    content: str
    place: str | None = None
    time: str | None = None


class TextDeltaForm(_Form):
    """A change of the text below one heading of a document, or of all of it. Only `remove` goes without a text."""

    document: Filled
    heading: Filled | None = None
    operation: Operation
    text: str = ""


class ResourceDeltaForm(_Form):
    """A change of a character's resource: a number to add (negative to take away), or what it is from now on."""

    character: Filled
    resource: Filled
    change: Annotated[int, Field(ge=-LARGEST_CHANGE, le=LARGEST_CHANGE)] | Filled


class RollForm(_Form):
    """A roll: who rolls, for which check, the dice such as 1d20+5, and the difficulty where it is known."""

    who: Filled
    check: Filled
    expression: Filled
    dc: Annotated[int, Field(ge=-LARGEST_CHANGE, le=LARGEST_CHANGE)] | None = None


class DeltaItem(_Form):
    """A change of what the campaign holds."""

    delta: TextDeltaForm | ResourceDeltaForm


class RollItem(_Form):
    """A request for dice."""

    roll: RollForm


class OpenForm(_Form):
    """A document that is to be shown, below one heading or as a whole."""

    open: Filled
    heading: Filled | None = None


class FactsForm(_Form):
    """A person or place of the campaign whose facts are to be shown, on a topic or all of them."""

    facts: Filled
    topic: Filled | None = None


class CheckForm(_Form):
    """A check: the skill, who rolls, and the fact that success opens, by its id."""

    check: Filled
    who: Filled
    fact: Filled | None = None


class AttitudeForm(_Form):
    """How much better or worse a person of the campaign thinks of the party from now on."""

    attitude: Filled
    change: Annotated[int, Field(ge=-2, le=2)]


class ReplyForm(_Form):
    """A whole reply: messages, changes and rolls in the order in which they are meant. Empty: nothing is sent."""

    messages: list[EnvelopeForm | DeltaItem | RollItem | OpenForm | FactsForm | CheckForm | AttitudeForm]
