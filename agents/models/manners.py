"""How an endpoint wants to be asked, learnt from what it refuses: one manner for each address and model.

    lower         the next manner to try after a refusal, and whether the refusal named what is wrong
    Manners       what was learnt, kept only once an answer came of it, and tried again later

A filter, a full account, a prompt that is too long or an odd answer says nothing about the form of a request: no manner
follows from it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sottovoce.agents.models.manner import Format, Manner
from sottovoce.agents.models.refusals import Refusal

Place = tuple[str, str]
"""An address and a model."""

TRIED_AGAIN = 600.0
"""Seconds after which the best manner is tried again; twice as many each time that it is refused again."""
SURE = 2
"""Calls that must agree before a manner is kept which no refusal named."""


_LIMIT = re.compile(r"\bmax_(?:completion_)?tokens\b", re.IGNORECASE)
_TOO_MANY = re.compile(
    r"max_(?:completion_)?(?:output_)?tokens[^\n]{0,60}?(?:too large|at most|less than or equal to|<=|exceeds?|maximum)"
    r"[^\n]{0,60}?(\d{2,7})",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?schema|json mode|structured output|grammar|guided|\bschema\b|"
    r"can handle the requested param|output_config|text\.format",
    re.IGNORECASE,
)
_STRICT = re.compile(r"\bstrict\b|additionalProperties|invalid schema|schema for", re.IGNORECASE)
_SYSTEM = re.compile(
    r"(?:system|developer) (?:role|messages?|prompts?|instructions?)|role[^\n]{0,12}\bsystem\b|roles? must alternate|"
    r"only user and assistant|(?:system|developer)[^\n]{0,20}(?:not supported|unsupported|not enabled)",
    re.IGNORECASE,
)
_STREAM = re.compile(
    r"only (?:supports?|allows?|accepts?)[^\n]{0,12} stream|stream(?:ing)?(?: mode)? (?:is )?(?:required|only)|"
    r"non-?streaming|\"?stream\"? (?:must|should) be|must (?:set|use) stream|requires? stream",
    re.IGNORECASE,
)
_RESPONSES = re.compile(r"\bv1/responses\b|\bresponses api\b", re.IGNORECASE)
_SAMPLING = re.compile(
    r"\b(temperature|top_p|top_k|min_p|seed|random_seed|reasoning_effort|reasoning|verbosity|presence_penalty|"
    r"frequency_penalty|prompt_cache_key|prompt_cache_breakpoint|cache_control|stream_options|extra_body|chat_template_kwargs)\b"
)
_NO_REASON = re.compile(
    r"\W*(?:(?:an? )?(?:internal |unexpected |unknown )?(?:server )?error(?: occurred)?\W*)?", re.IGNORECASE
)
_REFUSING = frozenset({400, 404, 405, 415, 422, 500, 501})


def lower(manner: Manner, refusal: Refusal, sent: Mapping[str, Any]) -> tuple[Manner, bool] | None:
    """The next manner to try, and whether the refusal named what is wrong; None where another manner would not help."""
    if refusal.status not in _REFUSING or refusal.cause not in ("parameter", "model", "address", "fault"):
        return None
    said, param = refusal.said, refusal.param
    named = _named(manner, said, param, sent)
    if named is not None:
        return named, True
    if refusal.cause in ("model", "address") or (
        refusal.cause == "fault" and not _NO_REASON.fullmatch(refusal.message)
    ):
        return None
    if manner.format != "none" and "format" in sent:
        return replace(manner, format="none"), False
    if manner.system == "system":  # templates that raise on a system's message answer with a bare 500
        return replace(manner, system="user"), False
    return None


def _named(manner: Manner, said: str, param: str, sent: Mapping[str, Any]) -> Manner | None:
    if manner.api == "chat" and _RESPONSES.search(said):
        return replace(manner, api="responses")
    if not manner.stream and (_STREAM.search(said) or param == "stream"):
        return replace(manner, stream=True)
    if (found := _TOO_MANY.search(said)) and (most := int(found[1])) < int(sent.get("tokens", 0)):
        return replace(manner, most=most)
    by_name = _LIMIT.search(param) or (_LIMIT.search(said) and not _FORMAT.search(param))
    if by_name and "limit" not in manner.dropped and manner.api == "chat" and not found:
        other: Any = "max_tokens" if manner.limit == "max_completion_tokens" else "max_completion_tokens"
        return replace(manner, limit=other, dropped=manner.dropped | {"limit"})
    if names := {name for name in _SAMPLING.findall(f"{param} {said}") if name in sent}:
        return replace(manner, dropped=manner.dropped | names)
    if manner.system == "system" and _SYSTEM.search(said):
        return replace(manner, system="user")
    if "format" in sent and manner.format != "none" and (_FORMAT.search(param) or _FORMAT.search(said)):
        return replace(manner, format=_next_format(manner.format, said))
    return None


def _next_format(format: Format, said: str) -> Format:
    if format == "json_schema" and _STRICT.search(said):
        return "json_schema, not strict"
    return "none" if format == "json_object" or "grammar" in said.lower() else "json_object"


@dataclass(slots=True)
class _Known:
    manner: Manner
    until: float
    wait: float = TRIED_AGAIN


@dataclass(slots=True)
class Manners:
    """What was learnt of endpoints and models in this process."""

    _known: dict[Place, _Known] = field(default_factory=dict)
    _doubts: dict[tuple[Place, Manner], int] = field(default_factory=dict)

    def of(self, place: Place, first: Manner) -> tuple[Manner, Manner | None]:
        """The manner to ask in now, and the one to go back to where this is a probe of the best."""
        known = self._known.get(place)
        if known is None:
            return first, None
        if time.monotonic() < known.until:
            return known.manner, None
        known.wait *= 2
        known.until = time.monotonic() + known.wait  # nobody else probes meanwhile
        return first, known.manner

    def answered(self, place: Place, first: Manner, manner: Manner, *, named: bool) -> None:
        """An answer came of that manner; `named`: whether all that led to it was named by refusals."""
        if manner == first:
            self._known.pop(place, None)
            for key in [key for key in self._doubts if key[0] == place]:
                del self._doubts[key]
            return
        known = self._known.get(place)
        if known is not None and known.manner == manner:
            return
        if not named:
            self._doubts[place, manner] = self._doubts.get((place, manner), 0) + 1
            if self._doubts[place, manner] < SURE:
                return
        self._known[place] = _Known(manner, time.monotonic() + TRIED_AGAIN)


MANNERS = Manners()
"""What this process has learnt."""
