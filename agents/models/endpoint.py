"""One OpenAI-compatible endpoint: single calls, bounded in time, size and number at once.

    CallFailed        one call gave no answer; says why, and whether trying again may help

The client's own retries are off, so that every call is counted; retries are in `trying.py`.
"""

from __future__ import annotations

import asyncio
import email.utils
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import httpx2
import openai
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sottovoce.agents.models.settings import Settings

LONGEST_ANSWER = 512 * 1024
"""Bytes that a response may have. A longer one is dropped where it exceeds them."""

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses that may be gone at the next try."""

UNFIT = frozenset({400, 415, 422, 501})
"""Statuses of an endpoint that does not take the request as it is, perhaps for its response format."""

ADVICE = {
    402: "the endpoint needs payment; check the account's credit",
    401: "the endpoint refused the key; check OPENAI_API_KEY",
    403: "the key can't use this model; check OPENAI_API_KEY and the model's name",
    404: "the endpoint does not know the address or the model; check OPENAI_BASE_URL and the model's name",
}


class CallFailed(Exception):
    """One call that gave no answer.

    `passing`: trying again may help, after `wait` seconds if the endpoint said so. `worked`: the model may have been at
    work, so that tokens were used which nobody counted. `unreached`: no model answered at all, whatever it was asked;
    otherwise it is this request that was not taken, or an answer that was too much.
    """

    def __init__(
        self,
        what: str,
        status: int | None = None,
        *,
        passing: bool = False,
        wait: float | None = None,
        worked: bool = False,
        unreached: bool = True,
    ) -> None:
        super().__init__(what)
        self.status = status
        self.passing = passing
        self.wait = wait
        self.worked = worked
        self.unreached = unreached and status not in UNFIT


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer as it came. Tokens are None where the endpoint does not count them."""

    content: str
    refusal: str
    finish: str
    model: str
    reasoning: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    cached_tokens: int = 0


class _Lax(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Message(_Lax):
    content: str | None = None
    refusal: str | None = None
    reasoning: Any = None
    reasoning_content: Any = None

    @property
    def thoughts(self) -> str:
        """What the model thought before it answered, where the endpoint gives that apart, under either name."""
        return next((text for text in (self.reasoning_content, self.reasoning) if isinstance(text, str)), "")


class _Choice(_Lax):
    message: _Message
    finish_reason: str | None = None


class _Answer(_Lax):
    choices: list[_Choice] = Field(min_length=1)
    model: str | None = None
    usage: Any = None


class _Details(_Lax):
    cached_tokens: int = Field(default=0, ge=0)


class _Usage(_Lax):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)
    prompt_tokens_details: _Details | None = None


class _TooLong(httpx2.HTTPError):
    """The response is longer than LONGEST_ANSWER, or compressed, so that its length is not known."""


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for piece in self._stream:
            length += len(piece)
            if length > LONGEST_ANSWER:
                raise _TooLong("too long")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    announced = response.headers.get("content-length", "")
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity") or (announced.isdecimal() and int(announced[:20]) > LONGEST_ANSWER):
        raise _TooLong("too long")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


