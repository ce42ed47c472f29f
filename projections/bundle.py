"""The page as it was built, if it was: in a wheel beside this module, in a clone where `make page` puts it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from domain.errors import SottovoceError

PLACES: tuple[Path, ...] = (
    Path(__file__).parent / "page",
    Path(__file__).parents[1] / "web" / "dist",
)
"""Where it may be. The first one counts in which there is an index."""

INDEX = "index.html"


class NotBuilt(SottovoceError):
    """The page is not built here; run: make page"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A built page. `folder` holds `index.html`, `assets/` and `file/`, the replay that is a single file."""

    folder: Path

    @property
    def script(self) -> str:
        """The single file's script."""
        return self._read("file/replay.js")

    @property
    def style(self) -> str:
        """The single file's style sheet, with its fonts."""
        return self._read("file/replay.css")

    def _read(self, name: str) -> str:
        try:
            return (self.folder / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise NotBuilt from None


def bundle() -> Bundle | None:
    """The page that there is, if it is built."""
    return next((Bundle(place) for place in PLACES if (place / INDEX).is_file()), None)


def built() -> Bundle:
    """The same where nothing can be done without it. Raises NotBuilt."""
    found = bundle()
    if found is None:
        raise NotBuilt
    return found
