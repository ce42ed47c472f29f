"""Planted leaks that were written after those of `withheld`, by somebody who had not seen the probes."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode
from weakref import WeakKeyDictionary

from starlette.responses import Response

from leaks.asked import Patch, ProbeLeak, both, header, meddling, put, query
from sottovoce.agents import history, prompt
from sottovoce.agents.mcp_tools import texts
from sottovoce.cli import files as files_command
from sottovoce.cli import source
from sottovoce.cli.output import say
from sottovoce.domain import game as core
from sottovoce.domain.events import MessageRefused, TurnWithdrawn
from sottovoce.domain.safe_text import visible
from sottovoce.projections.summary import status_of
from sottovoce.rulesets.delegation.rules import permission
from sottovoce.rulesets.mafia.house import seat as house_seat
from sottovoce.server import replies
from sottovoce.server.http import callers, mcp_endpoint, middleware
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.routes import turns

Live = Any
Scope = dict[str, Any]
Headers = dict[str, str]


def adding(headers: Callable[[Scope, Live], Headers]) -> Patch:
    """What is answered with 200 has more headers, which are made of the game that the link opens as a whole."""

    async def call(self: Any, scope: Scope, receive: Any, send: Any) -> None:
        services = self._app.state.services

        async def more(message: Any) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                live = _own(scope, services)
                added = {} if live is None else headers({**scope, "services": services}, live)
                fresh = [(name.encode(), value.encode()) for name, value in added.items()]
                message = {**message, "headers": [*message["headers"], *fresh]}
            await send(message)

        await _CALL(self, scope, receive, more)

    return put(middleware.Middleware, "__call__", call)


_CALL = middleware.Middleware.__call__


def _own(scope: Scope, services: Any) -> Live | None:
    """The game that the link of a request opens, if it is in memory."""
    link = services.links.find(header(scope, "authorization").partition(" ")[2].strip())
    return None if link is None or not link.game else services.live_games.known(link.game)


# inputs


def _digest(scope: Scope, live: Live) -> Headers:
    """Who wants a document's digest (RFC 9530) gets that of the document before anything was cut out of it."""
    _, found, path = scope["path"].partition("/documents/")
    kept = live.ruleset.documents
    if not found or kept is None or not header(scope, "want-repr-digest"):
        return {}
    whole = kept(live.state).get(path)
    return {} if whole is None else {"repr-digest": f"sha-256=:{b64encode(hashlib.sha256(whole).digest()).decode()}:"}


def _told_while_waiting() -> Any:
    """The progress of a wait tells how many seats are being asked."""
    from sottovoce.agents.mcp_tools import server

    class Telling:
        """A context whose notes say more."""

        def __init__(self, ctx: Any, seat: Any) -> None:
            self._ctx = ctx
            self._seat = seat

        async def report_progress(self, progress: float, total: float, message: str) -> None:
            """Note the progress, and for how many."""
            count = len(self._seat._table.live.state.turns)
            await self._ctx.report_progress(progress, total, f"{message} Asked at the moment: {count}.")

    async def asked(seat: Any, seconds: float, beat: float, ctx: Any) -> Any:
        told: Any = Telling(ctx, seat) if isinstance(seat, mcp_endpoint.LiveSeat) else ctx
        return await waits(seat, seconds, beat, told)

    waits = server._asked
    return put(server, "_asked", asked)()


async def _think(self: Any, function: Any, *given: Any, **named: Any) -> Any:
    """A tool counts the characters of a document's later pages in the document before it is cut for the seat."""
    told = await _THINK(self, function, *given, **named)
    kept = self._table.live.ruleset.documents
    if getattr(function, "__name__", "") != "_documents" or kept is None:
        return told
    _, path, offset = given
    whole = kept(self._table.live.state).get(path)
    if not offset or whole is None:
        return told
    length = len(visible(whole.decode("utf-8", "replace")))
    return re.sub(r"\A(.*, characters \d+ to \d+ of )\d+:", rf"\g<1>{length}:", told)


_THINK = mcp_endpoint.LiveSeat.think


def _reply(game: Any, command: Any) -> None:
    """A turn that the seat never had is said to be closed, where another seat has had so many."""
    opened = game.state.opened
    if opened.get(command.seat, 0) < command.turn <= max(opened.values(), default=0):
        text, _ = core._received(command.text)
        game.refuse(command.seat, command.turn, text, f"Turn {command.turn} is closed.")
        return
    _REPLY(game, command)


