"""Calling until there is an answer: bounded retries with back-off, each call counted and noted.

A refusal that says how the endpoint wants to be asked costs no try: the next call is made in that manner, and no manner
is tried twice.
"""

from __future__ import annotations

import asyncio
import logging
import random as random_module
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sottovoce.agents.models.bodies import Completion
from sottovoce.agents.models.endpoint import Endpoint, Messages, Request, request
from sottovoce.agents.models.manner import Manner
from sottovoce.agents.models.manners import MANNERS, lower
from sottovoce.agents.models.refusals import LASTING, CallFailed
from sottovoce.agents.models.settings import Settings

logger = logging.getLogger("sottovoce.models")

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
MOST_STEPS = 10
"""Manners that one answer may go through."""

_warned: set[tuple[str, str, str]] = set()


@dataclass(slots=True)
class Effort:
    """What it took to get an answer: one note a call, the manner of the last and the settings that were sent with it,
    and whether a model worked uncounted."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    structured: bool = True
    uncounted: bool = False
    manner: dict[str, Any] = field(default_factory=dict)
    sent: dict[str, Any] = field(default_factory=dict)


def back_off(number: int, random: random_module.Random) -> float:
    """Seconds to wait after failed call `number`: doubling, cut at LONGEST_WAIT, half of it by chance."""
    return float(min(LONGEST_WAIT, FIRST_WAIT * 2 ** (number - 1)) * random.uniform(0.5, 1.0))


async def ask(
    endpoint: Endpoint,
    settings: Settings,
    model: str,
    messages: Messages,
    response_format: dict[str, Any] | None,
    *,
    random: random_module.Random,
    effort: Effort,
    seconds: float | None,
    tokens: int | None = None,
    warn: bool = True,
) -> Completion:
    """The answer, after as many calls as the settings allow at most, those that only changed the manner left out.

    With `warn`, what will keep every seat from an answer is logged once.

    Raises CallFailed when calling again is of no use or not allowed, or would have to wait beyond `seconds` from now
    (None: beyond one call's limit).
    """
    try:
        sending = partial(_asked, endpoint, settings, model, messages, response_format)
        return await sending(random=random, effort=effort, seconds=seconds, tokens=tokens)
    except CallFailed as failed:
        if warn:
            _warn(settings, model, failed)
        raise


async def _asked(
    endpoint: Endpoint,
    settings: Settings,
    model: str,
    messages: Messages,
    response_format: dict[str, Any] | None,
    *,
    random: random_module.Random,
    effort: Effort,
    seconds: float | None,
    tokens: int | None,
) -> Completion:
    place = (settings.base_url, model)
    deadline = None if seconds is None else time.monotonic() + seconds
    first = settings.manner
    manner, before = MANNERS.of(place, first)
    tried, named, number, faults = {manner}, True, 1, 0

    def made(manner: Manner) -> Request:
        return request(manner, settings, model, messages, response_format, tokens)

    while True:
        try:
            completion = await _one(endpoint, settings, made(manner), effort)
        except CallFailed as failed:
            if before is not None and failed.refusal is not None:  # a probe that was refused: back to what was learnt
                manner, before = before, None
                tried.add(manner)
                continue
            faults += failed.cause == "fault"
            step = _step(manner, failed, made(manner).sent, faults)
            if step is not None and step[0] not in tried and len(tried) <= MOST_STEPS:
                manner, was_named = step
                named = named and was_named
                tried.add(manner)
                number += not was_named
                if number <= settings.tries:
                    continue
                raise
            if not failed.passing or number == settings.tries:
                raise
            left = settings.seconds if deadline is None else deadline - time.monotonic()
            if failed.wait is not None and failed.wait > left:
                told = f"{failed}; it asks to wait {failed.wait:.0f} seconds, which is too long"
                raise CallFailed(told, failed.cause, failed.status) from None
            if failed.wait is not None:
                endpoint.rest(failed.wait)
            else:
                await asyncio.sleep(back_off(number, random))
            number += 1
        else:
            MANNERS.answered(place, first, manner, named=named)
            return completion


def _step(manner: Manner, failed: CallFailed, sent: dict[str, Any], faults: int) -> tuple[Manner, bool] | None:
    """The next manner after a refusal. A fault without a reason may pass: only the second one says anything."""
    if failed.refusal is None:
        return None
    step = lower(manner, failed.refusal, sent)
    return None if step is not None and not step[1] and failed.cause == "fault" and faults < 2 else step


async def _one(endpoint: Endpoint, settings: Settings, made: Request, effort: Effort) -> Completion:
    """One call, when it is its turn; noted however it ends."""
    effort.structured = "format" in made.sent and made.manner.format != "json_object"
    effort.manner = made.manner.told()
    effort.sent = {**made.sent, "format": (made.sent.get("format") or {"type": "text"})["type"]}
    async with endpoint.slots:
        await endpoint.rested()
        started = time.monotonic()
        note: dict[str, Any] = {"what": "cancelled", "structured": effort.structured}
        effort.calls.append(note)
        effort.uncounted, before = True, effort.uncounted  # until it is known better: a cancelled call stays uncounted
        try:
            completion = await endpoint.call(made.path, made.body, settings)
            note |= {"what": "answered", "status": 200}
            effort.uncounted = before or completion.prompt_tokens is None or completion.reply_tokens is None
            return completion
        except CallFailed as failed:
            note["what"] = str(failed)
            if failed.status is not None:
                note["status"] = failed.status
            effort.uncounted = before or failed.worked
            raise
        finally:
            note["seconds"] = round(time.monotonic() - started, 3)


def _warn(settings: Settings, model: str, failed: CallFailed) -> None:
    """Tell whoever runs this once: with such settings no seat will ever get an answer."""
    if failed.cause in LASTING:
        seen = (settings.base_url, model, failed.cause)
        if seen not in _warned:
            _warned.add(seen)
            logger.warning("%s at %s: %s.", model, settings.shown_url, failed)
