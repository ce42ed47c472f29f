"""Finds what installed packages bring for each ruleset, by entry point, and loads only what is needed.

    [project.entry-points."sottovoce.rulesets"]
    guessing = "guessing:GUESSING"

Each layer has one group and one kind of value: the rulesets themselves here, and what a layer shows or does for a
ruleset in `projections`, `agents`, `server`, `cli` and `sottovoce`. The included rulesets are in the same groups.

Installed packages are read once and never during a decision. Loading all of them would take most of a command's time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from sottovoce.domain.errors import SottovoceError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

SHIPPED = "sottovoce"
"""The distribution whose names no other package can take."""


class NotInstalled(SottovoceError):
    """Nothing stands in a group: the code runs without having been installed."""

    def __init__(self) -> None:
        super().__init__(
            "Sottovoce runs from a folder in which it is not installed; `make play` or `pip install -e .` does that."
        )


class PluginBroken(SottovoceError):
    """What a package gives for a ruleset cannot be used."""


class UnknownRuleset(SottovoceError, KeyError):
    """No installed package brings the ruleset along."""

    exit_code = 2
    __str__ = Exception.__str__


class Plugins(MutableMapping[str, T]):
    """The values of one group by the ruleset's name, or whatever else they are named by; those that ship come first.

    Looking one up raises UnknownRuleset where no package gives one, and PluginBroken where it cannot be loaded, is no
    `kind`, or has an `own_name` that is not the one it stands under. NotInstalled where there are none at all, though
    some ship. `what` is what the values are for, in errors. Those of the group `unlisted` can be looked up by name and
    are not listed.
    """

    def __init__(
        self,
        group: str,
        kind: type[T],
        own_name: Callable[[T], str] | None = None,
        *,
        what: str = "ruleset",
        shipped: bool = True,
        unlisted: str | None = None,
    ) -> None:
        self.group = group
        self._unlisted_group = unlisted
        self._what = what
        self._shipped = shipped
        self._kind = kind
        self._own_name = own_name
        self._loaded: dict[str, T] = {}

    def of(self, name: str) -> T:
        """The value for that ruleset, or an empty one where no package gives any."""
        found = self._loaded.get(name)
        if found is None:
            found = self[name] if name in self else self._kind()
        return found

    def listed(self, name: str) -> bool:
        """Whether the name is one of those that are listed."""
        return name in self and name not in self._unlisted

    def usable(self) -> Iterator[T]:
        """Every value that can be loaded; the others are passed over."""
        for name in self:
            try:
                found = self[name]
            except PluginBroken:
                continue
            yield found

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def __setitem__(self, name: str, value: T) -> None:
        self._loaded[name] = value

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._entries or name in self._unlisted

    def __iter__(self) -> Iterator[str]:
        return iter(name for name in dict.fromkeys((*self._entries, *self._loaded)) if name not in self._unlisted)

    def __len__(self) -> int:
        return len({*self._entries, *self._loaded} - {*self._unlisted})

    @cached_property
    def _unlisted(self) -> dict[str, EntryPoint]:
        if self._unlisted_group is None:
            return {}
        from importlib.metadata import entry_points

        found = {entry.name: entry for entry in entry_points(group=self._unlisted_group)}
        return {name: entry for name, entry in found.items() if name not in self._entries}

    @cached_property
    def _entries(self) -> dict[str, EntryPoint]:
        # 30 ms, which the help need not spend
        from importlib.metadata import entry_points

        listed = entry_points(group=self.group)
        ours = {entry.name: entry for entry in listed if entry.dist is not None and entry.dist.name == SHIPPED}
        if not ours and self._shipped:
            raise NotInstalled
        return {**ours, **{entry.name: entry for entry in listed if entry.name not in ours}}

    def _load(self, name: str) -> T:
        entry = self._entries.get(name) or self._unlisted.get(name)
        if entry is None:
            raise UnknownRuleset(f"No installed package provides the {self._what} {name!r}.")
        try:
            found: Any = entry.load()
        except Exception as error:  # whatever a stranger's module raises
            why = f"{entry.value} cannot be loaded: {type(error).__name__}: {error}"
            raise PluginBroken(f"The {self._what} {name!r} cannot be used: {why}.") from error
        if not isinstance(found, self._kind):
            raise PluginBroken(f"The {self._what} {name!r} cannot be used: {entry.value} is no {self._kind.__name__}.")
        if self._own_name is not None and (own := self._own_name(found)) != name:
            raise PluginBroken(f"The {self._what} {name!r} cannot be used: {entry.value} has another name, {own!r}.")
        return found
