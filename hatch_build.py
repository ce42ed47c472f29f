"""What the wheel holds beside the packages: the page, built from `web/`. An editable install serves `web/dist`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACE = "sottovoce/projections/page"
"""Where `projections/bundle.py` looks for it."""


class PageHook(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the page for a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build it, and have it put into the wheel."""
        if self.target_name != "wheel" or version == "editable":
            return
        web = Path(self.root) / "web"
        locked, installed = web / "package-lock.json", web / "node_modules" / ".package-lock.json"
        if not installed.exists() or installed.stat().st_mtime < locked.stat().st_mtime:
            self._npm("ci")
            installed.touch()
        self._npm("run", "build")
        build_data["force_include"][str(web / "dist")] = PLACE

    def _npm(self, *words: str) -> None:
        # What npm says goes to the error stream: frontends may read what is printed.
        subprocess.run([sys.executable, "web/npm.py", *words], cwd=self.root, stdout=sys.stderr, check=True)
