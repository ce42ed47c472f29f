"""The built web page, if there is one: in a wheel next to this module, in a clone where `make page` puts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sottovoce.domain.errors import SottovoceError

PLACES: tuple[Path, ...] = (
    Path(__file__).parent / "page",
    Path(__file__).resolve().parents[1] / "web" / "dist",
)
"""Where it can be. The first folder with an index is used."""

INDEX = "index.html"
SCRIPT, STYLE = "file/replay.js", "file/replay.css"


class NotBuilt(SottovoceError):
    """The web page is not built. Run: make page"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A built page: its files by their paths in its folder, read once. `file/` has the single-file replay."""

    folder: Path
    files: Mapping[str, bytes]

    @classmethod
    def read(cls, folder: Path) -> Bundle:
        """Read a folder."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return cls(folder, {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})

    @property
    def script(self) -> str:
        """Return the single file's script. Raises NotBuilt."""
        return self._text(SCRIPT)

    @property
    def style(self) -> str:
        """Return the single file's style sheet, with its fonts. Raises NotBuilt."""
        return self._text(STYLE)

    def _text(self, name: str) -> str:
        if name not in self.files:
            raise NotBuilt
        return self.files[name].decode()


def folder() -> Path | None:
    """Return the page's folder, if it is built."""
    return next((place for place in PLACES if (place / INDEX).is_file()), None)


def bundle() -> Bundle | None:
    """Return the page, if it is built and no build is running."""
    found = folder()
    try:
        return None if found is None else Bundle.read(found)
    except FileNotFoundError:  # a build empties the folder first
        return None


def built() -> Bundle:
    """Return the page. Raises NotBuilt."""
    found = bundle()
    if found is None:
        raise NotBuilt
    return found
