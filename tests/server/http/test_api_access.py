"""Who may ask what: every endpoint that the OpenAPI document tells, with every kind of link, and with none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest
from remote import PLAYERS, Opened, RemoteServer, log_in

from sottovoce.server.http.problems import UNKNOWN
from sottovoce.server.links import LinkKind, new_token

HOST, KEEPER, SEAT, SPECTATOR, AUDITOR = "host", "keeper", "seat", "spectator", "auditor"
SEEING = (KEEPER, SEAT, SPECTATOR, AUDITOR)
ALL = (HOST, *SEEING)


@dataclass(frozen=True)
class Row:
    """One endpoint: who may ask, with what, and the answer that they get."""

    method: str
    path: str
    kinds: tuple[str, ...]
    status: int = 200
    body: Any = None
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"


GAME = "/v1/games/{game}"
ROWS = (
    Row("GET", "/health/live", ()),
    Row("GET", "/health/ready", ()),
    Row("GET", "/metrics", ()),
    Row("GET", "/v1/link", ALL),
    Row("POST", "/v1/link/claim", (SEAT,)),
    Row("GET", "/v1/rulesets", (HOST, KEEPER)),
    Row("GET", "/v1/rulesets/{ruleset}/places/{place}", (HOST,), 404),
    Row("GET", "/v1/games", ALL, params={"standing": True}),
    Row("POST", "/v1/games", (HOST,), 201, {"ruleset": "mafia"}),
    Row("GET", GAME, SEEING),
    Row("GET", f"{GAME}/agents", (KEEPER, SEAT, AUDITOR)),
    Row("GET", f"{GAME}/view", SEEING),
    Row("GET", f"{GAME}/replay", SEEING),
    Row("GET", f"{GAME}/stream", SEEING, params={"limit": 1}),
    Row("GET", f"{GAME}/replay", SEEING),
    Row("GET", f"{GAME}/transcript", SEEING),
    Row("GET", f"{GAME}/documents", (SEAT, AUDITOR), 422),
    Row("GET", f"{GAME}/documents/{{path}}", (SEAT, AUDITOR), 422),
    Row("GET", f"{GAME}/turns", (SEAT,)),
    Row("POST", f"{GAME}/turns/{{turn}}", (SEAT,), 422, {"text": "Hello."}),
    Row("POST", f"{GAME}/messages", (SEAT,), 422, {"text": "Hello."}),
    Row("POST", f"{GAME}/hold", (KEEPER,)),
    Row("POST", f"{GAME}/resume", (KEEPER,), body={"agents": {"Bram": "house"}}),
    Row("PUT", f"{GAME}/seats/{{seat}}", (KEEPER,), body={"agent": "random"}),
    Row("POST", f"{GAME}/again", (KEEPER, SEAT), 422),
    Row("POST", f"{GAME}/fork", (KEEPER,), 201, {}),
    Row("GET", f"{GAME}/links", (KEEPER, AUDITOR)),
    Row("POST", f"{GAME}/links", (KEEPER, HOST), 201, {"kind": "seat", "seat": "Cleo"}),
    Row("DELETE", f"{GAME}/links/{{number}}", (KEEPER,), 204),
    Row("GET", f"{GAME}/export", (AUDITOR,)),
    Row("GET", f"{GAME}/receipts", (AUDITOR,)),
    Row("GET", f"{GAME}/audit/who-saw", (AUDITOR,), params={"position": 1}),
    Row("GET", f"{GAME}/audit/saw", (AUDITOR,), params={"seat": "Ada"}),
    Row("GET", f"{GAME}/audit/how", (AUDITOR,), params={"seat": "Ada", "position": 1}),
    Row("GET", f"{GAME}/audit/prompt", (AUDITOR,), 404, params={"seat": "Ada", "turn": 1}),
    Row("GET", f"{GAME}/audit/leaks", (AUDITOR,)),
    Row("GET", f"{GAME}/audit/verify", (AUDITOR,)),
)
GUARDED = tuple(row for row in ROWS if row.kinds)
OF_A_GAME = tuple(row for row in ROWS if "{game}" in row.path)


@dataclass(frozen=True)
class Place:
    """A server with a game that stands still, and another one."""

    remote: RemoteServer
    one: Opened
    other: Opened
    tokens: dict[str, str]

    def ask(self, row: Row, token: str | None, game: str | None = None) -> httpx2.Response:
        values = {
            "game": game or self.one.game,
            "path": "a.md",
            "turn": 1,
            "seat": "Dirk",
            "number": 2,
            "ruleset": "mafia",
            "place": "none",
        }
        return self.remote.ask(row.method, row.path.format(**values), token, row.body, **row.params)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with RemoteServer(log_in(tmp_path_factory.mktemp("far")), plays=False) as remote:
        one, other = (remote.open(names=list(PLAYERS), agents={"Ada": "outside"}) for _ in range(2))
        tokens = {
            HOST: remote.host,
            KEEPER: one.keeper,
            SEAT: one.seats["Ada"],
            SPECTATOR: remote.issue(one.game, one.keeper, SPECTATOR),
            AUDITOR: remote.issue(one.game, one.keeper, AUDITOR),
        }
        yield Place(remote, one, other, tokens)


def sent(answer: httpx2.Response) -> tuple[int, list[tuple[str, str]], bytes]:
    """All of an answer but when it was sent."""
    return (
        answer.status_code,
        sorted((name, text) for name, text in answer.headers.multi_items() if name != "date"),
        answer.content,
    )


def test_every_endpoint_of_the_document_is_listed_here_and_no_other(place: Place) -> None:
    document = place.remote.get("/openapi.json")
    told = {
        f"{method.upper()} {path}": [kind for entry in operation["security"] for kind in entry]
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert told == {row.name: list(row.kinds) for row in ROWS}


@pytest.mark.parametrize("row", GUARDED, ids=lambda row: row.name)
@pytest.mark.parametrize("kind", ALL)
def test_each_kind_of_link_opens_what_it_is_for_and_nothing_else(place: Place, row: Row, kind: str) -> None:
    answer = place.ask(row, place.tokens[kind])
    if kind == HOST and row in OF_A_GAME:  # the host has no seat of their own here
        assert (answer.status_code, answer.json()["detail"]) == (404, UNKNOWN)
    elif kind in row.kinds:
        assert answer.status_code == row.status, answer.text
    else:
        assert (answer.status_code, answer.json()["type"]) == (403, "/problems/forbidden")


@pytest.mark.parametrize("row", GUARDED, ids=lambda row: row.name)
def test_wrong_ended_malformed_and_missing_tokens_are_told_apart_by_nobody(place: Place, row: Row) -> None:
    ended = place.remote.issue(place.one.game, place.one.keeper, SPECTATOR)
    place.tokens[SPECTATOR] = place.remote.issue(place.one.game, place.one.keeper, SPECTATOR)
    wrong = [new_token(kind) for kind in LinkKind]
    answers = [place.ask(row, token) for token in (None, "x", ended, place.remote.host[:-1], *wrong)]
    answers += [
        place.remote.ask(row.method, row.path.replace("{game}", place.one.game), headers={"authorization": "Basic x"})
    ]
    assert {answer.status_code for answer in answers} == {401}
    assert len({str(sent(answer)) for answer in answers}) == 1
    assert answers[0].headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("row", OF_A_GAME, ids=lambda row: row.name)
@pytest.mark.parametrize("kind", ALL)
def test_another_game_and_one_that_is_not_there_are_told_apart_by_nobody(place: Place, row: Row, kind: str) -> None:
    token = place.tokens[kind]
    foreign, nowhere = place.ask(row, token, place.other.game), place.ask(row, token, "nosuchgame")
    assert foreign.status_code == 404
    assert sent(foreign) == sent(nowhere)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_unknown_parameters_and_those_given_twice_are_refused(place: Place, row: Row) -> None:
    token = place.tokens[row.kinds[0]] if row.kinds else None
    values = {
        "game": place.one.game,
        "path": "a.md",
        "turn": 1,
        "seat": "Dirk",
        "number": 2,
        "ruleset": "mafia",
        "place": "none",
    }
    for query in ("colour=red", "&".join(f"{name}={value}&{name}={value}" for name, value in row.params.items())):
        if query:
            answer = place.remote.ask(row.method, f"{row.path.format(**values)}?{query}", token, row.body)
            assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid"), answer.text


@pytest.mark.parametrize("row", [row for row in ROWS if row.body is not None], ids=lambda row: row.name)
def test_unknown_keys_of_a_body_are_refused_and_so_is_what_is_no_json(place: Place, row: Row) -> None:
    token = place.tokens[row.kinds[0]]
    values = {"game": place.one.game, "turn": 1, "seat": "Dirk"}
    answer = place.remote.ask(row.method, row.path.format(**values), token, {**row.body, "colour": "red"})
    assert (answer.status_code, answer.json()["detail"]) == (422, "colour: Extra inputs are not permitted.")
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    for raw in (b"{", b"[]", b'"x"', b"", b"\xff", b'{"text": NaN}'):
        answer = place.remote.http.request(row.method, row.path.format(**values), content=raw, headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid"), (raw, answer.text)


def test_a_method_that_an_address_does_not_take_is_told_all_that_it_takes(place: Place) -> None:
    for path, methods in place.remote.get("/openapi.json")["paths"].items():
        answer = place.remote.ask("PATCH", re.sub(r"\{\w+\}", "1", path))
        allowed = ", ".join(sorted(method.upper() for method in methods))
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed), path
        assert answer.json()["detail"] == f"This address takes {allowed} only."


def test_a_link_that_was_issued_anew_has_ended_at_once_and_its_stream_too(place: Place) -> None:
    remote, one = place.remote, place.remote.open(names=list(PLAYERS), agents={"Ada": "outside"})
    with remote.stream(one.game, one.seats["Ada"]) as frames:
        first = next(frames)
        assert first.id == "1"
        new = remote.issue(one.game, one.keeper, SEAT, "Ada")
        rest = list(frames)
    assert (rest[-1].event, rest[-1].data) == ("end", {"why": "link-ended"})
    assert remote.ask("GET", "/v1/link", one.seats["Ada"]).status_code == 401
    assert remote.get("/v1/link", new)["seat"] == "Ada"


def test_a_keeper_ends_links_but_not_the_one_it_asks_with(place: Place) -> None:
    remote, one = place.remote, place.remote.open(names=list(PLAYERS), agents={"Ada": "outside"})
    listed = remote.get(f"/v1/games/{one.game}/links", one.keeper)["links"]
    assert [(link["kind"], link["seat"]) for link in listed] == [("keeper", None), ("spectator", None), ("seat", "Ada")]
    own = remote.ask("DELETE", f"/v1/games/{one.game}/links/1", one.keeper)
    assert (own.status_code, own.json()["type"]) == (422, "/problems/refused")
    for _ in range(2):
        assert remote.ask("DELETE", f"/v1/games/{one.game}/links/3", one.keeper).status_code == 204
    assert remote.ask("DELETE", f"/v1/games/{one.game}/links/9", one.keeper).status_code == 404
    assert remote.ask("GET", "/v1/link", one.seats["Ada"]).status_code == 401


def test_a_seat_is_claimed_once(place: Place) -> None:
    remote, one = place.remote, place.remote.open(names=list(PLAYERS), agents={"Ada": "outside"})
    ada = one.seats["Ada"]
    first, second = (remote.ask("POST", "/v1/link/claim", ada).json() for _ in range(2))
    assert first == second == remote.get("/v1/link", ada)
    assert first["claimed"] is not None
