"""A far seat on a real server: what it sees and answers, through a wire that is cut, and links that end."""

from __future__ import annotations

import asyncio
import itertools
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from links import link_to
from remote import PLAYERS, RemoteServer, log_in
from wire import Wire

from sottovoce.agents.agent import AgentFailed
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.client.api import LinkEnded, NoServer, ServerRefused, Unreachable, connected
from sottovoce.client.game import Garbled
from sottovoce.client.link import parse_link
from sottovoce.client.player import AgentGaveUp, Answered, Player
from sottovoce.client.seat import NoSeat, seated
from sottovoce.client.stream import stream
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import ReplyAccepted
from sottovoce.projections.view import Entry
from sottovoce.server.links import LinkKind


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    with RemoteServer(log_in(tmp_path_factory.mktemp("far"))) as server:
        yield server


SEEDS = itertools.count(1)


def opened(remote: RemoteServer, *, seed: object = None, base: str | None = None, **more: Any) -> str:
    """Ada's link to a new game in which the house plays the others."""
    given = {"names": list(PLAYERS), "agents": {"Ada": "outside"}, "seed": str(seed or next(SEEDS)), **more}
    one = remote.open(**given)
    return f"{base or remote.base}/games/{one.game}#{one.seats['Ada']}"


async def played(link: str, agent: Any = None, **more: Any) -> tuple[list[Entry], list[Answered]]:
    """A game to its end: what was observed, and how each call ended."""
    seen: list[Entry] = []
    answers: list[Answered] = []

    async def observe(fresh: Any) -> None:
        seen.extend(fresh)

    async with seated(link, patience=math.inf) as seat:
        player = Player(seat, agent or HouseAgent(), observe=observe, report=answers.append, **more)
        await player.play(seat.history)
        assert seat.state.over
        assert seat.view().entries == seen
    return seen, answers


def data(seen: list[Entry]) -> list[tuple[str, Any]]:
    return [(entry.name, entry.event.data()) for entry in seen]


def test_an_agent_holds_a_far_seat_to_the_end(remote: RemoteServer) -> None:
    link = opened(remote)
    seen, answers = asyncio.run(played(link))
    assert [entry.seq for entry in seen] == list(range(1, len(seen) + 1))
    accepted = [entry for entry in seen if isinstance(entry.event, ReplyAccepted)]
    assert len(accepted) == sum(answer.verdict is not None and answer.verdict.accepted for answer in answers) > 0
    given = parse_link(link)
    listed = remote.get(f"/v1/games/{given.game}/view", given.token, limit=1000)
    assert [entry["seq"] for entry in listed["entries"]] == [entry.seq for entry in seen]


def test_a_wire_that_is_cut_again_and_again_loses_and_doubles_nothing(remote: RemoteServer) -> None:
    whole, _ = asyncio.run(played(opened(remote, seed="cut")))
    with Wire(remote.port, stream_bytes=3000, lost=3) as wire:
        seen, answers = asyncio.run(played(opened(remote, seed="cut", base=wire.base)))
        assert wire.cuts > 5
    replies = Counter(entry.event.turn for entry in seen if isinstance(entry.event, ReplyAccepted))
    assert [entry.seq for entry in seen] == list(range(1, len(seen) + 1))
    assert set(replies.values()) == {1}
    assert len(replies) == len({answer.turn.number for answer in answers})
    assert all(answer.verdict is not None and answer.verdict.accepted for answer in answers)
    assert data(seen)[0] == data(whole)[0]


def test_the_random_stream_comes_from_the_link_alone(remote: RemoteServer) -> None:
    """The same seat's link draws the same again after a restart; another's draws something else."""
    link = opened(remote)

    async def drawn(given: str) -> list[int]:
        async with seated(given) as seat:
            player = Player(seat, RandomAgent())
            return [player._seed.public("x").randrange(10**9), int(player._seed.secret, 16)]

    assert asyncio.run(drawn(link)) == asyncio.run(drawn(link)) != asyncio.run(drawn(opened(remote)))


class Failing:
    """An agent that gives no answer for the first so many calls."""

    by = "view"

    def __init__(self, times: int) -> None:
        self.left = times

    async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
        self.left -= 1
        if self.left >= 0:
            raise AgentFailed("Nothing comes to mind.")
        return str(await HouseAgent().act(view, turn, random, record))


