"""Run commands exactly as the documentation has them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from commands import SOTTOVOCE

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```sh ([a-z ]+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page: str) -> dict[str, str]:
    """Return the named blocks of commands in a page of the documentation."""
    return dict(_BLOCK.findall((DOCS / page).read_text(encoding="utf-8")))


def run(
    commands: str, folder: Path, programs: Path | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the commands in a shell in a folder, until one fails, with these programs and variables."""
    places = [Path(SOTTOVOCE).parent, *filter(None, [programs])]
    environment: Mapping[str, str] = {
        **os.environ,
        "PATH": os.pathsep.join([*map(str, places), os.environ["PATH"]]),
        **variables,
    }
    return subprocess.run(
        ["sh", "-e", "-c", commands],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
