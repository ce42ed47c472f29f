"""A small built page, for tests that work with any page."""

from __future__ import annotations

from pathlib import Path

from sottovoce.projections.bundle import Bundle

SMALL = Bundle(
    Path("small"),
    {
        "index.html": b'<!doctype html><script type="module" src="/assets/index-1a2b.js"></script>',
        "lamp.svg": b'<svg xmlns="http://www.w3.org/2000/svg"/>',
        "assets/index-1a2b.js": b"export const words = 'said';\n" * 200,
        "assets/type-3c4d.woff2": bytes(range(256)) * 8,
        "file/replay.js": b"(function(){document.getElementById('page').textContent='told'})();\n",
        "file/replay.css": b"body { color: #1f2430 }\n",
    },
)


def small_page(folder: Path) -> Path:
    """Write it as files."""
    for name, body in SMALL.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return folder
