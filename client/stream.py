"""A view's entries as they arrive, in order, none lost or repeated, whatever happens to the connection."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import httpx2

from sottovoce.client.api import Api, Attempts
from sottovoce.client.game import Garbled

HEARTBEAT = 15.0
"""Seconds within which a running server sends something, even if only a comment."""

SILENCE = 3 * HEARTBEAT
"""Seconds of silence after which the connection counts as lost."""

GAPS = 3
"""How often the server can skip the same entry before an error."""


async def stream(api: Api, after: int = 0, *, silence: float = SILENCE) -> AsyncGenerator[dict[str, Any]]:
    """Yield every entry after that seq, until the game is over or the link is revoked. A lost connection is opened
    again.

    With an auditor link, yield every event after that position. Raises LinkEnded if the link was revoked before,
    Unreachable if the server stays away for too long.
    """
    connection = api.connection
    attempts, gaps = Attempts(connection), 0
    while True:
        pause: float | None = None
        why = "the stream was interrupted"
        try:
            headers = connection.seen_header() | ({"last-event-id": str(after)} if after else {})
            timeout = httpx2.Timeout(silence, connect=10.0)
            async with connection.http.sse(
                connection.url(api.path("/stream")), headers=headers, timeout=timeout
            ) as source:
                if not source.response.is_success:
                    await source.response.aread()
                    if source.response.status_code < 500 and source.response.status_code != 429:
                        connection.check(source.response)
                    raise httpx2.RemoteProtocolError(f"status {source.response.status_code}")
                connection.back()
                async for sent in source:
                    pause = sent.retry / 1000 if sent.retry is not None else pause
                    if sent.event == "end":
                        return
                    if sent.event != "entry":
                        continue
                    entry = sent.json()
                    if not isinstance(entry, dict):
                        raise Garbled
                    number = entry["seq"] if "seq" in entry else entry["position"]
                    if number <= after:
                        continue
                    if number > after + 1:
                        gaps += 1
                        if gaps == GAPS:
                            raise Garbled(
                                f"The server leaves out entry {after + 1}. Ask the person who runs the server."
                            )
                        break
                    after, gaps, attempts = number, 0, Attempts(connection)
                    connection.saw(number)
                    yield entry
        except httpx2.TransportError as error:
            why = " ".join(str(error).split()) or type(error).__name__
        except (ValueError, KeyError, TypeError):
            raise Garbled from None
        await attempts.failed(why, pause)
