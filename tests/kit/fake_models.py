"""A server on loopback that speaks the APIs of four makers of models, for real coding agents without an account.

    python fake_models.py PORT

Anthropic's messages, OpenAI's responses and chat completions, and Gemini's `generateContent`, each as a stream too. It
does what the turn in the last prompt asks for. Before a review request it calls the agent's tool for shell commands
once, so that there is work to see. Each call is one line on standard output.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SHELLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "Bash": lambda command: {"command": command, "description": "work"},
    "bash": lambda command: {"command": command, "description": "work"},
    "exec_command": lambda command: {"cmd": command},
    "shell": lambda command: {"command": ["bash", "-c", command]},
    "shell_command": lambda command: {"command": command},
    "run_shell_command": lambda command: {"command": command, "description": "work"},
}
WORK = "echo 'The work of this task.' >> work.txt && cat work.txt"
Reply = tuple[str, str, dict[str, Any]]
"""`text` and the text, or `tool`, its name and its input."""


def reply_to(prompt: str, tools: list[str], worked: bool) -> Reply:
    """What a model would say to the last prompt of a conversation."""
    tail = prompt.rpartition("YOUR TURN ")[2]
    legal = re.search(r"^Legal choices: (.*)\.$", tail, re.MULTILINE)
    choices = legal[1].split(", ") if legal else []
    shell = next((tool for tool in SHELLS if tool in tools), None)
    if "review_requested" in choices and shell is not None and not worked:
        return "tool", shell, SHELLS[shell](WORK)
    if choices and ("The file: " in tail or '"action"' in tail):
        answer: dict[str, Any] = {
            "action": "stop_recommended" if "stop_recommended" in choices else choices[0],
            "file": "# A file\n\nNothing must be fixed.\n",
            "note": "",
            "to": "",
        }
    else:
        answer = {"choice": choices[0] if choices else "none", "words": "I have nothing to hide."}
    return "text", json.dumps(answer), {}


def texts(content: Any) -> str:
    """All text of a message's content, in whatever form."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))


def asked(turns: list[tuple[bool, str]]) -> tuple[str, bool]:
    """The last prompt of a conversation, and whether a tool's result came after it: each turn is (result, text)."""
    prompt, worked = "", False
    for result, text in turns:
        if "YOUR TURN " in text and not result:
            prompt, worked = text, False
        worked = worked or result
    return prompt, worked


