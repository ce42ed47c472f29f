"""One OpenAI-compatible endpoint: single calls, bounded in time, size and number at once.

The client's own retries are off, so that every call is counted; retries are in `retries.py`. A call is made in a
`Manner`; an endpoint on this machine is never asked through a proxy.
"""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakKeyDictionary

import httpx2
import openai

from sottovoce.agents.models.bodies import Completion, completion_in
from sottovoce.agents.models.caching import MARKED, cache_of
from sottovoce.agents.models.manner import Manner
from sottovoce.agents.models.refusals import CallFailed, error_in, failed_by, refusal_of
from sottovoce.agents.models.settings import ModelUnusable, Settings

LONGEST_ANSWER = 512 * 1024
"""Bytes that a response may have, unpacked. A longer one is dropped where it exceeds them."""

Messages = Sequence[dict[str, Any]]
"""Messages of a role and a text. `stable`, in characters, is how much of one an endpoint may have seen before."""


class _TooLong(httpx2.HTTPError):
    """The response is longer than LONGEST_ANSWER."""


class _Unpackable(httpx2.HTTPError):
    """The response is compressed in a way that was not asked for."""


class _Bounded(httpx2.AsyncByteStream):
    """A response's bytes, unpacked, up to the most that may be read."""

    def __init__(self, stream: httpx2.AsyncByteStream, *, packed: bool) -> None:
        self._stream = stream
        self._unpack = zlib.decompressobj(wbits=47) if packed else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for piece in self._stream:
            if self._unpack is not None:
                try:
                    piece = self._unpack.decompress(piece, LONGEST_ANSWER - length + 1)
                except zlib.error:
                    raise _Unpackable("not what it says") from None
            length += len(piece)
            if length > LONGEST_ANSWER:
                raise _TooLong("too long")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    announced = response.headers.get("content-length", "")
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if announced.isdecimal() and int(announced[:20]) > LONGEST_ANSWER:
        raise _TooLong("too long")
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise _Unpackable(encoding)
    packed = encoding not in ("", "identity")
    if packed:
        del response.headers["content-encoding"]
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream, packed=packed)


