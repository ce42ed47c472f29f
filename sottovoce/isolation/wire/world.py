"""One world: a game's log, the whole application on it, and the viewers that ask it."""

from __future__ import annotations

import asyncio
import time
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, unquote

import msgspec
from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import Message, Scope

from sottovoce.domain.events import GameOpened, Recorded
from sottovoce.domain.game import fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import Appended, LinkChange, Receipt, TurnChange, Write
from sottovoce.isolation.cases import SOME_TIME
from sottovoce.isolation.minds import costs_of, minds_of
from sottovoce.isolation.stand_in import STAND_IN
from sottovoce.isolation.wire.answers import Answer
from sottovoce.isolation.wire.clock import idle
from sottovoce.isolation.wire.connection import Connections
from sottovoce.isolation.wire.operations import OFFERED, Request
from sottovoce.server.extras import place_kinds
from sottovoce.server.games import Games
from sottovoce.server.http.access_log import AccessLog
from sottovoce.server.http.app import build
from sottovoce.server.http.bounds import Allowance, Bodies, Streams
from sottovoce.server.http.callers import Services
from sottovoce.server.http.mcp_endpoint import McpEndpoint
from sottovoce.server.http.metrics import Metrics
from sottovoce.server.http.middleware import Middleware
from sottovoce.server.http.receipts import DeliveryReceipts
from sottovoce.server.http.settings import Bounds, Settings
from sottovoce.server.ids import fresh_id
from sottovoce.server.links import LinkKind, Links, digest_of
from sottovoce.server.live import Doing, LiveGame
from sottovoce.server.live_games import LiveGames

REPLIES = 8
"""Replies per minute of a link: few, so that the limit is reached."""
STREAMS = 5
LONGEST = 50.0
"""Seconds after which a viewer has seen enough of a stream."""

SAFE = "%/?#[]@!$&'()*+,;=:-._~"
"""Characters that are sent unchanged in a path."""

LETTERS = {LinkKind.HOST: "h", LinkKind.KEEPER: "k", LinkKind.SEAT: "s", LinkKind.SPECTATOR: "w", LinkKind.AUDITOR: "a"}


def token(kind: LinkKind, which: str = "") -> str:
    """The token of that kind which is the same in every world."""
    return f"sv{LETTERS[kind]}_" + urlsafe_b64encode(sha256(f"{kind} {which}".encode()).digest()).decode().rstrip("=")


FOLDER = Path("/zq00ffee00ff")
"""Where the folders lie that the server offers: nobody who asks is to see it."""

SETTINGS = Settings(
    bounds=Bounds(
        replies_per_minute=REPLIES,
        streams_per_token=STREAMS,
        spectator_streams_per_address=STREAMS,
        bodies_per_token=STREAMS,
    ),
    log_requests=False,
    host="127.0.0.1",
    places={kind: {OFFERED: FOLDER / OFFERED} for kind in place_kinds()},
)


@dataclass(frozen=True)
class Setting:
    """How a world starts.

    With `crowd`, others' links were created, claimed and revoked. With `elsewhere`, there is another game. The compared
    viewer must notice neither. A `neighbour` is a game that exists in both worlds. With `everybody`, each seat has a
    link. `beside` is the ID of another game in which each seat has a link too. Unless `working`, no agent is at work
    and none has used anything: for the page of a seat that is told of that, which differs in the two worlds.
    """

    game: str
    ruleset: str
    seat: str | None
    begun: Sequence[Recorded]
    now: datetime
    crowd: tuple[str, ...] = ()
    elsewhere: Sequence[Recorded] = ()
    neighbour: Sequence[Recorded] = ()
    everybody: bool = False
    beside: tuple[str, Sequence[Recorded]] | None = None
    working: bool = True


@lru_cache(maxsize=2)
def _application(side: int) -> FastAPI:
    """Return the application of a side. Its office is set again for each world."""
    games = Games(open_log("memory:"))
    links = Links(games)
    return build(LiveGames(games, links, plays=False), links, SETTINGS)


