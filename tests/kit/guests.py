"""The rulesets of `examples/rulesets`, as if their packages were installed in this process."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from agents.extras import EXTRAS as AGENTS
from cli.extras import EXTRAS as CLI
from domain.plugins import Plugins
from domain.rulesets import RULESETS
from projections.extras import EXTRAS as PROJECTIONS
from sottovoce.extras import EXTRAS as TESTING

EXAMPLES = Path(__file__).parents[2] / "examples" / "rulesets"
GROUPS: Mapping[str, Plugins[Any]] = {each.group: each for each in (RULESETS, PROJECTIONS, AGENTS, CLI, TESTING)}


def entry_points(name: str) -> dict[str, dict[str, str]]:
    """What the example's package brings along, by group."""
    found: dict[str, dict[str, str]] = tomllib.loads((EXAMPLES / name / "pyproject.toml").read_text())["project"][
        "entry-points"
    ]
    return found


def seat_guest(patch: pytest.MonkeyPatch, name: str) -> Any:
    """Let the example be found like an installed package until the patch is undone; the module of its rules."""
    patch.syspath_prepend(str(EXAMPLES / name))
    for group, entries in entry_points(name).items():
        for ruleset, place in entries.items():
            module, _, attribute = place.partition(":")
            patch.setitem(GROUPS[group], ruleset, getattr(import_module(module), attribute))
    return import_module(name)
