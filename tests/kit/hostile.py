"""Texts that try to be more than text, and games that are the same to one seat."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec

from domain.events import Recorded

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
    """The same game with everything that the seat may not see dropped, doubled or moved about."""
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
