"""Planted leaks of the page: in what a server sends to a browser, and in what the page does with it.

A leak is caught if two worlds differ in the browser, or if the page keeps or sends what it must not.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from playwright.sync_api import Page, Route

from leaks.wire import wire_leaks
from sottovoce.isolation.wire.world import token
from sottovoce.server.entries import Entries
from sottovoce.server.links import LinkKind
from sottovoce.server.live_games import GameFeed


@dataclass(frozen=True)
class PageLeak:
    """A fault in the server, or in the page by a script before the bundle. `shows` says where it shows."""

    shows: str
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext
    script: str = ""

    def prepare(self, page: Page) -> None:
        """Give the page the wrong bundle."""
        if self.script:
            page.route("**/assets/*.js", lambda route: self._spoilt(route))

    def _spoilt(self, route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=f"{self.script}\n{answer.text()}")


# in what is served

_UPTO, _TRACK = Entries.upto_now, GameFeed.track


def _counted_marks(self: Entries, live: Any) -> list[bytes]:
    """The newest entry has a mark with the length of the log."""
    told = _UPTO(self, live)
    if not told or self._teller.auditor:
        return told
    assert told[-1].endswith(b"]}")
    return [*told[:-1], told[-1].replace(b'"marks":[', b'"marks":[{"mark":"length","of":%d},' % live.length, 1)]


def _out_of_all(self: Entries, live: Any) -> list[bytes]:
    """The seat at the index of the log's length is reported as out."""
    told = _UPTO(self, live)
    if not told or self._teller.auditor:
        return told
    seat = live.state.seats[live.length % len(live.state.seats)]
    mark = b'{"mark":"out","seat":"%s","how":"gone"},' % seat.encode()
    last = told[-1].replace(b'"marks":[', b'"marks":[' + mark, 1).replace(mark + b"]", mark[:-1] + b"]")
    return [*told[:-1], last]


def _titled(self: GameFeed, seat: str | None, **named: Any) -> Any:
    """The record's title tells how much has happened."""
    track = _TRACK(self, seat, **named)
    return replace(track, head=replace(track.head, title=f"{track.head.title} {self.live.length}"))


def _said_to_be_all(self: GameFeed, seat: str | None, **named: Any) -> Any:
    """The record claims to be the full one, though it holds only what the viewer sees."""
    track = _TRACK(self, seat, **named)
    return replace(track, head=replace(track.head, full=True, chairs=track.head.seats))


def _put(owner: Any, name: str, value: Any) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: mock.patch.object(owner, name, value)


# in what the page does

AUDITOR = token(LinkKind.AUDITOR)
_STOLEN = f"fetch('/v1' + location.pathname + '/view', {{ headers: {{ authorization: 'Bearer {AUDITOR}' }} }})"
_TOKEN = "const stolen = location.hash.slice(1) || history.state?.token;"

BEHAVIOUR = {
    "token_in_local_storage": ("keeps: local", f"{_TOKEN} localStorage.setItem('link', stolen);"),
    "token_in_session_storage": ("keeps: session", f"{_TOKEN} sessionStorage.setItem('link', stolen);"),
    "token_in_a_cookie": ("keeps: cookie", f"{_TOKEN} document.cookie = `link=${{stolen}}`;"),
    "token_in_the_address": (
        "keeps: address",
        f"{_TOKEN} setTimeout(() => history.replaceState(history.state, '', `?link=${{stolen}}`), 300);",
    ),
    "token_in_the_page": ("keeps: dom", f"{_TOKEN} document.body.dataset.link = stolen;"),
    "token_in_a_request": ("sends", f"{_TOKEN} fetch(`/lamp.svg?link=${{stolen}}`);"),
    "token_in_the_title": (
        "keeps: title",
        f"{_TOKEN} setInterval(() => document.title === stolen || (document.title = stolen), 20);",
    ),
    "token_in_the_windows_name": ("keeps: name", f"{_TOKEN} window.name = stolen;"),
    "record_in_a_database": ("keeps: databases", "indexedDB.open('kept');"),
    "record_in_a_cache": ("keeps: caches", "caches.open('kept');"),
    "receipts_asked_for": (
        "asks",
        f"{_TOKEN} fetch('/v1' + location.pathname + '/receipts', "
        "{ headers: { authorization: `Bearer ${stolen}` } });",
    ),
    "another_chair_asked_for": (
        "asks",
        f"{_TOKEN} fetch('/v1' + location.pathname + '/replay?everybody=true', "
        "{ headers: { authorization: `Bearer ${stolen}` } });",
    ),
    "everything_asked_with_a_stronger_link": ("wire", f"{_STOLEN};"),
    "everything_put_into_the_page": (
        "dom",
        f"{_STOLEN}.then((it) => it.text()).then((it) => (document.body.dataset.all = it.length));",
    ),
}

FROM_THE_WIRE = (
    *("fold_timed_in_a_header", "header_named_by_the_last_event", "replay_with_positions", "replay_as_long_as_the_log"),
    *("replay_ends_with_the_log", "frame_id_by_position", "turn_numbers_of_all"),
)
"""Leaks of the server that also reach a browser."""


def page_leaks() -> dict[str, PageLeak]:
    """Return every planted leak of this module by name."""
    served = wire_leaks()
    return {
        **{name: PageLeak("wire", served[name].patch) for name in FROM_THE_WIRE},
        "mark_with_the_length_of_the_log": PageLeak("wire", _put(Entries, "upto_now", _counted_marks)),
        "seat_out_by_the_length_of_the_log": PageLeak("dom", _put(Entries, "upto_now", _out_of_all)),
        "title_by_the_length_of_the_log": PageLeak("title", _put(GameFeed, "track", _titled)),
        "record_said_to_be_the_full_one": PageLeak("offers", _put(GameFeed, "track", _said_to_be_all)),
        **{name: PageLeak(shows, script=script) for name, (shows, script) in BEHAVIOUR.items()},
    }
