"""One world: a game's log, the whole application over it, and the chairs from which it is asked."""

from __future__ import annotations

import asyncio
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
from sottovoce.eventlog.log import Appended, LinkChange, TurnChange, Write
from sottovoce.isolation.cases import SOME_TIME
from sottovoce.isolation.stand_in import STAND_IN
from sottovoce.isolation.wire.answers import Answer
from sottovoce.isolation.wire.clock import idle
from sottovoce.isolation.wire.connection import Connections
from sottovoce.isolation.wire.operations import Request
from sottovoce.server.games import Games
from sottovoce.server.hall import Hall
from sottovoce.server.http.app import build
from sottovoce.server.http.bounds import Allowance, Bodies, Streams
from sottovoce.server.http.chairs import Office
from sottovoce.server.http.edge import Edge
from sottovoce.server.http.handovers import HandOvers
from sottovoce.server.http.journal import Journal
from sottovoce.server.http.mcp_door import McpDoor
from sottovoce.server.http.metrics import Metrics
from sottovoce.server.http.settings import Bounds, Settings
from sottovoce.server.ids import fresh_id
from sottovoce.server.links import Kind, Links, digest_of
from sottovoce.server.live import LiveGame

REPLIES = 8
"""Replies a minute that a link is allowed: few, so that the bound is reached."""
STREAMS = 5
LONGEST = 50.0
"""Seconds after which who asks has seen enough of a stream."""

SAFE = "%/?#[]@!$&'()*+,;=:-._~"
"""What stands in a path as it is sent."""

LETTERS = {Kind.HOST: "h", Kind.KEEPER: "k", Kind.SEAT: "s", Kind.SPECTATOR: "w", Kind.AUDITOR: "a"}


def token(kind: Kind, which: str = "") -> str:
    """The token of that kind which is the same in every world."""
    return f"sv{LETTERS[kind]}_" + urlsafe_b64encode(sha256(f"{kind} {which}".encode()).digest()).decode().rstrip("=")


FOLDER = Path("/zq00ffee00ff")
"""Where the campaigns and folders lie that the server offers: nobody who asks is to see it."""

OFFERED = {"campaign": "the-bell", "folder": "roof"}
"""The folder that the server offers of each kind that a game may need."""

SETTINGS = Settings(
    bounds=Bounds(
        replies_per_minute=REPLIES,
        streams_per_token=STREAMS,
        spectator_streams_per_address=STREAMS,
        bodies_per_token=STREAMS,
    ),
    log_requests=False,
    host="127.0.0.1",
    campaigns={OFFERED["campaign"]: FOLDER / OFFERED["campaign"]},
    folders={OFFERED["folder"]: FOLDER / OFFERED["folder"]},
)


@dataclass(frozen=True)
class Setting:
    """What a world begins with.

    `crowd`: others' links were issued, claimed and ended; `elsewhere`: another game is there too. Neither is any
    business of whom the two worlds are compared for. A `neighbour` is a game that is there in both. Where `everybody`
    has links, each seat has one. `beside` is another game by its id, in which each seat has one too.
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


@lru_cache(maxsize=2)
def _application(side: int) -> FastAPI:
    """The application of a side; whose office it answers for is set anew for each world."""
    games = Games(open_log("memory:"))
    links = Links(games)
    return build(Hall(games, links, plays=False), links, SETTINGS)


class _Failures(Journal):
    """Keeps what fails in the server instead of writing it down."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def __call__(self, **fields: Any) -> None:
        """Note a failure."""
        if "error" in fields:
            self.told.append(f"{fields['error']} at {fields.get('where', '-')}")


