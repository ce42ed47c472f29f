"""A chair's whole record in one answer: its view and no more, packed for who takes it so."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from remote import PLAYERS, Opened, RemoteServer, log_in

from sottovoce.client.api import connected
from sottovoce.client.link import Link
from sottovoce.eventlog import open_log


@dataclass(frozen=True)
class Played:
    """A game that is over, with a link for Ada and one for an auditor."""

    remote: RemoteServer
    one: Opened
    ada: str
    auditor: str

    def replay(self, token: str, **query: Any) -> Any:
        return self.remote.get(f"/v1/games/{self.one.game}/replay", token, **query)

    def printed(self, *words: str) -> list[Any]:
        said = self.remote.cli("view", self.one.game, *words, "--json")
        return [json.loads(line) for line in said.out.splitlines()]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with RemoteServer(log_in(tmp_path_factory.mktemp("far"))) as remote:
        one = remote.open(names=list(PLAYERS), agent="random", seed="5")
        with remote.stream(one.game, one.spectator) as frames:
            assert list(frames)[-1].event == "end"
        yield Played(
            remote,
            one,
            remote.issue(one.game, one.keeper, "seat", "Ada"),
            remote.issue(one.game, one.keeper, "auditor"),
        )


def test_a_seat_gets_its_view_under_a_head_that_says_no_more(played: Played) -> None:
    told = played.replay(played.ada)
    entries = told.pop("entries")
    assert entries == played.printed("--as", "Ada")
    assert told == {
        "game": played.one.game,
        "ruleset": "mafia",
        "layout": "table",
        "title": "A game of Mafia",
        "chair": {"seat": "Ada", "full": False},
        "chairs": [*PLAYERS, "narrator"],
        "over": True,
        "seq": len(entries),
        "seats": [*PLAYERS, "narrator"],
        "offices": ["narrator"],
        "orders": [],
        "plays": None,
        "started": entries[0]["at"],
    }


@pytest.mark.parametrize("link", ["spectator", "keeper"])
def test_who_has_no_seat_gets_what_everybody_saw(played: Played, link: str) -> None:
    told = played.replay(getattr(played.one, link))
    assert told["chair"] == {"seat": None, "full": False}
    paged = played.remote.get(f"/v1/games/{played.one.game}/view", getattr(played.one, link), limit=1000)
    assert (told["entries"], told["seq"], told["chairs"]) == (paged["entries"], paged["seq"], [])


def test_an_auditor_gets_everything_and_every_chair_with_positions(played: Played) -> None:
    full = played.replay(played.auditor)
    exported = [json.loads(line) for line in played.remote.cli("export", played.one.game).out.splitlines()]
    assert [event["position"] for event in full["entries"]] == [item["position"] for item in exported]
    assert [event["hash"] for event in full["entries"]] == [item["hash"] for item in exported]
    assert full["chair"] == {"seat": None, "full": True}
    assert full["chairs"] == full["seats"] == [*PLAYERS, "narrator"]
    for query, own in (
        ({"as": "Ada"}, played.replay(played.ada)),
        ({"everybody": True}, played.replay(played.one.spectator)),
    ):
        told = played.replay(played.auditor, **query)
        assert told["chairs"] == full["chairs"]
        places = [entry.pop("position") for entry in told["entries"]]
        assert told["entries"] == own["entries"]
        seen = [
            item["position"]
            for item in exported
            if item["audience"] == "everyone" or ("as" in query and "Ada" in item["audience"])
        ]
        assert places == seen


def test_nobody_but_an_auditor_asks_for_another_chair_and_no_chair_is_made_up(played: Played) -> None:
    path = f"/v1/games/{played.one.game}/replay"
    for token in (played.one.spectator, played.one.keeper):
        queries: list[dict[str, Any]] = [{"as": "Ada"}, {"as": "Bram"}, {"as": "nobody"}, {"everybody": True}]
        for query in queries:
            answer = played.remote.ask("GET", path, token, **query)
            assert (answer.status_code, answer.json()["type"]) == (403, "/problems/forbidden")
    unknown: dict[str, Any] = {"as": "Zoë"}
    answer = played.remote.ask("GET", path, played.auditor, **unknown)
    assert (answer.status_code, answer.json()["detail"][:29]) == (404, "This game has no seat 'Zoë'. ")
    both: dict[str, Any] = {"as": "Ada", "everybody": True}
    answer = played.remote.ask("GET", path, played.auditor, **both)
    assert answer.status_code == 422


def test_it_is_packed_for_who_takes_it_packed(played: Played) -> None:
    path = f"/v1/games/{played.one.game}/replay"
    plain = played.remote.ask("GET", path, played.ada, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "authorization, accept-encoding"
    for refused in ("gzip;q=0", "br", "gzip; q=0.0"):
        answer = played.remote.ask("GET", path, played.ada, headers={"accept-encoding": refused})
        assert "content-encoding" not in answer.headers
    with played.remote.http.stream(
        "GET", path, headers={"authorization": f"Bearer {played.ada}", "accept-encoding": "br, gzip;q=0.5"}
    ) as answer:
        raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw) == plain.content
    assert len(raw) < len(plain.content) / 4


def test_what_a_seat_gets_has_a_receipt_and_what_an_auditor_looks_at_none(played: Played) -> None:
    def handed() -> list[tuple[str, int, int]]:
        log = open_log(played.remote.url)
        try:
            found = [item for item in log.receipts(played.one.game) if item.data.get("by") == "http"]
            return [(item.seat, item.data["from"], item.data["to"]) for item in found]
        finally:
            log.close()

    before = handed()
    played.replay(played.auditor)
    played.replay(played.auditor, **{"as": "Ada"})
    played.replay(played.one.spectator)
    assert handed() == before
    cleo = played.remote.issue(played.one.game, played.one.keeper, "seat", "Cleo")
    seq = played.replay(cleo)["seq"]
    assert handed() == [*before, ("Cleo", 1, seq)]


def test_a_program_gets_the_same_by_its_link(played: Played) -> None:
    async def asked(token: str, seat: str | None = None) -> Any:
        async with connected(Link(played.remote.base, played.one.game, token)) as api:
            return await api.replay(seat)

    assert asyncio.run(asked(played.ada)) == played.replay(played.ada)
    assert asyncio.run(asked(played.auditor, "Bram")) == played.replay(played.auditor, **{"as": "Bram"})
