"""A seat at a far table, held by a program: reached by a link, over HTTP (`docs/client.md`)."""

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
