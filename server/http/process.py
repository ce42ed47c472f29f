"""The process that serves: its socket, its signals, its end.

SIGTERM and SIGINT end it with 0: nothing new is taken, streams are told to come back, what is under way goes through
within `farewell_seconds`. A second signal ends it at once; the log loses nothing that it acknowledged.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import sys
import threading
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, Protocol

from starlette.types import ASGIApp
from uvicorn import Server

from sottovoce.domain.errors import SottovoceError
from sottovoce.server.http.access_log import AccessLog, overheard, told
from sottovoce.server.http.metrics import Metrics
from sottovoce.server.http.middleware import Middleware
from sottovoce.server.http.protocol import BoundedConfig
from sottovoce.server.http.settings import Bounds, Settings

SEND_BUFFER = 32_768
"""Bytes that the kernel keeps for a reader that does not read; without a word it is megabytes each."""

SEGMENT = 8192
"""Bytes of a segment at most. Loopback's are as large as the buffer, and each would wait 40 ms for the last one's
acknowledgement; other networks' are smaller anyway."""

SWITCH = 0.001
"""Seconds after which a computing thread must let the loop's thread run, instead of Python's 0.005."""

BACKLOG = 2048
"""Connections that may wait to be accepted."""

FAREWELL = 3.0
"""Seconds, in addition to those for requests and games, after which the process ends in any case."""

SPARE_FILES = 200
"""Files that the process can open in addition to its connections."""

HEADERS = [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")]
"""What every answer says."""


class CannotListen(SottovoceError):
    """The server cannot listen there."""


class Hosted(Protocol):
    """What runs next to the application in its loop: the live games."""

    closing: asyncio.Event

    async def run(self) -> None:
        """Work until cancelled."""


def listen(settings: Settings) -> tuple[socket.socket, Settings]:
    """The socket that these settings ask for, listening, and the settings with its port. Raises CannotListen."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise CannotListen(f"There is no address for {settings.host!r}. Choose another --host.") from None
    family, kind, protocol, _, address = found[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Each connection inherits these.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        if sys.platform == "linux":
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SEGMENT)
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(settings.bounds.send_seconds * 1000))
        made.bind(address)
        made.listen(BACKLOG)
        made.set_inheritable(False)
    except OSError as error:
        made.close()
        where = f"{settings.host} port {settings.port}"
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(f"{where} is in use. Choose another --port, or 0 for a free one.") from None
        raise CannotListen(f"Cannot listen on {where}: {error.strerror}. Choose another --host or --port.") from None
    return made, settings.model_copy(update={"port": made.getsockname()[1]})


def serve(
    app: ASGIApp,
    settings: Settings,
    live_games: Hosted,
    listening: socket.socket,
    metrics: Metrics,
    access_log: AccessLog,
    *,
    ready: Callable[[], None] = lambda: None,
    afterwards: Callable[[], Coroutine[Any, Any, None]] | None = None,
) -> int:
    """Serve until a signal arrives, and return the exit code.

    `ready` is called when the server answers requests. Then `afterwards` runs: what takes long to load and is not
    needed at first.
    """
    settings = settings.model_copy(update={"bounds": _within_files(settings)})
    config = configuration(Middleware(app, settings, metrics, access_log), settings, metrics.refused)
    metrics.gauge("connections", "Open connections.", lambda: config.gate.open)
    server = _Server(config, live_games, access_log, ready, afterwards)
    sys.setswitchinterval(SWITCH)
    try:
        with overheard(access_log):
            server.run(sockets=[listening])
    except SystemExit:  # the application did not start; the journal has why
        return 1
    finally:
        listening.close()
        access_log.close()
    return server.code


def configuration(middleware: Middleware, settings: Settings, refused: Callable[[str], None]) -> BoundedConfig:
    """How uvicorn speaks HTTP for the application behind that edge. `refused` is told what the protocol refuses."""
    return BoundedConfig(
        middleware,
        settings,
        refused,
        loop="auto",
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        server_header=False,
        headers=HEADERS,
        timeout_keep_alive=settings.bounds.idle_seconds,
        timeout_graceful_shutdown=settings.bounds.farewell_seconds,
        backlog=BACKLOG,
    )


def _within_files(settings: Settings) -> Bounds:
    """The bounds, with no more connections than this process may open files."""
    try:
        import resource
    except ImportError:  # no such limit there
        return settings.bounds
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = settings.bounds.connections + SPARE_FILES
    if soft < wanted and soft != resource.RLIM_INFINITY:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    most = settings.bounds.connections if soft == resource.RLIM_INFINITY else max(1, soft - SPARE_FILES)
    return settings.bounds.model_copy(update={"connections": min(settings.bounds.connections, most)})


class _Server(Server):
    """uvicorn's server, which leaves with 0 and takes the hall with it."""

    def __init__(
        self,
        config: BoundedConfig,
        live_games: Hosted,
        access_log: AccessLog,
        ready: Callable[[], None],
        afterwards: Callable[[], Coroutine[Any, Any, None]] | None,
    ) -> None:
        super().__init__(config)
        self.code = 0
        self._hall = live_games
        self._access_log = access_log
        self._ready = ready
        self._afterwards = afterwards
        self._tasks: list[asyncio.Task[None]] = []

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal ends what is under way; the second ends the process."""
        if self.should_exit:
            os._exit(130)
        self.should_exit = True
        timer = threading.Timer(2 * (self.config.timeout_graceful_shutdown or 0) + FAREWELL, self._leave)
        timer.daemon = True
        timer.start()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self._tell(context.get("exception")))
        self._start(self._hall.run(), needed=True)
        await super().startup(sockets)
        self._ready()
        if self._afterwards is not None:
            self._start(self._afterwards(), needed=False)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._hall.closing.set()
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        for task in self._tasks[1:]:
            task.cancel()
        # The hall, the first of them, ends by itself once all that was being appended is.
        _, late = await asyncio.wait(self._tasks, timeout=self.config.timeout_graceful_shutdown)
        for task in late:
            task.cancel()

    def _start(self, work: Coroutine[Any, Any, None], *, needed: bool) -> None:
        task = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(lambda done: self._ended(done, needed))
        self._tasks.append(task)

    def _ended(self, task: asyncio.Task[None], needed: bool) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._tell(error)
            if needed:
                self.code, self.should_exit = 1, True

    def _leave(self) -> None:
        """End a process that something keeps, such as a log that does not answer."""
        self._access_log(error="the database does not answer. Turns claimed here are released automatically")
        self._access_log.close()
        os._exit(1)

    def _tell(self, error: BaseException | None) -> None:
        self._access_log(error="unknown" if error is None else told(error))
