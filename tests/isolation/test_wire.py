"""What a link gets over HTTP depends only on what its holder can see, to the byte."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

import pytest
from leaks.wire import looked_for_on_the_wire, wire_leaks
from sizes import NIGHTLY, sized

from sottovoce.domain.events import Event
from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.wire import compared
from sottovoce.isolation.wire.operations import BESIDE, OPERATIONS, TOOLS
from sottovoce.isolation.wire.pairs import Allowed
from sottovoce.projections.pieces import Shown, Teller

PAIRS = sized(3_000, 200_000)
"""Of each ruleset."""
PARTS = sized(1, 20)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_no_link_obtains_a_difference(ruleset: str, part: int) -> None:
    asked = Counter[str]()
    for pair in islice(compared(ruleset, part), PAIRS // PARTS):
        asked[pair.name] += 1
        assert pair.finding is None, f"{pair.finding}\n  repeat: compared({ruleset!r}, {part})"
    print(", ".join(f"{name} {pairs}" for name, pairs in asked.most_common()))
    assert asked.keys() >= OPERATIONS.keys()
    assert sum(name.startswith("beside ") for name in asked) == len({(method, path) for method, path, _ in BESIDE})
    assert asked["live stream"] > 100
    assert asked["wait for turns"] > 10
    assert asked.keys() >= {f"mcp {tool}" for tool in TOOLS}


LATE = {
    *("keeper_told_of_open_turns", "fork_names_the_length", "tool_wakes_for_others", "wait_ended_by_others"),
    *("mark_of_every_group", "mark_of_a_betrayal_for_all", "mark_names_all_who_have_it"),
    *("idempotency_key_of_another_seat", "closed_by_the_turn_of_another", "peek_names_the_length"),
    *("behind_by_the_log", "link_numbered_among_all", "header_named_by_the_last_event"),
    *("heartbeat_from_the_last_event", "forbidden_where_a_game_is", "closed_document_told_from_none"),
    *("stream_of_the_neighbour", "append_id_in_the_newest_entry", "refusal_names_open_turns"),
    *("replies_of_all_in_one_bound", "file_of_every_chair", "mark_of_every_resource", "claimed_links_of_others"),
    *("streams_of_all_in_one_bound", "mark_of_a_claim_that_others_heard"),
}
"""Leaks that take many seconds to find: tested every night, not in every run."""


@pytest.mark.parametrize("name", sorted(wire_leaks().keys() - (set() if NIGHTLY else LATE)))
def test_a_planted_leak_on_the_wire_is_found(name: str) -> None:
    pairs, games, finding = looked_for_on_the_wire(name)
    assert finding is not None, f"{name} survived {pairs} pairs"
    assert not finding.what.startswith("crashed"), f"{name} crashes instead of leaking: {finding}"
    print(f"{name}: found after {pairs} pairs of {games} games; {finding}")


def test_a_stream_that_fails_in_the_middle_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Teller.shown

    def failing(self: Teller, event: Event, *given: Any) -> Shown:
        if event.stored_name == "mafia.seconding-closed.v1":
            raise ValueError
        return said(self, event, *given)

    monkeypatch.setattr(Teller, "shown", failing)
    first = next(pair for pair in islice(compared("mafia", 0), 2000) if pair.finding is not None)
    assert first.name == "live stream", "what asks afterwards gets an answer that says so"
    assert first.finding is not None
    assert first.finding.what.startswith("crashed: ValueError at test_wire.py")


def test_an_endpoint_that_the_kit_does_not_know_is_an_error() -> None:
    paths: dict[str, dict[str, object]] = {}
    for name in OPERATIONS:
        method, _, path = name.partition(" ")
        paths.setdefault(path, {})[method.lower()] = {"security": [{"seat": []}]}
    Allowed.of({"paths": paths})
    paths["/v1/news"] = {"get": {}}
    with pytest.raises(LookupError, match="GET /v1/news"):
        Allowed.of({"paths": paths})
