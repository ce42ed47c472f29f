"""Views and streams: each entry once and in order, whatever is broken off, and nothing that a chair may not see."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from remote import PLAYERS, Frame, Opened, RemoteServer, bounded, log_in
from small_page import small_page

from sottovoce.eventlog import open_log
from sottovoce.projections import bundle
from sottovoce.server.http.settings import Settings


@pytest.fixture(scope="module", autouse=True)
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A small page in the place of the built one, which files to share are made of."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundle, "PLACES", (small_page(tmp_path_factory.mktemp("page")),))
        yield


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RemoteServer, Opened]]:
    """A game that is over, with a link for Ada."""
    with RemoteServer(log_in(tmp_path_factory.mktemp("far"))) as remote:
        one = remote.open(names=list(PLAYERS), agent="random", seed="5")
        with remote.stream(one.game, one.spectator) as frames:
            assert list(frames)[-1] == Frame(None, "end", {"why": "over"})
        ada = remote.issue(one.game, one.keeper, "seat", "Ada")
        yield remote, Opened(one.game, one.keeper, one.spectator, {"Ada": ada})


def test_a_view_is_what_the_command_prints_in_pages_of_any_size(played: tuple[RemoteServer, Opened]) -> None:
    remote, one = played
    said = remote.cli("view", one.game, "--as", "Ada", "--json")
    printed = [json.loads(line) for line in said.out.splitlines()]
    for limit in (3, 50, 1000):
        paged = pages(remote, f"/v1/games/{one.game}/view", one.seats["Ada"], "entries", limit)
        assert paged == printed
        assert remote.get(f"/v1/games/{one.game}/view", one.seats["Ada"], limit=limit)["seq"] == len(printed)


def pages(remote: RemoteServer, path: str, token: str, name: str, limit: int) -> list[Any]:
    """All that is paged there."""
    found: list[Any] = []
    after: int | None = 0
    while after is not None:
        page = remote.get(path, token, after=after, limit=limit)
        found += page[name]
        after = page["next"]
    return found


def test_an_auditor_pages_events_by_position_as_export_writes_them(played: tuple[RemoteServer, Opened]) -> None:
    remote, one = played
    auditor = remote.issue(one.game, one.keeper, "auditor")
    said = remote.cli("export", one.game)
    exported = [json.loads(line) for line in said.out.splitlines()]
    events = pages(remote, f"/v1/games/{one.game}/export", auditor, "events", 50)
    assert events == exported
    view = remote.get(f"/v1/games/{one.game}/view", auditor, limit=1000)["entries"]
    assert [{key: item[key] for key in item if key not in ("piece", "marks")} for item in view] == exported[:1000]


def test_an_etag_spares_what_is_known_and_counts_the_chair_s_own_entries(played: tuple[RemoteServer, Opened]) -> None:
    remote, one = played
    path = f"/v1/games/{one.game}/view"
    for token in (one.seats["Ada"], one.spectator, one.keeper):
        first = remote.ask("GET", path, token)
        assert first.headers["etag"] == f'"{first.json()["seq"]}"'
        again = remote.ask("GET", path, token, headers={"if-none-match": f'"x", W/{first.headers["etag"]}'})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])


def test_a_stream_goes_on_behind_the_last_id_and_ends_after_its_limit(played: tuple[RemoteServer, Opened]) -> None:
    remote, one = played
    ada = one.seats["Ada"]
    with remote.stream(one.game, ada) as frames:
        whole = list(frames)
    assert [frame.id for frame in whole[:-1]] == [str(seq) for seq in range(1, len(whole))]
    with remote.stream(one.game, ada, last="10", after=3) as frames:
        assert list(frames) == whole[10:]
    with remote.stream(one.game, ada, after=10, limit=4) as frames:
        assert list(frames) == whole[10:14]


def test_what_a_seat_is_streamed_has_a_receipt_and_a_spectator_none(played: tuple[RemoteServer, Opened]) -> None:
    remote, one = played

    def handed() -> list[tuple[str, int, int]]:
        log = open_log(remote.url)
        try:
            found = [item for item in log.receipts(one.game) if item.data.get("by") == "http"]
            return [(item.seat, item.data["from"], item.data["to"]) for item in found]
        finally:
            log.close()

    before = handed()
    with remote.stream(one.game, one.spectator) as frames:
        list(frames)
    assert handed() == before
    cleo = remote.issue(one.game, one.keeper, "seat", "Cleo")
    with remote.stream(one.game, cleo, after=5, limit=6) as frames:
        list(frames)
    assert handed() == [*before, ("Cleo", 6, 11)]


def test_a_transcript_and_the_place_are_the_command_line_s(played: tuple[RemoteServer, Opened]) -> None:
    remote, one = played
    ada = one.seats["Ada"]
    for form in ("markdown", "html"):
        answer = remote.ask("GET", f"/v1/games/{one.game}/transcript", ada, format=form)
        said = remote.cli("transcript", one.game, "--as", "Ada", "--format", form)
        assert answer.headers["content-type"] == f"text/{form}; charset=utf-8"
        assert answer.text.rstrip("\n") == said.out.rstrip("\n")
    said = remote.cli("show", one.game, "--as", "Ada", "--json")
    assert {**remote.get(f"/v1/games/{one.game}", ada), "budget": None} == json.loads(said.out)


def test_streams_go_on_exactly_once_across_a_restart(tmp_path: Path) -> None:
    url = log_in(tmp_path)
    got: list[Frame] = []
    with RemoteServer(url) as remote:
        one = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, agent="random", seed="5")
        ada = one.seats["Ada"]
        with remote.stream(one.game, ada, limit=3) as frames:
            got += frames
    while True:
        with RemoteServer(url) as remote:
            inbox = remote.get(f"/v1/games/{one.game}/turns", ada, wait=45)
            for turn in inbox["turns"]:
                text = turn["choices"][0] if turn["choices"] else "I wait."
                answer = remote.ask("POST", f"/v1/games/{one.game}/turns/{turn['turn']}", ada, {"text": text})
                assert answer.status_code == 200
            seq = remote.get(f"/v1/games/{one.game}/view", ada, limit=1)["seq"]
            if seq > len(got):
                with remote.stream(one.game, ada, last=str(len(got)), limit=seq - len(got)) as frames:
                    got += frames
            if inbox["over"] or len(got) > 40:
                view = remote.get(f"/v1/games/{one.game}/view", ada, limit=1000)["entries"]
                break
    assert [(frame.id, frame.data) for frame in got] == [(str(item["seq"]), item) for item in view[: len(got)]]


@pytest.mark.parametrize("chair", ["seat", "spectator"])
def test_streams_are_bounded_and_closed_ones_make_room(tmp_path: Path, chair: str) -> None:
    bounds = bounded(streams_per_token=2, spectator_streams_per_address=2)
    with RemoteServer(log_in(tmp_path), Settings(bounds=bounds, log_requests=False), plays=False) as remote:
        one = remote.open(names=list(PLAYERS), agent="outside")
        path, token = f"/v1/games/{one.game}/stream", one.spectator if chair == "spectator" else one.seats["Ada"]
        with remote.stream(one.game, token) as first, remote.stream(one.game, token) as second:
            next(first)
            next(second)
            third = remote.ask("GET", path, token)
            assert (third.status_code, third.json()["type"]) == (429, "/problems/too-many")
            assert remote.ask("GET", path, one.keeper, limit=1).status_code == 200
        while (answer := remote.ask("GET", path, token, limit=1)).status_code == 429:
            pass
        assert answer.status_code == 200
