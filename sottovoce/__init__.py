"""The public interface of Sottovoce for other packages: what you need to write a ruleset.

Names in these modules stay the same until the changelog of a version says otherwise. Names that you import from
elsewhere can move.

    sottovoce               rulesets: events and who sees them, turns, draws, options, commands
    sottovoce.terminal      parts for a ruleset's own commands
    sottovoce.testing       given, when, then; how a ruleset is tested
    sottovoce.golden        recorded games
    sottovoce.client        play a seat of a remote game from a program
    sottovoce.environment   a game in memory for programs that learn or search; `sottovoce.aec` for PettingZoo
    sottovoce.isolation     the kit that tests whether a seat gets only what it can see

`__init__.pyi` says where each name of `sottovoce` is defined; it is looked up at first use.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

_PLACES: dict[str, str] = {}


def __getattr__(name: str) -> object:
    """Look up a public name at first use, in the stub next to this file, which says where each is defined."""
    if not _PLACES:
        stub = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
        _PLACES.update((found[2], found[1]) for found in re.finditer(r"(?m)^from (\S+) import \w+ as (\w+)$", stub))
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_PLACES[name]), name)
    globals()[name] = found
    return found
