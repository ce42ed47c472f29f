"""Measure the time from an entry's arrival over the network until it is in the page, by the clocks of a relay and the
DOM."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx2
from browser.sessions import People
from page_game import Game
from playwright.sync_api import Browser
from traces import Spread
from workload import SEATS

REPLIES = 80
PAUSE_S = 0.12
WORDS = "I have said so yesterday, and I say so again. " * 4
ENTRY = re.compile(rb"(?:^|\n)id: (\d+)\n")
KEPT = 32
"""How many bytes to keep of an earlier part, so that a line with an ID is found whole."""
CAME = """
window.came = [];
new MutationObserver(() => {
    const shown = [...document.querySelectorAll('[data-place], .tail .number')].at(-1);
    const number = Number(shown?.dataset.place ?? shown?.textContent);
    if (number > (window.came.at(-1)?.[0] ?? 0)) window.came.push([number, performance.timeOrigin + performance.now()]);
}).observe(document.body, { childList: true, subtree: true, characterData: true });
"""
"""Notes when each entry became the last one in the page: after the page's own work, before painting."""


class Relay:
    """Relays traffic to and from a server, and notes when it forwards each entry of a stream."""

    def __init__(self, port: int) -> None:
        self._to = ("127.0.0.1", port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.passed: dict[int, float] = {}
        """Milliseconds of wall clock by entry ID."""

    def run(self) -> None:
        """Relay until closed."""
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                remote = socket.create_connection(self._to)
                for one in (near, remote):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for way in (self._there, self._back):
                    threading.Thread(target=way, args=(near, remote), daemon=True).start()

    def _there(self, near: socket.socket, remote: socket.socket) -> None:
        with suppress(OSError):
            while part := near.recv(65_536):
                remote.sendall(part)
            remote.shutdown(socket.SHUT_WR)

    def _back(self, near: socket.socket, remote: socket.socket) -> None:
        before = b""
        with suppress(OSError):
            while part := remote.recv(65_536):
                now = time.time() * 1000
                before = before[-KEPT:] + part
                for found in ENTRY.finditer(before):
                    self.passed.setdefault(int(found[1]), now)
                near.sendall(part)
            near.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Stop accepting connections."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


@contextmanager
def relayed(base: str) -> Iterator[tuple[str, Relay]]:
    """Return an address that reaches the same server through a relay."""
    relay = Relay(int(base.rpartition(":")[2]))
    threading.Thread(target=relay.run, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{relay.port}", relay
    finally:
        relay.close()


def arrivals(browser: Browser, base: str, game: Game, token: str) -> Spread:
    """Measure milliseconds from the relay to the DOM while the players talk."""
    with relayed(base) as (address, relay), People(browser) as people:
        page = people.page(f"{address}/games/{game.id}#{token}")
        page.locator(".table .seat").first.wait_for()
        page.wait_for_timeout(1000)
        page.evaluate(CAME)
        talk(base, game)
        page.wait_for_timeout(1000)
        came: list[tuple[int, float]] = page.evaluate("window.came")
    found = [at - relay.passed[number] for number, at in came if number in relay.passed]
    if len(found) < REPLIES // 2:
        raise RuntimeError(f"of {REPLIES} replies, {len(found)} were seen to arrive")
    return Spread.of(found)


def talk(base: str, game: Game) -> None:
    """Answer every open turn: the narrator calls on someone, who speaks."""
    with httpx2.Client(base_url=f"{base}/v1/games/{game.id}", timeout=60) as http:
        for _ in range(REPLIES):
            seat, turn = next(found for seat in SEATS if (found := _asked(http, game, seat)))
            _reply(http, game, seat, turn["turn"], turn["choices"][0] if turn["choices"] else WORDS)


def _asked(http: httpx2.Client, game: Game, seat: str) -> tuple[str, dict[str, Any]] | None:
    answer = http.get("/turns", params={"since": 10**9}, headers=_token(game, seat)).raise_for_status().json()
    return next(((seat, turn) for turn in answer["turns"]), None)


def _reply(http: httpx2.Client, game: Game, seat: str, turn: int, text: str) -> None:
    http.post(f"/turns/{turn}", json={"text": text}, headers=_token(game, seat)).raise_for_status()
    time.sleep(PAUSE_S)


def _token(game: Game, seat: str) -> dict[str, str]:
    return {"authorization": f"Bearer {game.seats[seat]}"}
