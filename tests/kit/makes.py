"""Makes of endpoints, each with its own ways: what it refuses, in whose words, and how it answers.

with MAKES["mistral"].stand_in() as endpoint: …
"""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from endpoint import Asked, StandIn, any_legal, completion

THOUGHTS = "qzxv-thought: I am not what I say."
USAGE = {"prompt_tokens": 1000, "completion_tokens": 20}
Refused = tuple[int, Any] | None


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


def _has_schema(asked: Asked) -> bool:
    return (asked.format or {}).get("type") == "json_schema"


def _says_system(asked: Asked) -> bool:
    return any(message["role"] in ("system", "developer") for message in asked.messages)


def _message(content: Any, **more: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **more}, "finish_reason": "stop"}
    return completion(None, choices=[choice], usage=USAGE)


def _plain(content: str, asked: Asked) -> bytes:
    return completion(content, usage=USAGE)


def _streamed(content: str, asked: Asked) -> bytes:
    pieces = [content[:7], content[7:]]
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "reasoning_content": THOUGHTS}}]}
    ]
    chunks += [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": USAGE}]
    lines = [": hello", *(f"data: {json.dumps(chunk)}" for chunk in chunks), "data: [DONE]", ""]
    return "\n\n".join(lines).encode()


def _responded(content: str, asked: Asked) -> bytes:
    return json.dumps(
        {
            "object": "response",
            "model": "m",
            "status": "completed",
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHTS}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": content}]},
            ],
            "usage": {"input_tokens": 1000, "output_tokens": 20, "input_tokens_details": {"cached_tokens": 800}},
        }
    ).encode()


@dataclass(frozen=True)
class Make:
    """One make. `learned` is what differs from the usual manner once it is known; `options` are sent with each call."""

    name: str
    refuses: Callable[[Asked], Refused] = lambda asked: None
    responds: Callable[[str, Asked], bytes] = _plain
    learned: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[tuple[str, Any], ...] = ()
    query: str = ""

    def stand_in(self, **more: Any) -> StandIn:
        return StandIn(answer=any_legal, refuses=self.refuses, responds=self.responds, **more)


def _openai(asked: Asked) -> Refused:
    if "max_tokens" in asked.body:
        told = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        return 400, error(told, code="unsupported_parameter", param="max_tokens", type="invalid_request_error")
    if asked.body.get("temperature", 1) != 1:
        told = "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default is supported."
        return 400, error(told, code="unsupported_value", param="temperature", type="invalid_request_error")
    return None


def _responses_only(asked: Asked) -> Refused:
    if "/chat/completions" in asked.path:
        told = "This model is only supported in v1/responses and not in v1/chat/completions."
        return 404, error(told, type="invalid_request_error", param="model", code=None)
    return None


def _azure(asked: Asked) -> Refused:
    if "api-version=2024-10-21" not in asked.path:
        return 404, {"error": {"code": "404", "message": "Resource not found"}}
    return None


def _mistral(asked: Asked) -> Refused:
    if "max_completion_tokens" in asked.body:
        return 422, {
            "detail": [
                {
                    "type": "extra_forbidden",
                    "loc": ["body", "max_completion_tokens"],
                    "msg": "Extra inputs are not permitted",
                }
            ]
        }
    if "seed" in asked.body:
        return 422, {
            "detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]
        }
    return None


def _gemini(asked: Asked) -> Refused:
    if "seed" in asked.body:
        told = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
        return 400, [{"error": {"code": 400, "message": told, "status": "INVALID_ARGUMENT"}}]
    return None


def _deepseek(asked: Asked) -> Refused:
    if _has_schema(asked):
        return 400, error(
            "This response_format type is unavailable now", type="invalid_request_error", code="invalid_request_error"
        )
    if asked.format and "json" not in f"{asked.system}{asked.user}".lower():
        return 400, error(
            "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'."
        )
    return None


def _groq(asked: Asked) -> Refused:
    if _has_schema(asked) and asked.format and asked.format["json_schema"].get("strict"):
        told = "This model does not support response format `json_schema` with `strict`."
        return 400, error(told, type="invalid_request_error")
    return None


def _together(asked: Asked) -> Refused:
    if int(asked.body.get("max_tokens", asked.body.get("max_completion_tokens", 0))) > 1500:
        return 400, error("max_tokens must be less than or equal to 1500", type="invalid_request_error")
    return None


def _openrouter(asked: Asked) -> Refused:
    if asked.format:
        return 404, error("No endpoints found that can handle the requested parameters.", code=404)
    return None


def _litellm(asked: Asked) -> Refused:
    if "reasoning_effort" in asked.body:
        told = "litellm.UnsupportedParamsError: m does not support parameters: ['reasoning_effort'], for model=m."
        return 400, error(told, type="None", param="None", code="400")
    return None


def _llama_cpp(asked: Asked) -> Refused:
    return (500, error("failed to parse grammar", code=500, type="server_error")) if asked.format else None


def _lm_studio(asked: Asked) -> Refused:
    if (asked.format or {}).get("type") == "json_object":
        return 400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}
    return None


