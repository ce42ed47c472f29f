"""Why an endpoint gave no answer: its own reason in one line, what it means, and what to do about it.

Refusal           an error in whatever shape it came: status, message, code, the parameter that it names
refusal_of        reads one out of a body
CallFailed        one call that gave no answer
"""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sottovoce.agents.models.settings import Settings
from sottovoce.domain.events import Failure

Cause = Literal[
    "unreachable", "slow", "rate", "credit", "key", "forbidden", "model", "address", "parameter", "context", "filtered",
    "fault", "odd", "too long",
]  # fmt: skip
"""Why a call failed. `odd` is an answer that is no completion."""

PASSING: frozenset[Cause] = frozenset({"unreachable", "slow", "rate", "fault", "odd"})
"""What may be gone at the next try."""
UNREACHED: frozenset[Cause] = PASSING | {"credit", "key", "forbidden", "model", "address"}
"""Causes for which no model can be taken to have answered, whatever it was asked."""
LASTING: frozenset[Cause] = frozenset({"credit", "key", "forbidden", "model", "address"})
"""What whoever runs this must set right."""

LONGEST_REASON = 200

_CONTEXT = re.compile(
    r"context[ _](?:length|size|window)|maximum context|too many (?:input |prompt )?tokens|prompt (?:is )?too long|"
    r"exceeds? the (?:model's |maximum )?(?:number of tokens|context|maximum)|longer than the model|"
    r"`?inputs`? tokens \+|ContextWindowExceeded|input is too long",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content[ _-]?(?:filter|policy|management)|ContentPolicyViolation|[Rr]esponsible ?AI|safety (?:system|filter)|"
    r"\bmoderation\b|\bflagged\b|prohibited_content|\bSAFETY\b",
)
_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|credits?|balance|funds)|billing|payment required|out of credits|credit balance|"
    r"exceeded your current quota",
    re.IGNORECASE,
)
_BY_DAY = re.compile(r"per ?day|daily", re.IGNORECASE)
_RATE = re.compile(r"rate[_ -]?limit|too many requests|RESOURCE_EXHAUSTED|overloaded", re.IGNORECASE)
_NO_MODEL = re.compile(r"\bmodel\b", re.IGNORECASE)
_KEY_LIKE = re.compile(r"\b(?:sk|gsk|xai|key|pk|api|AIza)[-_*][\w*.-]{6,}|[\w*-]{24,}")
_UNPRINTABLE = re.compile(r"[^ -~]+")


