"""The file by which somebody says what is what in their folder: `sottovoce.toml` at its top.

start = "The Eel and Anchor"

[files]
"Cast/" = "people"
"Recap.md" = "shared"

[headings]
"Background" = "asked"
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, get_args

from sottovoce import SetupRefused
from sottovoce.rulesets.tabletop.rules.folders.kinds import KINDS, Kind, bare

PLAN = "sottovoce.toml"
Heading = Literal["seen", "asked", "trusted", "closed"]
HEADINGS: tuple[Heading, ...] = get_args(Heading)
"""When what stands under a heading is told: to those who look, who ask, who are trusted, or never."""


IGNORED: Literal["ignored"] = "ignored"
"""What a file or folder is that does not come into the game at all."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What such a file says. `headings` are by their bare names."""

    start: str = ""
    files: Mapping[str, Kind | Literal["ignored"]] = field(default_factory=dict)
    headings: Mapping[str, Heading] = field(default_factory=dict)

    def kind_of(self, path: str) -> Kind | None:
        """What it says of a file: by its own path, or by the closest folder that it names."""
        kinds: dict[str, Kind] = {}
        for key, kind in self.files.items():
            if kind != IGNORED and (path == key or path.startswith(f"{key.rstrip('/')}/")):
                kinds[key] = kind
        return kinds[max(kinds, key=len)] if kinds else None

    @property
    def ignored(self) -> tuple[str, ...]:
        """The files and folders that do not come into the game."""
        return tuple(key for key, kind in self.files.items() if kind == IGNORED)

    def unmatched(self, paths: Iterable[str]) -> list[str]:
        """The names under `[files]` that nothing has."""
        known = list(paths)
        named = [key for key in self.files if self.files[key] != IGNORED]
        return [key for key in named if not any(p == key or p.startswith(f"{key.rstrip('/')}/") for p in known)]


def read_plan(content: bytes | None) -> Plan:
    """The plan in that file; an empty one without it. SetupRefused in one line for what cannot be meant."""
    if content is None:
        return Plan()
    try:
        given = tomllib.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SetupRefused(f"{PLAN} cannot be read: {error}. See docs/campaigns.md for its form.") from None
    unknown = sorted(given.keys() - {"start", "files", "headings"})
    if unknown:
        raise SetupRefused(f"{PLAN} has {unknown[0]!r}. It can have start, [files] and [headings].")
    start = given.get("start", "")
    if not isinstance(start, str):
        raise SetupRefused(f'{PLAN}: start is the name of a place, such as start = "The Eel and Anchor".')
    files = _table(given, "files", (*KINDS, IGNORED))
    headings = _table(given, "headings", HEADINGS)
    return Plan(start, files, {bare(name): how for name, how in headings.items()})


def _table(given: Mapping[str, Any], name: str, values: tuple[Any, ...]) -> dict[str, Any]:
    table = given.get(name, {})
    if not isinstance(table, dict):
        raise SetupRefused(f"{PLAN}: [{name}] is a table of names, each with one of: {', '.join(values)}.")
    for key, value in table.items():
        if value not in values:
            shown = json.dumps(value, default=str, ensure_ascii=False)[:60]
            raise SetupRefused(f"{PLAN}: {key[:80]!r} is {shown}. Write one of: {', '.join(values)}.")
    return dict(table)


@lru_cache(maxsize=32)
def headings_in(text: str) -> tuple[tuple[str, Heading], ...]:
    """The headings of a plan that a game has taken in; none where it cannot be read."""
    try:
        return tuple(sorted(read_plan(text.encode()).headings.items()))
    except SetupRefused:
        return ()


def write_plan(files: Mapping[str, str], headings: Mapping[str, str], start: str, rest: Iterable[str]) -> str:
    """A plan's text. `rest` are files that nothing is known about: they stand in it, closed, to be changed."""
    lines = [
        "# What is what in this folder. `sottovoce play tabletop` reads this file; nothing else changes.",
        f"# In [files], a file or folder is one of: {', '.join((*KINDS, IGNORED))}.",
        "# `shared` is read by the whole party, `party` are the characters' sheets, `closed` is for the GM alone.",
        "# `ignored` does not come into the game at all.",
        f"# In [headings], what stands under a heading is: {', '.join(HEADINGS)}.",
        "",
        f"start = {_toml(start)}" if start else '# start = "the place where the first session begins"',
        "",
        "[files]",
    ]
    lines += [f"{_toml(path)} = {_toml(kind)}" for path, kind in files.items()]
    unplaced = list(rest)
    if unplaced:
        lines += ["", "# Nothing says what these are, so they are closed. Change the word to use them."]
        lines += [f"{_toml(path)} = {_toml('closed')}" for path in unplaced]
    lines += ["", "[headings]"]
    lines += [f"{_toml(title)} = {_toml(how)}" for title, how in headings.items()]
    return "\n".join(lines) + "\n"


def _toml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
