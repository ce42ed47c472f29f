"""Turns over HTTP: replies are taken once whatever is repeated, and refused in the command line's words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from remote import PLAYERS, Opened, RemoteServer, bounded, log_in

from sottovoce.domain.events import MessageRefused
from sottovoce.eventlog import open_log
from sottovoce.server.http.settings import Settings


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    with RemoteServer(log_in(tmp_path_factory.mktemp("far")), plays=False) as server:
        yield server


def asked_first(remote: RemoteServer, **more: Any) -> tuple[Opened, str, int]:
    """A game of outside seats, with the seat that is asked first, and its turn."""
    one = remote.open(names=list(PLAYERS), agent="outside", seed="3", **more)
    for seat, token in one.seats.items():
        turns = remote.get(f"/v1/games/{one.game}/turns", token)["turns"]
        if turns:
            return one, seat, turns[0]["turn"]
    raise AssertionError("nobody is asked")


def reply(
    remote: RemoteServer, one: Opened, seat: str, turn: int, text: str, key: str | None = None
) -> httpx2.Response:
    headers = {} if key is None else {"idempotency-key": key}
    return remote.ask("POST", f"/v1/games/{one.game}/turns/{turn}", one.seats[seat], {"text": text}, headers)


def events(remote: RemoteServer, one: Opened) -> int:
    log = open_log(remote.url)
    try:
        head = log.head(one.game)
        assert head is not None
        return head.length
    finally:
        log.close()


def test_a_repeated_key_gets_the_first_answer_and_changes_nothing(remote: RemoteServer) -> None:
    one, seat, turn = asked_first(remote)
    first = reply(remote, one, seat, turn, "Night falls.", "a")
    assert first.status_code == 200
    assert first.json() | {"seq": 0} == {"accepted": True, "repeated": False, "seq": 0}
    length = events(remote, one)
    for text in ("Night falls.", "Something else."):
        again = reply(remote, one, seat, turn, text, "a")
        assert (again.status_code, again.content) == (first.status_code, first.content)
    assert events(remote, one) == length


def test_thoughts_and_notes_are_sent_beside_a_reply(remote: RemoteServer) -> None:
    """Notes come back to their seat alone, thoughts and beliefs to auditors alone, and none of it twice."""
    one, seat, turn = asked_first(remote)
    body = {
        "text": "Night falls.",
        "thoughts": "zqthought: they are all so calm.",
        "beliefs": [{"player": PLAYERS[1], "percent": 75}, "nonsense"],
        "notes": "zqnote: watch the calm ones.",
    }
    path, key = f"/v1/games/{one.game}/turns/{turn}", {"idempotency-key": "a"}
    for _ in range(2):
        assert remote.ask("POST", path, one.seats[seat], body, key).status_code == 200
    auditor = remote.issue(one.game, one.keeper, "auditor")
    rows = remote.get(f"/v1/games/{one.game}/receipts", auditor, limit=1000)["receipts"]
    minds = [row for row in rows if "mind" in row["data"]]
    believed = {PLAYERS[1]: 1.1} if seat in PLAYERS and seat != PLAYERS[1] else {}
    assert [(row["seat"], row["data"]["mind"]) for row in minds] == [
        (seat, {"thoughts": body["thoughts"], "suspicion": believed})
    ]
    events = remote.get(f"/v1/games/{one.game}/export", auditor, limit=1000)["events"]
    noted = [item for item in events if item["name"] == "core.notes-kept.v1"]
    assert [(item["audience"], item["data"]) for item in noted] == [([seat], {"seat": seat, "text": body["notes"]})]
    for name, token in one.seats.items():
        told = json.dumps(remote.get(f"/v1/games/{one.game}/turns", token, since=0))
        assert "zqthought" not in told
        assert ("zqnote" in told) == (name == seat)


def test_the_same_text_without_its_key_is_repeated(remote: RemoteServer) -> None:
    one, seat, turn = asked_first(remote)
    first = reply(remote, one, seat, turn, "Night falls.").json()
    length = events(remote, one)
    assert reply(remote, one, seat, turn, "Night falls.").json() == {**first, "repeated": True}
    assert reply(remote, one, seat, turn, "Night falls.", "b").json() == {**first, "repeated": True}
    assert events(remote, one) == length


def test_the_same_text_sent_at_once_is_taken_once(remote: RemoteServer) -> None:
    """By one server and by two, with keys and without."""
    with RemoteServer(remote.url, plays=False) as other, ThreadPoolExecutor(6) as pool:
        for servers, keys in (((remote, remote, remote), ("", "", "")), ((remote, other, remote), ("", "a", "b"))):
            for _ in range(4):
                one, seat, turn = asked_first(remote)
                pairs = zip(servers, keys, strict=True)
                sent = [pool.submit(reply, server, one, seat, turn, "Night falls.", key) for server, key in pairs]
                answers = [done.result().json() for done in sent]
                assert sorted(answer["repeated"] for answer in answers) == [False, True, True], answers
                assert len({answer["seq"] for answer in answers}) == 1
                length = events(remote, one)
                again = [reply(server, one, seat, turn, "Night falls.", "c").json() for server in servers]
                assert again == [{**answers[0], "repeated": True}] * 3
                assert events(remote, one) == length
                log = open_log(remote.url)
                assert not any(isinstance(item.event, MessageRefused) for item in log.read(one.game))
                log.close()


def test_a_refusal_under_a_key_is_counted_once(remote: RemoteServer) -> None:
    one, seat, turn = asked_first(remote)
    first = reply(remote, one, seat, turn, "x" * 70_000, "a")
    assert (first.status_code, first.json()["type"]) == (422, "/problems/refused")
    assert first.json()["detail"] == "Your text has 70000 characters; send at most 65536."
    length = events(remote, one)
    again = reply(remote, one, seat, turn, "x" * 70_000, "a")
    assert (again.status_code, again.content) == (422, first.content)
    assert events(remote, one) == length
    assert reply(remote, one, seat, turn, "x" * 70_000, "b").status_code == 422
    assert events(remote, one) > length


def test_a_key_is_remembered_by_another_server_on_the_same_log(remote: RemoteServer) -> None:
    one, seat, turn = asked_first(remote)
    first = reply(remote, one, seat, turn, "Night falls.", "a")
    length = events(remote, one)
    with RemoteServer(remote.url, plays=False) as other:
        again = reply(other, one, seat, turn, "Night falls.", "a")
        assert again.content == first.content
    assert events(remote, one) == length


def test_one_key_sent_to_two_servers_at_once_is_one_message(remote: RemoteServer) -> None:
    with RemoteServer(remote.url, plays=False) as other, ThreadPoolExecutor(8) as pool:
        for number in range(5):
            one, seat, turn = asked_first(remote)
            length = events(remote, one)
            sent = [
                pool.submit(reply, server, one, seat, turn, "x" * 66_000, str(number))
                for server in (remote, other, remote, other)
            ]
            answers = {(done.result().status_code, done.result().content) for done in sent}
            assert len(answers) == 1
            assert events(remote, one) == length + 1


def test_a_turn_that_is_closed_is_a_conflict_and_one_that_never_was_a_refusal(remote: RemoteServer) -> None:
    one, seat, turn = asked_first(remote)
    assert reply(remote, one, seat, turn, "Night falls.").status_code == 200
    closed = reply(remote, one, seat, turn, "Day breaks.")
    assert (closed.status_code, closed.json()["type"]) == (409, "/problems/closed")
    assert closed.json()["detail"] == f"Turn {turn} is closed."
    never = reply(remote, one, seat, 99, "Day breaks.")
    assert (never.status_code, never.json()["type"]) == (422, "/problems/refused")
    assert never.json()["detail"] == "You have no turn 99."


def test_what_the_rules_refuse_is_said_as_the_command_line_says_it(remote: RemoteServer) -> None:
    one, seat, _ = asked_first(remote)
    answer = remote.ask("POST", f"/v1/games/{one.game}/messages", one.seats[seat], {"text": "Psst."})
    assert (answer.status_code, answer.json()["type"]) == (422, "/problems/refused")
    said = remote.cli("send", one.game, "--as", seat, stdin="Psst.")
    assert said.code == 1
    assert said.err.strip().endswith(f"Refused: {answer.json()['detail']}")


def test_turns_are_what_inbox_prints_and_are_receipted_before_they_leave(remote: RemoteServer) -> None:
    one, seat, turn = asked_first(remote)
    told = remote.get(f"/v1/games/{one.game}/turns", one.seats[seat], since=1)
    said = remote.cli("inbox", one.game, "--as", seat, "--since", "1", "--json")
    assert json.loads(said.out) == told
    log = open_log(remote.url)
    try:
        receipts = [item for item in log.receipts(one.game, seat) if item.data.get("by") == "http"]
    finally:
        log.close()
    # The entries were handed over with the first look; of the second they are counted.
    assert [(item.data["turn"], item.data["from"], item.data["to"]) for item in receipts[-2:]] == [
        (turn, 1, told["seq"]),
        (None, 1, told["seq"]),
    ]
    assert receipts[-2].blocks


def test_a_wait_ends_with_news_and_with_the_link(remote: RemoteServer) -> None:
    one, seat, turn = asked_first(remote)
    other = next(name for name in one.seats if name != seat)
    path = f"/v1/games/{one.game}/turns"
    seq = remote.get(path, one.seats[other])["seq"]
    with ThreadPoolExecutor(2) as pool:
        waiting = pool.submit(remote.get, path, one.seats[other], since=seq, wait=45)
        while reply(remote, one, seat, turn, "Night falls.").status_code == 200:
            turns = remote.get(path, one.seats[seat])["turns"]
            if waiting.done() or not turns:
                break
            turn = turns[0]["turn"]
        assert waiting.result()["entries"]
        token = one.seats[other]
        now = remote.get(path, token)
        if not now["turns"]:
            hanging = pool.submit(remote.ask, "GET", path, token, since=now["seq"], wait=45)
            remote.issue(one.game, one.keeper, "seat", other)
            assert hanging.result().status_code == 401


def test_replies_a_minute_are_bounded_by_link(tmp_path: Path) -> None:
    settings = Settings(bounds=bounded(replies_per_minute=3), log_requests=False)
    with RemoteServer(log_in(tmp_path), settings, plays=False) as remote:
        one, seat, turn = asked_first(remote)
        answers = [reply(remote, one, seat, turn, "x" * 66_000) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [422, 422, 422, 429]
        assert answers[-1].json()["type"] == "/problems/too-many"
        assert int(answers[-1].headers["retry-after"]) >= 1
        other = next(name for name in one.seats if name != seat)
        assert reply(remote, one, other, 1, "x").status_code != 429


def test_a_key_that_is_known_gets_its_first_answer_beyond_the_limit_too(tmp_path: Path) -> None:
    settings = Settings(bounds=bounded(replies_per_minute=2), log_requests=False)
    with (
        RemoteServer(log_in(tmp_path), settings, plays=False) as remote,
        RemoteServer(remote.url, settings, plays=False) as other,
    ):
        one, seat, turn = asked_first(remote)
        refused = reply(remote, one, seat, turn, "x" * 70_000, "a")
        taken = reply(remote, one, seat, turn, "Night falls.", "b")
        assert (refused.status_code, taken.status_code) == (422, 200)
        length = events(remote, one)
        for key in ("c", ""):
            assert reply(remote, one, seat, turn, "Night falls.", key).status_code == 429
        assert [reply(other, one, seat, turn, "Night falls.").status_code for _ in range(3)] == [200, 200, 429]
        for server in (remote, other):
            for key, first in (("a", refused), ("b", taken)):
                again = reply(server, one, seat, turn, "Night falls.", key)
                assert (again.status_code, again.content) == (first.status_code, first.content)
        assert events(remote, one) == length


def test_a_turn_says_its_request_in_parts_and_why_attempts_were_refused(remote: RemoteServer) -> None:
    """What a page asks a person is what stands in the prompt, and no more."""
    one, seat, turn = asked_first(remote)
    path = f"/v1/games/{one.game}/turns"
    asked = remote.get(path, one.seats[seat])["turns"][0]
    assert asked["ask"] in asked["prompt"]
    assert asked["ask"]
    assert asked["context"]
    assert all(line.split("\n")[0] in asked["prompt"] for line in asked["context"])
    assert asked["refused"] == []
    assert asked["options"] == []
    assert reply(remote, one, seat, turn, "x" * 70_000).status_code == 422
    again = remote.get(path, one.seats[seat])["turns"][0]
    assert len(again["refused"]) == 1
    assert again["refused"][0] in again["prompt"]
    assert again["attempts_left"] == asked["attempts_left"] - 1
    assert reply(remote, one, seat, turn, "Night falls.").status_code == 200
    waiting = [remote.get(path, token)["turns"] for token in one.seats.values()]
    assert any(turn["enter"] == "I understand." for turns in waiting for turn in turns)
