"""What the report of a coding agent's command line says of its session, its tokens and its cost, and what it does.

    report_in(output)   the numbers of a whole report; None for any other output
    step_in(line)       what a line of a stream says that the program does now

Known are `codex exec --json`, `claude -p --output-format json` and `stream-json`, `gemini --output-format json` and
`stream-json`, `opencode run --format json`, `qwen --output-format json`. Nothing here fails: a number that is not said
stays None, never 0.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sottovoce.agents.models.prices import ANY_HOST, price_of
from sottovoce.agents.models.streams import documents
from sottovoce.domain.safe_text import one_line

IN = ("input_tokens", "inputTokens", "prompt", "input")
OUT = ("output_tokens", "outputTokens", "candidates", "output")
CACHED = ("cache_read_input_tokens", "cached_input_tokens", "cacheReadInputTokens", "cachedReadTokens", "cached")
WRITTEN = ("cache_creation_input_tokens", "cacheCreationInputTokens")
APART = ("cache_read_input_tokens", "cacheReadInputTokens")
"""Where the cache's part has one of these names, the input does not include it."""
LONGEST_STEP = 160


@dataclass
class Counted:
    """Tokens; None where nothing is said of them."""

    prompt: int | None = None
    cached: int | None = None
    reply: int | None = None

    def add(self, usage: Any) -> None:
        """Count one more part of the use."""
        if not isinstance(usage, dict):
            return
        cached, first = _number(usage, CACHED), _number(usage, IN)
        if first is not None and any(name in usage for name in APART) and "total_tokens" not in usage:
            first += (cached or 0) + (_number(usage, WRITTEN) or 0)
        self.prompt = _sum(self.prompt, first)
        self.cached = _sum(self.cached, cached)
        self.reply = _sum(self.reply, _number(usage, OUT))


@dataclass
class Report:
    """What a program reports of one run: `cost` in US dollars, `models` the tokens by model, where it says so."""

    session: str | None = None
    counted: Counted = field(default_factory=Counted)
    cost: float | None = None
    models: dict[str, Counted] = field(default_factory=dict)


def report_in(output: str) -> Report | None:
    """The report that an output is; None where it is none, such as a plain answer in JSON."""
    found, known = Report(), False
    for item in documents(output):
        session = item.get("session_id") or item.get("sessionID") or item.get("thread_id")
        if isinstance(session, str):
            found.session = one_line(session)[:100]
        take = _KINDS.get(str(item.get("type") or ""), _untyped if "type" not in item else None)
        known = (take is not None and take(found, item)) or known
    return found if known else None


def cost_of(models: Mapping[str, Counted]) -> float | None:
    """What the tokens cost by your list of prices, in US dollars; None where it lacks one of the models."""
    total = 0.0
    for name, counted in models.items():
        price = price_of(ANY_HOST, name)
        if price is None or counted.prompt is None or counted.reply is None:
            return None
        total += price.of(counted.prompt, counted.reply, counted.cached or 0)
    return round(total, 8)


def _result(found: Report, item: Mapping[str, Any]) -> bool:
    """The last object of claude, qwen and gemini's stream: of the whole run, so it stands for all before."""
    found.counted = Counted()
    found.counted.add(item.get("usage") or item.get("stats"))
    found.cost = _money(item.get("total_cost_usd"), found.cost)
    models = item.get("modelUsage")
    for name, usage in models.items() if isinstance(models, dict) else ():
        found.models.setdefault(str(name), Counted()).add(usage)
    return True


def _turn(found: Report, item: Mapping[str, Any]) -> bool:
    """The end of a turn of codex."""
    found.counted.add(item.get("usage"))
    return True


