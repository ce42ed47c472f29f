"""The final message in what a program printed: the streams and reports of command-line agents and of raw endpoints.

    final_message(output)   the last message of an assistant, its thoughts, and what failed; None for any other output
    outage(text)            the reason why a text is a notice of an account and not an answer

Formats are known by their parts: an object of type `result`, a message of the role `assistant`, a list of parts. Text
of an unknown part is never a message.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.domain.safe_text import one_line

TEXTS = frozenset({"text", "output_text", "input_text"})
THOUGHTS = frozenset({"thinking", "reasoning", "redacted_thinking", "thought", "summary_text", "reasoning_text"})
LONGEST_LITERAL = 65_536

_NOTICE = re.compile(
    r"\W{0,4}(?:(?:api )?error\b[: ]{0,3})?[^\n]{0,60}?\b(?:usage limit (?:reached|exceeded)|"
    r"(?:hit|reached|exceeded) (?:your|the|my) [^\n]{0,20}?"
    r"(?:usage|rate|message|request|token|plan|daily|weekly|monthly|session|spending|hour) (?:limit|quota)|"
    r"(?:rate limit|quota) (?:reached|exceeded)|"
    r"insufficient (?:quota|credits?|balance|funds)|credit balance is too low|out of (?:api )?credits?|"
    r"please (?:log|sign) ?in|please run /login|not (?:logged|signed) in\b[^\n]{0,30}(?:run|log|sign)|"
    r"login required|authentication (?:failed|required|error)|(?:invalid|missing|no) api key|"
    r"api key (?:is )?(?:invalid|not (?:set|found|configured|valid)|missing)|session (?:has )?expired)\b",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"\W{0,4}(?:(?:api |http )?error\b[: ]{0,3})?(?:status )?[45]\d\d\b[: ]|(?:api|fatal) error\b[: ]", re.IGNORECASE
)
LONGEST_NOTICE = 600
"""Characters of a text that may be a notice; a longer one is an answer."""


@dataclass(slots=True)
class Final:
    """What a stream came to. `text` is None where it holds no message, `failed` says what it reports as an error."""

    text: str | None = None
    thoughts: list[str] = field(default_factory=list)
    failed: str = ""


def outage(text: str) -> str:
    """The line in which a text says that the account or the program cannot answer; empty for any other text."""
    text = text.strip()
    if not text or len(text) > LONGEST_NOTICE or text[0] in "{[":
        return ""
    return next(
        (one_line(line)[:200] for line in text.splitlines()[-4:] if _NOTICE.match(line) or _STATUS.match(line)), ""
    )


def final_message(output: str) -> Final | None:
    """What the output of a program or the body of a raw answer came to; None where it is no such stream."""
    found, known = Final(), False
    reader = _Reader(found)
    for item in documents(output):
        known = reader.take(item) or known
    return found if known else None


def documents(output: str) -> list[dict[str, Any]]:
    """The objects of an output: one, a list of them, or one a line, perhaps behind `data:`."""
    text = output.strip()
    if text[:1] not in ("{", "[", "d", "e", ":") and '\n{"' not in text and "\ndata:" not in text:
        return []
    whole: Any = None
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        if text.startswith("[{'") and len(text) <= LONGEST_LITERAL:
            try:
                whole = ast.literal_eval(text)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                whole = None
    if isinstance(whole, list) and whole and all(isinstance(part, dict) for part in whole):
        return [{"type": "parts", "content": whole}] if _is_parts(whole) else whole
    if isinstance(whole, dict):
        return [whole]
    return list(_lines(text))


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        line = line.strip().removeprefix("data:").strip()
        if line.startswith("{"):
            try:
                item = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(item, dict):
                yield item


def _is_parts(items: Sequence[dict[str, Any]]) -> bool:
    return all(item.get("type") in TEXTS | THOUGHTS | {"tool_use", "image"} for item in items)


def parted_content(content: Any) -> tuple[str, str]:
    """Words and thoughts of a message's content: a text, or a list of parts, of which only texts are words."""
    if isinstance(content, str):
        return content, ""
    words, thoughts = list[str](), list[str]()
    for part in content if isinstance(content, list) else [content] if isinstance(content, dict) else []:
        if isinstance(part, str):
            words.append(part)
        elif isinstance(part, dict):
            thinks = part.get("thought") is True
            said = part.get("type", "text") in TEXTS and not thinks
            (words if said else thoughts).append(_text_of(part))
    return "".join(words), "\n".join(filter(None, thoughts))


def _text_of(part: dict[str, Any]) -> str:
    inner = next((part[key] for key in ("text", "thinking", "summary", "content", "reasoning") if part.get(key)), "")
    if isinstance(inner, list):
        return "".join(str(piece.get("text") or "") if isinstance(piece, dict) else str(piece) for piece in inner)
    return inner if isinstance(inner, str) else ""


