"""The page in the browser as it is served: the same for everybody, under its policy, and nothing beside its files."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import httpx2
import pytest
from durability.processes import environment
from remote import RemoteServer, bounded, log_in
from served import Server
from siege import Serving
from small_page import SMALL, small_page

from sottovoce.projections import bundle
from sottovoce.projections.bundle import Bundle
from sottovoce.server.http import page
from sottovoce.server.http.page import POLICY, Reports
from sottovoce.server.http.settings import Settings


def far_with(folder: Path, page: Path | None) -> RemoteServer:
    return RemoteServer(log_in(folder), Settings(bounds=bounded(), log_requests=False, page=page))


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    """A server with a small page."""
    folder = tmp_path_factory.mktemp("page")
    with far_with(folder, small_page(folder / "built")) as one:
        yield one


def raw(remote: RemoteServer, path: str, **headers: str) -> tuple[httpx2.Response, bytes]:
    """An answer, and its body as it came."""
    with remote.http.stream("GET", path, headers=headers) as answer:
        return answer, b"".join(answer.iter_raw())


@pytest.mark.parametrize("path", ["/", "/games/k7m2p9qrst", "/games/nosuch", "/?from=elsewhere"])
def test_everybody_gets_the_same_page_at_every_address_of_one(remote: RemoteServer, path: str) -> None:
    answer, body = raw(remote, path, **{"accept-encoding": "identity"})
    assert (answer.status_code, body) == (200, SMALL.files["index.html"])
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    with_token, same = raw(remote, path, **{"accept-encoding": "identity", "authorization": f"Bearer {remote.host}"})
    assert same == body
    assert {**with_token.headers, "date": ""} == {**answer.headers, "date": ""}
    again, nothing = raw(remote, path, **{"if-none-match": answer.headers["etag"]})
    assert (again.status_code, nothing) == (304, b"")


def test_the_policy_stands_on_every_file_and_lets_nothing_in_from_elsewhere(remote: RemoteServer) -> None:
    for path in ("/", "/games/x", "/lamp.svg", "/assets/index-1a2b.js", "/assets/type-3c4d.woff2"):
        headers = remote.ask("GET", path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    rules = dict(rule.split(" ", 1) for rule in POLICY.split("; "))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert not [rule for rule in rules.values() if "unsafe" in rule or "http" in rule or "*" in rule]
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"


def test_files_are_kept_for_ever_and_packed_where_that_makes_them_smaller(remote: RemoteServer) -> None:
    script = SMALL.files["assets/index-1a2b.js"]
    answer, body = raw(remote, "/assets/index-1a2b.js", **{"accept-encoding": "gzip, br"})
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["vary"] == "accept-encoding"
    assert (answer.headers["content-encoding"], gzip.decompress(body)) == ("gzip", script)
    assert len(body) < len(script) / 10
    for accepted in ("identity", "gzip;q=0", "br"):
        answer, body = raw(remote, "/assets/index-1a2b.js", **{"accept-encoding": accepted})
        assert (answer.headers.get("content-encoding"), body) == (None, script)
    answer, body = raw(remote, "/assets/type-3c4d.woff2", **{"accept-encoding": "gzip"})
    assert (answer.headers.get("content-encoding"), body) == (None, SMALL.files["assets/type-3c4d.woff2"])
    assert answer.headers["content-type"] == "font/woff2"


@pytest.mark.parametrize(
    "path",
    [
        *("/assets/", "/assets/nothing.js", "/assets/index-1a2b.js/", "/assets//index-1a2b.js", "/index.html"),
        *("/assets/%2e%2e/lamp.svg", "/assets/..%2f..%2fgames.db", "/assets/%2fetc%2fpasswd"),
        *("/file/replay.js", "/assets/..%2ffile/replay.js", "/games/x/y", "/games/", "/games", "/assets/%00"),
    ],
)
def test_no_path_leads_to_anything_else(remote: RemoteServer, path: str) -> None:
    answer = remote.ask("GET", path)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_nothing_is_sent_to_the_page(remote: RemoteServer) -> None:
    for path in ("/", "/games/x", "/lamp.svg"):
        assert remote.ask("POST", path, body={}).status_code == 405
        assert remote.ask("HEAD", path).status_code == 200


def test_without_a_page_its_addresses_say_what_to_do_and_the_interface_answers(tmp_path: Path) -> None:
    with mock.patch.object(bundle, "PLACES", ()), far_with(tmp_path, None) as remote:
        for path in ("/", "/games/k7m2p9qrst"):
            answer = remote.ask("GET", path)
            assert answer.status_code == 503
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert "make serve" in answer.text
            assert "sottovoce join" in answer.text
        assert remote.ask("GET", "/assets/index-1a2b.js").status_code == 404
        assert remote.get("/v1/link", remote.host)["kind"] == "host"


UNBUILT = """
from sottovoce.projections import bundle
from sottovoce.projections.bundle import Bundle
bundle.PLACES = ()
from sottovoce.cli.main import main
main()
"""


def test_a_server_without_a_page_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "unbuilt.py").write_text(UNBUILT)
    path = os.pathsep.join((str(tmp_path), environment()["PYTHONPATH"]))
    words = ("--db", str(tmp_path / "games.db"), "serve", "--port", "0", "--quiet")
    with Server(tmp_path, "unbuilt", *words, PYTHONPATH=path) as server:
        assert server.ask("GET", "/health/live").json == {"ok": True}
        assert server.ask("GET", "/").status == 503
        assert server.end() == 0
        (line,) = server.said()
        assert "make page" in line["note"]


def test_a_server_with_its_page_says_of_every_answer_what_it_may_not_be_taken_for(tmp_path: Path) -> None:
    (tmp_path / "set.toml").write_text('page = "built"\nlog_requests = true\n')
    small_page(tmp_path / "built")
    with Serving(tmp_path, "--config", tmp_path / "set.toml") as server:
        for name in ("/", "/assets/index-1a2b.js"):
            answer = server.ask("GET", name)
            assert answer.status == 200
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
        assert server.ask("POST", "/csp-report", b"{}", origin="null").status == 204
        assert server.end() == 0
        notes = [line["note"] for line in server.said() if "note" in line]
        routes = [line["route"] for line in server.said() if "route" in line]
    assert [note.partition(" (")[0] for note in notes] == ["a browser reports a violation of the page's policy"]
    assert routes == ["/", "/assets/{name:path}", "/csp-report"]


def test_a_report_is_counted_and_told_seldom_and_never_read(remote: RemoteServer) -> None:
    def counted() -> float:
        lines = remote.ask("GET", "/metrics", remote.host).text.splitlines()
        return float(next(line for line in lines if line.startswith("sottovoce_policy_reports_total")).split()[1])

    before = counted()
    headers = {"content-type": "application/csp-report"}
    for origin in (None, "null", remote.base):
        given = headers if origin is None else {**headers, "origin": origin}
        answer = remote.http.post("/csp-report", content=b'{"csp-report": {"blocked-uri": "inline"', headers=given)
        assert (answer.status_code, answer.content) == (204, b"")
    assert counted() == before + 3
    elsewhere = remote.http.post(
        "/csp-report", content=b"{}", headers={**headers, "origin": "https://elsewhere.example"}
    )
    assert elsewhere.status_code == 403
    too_long = remote.http.post("/csp-report", content=b"x" * 300_000, headers=headers)
    assert too_long.status_code == 413
    assert counted() == before + 3
    assert "sottovoce_policy_reports" not in remote.ask("GET", "/metrics").text
    assert remote.http.post("/v1/link/claim", headers={"origin": "null"}).status_code == 403


def test_a_line_about_reports_comes_at_most_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now, notes, counts = 1000.0, list[str](), list[int]()
    monkeypatch.setattr(page, "time", mock.Mock(monotonic=lambda: now))
    reports = Reports(lambda: counts.append(1), notes.append)
    for _ in range(5):
        reports.take()
    now += page.PAUSE
    reports.take()
    assert len(counts) == 6
    assert [note[note.index("(") :] for note in notes] == ["(1 since the last line)", "(5 since the last line)"]


def test_the_page_as_it_is_built_is_served_whole(built_page: Bundle, tmp_path: Path) -> None:
    with far_with(tmp_path, built_page.folder) as remote:
        answer, body = raw(remote, "/games/k7m2p9qrst", **{"accept-encoding": "gzip"})
        text = gzip.decompress(body).decode() if "content-encoding" in answer.headers else body.decode()
        named = [word.split('"')[1] for word in text.split() if word.startswith(("src=", "href="))]
        assert named
        assert "<style" not in text
        assert "<script>" not in text
        for name in named:
            found = remote.ask("GET", name)
            assert found.status_code == 200, name
            assert found.headers["content-security-policy"] == POLICY
        for path in built_page.folder.rglob("*.woff2"):
            assert remote.ask("GET", f"/{path.relative_to(built_page.folder).as_posix()}").content == path.read_bytes()