class World:
    """Enter it in a running loop; what is asked is answered by the application in this process.

    Where it is `connected`, what is asked goes through the server's HTTP and a socket, and every byte of it counts.
    """

    def __init__(self, setting: Setting, side: int, *, connected: bool = False) -> None:
        self.setting = setting
        self.now = SOME_TIME
        self.log = open_log("memory:")
        self.games = Games(self.log, clock=lambda: self.now)
        self.links = Links(self.games, digest_of(token(Kind.HOST)))
        self.hall = Hall(self.games, self.links, plays=False)
        self._side = side
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self._endings = 0
        self._failures = _Failures()
        self._connected = connected
        self._connections: Connections | None = None

    app: FastAPI
    """The application; of all worlds of a side it is the same."""

    @property
    def failures(self) -> Sequence[str]:
        """What failed in the server, whatever it answered."""
        return self._failures.told

    @property
    def live(self) -> LiveGame:
        """The game."""
        return self._table.live

    async def __aenter__(self) -> Self:
        setting = self.setting
        ruleset = RULESETS[setting.ruleset]
        await self.games.store(LiveGame(setting.game, ruleset), setting.begun)
        for name, log in (("elsewhere", setting.elsewhere), ("neighbour", setting.neighbour)):
            if log:
                moved = [msgspec.structs.replace(item, game=name, salt=b"", hash=b"") for item in log]
                await self.games.store(LiveGame(name, ruleset), moved)
        # A seat knows when its own turns are due: only what is noted from now on bears another second.
        self.now = setting.now
        await self._issue_links()
        if setting.beside is not None:
            game, log = setting.beside
            live = await self.games.store(LiveGame(game, ruleset), log)
            kinds = (Kind.KEEPER, Kind.SPECTATOR, Kind.AUDITOR)
            seats = [(Kind.SEAT, seat) for seat in live.state.seats]
            issued = [_issue(kind, seat, "beside") for kind, seat in [*((kind, None) for kind in kinds), *seats]]
            await self.games.change_links(game, issued)
        self._endings, _ = self.links.ended_since(None)
        self._table = await self._stack.enter_async_context(self.hall.sitting(setting.game))
        app = _application(self._side)
        loop = asyncio.get_running_loop()
        office: Office = app.state.office
        app.state.office = replace(
            office,
            hall=self.hall,
            links=self.links,
            handovers=HandOvers(self.games),
            replies=Allowance(REPLIES, clock=loop.time),
            streams=Streams(SETTINGS),
            bodies=Bodies(STREAMS),
            bundle=STAND_IN,
        )
        app.state.mcp = self._mcp = McpDoor(app.state.office)
        (route,) = (each for each in app.routes if isinstance(each, Route) and each.path == "/mcp")
        route.app = self._mcp
        app.state.metrics = Metrics()
        self.app = app
        self.edge = Edge(app, SETTINGS, app.state.metrics, self._failures)
        if self._connected:
            self._connections = Connections(self.edge, SETTINGS)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await idle()
        self.hall.closing.set()
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
            changes += [_issue(Kind.SEAT, other, "first"), _issue(Kind.SEAT, other)]
        if changes:
            await self.games.change_links(game, changes)
            await self.games.change_links(game, [LinkChange("claim", number=number) for number in (1, 2)])
        changes = [_issue(kind, None, "former") for kind in (Kind.KEEPER, Kind.SPECTATOR, Kind.AUDITOR)]
        changes += [_issue(kind, None) for kind in (Kind.KEEPER, Kind.SPECTATOR, Kind.AUDITOR)]
        if seat is not None:
            changes += [_issue(Kind.SEAT, seat, "former"), _issue(Kind.SEAT, seat)]
        if self.setting.everybody:
            opening = self.setting.begun[0].event
            assert isinstance(opening, GameOpened)
            changes += [_issue(Kind.SEAT, other) for other in opening.seats if other != seat]
        await self.games.change_links(game, changes)

    # what happens

    def append(self, events: Sequence[Recorded]) -> None:
        """These events happen, as if another process had appended them."""
        if not events:
            return
        live = self.live
        before, after = live.state.turns, fold(live.ruleset, [item.event for item in events], live.state).turns
        turns = [TurnChange("close", *key) for key in before if key not in after]
        turns += [TurnChange("open", turn.seat, turn.number) for key, turn in after.items() if key not in before]
        write = Write(live.id, live.length, fresh_id(), self.now, turns=tuple(turns), stored=tuple(events))
        (outcome,) = self.log.commit([write])
        assert isinstance(outcome, Appended), outcome
        live.take(outcome.events)

    async def end(self, kind: Kind, seat: str | None = None) -> None:
        """The link is issued anew, and so has ended."""
        await self.games.change_links(self.setting.game, [_issue(kind, seat, "last")])
        self.notice()

    def notice(self) -> None:
        """What another process would notice of links that ended."""
        self._endings, ended = self.links.ended_since(self._endings)
        for digest in ended:
            self.hall.ended(digest).set()

    # asking

    async def ask(self, request: Request) -> Answer:
        """The whole answer; of one without end, what came in the first seconds."""
        answer, task = self.open(request)
        await asyncio.wait({task}, timeout=LONGEST)
        task.cancel()
        await asyncio.wait({task})
        self.notice()
        return answer

    def open(self, request: Request) -> tuple[Answer, asyncio.Task[None]]:
        """The answer as it comes, until the world is left."""
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
            await self.edge(_scope(request, self.setting), receive, send)
        except Exception as error:
            answer.error = f"{type(error).__name__}: {error}"


def _issue(kind: Kind, seat: str | None, which: str = "") -> LinkChange:
    return LinkChange("issue", kind.value, seat or "", digest_of(token(kind, f"{which} {seat or ''}".strip())))


def bearer(request: Request, setting: Setting) -> str | None:
    """The token that a request carries: that of its chair."""
    seat = setting.seat or ""
    match request.chair:
        case "nobody":
            return None
        case "wrong":
            return token(Kind.SEAT, "of nobody")
        case "malformed":
            return "sv"
        case "former":
            return token(Kind.SEAT, f"former {seat}") if seat else token(Kind.SPECTATOR, "former")
        case "former keeper":
            return token(Kind.KEEPER, "former")
        case "former auditor":
            return token(Kind.AUDITOR, "former")
        case "seat":
            return token(Kind.SEAT, seat)
        case "host":
            return token(Kind.HOST)
        case name if name.startswith("bystander "):
            return token(Kind.SEAT, name.removeprefix("bystander "))
        case name if name.startswith("beside seat "):
            return token(Kind.SEAT, f"beside {name.removeprefix('beside seat ')}")
        case name if name.startswith("beside "):
            return token(Kind(name.removeprefix("beside ")), "beside")
    return token(Kind(request.chair))


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
    """Another moment of the same minute."""
    return moment.replace(second=0) + timedelta(seconds=seconds % 60)
