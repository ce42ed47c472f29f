"""Planted leaks in the server: what an answer, a stream or a limit can do wrong although views and prompts are
right."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from contextvars import ContextVar
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple
from unittest import mock

from leaks.marks import mark_leaks
from leaks.minds import thinking_in_a_header, thoughts_in_the_inbox
from sottovoce.agents.mcp_tools import texts
from sottovoce.domain.events import ReplyAccepted, SeatLinkIssued
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.wire import compared
from sottovoce.projections.perspective import FULL, of_seat
from sottovoce.server import inbox, replies
from sottovoce.server.entries import Entries
from sottovoce.server.games import Games
from sottovoce.server.http import app, bounds, callers, mcp_endpoint, metrics, middleware, protocol, responses, stream
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.routes import games, health, keeper, link, replay, turns, views
from sottovoce.server.links import LinkKind, Links, digest_of
from sottovoce.server.live import LiveGame
from sottovoce.server.live_games import GameFeed, LiveGames
from sottovoce.server.oversight import Oversight

MOST_ON_THE_WIRE = 8_000
"""The size of an ordinary run over HTTP, for each ruleset."""

Patch = Callable[[], Any]


class WireLeak(NamedTuple):
    """A leak in the server's answers, in games of one ruleset. `patch` is entered while it is asked."""

    ruleset: str
    patch: Patch


# what a leak knows although it should not: the game's table, the request, and tables by hall

_TABLE: ContextVar[Any] = ContextVar("table")
_SCOPE: ContextVar[Any] = ContextVar("scope")
_TABLES: dict[int, Any] = {}
_SITTING, _EDGE = LiveGames.using, middleware.Middleware.__call__


@asynccontextmanager
async def _sitting(live_games: LiveGames, game: str) -> AsyncIterator[Any]:
    async with _SITTING(live_games, game) as table:
        _TABLE.set(table)
        _TABLES[id(live_games.closing)] = table
        yield table


def _recorded() -> Sequence[Any]:
    table = _TABLE.get(None)
    return table.live.recorded if table is not None else ()


def _length() -> int:
    return len(_recorded())


def _knowing(*patches: Any) -> Patch:
    """The patches, which know the table."""

    def enter() -> ExitStack:
        stack = ExitStack()
        stack.enter_context(mock.patch.object(LiveGames, "using", _sitting))
        for patch in patches:
            stack.enter_context(patch())
        return stack

    return enter


def _put(owner: Any, name: str, value: Any) -> Patch:
    return lambda: mock.patch.object(owner, name, value)


