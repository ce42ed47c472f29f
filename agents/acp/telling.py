"""What an agent tells of one prompt while it works: its reply, what it does, what it thinks, what it has used."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sottovoce.domain.safe_text import one_line

MOST_TOLD = 200
"""Steps that a receipt keeps: the first ones, and always the last."""
LONGEST_STEP = 160
IN = ("inputTokens", "input_tokens", "promptTokens")
OUT = ("outputTokens", "output_tokens", "candidatesTokens")
CACHED = ("cachedReadTokens", "cached_read_tokens", "cachedTokens", "cached_tokens")
ALL = ("totalTokens", "total_tokens")


@dataclass(frozen=True, slots=True)
class Used:
    """The tokens of one prompt; None where the agent does not say."""

    prompt: int | None = None
    cached: int | None = None
    reply: int | None = None


def used(found: Any) -> Used:
    """Read the tokens out of what an agent calls its usage. Nothing that it says is an error.

    Agents count the prompt with what a cache held or without, but all mean the same by the total.
    """
    prompt, reply, total = _number(found, IN), _number(found, OUT), _number(found, ALL)
    if total is not None and reply is not None and total >= reply:
        prompt = total - reply
    return Used(prompt, _number(found, CACHED), reply)


def _number(found: Any, names: tuple[str, ...]) -> int | None:
    for name in names:
        value = found.get(name) if isinstance(found, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12:
            return int(value)
    return None


@dataclass
class Telling:
    """What came of one prompt so far. `told` gets each step in a few words, such as the title of a tool call.

    The reply is the text of the last run of messages: what stood before a tool call, or in another message, was said
    on the way.
    """

    told: Callable[[str], None] = lambda step: None
    parts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    steps: list[tuple[float, str]] = field(default_factory=list)
    untold: int = 0
    tools: int = 0
    denied: list[str] = field(default_factory=list)
    size: int = 0
    counted: list[Used] = field(default_factory=list)
    cost: float | None = None
    """Of the whole session, in US dollars."""
    _message: Any = None
    _began: float = field(default_factory=time.monotonic)

    @property
    def reply(self) -> str:
        return "".join(self.parts)

    def take(self, update: dict[str, Any]) -> None:
        """Take the content of a `session/update`; one of an unknown kind changes nothing."""
        content = update.get("content")
        match update.get("sessionUpdate"):
            case "agent_message_chunk":
                self._said(update, content)
            case "agent_thought_chunk":
                self.thoughts.append(text := _text_of(content))
                self.size += len(text)
                self._step("thinking")
            case "user_message_chunk":
                self._anew()
            case "tool_call":
                self.tools += 1
                self._anew()
                self._step(_tool(update))
            case "tool_call_update" if update.get("title"):
                self._step(_tool(update))
            case "plan":
                self._step(_plan(update.get("entries")))
            case "usage_update":
                cost = update.get("cost")
                amount = cost.get("amount") if isinstance(cost, dict) and cost.get("currency") == "USD" else None
                if isinstance(amount, int | float) and not isinstance(amount, bool) and amount >= 0:
                    self.cost = float(amount)

    def deny(self, what: str) -> None:
        """Note that a permission was refused."""
        self.denied.append(one_line(what)[:LONGEST_STEP])
        self._step(f"refused: {what}")

    def notes(self) -> dict[str, Any]:
        """What the receipt of the call keeps: the steps with the seconds since the prompt, and what was refused."""
        kept: dict[str, Any] = {"tools": self.tools, "denied": self.denied[:MOST_TOLD]}
        kept["steps"] = [[round(seconds, 1), step] for seconds, step in self.steps]
        return {**kept, "steps_left_out": self.untold} if self.untold else kept

    def _said(self, update: dict[str, Any], content: Any) -> None:
        meta = update.get("_meta")
        if isinstance(meta, dict) and isinstance(usage := meta.get("usage"), dict):
            self.counted.append(used(usage))
        text = _text_of(content)
        if not text:
            return
        if (message := update.get("messageId")) != self._message:
            self._anew()
            self._message = message
        self.parts.append(text)
        self.size += len(text)
        self._step("answering")

    def _anew(self) -> None:
        self.parts, self._message = [], None

    def _step(self, what: str) -> None:
        step = one_line(what)[:LONGEST_STEP]
        if not step or (self.steps and self.steps[-1][1] == step):
            return
        if len(self.steps) == MOST_TOLD:
            self.steps.pop()
            self.untold += 1
        self.steps.append((time.monotonic() - self._began, step))
        self.told(step)


def _text_of(content: Any) -> str:
    text = content.get("text") if isinstance(content, dict) and content.get("type") == "text" else None
    return text if isinstance(text, str) else ""


def _tool(update: dict[str, Any]) -> str:
    title = str(update.get("title") or update.get("kind") or "a tool")
    places = update.get("locations")
    first = places[0].get("path") if isinstance(places, list) and places and isinstance(places[0], dict) else None
    return f"{title} ({first})" if first and str(first) not in title else title


def _plan(entries: Any) -> str:
    listed = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    now = next((entry for entry in listed if entry.get("status") == "in_progress"), None)
    done = sum(entry.get("status") == "completed" for entry in listed)
    return f"step {done + 1} of {len(listed)}: {now.get('content')}" if now else ""
