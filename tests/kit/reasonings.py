"""The ways in which models and programs put their reasoning around an answer, and an agent that plays in any of them.

FORMATS["think tags"].wrap(thoughts, answer)
HouseBehind(endpoint, formats)      replies of the house players, sent by a real endpoint in one format after the other
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from endpoint import StandIn

from sottovoce.agents.agent import CallRecord, SeatRandom
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

SECRET = "qzxv-canary"
"""Stands in every thought, and in nothing that anybody may hear."""


@dataclass(frozen=True)
class Format:
    """One way to write thoughts and an answer. `clear`: the answer in it is beyond doubt and must be taken."""

    name: str
    wrap: Callable[[str, str], str]
    clear: bool = True


def _tags(opening: str, closing: str) -> Callable[[str, str], str]:
    return lambda thoughts, answer: f"{opening}\n{thoughts}\n{closing}\n\n{answer}"


TAGS: Mapping[str, tuple[str, str]] = {
    "think": ("<think>", "</think>"),
    "upper case": ("<THINK>", "</THINK>"),
    "thinking with attributes": ('<thinking budget="high/low">', "</thinking>"),
    "thought": ("<thought>", "</thought>"),
    "reasoning": ("<Reasoning>", "</Reasoning>"),
    "namespace": ("<seed:think>", "</seed:think>"),
    "another namespace": ("<thinking>", "</thinking>"),
    "reflection": ("<reflection>", "</reflection>"),
    "scratchpad": ("<scratchpad>", "</scratchpad>"),
    "inner monologue": ("<inner_monologue>", "</inner_monologue>"),
    "square": ("[THINK]", "[/THINK]"),
    "square, lower case": ("[thinking]", "[/thinking]"),
    "triangles": ("◁think▷", "◁/think▷"),
    "lenses": ("【思考】", "【/思考】"),
    "begin and end": ("<|begin_of_thought|>", "<|end_of_thought|>"),
    "START and END": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "wide bars": ("<｜think｜>", "<｜/think｜>"),
    "half bars": ("<|channel>thought", "<channel|>"),
    "unused tokens": ("<unused94>thought", "<unused95>"),
    "escaped": ("&lt;think&gt;", "&lt;/think&gt;"),
    "escaped as JSON": (r"\u003cthink\u003e", r"\u003c/think\u003e"),
    "blanks": ("< think >", "</ think >"),
    "unknown name": ("<cogitabundity>", "</cogitabundity>"),
    "details": ('<details type="reasoning"><summary>Thought for 3 seconds</summary>', "</details>"),
    "comment": ("<!--", "-->"),
    "fence": ("```thinking", "```"),
    "tildes": ("~~~reasoning", "~~~"),
}
"""Marks that are opened and closed, by name."""

_JSON = json.dumps


def _valid(answer: str) -> str:
    """The answer as it may stand within an object."""
    try:
        return _JSON(json.loads(answer))
    except ValueError:
        return _JSON(answer)


FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        *(Format(f"tags: {name}", _tags(*marks)) for name, marks in TAGS.items()),
        *(
            Format(f"closed, not opened: {name}", _tags("", TAGS[name][1]))
            for name in ("think", "upper case", "square", "triangles", "begin and end", "half bars", "unknown name")
        ),
        Format("twice", lambda t, a: f"<think>{t}</think>\n\n<think>{t}\n</think>\n{a}"),
        Format("mixed", lambda t, a: f"{t}</think>\n<reasoning>{t}</reasoning>[THINK]{t}[/THINK]{a}"),
        Format("nested", lambda t, a: f"<think>{t}<think>{t}</think>{t}</think>{a}"),
        Format("afterwards", lambda t, a: f"{a}\n<think>{t}</think>"),
        Format("afterwards, never closed", lambda t, a: f"{a}\n<think>{t}"),
        Format("around", lambda t, a: f"<think>{t}</think>{a}<think>{t}"),
        Format("never closed", lambda t, a: f"<think>{t}\n{t}", clear=False),
        Format("never closed, in square brackets", lambda t, a: f"[THINK]{t}", clear=False),
        Format("answer tags", lambda t, a: f"{t}\n<answer>{a}</answer>"),
        Format("thoughts and answer tags", lambda t, a: f"<think>{t}<answer>{a}</answer>\n{t}"),
        Format(
            "response tags", lambda t, a: f"<|START_THINKING|>{t}<|END_THINKING|><|START_RESPONSE|>{a}<|END_RESPONSE|>"
        ),
        Format(
            "solution tags",
            lambda t, a: f"<|begin_of_thought|>{t}<|end_of_thought|><|begin_of_solution|>{a}<|end_of_solution|>",
        ),
        Format(
            "harmony",
            lambda t, a: (
                f"<|channel|>analysis<|message|>{t}<|end|><|start|>assistant<|channel|>final<|message|>{a}<|return|>"
            ),
        ),
        Format(
            "harmony with a preamble",
            lambda t, a: (
                f"<|start|>assistant<|channel|>commentary<|message|>{t}<|end|><|start|>assistant<|channel|>analysis"
                f"<|message|>{t}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{a}"
            ),
        ),
        Format("harmony without an end", lambda t, a: f"<|channel|>analysis<|message|>{t}", clear=False),
        Format("harmony, marks stripped", lambda t, a: f"analysis{t}assistantfinal{a}"),
        Format("harmony, commentary stripped", lambda t, a: f"analysis{t}assistantcommentary{t}assistantfinal\n{a}"),
        Format("harmony, stripped and cut", lambda t, a: f"analysis{t}", clear=False),
        Format("a terminal's", lambda t, a: f"Thinking...\n{t}\n...done thinking.\n\n{a}"),
        Format("sentences", lambda t, a: f"Here's my thought process: {t}\n\nHere's my response:\n{a}"),
        Format("ReAct", lambda t, a: f"Thought: {t}\nAction: speak\nAction Input: {a}"),
        Format("bold headings", lambda t, a: f"**Reasoning:** {t}\n\n**Answer:**\n{a}"),
        Format("headings, no answer", lambda t, a: f"Reasoning: {t}\n{t}", clear=False),
        Format("monologue", lambda t, a: f"Okay, so I need to decide what to say. {t}\n\nLet me think.", clear=False),
        Format("about the user", lambda t, a: f"The user wants a JSON object. {t}", clear=False),
        Format("message marks", lambda t, a: f"<|im_start|>assistant\n<think>{t}</think>{a}<|im_end|>\n{t}"),
        Format("parts", lambda t, a: _JSON([{"type": "thinking", "thinking": t}, {"type": "text", "text": a}])),
        Format(
            "parts, in Python", lambda t, a: repr([{"type": "thinking", "thinking": t}, {"type": "text", "text": a}])
        ),
        Format(
            "claude's stream",
            lambda t, a: "\n".join(
                map(
                    _JSON,
                    (
                        {"type": "system", "subtype": "init"},
                        {"type": "assistant", "message": {"content": [{"type": "thinking", "thinking": t}]}},
                        {"type": "assistant", "message": {"content": [{"type": "text", "text": f"Let me see. {t}"}]}},
                        {"type": "result", "subtype": "success", "is_error": False, "result": a},
                    ),
                )
            ),
        ),
        Format(
            "claude's report",
            lambda t, a: _JSON({"type": "result", "is_error": False, "result": f"<think>{t}</think>{a}"}),
        ),
        Format(
            "codex's stream",
            lambda t, a: "\n".join(
                map(
                    _JSON,
                    (
                        {"type": "thread.started", "thread_id": "1"},
                        {"type": "item.completed", "item": {"type": "reasoning", "text": t}},
                        {"type": "item.completed", "item": {"type": "agent_message", "text": t}},
                        {"type": "item.completed", "item": {"type": "agent_message", "text": a}},
                        {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}},
                    ),
                )
            ),
        ),
        Format(
            "codex's old stream",
            lambda t, a: "\n".join(
                map(
                    _JSON,
                    (
                        {"id": "0", "msg": {"type": "agent_reasoning", "text": t}},
                        {"id": "0", "msg": {"type": "agent_message", "message": a}},
                        {"id": "0", "msg": {"type": "task_complete", "last_agent_message": a}},
                    ),
                )
            ),
        ),
        Format(
            "codex's screen",
            lambda t, a: f"--------\nworkdir: /x\n--------\nuser\n{t}\nthinking\n{t}\ncodex\n{a}\ntokens used\n1,234",
        ),
        Format("gemini's report", lambda t, a: _JSON({"response": a, "stats": {"models": {}}, "thoughts": t})),
        Format(
            "gemini's stream",
            lambda t, a: "\n".join(
                map(
                    _JSON,
                    (
                        {"type": "init", "session_id": "1"},
                        {"type": "message", "role": "user", "content": t},
                        {"type": "message", "role": "assistant", "content": a[:5], "delta": True},
                        {"type": "message", "role": "assistant", "content": a[5:], "delta": True},
                        {"type": "result", "status": "success"},
                    ),
                )
            ),
        ),
        Format(
            "opencode's stream",
            lambda t, a: "\n".join(
                map(
                    _JSON,
                    (
                        {"type": "step_start", "part": {}},
                        {"type": "reasoning", "part": {"type": "reasoning", "text": t}},
                        {"type": "text", "part": {"type": "text", "text": a}},
                        {"type": "step_finish", "part": {}},
                    ),
                )
            ),
        ),
        Format(
            "a raw completion", lambda t, a: _JSON({"choices": [{"message": {"content": a, "reasoning_content": t}}]})
        ),
        Format(
            "a raw message",
            lambda t, a: _JSON({"role": "assistant", "content": [{"type": "text", "text": a}], "thinking": t}),
        ),
        Format("unknown marks", lambda t, a: f"<|zzz|>{t}<|yyy|>{a}", clear=False),
        Format("a tag that is its own text", lambda t, a: f"{a}\n<thought: {t.replace(chr(10), ' ')}>"),
        Format("fields as lines", lambda t, a: f"thoughts: {t}\ntext: {a}"),
        Format("inside and outside", lambda t, a: f"Internal: {t}\nExternal: {a}"),
        Format("steps", lambda t, a: f"Step 1: {t}\nStep 2: {t}\n\nFinal answer: {a}"),
        Format("a plan", lambda t, a: f"**Strategy:** {t}\n\n**Speech:** {a}"),
        Format("a document of tags", lambda t, a: f"<response><thoughts>{t}</thoughts><text>{a}</text></response>"),
        Format("fields around", lambda t, a: f'{{"reasoning": {_JSON(t)}, "response": {_valid(a)}}}'),
        Format("tags in a fence", lambda t, a: f"```\n<think>{t}</think>\n{a}\n```"),
        Format(
            "goose's screen",
            lambda t, a: f"starting session | provider: x\n    logging to /x.jsonl\n<think>{t}</think>\n{a}",
        ),
        Format(
            "codex's old screen",
            lambda t, a: (
                f"[2025-08-01T10:00:00] thinking\n{t}\n[2025-08-01T10:00:01] codex\n{a}\n"
                "[2025-08-01T10:00:02] tokens used: 9"
            ),
        ),
        Format("an aside", lambda t, a: f"(thinking: {t})\n{a}"),
        Format("a starred aside", lambda t, a: f"*thinks to himself: {t}*\n{a}"),
    )
}


class HouseBehind:
    """Plays like the house; each reply goes through an endpoint, in the next format."""

    by = "prompt"

    def __init__(
        self, endpoint: StandIn, formats: Sequence[Format], thoughts: str = f"I am {SECRET}, and hide it."
    ) -> None:
        self._house = HouseAgent()
        self._model = OpenAIAgent("m", Settings(base_url=endpoint.url, seconds=20, tries=1))
        self._formats = cycle(formats)
        self._thoughts = thoughts
        self._said: dict[str, str] = {}
        self.used: list[tuple[Format, CallRecord]] = []
        endpoint.answer = lambda asked: self._said[asked.user]

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        return self._model.blocks(view, turn)

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        reply = str(await self._house.act(view, turn, random, CallRecord()))
        form, last = next(self._formats), turn.attempts_left == 1
        wrapped = reply if last else form.wrap(self._thoughts, self._as_asked(view, turn, reply))
        self._said["\n\n".join(self.blocks(view, turn)[1:])] = wrapped
        if not last:
            self.used.append((form, record))
        return await self._model.act(view, turn, random, record)

    @staticmethod
    def _as_asked(view: View[Any], turn: Turn, reply: str) -> str:
        """The reply as a model gives it: a speech in fields, anything with its own format unchanged."""
        if view.ruleset.form(view.state, turn) is not None:
            return reply
        return json.dumps({"choice": reply, "words": ""} if turn.choices else {"text": reply})
