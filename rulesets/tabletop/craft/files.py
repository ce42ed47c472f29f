"""Campaign folders with secrets in every kind of place, each by its token, so that nobody has to trust the cutting."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from sottovoce.rulesets.tabletop.craft.words import sentence, token

NAMES = (
    ("ash", "ash-brook", "ash-brook-vale", "brook", "brook-ash"),
    ("ann", "ann-lee", "anna", "lee", "lee-ann"),
    ("narrative", "gm2", "human1", "n", "nn"),
    ("tilda-brannock", "corwin-voss", "bryn-oake", "corwin", "tilda"),
    ("scene", "story-state", "party-knowledge", "seat", "x-1"),
)
"""Names that are parts of each other, or look like something else."""


def folder(rng: random.Random, roster: Sequence[str]) -> dict[str, bytes]:
    """A campaign of those characters. Now and then a file that most campaigns have is missing."""
    files = {
        "story-state.md": f"# Story\n\n{secret(rng)}\n\n## Threads\n{secret(rng)}\n",
        "party-knowledge.md": with_secrets(rng, "# Known", ("Rumours", "Places")),
        "overview.md": f"# Overview\n{secret(rng)}\n",
        "world-primer.md": with_secrets(rng, "# World", ("The coast",)),
        "preferences.md": f"---\nnarrative_style: hybrid\ngm_notes: {secret(rng)}\n---\n{sentence(rng)}\n",
        f"npcs/{token(rng, 's')}.md": f"# {secret(rng)}\n",
        f"beats/01-{token(rng, 's')}.md": f"## Beat\n{secret(rng)}\n",
        "scenes/001-opening.md": f"{sentence(rng)}\n",
        "decision-log.md": f"# Log\n- {sentence(rng)}\n",
        "tmp/gm-context.md": f"## Expecting\n{secret(rng)}\n",
        "tmp/narrative-for-journal.md": f"{sentence(rng)}\n",
    }
    files = {path: text for path, text in files.items() if rng.random() < 0.75}
    for name in roster:
        files[f"party/{name}.md"] = sheet(rng, name)
        more = {
            f"party/{name}-journal.md": f"# Journal\n\n{sentence(rng)}\n\n## GM {secret(rng)}\n{secret(rng)}\n",
            f"party/{name}-brief.md": f"{name} looks {sentence(rng)}\n",
            f"tmp/{name}-prompt.md": f"---\nrequest_type: QUICK_REACTION\n---\n\n## Scene\n{sentence(rng)}\n",
            f"tmp/{name}-notes-for-journal.md": f"{sentence(rng)}\n",
        }
        files.update({path: text for path, text in more.items() if rng.random() < 0.3})
    end = rng.choice(("\n", "\n", "\r\n"))
    found = {path: text.replace("\n", end).encode() for path, text in files.items()}
    if rng.random() < 0.3:
        found[f"maps/{token(rng, 's')}.bin"] = b"\x00\xff" + rng.randbytes(12)
    return found


def secret(rng: random.Random) -> str:
    return sentence(rng, "s")


def sheet(rng: random.Random, name: str) -> str:
    most = rng.randint(6, 20)
    top = f"# {name}\n\nHP: {rng.randint(1, most)}/{most}\nGold: {rng.randint(0, 40)}\n\n{sentence(rng)}"
    return with_secrets(rng, top, ("Traits", "Gear", "Bonds"))


def with_secrets(rng: random.Random, top: str, titles: Sequence[str]) -> str:
    """Sections of open text, and between and within them what F-060 keeps for the GM, in shuffled order."""
    parts = [f"## {title}\n{sentence(rng)}\n" for title in titles]
    hidden: list[Callable[[], str]] = [
        lambda: f"## GM Notes {token(rng, 's')}\n{secret(rng)}\n",
        lambda: f"## Secrets of {token(rng, 's')}\n\n{secret(rng)}\n\n### {secret(rng)}\n{secret(rng)}\n",
        lambda: f"### What nobody DOES NOT KNOW {token(rng, 's')}\n{secret(rng)}\n",
        lambda: f"**GM:** {secret(rng)}\n",
        lambda: f"- **Doesn't know:** {secret(rng)}\n- {sentence(rng)}\n",
        lambda: f"> **Secrets:** {secret(rng)}\n",
        lambda: f"## Aside\n\n**GM Note**: {secret(rng)}\n",
    ]
    for make in rng.sample(hidden, rng.choice((0, 1, 1, 2, 3))):
        parts.insert(rng.randint(0, len(parts)), make())
    gaps = ("\n", "\n", "\n\n", "\n---\n\n", "")
    text = top + "\n"
    for part in parts:
        # A lead opens a paragraph only after an empty line: a heading needs none.
        gap = rng.choice(gaps)
        text += (gap or "\n" if not part.startswith("#") else gap) + part
    return text


OPEN = re.compile(r"(?m)^## (?:Traits|Gear|Bonds|Rumours|Places|The coast)\n[^#\n]*zo[^\n]*\n\n*(?=## )")


def with_one_more(rng: random.Random, text: str) -> str:
    """The document with one more secret section or paragraph, behind an open section that another one follows."""
    found = list(OPEN.finditer(text))
    added = f"## GM Notes {token(rng, 's')}\n{secret(rng)}\n"
    if not found:
        return text
    match = rng.choice(found)
    if match[0].endswith("\n\n") and rng.random() < 0.5:
        added = f"**GM:** {secret(rng)}\n"
    # Blank lines on both sides are a secret's own, but for those that stand there without it.
    added += rng.choice(("", "\n", "\n\n")) if match[0].endswith("\n\n") else ""
    return text[: match.end()] + added + text[match.end() :]
