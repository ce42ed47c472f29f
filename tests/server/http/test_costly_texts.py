"""The most expensive texts that a seat can send, to every kind of turn, keep nobody else waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from costly import Situation, situations, texts
from loop_meter import metered
from patience import PATIENCE
from remote import RemoteServer, bounded, log_in
from sizes import NIGHTLY

from sottovoce.server.games import new_game_id
from sottovoce.server.http.settings import Settings
from sottovoce.server.links import LinkKind
from sottovoce.server.live import LiveGame

MOST = 0.020
"""Seconds of processor time that one callback of the loop may take."""

EVERY = 1 if NIGHTLY else 72
"""Each kind of turn gets one text in so many, other kinds others."""


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    settings = Settings(bounds=bounded(), log_requests=False)
    with RemoteServer(log_in(tmp_path_factory.mktemp("far")), settings, plays=False) as remote:
        yield remote


@pytest.fixture(scope="module")
def found() -> list[Situation]:
    return list(situations())


class Table:
    """A situation on a server: its game goes on from there, and everybody at it is somebody far away."""

    def __init__(self, remote: RemoteServer, situation: Situation) -> None:
        self.remote = remote
        self.situation = situation
        self.seats = situation.state.seats
        self.game, self.tokens = self._run(self._opened())

    async def _opened(self) -> tuple[str, dict[str, str]]:
        games, links = self.remote.games, self.remote.links
        parent = LiveGame(new_game_id(), self.situation.ruleset)
        log = [msgspec.structs.replace(item, game=parent.id, salt=b"", hash=b"") for item in self.situation.log]
        parent = await games.store(parent, log)
        live = await games.fork(parent, parent.length, agents=dict.fromkeys(self.seats, "outside"))
        self.remote.live_games.host(live)
        wanted: list[tuple[LinkKind, str | None]] = [(LinkKind.SEAT, seat) for seat in self.seats]
        tokens = await links.issue_first(live, [*wanted, (LinkKind.SPECTATOR, None)])
        tokens.append(await links.issue(live, LinkKind.AUDITOR))
        return live.id, dict(zip((*self.seats, "spectator", "auditor"), tokens, strict=True))

    def _run(self, doing: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(doing, self.remote.loop).result(PATIENCE)

    def send(self, text: str) -> int:
        """The status with which the text is answered."""
        turn = self.situation.turn
        path = f"/v1/games/{self.game}/turns/{turn.number}"
        return self.remote.ask("POST", path, self.tokens[turn.seat], {"text": text}).status_code

    def look(self) -> None:
        """Everybody reads what there is, all of it, and the auditor's page is packed."""
        game = f"/v1/games/{self.game}"
        for seat in self.seats:
            assert self.remote.ask("GET", f"{game}/turns", self.tokens[seat], since=0).status_code == 200
        for chair in (self.situation.turn.seat, "spectator", "auditor"):
            assert self.remote.ask("GET", f"{game}/view", self.tokens[chair], limit=1000).status_code == 200
        assert self.remote.ask("GET", f"{game}/export", self.tokens["auditor"], limit=1000).status_code == 200


def test_the_loop_goes_on_beside_the_most_expensive_texts(remote: RemoteServer, found: list[Situation]) -> None:
    slow: list[str] = []
    statuses: list[int] = []
    for place, situation in enumerate(found):
        first = Table(remote, situation)  # what is loaded, compiled and cached once is so now
        first.send(situation.valid() or "So be it.")
        first.look()
        for number, text in enumerate(texts(situation)):
            if (place + number) % EVERY:
                continue
            table = Table(remote, situation)
            table.look()
            with metered(remote._thread) as meter:
                statuses.append(table.send(text))
                table.look()
            slow += [
                f"{1000 * took:.0f} ms {situation} {text[:20]!a}…{text[-12:]!a}: {what}"
                for took, what in meter.noted
                if took > MOST
            ]
    print(len(statuses), {s: statuses.count(s) for s in set(statuses)})
    assert {200, 422} <= {*statuses}
    assert not slow, "\n".join(slow)
