"""The registry of stored names: which class reads and writes the body of an event with this name on disk.

It is built from explicit lists, never by importing what a row names. An old version of an event stays readable through
an upcast, which turns its decoded JSON into that of a newer version. Upcasts can be chained. The stored bytes never
change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sottovoce.domain.draws import Seed
from sottovoce.domain.events import CORE_EVENTS, STORED_NAME, Event, to_json
from sottovoce.domain.typed import converted, decoder_of
from sottovoce.eventlog.errors import DamagedLog, RegistryDefect, UnknownName

Upcast = tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]
"""The stored name of a newer version, and the function that converts the old version's decoded JSON to it."""


def _with_secret(data: dict[str, Any]) -> dict[str, Any]:
    """The seed used to be a number.

    The game continues with a secret made from it; its first draws can't be repeated.
    """
    return {**data, "seed": {"secret": Seed.of(data["seed"]).secret}}


UPCASTS: Mapping[str, Upcast] = {"core.seats-filled.v1": ("core.seats-filled.v2", _with_secret)}
"""All old stored names that can still be read, each with its upcast."""


class Registry:
    """Maps stored names to event classes and back.

    `more(name)` adds missing event classes on demand: the events of the ruleset whose names have the prefix of `name`,
    if there is one. `more("")` gives all. Raises RegistryDefect, at the latest in `names`, if two classes claim one
    name, or if an upcast starts at a current name or leads nowhere.
    """

    def __init__(
        self,
        event_classes: Iterable[type[Event]],
        upcasts: Mapping[str, Upcast] | None = None,
        more: Callable[[str], Iterable[type[Event]]] | None = None,
    ) -> None:
        self._classes: dict[str, type[Event]] = {}
        self._upcasts = dict(upcasts or {})
        self._more = more
        self._add(event_classes)
        self.decoders = Decoders(self)
        self._written: set[type[Event]] = set()
        if more is None:
            self._check()

    @property
    def names(self) -> tuple[str, ...]:
        """Return all readable names, sorted."""
        if self._more is not None:
            self._add(self._more(""))
            self._check()
        return tuple(sorted({*self._classes, *self._upcasts}))

    def stored_names(self, *classes: type[Event]) -> tuple[str, ...]:
        """Return the names under which events of these classes are stored, including older versions."""
        names = [cls.stored_name for cls in classes]
        for _ in self._upcasts:
            names += [old for old, (new, _) in self._upcasts.items() if new in names and old not in names]
        return tuple(names)

    def encode(self, event: Event) -> bytes:
        """Return the body to store for `event`. Raises UnknownName if its class is not registered."""
        if type(event) not in self._written:
            self._check_known(type(event))
        return to_json(event)

    def decode(self, name: str, body: bytes) -> Event:
        """Decode the event stored under `name`. Raises UnknownName, or DamagedLog if the body does not fit."""
        try:
            decoder = self.decoders[name]
        except KeyError:
            unknown = f"This version does not know the event {name}. Install the version that wrote it"
            raise UnknownName(unknown) from None
        try:
            return decoder(body)
        except (ValueError, TypeError, LookupError) as error:
            raise DamagedLog(f"A stored body does not fit {name}: {reason(error)}") from error

    def decoder(self, name: str) -> Callable[[bytes], Event]:
        """Return the decoder of bodies stored under `name`. Raises KeyError if there is none."""
        if name in self._upcasts:
            return self._upcasting(name)
        return decoder_of(self._class(name)).decode

    def _check_known(self, cls: type[Event]) -> None:
        try:
            known = self._class(cls.stored_name) is cls
        except KeyError:
            known = False
        if not known:
            raise UnknownName(f"{_place(cls)} is in no ruleset's list of events; add it there")
        self._written.add(cls)

    def _class(self, name: str) -> type[Event]:
        """Return the class for that name, loading its ruleset if needed. Raises KeyError if there is none."""
        if self._more is not None:
            for wanted in (name, ""):
                if name not in self._classes:
                    self._add(self._more(wanted))
        return self._classes[name]

    def _add(self, event_classes: Iterable[type[Event]]) -> None:
        for cls in event_classes:
            known = self._classes.setdefault(cls.stored_name, cls)
            if known is not cls:
                raise RegistryDefect(
                    f"{cls.stored_name} is claimed by both {_place(known)} and {_place(cls)}; "
                    "give one of them another name"
                )

    def _check(self) -> None:
        """Raise RegistryDefect unless each upcast leads from an old name to the name of a class."""
        for old in self._upcasts:
            if old in self._classes or not STORED_NAME.fullmatch(old):
                raise RegistryDefect(f"An upcast starts at {old!r}, which is not the name of an older version")
            name, steps = old, 0
            while name in self._upcasts:
                name, steps = self._upcasts[name][0], steps + 1
                if steps > len(self._upcasts):
                    raise RegistryDefect(f"The upcasts from {old} go round in a circle")
            if name not in self._classes:
                raise RegistryDefect(f"The upcast of {old} leads to {name}, which no class has")

    def _upcasting(self, old: str) -> Callable[[bytes], Event]:
        steps = []
        name = old
        while name in self._upcasts:
            name, step = self._upcasts[name]
            steps.append(step)
        cls = self._class(name)

        def decode(body: bytes) -> Event:
            data = json.loads(body)
            for step in steps:
                data = step(data)
            return converted(data, cls)

        return decode


class Decoders(dict[str, Callable[[bytes], Event]]):
    """The decoder for each name, created at first use. Raises KeyError for an unknown name."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __missing__(self, name: str) -> Callable[[bytes], Event]:
        decoder = self[name] = self._registry.decoder(name)
        return decoder


def registry_of(*event_classes: type[Event], upcasts: Mapping[str, Upcast] | None = None) -> Registry:
    """Build the registry of the core's events and the given classes."""
    return Registry((*CORE_EVENTS, *event_classes), upcasts)


def default_registry() -> Registry:
    """Build the registry of the core's events and every ruleset's.

    A ruleset is loaded when one of its names comes up.
    """
    return Registry(CORE_EVENTS, UPCASTS, _events_like)


def _events_like(name: str) -> Iterator[type[Event]]:
    """Return the events of the ruleset with the name's prefix, or those of all rulesets if there is none."""
    from sottovoce.domain.rulesets import RULESETS

    ruleset = name.partition(".")[0]
    for found in (RULESETS[ruleset],) if ruleset in RULESETS else RULESETS.usable():
        yield from found.events


def reason(error: Exception) -> str:
    """Return one line about why a body could not be read."""
    return " ".join(str(error).split()) or type(error).__name__


def _place(cls: type[Event]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
