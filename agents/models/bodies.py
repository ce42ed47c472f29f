"""The answer in a response: one completion out of whatever body an endpoint sends with status 200.

A completion, a response of the `responses` interface, or either of them as server-sent events. Numbers, nulls and
missing fields are taken as they come; an error in the body is an error; only text is words, and every other part is
thought.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sottovoce.agents.models.refusals import CallFailed, error_in, failed_by, refusal_of
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.models.streams import parted_content

ODD = "the answer is not a chat completion"
WEB_PAGE = "the endpoint answered with a web page; check {address}, which mostly ends in /v1"
CUT_OFF = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length"})
"""What endpoints call an end that the limit of the length brought."""
FILTERED = frozenset({"content_filter", "SAFETY", "safety", "PROHIBITED_CONTENT", "content-filter"})


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer as it came. `finish` is `length` where it was cut off. Tokens are None where they are not counted.

    `body` are the bytes of the response, and `shown` the same to read: one object even of a stream, without the key.
    """

    content: str
    refusal: str = ""
    finish: str = ""
    model: str = ""
    reasoning: str = ""
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    body: bytes = field(default=b"", repr=False)
    shown: str = field(default="", repr=False)


def completion_in(raw: bytes, headers: Mapping[str, str], settings: Settings) -> Completion:
    """The answer in a body. Raises CallFailed."""
    text = raw.decode("utf-8-sig", "replace").strip()
    if text[:1] == "<":
        raise CallFailed(WEB_PAGE.format(address=settings.address_name), "address", 200)
    try:
        if text.startswith(("data:", ":", "event:")):
            body = streamed(text)
            text = json.dumps(body, ensure_ascii=False)
        else:
            body = json.loads(text)
    except (ValueError, RecursionError):
        raise CallFailed(ODD, "odd", 200, worked=True) from None
    error = error_in(body)
    choice = _choice(body) if error is None else None
    if choice is not None and isinstance(choice.get("error"), dict | str):
        error = error_in({"error": choice["error"]})
    if error is not None:
        raise failed_by(refusal_of(200, error, headers), settings)
    if choice is None:
        raise CallFailed(ODD, "odd", 200, worked=True)
    return replace(_completion(choice, body, settings), body=raw, shown=_shown(text, body, settings))


def _shown(text: str, body: Any, settings: Settings) -> str:
    """The body to read, without the key, however that is written in it."""
    plainly = json.dumps(body, ensure_ascii=False)
    return text if (hidden := settings.without_key(plainly)) == plainly else hidden


def _choice(body: Any) -> dict[str, Any] | None:
    """The first choice; made out of the items of a response where it is one."""
    if not isinstance(body, dict):
        return None
    choices, items = body.get("choices"), body.get("output")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        message = choices[0].get("message")
        if not isinstance(message, dict):
            text = choices[0].get("text")
            message = {"content": text} if isinstance(text, str) else None
        if message is None or not _is_content(message.get("content")):
            return None
        return {**choices[0], "message": message}
    if isinstance(items, list):
        why = body.get("incomplete_details")
        finish = str(why.get("reason") or "") if isinstance(why, dict) else ""
        return {"message": _responded(items), "finish_reason": finish}
    return None


def _is_content(content: Any) -> bool:
    if isinstance(content, list):
        return all(isinstance(part, dict | str) for part in content)
    return content is None or isinstance(content, str | dict)


def _responded(items: list[Any]) -> dict[str, Any]:
    words, thoughts, refused = list[str](), list[str](), list[str]()
    for item in items:
        if not isinstance(item, dict):
            continue
        content = item.get("content")
        parts: list[Any] = content if isinstance(content, list) else []
        refused += [str(part.get("refusal")) for part in parts if isinstance(part, dict) and part.get("refusal")]
        said, thought = parted_content([part for part in parts if not (isinstance(part, dict) and part.get("refusal"))])
        if item.get("type") == "message":
            words.append(said)
            thoughts.append(thought)
        elif item.get("type") == "reasoning":
            thoughts += (
                parted_content(item.get("summary"))[0] or parted_content(item.get("summary"))[1],
                said,
                thought,
            )
    return {"content": "".join(words), "reasoning": "\n".join(filter(None, thoughts)), "refusal": "".join(refused)}