@contextmanager
def socks_proxy(port: int) -> Iterator[tuple[str, list[str]]]:
    """A SOCKS5 proxy that leads every host to that port here: its address, and the hosts that it was asked for."""
    hosts: list[str] = []

    def serve(client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", port)) as target:
            client.recv(client.recv(2)[1])
            client.sendall(b"\x05\x00")
            client.recv(4)
            hosts.append(client.recv(client.recv(1)[0]).decode())
            client.recv(2)
            client.sendall(b"\x05\x00\x00\x01" + bytes(6))
            while ready := select.select([client, target], [], [], 20)[0]:
                for one in ready:
                    data = one.recv(65_536)
                    if not data:
                        return
                    (target if one is client else client).sendall(data)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"socks5://127.0.0.1:{listener.getsockname()[1]}", hosts
        listener.shutdown(socket.SHUT_RDWR)


def _no_system(status: int, told: Any) -> Callable[[Asked], Refused]:
    return lambda asked: (status, told) if _says_system(asked) else None


def _no_format(status: int, told: Any) -> Callable[[Asked], Refused]:
    return lambda asked: (status, told) if asked.format else None


def _stream_only(asked: Asked) -> Refused:
    return (
        None
        if asked.body.get("stream")
        else (400, error("This model only supports streaming responses. Set stream=true."))
    )


MAKES: Mapping[str, Make] = {
    make.name: make
    for make in (
        Make("openai", _openai, learned={"dropped": ["temperature"]}, options=(("temperature", 0.7),)),
        Make("openai, responses", _responses_only, _responded, {"api": "responses"}, (("reasoning_effort", "low"),)),
        Make("azure", _azure, query="?api-version=2024-10-21"),
        Make(
            "anthropic", responds=lambda content, asked: _message([{"type": "text", "text": f"Here it is:\n{content}"}])
        ),
        Make(
            "gemini",
            _gemini,
            lambda content, asked: _message(f"```json\n{content}\n```"),
            {"dropped": ["seed"]},
            (("seed", 7),),
        ),
        Make(
            "mistral",
            _mistral,
            lambda content, asked: _message(
                [
                    {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHTS}]},
                    {"type": "text", "text": content},
                ]
            ),
            {"limit": "max_tokens", "dropped": ["limit", "seed"]},
            (("seed", 7),),
        ),
        Make(
            "deepseek",
            _deepseek,
            lambda content, asked: _message(content, reasoning_content=THOUGHTS),
            {"format": "json_object"},
        ),
        Make(
            "groq",
            _groq,
            lambda content, asked: _message(content, reasoning=THOUGHTS),
            {"format": "json_schema, not strict"},
        ),
        Make("together", _together, learned={"most": 1500}),
        Make(
            "openrouter",
            _openrouter,
            lambda content, asked: (
                b"\n   \n" + _message(content, reasoning_details=[{"type": "reasoning.text", "text": THOUGHTS}])
            ),
            {"format": "none"},
        ),
        Make("litellm", _litellm, learned={"dropped": ["reasoning_effort"]}, options=(("reasoning_effort", "low"),)),
        Make("vllm", responds=lambda content, asked: _message(f"{THOUGHTS}\n</think>\n\n{content}")),
        Make("sglang", responds=lambda content, asked: _message(f"◁think▷{THOUGHTS}◁/think▷{content}")),
        Make(
            "llama.cpp",
            _llama_cpp,
            lambda content, asked: _message(content, reasoning_content=THOUGHTS),
            {"format": "none"},
        ),
        Make("ollama", responds=lambda content, asked: _message(content, reasoning=THOUGHTS)),
        Make("lm studio", _lm_studio, lambda content, asked: _message(f"<think>{THOUGHTS}</think>{content}")),
        Make(
            "mlx",
            responds=lambda content, asked: _message(
                f"<|channel|>analysis<|message|>{THOUGHTS}<|end|><|channel|>final<|message|>{content}"
            ),
        ),
        Make(
            "tool calls",
            responds=lambda content, asked: _message(
                None, tool_calls=[{"function": {"name": "reply", "arguments": content}}]
            ),
        ),
        Make(
            "numbers as they come",
            responds=lambda content, asked: (
                b"\xef\xbb\xbf"
                + completion(content, usage={"prompt_tokens": 1000.0, "completion_tokens": 20.0}, id=7, created=None)
            ),
        ),
        Make("no schema, 400", _no_format(400, error("response_format is not supported")), learned={"format": "none"}),
        Make("no schema, 404", _no_format(404, error("Unknown field response_format")), learned={"format": "none"}),
        Make(
            "no schema, 422", _no_format(422, {"detail": "response_format: not permitted"}), learned={"format": "none"}
        ),
        Make(
            "no schema, 500", _no_format(500, error("structured output: not implemented")), learned={"format": "none"}
        ),
        Make("no schema, no reason", _no_format(400, b""), learned={"format": "none"}),
        Make("no schema, a bare 500", _no_format(500, b"Internal Server Error"), learned={"format": "none"}),
        Make("stream only", _stream_only, _streamed, {"stream": True}),
        Make("no system role", _no_system(400, error("System role not supported")), learned={"system": "user"}),
        Make(
            "roles alternate",
            _no_system(500, error("Conversation roles must alternate user/assistant/user/assistant/...")),
            learned={"system": "user"},
        ),
        Make(
            "developer instructions",
            _no_system(
                400, [{"error": {"code": 400, "message": "Developer instruction is not enabled for models/gemma-3"}}]
            ),
            learned={"system": "user"},
        ),
    )
}
