"""How much a browser loads before the page stands."""

from __future__ import annotations

import gzip
from pathlib import Path

from sottovoce.projections.bundle import Bundle

CODE_KB = 150
FONTS_KB = 140


def packed(paths: list[Path]) -> int:
    """Bytes of the files, each compressed as a server would."""
    assert paths
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


def test_script_and_style_are_light(built_page: Bundle) -> None:
    assets = built_page.folder / "assets"
    assert packed([*assets.glob("*.js"), *assets.glob("*.css")]) < CODE_KB * 1000


def test_fonts_are_light(built_page: Bundle) -> None:
    found = [path for path in (built_page.folder / "assets").iterdir() if path.suffix not in (".js", ".css")]
    assert {path.suffix for path in found} == {".woff2"}, "what else is loaded?"
    assert sum(path.stat().st_size for path in found) < FONTS_KB * 1000


def test_the_single_file_is_no_heavier(built_page: Bundle) -> None:
    files = built_page.folder / "file"
    # The style holds the fonts, a third longer for being text; compression gives that back.
    assert packed([files / "replay.js", files / "replay.css"]) < (CODE_KB + FONTS_KB) * 1000
