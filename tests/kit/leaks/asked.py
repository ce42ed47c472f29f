"""Planted leaks that show only if you ask with the right value, in the right way: over HTTP and with tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NamedTuple
from unittest import mock
from urllib.parse import parse_qs

from starlette.responses import Response

from sottovoce.agents.mcp_tools import texts
from sottovoce.server.http import mcp_endpoint, middleware
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.routes import turns, views

Patch = Callable[[], Any]
Live = Any
Scope = dict[str, Any]

_CALL = middleware.Middleware.__call__


class ProbeLeak(NamedTuple):
    """A leak in games of one ruleset.

    `patch` is entered while the probes of that name search for it. With `plays`, games are played under it too.
    """

    ruleset: str
    probes: str
    patch: Patch
    plays: bool = False


def put(owner: Any, name: str, value: Any) -> Patch:
    """The leak that replaces something."""
    return lambda: mock.patch.object(owner, name, value)


def both(*patches: Patch) -> Patch:
    """Several leaks together."""

    def enter() -> ExitStack:
        stack = ExitStack()
        for patch in patches:
            stack.enter_context(patch())
        return stack

    return enter


def meddling(answer: Callable[[Scope, Live], Response | None]) -> Patch:
    """The server's answer is changed by `answer`, which knows the whole game. It can also change the request."""

    async def call(self: Any, scope: Scope, receive: Any, send: Any) -> None:
        services = self._app.state.services
        parts = scope["path"].strip("/").split("/")
        known = services.live_games._tables
        live = known[parts[2]].live if len(parts) > 2 and parts[2] in known else None
        if live is None and known:
            live = next(iter(known.values())).live
        changed = {**scope, "services": services}
        given = answer(changed, live) if live is not None else None
        if given is not None and chairs_of(scope):
            await given(changed, receive, send)
        else:
            await _CALL(self, changed, receive, send)

    return put(middleware.Middleware, "__call__", call)


def chairs_of(scope: Scope) -> bool:
    """Return whether a request has a link."""
    return any(name == b"authorization" for name, _ in scope["headers"])


def query(scope: Scope) -> dict[str, str]:
    """Return the parameters of a request."""
    return {
        name: values[0] for name, values in parse_qs(scope["query_string"].decode(), keep_blank_values=True).items()
    }


def header(scope: Scope, name: str) -> str:
    """Return a header of a request, or an empty text."""
    return next((value.decode("latin-1") for each, value in scope["headers"] if each == name.encode()), "")


def roles(live: Live) -> dict[str, str]:
    """Return everyone's role in a game of Mafia."""
    return dict(getattr(live.state, "roles", {}))


# numbers


def _etag(scope: Scope, live: Live) -> Response | None:
    """The view counts as unchanged for a client that names the log's length."""
    if scope["path"].endswith("/view") and header(scope, "if-none-match") == f'"{live.length}"':
        return Response(status_code=304)
    return None


def _beyond(scope: Scope, live: Live) -> Response | None:
    """A page that begins between the view's end and the log's is not refused like one beyond everything."""
    after = query(scope).get("after", "")
    if scope["path"].endswith("/view") and after.isdigit() and int(after) > live.length:
        return Response(b"beyond", 416)
    return None


def _resumed(scope: Scope, live: Live) -> Response | None:
    """A stream can't be resumed behind the log's end."""
    last = header(scope, "last-event-id")
    if scope["path"].endswith("/stream") and last.isdigit() and int(last) > live.length:
        return Response(b"", 204)
    return None


def _limited(scope: Scope, live: Live) -> Response | None:
    """A page that could contain the whole log is reported as the last one."""
    limit = query(scope).get("limit", "")
    if scope["path"].endswith("/view") and limit.isdigit() and int(limit) == live.length:
        scope["headers"] = [*scope["headers"], (b"if-none-match", b"*")]
        return Response(b"all of it", 206)
    return None


# words


def _sought(scope: Scope, live: Live) -> Response | None:
    """A search finds the games in which someone living has that role."""
    word = query(scope).get("search", "")
    if scope["path"] == "/v1/games" and word:
        held = {f"{player} {role}".casefold() for player, role in roles(live).items()}
        if word.casefold() in held:
            scope["query_string"] = b""
    return None


def _other_spelling(asked: Any, table: Any) -> dict[str, bytes]:
    """A document hidden from the seat is found under its name in other capitals."""
    own = _DOCUMENTS(asked, table)
    every = table.live.ruleset.documents(table.live.state) if table.live.ruleset.documents else {}
    return {**{name.upper(): content for name, content in every.items() if name not in own}, **own}


