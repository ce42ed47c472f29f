from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import CORE_EVENTS, Draft, Event, ReplyAccepted
from sottovoce.eventlog.errors import DamagedLog, RegistryDefect, UnknownName
from sottovoce.eventlog.log import EventLog, Write
from sottovoce.eventlog.registry import Registry, default_registry, registry_of

AT = datetime(2026, 7, 1, tzinfo=UTC)


class Cast(Event, name="test.cast.v3"):
    voter: str
    choice: str


class Other(Event, name="test.other.v1"):
    pass


OLD = {
    "test.voted.v1": ("test.cast.v2", lambda data: {**data, "choice": data["for"]}),
    "test.cast.v2": ("test.cast.v3", lambda data: {"voter": data["voter"], "choice": data["choice"]}),
}


def test_a_class_is_found_by_its_stored_name() -> None:
    registry = registry_of(Cast)
    event = Cast(voter="Ada", choice="Bram")
    assert registry.decode("test.cast.v3", registry.encode(event)) == event


def test_the_core_is_always_known() -> None:
    assert set(registry_of().names) == {cls.stored_name for cls in CORE_EVENTS}


def test_every_ruleset_that_ships_is_known() -> None:
    from sottovoce.domain.rulesets import RULESETS

    names = set(default_registry().names)
    assert {cls.stored_name for ruleset in RULESETS.values() for cls in ruleset.events} <= names


def test_a_name_claimed_twice_is_a_defect() -> None:
    twin = type("Twin", (Event,), {"__module__": __name__}, name="test.cast.v3")
    with pytest.raises(RegistryDefect, match=r"test\.cast\.v3 is claimed by both .*Cast and .*Twin"):
        registry_of(Cast, twin)


def test_a_class_listed_twice_is_one_class() -> None:
    assert registry_of(Cast, Cast).names == registry_of(Cast).names


def test_unknown_names_say_what_to_do() -> None:
    with pytest.raises(UnknownName, match="Install the version"):
        registry_of().decode("test.cast.v3", b"{}")
    with pytest.raises(UnknownName, match="Cast is in no ruleset's list"):
        registry_of().encode(Cast(voter="Ada", choice="Bram"))


@pytest.mark.parametrize("body", [b"", b"null", b"{", b'{"voter": 3}', b"\xff", b'{"voter":"A","choice":"B","more":1}'])
def test_a_body_that_does_not_fit_is_damage(body: bytes) -> None:
    with pytest.raises(DamagedLog, match=r"does not fit test\.cast\.v3"):
        registry_of(Cast).decode("test.cast.v3", body)


@pytest.mark.parametrize(
    ("name", "body"), [("test.voted.v1", b"[]"), ("test.cast.v2", b"{}"), ("test.cast.v2", b"\xff")]
)
def test_an_old_body_that_does_not_fit_is_damage(name: str, body: bytes) -> None:
    with pytest.raises(DamagedLog):
        registry_of(Cast, upcasts=OLD).decode(name, body)


def test_old_versions_are_read_through_a_chain_of_upcasts() -> None:
    registry = registry_of(Cast, upcasts=OLD)
    cast = Cast(voter="Ada", choice="Bram")
    assert registry.decode("test.voted.v1", b'{"voter":"Ada","for":"Bram"}') == cast
    assert registry.decode("test.cast.v2", b'{"voter":"Ada","choice":"Bram","more":1}') == cast
    assert {"test.voted.v1", "test.cast.v2", "test.cast.v3"} <= set(registry.names)


@pytest.mark.parametrize(
    ("upcasts", "message"),
    [
        ({"test.cast.v3": ("test.other.v1", dict)}, "not the name of an older version"),
        ({"no name": ("test.cast.v3", dict)}, "not the name of an older version"),
        ({"test.cast.v2": ("test.cast.v4", dict)}, "which no class has"),
        ({"test.a.v1": ("test.b.v1", dict), "test.b.v1": ("test.a.v1", dict)}, "round in a circle"),
    ],
)
def test_an_upcast_that_leads_nowhere_is_a_defect(upcasts: Any, message: str) -> None:
    with pytest.raises(RegistryDefect, match=message):
        Registry([Cast, Other], upcasts)


class FirstCast(Event, name="test.voted.v1"):
    voter: str
    for_: str


def test_a_log_written_by_an_old_version_is_read_and_keeps_its_bytes(path: Path) -> None:
    from sottovoce.eventlog import open_log
    from sottovoce.eventlog.verify import verify

    before = open_log(f"sqlite:///{path}", registry=registry_of(FirstCast))
    before.commit([Write("g", 0, "a", AT, (Draft(FirstCast(voter="Ada", for_="Bram"), EVERYONE),))])
    before.close()
    upcasts = {"test.voted.v1": ("test.cast.v3", lambda data: {"voter": data["voter"], "choice": data["for_"]})}
    now = open_log(f"sqlite:///{path}", registry=registry_of(Cast, upcasts=upcasts))
    (recorded,) = now.read("g")
    assert recorded.event == Cast(voter="Ada", choice="Bram")
    assert recorded.name == "test.voted.v1"
    assert recorded.body == b'{"voter":"Ada","for_":"Bram"}'
    assert verify(now, "g").ok
    now.close()


def test_a_name_that_nobody_knows_is_told_when_it_is_read(path: Path, opened: Callable[..., EventLog]) -> None:
    from sottovoce.eventlog import open_log

    before = open_log(f"sqlite:///{path}", registry=registry_of(Other))
    drafts = (Draft(ReplyAccepted.sample(), EVERYONE), Draft(Other(), EVERYONE))
    before.commit([Write("g", 0, "a", AT, drafts)])
    before.close()
    with pytest.raises(UnknownName, match=r"does not know the event test\.other\.v1"):
        opened(path).read("g")