class Handler(BaseHTTPRequestHandler):
    """One call."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on standard error."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        self.answer({"object": "list", "data": [{"id": "fake", "object": "model"}], "models": []})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        print(json.dumps({"path": self.path}), flush=True)
        if "count_tokens" in self.path or "countTokens" in self.path:
            self.answer({"input_tokens": 100, "totalTokens": 100})
        elif "/messages" in self.path:
            self.messages(body)
        elif self.path.endswith("/responses"):
            self.of_responses(body)
        elif "/chat/completions" in self.path:
            self.completions(body)
        elif "enerateContent" in self.path:
            self.contents(body)
        else:
            self.answer({})

    def answer(self, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, events: Iterator[tuple[str | None, Any]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in events:
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode())
        self.close_connection = True

    def messages(self, body: dict[str, Any]) -> None:
        """Anthropic's."""
        turns = []
        for message in body.get("messages", []):
            parts = message["content"]
            result = isinstance(parts, list) and any(part.get("type") == "tool_result" for part in parts)
            if message["role"] == "user":
                turns.append((result, texts(parts)))
        kind, said, given = reply_to(*self._asked(turns, [tool.get("name") for tool in body.get("tools", [])]))
        block: dict[str, Any] = {"type": "text", "text": said}
        if kind == "tool":
            block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:10]}", "name": said, "input": given}
        usage = {"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 1000}
        stop = "tool_use" if kind == "tool" else "end_turn"
        whole = {
            "id": f"msg_{uuid.uuid4().hex[:8]}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
        }
        whole |= {"content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            self.answer(whole)
            return

        def events() -> Iterator[tuple[str, Any]]:
            empty: dict[str, Any] = {"input": {}} if kind == "tool" else {"text": ""}
            delta = {"type": "text_delta", "text": said}
            if kind == "tool":
                delta = {"type": "input_json_delta", "partial_json": json.dumps(given)}
            started: dict[str, Any] = {**whole, "content": [], "stop_reason": None}
            for name, more in (
                ("message_start", {"message": started}),
                ("content_block_start", {"index": 0, "content_block": {**block, **empty}}),
                ("content_block_delta", {"index": 0, "delta": delta}),
                ("content_block_stop", {"index": 0}),
                ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}),
                ("message_stop", {}),
            ):
                yield name, {"type": name, **more}

        self.stream(events())

    def of_responses(self, body: dict[str, Any]) -> None:
        """OpenAI's responses, always as a stream."""
        turns = []
        for given_item in body.get("input", []):
            if given_item.get("type") in ("function_call_output", "custom_tool_call_output"):
                turns.append((True, ""))
            elif given_item.get("role") == "user":
                turns.append((False, texts(given_item.get("content"))))
        tools = [str(tool.get("name")) for tool in body.get("tools", [])]
        kind, said, given = reply_to(*self._asked(turns, tools))
        item: dict[str, Any] = {"type": "message", "role": "assistant", "id": f"msg_{uuid.uuid4().hex[:8]}"}
        item |= {"status": "completed", "content": [{"type": "output_text", "text": said, "annotations": []}]}
        if kind == "tool":
            item = {
                "type": "function_call",
                "id": f"fc_{uuid.uuid4().hex[:8]}",
                "call_id": f"call_{uuid.uuid4().hex[:8]}",
            }
            item |= {"name": said, "arguments": json.dumps(given), "status": "completed"}
        usage: dict[str, Any] = {
            "input_tokens": 1100,
            "input_tokens_details": {"cached_tokens": 1000},
            "output_tokens": 10,
        }
        usage |= {"output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1110}
        whole: dict[str, Any] = {"id": f"resp_{uuid.uuid4().hex[:8]}", "object": "response", "status": "completed"}
        whole |= {"model": body.get("model"), "output": [item], "usage": usage}

        def events() -> Iterator[tuple[str, Any]]:
            for name, more in (
                ("response.created", {"response": {**whole, "status": "in_progress", "output": [], "usage": None}}),
                ("response.output_item.added", {"output_index": 0, "item": item}),
                ("response.output_item.done", {"output_index": 0, "item": item}),
                ("response.completed", {"response": whole}),
            ):
                yield name, {"type": name, **more}

        self.stream(events())

    def completions(self, body: dict[str, Any]) -> None:
        """OpenAI's chat completions."""
        turns = [
            (message["role"] == "tool", texts(message.get("content")))
            for message in body.get("messages", [])
            if message["role"] in ("user", "tool")
        ]
        tools = [str(tool.get("function", {}).get("name")) for tool in body.get("tools") or []]
        kind, said, given = reply_to(*self._asked(turns, tools))
        message: dict[str, Any] = {"role": "assistant", "content": said}
        if kind == "tool":
            called = {"name": said, "arguments": json.dumps(given)}
            call = {"index": 0, "id": f"call_{uuid.uuid4().hex[:8]}", "type": "function", "function": called}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        stop = "tool_calls" if kind == "tool" else "stop"
        usage = {"prompt_tokens": 1100, "completion_tokens": 10, "total_tokens": 1110}
        head: dict[str, Any] = {"id": f"chat_{uuid.uuid4().hex[:8]}", "created": 1, "model": body.get("model")}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": stop}
            self.answer({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
            return

        def events() -> Iterator[tuple[None, Any]]:
            chunk = {**head, "object": "chat.completion.chunk"}
            yield None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
            yield None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}
            yield None, {**chunk, "choices": [], "usage": usage}
            yield None, "[DONE]"

        self.stream(events())

    def contents(self, body: dict[str, Any]) -> None:
        """Gemini's."""
        turns = []
        for content in body.get("contents", []):
            parts = content.get("parts") or []
            if content.get("role", "user") == "user":
                turns.append((any("functionResponse" in part for part in parts), texts(parts)))
        listed = [one.get("name") for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]
        kind, said, given = reply_to(*self._asked(turns, listed))
        part: dict[str, Any] = {"functionCall": {"name": said, "args": given}} if kind == "tool" else {"text": said}
        usage = {"promptTokenCount": 1100, "candidatesTokenCount": 10, "totalTokenCount": 1110}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake"}
        if "stream" in self.path:
            self.stream(iter([(None, whole)]))
        else:
            self.answer(whole)

    @staticmethod
    def _asked(turns: list[tuple[bool, str]], tools: list[Any]) -> tuple[str, list[str], bool]:
        prompt, worked = asked(turns)
        return prompt, [str(tool) for tool in tools], worked


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