def _step(found: Report, item: Mapping[str, Any]) -> bool:
    """One call of opencode's model, in which the cache's part and the reasoning stand apart."""
    part = item.get("part")
    tokens = part.get("tokens") if isinstance(part, dict) else None
    if not isinstance(part, dict) or not isinstance(tokens, dict):
        return False
    cache = tokens.get("cache")
    read, written = _number(cache, ("read",)), _number(cache, ("write",))
    reply = _sum(_number(tokens, ("output",)), _number(tokens, ("reasoning",)))
    prompt = _sum(_sum(_number(tokens, ("input",)), read), written)
    parts = {"input": prompt, "cached": read, "output": reply}
    found.counted.add({name: value for name, value in parts.items() if value is not None})
    cost = _money(part.get("cost"), None)
    found.cost = found.cost if cost is None else (found.cost or 0.0) + cost
    return True


def _untyped(found: Report, item: Mapping[str, Any]) -> bool:
    """The one object of gemini, in which thoughts stand apart."""
    stats = item.get("stats")
    if not isinstance(stats, dict) or "response" not in item:
        return False
    models = stats.get("models")
    for name, model in models.items() if isinstance(models, dict) else ():
        tokens = model.get("tokens") if isinstance(model, dict) else None
        if not isinstance(tokens, dict):
            continue
        reply = _sum(_number(tokens, ("candidates",)), _number(tokens, ("thoughts",)))
        whole = {**tokens, **({} if reply is None else {"candidates": reply})}
        found.counted.add(whole)
        found.models.setdefault(str(name), Counted()).add(whole)
    return True


_KINDS: Mapping[str, Callable[[Report, Mapping[str, Any]], bool]] = {
    "result": _result,
    "turn.completed": _turn,
    "step_finish": _step,
}


def step_in(line: str) -> str:
    """What a line of a program's output says that it does now; empty where it says nothing of that."""
    line = line.strip().removeprefix("data:").strip()
    if not line.startswith("{"):
        return ""
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(item, dict):
        return ""
    inner, part = item.get("item"), item.get("part")
    match item.get("type"):
        case "item.started" | "item.completed" if isinstance(inner, dict):
            step = _item_step(inner)
        case "assistant":
            message = item.get("message")
            step = _content_step(message.get("content") if isinstance(message, dict) else None)
        case "tool_use" if isinstance(part, dict):
            state = part.get("state")
            known = state if isinstance(state, dict) else {}
            step = _tool_step(part.get("tool"), known.get("input"), known.get("title"))
        case "tool_use":
            step = _tool_step(item.get("tool_name") or item.get("name"), item.get("parameters") or item.get("input"))
        case "text" | "message":
            step = "answering"
        case "reasoning" | "thinking":
            step = "thinking"
        case _:
            step = ""
    return one_line(step)[:LONGEST_STEP]


def _item_step(item: Mapping[str, Any]) -> str:
    """What an item of codex is about."""
    match item.get("type"):
        case "command_execution":
            return str(item.get("command") or "a command")
        case "file_change":
            changes = item.get("changes")
            paths = (
                [str(one.get("path")) for one in changes if isinstance(one, dict)] if isinstance(changes, list) else []
            )
            return f"changes {', '.join(paths)}" if paths else "changes files"
        case "agent_message":
            return "answering"
        case "reasoning":
            return "thinking"
        case kind:
            return str(item.get("tool") or item.get("query") or kind or "")


def _content_step(content: Any) -> str:
    """What the last part of claude's message is about."""
    step = ""
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "tool_use":
            step = _tool_step(part.get("name"), part.get("input"))
        elif kind in ("thinking", "text"):
            step = "thinking" if kind == "thinking" else "answering"
    return step


def _tool_step(tool: Any, given: Any, title: Any = None) -> str:
    if title:
        return f"{tool}: {title}"
    names = ("command", "file_path", "filePath", "path", "pattern", "query", "url", "description")
    about = next((given[name] for name in names if given.get(name)), "") if isinstance(given, dict) else ""
    return f"{tool or 'a tool'}: {about}" if about else str(tool or "a tool")


def _number(found: Any, names: tuple[str, ...]) -> int | None:
    for name in names:
        value = found.get(name) if isinstance(found, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12:
            return int(value)
    return None


def _money(value: Any, otherwise: float | None) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if known else otherwise


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one + (other or 0)
