"""Turns whose answers have a form of the rules' own: who plays from afar fills in fields, and writes no tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from guests import seat_guest
from patience import PATIENCE
from remote import CAMPAIGN, Opened, RemoteServer, log_in, places_in


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    folder = tmp_path_factory.mktemp("far")
    with RemoteServer(log_in(folder), places_in(folder)) as server:
        yield server


@pytest.fixture(scope="module")
def evening(remote: RemoteServer) -> tuple[Opened, str]:
    """A session of house players, but for one character, who is answered for from outside; and that seat."""
    one = remote.open(ruleset="tabletop", campaign=CAMPAIGN, seed="4")
    seat = remote.get(f"/v1/games/{one.game}", one.keeper)["seats"][-1]
    return remote.open(ruleset="tabletop", campaign=CAMPAIGN, seed="4", agents={seat: "outside"}), seat


def asked(remote: RemoteServer, one: Opened, seat: str) -> dict[str, Any]:
    """The seat's turn, once it has one."""
    turns = remote.get(f"/v1/games/{one.game}/turns", one.seats[seat], wait=min(PATIENCE, 45))["turns"]
    found: dict[str, Any] = turns[0]
    return found


def send(remote: RemoteServer, one: Opened, seat: str, turn: int, key: str = "", **body: Any) -> Any:
    headers = {"idempotency-key": key} if key else {}
    return remote.ask("POST", f"/v1/games/{one.game}/turns/{turn}", one.seats[seat], body, headers)


def filled(turn: dict[str, Any], words: str) -> dict[str, str]:
    """The turn's form with the words in its texts, and the first of what may be chosen."""
    fields = turn["form"]["properties"]
    return {name: field.get("enum", [words])[0] for name, field in fields.items()}


def test_a_character_s_turns_are_answered_in_fields(remote: RemoteServer, evening: tuple[Opened, str]) -> None:
    one, seat = evening
    turn = asked(remote, one, seat)
    assert turn["form"]["type"] == "object"
    assert "_TO_" in turn["how"], "the tags, for those who write the text"
    assert "_TO_" not in turn["ask"]
    sent = send(remote, one, seat, turn["turn"], "a", text=None, fields=filled(turn, "I light the lamp."))
    assert sent.status_code == 200, sent.text
    seen = remote.get(f"/v1/games/{one.game}/view", one.seats[seat])["entries"]
    assert any("I light the lamp." in str(entry["data"]) for entry in seen)
    again = send(remote, one, seat, turn["turn"], "a", fields=filled(turn, "I put the lamp out."))
    assert (again.status_code, again.content) == (200, sent.content), "the key names the answer"
    late = send(remote, one, seat, turn["turn"], "b", fields=filled(turn, "I put the lamp out."))
    assert (late.status_code, late.json()["type"]) == (409, "/problems/closed")


def test_another_server_takes_the_fields_of_a_turn_that_it_has_not_heard_of(
    remote: RemoteServer, evening: tuple[Opened, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, seat = evening
    first = asked(remote, one, seat)
    with RemoteServer(remote.url, plays=False) as other:
        assert asked(other, one, seat)["turn"] == first["turn"]
        monkeypatch.setattr(other.live_games, "_follow", lambda *given: None)
        sent = send(remote, one, seat, first["turn"], "c", fields=filled(first, "I count the stairs."))
        assert sent.status_code == 200, sent.text
        second = asked(remote, one, seat)
        assert second["turn"] > first["turn"]
        again = send(other, one, seat, first["turn"], "c", fields=filled(first, "I count them."))
        assert (again.status_code, again.content) == (200, sent.content), "the key names the answer"
        taken = send(other, one, seat, second["turn"], "d", fields=filled(second, "I count them again."))
        assert taken.status_code == 200, taken.text
        assert send(remote, one, seat, second["turn"], "d", fields={}).content == taken.content


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"fields": {}}, "Invalid answer: the field '{first}' is wrong: field required."),
        ({"fields": {"words": 7}}, "Invalid answer: the field '"),
        ({}, "body: Value error, give either a text or the fields of the turn's form"),
        ({"text": "So be it.", "fields": {}}, "body: Value error, give either a text or the fields of the turn's form"),
    ],
    ids=["nothing filled in", "a wrong one", "neither", "both"],
)
def test_what_is_filled_in_wrongly_costs_no_attempt(
    remote: RemoteServer, evening: tuple[Opened, str], body: dict[str, Any], why: str
) -> None:
    one, seat = evening
    turn = asked(remote, one, seat)
    refused = send(remote, one, seat, turn["turn"], **body)
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/invalid")
    assert why.format(first=next(iter(turn["form"]["properties"]))) in refused.json()["detail"]
    assert asked(remote, one, seat)["attempts_left"] == turn["attempts_left"]


def test_a_turn_without_a_form_takes_words_alone(remote: RemoteServer) -> None:
    one = remote.open(names=["Ada", "Bram", "Cleo", "Dirk", "Edda"], agent="outside", seed="3")
    for seat, token in one.seats.items():
        for turn in remote.get(f"/v1/games/{one.game}/turns", token)["turns"]:
            assert turn["form"] is None
            refused = send(remote, one, seat, turn["turn"], fields={"text": "Night falls."})
            assert refused.json()["detail"] == f"Turn {turn['turn']} has no form. Answer it with a text."
            assert send(remote, one, seat, turn["turn"], text="Night falls.", fields=None).status_code == 200
            return
    raise AssertionError("nobody is asked")


def test_a_bid_is_made_in_fields_and_in_words(remote: RemoteServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The form of a ruleset from outside, of which nobody wrote more than the class of its fields."""
    seat_guest(monkeypatch, "liars-dice")
    one = remote.open(ruleset="liars-dice", names=["Ada", "Bram"], agent="outside", seed="3", options={"dice": 2})
    turn = asked(remote, one, "Ada")
    assert [*turn["form"]["properties"]] == ["call", "count", "face", "words"]
    assert turn["form"]["properties"]["call"]["enum"] == ["bid"]
    assert turn["form"]["properties"]["count"]["anyOf"][0]["maximum"] == 4
    wrong = send(remote, one, "Ada", 1, fields={"count": "many"})
    assert (wrong.status_code, asked(remote, one, "Ada")["attempts_left"]) == (422, 3)
    illegal = send(remote, one, "Ada", 1, fields={"count": 5, "face": 2})
    assert (illegal.json()["type"], asked(remote, one, "Ada")["attempts_left"]) == ("/problems/refused", 2)
    assert "Count cannot be 5 here. Write 3 fives" in illegal.json()["detail"]
    assert send(remote, one, "Ada", 1, fields={"count": 1, "face": 2, "words": "Easy."}).status_code == 200
    assert asked(remote, one, "Bram")["context"][-1] == "The last bid: Ada, 1 two."
    assert asked(remote, one, "Bram")["form"]["properties"]["call"]["enum"] == ["bid", "doubt"]
    assert send(remote, one, "Bram", 1, text="face: 3, count: 1").status_code == 200
    assert asked(remote, one, "Ada")["turn"] == 2
    assert send(remote, one, "Ada", 2, fields={"call": "doubt", "count": None, "face": None}).status_code == 200
    seen = remote.get(f"/v1/games/{one.game}/view", one.seats["Ada"])["entries"]
    answered = [entry["data"]["choice"] for entry in seen if entry["name"] == "core.reply-accepted.v1"]
    assert answered == ["1 two", "doubt"]
