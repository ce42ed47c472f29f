"""The one registry of stored names: which class reads and writes the body of an event under its name on disk.

The registry is built from explicit lists, never by importing what a row names. An old version of an event stays
readable through an upcast, which turns its decoded JSON into that of a newer version; upcasts may be chained. The
stored bytes stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from sottovoce.domain.draws import Seed
from sottovoce.domain.events import CORE_EVENTS, STORED_NAME, Event, to_json
from sottovoce.eventlog.errors import DamagedLog, RegistryDefect, UnknownName

Upcast = tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]
"""The stored name of a newer version, and the function from the old version's decoded JSON to that one's."""


def _with_secret(data: dict[str, Any]) -> dict[str, Any]:
    """A number was the seed once. The game goes on from a secret made of it; its first draws cannot be made again."""
    return {**data, "seed": {"secret": Seed.of(data["seed"]).secret}}


UPCASTS: Mapping[str, Upcast] = {"core.seats-filled.v1": ("core.seats-filled.v2", _with_secret)}
"""All old stored names that are still read, with the way to a newer version."""


class Registry:
    """Stored name to event class and back.

    `more(name)`, where given, adds what `event_classes` lack when it is asked for: the events of the ruleset whose
    names begin as `name` does, if there is one; `more("")` gives all that there are. Raises RegistryDefect where two
    classes claim one name, or an upcast starts at a current name or leads nowhere, at the latest by `names`.
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
        """All names that can be read, sorted."""
        if self._more is not None:
            self._add(self._more(""))
            self._check()
        return tuple(sorted({*self._classes, *self._upcasts}))

    def stored_names(self, *classes: type[Event]) -> tuple[str, ...]:
        """The names under which events of these classes are stored, those of older versions included."""
        names = [cls.stored_name for cls in classes]
        for _ in self._upcasts:
            names += [old for old, (new, _) in self._upcasts.items() if new in names and old not in names]
        return tuple(names)

    def encode(self, event: Event) -> bytes:
        """The body to store for `event`; UnknownName if its class is not registered."""
        if type(event) not in self._written:
            self._check_known(type(event))
        return to_json(event)

    def decode(self, name: str, body: bytes) -> Event:
        """The event stored under `name`; UnknownName, or DamagedLog where the body does not fit."""
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
        """What reads the bodies stored under `name`; KeyError if nothing does."""
        if name in self._upcasts:
            return self._upcasting(name)
        return msgspec.json.Decoder(self._class(name)).decode

    def _check_known(self, cls: type[Event]) -> None:
        try:
            known = self._class(cls.stored_name) is cls
        except KeyError:
            known = False
        if not known:
            raise UnknownName(f"{_place(cls)} is in no ruleset's list of events; add it there")
        self._written.add(cls)

    def _class(self, name: str) -> type[Event]:
        """The class of that name, from a ruleset that is only loaded now if need be; KeyError if there is none."""
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
        """RegistryDefect unless each upcast leads from an old name to one that a class has."""
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
            event: Event = msgspec.convert(data, cls)
            return event

        return decode


class Decoders(dict[str, Callable[[bytes], Event]]):
    """What reads each name's body, made when it is first asked for; KeyError for a name that nothing reads."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __missing__(self, name: str) -> Callable[[bytes], Event]:
        decoder = self[name] = self._registry.decoder(name)
        return decoder


def registry_of(*event_classes: type[Event], upcasts: Mapping[str, Upcast] | None = None) -> Registry:
    """The registry of the core's events and the classes given."""
    return Registry((*CORE_EVENTS, *event_classes), upcasts)


def default_registry() -> Registry:
    """The registry of the core's events and of every ruleset there is, each loaded when one of its names comes up."""
    return Registry(CORE_EVENTS, UPCASTS, _events_like)


def _events_like(name: str) -> Iterator[type[Event]]:
    """The events of the ruleset that the name begins with; those of all rulesets where there is none."""
    from sottovoce.domain.rulesets import RULESETS

    ruleset = name.partition(".")[0]
    for found in (RULESETS[ruleset],) if ruleset in RULESETS else RULESETS.usable():
        yield from found.events


def reason(error: Exception) -> str:
    """One line on why a body could not be read."""
    return " ".join(str(error).split()) or type(error).__name__


def _place(cls: type[Event]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