def test_an_agent_that_fails_is_asked_again_and_given_up_in_the_end(remote: RemoteServer) -> None:
    seen, answers = asyncio.run(played(opened(remote), Failing(2)))
    assert [answer.wrong for answer in answers[:3]] == ["Nothing comes to mind."] * 2 + [None]
    assert seen
    with pytest.raises(AgentGaveUp, match=r"Turn 1 stays open: Nothing comes to mind\."):
        asyncio.run(played(opened(remote), Failing(1000)))
    limited, _ = asyncio.run(played(opened(remote, options={"turn_seconds": 6, "max_attempts": 1}), Failing(3)))
    assert "core.fallback-applied.v1" in {entry.name for entry in limited}


def test_what_the_rules_refuse_makes_the_turn_come_again(remote: RemoteServer) -> None:
    async def answer() -> list[tuple[int, int, bool]]:
        found = []
        async with seated(opened(remote)) as seat:
            async for turn in seat.turns():
                text = "nobody at all" if turn.choices and turn.attempt == 1 else (turn.choices or ("Well.",))[0]
                verdict = await seat.reply(turn.number, text)
                found.append((turn.number, turn.attempt, verdict.accepted))
                if not verdict.accepted:
                    assert verdict.message
                if turn.attempt == 2:
                    late = await seat.reply(turn.number, "something else")
                    assert (late.accepted, late.closed) == (False, True)
                    return found
        raise AssertionError("it was over before there was a choice")

    found = asyncio.run(answer())
    assert found[-2:] == [(found[-1][0], 1, False), (found[-1][0], 2, True)]


def test_a_link_that_is_ended_ends_the_stream_and_the_game_for_its_holder(remote: RemoteServer) -> None:
    one = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, seed="9")
    link = f"{remote.base}/games/{one.game}#{one.seats['Ada']}"

    async def hold() -> None:
        async with seated(link) as seat:
            while not seat.view().turns:
                await seat.news()
            await asyncio.to_thread(remote.issue, one.game, one.keeper, "seat", "Ada")
            while True:
                assert await seat.news()

    with pytest.raises(LinkEnded, match="a valid link") as told:
        asyncio.run(hold())
    assert told.value.exit_code == 1


def test_other_links_seat_nobody(remote: RemoteServer) -> None:
    one = remote.open(names=list(PLAYERS), agents={"Ada": "outside"})

    async def sit(token: str) -> None:
        async with seated(f"{remote.base}/games/{one.game}#{token}"):
            raise AssertionError("it opened a seat")

    for token, kind in ((one.keeper, "keeper"), (one.spectator, "spectator"), (remote.host, "host")):
        with pytest.raises(NoSeat, match=f"a {kind} link"):
            asyncio.run(sit(token))
    other = remote.open(names=list(PLAYERS), agents={"Ada": "outside"})
    with pytest.raises(SottovoceError, match="not for game"):
        asyncio.run(sit(other.seats["Ada"]))


def test_a_stream_goes_on_where_it_is_told_to(remote: RemoteServer) -> None:
    link = opened(remote)
    one = parse_link(link_to(remote.base, remote.url, str(parse_link(link).game), LinkKind.SPECTATOR))
    asyncio.run(played(link))

    async def some(after: int, count: int) -> list[int]:
        async with connected(one) as api:
            await api.link()
            found: list[int] = []
            sent = stream(api, after)
            async for entry in sent:
                found.append(entry["seq"])
                if len(found) == count:
                    break
            await sent.aclose()
            return found

    assert asyncio.run(some(0, 3)) == [1, 2, 3]
    assert asyncio.run(some(2, 2)) == [3, 4]