def _completion(choice: dict[str, Any], body: dict[str, Any], settings: Settings) -> Completion:
    message, hide = choice["message"], settings.without_key
    words, thoughts = parted_content(message.get("content"))
    finish = str(choice.get("finish_reason") or "")
    if not words.strip():
        words = _called(message)
    prompt, reply, cached, reasoning = _counted(body.get("usage"))
    refusal = message.get("refusal")
    return Completion(
        content=hide(words),
        refusal=hide(refusal) if isinstance(refusal, str) else "",
        finish="length" if finish in CUT_OFF else "content_filter" if finish in FILTERED else hide(finish[:40]),
        model=hide(str(body.get("model") or "")[:120]),
        reasoning=hide("\n".join(filter(None, (_apart(message), thoughts)))),
        prompt_tokens=prompt,
        reply_tokens=reply,
        cached_tokens=cached,
        reasoning_tokens=reasoning,
    )


def _called(message: dict[str, Any]) -> str:
    """The arguments of a tool's call: some endpoints give the form that was asked for like that."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and isinstance(function.get("arguments"), str):
            return str(function["arguments"])
    return ""


def _apart(message: dict[str, Any]) -> str:
    """What the model thought, where the endpoint gives that apart, under whatever name."""
    for name in ("reasoning_content", "reasoning", "thinking"):
        if isinstance(text := message.get(name), str) and text.strip():
            return text
    details = message.get("reasoning_details")
    told = [
        str(part.get("text") or part.get("summary") or "")
        for part in (details if isinstance(details, list) else [])
        if isinstance(part, dict)
    ]
    return "\n".join(filter(None, told))


def _counted(usage: Any) -> tuple[int | None, int | None, int | None, int | None]:
    """Tokens of the prompt, of the reply, of the prompt from a cache, and of the reply that were thoughts, under the
    names that endpoints use."""
    counts = usage if isinstance(usage, dict) else {}
    details: Any = counts.get("prompt_tokens_details") or counts.get("input_tokens_details")
    details = details if isinstance(details, dict) else {}
    spent: Any = counts.get("completion_tokens_details") or counts.get("output_tokens_details")
    spent = spent if isinstance(spent, dict) else {}
    return (
        _first(counts.get("prompt_tokens"), counts.get("input_tokens")),
        _first(counts.get("completion_tokens"), counts.get("output_tokens")),
        _first(
            details.get("cached_tokens"), counts.get("prompt_cache_hit_tokens"), counts.get("cache_read_input_tokens")
        ),
        _first(spent.get("reasoning_tokens"), counts.get("reasoning_tokens")),
    )


def _first(*values: Any) -> int | None:
    for value in values:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12:
            return int(value)
    return None


def streamed(text: str) -> dict[str, Any]:
    """One completion out of server-sent events. Raises ValueError."""
    message: dict[str, Any] = {"content": "", "reasoning": "", "refusal": ""}
    calls = ""
    choice: dict[str, Any] = {"message": message, "finish_reason": None}
    whole: dict[str, Any] = {"choices": [choice]}
    for line in text.splitlines():
        data = line[5:].strip() if line.startswith("data:") else ""
        if not data or data == "[DONE]":
            continue
        chunk = json.loads(data)
        if error_in(chunk) is not None:
            return {"error": error_in(chunk)}
        if not isinstance(chunk, dict):
            continue
        if chunk.get("type") in ("response.completed", "response.incomplete") and isinstance(
            chunk.get("response"), dict
        ):
            return dict(chunk["response"])
        whole |= {name: chunk[name] for name in ("model", "usage") if chunk.get(name)}
        for piece in chunk.get("choices") or []:
            if not isinstance(piece, dict):
                continue
            delta = piece.get("delta") or piece.get("message") or {}
            words, thoughts = parted_content(delta.get("content"))
            message["content"] += words
            message["reasoning"] += thoughts + _apart(delta)
            message["refusal"] += str(delta.get("refusal") or "")
            for call in delta.get("tool_calls") or []:
                function = call.get("function") if isinstance(call, dict) else None
                calls += str(function.get("arguments") or "") if isinstance(function, dict) else ""
            choice["finish_reason"] = piece.get("finish_reason") or choice["finish_reason"]
    if calls:
        message["tool_calls"] = [{"function": {"arguments": calls}}]
    return whole
