"""Whole games of every ruleset that ships, opened and played over HTTP beside house players."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from far import CAMPAIGN, EXAMPLES, PLAYERS, Far, Opened, log_in, places_in, token_of
from guests import GROUPS, seat_guest

from sottovoce import Laid, Offer, ServerExtras, UnknownName, Wish


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Far]:
    folder = tmp_path_factory.mktemp("far")
    with Far(log_in(folder), places_in(folder)) as server:
        yield server


def watched(far: Far, one: Opened) -> list[Any]:
    """All that the public sees, to the end."""
    with far.stream(one.game, one.spectator) as frames:
        found = list(frames)
    assert (found[-1].event, found[-1].data) == ("end", {"why": "over"})
    return [frame.data for frame in found[:-1]]


@pytest.mark.parametrize(
    "wanted",
    [
        {"ruleset": "mafia", "names": list(PLAYERS)},
        {"ruleset": "tabletop", "campaign": CAMPAIGN},
        {"ruleset": "delegation", "folder": "paper"},
    ],
    ids=lambda wanted: wanted["ruleset"],
)
def test_a_game_of_each_ruleset_is_opened_and_played_to_its_end(far: Far, wanted: dict[str, Any]) -> None:
    one = far.open(**wanted, seed="4")
    seen = watched(far, one)
    assert [entry["seq"] for entry in seen] == list(range(1, len(seen) + 1))
    shown = far.get(f"/v1/games/{one.game}", one.keeper)
    assert (shown["status"], shown["ruleset"]) == ("over", wanted["ruleset"])
    auditor = far.issue(one.game, one.keeper, "auditor")
    assert far.get(f"/v1/games/{one.game}/audit/verify", auditor)["ok"]
    found = far.get(f"/v1/games/{one.game}/audit/leaks", auditor)["findings"]
    assert [finding for finding in found if finding["severity"] != "note"] == []


def test_documents_are_read_as_a_seat_may_read_them(far: Far) -> None:
    one = far.open(ruleset="tabletop", campaign=CAMPAIGN, seed="4")
    watched(far, one)
    seats = far.get(f"/v1/games/{one.game}", one.keeper)["seats"]
    gm, character = (far.issue(one.game, one.keeper, "seat", seat) for seat in ("gm", seats[-1]))
    path = f"/v1/games/{one.game}/documents"
    texts = {}
    for name, token in (("gm", gm), ("character", character)):
        listed = far.get(path, token)["documents"]
        texts[name] = {item["path"]: far.ask("GET", f"{path}/{item['path']}", token).content for item in listed}
        assert {item["path"]: item["bytes"] for item in listed} == {at: len(text) for at, text in texts[name].items()}
    assert texts["gm"] != texts["character"]
    hidden = sorted(set(texts["gm"]) - set(texts["character"]))
    for at in hidden[:3]:
        assert far.ask("GET", f"{path}/{at}", character).status_code == 404


def test_only_what_the_settings_name_can_be_chosen(far: Far) -> None:
    for wanted in (
        {"agent": "files:/tmp"},
        {"agents": {"Ada": "scripted:/etc/passwd"}, "names": list(PLAYERS)},
        {"agent": "command:id"},
        {"agent": "openai:any"},
        {"agent": "human"},
        {"ruleset": "nosuch"},
        {"ruleset": "tabletop"},
        {"ruleset": "tabletop", "campaign": "/etc"},
        {"ruleset": "tabletop", "campaign": f"../{CAMPAIGN}"},
        {"ruleset": "delegation", "folder": "/tmp"},
        {"ruleset": "delegation", "folder": "paper", "task": "../../x"},
        {"campaign": CAMPAIGN},
        {"names": ["Ada", "Ada"]},
        {"names": list(PLAYERS), "players": 9},
        {"options": {"no_such_rule": 1}},
        {"players": 64},
    ):
        answer = far.ask("POST", "/v1/games", far.host, {"ruleset": "mafia", **wanted})
        assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid"), (wanted, answer.text)
        assert str(far.settings.folders["paper"]) not in answer.text
        assert str(EXAMPLES) not in answer.text


def test_a_host_is_told_what_may_be_chosen_in_a_campaign_and_in_a_folder(far: Far) -> None:
    path = f"/v1/rulesets/tabletop/places/{CAMPAIGN}"
    plain = far.get(path, far.host)
    assert (plain["seats"][0], plain["tasks"]) == ("gm", [])
    assert set(plain["characters"]) < set(plain["seats"])
    assert "current" in plain["editions"]
    second = plain["characters"][1]
    played = far.get(path, far.host, character=second)
    assert sorted(set(played["seats"]) - set(plain["seats"])) == ["human"]
    one = far.open(ruleset="tabletop", campaign=CAMPAIGN, character=second, agent="outside")
    assert far.get(f"/v1/games/{one.game}", one.keeper)["seats"] == played["seats"]
    work = far.get("/v1/rulesets/delegation/places/paper", far.host)
    assert work["tasks"]
    assert far.get("/v1/rulesets/delegation/places/paper", far.host, task=work["tasks"][0])["seats"] == work["seats"]
    for asked, status in (
        ("tabletop/places/nowhere", 422),
        ("delegation/places/paper?task=../../x", 422),
        (f"tabletop/places/{CAMPAIGN}?character=nobody", 422),
        ("mafia/places/paper", 404),
        ("nosuch/places/paper", 404),
    ):
        answer = far.ask("GET", f"/v1/rulesets/{asked}", far.host)
        assert answer.status_code == status, (asked, answer.text)
        assert str(EXAMPLES) not in answer.text
        assert str(far.settings.folders["paper"]) not in answer.text


def test_the_list_tells_where_games_stand_as_everybody_may_know_it(far: Far) -> None:
    one = far.open(names=list(PLAYERS), agent="outside", seed="4")
    over = far.open(names=[*PLAYERS[:-1], "Zoe"], seed="5")
    watched(far, over)

    def listed(token: str, **asked: Any) -> dict[str, Any]:
        return {line["game"]: line for line in far.get("/v1/games", token, standing="true", **asked)["games"]}

    lines = listed(far.host)
    shown = far.get(f"/v1/games/{one.game}", one.spectator)
    assert {key: lines[one.game][key] for key in ("seats", "phase", "waiting_for")} == {
        key: shown[key] for key in ("seats", "phase", "waiting_for")
    }
    assert lines[one.game]["waiting_for"]
    assert lines[over.game]["seats"] == [*PLAYERS[:-1], "Zoe", "narrator"]
    assert (lines[over.game]["phase"], lines[over.game]["waiting_for"]) == ("", [])
    assert listed(one.seats[PLAYERS[0]])[one.game] == lines[one.game]
    assert "seats" not in far.get("/v1/games", far.host)["games"][0]
    far.ask("POST", f"/v1/games/{one.game}/hold", one.keeper)
    assert listed(far.host)[one.game]["waiting_for"] == ["the keeper"]
    assert list(listed(far.host, search="Zoe")) == [over.game]
    assert list(listed(far.host, search=one.game)) == [one.game]
    assert listed(far.host, search="Zo") == {}
    assert list(listed(over.keeper, search="Zoe")) == [over.game]
    assert listed(over.keeper, search="nobody") == {}


def test_a_keeper_holds_goes_on_fills_and_forks(far: Far) -> None:
    one = far.open(names=list(PLAYERS), agents={"Ada": "outside"}, seed="4")
    path = f"/v1/games/{one.game}"
    far.get(f"{path}/turns", one.seats["Ada"], wait=45)
    held = far.ask("POST", f"{path}/hold", one.keeper)
    assert held.json() == {"game": one.game, "status": "held"}
    assert far.get(path, one.spectator)["waiting_for"] == ["the keeper"]
    fork = far.ask("POST", f"{path}/fork", one.keeper, {"at": 1})
    assert fork.status_code == 201
    assert list(fork.json()["links"]["seats"]) == ["Ada"]
    assert far.ask("POST", f"{path}/fork", one.keeper, {"at": 100_000}).status_code == 422
    assert far.ask("PUT", f"{path}/seats/Nobody", one.keeper, {"agent": "house"}).status_code == 422
    assert far.ask("PUT", f"{path}/seats/Ada", one.keeper, {"agent": "files:/tmp"}).status_code == 422
    gone_on = far.ask("PUT", f"{path}/seats/Ada", one.keeper, {"agent": "house"})
    assert gone_on.json()["status"] in ("open", "over")
    watched(far, one)
    over = far.ask("POST", f"{path}/hold", one.keeper)
    assert (over.status_code, over.json()["type"]) == (409, "/problems/closed")


def test_a_host_pages_all_games_newest_first(far: Far) -> None:
    made = [far.open(names=list(PLAYERS), agent="outside").game for _ in range(3)]
    listed: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = far.get("/v1/games", far.host, limit=2, **after)
        listed += [one["game"] for one in page["games"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert listed[:3] == made[::-1]
    assert len(listed) == len(set(listed))
    assert {one["ruleset"] for one in far.get("/v1/games", far.host, ruleset="tabletop")["games"]} <= {"tabletop"}
    assert far.ask("GET", "/v1/games", far.host, after="nosuch").status_code == 404


def read(folder: Path) -> tuple[str, ...]:
    """The players of a game that is opened with a folder: one for each of its tasks."""
    if folder.name == "nothing":
        raise UnknownName(f"{folder} holds no tasks.")
    return tuple(path.stem.title().replace("-", "") for path in sorted((folder / "tasks").glob("*.md")))


@contextmanager
def lay(wish: Wish) -> Iterator[Laid]:
    yield Laid(read(wish.folder), {"highest": 9, **wish.options}, {})


def test_a_ruleset_from_outside_is_opened_with_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seat_guest(monkeypatch, "guessing")
    extras = ServerExtras(needs="folder", lay=lay, look=lambda wish: Offer(read(wish.folder)))
    monkeypatch.setitem(GROUPS["sottovoce.server"], "guessing", extras)
    with Far(log_in(tmp_path), places_in(tmp_path)) as far:
        told = {one["name"]: one["needs"] for one in far.get("/v1/rulesets", far.host)["rulesets"]}
        assert told["guessing"] == "folder"
        seats = far.get("/v1/rulesets/guessing/places/paper", far.host)["seats"]
        assert seats == ["keeper", "CouncilMinutes", "SpringFair"]
        one = far.open(ruleset="guessing", folder="paper", options={"rounds": 1})
        watched(far, one)
        shown = far.get(f"/v1/games/{one.game}", one.keeper)
        assert (shown["seats"], shown["options"]["highest"], shown["options"]["rounds"]) == (seats, 9, 1)


def test_a_ruleset_says_what_to_know_before_players_come_from_outside(far: Far) -> None:
    lines = {line["name"]: line["cautions"] for line in far.get("/v1/rulesets", far.host)["rulesets"]}
    (caution,) = lines["mafia"]
    assert (caution["option"], caution["value"]) == ("night_seconds", 0)
    assert lines["tabletop"] == lines["delegation"] == []
    for options, agents, told in (
        ({}, {"Ada": "outside"}, [caution["says"]]),
        ({"night_seconds": 60}, {"Ada": "outside"}, []),
        ({}, {"narrator": "outside"}, []),
    ):
        body = {"ruleset": "mafia", "names": list(PLAYERS), "agents": agents, "options": options}
        opened = far.ask("POST", "/v1/games", far.host, body).json()
        assert opened["cautions"] == told
        fork = far.ask("POST", f"/v1/games/{opened['game']}/fork", token_of(opened["links"]["keeper"]), {})
        assert fork.json()["cautions"] == told
