"""Whole games of every ruleset that ships, opened and played over HTTP beside house players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from guests import GROUPS, seat_guest
from remote import CAMPAIGN, EXAMPLES, PLAYERS, Opened, RemoteServer, log_in, places_in, token_of

from sottovoce import Choices, Opening, ProjectionExtras, ServerExtras, Setup, UnknownName, choice, place


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    folder = tmp_path_factory.mktemp("far")
    with RemoteServer(log_in(folder), places_in(folder)) as server:
        yield server


def watched(remote: RemoteServer, one: Opened) -> list[Any]:
    """All that the public sees, to the end."""
    with remote.stream(one.game, one.spectator) as frames:
        found = list(frames)
    assert (found[-1].event, found[-1].data) == ("end", {"why": "over"})
    return [frame.data for frame in found[:-1]]


@pytest.mark.parametrize(
    "wanted",
    [
        {"ruleset": "mafia", "names": list(PLAYERS)},
        {"ruleset": "tabletop", "campaign": CAMPAIGN},
        {"ruleset": "delegation", "setup": {"folder": "paper"}},
    ],
    ids=lambda wanted: wanted["ruleset"],
)
def test_a_game_of_each_ruleset_is_opened_and_played_to_its_end(remote: RemoteServer, wanted: dict[str, Any]) -> None:
    one = remote.open(**wanted, seed="4")
    seen = watched(remote, one)
    assert [entry["seq"] for entry in seen] == list(range(1, len(seen) + 1))
    shown = remote.get(f"/v1/games/{one.game}", one.keeper)
    assert (shown["status"], shown["ruleset"]) == ("over", wanted["ruleset"])
    layouts = {"mafia": "table", "tabletop": "story", "delegation": "board"}
    assert remote.get(f"/v1/games/{one.game}/replay", one.spectator)["layout"] == layouts[wanted["ruleset"]]
    auditor = remote.issue(one.game, one.keeper, "auditor")
    assert remote.get(f"/v1/games/{one.game}/audit/verify", auditor)["ok"]
    found = remote.get(f"/v1/games/{one.game}/audit/leaks", auditor)["findings"]
    assert [finding for finding in found if finding["severity"] != "note"] == []


def test_documents_are_read_as_a_seat_may_read_them(remote: RemoteServer) -> None:
    one = remote.open(ruleset="tabletop", campaign=CAMPAIGN, seed="4")
    watched(remote, one)
    seats = remote.get(f"/v1/games/{one.game}", one.keeper)["seats"]
    gm, character = (remote.issue(one.game, one.keeper, "seat", seat) for seat in ("gm", seats[-1]))
    path = f"/v1/games/{one.game}/documents"
    texts = {}
    for name, token in (("gm", gm), ("character", character)):
        listed = remote.get(path, token)["documents"]
        texts[name] = {item["path"]: remote.ask("GET", f"{path}/{item['path']}", token).content for item in listed}
        assert {item["path"]: item["bytes"] for item in listed} == {at: len(text) for at, text in texts[name].items()}
    assert texts["gm"] != texts["character"]
    hidden = sorted(set(texts["gm"]) - set(texts["character"]))
    for at in hidden[:3]:
        assert remote.ask("GET", f"{path}/{at}", character).status_code == 404


def test_only_what_the_settings_name_can_be_chosen(remote: RemoteServer) -> None:
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
        answer = remote.ask("POST", "/v1/games", remote.host, {"ruleset": "mafia", **wanted})
        assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid"), (wanted, answer.text)
        assert str(remote.settings.places["folder"]["paper"]) not in answer.text
        assert str(EXAMPLES) not in answer.text


def test_a_host_is_told_what_may_be_chosen_in_a_campaign_and_in_a_folder(remote: RemoteServer) -> None:
    path = f"/v1/rulesets/tabletop/places/{CAMPAIGN}"
    plain = remote.get(path, remote.host)
    assert (plain["seats"][0], plain["people"], sorted(plain["choices"])) == (
        "gm",
        [],
        ["character", "characters", "edition"],
    )
    characters = plain["choices"]["character"]
    assert set(characters) < set(plain["seats"])
    assert "current" in plain["choices"]["edition"]
    second = characters[1]
    played = remote.get(path, remote.host, character=second)
    assert sorted(set(played["seats"]) - set(plain["seats"])) == played["people"] == ["human"]
    one = remote.open(ruleset="tabletop", campaign=CAMPAIGN, character=second, agent="outside")
    assert remote.get(f"/v1/games/{one.game}", one.keeper)["seats"] == played["seats"]
    work = remote.get("/v1/rulesets/delegation/places/paper", remote.host)
    task = work["choices"]["task"][0]
    assert remote.get("/v1/rulesets/delegation/places/paper", remote.host, task=task)["seats"] == work["seats"]
    for asked, status in (
        ("tabletop/places/nowhere", 422),
        ("delegation/places/paper?task=../../x", 422),
        (f"tabletop/places/{CAMPAIGN}?character=nobody", 422),
        (f"tabletop/places/{CAMPAIGN}?task=nothing", 422),
        (f"tabletop/places/{CAMPAIGN}?character={'x' * 101}", 422),
        ("mafia/places/paper", 404),
        ("nosuch/places/paper", 404),
    ):
        answer = remote.ask("GET", f"/v1/rulesets/{asked}", remote.host)
        assert answer.status_code == status, (asked, answer.text)
        assert str(EXAMPLES) not in answer.text
        assert str(remote.settings.places["folder"]["paper"]) not in answer.text


def test_the_list_tells_where_games_stand_as_everybody_may_know_it(remote: RemoteServer) -> None:
    one = remote.open(names=list(PLAYERS), agent="outside", seed="4")
    over = remote.open(names=[*PLAYERS[:-1], "Zoe"], seed="5")
    watched(remote, over)

    def listed(token: str, **asked: Any) -> dict[str, Any]:
        return {line["game"]: line for line in remote.get("/v1/games", token, standing="true", **asked)["games"]}

    lines = listed(remote.host)
    shown = remote.get(f"/v1/games/{one.game}", one.spectator)
    assert {key: lines[one.game][key] for key in ("seats", "phase", "waiting_for")} == {
        key: shown[key] for key in ("seats", "phase", "waiting_for")
    }
    assert lines[one.game]["waiting_for"]
    assert lines[over.game]["seats"] == [*PLAYERS[:-1], "Zoe", "narrator"]
    assert (lines[over.game]["phase"], lines[over.game]["waiting_for"]) == ("", [])
    assert {**listed(one.seats[PLAYERS[0]])[one.game], "own": None, "awaited": False} == lines[one.game]
    assert "seats" not in remote.get("/v1/games", remote.host)["games"][0]
    remote.ask("POST", f"/v1/games/{one.game}/hold", one.keeper)
    assert listed(remote.host)[one.game]["waiting_for"] == ["the keeper"]
    assert list(listed(remote.host, search="Zoe")) == [over.game]
    assert list(listed(remote.host, search=one.game)) == [one.game]
    assert listed(remote.host, search="Zo") == {}
    assert list(listed(over.keeper, search="Zoe")) == [over.game]
    assert listed(over.keeper, search="nobody") == {}


def test_a_keeper_holds_goes_on_fills_and_forks(remote: RemoteServer) -> None:
    one = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, seed="4")
    path = f"/v1/games/{one.game}"
    remote.get(f"{path}/turns", one.seats["Ada"], wait=45)
    held = remote.ask("POST", f"{path}/hold", one.keeper)
    assert held.json() == {"game": one.game, "status": "held"}
    assert remote.get(path, one.spectator)["waiting_for"] == ["the keeper"]
    fork = remote.ask("POST", f"{path}/fork", one.keeper, {"at": 1})
    assert fork.status_code == 201
    assert list(fork.json()["links"]["seats"]) == ["Ada"]
    assert remote.ask("POST", f"{path}/fork", one.keeper, {"at": 100_000}).status_code == 422
    assert remote.ask("PUT", f"{path}/seats/Nobody", one.keeper, {"agent": "house"}).status_code == 422
    assert remote.ask("PUT", f"{path}/seats/Ada", one.keeper, {"agent": "files:/tmp"}).status_code == 422
    gone_on = remote.ask("PUT", f"{path}/seats/Ada", one.keeper, {"agent": "house"})
    assert gone_on.json()["status"] in ("open", "over")
    watched(remote, one)
    over = remote.ask("POST", f"{path}/hold", one.keeper)
    assert (over.status_code, over.json()["type"]) == (409, "/problems/closed")


def test_a_host_pages_all_games_newest_first(remote: RemoteServer) -> None:
    made = [remote.open(names=list(PLAYERS), agent="outside").game for _ in range(3)]
    listed: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = remote.get("/v1/games", remote.host, limit=2, **after)
        listed += [one["game"] for one in page["games"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert listed[:3] == made[::-1]
    assert len(listed) == len(set(listed))
    assert {one["ruleset"] for one in remote.get("/v1/games", remote.host, ruleset="tabletop")["games"]} <= {"tabletop"}
    assert remote.ask("GET", "/v1/games", remote.host, after="nosuch").status_code == 404


def read(folder: Path) -> tuple[str, ...]:
    """The players of a game that is opened with a folder: one for each of its tasks."""
    if folder.name == "nothing":
        raise UnknownName(f"{folder} holds no tasks.")
    return tuple(path.stem.title().replace("-", "") for path in sorted((folder / "tasks").glob("*.md")))


class QuizSetup(Setup):
    """Reads a folder of tasks."""

    folder: Path = place("folders", "Folder with a task for each player.", offers="Folder of tasks.")
    highest: int = choice("The highest number.", default=9)


@contextmanager
def load(setup: QuizSetup, options: Mapping[str, Any]) -> Iterator[Opening]:
    yield Opening(read(setup.folder), {"highest": setup.highest, **options}, {})


def preview(setup: QuizSetup) -> Choices:
    return Choices(read(setup.folder), {"highest": ["9", "99"]})


def test_a_ruleset_from_outside_is_opened_with_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seat_guest(monkeypatch, "guessing")
    extras = ServerExtras(setup=QuizSetup, load=load, preview=preview)
    monkeypatch.setitem(GROUPS["sottovoce.server"], "guessing", extras)
    monkeypatch.setitem(GROUPS["sottovoce.projections"], "guessing", ProjectionExtras(layout="board"))
    with RemoteServer(log_in(tmp_path), places_in(tmp_path)) as remote:
        told = remote.get("/v1/rulesets", remote.host)
        line = next(one for one in told["rulesets"] if one["name"] == "guessing")
        fields = line["setup"]["properties"]
        assert (line["needs"], told["places"]["folder"]) == ("folder", ["paper"])
        assert [(name, field["description"], "place" in field) for name, field in fields.items()] == [
            ("folder", "Folder with a task for each player.", True),
            ("highest", "The highest number.", False),
        ]
        seats = remote.get("/v1/rulesets/guessing/places/paper", remote.host)["seats"]
        assert seats == ["keeper", "CouncilMinutes", "SpringFair"]
        one = remote.open(ruleset="guessing", folder="paper", options={"rounds": 1})
        watched(remote, one)
        assert remote.get(f"/v1/games/{one.game}/replay", one.spectator)["layout"] == "board"
        shown = remote.get(f"/v1/games/{one.game}", one.keeper)
        assert (shown["seats"], shown["options"]["highest"], shown["options"]["rounds"]) == (seats, 9, 1)
        other = remote.open(ruleset="guessing", setup={"folder": "paper", "highest": 12}, options={"rounds": 1})
        assert remote.get(f"/v1/games/{other.game}", other.keeper)["options"]["highest"] == 12
        body = {"ruleset": "guessing", "setup": {"folder": "paper", "highest": "many"}}
        refused = remote.ask("POST", "/v1/games", remote.host, body).json()["detail"]
        assert refused.startswith("highest: input should be a valid integer")


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        (
            {"setup": {"campaign": 3}},
            f"campaign: a game of tabletop needs a campaign that this server offers: {CAMPAIGN}.",
        ),
        ({"setup": {"campaign": CAMPAIGN, "foo": 1}}, "foo: a game of tabletop has no foo. Leave it out."),
        ({"setup": {"campaign": CAMPAIGN, "task": "x"}}, "task: a game of tabletop has no task. Leave it out."),
        ({"campaign": CAMPAIGN, "character": "y" * 101}, "character: string should have at most 100 characters."),
        ({"campaign": CAMPAIGN, "character": ["y"]}, "character: input should be a valid string."),
        ({"campaign": CAMPAIGN, "character": "nobody"}, "character: there is no character 'nobody'."),
        ({"campaign": CAMPAIGN, "edition": "x"}, "edition: there is no edition 'x'."),
        ({"setup": []}, "setup: Input should be a valid dictionary."),
    ],
)
def test_what_is_wrong_with_a_setup_is_said_at_its_field(
    remote: RemoteServer, given: dict[str, Any], detail: str
) -> None:
    answer = remote.ask("POST", "/v1/games", remote.host, {"ruleset": "tabletop", **given})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(detail)


def test_a_ruleset_says_what_to_know_before_players_come_from_outside(remote: RemoteServer) -> None:
    lines = {line["name"]: line["cautions"] for line in remote.get("/v1/rulesets", remote.host)["rulesets"]}
    (caution,) = lines["mafia"]
    assert (caution["option"], caution["value"]) == ("night_seconds", 0)
    assert lines["tabletop"] == lines["delegation"] == []
    for options, agents, told in (
        ({}, {"Ada": "outside"}, [caution["says"]]),
        ({"night_seconds": 60}, {"Ada": "outside"}, []),
        ({}, {"narrator": "outside"}, []),
    ):
        body = {"ruleset": "mafia", "names": list(PLAYERS), "agents": agents, "options": options}
        opened = remote.ask("POST", "/v1/games", remote.host, body).json()
        assert opened["cautions"] == told
        fork = remote.ask("POST", f"/v1/games/{opened['game']}/fork", token_of(opened["links"]["keeper"]), {})
        assert fork.json()["cautions"] == told
