"""How much one link may do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sottovoce.server.http.bounds import Allowance, AtOnce, Streams
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.protocol import Gate
from sottovoce.server.http.settings import Bounds, Settings
from sottovoce.server.links import Link, LinkKind


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_so_many_a_minute_and_then_one_at_a_time() -> None:
    clock = Clock()
    allowance = Allowance(60, clock)
    assert [allowance.wait(b"a") for _ in range(60)] == [0.0] * 60
    assert allowance.wait(b"a") == pytest.approx(1.0)
    assert allowance.wait(b"a") == pytest.approx(1.0)  # who is refused loses nothing by it
    assert allowance.wait(b"b") == 0.0
    clock.now += 0.5
    assert allowance.wait(b"a") == pytest.approx(0.5)
    clock.now += 0.5
    assert allowance.wait(b"a") == 0.0
    assert allowance.wait(b"a") > 0
    clock.now += 3600
    assert [allowance.wait(b"a") for _ in range(60)] == [0.0] * 60
    assert allowance.wait(b"a") == pytest.approx(1.0)


def test_one_a_minute() -> None:
    clock = Clock()
    allowance = Allowance(1, clock)
    assert allowance.wait(b"a") == 0.0
    assert allowance.wait(b"a") == pytest.approx(60.0)
    clock.now += 60
    assert allowance.wait(b"a") == 0.0


def test_links_that_are_used_no_more_are_forgotten_and_those_in_use_are_not() -> None:
    clock = Clock()
    allowance = Allowance(2, clock)
    for number in range(20_000):
        allowance.wait(b"%d" % number)
    assert len(allowance._spent) == 20_000
    clock.now += 61
    for number in range(20_001):
        allowance.wait(b"again %d" % number)
    assert len(allowance._spent) == 20_001
    assert allowance.wait(b"again 0") == 0.0
    assert allowance.wait(b"again 0") > 0


def test_so_many_streams_at_once() -> None:
    streams = AtOnce(2)
    assert [streams.enter(b"a") for _ in range(3)] == [True, True, False]
    assert streams.enter(b"b")
    assert len(streams) == 3
    streams.leave(b"a")
    assert streams.enter(b"a")
    for key in (b"a", b"a", b"b"):
        streams.leave(key)
    assert len(streams) == 0
    assert not streams._open


def link(kind: LinkKind, name: str = "") -> Link:
    """A link in force, told from others by its name."""
    return Link("game", 1, kind, None, datetime(2026, 1, 1, tzinfo=UTC), None, None, f"{kind} {name}".encode())


def refused(streams: Streams, who: Link, address: str = "") -> str:
    """Why no stream is given."""
    with pytest.raises(Problem) as problem:
        streams.enter(who, address)
    assert (problem.value.slug, problem.value.headers) == ("too-many", {"retry-after": "5"})
    return problem.value.detail


def test_spectators_share_a_link_and_are_told_apart_by_address() -> None:
    streams = Streams(Settings(bounds=Bounds(spectator_streams_per_address=2, streams_per_token=1)))
    watching, other_game = link(LinkKind.SPECTATOR), link(LinkKind.SPECTATOR, "another")
    leaving = [streams.enter(watching, "192.0.2.1"), streams.enter(other_game, "192.0.2.1")]
    assert refused(streams, watching, "192.0.2.1").startswith("2 spectators already watch from your address")
    leaving += [streams.enter(watching, f"192.0.2.{number}") for number in range(2, 50)]
    leaving += [streams.enter(watching, "2001:db8::1"), streams.enter(watching, "2001:db8::2")]
    assert refused(streams, watching, "2001:db8::3")
    leaving.append(streams.enter(watching, "2001:db8:0:1::1"))
    for kind in (LinkKind.SEAT, LinkKind.KEEPER, LinkKind.AUDITOR):
        leaving.append(streams.enter(link(kind), "192.0.2.1"))
        assert refused(streams, link(kind), "192.0.2.99").startswith("This link already has 1 open streams")
    assert len(streams) == len(leaving)
    leaving.pop(0)()
    leaving.append(streams.enter(watching, "192.0.2.1"))
    for leave in leaving:
        leave()
    assert len(streams) == 0


def test_spectators_are_bounded_in_all_and_take_nothing_from_seats() -> None:
    streams = Streams(Settings(bounds=Bounds(spectator_streams=3, spectator_streams_per_address=2)))
    watching = link(LinkKind.SPECTATOR)
    leaving = [streams.enter(watching, f"192.0.2.{number}") for number in range(3)]
    for _ in range(5):
        assert refused(streams, watching, "192.0.2.9").startswith("Too many spectators")
    streams.enter(link(LinkKind.SEAT), "192.0.2.9")
    leaving[0]()
    streams.enter(watching, "192.0.2.9")


def test_a_proxy_that_does_not_say_for_whom_it_asks_stands_for_many_spectators() -> None:
    settings = Settings(proxies=("10.0.0.0/8",), bounds=Bounds(spectator_streams=5, spectator_streams_per_address=1))
    streams = Streams(settings)
    for _ in range(5):
        streams.enter(link(LinkKind.SPECTATOR), "10.0.0.1")
    assert refused(streams, link(LinkKind.SPECTATOR), "10.0.0.1").startswith("Too many spectators")


def test_connections_are_counted_by_address_and_in_all_and_out_again() -> None:
    gate = Gate(Settings(proxies=("10.0.0.0/8",), bounds=Bounds(connections=5, connections_per_address=2)))
    assert [gate.enter("192.0.2.1") is None for _ in range(3)] == [True, True, False]
    assert [gate.enter("10.0.0.1") is None for _ in range(3)] == [True, True, True]
    assert gate.open == 5
    assert "Too many" in (gate.enter("192.0.2.2") or "")
    gate.leave("192.0.2.1")
    assert gate.enter("192.0.2.1") is None
    for address in ("192.0.2.1", "192.0.2.1", "10.0.0.1", "10.0.0.1", "10.0.0.1"):
        gate.leave(address)
    assert gate.open == 0
    assert not gate._each


def test_whoever_has_an_address_of_ipv6_has_all_of_its_network() -> None:
    gate = Gate(Settings(proxies=("192.0.2.0/24",), bounds=Bounds(connections_per_address=2)))
    assert [gate.enter(f"2001:db8::{number}") is None for number in (1, 2, 3)] == [True, True, False]
    assert gate.enter("2001:db8:0:1::1") is None
    assert [gate.enter("::ffff:198.51.100.1") is None for _ in range(3)] == [True, True, False]
    assert gate.enter("198.51.100.1") is not None
    assert [gate.enter("::ffff:192.0.2.1") is None for _ in range(3)] == [True, True, True]
    gate.leave("2001:db8::2")
    assert gate.enter("2001:db8::3") is None