class _Failures(AccessLog):
    """Collects failures in the server instead of printing them."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def __call__(self, **fields: Any) -> None:
        """Record a failure."""
        if "error" in fields:
            self.told.append(f"{fields['error']} at {fields.get('where', '-')}")


class World:
    """A world. Enter it in a running loop. The application in this process answers the requests.

    If `connected`, requests go through the server's HTTP and a socket, and every byte counts.
    """

    def __init__(self, setting: Setting, side: int, *, connected: bool = False) -> None:
        self.setting = setting
        self.now = SOME_TIME
        self.log = open_log("memory:")
        self.games = Games(self.log, clock=lambda: self.now)
        self.links = Links(self.games, digest_of(token(LinkKind.HOST)))
        self.live_games = LiveGames(self.games, self.links, plays=False)
        self._side = side
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self._revocations = 0
        self._failures = _Failures()
        self._connected = connected
        self._connections: Connections | None = None

    app: FastAPI
    """Return the application, which all worlds of a side share."""

    @property
    def failures(self) -> Sequence[str]:
        """Return what failed in the server, whatever it answered."""
        return self._failures.told

    @property
    def live(self) -> LiveGame:
        """Return the game."""
        return self._table.live

    async def __aenter__(self) -> Self:
        setting = self.setting
        ruleset = RULESETS[setting.ruleset]
        await self.games.store(LiveGame(setting.game, ruleset), setting.begun)
        await self.games.record(setting.game, self._minds(setting.begun))
        for name, log in (("elsewhere", setting.elsewhere), ("neighbour", setting.neighbour)):
            if log:
                moved = [msgspec.structs.replace(item, game=name, salt=b"", hash=b"") for item in log]
                await self.games.store(LiveGame(name, ruleset), moved)
        # A seat knows when its own turns time out, so only later events get another second.
        self.now = setting.now
        await self._issue_links()
        if setting.beside is not None:
            game, log = setting.beside
            live = await self.games.store(LiveGame(game, ruleset), log)
            kinds = (LinkKind.KEEPER, LinkKind.SPECTATOR, LinkKind.AUDITOR)
            seats = [(LinkKind.SEAT, seat) for seat in live.state.seats]
            issued = [_issue(kind, seat, "beside") for kind, seat in [*((kind, None) for kind in kinds), *seats]]
            await self.games.change_links(game, issued)
        self._revocations, _ = self.links.ended_since(None)
        self._table = await self._stack.enter_async_context(self.live_games.using(setting.game))
        self._put_to_work()
        app = _application(self._side)
        loop = asyncio.get_running_loop()
        services: Services = app.state.services
        app.state.services = replace(
            services,
            live_games=self.live_games,
            links=self.links,
            handovers=DeliveryReceipts(self.games),
            replies=Allowance(REPLIES, clock=loop.time),
            streams=Streams(SETTINGS),
            bodies=Bodies(STREAMS),
            bundle=STAND_IN,
        )
        app.state.mcp = self._mcp = McpEndpoint(app.state.services)
        (route,) = (each for each in app.routes if isinstance(each, Route) and each.path == "/mcp")
        route.app = self._mcp
        app.state.metrics = Metrics()
        self.app = app
        self.middleware = Middleware(app, SETTINGS, app.state.metrics, self._failures)
        if self._connected:
            self._connections = Connections(self.middleware, SETTINGS)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await idle()
        self.live_games.closing.set()
        if self._connections is not None:
            await self._connections.close()
        await self._mcp.left()
        await self._stack.aclose()
        self.games.close()
        self.log.close()

    async def _issue_links(self) -> None:
        game, seat = self.setting.game, self.setting.seat
        changes: list[LinkChange] = []
        for other in self.setting.crowd:
            changes += [_issue(LinkKind.SEAT, other, "first"), _issue(LinkKind.SEAT, other)]
        if changes:
            await self.games.change_links(game, changes)
            await self.games.change_links(game, [LinkChange("claim", number=number) for number in (1, 2)])
        changes = [_issue(kind, None, "former") for kind in (LinkKind.KEEPER, LinkKind.SPECTATOR, LinkKind.AUDITOR)]
        changes += [_issue(kind, None) for kind in (LinkKind.KEEPER, LinkKind.SPECTATOR, LinkKind.AUDITOR)]
        if seat is not None:
            changes += [_issue(LinkKind.SEAT, seat, "former"), _issue(LinkKind.SEAT, seat)]
        if self.setting.everybody:
            opening = self.setting.begun[0].event
            assert isinstance(opening, GameOpened)
            changes += [_issue(LinkKind.SEAT, other) for other in opening.seats if other != seat]
        await self.games.change_links(game, changes)

    # events

    def append(self, events: Sequence[Recorded]) -> None:
        """Append these events, as if another process had done it."""
        if not events:
            return
        live = self.live
        before, after = live.state.turns, fold(live.ruleset, [item.event for item in events], live.state).turns
        turns = [TurnChange("close", *key) for key in before if key not in after]
        turns += [TurnChange("open", turn.seat, turn.number) for key, turn in after.items() if key not in before]
        minds = tuple(self._minds(events))
        write = Write(
            live.id, live.length, fresh_id(), self.now, turns=tuple(turns), stored=tuple(events), receipts=minds
        )
        (outcome,) = self.log.commit([write])
        assert isinstance(outcome, Appended), outcome
        live.take(outcome.events)
        self._put_to_work()

    def _minds(self, events: Sequence[Recorded]) -> list[Receipt]:
        """What the agents thought when they answered, and what that cost: something else in each world."""
        salt = (self.setting.game, self._side)
        costs = costs_of(events, self.now, *salt) if self.setting.working else ()
        return [*minds_of(events, self.now, *salt), *costs]

    def _put_to_work(self) -> None:
        """Let the agent of each open turn say what it does, as it does where this process calls it."""
        if not self.setting.working:
            return
        live = self.live
        began = time.monotonic()
        live.doing = {key: Doing(turn.seat, None, "thinking", began) for key, turn in live.state.turns.items()}

    async def end(self, kind: LinkKind, seat: str | None = None) -> None:
        """Replace the link, which ends the old one."""
        await self.games.change_links(self.setting.game, [_issue(kind, seat, "last")])
        self.notice()

    def notice(self) -> None:
        """Notice links that another process revoked."""
        self._revocations, ended = self.links.ended_since(self._revocations)
        for digest in ended:
            self.live_games.ended(digest).set()

    # asking

    async def ask(self, request: Request) -> Answer:
        """Return the whole answer; of an endless one, what arrives in the first seconds."""
        answer, task = self.open(request)
        await asyncio.wait({task}, timeout=LONGEST)
        task.cancel()
        await asyncio.wait({task})
        self.notice()
        return answer

    def open(self, request: Request) -> tuple[Answer, asyncio.Task[None]]:
        """Return the answer as it arrives, until the world is left."""
        answer = Answer()
        task = asyncio.get_running_loop().create_task(self._answer(request, answer))
        self._tasks.append(task)
        return answer, task

    async def _answer(self, request: Request, answer: Answer) -> None:
        if self._connections is not None:
            await self._connections.ask(_scope(request, self.setting), request.body, answer)
            return
        loop = asyncio.get_running_loop()
        started = loop.time()
        asked = False

        async def receive() -> Message:
            nonlocal asked
            if asked:
                await loop.create_future()
            asked = True
            return {"type": "http.request", "body": request.body, "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer.status, answer.headers = message["status"], list(message.get("headers", ()))
            elif message["type"] == "http.response.body":
                answer.parts.append((loop.time() - started, message.get("body", b"")))
                answer.ended = not message.get("more_body", False)

        try:
            await self.middleware(_scope(request, self.setting), receive, send)
        except Exception as error:
            answer.error = f"{type(error).__name__}: {error}"


def _issue(kind: LinkKind, seat: str | None, which: str = "") -> LinkChange:
    return LinkChange("issue", kind.value, seat or "", digest_of(token(kind, f"{which} {seat or ''}".strip())))


def bearer(request: Request, setting: Setting) -> str | None:
    """Return the token of a request: that of its viewer."""
    seat = setting.seat or ""
    match request.chair:
        case "nobody":
            return None
        case "wrong":
            return token(LinkKind.SEAT, "of nobody")
        case "malformed":
            return "sv"
        case "former":
            return token(LinkKind.SEAT, f"former {seat}") if seat else token(LinkKind.SPECTATOR, "former")
        case "former keeper":
            return token(LinkKind.KEEPER, "former")
        case "former auditor":
            return token(LinkKind.AUDITOR, "former")
        case "seat":
            return token(LinkKind.SEAT, seat)
        case "host":
            return token(LinkKind.HOST)
        case name if name.startswith("bystander "):
            return token(LinkKind.SEAT, name.removeprefix("bystander "))
        case name if name.startswith("beside seat "):
            return token(LinkKind.SEAT, f"beside {name.removeprefix('beside seat ')}")
        case name if name.startswith("beside "):
            return token(LinkKind(name.removeprefix("beside ")), "beside")
    return token(LinkKind(request.chair))


def _scope(request: Request, setting: Setting) -> Scope:
    headers = [(b"host", b"127.0.0.1:8000")]
    given = bearer(request, setting)
    if given is not None:
        headers.append((b"authorization", b"Bearer " + given.encode()))
    if request.body:
        headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(request.body))]
    headers += [(name.lower().encode(), value.encode("latin-1")) for name, value in request.headers]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquote(request.path),
        "raw_path": quote(request.path, safe=SAFE).encode(),
        "query_string": request.query.encode(),
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }


def later(moment: datetime, seconds: int) -> datetime:
    """Return another time in the same minute."""
    return moment.replace(second=0) + timedelta(seconds=seconds % 60)