def test_what_is_no_server_is_said(remote: RemoteServer, tmp_path: Path) -> None:
    async def ask(base: str) -> None:
        async with connected(parse_link(f"{base}/games/x#svs_{'a' * 43}")) as api:
            await api.link()

    with pytest.raises(Unreachable, match=r"Nothing answers at http://127\.0\.0\.1:9 "):
        asyncio.run(ask("http://127.0.0.1:9"))
    with pytest.raises(ServerRefused, match="Unknown address"):
        asyncio.run(ask(f"{remote.base}/elsewhere"))

    async def hello(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nno")
        await writer.drain()
        writer.close()

    async def at_another() -> None:
        async with await asyncio.start_server(hello, "127.0.0.1", 0) as server:
            await ask(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")

    with pytest.raises(NoServer, match="not a Sottovoce server"):
        asyncio.run(at_another())


def test_a_program_of_twenty_lines_plays_a_game(remote: RemoteServer) -> None:
    page = (Path(__file__).parents[2] / "docs" / "client.md").read_text(encoding="utf-8")
    code = page.partition("```python\n")[2].partition("```")[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 20
    link = opened(remote)
    done = subprocess.run([sys.executable, "-c", code, link], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("I am Ada in game ")
    assert "The winner is: " in done.stdout


def test_a_stream_that_falls_silent_is_taken_up_again(remote: RemoteServer) -> None:
    """A connection that brings nothing for too long is another one soon, and nothing comes twice."""
    link = opened(remote)

    async def follow(base: str, wire: Wire) -> list[int]:
        found: list[int] = []
        async with connected(parse_link(link.replace(remote.base, base)), patience=math.inf) as api:
            await api.link()
            sent = stream(api, silence=0.2)
            reading = asyncio.ensure_future(anext(sent))
            while len(found) < 12:
                done, _ = await asyncio.wait({reading}, timeout=0.05)
                if done:
                    found.append(reading.result()["seq"])
                    reading = asyncio.ensure_future(anext(sent))
                elif wire.streams >= 3:
                    for turn in (await api.turns())["turns"]:
                        await api.reply(turn["turn"], (turn["choices"] or ["Well."])[0])
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await sent.aclose()
        return found

    with Wire(remote.port) as wire:
        assert asyncio.run(follow(wire.base, wire)) == list(range(1, 13))


def answering(*answers: bytes) -> tuple[list[bytes], Any]:
    """A server that gives those answers, one a connection; what it was asked."""
    asked: list[bytes] = []
    left = list(answers)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.append(head)
        if given := left.pop(0):
            writer.write(given)
            await writer.drain()
        writer.close()

    return asked, answer


def said(status: str, body: str, kind: str = "application/json", more: str = "") -> bytes:
    lines = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n{more}"
    return f"{lines}\r\n{body}".encode()


def test_a_server_that_restarts_or_asks_for_patience_is_asked_again_with_the_same_key() -> None:
    opening = said("200 OK", '{"kind":"seat","game":"x","seat":"Ada","ruleset":"mafia","claimed":null}')
    busy = '{"type":"/problems/too-many","title":"Too many","status":429,"detail":"Wait 0 s."}'
    asked, answer = answering(
        opening,
        said("503 Service Unavailable", "{}"),
        b"",
        said("429 Too Many Requests", busy, "application/problem+json", "retry-after: 0\r\n"),
        said("200 OK", '{"accepted":true,"repeated":true,"seq":7}'),
    )

    async def ask() -> Any:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            async with connected(parse_link(f"{base}/games/x#svs_{'a' * 43}")) as api:
                await api.link()
                return await api.reply(3, "Well.")

    verdict = asyncio.run(ask())
    assert (verdict.accepted, verdict.repeated) == (True, True)
    keys = {line for head in asked[1:] for line in head.split(b"\r\n") if line.lower().startswith(b"idempotency-key")}
    assert (len(asked), len(keys)) == (5, 1)


def test_an_entry_that_is_left_out_is_asked_for_again_and_said_in_the_end() -> None:
    frames = "".join(f'id: {seq}\nevent: entry\ndata: {{"seq":{seq}}}\n\n' for seq in (1, 1, 3))
    opening = said("200 OK", '{"kind":"spectator","game":"x","seat":null,"ruleset":"mafia","claimed":null}')
    asked, answer = answering(opening, *[said("200 OK", frames, "text/event-stream")] * 9)

    found: list[int] = []

    async def follow() -> None:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            async with connected(parse_link(f"{base}/games/x#svw_{'a' * 43}")) as api:
                await api.link()
                async for entry in stream(api):
                    found.append(entry["seq"])

    with pytest.raises(Garbled, match="leaves out entry 2"):
        asyncio.run(follow())
    assert found == [1]
    assert [b"last-event-id: 1" in head.lower() for head in asked[1:]] == [False, True, True]
