"""The public face of Sottovoce for other people's packages: what a ruleset is made of.

What stands here and in the modules below stays, under its name, until a version says otherwise in the changelog; what
is imported from elsewhere may move.

    sottovoce               rulesets: events and who sees them, turns, draws, options, commands
    sottovoce.terminal      what commands of its own are made of
    sottovoce.testing       given, when, then; what it adds to how it is tested
    sottovoce.golden        games that are recorded once
    sottovoce.client        a seat at a far table, held by a program
    sottovoce.isolation     the kit that tests whether a seat gets only what it may

Where each name of `sottovoce` is made stands in `__init__.pyi`; it is looked up when it is first used.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

_PLACES: dict[str, str] = {}


def __getattr__(name: str) -> object:
    """A public name, looked up when it is first used in the stub beside this file, which says where each is made."""
    if not _PLACES:
        stub = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
        _PLACES.update((found[2], found[1]) for found in re.finditer(r"(?m)^from (\S+) import \w+ as (\w+)$", stub))
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_PLACES[name]), name)
    globals()[name] = found
    return found
