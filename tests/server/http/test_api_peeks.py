"""Peeks over HTTP: everyone at a running game is told of copies, auditor's links and new links for seats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from far import PLAYERS, Far, Opened, log_in, token_of

COPIED = "The keeper copied this game. The copy shows all its secrets."
AUDITED = "The keeper made an auditor's link. It shows all secrets of this game."


@pytest.fixture(scope="module")
def far(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Far]:
    with Far(log_in(tmp_path_factory.mktemp("far"))) as server:
        yield server


def opened(far: Far, **options: Any) -> Opened:
    return far.open(names=list(PLAYERS), agent="outside", options=options)


def told(far: Far, one: Opened, token: str) -> list[str]:
    """What that chair was told of peeks, as its view has it."""
    entries = far.get(f"/v1/games/{one.game}/view", token, limit=1000)["entries"]
    kinds = ("core.game-copied.v1", "core.auditor-link-issued.v1", "core.seat-link-issued.v1")
    return ["".join(map(_run, entry["piece"]["lead"])) for entry in entries if entry["name"] in kinds]


def _run(run: Any) -> str:
    return run if isinstance(run, str) else run["name"]


def test_every_chair_is_told_of_every_peek(far: Far) -> None:
    one = opened(far)
    path = f"/v1/games/{one.game}"
    with far.stream(one.game, one.spectator) as frames:
        fork = far.ask("POST", f"{path}/fork", one.keeper, {})
        assert fork.status_code == 201
        leads = ["".join(map(_run, frame.data["piece"]["lead"])) for frame in (next(frames), next(frames))]
        assert leads[-1] == COPIED, "the opening, and the copy at once"
    auditor = far.issue(one.game, one.keeper, "auditor")
    bram = far.issue(one.game, one.keeper, "seat", "Bram")
    seats = {**one.seats, "Bram": bram}
    for seat, token in seats.items():
        whose, sees, can = ("your", "you see", "you") if seat == "Bram" else ("Bram's", "Bram sees", "Bram")
        new = f"The keeper made a new link for {whose} seat. It shows what {sees} and can answer for {can}."
        assert told(far, one, token) == [COPIED, AUDITED, new]
    assert len(told(far, one, one.spectator)) == len(told(far, one, one.keeper)) == 3
    receipts = far.get(f"{path}/receipts", auditor, limit=1000)["receipts"]
    assert [row["data"]["fork"] for row in receipts if row["name"] == "core.forked.v1"] == [fork.json()["game"]]
    assert fork.json()["game"] not in far.ask("GET", f"{path}/view", seats["Ada"]).text


def test_the_copy_says_nothing_of_itself_and_tells_of_peeks_at_it(far: Far) -> None:
    one = opened(far)
    links = far.ask("POST", f"/v1/games/{one.game}/fork", one.keeper, {}).json()
    copy = Opened(links["game"], token_of(links["links"]["keeper"]), token_of(links["links"]["spectator"]), {})
    assert told(far, copy, copy.spectator) == []
    far.issue(copy.game, copy.keeper, "auditor")
    assert told(far, copy, copy.spectator) == [AUDITED]
    assert told(far, one, one.spectator) == [COPIED]


def test_a_blind_keeper_is_refused_in_one_problem_document(far: Far) -> None:
    one = opened(far, keeper="blind")
    path = f"/v1/games/{one.game}"
    assert far.get(path, one.spectator)["options"]["keeper"] == "blind"
    before = far.get(f"{path}/links", one.keeper)
    for place, body in (("fork", {}), ("links", {"kind": "auditor"})):
        refused = far.ask("POST", f"{path}/{place}", one.keeper, body)
        assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")
        assert refused.json() == {
            "type": "/problems/refused",
            "title": "Refused",
            "status": 422,
            "detail": "This game was created with keeper=blind. It can be forked and audited only after it ends.",
        }
    assert far.get(f"{path}/links", one.keeper) == before
    assert told(far, one, one.spectator) == []
    assert far.issue(one.game, one.keeper, "seat", "Ada")
    assert len(told(far, one, one.spectator)) == 1


def test_a_blind_game_that_is_over_is_open_to_all(far: Far) -> None:
    one = far.open(names=list(PLAYERS), agent="random", options={"keeper": "blind", "max_speeches": 0})
    with far.stream(one.game, one.spectator) as frames:
        for _ in frames:
            pass
    assert far.issue(one.game, one.keeper, "auditor")
    assert far.ask("POST", f"/v1/games/{one.game}/fork", one.keeper, {"at": 2}).status_code == 201
    assert told(far, one, one.spectator) == []


def test_a_host_gives_no_seed_to_a_blind_game(far: Far) -> None:
    body = {"ruleset": "mafia", "names": list(PLAYERS), "seed": "7", "options": {"keeper": "blind"}}
    refused = far.ask("POST", "/v1/games", far.host, body)
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/invalid")
    assert refused.json()["detail"].startswith("seed: leave it out with keeper=blind")


def test_a_fork_at_the_command_line_is_told_at_the_server(tmp_path: Path) -> None:
    with Far(log_in(tmp_path)) as far:
        one, blind = opened(far), opened(far, keeper="blind")
        with far.stream(one.game, one.seats["Ada"]) as frames:
            said = far.cli("fork", one.game, "--at", end(far, one))
            assert "All players of the old game see this." in said.out
            copied = next(frame.data for frame in frames if frame.data["name"] == "core.game-copied.v1")
        assert copied["piece"]["lead"] == [
            "Someone with access to the database copied this game. The copy shows all its secrets."
        ]
        refused = far.cli("fork", blind.game, "--at", end(far, blind))
        assert (refused.code, refused.out) == (1, "")
        assert "created with keeper=blind" in refused.err
        assert refused.err.count("\n") == 1


def end(far: Far, one: Opened) -> int:
    """The position of the game's last event."""
    head = far.games.log.head(one.game)
    assert head is not None
    return head.length
