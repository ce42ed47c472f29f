"""A replacement for the built page, for comparisons of what is put into it."""

from __future__ import annotations

from pathlib import Path

from sottovoce.projections.bundle import SCRIPT, STYLE, Bundle

STAND_IN = Bundle(Path(), {"index.html": b"<!doctype html>\n", SCRIPT: b"'told';\n", STYLE: b"body {}\n"})
