"""Peeks over HTTP: everyone at a running game is told of copies, auditor's links and new links for seats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from remote import PLAYERS, Opened, RemoteServer, log_in, token_of

COPIED = "The keeper copied this game. The copy shows all its secrets."
AUDITED = "The keeper made an auditor's link. It shows all secrets of this game."


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    with RemoteServer(log_in(tmp_path_factory.mktemp("far"))) as server:
        yield server


def opened(remote: RemoteServer, **options: Any) -> Opened:
    return remote.open(names=list(PLAYERS), agent="outside", options=options)


def told(remote: RemoteServer, one: Opened, token: str) -> list[str]:
    """What that chair was told of peeks, as its view has it."""
    entries = remote.get(f"/v1/games/{one.game}/view", token, limit=1000)["entries"]
    kinds = ("core.game-copied.v1", "core.auditor-link-issued.v1", "core.seat-link-issued.v1")
    return ["".join(map(_run, entry["piece"]["lead"])) for entry in entries if entry["name"] in kinds]


def _run(run: Any) -> str:
    return run if isinstance(run, str) else run["name"]


def test_every_chair_is_told_of_every_peek(remote: RemoteServer) -> None:
    one = opened(remote)
    path = f"/v1/games/{one.game}"
    with remote.stream(one.game, one.spectator) as frames:
        fork = remote.ask("POST", f"{path}/fork", one.keeper, {})
        assert fork.status_code == 201
        leads = ["".join(map(_run, frame.data["piece"]["lead"])) for frame in (next(frames), next(frames))]
        assert leads[-1] == COPIED, "the opening, and the copy at once"
    auditor = remote.issue(one.game, one.keeper, "auditor")
    bram = remote.issue(one.game, one.keeper, "seat", "Bram")
    seats = {**one.seats, "Bram": bram}
    for seat, token in seats.items():
        whose, sees, can = ("your", "you see", "you") if seat == "Bram" else ("Bram's", "Bram sees", "Bram")
        new = f"The keeper made a new link for {whose} seat. It shows what {sees} and can answer for {can}."
        assert told(remote, one, token) == [COPIED, AUDITED, new]
    assert len(told(remote, one, one.spectator)) == len(told(remote, one, one.keeper)) == 3
    receipts = remote.get(f"{path}/receipts", auditor, limit=1000)["receipts"]
    assert [row["data"]["fork"] for row in receipts if row["name"] == "core.forked.v1"] == [fork.json()["game"]]
    assert fork.json()["game"] not in remote.ask("GET", f"{path}/view", seats["Ada"]).text


def test_the_copy_says_nothing_of_itself_and_tells_of_peeks_at_it(remote: RemoteServer) -> None:
    one = opened(remote)
    links = remote.ask("POST", f"/v1/games/{one.game}/fork", one.keeper, {}).json()
    copy = Opened(links["game"], token_of(links["links"]["keeper"]), token_of(links["links"]["spectator"]), {})
    assert told(remote, copy, copy.spectator) == []
    remote.issue(copy.game, copy.keeper, "auditor")
    assert told(remote, copy, copy.spectator) == [AUDITED]
    assert told(remote, one, one.spectator) == [COPIED]


def test_a_blind_keeper_is_refused_in_one_problem_document(remote: RemoteServer) -> None:
    one = opened(remote, keeper="blind")
    path = f"/v1/games/{one.game}"
    assert remote.get(path, one.spectator)["options"]["keeper"] == "blind"
    before = remote.get(f"{path}/links", one.keeper)
    for place, body in (("fork", {}), ("links", {"kind": "auditor"})):
        refused = remote.ask("POST", f"{path}/{place}", one.keeper, body)
        assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
        assert refused.json() == {
            "type": "/problems/refused",
            "title": "Refused",
            "status": 422,
            "detail": "This game was created with keeper=blind. It can be forked and audited only after it ends.",
        }
    assert remote.get(f"{path}/links", one.keeper) == before
    assert told(remote, one, one.spectator) == []
    assert remote.issue(one.game, one.keeper, "seat", "Ada")
    assert len(told(remote, one, one.spectator)) == 1


def test_a_blind_game_that_is_over_is_open_to_all(remote: RemoteServer) -> None:
    one = remote.open(names=list(PLAYERS), agent="random", options={"keeper": "blind", "max_speeches": 0})
    with remote.stream(one.game, one.spectator) as frames:
        for _ in frames:
            pass
    assert remote.issue(one.game, one.keeper, "auditor")
    assert remote.ask("POST", f"/v1/games/{one.game}/fork", one.keeper, {"at": 2}).status_code == 201
    assert told(remote, one, one.spectator) == []


def test_a_host_gives_no_seed_to_a_blind_game(remote: RemoteServer) -> None:
    body = {"ruleset": "mafia", "names": list(PLAYERS), "seed": "7", "options": {"keeper": "blind"}}
    refused = remote.ask("POST", "/v1/games", remote.host, body)
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/invalid")
    assert refused.json()["detail"].startswith("seed: leave it out with keeper=blind")


def test_a_fork_at_the_command_line_is_told_at_the_server(tmp_path: Path) -> None:
    with RemoteServer(log_in(tmp_path)) as remote:
        one, blind = opened(remote), opened(remote, keeper="blind")
        with remote.stream(one.game, one.seats["Ada"]) as frames:
            said = remote.cli("fork", one.game, "--at", end(remote, one))
            assert "All players of the old game see this." in said.out
            copied = next(frame.data for frame in frames if frame.data["name"] == "core.game-copied.v1")
        assert copied["piece"]["lead"] == [
            "Someone with access to the database copied this game. The copy shows all its secrets."
        ]
        refused = remote.cli("fork", blind.game, "--at", end(remote, blind))
        assert (refused.code, refused.out) == (1, "")
        assert "created with keeper=blind" in refused.err
        assert refused.err.count("\n") == 1


def end(remote: RemoteServer, one: Opened) -> int:
    """The position of the game's last event."""
    head = remote.games.log.head(one.game)
    assert head is not None
    return head.length
