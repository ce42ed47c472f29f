"""The whole server in a thread of the test's process: real sockets, a real log, and requests to it."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx2
from commands import Cli
from patience import PATIENCE
from uvicorn import Config, Server

from sottovoce.eventlog import open_log
from sottovoce.server.budget import AllowedAgents
from sottovoce.server.games import Games
from sottovoce.server.http.access_log import AccessLog
from sottovoce.server.http.app import build
from sottovoce.server.http.middleware import Middleware
from sottovoce.server.http.settings import Bounds, Settings
from sottovoce.server.links import LinkKind, Links, digest_of, new_token
from sottovoce.server.live_games import LiveGames

PLAYERS = ("Ada", "Bram", "Cleo", "Dirk", "Edda")
EXAMPLES = Path(__file__).parents[2] / "examples"
CAMPAIGN = "ten-past-four"


def bounded(**more: Any) -> Bounds:
    """Limits that no test reaches by accident."""
    return Bounds.model_validate({"replies_per_minute": 100_000, "streams_per_token": 64, **more})


def places_in(folder: Path) -> Settings:
    """Return a server's settings with a campaign and, below that folder, a copy of a folder of tasks: `paper`."""
    work = shutil.copytree(EXAMPLES / "delegation" / "village-paper", folder / "paper")
    campaigns = {CAMPAIGN: EXAMPLES / "campaigns" / CAMPAIGN}
    return Settings(bounds=bounded(), log_requests=False, places={"campaign": campaigns, "folder": {"paper": work}})


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of a stream."""

    id: str | None
    event: str
    data: Any


@dataclass
class RemoteServer:
    """A server, and a client for it. `url` is the URL of its log."""

    url: str
    settings: Settings = field(default_factory=lambda: Settings(bounds=bounded(), log_requests=False))
    host: str = field(default_factory=lambda: new_token(LinkKind.HOST))
    plays: bool = True

    def __enter__(self) -> Self:
        # With an explicit protocol, because asyncio delays small writes on a socket without one.
        self._listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._listening.bind(("127.0.0.1", 0))
        self._listening.listen(128)
        self.port = self._listening.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        if self._failure is not None:
            raise self._failure
        self.http = httpx2.Client(base_url=self.base, timeout=PATIENCE)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, t: TracebackType | None) -> None:
        self.http.close()
        self.loop.call_soon_threadsafe(self._stop)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        if self._failure is not None:
            raise self._failure

    def _stop(self) -> None:
        self.live_games.closing.set()
        self._server.should_exit = True

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as failure:
            self._failure = failure
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        log = open_log(self.url, create=True)
        try:
            self.games = Games(log)
            self.links = Links(self.games, digest_of(self.host))
            allowed = AllowedAgents(self.settings.agents)
            self.live_games = LiveGames(self.games, self.links, plays=self.plays, allowed=allowed)
            settings = self.settings.model_copy(update={"port": self.port})
            app = build(self.live_games, self.links, settings)
            middleware = Middleware(app, settings, app.state.metrics, AccessLog())
            # The tests' client keeps a connection for 5 s; a server that closes it at that moment would disturb it.
            config = Config(
                middleware,
                log_config=None,
                lifespan="off",
                access_log=False,
                timeout_keep_alive=60,
                timeout_graceful_shutdown=5,
            )
            self._server = Server(config)
            working = asyncio.create_task(self.live_games.run())
            serving = asyncio.create_task(self._server.serve(sockets=[self._listening]))
            while not self._server.started and not serving.done():
                await asyncio.sleep(0.005)
            self._ready.set()
            await serving
            self.live_games.closing.set()
            await working
            self.games.close()
        finally:
            log.close()

    @property
    def cli(self) -> Cli:
        """Return the command line for the same log."""
        return Cli(Path(self.url.removeprefix("sqlite:///")))

    # requests

    def ask(
        self,
        method: str,
        path: str,
        token: str | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        **params: Any,
    ) -> httpx2.Response:
        """Send one request, with a token if given."""
        given = dict(headers or {})
        if token is not None:
            given["authorization"] = f"Bearer {token}"
        return self.http.request(method, path, headers=given, json=body, params=params or None)

    def get(self, path: str, token: str | None = None, **params: Any) -> Any:
        """Return the JSON of a successful answer."""
        answer = self.ask("GET", path, token, **params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def open(self, **wanted: Any) -> Opened:
        """Create a game, of Mafia by default."""
        answer = self.ask("POST", "/v1/games", self.host, {"ruleset": "mafia", **wanted})
        assert answer.status_code == 201, answer.text
        told = answer.json()
        links = told["links"]
        tokens = {seat: token_of(link) for seat, link in links["seats"].items()}
        return Opened(told["game"], token_of(links["keeper"]), token_of(links["spectator"]), tokens)

    def issue(self, game: str, keeper: str, kind: str, seat: str | None = None) -> str:
        """Return a new link's token."""
        answer = self.ask("POST", f"/v1/games/{game}/links", keeper, {"kind": kind, "seat": seat})
        assert answer.status_code == 201, answer.text
        return token_of(answer.json()["link"])

    @contextmanager
    def stream(self, game: str, token: str, last: str | None = None, **params: Any) -> Iterator[Iterator[Frame]]:
        """Yield the frames of a stream while the block lasts."""
        headers = {"authorization": f"Bearer {token}", **({} if last is None else {"last-event-id": last})}
        with self.http.stream("GET", f"/v1/games/{game}/stream", headers=headers, params=params) as answer:
            assert answer.status_code == 200, answer.read()
            yield frames(answer)


@dataclass(frozen=True, slots=True)
class Opened:
    """A game and its tokens."""

    game: str
    keeper: str
    spectator: str
    seats: Mapping[str, str]


def token_of(link: str) -> str:
    """Return the token of a link."""
    return link.partition("#")[2]


def frames(answer: httpx2.Response) -> Iterator[Frame]:
    """Yield the frames of an open answer, without comments."""
    number, event, data = None, "", ""
    for line in answer.iter_lines():
        name, _, text = line.partition(": ")
        if line == "":
            if data:
                yield Frame(number, event, json.loads(data))
            number, event, data = None, "", ""
        elif name == "id":
            number = text
        elif name == "event":
            event = text
        elif name == "data":
            data = text


def log_in(folder: Path) -> str:
    """Return the URL of a log in that folder."""
    return f"sqlite:///{folder / 'games.db'}"
