"""What a finished game gives to those who sat, the host's way back to a seat, and playing again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from remote import CAMPAIGN, Opened, RemoteServer, log_in, places_in, token_of
from working import until

from sottovoce.domain.events import ChairsOpened, SecretsKnown
from sottovoce.eventlog.log import PLAYED_AGAIN

QUICK = {"turn_seconds": 0.05, "max_attempts": 1, "max_days": 1, "max_speeches": 1}
NAMES = ["Ada", "Bram", "Cleo", "Dirk", "Edda"]


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    folder = tmp_path_factory.mktemp("far")
    with RemoteServer(log_in(folder), places_in(folder)) as server:
        yield server


def finished(remote: RemoteServer, **wanted: Any) -> Opened:
    one = remote.open(**{"names": NAMES, "agents": {"Bram": "outside"}, "own": "Ada", "options": QUICK, **wanted})
    until(lambda: remote.get(f"/v1/games/{one.game}", one.keeper)["status"] == "over")
    return one


@pytest.fixture(scope="module")
def over(remote: RemoteServer) -> Opened:
    return finished(remote)


def looked(remote: RemoteServer, game: str, token: str, **wanted: Any) -> tuple[int, Any]:
    answer = remote.ask("GET", f"/v1/games/{game}/replay", token, **wanted)
    return answer.status_code, answer.json()


@pytest.mark.spec("G-001")
def test_before_the_end_a_seat_has_one_view_however_it_asks(remote: RemoteServer) -> None:
    one = remote.open(names=NAMES, own="Ada")
    asked: list[dict[str, str]] = [{"open": "true"}, {"everybody": "true"}, *({"as": name} for name in ("Ada", "Zed"))]
    assert len({str(looked(remote, one.game, one.seats["Ada"], **query)) for query in asked}) == 1
    assert looked(remote, one.game, one.seats["Ada"], open="true")[0] == 403
    answer = remote.ask("GET", f"/v1/games/{one.game}/transcript", one.seats["Ada"], open="true")
    assert answer.status_code == 403
    assert remote.get(f"/v1/games/{one.game}", one.seats["Ada"])["chairs"] == []


@pytest.mark.spec("G-001", "G-004")
def test_afterwards_a_seat_looks_from_every_chair_and_a_spectator_from_none(remote: RemoteServer, over: Opened) -> None:
    game, token, seats = over.game, over.seats["Ada"], [*NAMES, "narrator"]
    assert remote.get(f"/v1/games/{game}", token)["chairs"] == seats
    own = remote.get(f"/v1/games/{game}/replay", token)
    assert (own["chair"], own["chairs"]) == ({"seat": "Ada", "full": False}, seats)
    _, whole = looked(remote, game, token, open="true")
    assert [entry["position"] for entry in whole["entries"]] == [*range(1, len(whole["entries"]) + 1)]
    assert {entry["salt"] + entry["hash"] + entry["append"] for entry in whole["entries"]} == {""}
    assert not [entry for entry in whole["entries"] if entry["audience"] == []]
    assert all(entry["at"].endswith(":00.000000+00:00") for entry in whole["entries"])
    auditor = remote.issue(game, over.keeper, "auditor")
    for seat in seats:
        _, one = looked(remote, game, token, **{"as": seat})
        _, all_of_it = looked(remote, game, auditor, **{"as": seat})
        assert [{**entry, "position": 0} for entry in one["entries"]] == [
            {**entry, "position": 0} for entry in all_of_it["entries"]
        ]
        named = [
            item["name"] for item in whole["entries"] if item["audience"] == "everyone" or seat in item["audience"]
        ]
        assert [entry["name"] for entry in one["entries"]] == named
    assert looked(remote, game, token, **{"as": "Zed"})[0] == 404
    for other in (over.spectator, over.keeper):
        assert looked(remote, game, other, open="true")[0] == 403
        assert looked(remote, game, other, **{"as": "Ada"})[0] == 403
    text = remote.ask("GET", f"/v1/games/{game}/transcript", token, open="true").text
    assert re.search(r"\| Bram \| (?:Mafia|Doctor|Detective|Jester|Villager) \|", text)
    rows = remote.get(f"/v1/games/{game}/receipts", auditor, limit=1000)["receipts"]
    assert {row["data"].get("looked") for row in rows} >= {"all open chairs", "Bram", "narrator"}
    found = remote.get(f"/v1/games/{game}/audit/leaks", auditor)["findings"]
    assert [each for each in found if each["severity"] != "note"] == []
    assert remote.get(f"/v1/games/{game}/audit/verify", auditor)["problems"] == []


@pytest.mark.spec("G-001")
def test_closed_chairs_stay_closed(remote: RemoteServer) -> None:
    one = finished(remote, options={**QUICK, "after_end": "keeper"})
    assert remote.get(f"/v1/games/{one.game}", one.seats["Ada"])["chairs"] == []
    assert remote.get(f"/v1/games/{one.game}/replay", one.seats["Ada"])["chairs"] == []
    for query in ({"open": "true"}, {"as": "Bram"}, {"everybody": "true"}):
        assert looked(remote, one.game, one.seats["Ada"], **query)[0] == 403


@pytest.mark.spec("G-002", "G-004")
def test_in_a_campaign_the_game_masters_chair_stays_closed(remote: RemoteServer) -> None:
    options = {"human_seconds": 0.05, "max_attempts": 1}
    setup = {"campaign": CAMPAIGN, "character": "pim-tallow"}
    one = finished(remote, ruleset="tabletop", names=None, agents={}, own="human", setup=setup, options=options)
    token = one.seats["human"]
    _, whole = looked(remote, one.game, token, open="true")
    assert set(whole["chairs"]) == set(whole["seats"]) - {"gm", "team-lead", "narrator"}
    named = {seat for entry in whole["entries"] if entry["audience"] != "everyone" for seat in entry["audience"]}
    assert named <= set(whole["chairs"])
    assert looked(remote, one.game, token, **{"as": "sefa-quillon"})[0] == 200
    assert {looked(remote, one.game, token, **{"as": seat})[0] for seat in ("gm", "team-lead", "narrator")} == {403}
    assert "story-state.md" not in str(whole)
    again = remote.ask("POST", f"/v1/games/{one.game}/again", token).json()
    assert remote.get("/v1/link", token_of(again["link"]))["seat"] == "human"
    seats = remote.get(f"/v1/games/{again['game']}", token_of(again["link"]))
    assert seats["seats"] == whole["seats"]


@pytest.mark.spec("G-005")
def test_a_copy_of_a_finished_game_begins_closed_and_says_who_knows_its_secrets(
    remote: RemoteServer, over: Opened
) -> None:
    answer = remote.ask("POST", f"/v1/games/{over.game}/fork", over.keeper, {"at": 3})
    assert answer.status_code == 201, answer.text
    copy = answer.json()
    keeper = token_of(copy["links"]["keeper"])
    told = remote.get(f"/v1/games/{copy['game']}/view", keeper)["entries"]
    (known,) = (entry for entry in told if entry["name"] == SecretsKnown.stored_name)
    assert known["data"]["chairs"] == [*NAMES, "narrator"]
    assert ChairsOpened.stored_name not in {entry["name"] for entry in told}
    assert looked(remote, copy["game"], token_of(copy["links"]["seats"]["Ada"]), open="true")[0] == 403


@pytest.mark.spec("G-006", "G-007")
def test_the_host_link_gets_the_hosts_own_seat_and_no_other(remote: RemoteServer) -> None:
    one = remote.open(names=NAMES, own="ada", agents={"Bram": "outside"})
    path = f"/v1/games/{one.game}/links"
    first = one.seats["Ada"]
    seq = remote.get(f"/v1/games/{one.game}/view", one.spectator)["seq"]
    answers = [
        remote.ask("POST", path, remote.host, body)
        for body in ({"kind": "seat", "seat": "Bram"}, {"kind": "keeper"}, {"kind": "auditor"}, {"kind": "spectator"})
    ]
    assert {answer.status_code for answer in answers} == {422}
    assert remote.ask("GET", path, remote.host).status_code == 404
    answer = remote.ask("POST", path, remote.host, {"kind": "seat"})
    assert answer.status_code == 201
    token = token_of(answer.json()["link"])
    assert remote.get("/v1/link", token)["seat"] == "Ada"
    assert remote.ask("GET", "/v1/link", first).status_code == 401, "the older one has ended"
    assert remote.get("/v1/link", one.seats["Bram"])["seat"] == "Bram"
    assert remote.get(f"/v1/games/{one.game}/view", one.spectator)["seq"] >= seq
    told = remote.get(f"/v1/games/{one.game}/view", one.spectator, limit=1000)["entries"]
    assert "core.seat-link-issued.v1" not in {entry["name"] for entry in told}
    (line,) = [
        line for line in remote.get("/v1/games", remote.host, standing="true")["games"] if line["game"] == one.game
    ]
    assert line["own"] == "Ada"
    assert "own" not in remote.get("/v1/games", one.keeper, standing="true")["games"][0]
    nobody = remote.open(names=NAMES, agents={"Ada": "outside"})
    assert remote.ask("POST", f"/v1/games/{nobody.game}/links", remote.host, {"kind": "seat"}).status_code == 404
    copy = remote.ask("POST", f"/v1/games/{one.game}/fork", one.keeper, {}).json()["game"]
    assert remote.ask("POST", f"/v1/games/{copy}/links", remote.host, {"kind": "seat"}).status_code == 404


def test_ones_own_seat_is_played_through_its_link(remote: RemoteServer) -> None:
    answer = remote.ask(
        "POST", "/v1/games", remote.host, {"ruleset": "mafia", "own": "Ada", "agents": {"Ada": "house"}}
    )
    assert (answer.status_code, answer.json()["detail"][:5]) == (422, "own: ")
    answer = remote.ask("POST", "/v1/games", remote.host, {"ruleset": "mafia", "own": "Zed", "names": NAMES})
    assert "There is no seat 'Zed'" in answer.json()["detail"]
    assert "Zed" in remote.get(f"/v1/games/{(one := remote.open(own='Zed')).game}", one.keeper)["seats"]


@pytest.mark.spec("G-008", "G-009")
def test_a_game_is_played_again_with_the_same_people_through_their_old_links(
    remote: RemoteServer, over: Opened
) -> None:
    path = f"/v1/games/{over.game}/again"
    running = remote.open(names=NAMES, own="Ada")
    assert remote.ask("POST", f"/v1/games/{running.game}/again", running.seats["Ada"]).status_code == 422
    assert {remote.ask("POST", path, token).status_code for token in (over.spectator, remote.host)} == {403, 404}
    assert remote.get("/v1/link", over.seats["Bram"])["again"] is None
    first = remote.ask("POST", path, over.seats["Bram"]).json()
    assert remote.get("/v1/link", over.seats["Ada"])["again"] == first["game"] != over.game
    links = {seat: token_of(remote.ask("POST", path, over.seats[seat]).json()["link"]) for seat in ("Ada", "Bram")}
    keeper = remote.ask("POST", path, over.keeper).json()
    assert keeper["game"] == first["game"]
    opened = {seat: remote.get("/v1/link", token) for seat, token in links.items()}
    assert {seat: (one["kind"], one["seat"], one["game"]) for seat, one in opened.items()} == {
        seat: ("seat", seat, first["game"]) for seat in links
    }
    assert remote.get("/v1/link", token_of(keeper["link"]))["kind"] == "keeper"
    shown, before = (
        remote.get(f"/v1/games/{game}", token)
        for game, token in ((first["game"], token_of(keeper["link"])), (over.game, over.keeper))
    )
    assert (shown["seats"], shown["options"]) == (before["seats"], before["options"])
    auditor = remote.issue(over.game, over.keeper, "auditor")
    rows = remote.get(f"/v1/games/{over.game}/receipts", auditor, limit=1000)["receipts"]
    assert [row["data"] for row in rows if row["name"] == PLAYED_AGAIN] == [{"game": first["game"]}]
    # Who keeps the old game gets into no seat of the new one unseen.
    late = remote.issue(over.game, over.keeper, "seat", "Bram")
    assert remote.ask("POST", path, late).status_code == 422
    # The host, whose seat it is, does.
    host = remote.ask("POST", f"/v1/games/{over.game}/links", remote.host, {"kind": "seat"}).json()
    assert remote.ask("POST", path, token_of(host["link"])).status_code == 201
