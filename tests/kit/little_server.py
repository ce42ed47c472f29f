"""A server with a few test routes behind the real process, protocol and limits: `python -m little_server SETTINGS`.

Prints its address on stdout when it is ready. SETTINGS is JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from durability.child import die_with_parent
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from sottovoce.server.http.access_log import AccessLog
from sottovoce.server.http.bounds import Allowance, AtOnce
from sottovoce.server.http.metrics import CONTENT_TYPE, Metrics
from sottovoce.server.http.problems import problem
from sottovoce.server.http.process import listen, serve
from sottovoce.server.http.settings import Settings
from sottovoce.server.http.stream import OVER, EventStream, frame


class LittleHall:
    """What the process needs of a hall, and what the test wants to know about it."""

    def __init__(self) -> None:
        self.closing = asyncio.Event()
        self.failing = asyncio.Event()
        self.ended: dict[str, asyncio.Event] = {}
        self.closed = 0
        self.notes = Path(os.environ["LITTLE_NOTES"])

    async def run(self) -> None:
        failing = asyncio.create_task(self.failing.wait())
        closing = asyncio.create_task(self.closing.wait())
        await asyncio.wait([failing, closing], return_when=asyncio.FIRST_COMPLETED)
        failing.cancel()
        closing.cancel()
        self.note("hall closed")
        if self.failing.is_set():
            raise RuntimeError("a secret text")

    def note(self, line: str) -> None:
        """Leave a note for the test; it survives the process."""
        with self.notes.open("a") as file:
            file.write(line + "\n")


def little_app(live_games: LittleHall, settings: Settings, metrics: Metrics) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if os.environ.get("LITTLE_FAULT") == "lifespan":
            raise RuntimeError("a secret text")
        yield
        live_games.note("application closed")

    app = FastAPI(lifespan=lifespan, openapi_url=None)
    replies = Allowance(settings.bounds.replies_per_minute)
    streams = AtOnce(settings.bounds.streams_per_token)
    metrics.gauge("streams", "Open streams.", lambda: len(streams))

    @app.get("/hello")
    async def hello() -> Any:
        return {"hello": "world"}

    @app.get("/whence")
    async def whence(request: Request) -> Any:
        assert request.client is not None
        return {"client": request.client.host, "scheme": request.url.scheme}

    @app.post("/games/{game}/echo")
    async def echo(game: str, request: Request) -> Any:
        return {"length": len(await request.body())}

    @app.post("/deaf")
    async def deaf() -> Any:
        return {"heard": False}

    @app.post("/reply")
    async def reply(request: Request) -> Response:
        wait = replies.wait(request.headers.get("authorization", "").encode())
        if wait:
            return problem("too-many", f"Wait {wait:.0f} s.", {"retry-after": str(int(wait) + 1)})
        return JSONResponse({"accepted": True})

    @app.post("/append")
    async def append(seconds: float) -> Any:
        live_games.note("append begins")
        await asyncio.to_thread(time.sleep, seconds)
        live_games.note("append ends")
        return {"accepted": True}

    @app.post("/wait")
    async def wait() -> Any:
        live_games.note("wait begins")
        await asyncio.Event().wait()

    @app.post("/fail")
    async def fail() -> Any:
        live_games.failing.set()
        return {}

    @app.get("/boom")
    async def boom() -> Any:
        raise RuntimeError("a secret text")

    @app.get("/large")
    async def large(size: int) -> Any:
        return PlainTextResponse(b"a" * size)

    async def frames(count: int, size: int, apart: float) -> AsyncGenerator[bytes]:
        try:
            for number in range(1, count + 1):
                yield frame(number, "entry", b'"' + b"a" * size + b'"')
                if apart:
                    await asyncio.sleep(apart)
            yield OVER
        finally:
            live_games.closed += 1

    @app.get("/stream")
    async def stream(request: Request, count: int = 1_000_000, size: int = 10, apart: float = 0.0) -> Response:
        token = request.headers.get("authorization", "")
        if not streams.enter(token.encode()):
            return problem("too-many", "Close one of your streams first.")
        return EventStream(
            frames(count, size, apart),
            closing=live_games.closing,
            ended=live_games.ended.setdefault(token, asyncio.Event()),
            bounds=settings.bounds,
            left=lambda: streams.leave(token.encode()),
        )

    @app.post("/end")
    async def end(request: Request) -> Any:
        live_games.ended.setdefault(request.headers.get("authorization", ""), asyncio.Event()).set()
        return {}

    @app.get("/inside")
    async def inside() -> Any:
        """Return what a test can't see from outside. The peak is since the last call."""
        gc.collect()
        status = Path("/proc/self/status").read_text().split()
        Path("/proc/self/clear_refs").write_text("5")
        return {
            "files": len(os.listdir("/proc/self/fd")),
            "resident": int(status[status.index("VmRSS:") + 1]) * 1024,
            "peak": int(status[status.index("VmHWM:") + 1]) * 1024,
            "closed": live_games.closed,
            "streams": len(streams),
            "tasks": len(asyncio.all_tasks()),
        }

    @app.get("/metrics")
    async def read_metrics(request: Request) -> Response:
        host = request.headers.get("authorization") == "host"
        return Response(metrics.text(host=host), headers={"content-type": CONTENT_TYPE})

    return app


def main() -> None:
    die_with_parent()
    live_games, metrics = LittleHall(), Metrics()
    listening, settings = listen(Settings.model_validate(json.loads(sys.argv[1])))

    async def afterwards() -> None:
        live_games.note("loaded afterwards")

    sys.exit(
        serve(
            little_app(live_games, settings, metrics),
            settings,
            live_games,
            listening,
            metrics,
            AccessLog(),
            ready=lambda: print(f"http://127.0.0.1:{settings.port}", flush=True),
            afterwards=afterwards,
        )
    )


if __name__ == "__main__":
    main()
