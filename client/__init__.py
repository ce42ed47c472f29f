"""A seat in a game on a server, played by a program over HTTP with a link (`docs/client.md`)."""

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