_DOCUMENTS = views._documents


def _listed_after(scope: Scope, live: Live) -> Response | None:
    """A list that continues after a game continues with the next one, no matter whose it is."""
    if scope["path"] == "/v1/games" and query(scope).get("after") == live.id:
        others = [game for game in scope["services"].live_games.games.log.games() if game != live.id]
        return Response(json.dumps({"games": others, "next": None}).encode(), media_type="application/json")
    return None


# ways to write a path, methods, headers


def _slash(scope: Scope, live: Live) -> Response | None:
    """A path with a trailing slash answers as an auditor."""
    if scope["path"].endswith("/view/"):
        told = [item.name for item in live.recorded]
        return Response(json.dumps(told).encode(), media_type="application/json")
    return None


def _upper(scope: Scope, live: Live) -> Response | None:
    """A path in capitals counts the log."""
    if scope["path"].startswith("/V1/") and scope["path"].isupper():
        return Response(b"%d" % live.length)
    return None


def _head(scope: Scope, live: Live) -> Response | None:
    """HEAD reports the length of everything."""
    if scope["method"] == "HEAD" and scope["path"].endswith("/replay"):
        return Response(headers={"x-length": str(live.length)})
    return None


def _seat_header(scope: Scope, live: Live) -> Response | None:
    """A header chooses the viewer, for tests."""
    seat = header(scope, "x-seat")
    if seat in live.state.seats and scope["path"].endswith("/transcript"):
        return Response(json.dumps([entry.to_json() for entry in live.view(seat).entries]).encode())
    return None


# turns


async def _take(asked: Any, turn: int | None, given: Any, key: str = "") -> Any:
    """A client that fills in the form of another's turn is told so."""
    if turn is not None and not isinstance(given, str):
        async with asked.live_games.using(asked.game) as table:
            if any(number == turn and seat != asked.seat for seat, number in table.live.state.turns):
                raise Problem("closed", f"Turn {turn} is not open for you.")
    return await _TAKE(asked, turn, given, key)


async def _take_again(asked: Any, turn: int | None, given: Any, key: str = "") -> Any:
    """A key that names an append of the game is reported as accepted before."""
    async with asked.live_games.using(asked.game) as table:
        if key and table.live.appended(key):
            return {"accepted": True, "repeated": True, "seq": 1}
    return await _TAKE(asked, turn, given, key)


_TAKE = turns.take


def _looked(view: Any, since: int, **named: Any) -> str:
    """A tool says that there is nothing beyond the end of the log, and is silent before it."""
    text = _LOOK(view, since, **named)
    length = _LENGTHS.get(id(view.ruleset), 0)
    return text if since <= view.seq or since > length else f"{text}\n(so far)"


_LOOK = texts.look_text
_LENGTHS: dict[int, int] = {}


async def _noted(self: Any) -> Any:
    _LENGTHS[id(self._table.live.ruleset)] = self._table.live.length
    return await _SEEN(self)


_SEEN = mcp_endpoint.LiveSeat.seen


def leaks() -> dict[str, ProbeLeak]:
    """Return every planted leak of this module by name."""
    mafia = {
        "unchanged_for_who_names_the_length": meddling(_etag),
        "beyond_the_log_refused": meddling(_beyond),
        "stream_resumed_up_to_the_log_s_end": meddling(_resumed),
        "page_as_long_as_the_log": meddling(_limited),
        "search_finds_who_is_what": meddling(_sought),
        "list_goes_on_with_others_games": meddling(_listed_after),
        "slash_behind_the_path": meddling(_slash),
        "path_in_capitals": meddling(_upper),
        "head_tells_the_length": meddling(_head),
        "header_names_a_seat": meddling(_seat_header),
        "fields_of_another_s_turn": both(put(turns, "take", _take)),
        "key_that_names_an_append": both(put(turns, "take", _take_again)),
        "tool_silent_up_to_the_log_s_end": both(
            put(texts, "look_text", _looked), put(mcp_endpoint.LiveSeat, "seen", _noted)
        ),
    }
    tabletop = {"document_under_another_spelling": put(views, "_documents", _other_spelling)}
    found = {"mafia": mafia, "tabletop": tabletop}
    return {name: ProbeLeak(ruleset, "wire", patch) for ruleset, some in found.items() for name, patch in some.items()}