def _head(change: Callable[[dict[bytes, bytes]], None]) -> Patch:
    """Change every answer's headers just before they leave."""

    async def call(self: Any, scope: Any, receive: Any, send: Any) -> None:
        token = _SCOPE.set(scope)

        async def changed(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = dict(message["headers"])
                change(headers)
                message = {**message, "headers": list(headers.items())}
            await send(message)

        try:
            await _EDGE(self, scope, receive, changed)
        finally:
            _SCOPE.reset(token)

    return _knowing(_put(middleware.Middleware, "__call__", call))


def _log() -> Any:
    """Return the whole log of the server under test."""
    return _SCOPE.get()["app"].state.services.live_games.games.log


def _etag(headers: dict[bytes, bytes]) -> None:
    if b"etag" in headers:
        headers[b"etag"] = b'"%d"' % _length()


def _named_by_the_last(headers: dict[bytes, bytes]) -> None:
    if _length() and _recorded()[-1].audience.seats is not None:
        headers[b"x-pending"] = b"1"


def _folded(headers: dict[bytes, bytes]) -> None:
    headers[b"server-timing"] = b"fold;dur=%d" % _length()


def _seen_by_all(asking: callers.Caller) -> int | None:
    live = None if asking.grant.game is None else asking.live_games.known(asking.grant.game)
    return None if live is None else live.length


async def _reached_by_the_log(asking: callers.Caller, seen: int) -> bool:
    return seen <= (_seen_by_all(asking) or seen)


def _modified(headers: dict[bytes, bytes]) -> None:
    if _length():
        headers[b"last-modified"] = _recorded()[-1].at.strftime("%a, %d %b %Y %H:%M:%S GMT").encode()


# view and stream

_RESPONSE, _FRAME, _HAS, _UPTO, _FRAMES = views.Response, views.frame, views.has, Entries.upto_now, views._frames
_GIVE, _TOLD = stream.EventStream._give, GameFeed.told


def _padded(content: Any = None, *rest: Any, **named: Any) -> Any:
    if isinstance(content, bytes) and content.startswith(b'{"seq"'):
        content += b" " * (_length() % 64)
    return _RESPONSE(content, *rest, **named)


def _cursor(content: Any = None, *rest: Any, **named: Any) -> Any:
    """The next page begins at the position in the log."""
    if isinstance(content, bytes):
        content = re.sub(rb'"next":(\d+)\}$', lambda found: b'"next":%d}' % _place(int(found[1])), content)
    return _RESPONSE(content, *rest, **named)


def _place(seq: int) -> int:
    seats = [item.position for item in _recorded() if item.audience.seats is None]
    return int(seats[min(seq, len(seats)) - 1]) if seats else 0


def _frame_placed(number: int | None, event: str, data: bytes) -> bytes:
    return _FRAME(None if number is None else _length(), event, data)


def _with_appends(self: Entries, live: Any) -> list[bytes]:
    told = _UPTO(self, live)
    if self._teller.auditor or not told:
        return told
    return [*told[:-1], told[-1].replace(b'{"seq":', b'{"append":"%s","seq":' % live.recorded[-1].append.encode(), 1)]


def _of_the_neighbour(self: Any, seat: str | None, *, auditor: bool = False) -> list[bytes]:
    own = _TOLD(self, seat, auditor=auditor)
    if seat is None:
        return own
    other = next(name for name in self.live.state.seats if name != seat)
    return [*own, *_TOLD(self, other)[len(own) :]]


def _ballots(self: Entries, live: Any) -> list[bytes]:
    """A spectator sees that a sealed ballot has one more vote."""
    told = _UPTO(self, live)
    if self._teller.seat is not None or self._teller.auditor:
        return told
    cast = sum(isinstance(item.event, ReplyAccepted) for item in live.recorded)
    return [*told, *(b'{"seq":%d,"name":"ballot"}' % number for number in range(len(told) + 1, len(told) + cast + 1))]


async def _empty_frames(asked: Any, game: str, after: int, limit: int | None) -> AsyncGenerator[bytes]:
    """Every event sends a line, which is empty if it is not for the reader."""
    sent = after
    async with asked.live_games.using(game) as table:
        while not table.closed:
            length = table.live.length
            told, _ = _HAS(table, asked.grant.perspective)
            for seq, data in enumerate(told[sent:], sent + 1):
                yield _FRAME(seq, "entry", data)
                if limit is not None and seq == after + limit:
                    return
            sent = max(sent, len(told))
            await table.news(length)
            yield b":\n\n"


async def _slowed(asked: Any, game: str, after: int, limit: int | None) -> AsyncGenerator[bytes]:
    """Every frame waits for what was recorded since the last one."""
    known = 0
    async for item in _FRAMES(asked, game, after, limit):
        length = _length()
        await asyncio.sleep(0.01 * (length - known))
        known = length
        yield item


async def _whole_appends(asked: Any, game: str, after: int, limit: int | None) -> AsyncGenerator[bytes]:
    """Frames are sent together if the log was long enough for it."""
    async for item in _FRAMES(asked, game, after, limit):
        half = len(item) // 2 if _length() % 3 == 0 else len(item)
        yield item[:half]
        if item[half:]:
            yield item[half:]


async def _beat_anew(self: Any, started: float, stop: Any) -> None:
    """The heartbeat counts from the last event."""
    pace = self._bounds.heartbeat_seconds
    await asyncio.sleep(0)
    table = _TABLES[id(self._closing)]
    while not self._ended.is_set():
        try:
            async with asyncio.timeout(pace):
                await table.live.growth().wait()
        except TimeoutError:
            await _GIVE(self, stream.BEAT)
    stop()


async def _beat_by_turns(self: Any, started: float, stop: Any) -> None:
    """The more turns are open, the more often the heartbeat comes."""
    await asyncio.sleep(0)
    table = _TABLES[id(self._closing)]
    while not self._ended.is_set():
        await asyncio.sleep(self._bounds.heartbeat_seconds / (1 + len(table.live.state.turns)))
        await _GIVE(self, stream.BEAT)
    stop()


# links and viewers

_FIND, _OPENS, _PERSPECTIVE = Links.find, link._opens, callers.Grant.perspective
_ENTER, _WAIT = bounds.AtOnce.enter, bounds.Allowance.wait


def _find_ended(self: Any, token: str | None) -> Any:
    digest = digest_of(token or "")
    for game in self._games.log.games():
        for row in self._games.log.links(game):
            if row.digest == digest and row.ended is not None:
                raise Problem("unauthorized", "This link has ended; ask for another.", {"www-authenticate": "Bearer"})
    return _FIND(self, token)


async def _opens_numbered(asked: Any, one: Any) -> dict[str, Any]:
    return {**(await _OPENS(asked, one)).model_dump(), "number": one.number}


async def _opens_with_others(asked: Any, one: Any) -> dict[str, Any]:
    here = [other.seat for other in asked.services.links.of(one.game) if other.claimed and other.seat != one.seat]
    return {**(await _OPENS(asked, one)).model_dump(), "here": here}


def _there_but_closed(slug: str, detail: str, headers: Any = None) -> Problem:
    """A game that exists but not for this link is forbidden instead of unknown."""
    scope = _SCOPE.get(None)
    if slug == "unknown" and scope is not None:
        parts = scope["path"].split("/")
        if len(parts) > 3 and parts[3] in _log().games():
            return Problem("forbidden", detail, headers)
    return Problem(slug, detail, headers)


def _all_to_the_keeper(self: callers.Grant) -> Any:
    return FULL if self.kind is LinkKind.KEEPER else _PERSPECTIVE.fget(self)


# replays

_TRACK, _RECORD, _PACKED = GameFeed.track, replay.record_for, replay.packed


def _placed_for_all(self: GameFeed, seat: str | None, **named: Any) -> Any:
    """Each entry says where it stands in the log."""
    return _TRACK(self, seat, **{**named, "audited": True})


def _measured(self: GameFeed, seat: str | None, **named: Any) -> Any:
    """The record is said to be as long as the log."""
    track = _TRACK(self, seat, **named)
    return replace(track, head=replace(track.head, seq=self.live.length))


def _ends_for_all(self: GameFeed, seat: str | None, **named: Any) -> Any:
    """The newest entry is there for anyone, seen or not."""
    track = _TRACK(self, seat, **named)
    newest = b'{"seq":%d,"name":"%s"}' % (track.head.seq + 1, self.live.recorded[-1].name.encode())
    return replace(track, entries=[*track.entries, newest])


async def _whoever_asks(asked: Any, table: Any, wanted: Any) -> Any:
    """Any link can have anyone's record."""
    if wanted.seat in table.live.state.seats:
        return table, of_seat(wanted.seat), ()
    return await _RECORD(asked, table, wanted)


def _all_chairs(seats: Any, whose: Any) -> Any:
    """The file to share has everything, and begins with its owner's part."""
    return {**_CHAIRS(seats, whose), **_CHAIRS(seats, FULL)}


_CHAIRS = views.chairs


async def _packed_by_length(request: Any, call: Any, body: bytes, media_type: str, headers: Any) -> Any:
    """The compression level depends on the log."""
    answer = await _PACKED(request, call, body, media_type, headers)
    answer.headers["x-packed"] = str(_length() // 16)
    return answer


# games, documents, transcripts

_PUBLIC, _DOCUMENTS, _MARKDOWN = games._public, views._documents, views.markdown
_JSON, _SHOW = responses.json_answer, games.show
_NEWEST = games.newest
_ANNOUNCE = Games.announce


async def _announced(self: Games, live: LiveGame, peek: Any, **more: Any) -> None:
    """Everyone is told about a seat link at a position of the log."""
    if isinstance(peek, SeatLinkIssued):
        peek = SeatLinkIssued(seat=f"{peek.seat} at {live.length}")
    await _ANNOUNCE(self, live, peek, **more)


_DECIDED, _KEEP, _TEXT = keeper._decided_by, keeper._keep, metrics.Metrics.text


def _resting(one: Any) -> Any:
    """A game without open turns is reported as on hold."""
    table = _TABLE.get(None)
    rests = table is not None and not table.live.state.turns
    return {**_PUBLIC(one), "status": "held"} if rests else _PUBLIC(one)


def _by_length(log: Any, **wanted: Any) -> Any:
    found = _NEWEST(log, **wanted)
    return sorted(found, key=lambda one: len(log.read(one.game)))


class _Sized(bytes):
    whole = 0

    def __len__(self) -> int:
        return self.whole


def _sized(asked: Any, table: Any) -> Any:
    """Each document has the length for readers who can read all of it."""
    whole = table.live.ruleset.documents(table.live.state) if table.live.ruleset.documents else {}
    found = {}
    for path, content in _DOCUMENTS(asked, table).items():
        found[path] = _Sized(content)
        found[path].whole = len(whole.get(path, content))
    return found


class _Guarding(dict[str, bytes]):
    closed: Any = ()

    def get(self, path: str, default: Any = None) -> Any:  # type: ignore[override]
        if path not in self and path in self.closed:
            raise Problem("refused", "This document is not for you.")
        return super().get(path, default)


def _guarding(asked: Any, table: Any) -> Any:
    found = _Guarding(_DOCUMENTS(asked, table))
    found.closed = set(table.live.ruleset.documents(table.live.state))
    return found


def _all_named(asked: Any, table: Any) -> Any:
    whole = dict.fromkeys(table.live.ruleset.documents(table.live.state), b"") if table.live.ruleset.documents else {}
    return {**whole, **_DOCUMENTS(asked, table)}


def _wrong_chair(ruleset: Any, recorded: Any, perspective: Any) -> Any:
    seats = recorded[0].event.seats
    other = seats[(seats.index(perspective.seat) + 1) % len(seats)] if perspective.seat in seats else None
    return _MARKDOWN(ruleset, recorded, perspective if other is None else of_seat(other))


def _told_to_all(live: Any, perspective: Any, *, keeps: bool) -> Oversight:
    """Every seat sees which agents have been asked: at night, who is awake."""
    return Oversight(agents=not keeps, used=False)


def _used_told(live: Any, perspective: Any, *, keeps: bool) -> Oversight | None:
    """The keeper sees how much is used, which grows when someone is awake."""
    return Oversight(agents=False, used=True) if keeps else None


def _show_counted(ruleset: Any, recorded: Any, perspective: Any) -> Any:
    shown = _SHOW(ruleset, recorded, perspective)
    awaited = {item.event.seat for item in recorded if isinstance(item.event, ReplyAccepted)}
    return replace(shown, waiting_for=(*shown.waiting_for, f"{len(awaited)} have answered"))


def _decided(live: Any, seq: int) -> int:
    if seq > live.length:
        raise Problem("invalid", f"at: {seq} is not there; the game has {live.length} events.")
    return _DECIDED(live, seq)


async def _kept(asked: Any, table: Any, command: Any) -> Any:
    answer = await _KEEP(asked, table, command)
    told = {**json.loads(bytes(answer.body)), "awaited": len(table.live.state.turns)}
    return _JSON(told)


async def _described(document: Callable[[], bytes]) -> bytes:
    """The API document gets longer with what has happened."""
    return document() + b" " * int(_log().newest())


def _counted(self: Any, *, host: bool) -> bytes:
    told = _TEXT(self, host=host)
    return told + b"sottovoce_events %d\n" % _log().newest()


def _logged(self: Any, *, host: bool) -> bytes:
    """Everyone gets the last line of the journal."""
    return _TEXT(self, host=host) + b"# last: append " + _last_append() + b"\n"


def _last_append() -> bytes:
    log = _log()
    return b",".join(log.read(game)[-1].name.encode() for game in log.games() if game.startswith("m-"))


def _version(data: Any, *rest: Any, **named: Any) -> Any:
    return _JSON({**data.model_dump(), "log": _log().newest()}, *rest, **named)


# turns

_NEWS, _APPEND_OF = turns.news, turns.append_of
_OUTCOME, _ANSWER, _CLOSED = replies.outcome, inbox.answer, replies.was_closed


async def _any_news(asked: Any, table: Any, since: int | None, seconds: float) -> Any:
    """The wait ends with any event."""
    if seconds:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await table.news(table.live.length)
    return await _NEWS(asked, table, since, 0.0)


def _for_all(game: str, seat: str, turn: int | None, key: str) -> str:
    return _APPEND_OF(game, "", turn, key)


def _told_who(live: Any, seat: str, events: Any, append: str) -> dict[str, Any]:
    told = _OUTCOME(live, seat, events, append)
    if told["accepted"]:
        return told
    others = sorted(f"{name} {number}" for name, number in live.state.turns if name != seat)
    return {**told, "message": f"{told['message']} Open are: {', '.join(others)}."}


def _closed_for_others(live: Any, seat: str, turn: int, position: int) -> bool:
    """A turn is reported as closed if another seat had one with that number."""
    opened = {name for name, number in live._openings if number == turn}
    return _CLOSED(live, seat, turn, position) or len(opened - {seat}) % 2 == 1


def _due_of_all(games_: Any, live: Any, view: Any, *rest: Any, **named: Any) -> dict[str, Any]:
    found = _ANSWER(games_, live, view, *rest, **named)
    return {**found, "due": sum(turn.number for turn in live.state.turns.values())}


def _one_allowance(self: Any, key: bytes) -> float:
    return _WAIT(self, b"all")


def _one_count(self: Any, key: bytes) -> bool:
    return _ENTER(self, b"all")


def _look_counted(view: Any, since: int, **named: Any) -> str:
    """A tool's text contains the length of the log."""
    return f"{_LOOK(view, since, **named)} ({_length()})"


async def _seen_by_another(self: mcp_endpoint.LiveSeat) -> Any:
    """Everyone gets the view of the first seat."""
    live = self._table.live
    return _as_of(live.view(live.state.seats[0]), self._asking.seat)


def _as_of(seen: Any, seat: str) -> Any:
    """Return the view as that seat's."""
    return type(seen)(seen.ruleset, seat, seen.entries, seen.seq, seen.state)


def _documents_of_all(found: Any, path: str, offset: int) -> str:
    """A document from all seats' documents."""
    table = _TABLE.get()
    kept = table.live.ruleset.documents
    return _DOCUMENTS_TOLD(None if kept is None else kept(table.live.state), path, offset)


_LOOK, _DOCUMENTS_TOLD = texts.look_text, texts.documents_text


_ON_COMPLETE = protocol.BoundedProtocol.on_message_complete


def _head_of_the_log(self: Any) -> None:
    """Below the application, where it shows only in bytes."""
    table = _TABLES.get(id(self.config.app._app.state.services.live_games.closing))
    length = 0 if table is None else table.live.length
    kept = [header for header in self.server_state.default_headers if header[0] != b"x-load"]
    self.server_state.default_headers = [*kept, (b"x-load", b"%d" % length)]
    _ON_COMPLETE(self)


def wire_leaks() -> dict[str, WireLeak]:
    """Return every planted leak of this module by name."""
    keep = _put(keeper, "_keep", _kept)
    mafia = {
        "etag_of_the_whole_log": _head(_etag),
        "header_named_by_the_last_event": _head(_named_by_the_last),
        "fold_timed_in_a_header": _head(_folded),
        "modified_when_anything_happened": _head(_modified),
        "seen_counts_the_log": _put(callers.Caller, "seen", property(_seen_by_all)),
        "behind_by_the_log": _put(callers.Caller, "reach", _reached_by_the_log),
        "body_padded_by_the_log": _knowing(_put(views, "Response", _padded)),
        "cursor_by_position": _knowing(_put(views, "Response", _cursor)),
        "frame_id_by_position": _knowing(_put(views, "frame", _frame_placed)),
        "append_id_in_the_newest_entry": _put(Entries, "upto_now", _with_appends),
        "stream_of_the_neighbour": _put(GameFeed, "told", _of_the_neighbour),
        "sealed_ballots_to_onlookers": _put(Entries, "upto_now", _ballots),
        "empty_frame_for_hidden_events": _put(views, "_frames", _empty_frames),
        "frame_slowed_by_hidden_events": _knowing(_put(views, "_frames", _slowed)),
        "frames_parted_by_the_log": _knowing(_put(views, "_frames", _whole_appends)),
        "heartbeat_from_the_last_event": _knowing(_put(stream.EventStream, "_beat", _beat_anew)),
        "heartbeat_by_open_turns": _knowing(_put(stream.EventStream, "_beat", _beat_by_turns)),
        "replay_with_positions": _put(GameFeed, "track", _placed_for_all),
        "replay_as_long_as_the_log": _put(GameFeed, "track", _measured),
        "replay_ends_with_the_log": _put(GameFeed, "track", _ends_for_all),
        "replay_of_any_chair": _put(replay, "record_for", _whoever_asks),
        "file_of_every_chair": _put(views, "chairs", _all_chairs),
        "replay_packed_by_the_log": _knowing(_put(replay, "packed", _packed_by_length)),
        "ended_told_from_wrong": _put(Links, "find", _find_ended),
        "link_numbered_among_all": _put(link, "_opens", _opens_numbered),
        "claimed_links_of_others": _put(link, "_opens", _opens_with_others),
        "forbidden_where_a_game_is": _both(_head(lambda headers: None), _put(callers, "Problem", _there_but_closed)),
        "keeper_sees_everything": _put(callers.Grant, "perspective", property(_all_to_the_keeper)),
        "resting_game_listed_as_held": _knowing(_put(games, "_public", _resting)),
        "seconds_in_the_list": _put(games, "_minute", lambda at: at),
        "games_in_order_of_length": _put(games, "newest", _by_length),
        "transcript_of_another_chair": _put(views, "markdown", _wrong_chair),
        "seat_told_who_is_awake": _put(games, "oversight", _told_to_all),
        "keeper_told_what_is_used": _put(games, "oversight", _used_told),
        "answered_turns_in_show": _put(games, "show", _show_counted),
        "peek_names_the_length": _put(Games, "announce", _announced),
        "fork_names_the_length": _put(keeper, "_decided_by", _decided),
        "keeper_told_of_open_turns": keep,
        "document_counts_events": _both(_head(lambda headers: None), _put(app, "to_thread", _described)),
        "metrics_count_events": _both(_head(lambda headers: None), _put(metrics.Metrics, "text", _counted)),
        "journal_in_the_metrics": _both(_head(lambda headers: None), _put(metrics.Metrics, "text", _logged)),
        "health_tells_the_log": _both(_head(lambda headers: None), _put(health, "json_answer", _version)),
        "wait_ended_by_others": _put(turns, "news", _any_news),
        "idempotency_key_of_another_seat": _put(turns, "append_of", _for_all),
        "refusal_names_open_turns": _put(replies, "outcome", _told_who),
        "closed_by_the_turn_of_another": _put(replies, "was_closed", _closed_for_others),
        "thoughts_in_the_inbox_over_http": thoughts_in_the_inbox,
        "thinking_in_a_header": _head(lambda headers: thinking_in_a_header(_log(), headers)),
        "turn_numbers_of_all": _put(inbox, "answer", _due_of_all),
        "replies_of_all_in_one_bound": _put(bounds.Allowance, "wait", _one_allowance),
        "tool_counts_the_log": _knowing(_put(texts, "look_text", _look_counted)),
        "tool_looks_for_another": _put(mcp_endpoint.LiveSeat, "seen", _seen_by_another),
        "tool_wakes_for_others": _put(mcp_endpoint, "news", _any_news),
        "streams_of_all_in_one_bound": _put(bounds.AtOnce, "enter", _one_count),
    }
    tabletop = {
        "protocol_tells_the_load": _knowing(_put(protocol.BoundedProtocol, "on_message_complete", _head_of_the_log)),
        "documents_of_all_listed": _put(views, "_documents", _all_named),
        "documents_sized_as_a_whole": _put(views, "_documents", _sized),
        "tool_reads_every_document": _knowing(_put(texts, "documents_text", _documents_of_all)),
        "closed_document_told_from_none": _put(views, "_documents", _guarding),
    }
    planted = {"mafia": mafia, "tabletop": tabletop}
    for ruleset, found in mark_leaks().items():
        planted[ruleset] = {**planted.get(ruleset, {}), **found}
    return {name: WireLeak(ruleset, patch) for ruleset, found in planted.items() for name, patch in found.items()}


def looked_for_on_the_wire(name: str) -> tuple[int, int, Difference | None]:
    """What an ordinary run over HTTP finds of the leak: after how many pairs, of how many games, and what."""
    leak = wire_leaks()[name]
    number, seen = 0, set[str]()
    with closing(compared(leak.ruleset, 1, leak.patch)) as pairs:
        for pair in islice(pairs, MOST_ON_THE_WIRE):
            number += 1
            seen.add(pair.case.game)
            if pair.finding is not None:
                return number, len(seen), pair.finding
    return number, len(seen), None


def _both(*patches: Patch) -> Patch:
    def enter() -> ExitStack:
        stack = ExitStack()
        for patch in patches:
            stack.enter_context(patch())
        return stack

    return enter
