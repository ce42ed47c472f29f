"""The page as it was built, if it was: in a wheel beside this module, in a clone where `make page` puts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sottovoce.domain.errors import SottovoceError

PLACES: tuple[Path, ...] = (
    Path(__file__).parent / "page",
    Path(__file__).resolve().parents[1] / "web" / "dist",
)
"""Where it may be. The first one counts in which there is an index."""

INDEX = "index.html"
SCRIPT, STYLE = "file/replay.js", "file/replay.css"


class NotBuilt(SottovoceError):
    """The web page is not built. Run: make page"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A built page: its files by their paths in its folder, read once. `file/` holds the replay that is one file."""

    folder: Path
    files: Mapping[str, bytes]

    @classmethod
    def read(cls, folder: Path) -> Bundle:
        """What lies in a folder."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return cls(folder, {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})

    @property
    def script(self) -> str:
        """The single file's script. Raises NotBuilt."""
        return self._text(SCRIPT)

    @property
    def style(self) -> str:
        """The single file's style sheet, with its fonts. Raises NotBuilt."""
        return self._text(STYLE)

    def _text(self, name: str) -> str:
        if name not in self.files:
            raise NotBuilt
        return self.files[name].decode()


def folder() -> Path | None:
    """Where the page is, if it is built."""
    return next((place for place in PLACES if (place / INDEX).is_file()), None)


def bundle() -> Bundle | None:
    """The page, if it is built; one that is being built at this very moment is not."""
    found = folder()
    try:
        return None if found is None else Bundle.read(found)
    except FileNotFoundError:  # a builder empties the folder first
        return None


def built() -> Bundle:
    """The same where nothing can be done without it. Raises NotBuilt."""
    found = bundle()
    if found is None:
        raise NotBuilt
    return found
