"""Lists of what there is for each ruleset, by the ruleset's name, of which only what is asked for is loaded.

A command that looks at one game needs one ruleset, and loading all of them would be most of its time.

    RULESETS = Catalogue({"mafia": _mafia, "tabletop": _tabletop}, RULESETS_GROUP)

Installed packages bring more, found by entry points:

    [project.entry-points."sottovoce.rulesets"]
    guessing = "guessing:GUESSING"

Which packages are installed is a fact of the installation, like which modules can be imported: it is looked at once,
when a name is asked for that does not ship, or all names are, and never while a game is decided on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, TypeVar

T = TypeVar("T")

RULESETS_GROUP = "sottovoce.rulesets"
HOUSE_GROUP = "sottovoce.house"

BROKEN: dict[str, str] = {}
"""What could not be loaded, by its name, and why: said when somebody asks for it, so that it stops nothing else."""


class Catalogue(MutableMapping[str, T]):
    """`shipped` gives what loads each value that ships; installed packages bring others along in `group`, if any."""

    def __init__(self, shipped: Mapping[str, Callable[[], T]], group: str | None = None) -> None:
        self._shipped = shipped
        self._group = group
        self._loaded: dict[str, T] = {}
        self._brought: tuple[str, ...] | None = None

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            if name in self._shipped:
                self._loaded[name] = self._shipped[name]()
            else:
                self._bring()
        return self._loaded[name]

    def __setitem__(self, name: str, value: T) -> None:
        self._loaded[name] = value

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._shipped or name in self._bring()

    def __iter__(self) -> Iterator[str]:
        return iter((*self._shipped, *self._bring()))

    def __len__(self) -> int:
        return len(self._shipped) + len(self._bring())

    def _bring(self) -> tuple[str, ...]:
        """The names of what installed packages brought; loads that once."""
        if self._brought is None:
            found = brought(self._group, self._shipped) if self._group else {}
            self._brought = tuple(found)
            self._loaded |= found
        return self._brought


def brought(group: str, taken: Mapping[str, Any]) -> dict[str, Any]:
    """What the group's entry points load to, by name. One that fails, or whose name is taken, stands in `BROKEN`."""
    from importlib.metadata import entry_points

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