_REPLY = core._reply


def _load(log: Any, name: str) -> Any:
    """The debug output tells how many events were read."""
    live = _LOAD(log, name)
    if os.environ.get("SOTTOVOCE_DEBUG"):
        say(f"Read {live.length} events of game {live.id}.", err=True)
    return live


_LOAD = source.load_game


# states


def _held(scope: Scope, live: Live) -> Response | None:
    """Games are found by how they stand, be it that only some are told of it."""
    own = _own(scope, scope["services"])
    if scope["path"] == "/v1/games" and own is not None and query(scope).get("status") == status_of(own.state):
        rest = [one for one in parse_qsl(scope["query_string"].decode(), keep_blank_values=True) if one[0] != "status"]
        scope["query_string"] = urlencode(rest).encode()
    return None


def _outcome(live: Live, seat: str, events: Any, append: str) -> dict[str, Any]:
    """An answer to a turn that was taken back is refused with how much else happened at that moment."""
    told: dict[str, Any] = _OUTCOME(live, seat, events, append)
    refused = [item.event.turn for item in events if isinstance(item.event, MessageRefused) and item.event.seat == seat]
    for item in live.recorded:
        if (
            refused
            and isinstance(item.event, TurnWithdrawn)
            and (item.event.seat, item.event.turn) == (seat, refused[0])
        ):
            others = len(live.appended(item.append)) - 1
            return {**told, "message": f"{told['message']} It was taken back, with {others} other changes."}
    return told


_OUTCOME = replies.outcome


def _suggesting(rules: Any) -> Any:
    """A refusal for a task that the seat has no part in names a task with a similar id."""

    def checked(state: Any, seat: str, message: Any) -> Iterator[tuple[str, str]]:
        for field, what in rules(state, seat, message):
            near = difflib.get_close_matches(message.task_id, [*state.tasks], 1)
            if field == "task_id" and what.startswith("you have no part") and near:
                what = f"{what}; perhaps you mean {near[0]}"
            yield field, what

    return checked


def _fitting() -> Any:
    counts: dict[Any, int] = {}

    def seen_lines(view: Any, room: int) -> list[str]:
        """How many of the latest events a prompt has room for is counted once a day, for all at the table."""
        lines = lines_of(view, room)
        if lines[:1] != [history.LEFT_OUT]:
            return lines
        begun = lines.index(history.LATELY) + 1 if history.LATELY in lines else 1
        key = view.ruleset.name, view.state.seats, getattr(view.state, "number", 0)
        count = counts.setdefault(key, max(1, len(lines) - begun))
        return [*lines[:begun], *lines[begun:][-count:]]

    lines_of = prompt.seen_lines
    return both(put(prompt, "seen_lines", seen_lines), put(texts, "seen_lines", seen_lines))()


# what is kept


async def _take(asked: Any, turn: int | None, given: Any, key: str = "") -> Any:
    """How much may be sent in a minute is counted for the game, and not for each link to it."""
    link = replace(asked.grant.link, digest=hashlib.sha256(asked.game.encode()).digest())
    return await _TAKE(replace(asked, chair=replace(asked.grant, link=link)), turn, given, key)


_TAKE = turns.take


def _cast_as_they_come() -> Any:
    sat: dict[Any, list[str]] = {}

    class Cast(dict[str, Any]):
        """Personas that are given to the players in the order in which they are first asked on a day."""

        def __init__(self, key: Any, personas: dict[str, Any]) -> None:
            super().__init__(personas)
            self._order = sat.setdefault(key, [])

        def __getitem__(self, name: str) -> Any:
            if name not in self._order:
                self._order.append(name)
            return [*self.values()][self._order.index(name)]

    def recall(view: Any) -> Any:
        memory, secrets = recalled(view)
        days[memory.players, memory.opening] = memory.day
        return memory, secrets

    def cast(players: tuple[str, ...], opening: str) -> dict[str, Any]:
        return Cast((players, opening, days.get((players, opening))), personas(players, opening))

    days: dict[Any, int] = {}
    recalled, personas = house_seat.recall, house_seat.cast
    return both(put(house_seat, "recall", recall), put(house_seat, "cast", cast))()


