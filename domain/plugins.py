"""What installed packages bring along: rulesets and their players, found by entry points.

    [project.entry-points."sottovoce.rulesets"]
    guessing = "guessing:GUESSING"

Which packages are installed is a fact of the installation, like which modules can be imported: it is looked at once, at
import, and never while a game is decided on.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

RULESETS_GROUP = "sottovoce.rulesets"
HOUSE_GROUP = "sottovoce.house"

BROKEN: dict[str, str] = {}
"""What could not be loaded, by its name, and why: said when somebody asks for it, so that it stops nothing else."""


def brought(group: str, taken: Mapping[str, Any]) -> dict[str, Any]:
    """What the group's entry points load to, by name. One that fails, or whose name is taken, stands in `BROKEN`."""
    found: dict[str, Any] = {}
    for entry in entry_points(group=group):
        if entry.name in taken:
            BROKEN[entry.name] = f"{entry.value} claims the name {entry.name!r}, which is taken"
            continue
        try:
            found[entry.name] = entry.load()
        except Exception as error:  # whatever a stranger's module raises
            BROKEN[entry.name] = f"{entry.value} cannot be loaded: {type(error).__name__}: {error}"
    return found
