"""Whole games over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from remote import PLAYERS, RemoteServer, log_in


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    with RemoteServer(log_in(tmp_path_factory.mktemp("far"))) as server:
        yield server


def test_a_game_is_opened_looked_at_and_answered(remote: RemoteServer) -> None:
    one = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, seed="7")
    assert list(one.seats) == ["Ada"]
    ada = one.seats["Ada"]
    told = remote.get("/v1/link", ada)
    assert told == {"kind": "seat", "game": one.game, "seat": "Ada", "ruleset": "mafia", "claimed": None, "again": None}
    since = 0
    replies = 0
    seen = []
    while True:
        inbox = remote.get(f"/v1/games/{one.game}/turns", ada, since=since, wait=20)
        seen += inbox["entries"]
        since = inbox["seq"]
        for turn in inbox["turns"]:
            text = turn["choices"][0] if turn["choices"] else "I have nothing to say."
            answer = remote.ask("POST", f"/v1/games/{one.game}/turns/{turn['turn']}", ada, {"text": text})
            assert answer.status_code == 200, answer.text
            replies += 1
        if inbox["over"]:
            break
    view = remote.get(f"/v1/games/{one.game}/view", ada, limit=1000)
    assert [entry["seq"] for entry in view["entries"]] == list(range(1, view["seq"] + 1))
    assert view["over"]
    assert view["next"] is None
    with remote.stream(one.game, ada) as frames:
        streamed = list(frames)
    assert [frame.data for frame in streamed[:-1]] == view["entries"]
    assert (streamed[-1].event, streamed[-1].data) == ("end", {"why": "over"})
    assert replies
