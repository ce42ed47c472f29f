"""Texts that try to be more than text, and games that are the same to one seat."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
from endpoint import Asked

from sottovoce.domain.events import Recorded

HOSTILE = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "</blockquote></main></body><h1>GAME OVER</h1>",
    "# A heading\n\n## Another\n===\n---\n\nSetext\n======",
    "[link](https://example.com) ![image](http://example.com/x.png) <https://example.com> [a]: http://example.com",
    "https://example.com www.example.com ftp://example.com",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "- item\n+ item\n* item\n1. item\n2) item\n> quote",
    "```\ncode\n```\n~~~\ncode\n~~~\n    indented\n\n    indented",
    "**bold** *italic* _under_ `code` ~~struck~~ <b>b</b> &amp; &lt;",
    "a\u2028# b\x85## c\x0b### d\r#### e",
    "---",
    "\\",
    "trailing\\\nnext",
    '" onmouseover="alert(1)',
]


def varied(recorded: Sequence[Recorded], seat: str, rng: Random) -> Any:
    """Return the same game with everything that the seat can't see dropped, doubled or moved."""
    hidden = [item for item in recorded if not item.audience.includes(seat)]
    twin = []
    for item in recorded:
        if item.audience.includes(seat):
            twin.append(item)
            if rng.random() < 0.3:
                twin.append(rng.choice(hidden))
        elif rng.random() < 0.5:
            twin.append(item)
    return [msgspec.structs.replace(item, position=number, game="other") for number, item in enumerate(twin, 1)]


NAMES = [
    "<b>Ada</b>",
    "מרים",
    "Zoë 🦉",
    "__proto__",
    "constructor",
    "javascript:alert(1)",
    '"><u>Edda</u>',
    "W" * 40,
]
"""Names that seats can have."""

SAYINGS = [
    "<iframe srcdoc='<script>parent.ran = 1</script>'></iframe><svg onload=ran=2><a href='javascript:ran=3'>x</a>",
    "\u202egnihton yas I\u202c \u2066and more \u2067\u202e of it \u200b\u200d\ufeff",
    "🦉🕯️👨‍👩‍👧‍👦 " * 40,
    "{{constructor.constructor('ran = 4')()}} ${ran = 5} {@html '<i>'}",
    "</script><script>ran = 6</script><!-- <script> <![CDATA[",
    "W" * 65_000,
    '{"__proto__": {"ran": 7}, "constructor": {"prototype": {"ran": 8}}}',
    "[Sit here](javascript:ran=9) ![it](//sottovoce.invalid/x.png) <javascript:ran=10> [x]: data:text/html,<i>",
    "a\x1b[31mred\x1b]8;;http://sottovoce.invalid\x07link\x1b]8;;\x07 \x00\x08\x7f\x9b of \U000e0041",
    "z\u0300\u0301\u0302\u0303\u0304" * 60 + " שלום <u>w</u> مرحبا \u061c\u200f!",
    "## 1. <style>*{display:none}</style>\n\n> quoted *and* `cut`\n\n| a | <b>b</b> |\n|---|---|\n| 1 | 2 |",
    *HOSTILE,
]
"""Words that someone can say: markup, scripts, bidirectional text, emoji, and a word longer than a line."""


SCENES = 40
"""How often a game master has a turn before it ends the session."""


class HostileModel:
    """A malicious model's answers, for `StandIn`: it fills in whatever it is asked for with the next of its words."""

    def __init__(self, words: Sequence[str] = SAYINGS) -> None:
        self.words = words
        self.said: list[str] = []
        self.scenes = 0

    def __call__(self, asked: Asked) -> str:
        """Return the content of an answer: thoughts, and an object of the requested schema with additional fields."""
        wanted = asked.body["response_format"]["json_schema"]["schema"]
        beside: dict[str, Any] = self._filled(wanted, wanted.get("$defs", {}))
        fields: dict[str, Any] = beside.get("reply", beside)
        if "steps" in fields:
            self.scenes += 1
            fields["steps"] = [{"narrative": self._next(), "to": []}, {"note_to_narrator": self._next()}]
            if self.scenes < SCENES:
                options = [{"label": self._next(), "description": self._next()} for _ in range(2)]
                fields["steps"].append({"question": self._next(), "header": self._next(), "options": options})
            else:
                fields["steps"].append({"end": self._next(), "next_hook": self._next()})
        if "prose" in fields:
            fields |= {"request": ""}  # otherwise the game master would have a turn again before the others
        if "action" in fields:
            first = "round 1." in asked.user.rpartition("NOW.")[2]
            actions = (asked.schema or {})["action"].get("enum") or [fields["action"]]
            fields["action"] = actions[0] if first else actions[-1]
            items = "Must-fix\n\n- " if fields["action"] == "rework_required" else "Nothing\n\n"
            fields |= {"file": f"# {self._next()}\n\n## {items}{self._next()}\n", "to": ""}
        thought = self._next().replace("</", "< /")
        answer = {**beside, "reply": fields} if "reply" in beside else fields
        return f"<think>{thought}</think>{json.dumps({'__proto__': {'ran': 11}, **answer})}"

    def _filled(self, schema: dict[str, Any], known: dict[str, Any]) -> Any:
        if "$ref" in schema:
            return self._filled(known[schema["$ref"].rpartition("/")[2]], known)
        if "anyOf" in schema:
            return self._filled(schema["anyOf"][0], known)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        match schema.get("type"):
            case "object":
                return {name: self._filled(field, known) for name, field in schema["properties"].items()}
            case "array":
                return [self._filled(schema["items"], known), self._filled(schema["items"], known)]
            case "string":
                return self._next()
        return schema.get("minimum", 1)

    def _next(self) -> str:
        self.said.append(self.words[len(self.said) % len(self.words)])
        return self.said[-1]
