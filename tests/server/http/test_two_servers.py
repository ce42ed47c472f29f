"""Two servers of one log: who has seen something by one of them gets nothing older from the other."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import postgres
import pytest
from mcp_player import by_http, text_of
from patience import PATIENCE
from remote import PLAYERS, Opened, RemoteServer, log_in

from sottovoce.agents.random_agent import RandomAgent
from sottovoce.client.api import Api, Connection, Unreachable, connected
from sottovoce.client.link import parse_link
from sottovoce.client.player import Answered, Player
from sottovoce.client.seat import RemoteSeat, seated
from sottovoce.client.stream import stream
from sottovoce.domain.audience import only
from sottovoce.server import follower
from sottovoce.server.games import _CHANGES
from sottovoce.server.http.seen import SEEN

TRIES = 20
SEEDS = itertools.count(1)


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server notices by itself what the other appends."""
    monkeypatch.setattr(follower, "POLL", PATIENCE)


@pytest.fixture(params=["sqlite", "postgres"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[RemoteServer, RemoteServer]]:
    """Two servers that play nothing."""
    if request.param == "sqlite":
        url = log_in(tmp_path)
        with RemoteServer(url, plays=False) as one, RemoteServer(url, one.settings, one.host, plays=False) as other:
            yield one, other
        return
    databases: postgres.Databases = request.getfixturevalue("databases")
    with (
        databases.log() as url,
        RemoteServer(url, plays=False) as one,
        RemoteServer(url, one.settings, one.host, plays=False) as other,
    ):
        yield one, other


@pytest.fixture
def two(deaf: None, tmp_path: Path) -> Iterator[tuple[RemoteServer, RemoteServer]]:
    """The same on a file, for what is alike on every log."""
    url = log_in(tmp_path)
    with RemoteServer(url, plays=False) as one, RemoteServer(url, one.settings, one.host, plays=False) as other:
        yield one, other


def opened(remote: RemoteServer, **more: Any) -> Opened:
    return remote.open(**{"names": list(PLAYERS), "agent": "outside", "seed": str(next(SEEDS)), **more})


def asked(remote: RemoteServer, game: Opened) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each seat that is asked something, with its turn, as long as any is."""
    while True:
        found = False
        for seat, token in game.seats.items():
            told = remote.get(f"/v1/games/{game.game}/turns", token)
            if told["turns"]:
                found = True
                yield seat, told["turns"][0]
        if not found:
            return


def answer(turn: dict[str, Any]) -> str:
    return str(turn["choices"][0]) if turn["choices"] else "Night falls."


def sent(remote: RemoteServer, game: Opened, seat: str, turn: int, text: str, **headers: str) -> httpx2.Response:
    path = f"/v1/games/{game.game}/turns/{turn}"
    return remote.ask("POST", path, game.seats[seat], {"text": text}, headers)


@pytest.mark.usefixtures("deaf")
def test_a_turn_that_one_server_has_closed_is_open_on_no_other(pair: tuple[RemoteServer, RemoteServer]) -> None:
    tries = 0
    while tries < TRIES:
        game = opened(pair[0])
        for (seat, turn), (here, there) in zip(asked(pair[0], game), itertools.cycle((pair, pair[::-1])), strict=False):
            token = game.seats[seat]
            there.get(f"/v1/games/{game.game}/view", token)  # it has the game in memory, as it was
            if sent(here, game, seat, turn["turn"], answer(turn)).status_code != 200:
                continue
            listed = there.get(f"/v1/games/{game.game}/turns", token)["turns"]
            assert turn["turn"] not in [one["turn"] for one in listed]
            tries += 1
            if tries == TRIES:
                break


def test_whatever_closes_a_turn_is_an_entry_of_its_seat() -> None:
    """So a seat's seq says which of its turns are open, and nothing else need be told."""
    for kind in _CHANGES:
        event = kind(**kind.example)
        assert kind.seen_by is not None
        assert kind.seen_by(None, event) == only(kind.example["seat"]), kind


PATHS = ("/view", "/replay", "/transcript", "", "/turns", "/stream?limit=1")
OPENED_BY = {"/turns": ("seat",)}


def test_who_has_seen_more_on_one_server_is_given_as_much_on_the_other(two: tuple[RemoteServer, RemoteServer]) -> None:
    here, there = two
    game = opened(here)
    place, auditor = f"/v1/games/{game.game}", here.issue(game.game, game.keeper, "auditor")
    for path in PATHS:
        seat, turn = next(asked(here, game))
        tokens = {"seat": game.seats[seat], "spectator": game.spectator, "keeper": game.keeper, "auditor": auditor}
        asking = [tokens[chair] for chair in OPENED_BY.get(path, tokens)]
        before = [there.ask("GET", place + path, token) for token in asking]
        assert sent(here, game, seat, turn["turn"], answer(turn)).status_code == 200
        known = [here.ask("GET", place, token).headers[SEEN] for token in asking]
        assert int(known[0]) > int(before[0].headers[SEEN])
        after = [
            there.ask("GET", place + path, token, headers={SEEN: seen})
            for token, seen in zip(asking, known, strict=True)
        ]
        assert [one.status_code for one in after] == [200] * len(after)
        assert [one.headers[SEEN] for one in after] == known
        if path in PATHS[:3]:
            assert [one.content for one in after] == [here.ask("GET", place + path, token).content for token in asking]
            assert after[0].content != before[0].content
        there.ask("GET", place, game.seats[seat], headers={SEEN: known[0]})


def test_a_view_that_is_asked_for_by_its_number_is_not_older(two: tuple[RemoteServer, RemoteServer]) -> None:
    """Who pages or polls without the header says by `after` or `If-None-Match` what it has."""
    here, there = two
    game = opened(here)
    path = f"/v1/games/{game.game}/view"
    for by_tag in (True, False):
        seat, turn = next(asked(here, game))
        token = game.seats[seat]
        there.get(path, token)
        assert sent(here, game, seat, turn["turn"], answer(turn)).status_code == 200
        known = here.ask("GET", path, token)
        seq = known.json()["seq"]
        if by_tag:
            told = there.ask("GET", path, token, headers={"If-None-Match": f'"x", W/{known.headers["etag"]}'})
            assert (told.status_code, told.headers["etag"]) == (304, known.headers["etag"])
        else:
            assert there.get(path, token, after=seq) == {"seq": seq, "over": False, "entries": [], "next": None}
        assert there.get(path, token, after=seq + 1)["seq"] == seq, "there is no more than there is"


def test_what_the_keeper_did_on_one_server_is_so_on_the_other(two: tuple[RemoteServer, RemoteServer]) -> None:
    here, there = two
    game = opened(here)
    path = f"/v1/games/{game.game}"
    assert there.get(path, game.keeper)["status"] == "open"
    for deed, body, status in (("hold", None, "held"), ("resume", {}, "open")):
        done = here.ask("POST", f"{path}/{deed}", game.keeper, body)
        assert done.status_code == 200, done.text
        told = there.ask("GET", path, game.keeper, headers={SEEN: done.headers[SEEN]}).json()
        assert told["status"] == status
        (own,) = there.ask("GET", "/v1/games", game.keeper, headers={SEEN: done.headers[SEEN]}).json()["games"]
        assert own["status"] == status


def test_a_refusal_too_says_how_far_its_author_has_seen(two: tuple[RemoteServer, RemoteServer]) -> None:
    here, there = two
    game = opened(here)
    seat, turn = next((seat, turn) for seat, turn in asked(here, game) if not turn["choices"])
    token, place = game.seats[seat], f"/v1/games/{game.game}/turns"
    assert there.get(place, token)["turns"][0]["attempts_left"] == turn["attempts_left"]
    refused = sent(here, game, seat, turn["turn"], "")
    assert refused.status_code == 422
    told = there.ask("GET", f"/v1/games/{game.game}/view", token, headers={SEEN: refused.headers[SEEN]}).json()
    assert told["seq"] == int(refused.headers[SEEN])
    assert told["entries"][-1]["name"].startswith("core.attempt-failed.")


def test_a_reply_is_decided_on_what_its_author_has_seen(two: tuple[RemoteServer, RemoteServer]) -> None:
    """A turn that was opened on one server may be answered on the other, and one that was answered may not."""
    here, there = two
    game = opened(here)
    servers = itertools.cycle((here, there))
    for _, (seat, turn) in zip(range(6), asked(here, game), strict=False):
        done = sent(next(servers), game, seat, turn["turn"], answer(turn))
        assert done.status_code == 200, done.text
        other = sent(next(servers), game, seat, turn["turn"], "Something else.", **{SEEN: done.headers[SEEN]})
        assert other.status_code == 409
        next(servers)


def test_a_server_that_cannot_catch_up_says_so_and_does_nothing(two: tuple[RemoteServer, RemoteServer]) -> None:
    here, _ = two
    game = opened(here)
    seat, turn = next(asked(here, game))
    token, path = game.seats[seat], f"/v1/games/{game.game}"
    seen = int(here.ask("GET", path, token).headers[SEEN])
    for method, place, body in (
        ("GET", f"{path}/view", None),
        ("GET", f"{path}/turns", None),
        ("POST", f"{path}/turns/{turn['turn']}", {"text": answer(turn)}),
        ("GET", "/v1/link", None),
    ):
        told = here.ask(method, place, token, body, {SEEN: str(seen + 1)})
        assert (told.status_code, told.headers["retry-after"]) == (503, "1")
        assert told.json()["type"] == "/problems/behind"
        assert str(seen + 1) in told.json()["detail"]
    assert here.ask("GET", path, token).headers[SEEN] == str(seen)
    for wrong in ("-1", "x", "1.5", "9999999999"):
        told = here.ask("GET", f"{path}/view", token, headers={SEEN: wrong})
        assert (told.status_code, told.json()["type"]) == (422, "/problems/invalid")
    assert SEEN not in here.ask("GET", "/v1/games", here.host, headers={SEEN: "7"}).headers, "a host sees no game"


def test_no_tool_tells_of_a_turn_that_was_answered_on_another_server(two: tuple[RemoteServer, RemoteServer]) -> None:
    async def story() -> None:
        game = opened(two[0])
        seat, turn = next(asked(two[0], game))
        async with by_http(two[0].base, game.seats[seat]) as here, by_http(two[1].base, game.seats[seat]) as there:
            assert "NEXT: call reply" in text_of(await there.call_tool("look", {}))
            done = text_of(await here.call_tool("reply", {"turn": turn["turn"], "text": answer(turn)}))
            assert done.startswith("Accepted.")
            for tool, given in (("look", {}), ("wait", {"seconds": 0})):
                assert "NEXT: nothing is asked of you" in text_of(await there.call_tool(tool, given))

    asyncio.run(asyncio.wait_for(story(), PATIENCE))


# The client


class Balanced(httpx2.AsyncHTTPTransport):
    """Asks one server after the other, whatever address is meant, as a balancer in front of them would."""

    def __init__(self, *servers: RemoteServer) -> None:
        super().__init__()
        self._ports = itertools.cycle([server.port for server in servers])

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(port=next(self._ports))
        return await super().handle_async_request(request)


def balanced(connection: Connection, *servers: RemoteServer) -> None:
    """Let the connection's requests be shared among the servers."""
    connection.http._transport = Balanced(*servers)
    connection.http._mounts = {}


def link_to(remote: RemoteServer, game: Opened, seat: str) -> str:
    return f"{remote.base}/games/{game.game}#{game.seats[seat]}"


def test_the_client_is_never_told_again_what_it_has_answered(two: tuple[RemoteServer, RemoteServer]) -> None:
    async def story() -> int:
        answered = 0
        game = opened(two[0])
        apis: dict[str, Api] = {}
        for seat in game.seats:
            apis[seat] = Api(Connection(parse_link(link_to(two[0], game, seat)), patience=0.0))
            balanced(apis[seat].connection, *two)
        for seat, turn in asked(two[0], game):
            api = apis[seat]
            for _ in range(2):
                assert turn["turn"] in [one["turn"] for one in (await api.turns())["turns"]]
            if not (await api.reply(turn["turn"], answer(turn))).accepted:
                continue
            seen = api.connection.seen
            for _ in range(2):
                assert len(await api.entries()) >= seen
                assert (await api.show())["game"] == game.game
                assert turn["turn"] not in [one["turn"] for one in (await api.turns())["turns"]]
            answered += 1
            if answered == TRIES:
                break
        for api in apis.values():
            await api.connection.http.aclose()
        return answered

    assert asyncio.run(asyncio.wait_for(story(), PATIENCE)) == TRIES


def test_what_came_by_a_stream_counts_as_seen(two: tuple[RemoteServer, RemoteServer]) -> None:
    async def story() -> None:
        game = opened(two[0])
        seat, turn = next(asked(two[0], game))
        two[1].get(f"/v1/games/{game.game}/view", game.seats[seat])
        sent(two[0], game, seat, turn["turn"], answer(turn))
        async with connected(parse_link(link_to(two[0], game, seat))) as api:
            total = len(await api.entries())
            fresh = Connection(parse_link(link_to(two[0], game, seat)))
            following = Api(fresh)
            async for entry in stream(following):
                if entry["seq"] == total:
                    break
            fresh.link = parse_link(link_to(two[1], game, seat))
            assert len(await following.entries()) == total == fresh.seen
            await fresh.http.aclose()

    asyncio.run(asyncio.wait_for(story(), PATIENCE))


def test_a_client_waits_for_a_server_that_is_behind_and_says_so_in_the_end(
    two: tuple[RemoteServer, RemoteServer],
) -> None:
    async def story() -> None:
        game = opened(two[0])
        link = parse_link(link_to(two[0], game, "Ada"))
        async with connected(link, patience=1.5) as api:
            api.connection.saw((await api.turns())["seq"] + 1)
            with pytest.raises(Unreachable, match="does not have entry"):
                await api.turns()

    asyncio.run(asyncio.wait_for(story(), PATIENCE))


def test_agents_behind_a_balancer_answer_every_turn_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole game over two servers that take turns at every request; who is asked is asked once."""
    url = log_in(tmp_path)
    with RemoteServer(url) as one, RemoteServer(url, one.settings, one.host) as other:
        game = opened(one, agents={"narrator": "house"}, options={"max_days": 1, "max_speeches": 1})

        async def entered(self: Connection) -> Connection:
            balanced(self, one, other)
            return self

        monkeypatch.setattr(Connection, "__aenter__", entered)
        answers: list[Answered] = []

        async def hold(seat: str) -> None:
            async with seated(link_to(one, game, seat)) as held:
                assert isinstance(held, RemoteSeat)
                await Player(held, RandomAgent(), report=answers.append).play()

        async def story() -> None:
            await asyncio.gather(*(hold(seat) for seat in game.seats))

        asyncio.run(asyncio.wait_for(story(), PATIENCE))
        assert len(answers) > 10
        verdicts = [each.verdict for each in answers]
        assert [each for each in verdicts if each is None or each.closed or each.repeated] == []
