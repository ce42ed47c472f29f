"""The rulesets of `examples/rulesets`, as if their packages were installed: in this process, or for a command."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sottovoce.agents.extras import EXTRAS as AGENTS
from sottovoce.cli.extras import EXTRAS as CLI
from sottovoce.domain.plugins import Plugins
from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import EXTRAS as TESTING
from sottovoce.projections.extras import EXTRAS as PROJECTIONS
from sottovoce.server.extras import EXTRAS as SERVER

EXAMPLES = Path(__file__).parents[2] / "examples" / "rulesets"
GROUPS: Mapping[str, Plugins[Any]] = {
    each.group: each for each in (RULESETS, PROJECTIONS, AGENTS, SERVER, CLI, TESTING)
}


def entry_points(name: str) -> dict[str, dict[str, str]]:
    """Return the entry points of the example's package, by group."""
    found: dict[str, dict[str, str]] = tomllib.loads((EXAMPLES / name / "pyproject.toml").read_text())["project"][
        "entry-points"
    ]
    return found


def seat_guest(patch: pytest.MonkeyPatch, name: str) -> Any:
    """Make the example look like an installed package until the patch is undone. Return the module of its rules."""
    patch.syspath_prepend(str(EXAMPLES / name))
    for group, entries in entry_points(name).items():
        for ruleset, place in entries.items():
            module, _, attribute = place.partition(":")
            patch.setitem(GROUPS[group], ruleset, getattr(import_module(module), attribute))
    return import_module(name.replace("-", "_"))


def installed(folder: Path, name: str = "guessing", /, **groups: dict[str, str]) -> dict[str, str]:
    """Return an environment in which an example is installed as pip would do it: its modules, and its entry points."""
    info = folder / f"sottovoce_{name}-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: sottovoce-{name}\nVersion: 0.1.0\n")
    sections = groups or entry_points(name)
    lines = [f"[{group}]\n" + "\n".join(f"{k} = {v}" for k, v in names.items()) for group, names in sections.items()]
    (info / "entry_points.txt").write_text("\n\n".join(lines))
    path = f"{folder}{os.pathsep}{EXAMPLES / name}"
    return {**os.environ, "PYTHONPATH": path, "SOTTOVOCE_DB": f"sqlite:///{folder}/games.db"}