class CallFailed(Exception):
    """One call that gave no answer; the text is one line for whoever runs this.

    `wait` is how long the endpoint asks to wait. `worked`: the model may have been at work, so that tokens were used
    which nobody counted. `reason` is what a game records of it.
    """

    def __init__(
        self,
        what: str,
        cause: Cause,
        status: int | None = None,
        *,
        wait: float | None = None,
        worked: bool = False,
        refusal: Refusal | None = None,
    ) -> None:
        super().__init__(what)
        self.cause: Cause = cause
        self.status = status
        self.wait = wait
        self.worked = worked
        self.refusal = refusal

    @property
    def passing(self) -> bool:
        return self.cause in PASSING

    @property
    def unreached(self) -> bool:
        return self.cause in UNREACHED

    @property
    def reason(self) -> Failure:
        return "filtered" if self.cause == "filtered" else "failed"


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error as an endpoint put it."""

    status: int
    cause: Cause
    message: str = ""
    said: str = ""
    param: str = ""
    wait: float | None = None


def error_in(body: Any) -> dict[str, Any] | None:
    """The error that a body holds, whatever its shape; None where it holds none."""
    while isinstance(body, list) and body:  # Gemini's
        body = body[0]
    if not isinstance(body, dict):
        return {"message": str(body)} if body else None
    error = body.get("error")
    if error is None or error in ("", {}, False):
        if body.get("type") == "error" or body.get("object") == "error":
            return body
        if "choices" in body or "output" in body or not ({"detail", "message", "errors"} & body.keys()):
            return None
        error = body
    if not isinstance(error, dict):
        return {**{k: body.get(k) for k in ("code", "type", "param", "message") if k in body}, "message": str(error)}
    return error


def refusal_of(status: int, error: Mapping[str, Any], headers: Mapping[str, str]) -> Refusal:
    """What an error means. One in an answer of status 200 counts by its own code."""
    message = _message(error)
    code, kind = error.get("code"), str(error.get("type") or "")
    inner = error.get("innererror")
    if status == 200:
        number = next((n for n in (code, error.get("status")) if isinstance(n, int) and 400 <= n < 600), None)
        status = number or (int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else 502)
    deep = str(inner.get("code") or "") if isinstance(inner, dict) else ""
    said = " ".join(filter(None, (message, str(code or ""), kind, str(error.get("status") or ""), deep)))
    param = str(error.get("param") or error.get("parameter") or "")
    return Refusal(status, _cause(status, said, error), message, said, param, asked_to_wait(headers, error))


def _message(error: Mapping[str, Any]) -> str:
    detail = error.get("detail")
    if isinstance(detail, list):  # FastAPI's: where, and what
        parts = [
            f"{'.'.join(map(str, part.get('loc') or []))}: {part.get('msg')}"
            for part in detail
            if isinstance(part, dict)
        ]
        return "; ".join(parts)
    message = error.get("message") or detail or error.get("errors") or error.get("error") or ""
    if not isinstance(message, str):
        message = json.dumps(message)
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and metadata.get("raw"):  # a router's: what the provider said
        message = f"{message}: {metadata['raw']}"
    return message


def _cause(status: int, said: str, error: Mapping[str, Any]) -> Cause:
    if _CONTEXT.search(said):
        return "context"
    if status in (400, 403, 422, 451, 500) and _FILTER.search(said):
        return "filtered"
    if (
        status == 402
        or _CREDIT.search(said)
        or (status == 429 and _BY_DAY.search(json.dumps(dict(error), default=str)))
    ):
        return "credit"
    if status == 429 or (status not in (401, 403) and _RATE.search(said)):
        return "rate"
    if status == 401:
        return "key"
    if status == 403:
        return "forbidden"
    if status == 404:
        return "model" if _NO_MODEL.search(said) or not said else "address"
    if status >= 500 or status in (408, 409, 425):
        return "fault"
    return "parameter"


_TRY_AGAIN = re.compile(
    r"(?:try again|retry) (?:in|after) ((?:\d{1,6}h)?(?:\d{1,6}m(?!s))?(?:[\d.]{1,12}(?:ms|s)?)?)", re.I
)
_SPAN = re.compile(r"([\d.]{1,12})(h|ms|m|s|\Z)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "": 1.0}


def asked_to_wait(headers: Mapping[str, str], error: Mapping[str, Any]) -> float | None:
    """The seconds that a response asks to wait: in its head, in its details, or in its words."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    after = (headers.get("retry-after") or "").strip()
    if (seconds := _number(after)) is not None:
        return seconds
    if after:
        try:
            return max(0.0, email.utils.parsedate_to_datetime(after).timestamp() - time.time())
        except (ValueError, TypeError, OverflowError):
            pass
    details = error.get("details")
    for detail in details if isinstance(details, list) else []:
        delay = str(detail.get("retryDelay") or "") if isinstance(detail, dict) else ""
        if (seconds := _number(delay.removesuffix("s"))) is not None:
            return seconds
    if found := _TRY_AGAIN.search(str(error.get("message") or "")):
        spans = [(_number(number), unit) for number, unit in _SPAN.findall(found[1])]
        return sum((number or 0.0) * _SECONDS[unit] for number, unit in spans) or None
    return None


def _number(text: str | None) -> float | None:
    try:
        number = float((text or "").strip() or "-1")
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None


def shown(text: str, settings: Settings) -> str:
    """What an endpoint says, on one line, cut, and without what looks like a key."""
    text = _KEY_LIKE.sub("[key]", settings.without_key(text[:2000]))
    return " ".join(_UNPRINTABLE.sub(" ", text).split())[:LONGEST_REASON]


def failed_by(refusal: Refusal, settings: Settings) -> CallFailed:
    """The failure of a call that was refused, in a line that says what to do."""
    advice = _ADVICE.get(refusal.cause, "the endpoint answered with status {status}").format(
        status=refusal.status, key=settings.key_name, address=settings.address_name
    )
    said = shown(refusal.message, settings)
    what = f"{advice} ({said})" if said else advice
    return CallFailed(what, refusal.cause, refusal.status, wait=refusal.wait, refusal=refusal)


_ADVICE: Mapping[Cause, str] = {
    "key": "the endpoint refused the key; check {key}",
    "forbidden": "the key can't use this model; check {key} and the model's name",
    "credit": "the endpoint needs payment; check the account's credit or quota",
    "model": "the endpoint does not know the address or the model; check {address} and the model's name",
    "address": "the endpoint does not know the address; check {address}, which mostly ends in /v1",
    "context": "the prompt is longer than the model can read; lower SOTTOVOCE_PROMPT_TOKENS",
    "filtered": "a content filter stopped the call",
    "rate": "the endpoint limits the rate (status {status}); lower SOTTOVOCE_MODEL_CONCURRENCY",
}
