"""The one registry of stored names: which class reads and writes the body of an event under its name on disk.

The registry is built from explicit lists, never by importing what a row names. An old version of an event stays
readable through an upcast, which turns its decoded JSON into that of a newer version; upcasts may be chained. The
stored bytes stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json

from domain.events import CORE_EVENTS, STORED_NAME, Event
from eventlog.errors import DamagedLog, RegistryDefect, UnknownName

Upcast = tuple[str, Callable[[dict[str, Any]], dict[str, Any]]]
"""The stored name of a newer version, and the function from the old version's decoded JSON to that one's."""

UPCASTS: Mapping[str, Upcast] = {}
"""All old stored names that are still read, with the way to a newer version."""


class Registry:
    """Stored name to event class and back.

    Raises RegistryDefect where two classes claim one name, or an upcast starts at a current name or leads nowhere.
    """

    def __init__(self, event_classes: Iterable[type[Event]], upcasts: Mapping[str, Upcast] | None = None) -> None:
        self._classes: dict[str, type[Event]] = {}
        for cls in event_classes:
            known = self._classes.setdefault(cls.stored_name, cls)
            if known is not cls:
                raise RegistryDefect(
                    f"{cls.stored_name} is claimed by both {_place(known)} and {_place(cls)}; "
                    "give one of them another name"
                )
        self._upcasts = dict(upcasts or {})
        self.decoders: dict[str, Callable[[bytes], Event]] = {
            name: cls.__pydantic_validator__.validate_json for name, cls in self._classes.items()
        }
        for old in self._upcasts:
            self.decoders[old] = self._upcasting(old)
        self._encoders: dict[type[Event], Callable[[Event], bytes]] = {
            cls: cls.__pydantic_serializer__.to_json for cls in self._classes.values()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """All names that can be read, sorted."""
        return tuple(sorted(self.decoders))

    def encode(self, event: Event) -> bytes:
        """The body to store for `event`; UnknownName if its class is not registered."""
        encoder = self._encoders.get(type(event))
        if encoder is None:
            raise UnknownName(f"{_place(type(event))} is in no ruleset's list of events; add it there")
        return encoder(event)

    def decode(self, name: str, body: bytes) -> Event:
        """The event stored under `name`; UnknownName, or DamagedLog where the body does not fit."""
        decoder = self.decoders.get(name)
        if decoder is None:
            raise UnknownName(f"This version does not know the event {name}; install the version that wrote it")
        try:
            return decoder(body)
        except (ValidationError, ValueError, TypeError, LookupError) as error:
            raise DamagedLog(f"A stored body does not fit {name}: {reason(error)}") from error

    def _upcasting(self, old: str) -> Callable[[bytes], Event]:
        if old in self._classes or not STORED_NAME.fullmatch(old):
            raise RegistryDefect(f"An upcast starts at {old!r}, which is not the name of an older version")
        steps = []
        name = old
        while name in self._upcasts:
            name, step = self._upcasts[name]
            steps.append(step)
            if len(steps) > len(self._upcasts):
                raise RegistryDefect(f"The upcasts from {old} go round in a circle")
        if name not in self._classes:
            raise RegistryDefect(f"The upcast of {old} leads to {name}, which no class has")
        validate = self._classes[name].__pydantic_validator__.validate_json

        def decode(body: bytes) -> Event:
            data = json.loads(body)
            for step in steps:
                data = step(data)
            event: Event = validate(to_json(data))
            return event

        return decode


def registry_of(*event_classes: type[Event], upcasts: Mapping[str, Upcast] | None = None) -> Registry:
    """The registry of the core's events and the classes given."""
    return Registry((*CORE_EVENTS, *event_classes), upcasts)


def default_registry() -> Registry:
    """The registry of the core's events and of every ruleset that ships."""
    from domain.rulesets import RULESETS

    return registry_of(*(cls for ruleset in RULESETS.values() for cls in ruleset.events), upcasts=UPCASTS)


def reason(error: Exception) -> str:
    """One line on why a body could not be read."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}" if place else first["msg"]
    return " ".join(str(error).split()) or type(error).__name__


def _place(cls: type[Event]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
