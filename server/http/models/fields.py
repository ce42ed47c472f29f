"""The fields that many models have, and how their examples are written."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

GAME = "k7m2p9qrst"

MOST_SEATS = 64
"""Seats that a game may have, and keys of any object in a body that names none."""

Name = Annotated[str, Field(min_length=1, max_length=100)]


def example(**values: Any) -> ConfigDict:
    """A model that takes nothing else, with an example."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [values]})


def _few(given: Any) -> Any:
    """Looked at first: each key that is wrong is an error, and to make thousands of those takes long."""
    if isinstance(given, dict) and len(given) > MOST_SEATS:
        raise ValueError(f"an object has at most {MOST_SEATS} keys here")
    return given


SeatAgents = Annotated[dict[Name, Name], BeforeValidator(_few), Field(max_length=MOST_SEATS)]
"""Agents by the seats that they are to fill."""


SetupValues = Annotated[dict[Name, Any], BeforeValidator(_few)]
"""What a ruleset is opened with, by the fields of its setup, which says what each takes."""


class Given(BaseModel):
    """A body that a request brings."""

    @model_validator(mode="before")
    @classmethod
    def few(cls, given: Any) -> Any:
        """No more keys than any body has."""
        return _few(given)