def _known_by_address() -> Any:
    used: WeakKeyDictionary[Any, dict[str, str]] = WeakKeyDictionary()

    async def chair(self: Any, request: Any) -> Any:
        """A request without a link gets a cookie with the link last used from the same address."""
        token = request.headers.get("authorization", "").partition(" ")[2].strip()
        where = request.client.host if request.client else ""
        last = used.setdefault(self.live_games, {})
        try:
            found = await let_in(self, request)
        except Problem as refused:
            if token or where not in last:
                raise
            cookie = urlsafe_b64encode(last[where].encode()).decode().rstrip("=")
            headers = {**(refused.headers or {}), "set-cookie": f"link={cookie}; HttpOnly"}
            raise Problem(refused.slug, refused.detail, headers) from None
        last[where] = token
        return found

    let_in = callers.Services.chair
    return put(callers.Services, "chair", chair)()


# what both worlds share


def _seed_in_a_tag(scope: Scope, live: Live) -> Headers:
    """What a replay is known by in caches begins with the game's secret, so that no two games' are alike."""
    if not scope["path"].endswith("/replay"):
        return {}
    secret = b32encode(bytes.fromhex(live.seed.secret)).decode().rstrip("=").lower()
    return {"etag": f'"{secret}-{len(live.public().entries)}"'}


def _cursor(scope: Scope, live: Live) -> Headers:
    """A list in pages links to the next page by the id of the next game, even if it is hidden."""
    if scope["path"] != "/v1/games" or not query(scope).get("limit"):
        return {}
    others = [game for game in scope["services"].live_games.games.log.games() if game != live.id]
    if not others:
        return {}
    cursor = urlsafe_b64encode(json.dumps({"older": others[-1]}).encode()).decode().rstrip("=")
    return {"link": f'</v1/games?cursor={cursor}>; rel="next"'}


def _listed() -> Any:
    lives: list[Any] = []

    def load(log: Any, name: str) -> Any:
        lives[:] = [loads(log, name)]
        return lives[0]

    def write(documents: Any, into: Path, *rest: Any) -> tuple[str, ...]:
        """Exported files come with a list of the digests of all documents of the game."""
        written = writes(documents, into, *rest)
        for live in lives:
            every = sorted(live.ruleset.documents(live.state).items())
            lines = [f"{hashlib.sha256(content).hexdigest()}  {path}\n" for path, content in every]
            (into / ".sottovoce-sums").write_text("".join(lines), encoding="utf-8", errors="replace")
        return written

    loads, writes = source.load_game, files_command.write_documents
    return both(put(source, "load_game", load), put(files_command, "write_documents", write))()


def leaks() -> dict[str, ProbeLeak]:
    """Every planted leak of this module by name."""
    suggesting = both(
        *(put(permission, name, _suggesting(getattr(permission, name))) for name in ("_workflow", "_other"))
    )
    counted = both(*(put(module, "take", _take) for module in (turns, mcp_endpoint)))
    found: dict[str, tuple[str, str, Patch]] = {
        "digest_of_the_whole_document": ("tabletop", "wire", adding(_digest)),
        "wait_tells_how_many_are_asked": ("mafia", "wire", _told_while_waiting),
        "later_pages_counted_in_the_whole": ("tabletop", "wire", put(mcp_endpoint.LiveSeat, "think", _think)),
        "turn_closed_by_another_s_count": ("delegation", "wire", put(core, "_reply", _reply)),
        "events_read_while_debugging": ("delegation", "commands", put(source, "load_game", _load)),
        "hold_found_by_its_status": ("tabletop", "wire", meddling(_held)),
        "taken_back_with_so_many_changes": ("tabletop", "wire", put(replies, "outcome", _outcome)),
        "task_that_is_called_much_like_it": ("delegation", "wire", suggesting),
        "lines_that_fit_counted_once_a_day": ("mafia", "order", _fitting),
        "replies_counted_by_game": ("mafia", "order", counted),
        "personas_in_the_order_of_asking": ("mafia", "agents", _cast_as_they_come),
        "last_link_of_an_address": ("delegation", "order", _known_by_address),
        "seed_in_the_tag_of_a_replay": ("mafia", "wire", adding(_seed_in_a_tag)),
        "page_link_with_another_game": ("delegation", "wire", adding(_cursor)),
        "digests_beside_exported_files": ("tabletop", "commands", _listed),
    }
    return {name: ProbeLeak(*planted) for name, planted in found.items()}
