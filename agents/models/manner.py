"""The form of a request to an endpoint: names of parameters, format of the answer, place of the system's text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Format = Literal["json_schema", "json_schema, not strict", "json_object", "none"]


@dataclass(frozen=True, slots=True)
class Manner:
    """The form of a request. `dropped` are parameters that are left out; `most` is the most tokens of an answer."""

    api: Literal["chat", "responses"] = "chat"
    limit: Literal["max_completion_tokens", "max_tokens", "none"] = "max_completion_tokens"
    format: Format = "json_schema"
    system: Literal["system", "user"] = "system"
    stream: bool = False
    dropped: frozenset[str] = frozenset()
    most: int | None = None

    def told(self) -> dict[str, Any]:
        """What differs from the usual manner, for a receipt."""
        usual = Manner()
        changed = {name: getattr(self, name) for name in self.__slots__ if getattr(self, name) != getattr(usual, name)}
        return changed | ({"dropped": sorted(self.dropped)} if self.dropped else {})
