"""Folders that every server can offer: the samples that come with Sottovoce, and those found in a folder you name."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from sottovoce.domain.errors import SottovoceError
from sottovoce.server.extras import EXTRAS, Setup, place_kind, setups

PACKAGED = Path(__file__).parent / "samples"
"""Where a wheel has them."""
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
"""Where a clone has them."""

Places = Mapping[str, Mapping[str, Path]]
"""Folders by kind and by the name that a server shows, as in the settings."""


class FolderUnusable(SottovoceError):
    """The folder can't be read."""

    exit_code = 2


def sample_places(copies: Path | None = None) -> Places:
    """The samples by kind and name; none where they were left out of the installation.

    One that games write into is a copy in the user's data folder, or in `copies`.
    """
    root = PACKAGED if PACKAGED.is_dir() else EXAMPLES
    found: dict[str, dict[str, Path]] = {}
    for ruleset, setup in setups().items():
        sample = EXTRAS.of(ruleset).sample
        if sample is None or not (place := root / sample.path).is_dir():
            continue
        if sample.written:
            kept = copies or Path(platformdirs.user_data_dir("sottovoce", appauthor=False)) / "samples"
            place = _copied(place, kept / place.name)
        found.setdefault(place_kind(setup).name, {})[place.name] = place
    return found


def _copied(sample: Path, copy: Path) -> Path:
    """A copy of a sample folder, which stays as it is once it is there."""
    try:
        if not copy.is_dir():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(sample, copy, dirs_exist_ok=True, copy_function=shutil.copyfile)
    except OSError as error:
        raise SottovoceError(f"Cannot create {copy}: {error.strerror}. Fix this, or start with --no-samples.") from None
    return copy


def places_within(folder: Path) -> Places:
    """Every folder directly below that one in which some ruleset's game can be opened, by kind and name. Raises
    FolderUnusable.
    """
    try:
        below = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError as error:
        raise FolderUnusable(f"Cannot read {folder}: {error.strerror}. Check the path.") from None
    found: dict[str, dict[str, Path]] = {}
    for path in below:
        for ruleset, setup in setups().items():
            kind = place_kind(setup)
            if path.name not in found.get(kind.name, {}) and _takes(ruleset, setup, kind.name, path):
                found.setdefault(kind.name, {})[path.name] = path
    return found


def _takes(ruleset: str, setup: type[Setup], place: str, path: Path) -> bool:
    """Whether a game of the ruleset can be opened in that folder."""
    preview = EXTRAS.of(ruleset).preview
    assert preview is not None, "a setup comes with its preview"
    try:
        return bool(preview(setup.checked({place: path})).players)
    except SottovoceError:
        return False


def merged(*several: Places) -> dict[str, dict[str, Path]]:
    """Folders of all of them; those of a later one stand for those of an earlier one with the same name."""
    found: dict[str, dict[str, Path]] = {}
    for places in several:
        for kind, named in places.items():
            found[kind] = {**found.get(kind, {}), **named}
    return found