class Endpoint:
    """The endpoint of some settings, for one event loop; `endpoint_of` gives it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.slots = asyncio.Semaphore(settings.concurrency)
        self._not_before = 0.0
        self._client = openai.AsyncOpenAI(
            base_url=settings.base_url,
            api_key=settings.key,
            max_retries=0,
            timeout=settings.seconds,
            http_client=httpx2.AsyncClient(
                event_hooks={"response": [_bound]},
                limits=httpx2.Limits(max_connections=settings.concurrency, keepalive_expiry=15),
                headers={"accept-encoding": "identity"},
                verify=settings.base_url.startswith("https:"),  # loading certificates takes half a second
                follow_redirects=False,
            ),
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

    async def call(
        self, model: str, messages: Sequence[dict[str, str]], response_format: dict[str, Any] | None
    ) -> Completion:
        """One call for one answer. Raises CallFailed."""
        extra = {} if response_format is None else {"response_format": response_format}
        try:
            async with asyncio.timeout(self.settings.seconds):
                response = await self._client.chat.completions.with_raw_response.create(
                    model=model,
                    messages=messages,  # type: ignore[arg-type]
                    max_completion_tokens=self.settings.reply_tokens,
                    extra_body=extra,
                )
        except (TimeoutError, openai.APITimeoutError):
            seconds = f"{self.settings.seconds:g}"
            raise CallFailed(f"no answer within {seconds} seconds", passing=True, worked=True) from None
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except openai.APIConnectionError as error:
            raise self._lost(error.__cause__) from None
        except httpx2.HTTPError as error:
            raise self._lost(error) from None
        except openai.OpenAIError as error:
            raise CallFailed(f"the call could not be made ({type(error).__name__})") from None
        status = response.http_response.status_code
        if status != 200:
            raise CallFailed(f"an unexpected answer with status {status}", status)
        return self._read(response.content)

    def _read(self, body: bytes) -> Completion:
        try:
            answer = _Answer.model_validate_json(body)
        except ValidationError:
            raise CallFailed("the answer is not a chat completion", 200, passing=True, worked=True) from None
        usage = _usage(answer.usage)
        first, hide = answer.choices[0], self.settings.without_key
        return Completion(
            content=hide(first.message.content or ""),
            refusal=hide(first.message.refusal or ""),
            finish=hide((first.finish_reason or "")[:40]),
            model=hide((answer.model or "")[:120]),
            reasoning=hide(first.message.thoughts),
            prompt_tokens=usage.prompt_tokens if usage else None,
            reply_tokens=usage.completion_tokens if usage else None,
            cached_tokens=usage.prompt_tokens_details.cached_tokens if usage and usage.prompt_tokens_details else 0,
        )

    def _refused(self, error: openai.APIStatusError) -> CallFailed:
        # An account without credit is told as a rate limit by some; waiting does not fill it.
        status = 402 if _out_of_credit(error.body) else error.status_code
        said = self._said(error.body)
        what = ADVICE.get(status) or f"the endpoint answered with status {status}"
        # What an endpoint says of a key may hold parts of it.
        shown = f"{what} ({said})" if said and status not in (401, 403) else what
        return CallFailed(shown, status, passing=status in PASSING, wait=_retry_after(error.response.headers))

    def _said(self, body: object) -> str:
        error = body.get("error", body) if isinstance(body, dict) else None
        message = error.get("message") if isinstance(error, dict) else error
        if not isinstance(message, str):
            return ""
        return " ".join(re.sub(r"[^ -~]+", " ", self.settings.without_key(message[:2000])).split())[:200]

    def _lost(self, cause: BaseException | None) -> CallFailed:
        if isinstance(cause, _TooLong):
            return CallFailed(
                f"the answer is compressed or longer than {LONGEST_ANSWER} bytes", worked=True, unreached=False
            )
        if isinstance(cause, httpx2.ConnectError):
            return CallFailed(f"{self.settings.shown_url} cannot be reached", passing=True)
        return CallFailed("the connection was lost", passing=True, worked=True)


def _out_of_credit(body: object) -> bool:
    error = body.get("error", body) if isinstance(body, dict) else None
    return isinstance(error, dict) and "insufficient_quota" in (error.get("code"), error.get("type"))


def _usage(counted: object) -> _Usage | None:
    try:
        return _Usage.model_validate(counted)
    except ValidationError:
        return None


def _retry_after(headers: httpx2.Headers) -> float | None:
    """The seconds that a response asks to wait, given as a number or as a date."""
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None


_open: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Settings, Endpoint]] = WeakKeyDictionary()
_lifetimes: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None, None]] = WeakKeyDictionary()


async def endpoint_of(settings: Settings) -> Endpoint:
    """The endpoint that all agents with these settings share in the running event loop; closed when the loop ends."""
    loop = asyncio.get_running_loop()
    if loop not in _open:
        _open[loop] = {}
        _lifetimes[loop] = lifetime = _until_the_loop_ends(loop)
        await anext(lifetime)
    endpoints = _open[loop]
    if settings not in endpoints:
        endpoints[settings] = Endpoint(settings)
    return endpoints[settings]


async def _until_the_loop_ends(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None, None]:
    """Closed by the loop's own shutdown of asynchronous generators, which is when connections must be closed too."""
    try:
        yield
    finally:
        _lifetimes.pop(loop, None)
        for endpoint in _open.pop(loop, {}).values():
            await endpoint.close()