class Endpoint:
    """The endpoint of some settings, for one event loop; `endpoint_of` gives it.

    Raises ModelUnusable for a proxy in the environment that cannot be used.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.slots = asyncio.Semaphore(settings.concurrency)
        self._not_before = 0.0
        parts = urlsplit(settings.base_url)
        azure = settings.host.endswith((".azure.com", ".azure-api.net"))
        try:
            client = httpx2.AsyncClient(
                event_hooks={"response": [_bound]},
                limits=httpx2.Limits(max_connections=settings.concurrency, keepalive_expiry=15),
                headers={"accept-encoding": "gzip, identity"},
                verify=parts.scheme == "https",  # loading certificates takes half a second
                trust_env=not settings.is_local,
                follow_redirects=False,
            )
        except (ValueError, ImportError) as error:
            raise ModelUnusable(
                f"The proxy for models can't be used: {error}. Check HTTPS_PROXY and ALL_PROXY."
            ) from None
        self._client = openai.AsyncOpenAI(
            base_url=parts._replace(path=_base_path(parts.path), query="", fragment="").geturl(),
            api_key=settings.key,
            default_query=dict(parse_qsl(parts.query)),
            default_headers={"api-key": settings.key} if azure else None,
            max_retries=0,
            timeout=settings.seconds,
            http_client=client,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    def rest(self, seconds: float) -> None:
        """Let nobody call for so long: the endpoint asked for it."""
        self._not_before = max(self._not_before, time.monotonic() + seconds)

    async def rested(self) -> None:
        """Wait until calls are welcome again."""
        while (left := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(left)

    async def call(self, path: str, body: dict[str, Any], settings: Settings) -> Completion:
        """One call for one answer, with the limits and names of those settings. Raises CallFailed."""
        try:
            async with asyncio.timeout(settings.seconds):
                options: Any = {"timeout": settings.seconds}
                response = await self._client.post(path, body=body, cast_to=httpx2.Response, options=options)
        except (TimeoutError, openai.APITimeoutError):
            seconds = f"{settings.seconds:g}"
            raise CallFailed(f"no answer within {seconds} seconds", "slow", worked=True) from None
        except openai.APIStatusError as error:
            raise _refused(error.response, error.body, settings) from None
        except openai.APIConnectionError as error:
            raise _lost(error.__cause__, settings) from None
        except httpx2.HTTPError as error:
            raise _lost(error, settings) from None
        except openai.OpenAIError as error:
            raise CallFailed(f"the call could not be made ({type(error).__name__})", "fault") from None
        if response.status_code != 200:
            raise CallFailed(
                f"an unexpected answer with status {response.status_code}", "address", response.status_code
            )
        return completion_in(response.content, response.headers, settings)


def _refused(response: httpx2.Response, body: object, settings: Settings) -> CallFailed:
    status = response.status_code
    if 300 <= status < 400:
        place = settings.address_name
        told = f"the endpoint answered with status {status}, a redirection, which is not followed; check {place}"
        return CallFailed(told, "address", status)
    error: dict[str, Any] = {}
    with suppress(Exception):
        body = response.json()
    if isinstance(body, str) and body.lstrip()[:1] == "<":
        body = None  # a proxy's page
    if body:
        error = error_in(body) or {"message": str(body)}
    return failed_by(refusal_of(status, error, response.headers), settings)


def _lost(cause: BaseException | None, settings: Settings) -> CallFailed:
    if isinstance(cause, _TooLong):
        return CallFailed(f"the answer is longer than {LONGEST_ANSWER} bytes", "too long", worked=True)
    if isinstance(cause, _Unpackable):
        return CallFailed("the answer is compressed in a way that was not asked for", "odd", worked=True)
    if isinstance(cause, httpx2.ProxyError):
        return CallFailed("the proxy refused the call; check HTTPS_PROXY and ALL_PROXY", "unreachable")
    if isinstance(cause, httpx2.ConnectError):
        return CallFailed(f"{settings.shown_url} cannot be reached", "unreachable")
    return CallFailed("the connection was lost", "unreachable", worked=True)


def _base_path(path: str) -> str:
    """The path of the interface, where somebody gave the whole path of a call."""
    for call in ("/chat/completions", "/responses"):
        path = path.rstrip("/").removesuffix(call)
    return path


@dataclass(frozen=True, slots=True)
class Request:
    """A call in a manner: its path and body, and in `sent`, by name, what a refusal may be about."""

    manner: Manner
    path: str
    body: dict[str, Any]
    sent: dict[str, Any]


def request(
    manner: Manner,
    settings: Settings,
    model: str,
    messages: Messages,
    response_format: dict[str, Any] | None,
    tokens: int | None = None,
) -> Request:
    """A call in a manner, for an answer of so many tokens at most; those of the settings where nothing is said."""
    tokens = tokens or settings.reply_tokens
    tokens = min(tokens, manner.most or tokens)
    joined = [_joined(messages)] if manner.system == "user" else messages
    marks = {
        name: mark for name, mark in MARKED.get(cache_of(settings, model), {}).items() if name not in manner.dropped
    }
    asked = [_marked(message, marks, manner.api) for message in joined]
    sampling = {name: value for name, value in settings.sampling.items() if name not in manner.dropped}
    format = _format(manner, response_format)
    sent: dict[str, Any] = {**sampling, **marks, "tokens": tokens, **({"format": format} if format else {})}
    streaming = {"stream": True} if manner.stream else {}
    if manner.api == "responses":
        effort = sampling.pop("reasoning_effort", None)
        body = {"model": model, "input": asked, "max_output_tokens": tokens, "store": False, **sampling, **streaming}
        if effort is not None:
            body["reasoning"] = {"effort": effort}
        if format is not None:
            schema = format.get("json_schema", {})
            body["text"] = {"format": {"type": format["type"], **schema}}
        return Request(manner, "/responses", body, sent)
    limit: dict[str, Any] = {} if manner.limit == "none" else {manner.limit: tokens}
    body = {"model": model, "messages": asked, **limit, **sampling, **streaming}
    if manner.stream and "stream_options" not in manner.dropped:
        sent["stream_options"] = body["stream_options"] = {"include_usage": True}
    if format is not None:
        body["response_format"] = format
    return Request(manner, "/chat/completions", body, sent)


def _joined(messages: Messages) -> dict[str, Any]:
    """All messages as the user's one, for endpoints without a system's."""
    *first, last = messages
    before = "".join(f"{message['content']}\n\n" for message in first)
    stable = len(before) + last["stable"] if last.get("stable") else 0
    return {"role": "user", "content": before + last["content"], "stable": stable}


def _marked(message: dict[str, Any], marks: dict[str, Any], api: str) -> dict[str, Any]:
    """The message as it is sent: one text, or in two parts with a mark where what is stable ends."""
    text, stable = message["content"], message.get("stable", 0)
    if not marks or not stable:
        return {"role": message["role"], "content": text}
    kind = "input_text" if api == "responses" else "text"
    parts = [{"type": kind, "text": text[:stable], **marks}]
    if stable < len(text):
        parts.append({"type": kind, "text": text[stable:]})
    return {"role": message["role"], "content": parts}


def _format(manner: Manner, wanted: dict[str, Any] | None) -> dict[str, Any] | None:
    if wanted is None or manner.format == "none":
        return None
    if manner.format == "json_object":
        return {"type": "json_object"}
    if manner.format == "json_schema":
        return wanted
    inner = {name: value for name, value in wanted["json_schema"].items() if name != "strict"}
    return {"type": "json_schema", "json_schema": inner}


_open: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str, int], Endpoint]] = WeakKeyDictionary()
_lifetimes: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None, None]] = WeakKeyDictionary()


async def endpoint_of(settings: Settings) -> Endpoint:
    """The endpoint that all agents of that line share in the running event loop; closed when the loop ends."""
    loop = asyncio.get_running_loop()
    if loop not in _open:
        _open[loop] = {}
        _lifetimes[loop] = lifetime = _until_the_loop_ends(loop)
        await anext(lifetime)
    endpoints = _open[loop]
    if settings.line not in endpoints:
        endpoints[settings.line] = Endpoint(settings)
    return endpoints[settings.line]


async def _until_the_loop_ends(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None, None]:
    """Closed by the loop's own shutdown of asynchronous generators, which is when connections must be closed too."""
    try:
        yield
    finally:
        _lifetimes.pop(loop, None)
        for endpoint in _open.pop(loop, {}).values():
            await endpoint.close()