class _Reader:
    """Takes the objects of a stream one by one; `take` says whether an object is of a known kind."""

    def __init__(self, found: Final) -> None:
        self.found = found
        self._deltas = list[str]()

    def take(self, item: dict[str, Any]) -> bool:
        inner = item.get("msg")
        if isinstance(inner, dict):
            item = inner
        kind = str(item.get("type") or "")
        if self._failed(item, kind):
            return True
        match kind:
            case "parts":
                self._message(item)
            case "result":
                self._say(item.get("result") if isinstance(item.get("result"), str) else item.get("text"), keep=True)
            case "assistant" | "parsed":
                self._message(item.get("message") if isinstance(item.get("message"), dict) else item)
            case "item.completed" | "item.updated" | "item.started" if isinstance(item.get("item"), dict):
                self._item(item["item"])
            case "agent_message":
                self._say(item.get("message") or item.get("text"))
            case "agent_reasoning" | "reasoning" | "thinking" | "agent_thought_chunk":
                part = item.get("part")
                self.found.thoughts.append(_text_of(part if isinstance(part, dict) else item))
            case "task_complete":
                self._say(item.get("last_agent_message"), keep=True)
            case "text" if isinstance(item.get("part"), dict):
                self._say(_text_of(item["part"]))
            case "content_block_delta" if isinstance(item.get("delta"), dict):
                self._delta(item["delta"].get("text"), item["delta"].get("thinking"))
            case "response.output_text.delta":
                self._delta(item.get("delta"), None)
            case "response.completed" if isinstance(item.get("response"), dict):
                self._item_list(item["response"].get("output"))
            case "message" if isinstance(item.get("role"), str):
                self._role(item)
            case "":
                return self._untyped(item)
            case _:
                return kind.partition(".")[0] in ("thread", "turn", "response", "item") or kind in _OTHERS
        return True

    def _failed(self, item: dict[str, Any], kind: str) -> bool:
        wrong = item.get("is_error") is True or item.get("status") == "error" or "error" in str(item.get("subtype"))
        told = item.get("error") or item.get("message") or item.get("result") or kind
        named = kind in ("error", "turn.failed", "stream_error") or (not kind and set(item) <= {"error", "detail"})
        if not (named or (wrong and kind == "result") or (not kind and isinstance(item.get("error"), dict))):
            return False
        if isinstance(told, dict):
            told = told.get("message") or told.get("data") or told.get("name") or told
        self.found.failed = one_line(str(told))[:200] or "an error"
        return True

    def _item(self, item: dict[str, Any]) -> None:
        match item.get("type"):
            case "agent_message":
                self._say(item.get("text"))
            case "reasoning":
                self.found.thoughts.append(_text_of(item))
            case "message":
                self._message(item)

    def _item_list(self, items: Any) -> None:
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict):
                self._item(item)

    def _role(self, item: dict[str, Any]) -> None:
        if item["role"] in ("assistant", "model"):
            if item.get("delta") is True:
                self._delta(parted_content(item.get("content"))[0], None)
            else:
                self._message(item)

    def _untyped(self, item: dict[str, Any]) -> bool:
        choices, candidates = item.get("choices"), item.get("candidates")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            if isinstance(delta := choices[0].get("delta"), dict):
                words, thoughts = parted_content(delta.get("content"))
                self._delta(words, thoughts or delta.get("reasoning_content") or delta.get("reasoning"))
            else:
                self._message(choices[0].get("message") or {"content": choices[0].get("text")})
        elif isinstance(candidates, list) and candidates and isinstance(candidates[0], dict):
            content = candidates[0].get("content")
            self._message({"content": content.get("parts") if isinstance(content, dict) else None})
        elif isinstance(item.get("output"), list):
            self._item_list(item["output"])
        elif isinstance(item.get("role"), str) and "content" in item:
            self._role(item)
        elif isinstance(item.get("message"), dict) and "content" in item["message"]:
            self._message(item["message"])
        elif isinstance(item.get("response"), str) and {"stats", "model", "done", "session_id"} & item.keys():
            if item.get("done") is not None:
                self._delta(item["response"], item.get("thinking"))
            else:
                self._say(item["response"], keep=True)
        else:
            return False
        return True

    def _message(self, message: Any) -> None:
        if not isinstance(message, dict):
            return
        words, thoughts = parted_content(message.get("content"))
        apart = next(
            (t for k in ("reasoning_content", "reasoning", "thinking") if isinstance(t := message.get(k), str)), ""
        )
        self.found.thoughts += filter(None, (apart, thoughts))
        if words.strip():
            self._say(words)

    def _say(self, text: Any, *, keep: bool = False) -> None:
        """A whole message. One without words takes no words back where it only closes the stream."""
        self._deltas.clear()
        if isinstance(text, str) and (text.strip() or not keep):
            self.found.text = text

    def _delta(self, words: Any, thoughts: Any) -> None:
        if isinstance(thoughts, str) and thoughts:
            self.found.thoughts.append(thoughts)
        if isinstance(words, str):
            self._deltas.append(words)
            self.found.text = "".join(self._deltas)


_OTHERS = frozenset(
    "system user init tool_use tool_result tool_call step_start step_finish message_start message_delta message_stop "
    "content_block_start content_block_stop ping token_count task_started session session_start exec_command_begin "
    "exec_command_end agent_reasoning_section_break rate_limit_event".split()
)
"""Objects of a stream that hold no message."""
