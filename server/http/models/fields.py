"""The fields that many models have, and how their examples are written."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

GAME = "k7m2p9qrst"

Name = Annotated[str, Field(min_length=1, max_length=100)]
Status = Literal["open", "held", "over", "void"]


def example(**values: Any) -> ConfigDict:
    """A model that takes nothing else, with an example."""
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [values]})
