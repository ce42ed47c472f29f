"""What the seats of a generated session say. Every text carries a token, by which it is recognised anywhere.

A token that begins with `zs` is a secret of the campaign that only the GM knows; one with `zo` is for everyone who can
read the text it is in.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

TOKEN = re.compile(r"z[os][0-9a-f]{7}")
WORDS = (
    *("bell", "quay", "lamp", "ferry", "stone", "rope", "salt", "crow", "well", "oar", "moss", "door", "tide", "coin"),
    *("keeps", "hides", "takes", "breaks", "drowns", "carries", "follows", "answers", "forgets", "turns", "waits"),
    *("cold", "grey", "late", "hollow", "quiet", "bitter", "far", "old", "thin", "bright", "crooked", "seven", "lost"),
)

Item = Mapping[str, Any]


def token(rng: random.Random, mark: str = "o") -> str:
    return f"z{mark}{rng.getrandbits(28):07x}"


def sentence(rng: random.Random, mark: str = "o") -> str:
    """Some words with a token among them: now and then enough of them to be known again as a passage (T-063)."""
    words = [rng.choice(WORDS) for _ in range(rng.choice((3, 4, 6, 12)))]
    words.insert(rng.randint(1, len(words)), token(rng, mark))
    return " ".join(words).capitalize().replace("Zo", "zo").replace("Zs", "zs") + rng.choice((".", ".", "!", "?"))


def prose(rng: random.Random) -> str:
    return rng.choice(("\n\n", "\n", " ")).join(sentence(rng) for _ in range(rng.choice((1, 1, 2))))


def tagged(tag: str, body: str = "", **fields: Any) -> str:
    """A message as text; a field with a closing underscore is named by a word of Python."""
    lines = [f"[{tag}]"]
    for name, value in fields.items():
        lines += _field(name.rstrip("_"), value)
    return "\n".join((*lines, *(("", body) if body else ())))


def _field(name: str, value: Any) -> list[str]:
    if isinstance(value, str):
        if "\n" in value:
            return [f"{name}: |", *(f"  {line}" for line in value.split("\n"))]
        return [f"{name}: {value}"]
    if not value:
        return [f"{name}: []"]
    lines = [f"{name}:"]
    for item in value:
        if isinstance(item, str):
            lines.append(f"  - {item}")
            continue
        for number, (key, text) in enumerate(item.items()):
            lines.append(f"  {'- ' if number == 0 else '  '}{key}: {text}")
    return lines


def message(to: str | None, content: str, **at: str) -> Item:
    """`at` is the `place` and the `time` of a NARRATIVE."""
    if to is None:
        return {"type": "broadcast", "content": content, **at}
    return {"type": "message", "recipient": to, "content": content, **at}


def delta(document: str, operation: str, text: str = "", heading: str | None = None) -> Item:
    change = {"document": document, "heading": heading, "operation": operation, "text": text}
    return {"delta": {key: value for key, value in change.items() if value is not None}}


def resource(character: str, name: str, change: int | str) -> Item:
    return {"delta": {"character": character, "resource": name, "change": change}}


def roll(who: str, check: str, expression: str, dc: int | None = None) -> Item:
    return {"roll": {"who": who, "check": check, "expression": expression, "dc": dc}}


def reply(items: Sequence[Item]) -> str:
    return json.dumps({"messages": list(items)})


def plainly(items: Sequence[Item]) -> str:
    """The same in plain text, where it holds nothing but messages whose first line is a tag."""
    if not items or any(not item.get("content", "").startswith("[") for item in items):
        return reply(items)
    return "\n\n".join(
        (f"@place {item['place']}; {item['time']}\n" if "place" in item else "")
        + (f"@{item['recipient']}\n" if item.get("recipient") else "")
        + item["content"]
        for item in items
    )


def section_body(rng: random.Random) -> str:
    return f"## Scene\n{prose(rng)}\n\n## Just Happened\n{sentence(rng)}\n\n## Request\n{sentence(rng)}"


def relay_body(rng: random.Random) -> str:
    options = "\n".join(f"- {sentence(rng)}" for _ in range(rng.randint(1, 3)))
    return f"## Scene\n{prose(rng)}\n\n## Decision Needed\n{sentence(rng)}\n\n## Suggested Options\n{options}"


def journal_entry(rng: random.Random) -> str:
    bullets = ("What happened:", "What I did:", "What I learned:", "How I feel:", "Notes:")
    return "\n".join(("---", f"### {sentence(rng)}", "", *(f"- {bullet} {sentence(rng)}" for bullet in bullets)))


def prompt_text(rng: random.Random, kind: str) -> str:
    return f"---\nrequest_type: {kind}\n---\n\n{section_body(rng)}\n"
