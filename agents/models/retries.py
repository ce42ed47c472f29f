"""Calling until there is an answer: bounded retries with back-off, each call counted and noted."""

from __future__ import annotations

import asyncio
import logging
import random as random_module
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.agents.models.endpoint import ADVICE, UNFIT, CallFailed, Completion, Endpoint

logger = logging.getLogger("sottovoce.models")

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0

_plain: set[tuple[str, str]] = set()
"""Endpoints and models known to take no response format, as long as this process lives."""
_warned: set[tuple[str, str, int]] = set()


@dataclass(slots=True)
class Effort:
    """What it took to get an answer: one note a call, and whether a model may have worked uncounted."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    structured: bool = True
    uncounted: bool = False


def back_off(number: int, random: random_module.Random) -> float:
    """Seconds to wait after failed call `number`: doubling, cut at LONGEST_WAIT, half of it by chance."""
    return float(min(LONGEST_WAIT, FIRST_WAIT * 2 ** (number - 1)) * random.uniform(0.5, 1.0))


async def ask(
    endpoint: Endpoint,
    model: str,
    messages: Sequence[dict[str, str]],
    response_format: dict[str, Any] | None,
    *,
    random: random_module.Random,
    effort: Effort,
    seconds: float | None,
) -> Completion:
    """The answer, after as many calls as the settings allow at most.

    An endpoint that does not take the response format is asked without, now and later. Raises CallFailed when calling
    again is of no use or not allowed, or would have to wait beyond `seconds` from now (None: beyond one call's limit).
    """
    settings = endpoint.settings
    place = (settings.base_url, model)
    deadline = None if seconds is None else time.monotonic() + seconds
    probing = False
    for number in range(1, settings.tries + 1):
        effort.structured = response_format is not None and place not in _plain and not probing
        try:
            completion = await _one(endpoint, model, messages, response_format if effort.structured else None, effort)
        except CallFailed as failed:
            _warn(endpoint, model, failed)
            if failed.status in UNFIT and effort.structured:
                probing = True
            elif not failed.passing:
                raise
            if number == settings.tries:
                raise
            left = settings.seconds if deadline is None else deadline - time.monotonic()
            if failed.wait is not None and failed.wait > left:
                told = f"{failed}; it asks to wait {failed.wait:.0f} seconds, which is too long"
                raise CallFailed(told, failed.status) from None
            if failed.wait is not None:
                endpoint.rest(failed.wait)
            elif failed.passing:
                await asyncio.sleep(back_off(number, random))
        else:
            if probing:
                _plain.add(place)
            return completion
    raise AssertionError("the last try returns or raises")


async def _one(
    endpoint: Endpoint,
    model: str,
    messages: Sequence[dict[str, str]],
    response_format: dict[str, Any] | None,
    effort: Effort,
) -> Completion:
    """One call, when it is its turn; noted however it ends."""
    async with endpoint.slots:
        await endpoint.rested()
        started = time.monotonic()
        note: dict[str, Any] = {"what": "cancelled", "structured": response_format is not None}
        effort.calls.append(note)
        effort.uncounted, before = True, effort.uncounted  # until it is known better: a cancelled call stays uncounted
        try:
            completion = await endpoint.call(model, messages, response_format)
            note |= {"what": "answered", "status": 200}
            effort.uncounted = before or completion.prompt_tokens is None
            return completion
        except CallFailed as failed:
            note["what"] = str(failed)
            if failed.status is not None:
                note["status"] = failed.status
            effort.uncounted = before or failed.worked
            raise
        finally:
            note["seconds"] = round(time.monotonic() - started, 3)


def _warn(endpoint: Endpoint, model: str, failed: CallFailed) -> None:
    """Tell whoever runs this once: with such settings no seat will ever get an answer."""
    if failed.status in ADVICE:
        seen = (endpoint.settings.base_url, model, failed.status or 0)
        if seen not in _warned:
            _warned.add(seen)
            logger.warning("%s at %s: %s.", model, endpoint.settings.shown_url, failed)
