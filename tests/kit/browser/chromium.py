"""Chromium from the npm package `@sparticuz/chromium`, unpacked by ourselves.

Neither the package's own unpacker is used, which hands a half-written file to whoever comes second, nor its arguments,
which switch off the very security that the tests are to see.
"""

from __future__ import annotations

import json
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from browser.locks import locked
from browser.node import MODULES, node

ARGUMENTS = ("--no-sandbox", "--no-zygote", "--disable-gpu")
"""The sandbox needs rights that neither root in a container nor every user has; there is no GPU."""

_UNPACK = """
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
const [from, to] = process.argv.slice(1);
await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
"""


@dataclass(frozen=True)
class Chromium:
    """An executable, and where the libraries are that no system need have."""

    executable: Path
    libraries: Path


def chromium() -> Chromium:
    """The browser, unpacked where it is not yet."""
    return unpacked(MODULES / "@sparticuz" / "chromium", MODULES)


def unpacked(package: Path, into: Path) -> Chromium:
    """What the package holds, once it is there whole; any number of processes may ask at once."""
    version = json.loads((package / "package.json").read_text())["version"]
    home = into / f".chromium-{version}"
    if not home.exists():
        with locked(into / ".chromium.lock"):
            if not home.exists():
                _unpack(package, home)
    return Chromium(home / "chromium", home / "al2023" / "lib")


def _unpack(package: Path, home: Path) -> None:
    fresh = home.with_name(f"{home.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o755)
    # Made here, since the browser makes it for its first user alone.
    (fresh / "locales").mkdir(mode=0o755)
    executable, libraries = fresh / "chromium", fresh / "libraries.tar"
    for name, target in (("chromium.br", executable), ("al2023.tar.br", libraries)):
        node(_UNPACK, str(package / "bin" / name), str(target))
    executable.chmod(0o755)
    with tarfile.open(libraries) as archive:
        archive.extractall(fresh / "al2023", filter="data")
    libraries.unlink()
    fresh.rename(home)
