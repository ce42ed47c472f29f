"""Chromium from the npm package `@sparticuz/chromium`, unpacked by ourselves.

The package's own unpacker is not used, because it gives a half-written file to the second caller. Its arguments are not
used, because they switch off the security that the tests check.
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
"""The sandbox needs rights that root in a container and some users don't have; there is no GPU."""

_UNPACK = """
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
const [from, to] = process.argv.slice(1);
await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
"""


@dataclass(frozen=True)
class Chromium:
    """An executable, and the folder of libraries that a system may not have."""

    executable: Path
    libraries: Path


def chromium() -> Chromium:
    """Return the browser, and unpack it first if needed."""
    return unpacked(MODULES / "@sparticuz" / "chromium", MODULES)


def unpacked(package: Path, into: Path) -> Chromium:
    """Return the package's content once it is complete. Any number of processes can ask at once."""
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
    # Created here, because the browser creates it only for its first user.
    (fresh / "locales").mkdir(mode=0o755)
    executable, libraries = fresh / "chromium", fresh / "libraries.tar"
    for name, target in (("chromium.br", executable), ("al2023.tar.br", libraries)):
        node(_UNPACK, str(package / "bin" / name), str(target))
    executable.chmod(0o755)
    with tarfile.open(libraries) as archive:
        archive.extractall(fresh / "al2023", filter="data")
    libraries.unlink()
    fresh.rename(home)
