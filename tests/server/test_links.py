"""Capability tokens: what is shown, what is stored, and what opens nothing."""

import asyncio
import re
from hashlib import sha256
from typing import Any

import pytest
from playing import opened, play

from sottovoce.eventlog.log import EventLog
from sottovoce.eventlog.verify import verify
from sottovoce.server.games import Games
from sottovoce.server.links import LinkEnded, LinkKind, LinkRefused, Links, digest_of, new_token


@pytest.fixture
def links(games: Games) -> Links:
    return Links(games)


async def issued(
    games: Games, links: Links, kind: LinkKind = LinkKind.SEAT, seat: str | None = "Ada"
) -> tuple[Any, str]:
    live = await opened(games)
    return live, await links.issue(live, kind, seat)


@pytest.mark.parametrize("kind", list(LinkKind))
def test_a_token_says_its_kind_and_nothing_else(kind: LinkKind) -> None:
    tokens = {new_token(kind) for _ in range(50)}
    assert len(tokens) == 50
    letter = {"spectator": "w"}.get(kind.value, kind.value[0])
    assert all(re.fullmatch(f"sv{letter}_[A-Za-z0-9_-]{{43}}", token) for token in tokens)


def test_a_token_opens_what_it_was_issued_for(games: Games, links: Links, log: EventLog) -> None:
    live, token = asyncio.run(issued(games, links))
    link = links.find(token)
    assert link is not None
    assert (link.game, link.number, link.kind, link.seat) == (live.id, 1, LinkKind.SEAT, "Ada")
    assert (link.claimed, link.ended) == (None, None)
    assert link.digest == sha256(token.encode()).digest() == digest_of(token)
    assert links.of(live.id) == [link]
    assert verify(log, live.id).ok


def test_the_token_itself_is_nowhere_in_the_log(games: Games, links: Links, log: EventLog) -> None:
    live, token = asyncio.run(issued(games, links))
    stored = repr([log.receipts(live.id), list(log.rows(live.id)), log.links(live.id)])
    assert digest_of(token).hex() in stored
    assert token not in stored
    assert token[4:] not in stored


def test_what_is_no_token_opens_nothing(games: Games, links: Links) -> None:
    _, token = asyncio.run(issued(games, links))
    assert links.find(token) is not None
    wrong = [
        None,
        "",
        " ",
        token[:-1],
        token + " ",
        token + "=",
        token.upper(),
        "svk" + token[3:],
        token[4:],
        new_token(LinkKind.SEAT),
        token * 1000,
        token + "A" * 100_000,
        "\0" + token,
        token + "\0",
        "\ud800" * 47,
        "é" * 47,
        "'; DROP TABLE links; --",
        digest_of(token).hex(),
    ]
    assert [links.find(text) for text in wrong] == [None] * len(wrong)


def test_every_token_takes_the_same_work(
    games: Games, links: Links, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One look into the log, for a digest of the same length; and one that finds no row for a link that has ended."""

    async def work() -> list[str | None]:
        live, token = await issued(games, links)
        ended = await links.issue(live, LinkKind.KEEPER)
        await links.end(live, 2)
        return [
            token,
            ended,
            new_token(LinkKind.SEAT),
            new_token(LinkKind.HOST),
            "",
            None,
            "x",
            token * 1000,
            "\ud800\0",
        ]

    tokens = asyncio.run(work())
    asked: list[bytes] = []
    found: list[bool] = []
    look = log.link

    def counted(digest: bytes) -> Any:
        asked.append(digest)
        row = look(digest)
        found.append(row is not None)
        return row

    monkeypatch.setattr(log, "link", counted)
    opened_by = [links.find(token) is not None for token in tokens]
    assert opened_by == found == [True, *[False] * (len(tokens) - 1)]
    assert {len(digest) for digest in asked} == {32}


def test_a_link_that_ended_is_as_one_that_never_was(games: Games, links: Links) -> None:
    async def work() -> None:
        live, token = await issued(games, links)
        assert await links.end(live, 1)
        assert links.find(token) is None
        assert not await links.end(live, 1)
        assert not await links.end(live, 2)
        (link,) = links.of(live.id)
        assert link.ended is not None

    asyncio.run(work())


def test_issuing_anew_ends_the_older_at_once_and_no_other(games: Games, links: Links) -> None:
    async def work() -> None:
        live = await opened(games)
        wanted = [(LinkKind.KEEPER, None), (LinkKind.SPECTATOR, None), (LinkKind.SEAT, "Ada"), (LinkKind.SEAT, "Bram")]
        keeper, watcher, ada, bram = await links.issue_first(live, wanted)
        revision, ended = links.ended_since(None)
        assert ended == []
        anew = await links.issue(live, LinkKind.SEAT, "Ada")
        assert links.find(ada) is None
        assert links.ended_since(revision) == (revision + 1, [digest_of(ada)])
        found = [links.find(token) for token in (keeper, watcher, bram, anew)]
        assert [link and link.seat for link in found] == [None, None, "Bram", "Ada"]
        assert [link.number for link in links.of(live.id) if not link.ended] == [1, 2, 4, 5]

    asyncio.run(work())


def test_a_claim_is_idempotent_and_none_is_made_of_an_ended_link(games: Games, links: Links) -> None:
    async def work() -> None:
        live, token = await issued(games, links)
        link = links.find(token)
        assert link is not None
        claimed = await links.claim(link)
        assert claimed.claimed is not None
        assert await links.claim(link) == await links.claim(claimed) == claimed == links.find(token)
        await links.end(live, link.number)
        with pytest.raises(LinkEnded, match="Ask the keeper"):
            await links.claim(link)

    asyncio.run(work())


@pytest.mark.parametrize(
    ("kind", "seat"),
    [
        (LinkKind.HOST, None),
        (LinkKind.KEEPER, "Ada"),
        (LinkKind.SEAT, None),
        (LinkKind.SEAT, "Nobody"),
        (LinkKind.SEAT, ""),
    ],
)
def test_a_link_that_leads_nowhere_is_refused(games: Games, links: Links, kind: LinkKind, seat: str | None) -> None:
    async def work() -> None:
        live = await opened(games)
        with pytest.raises(LinkRefused):
            await links.issue_first(live, [(LinkKind.KEEPER, None), (kind, seat)])
        assert links.of(live.id) == []

    asyncio.run(work())


def test_a_host_is_known_by_its_digest_and_is_not_in_the_log(games: Games, log: EventLog) -> None:
    token = new_token(LinkKind.HOST)
    links = Links(games, digest_of(token))
    link = links.find(token)
    assert link is not None
    assert (link.game, link.number, link.kind, link.seat) == ("", 0, LinkKind.HOST, None)
    assert links.find(new_token(LinkKind.HOST)) is None
    assert Links(games).find(token) is None
    assert log.link(digest_of(token)) is None
    assert asyncio.run(links.claim(link)) == link


def test_links_work_when_the_game_is_over(games: Games, links: Links, log: EventLog) -> None:
    async def work() -> None:
        live = await play(games, await opened(games))
        assert live.state.over
        length = live.length
        token = await links.issue(live, LinkKind.AUDITOR)
        link = links.find(token)
        assert link is not None
        await links.claim(link)
        assert await links.end(live, link.number)
        assert games.load(live.id).length == length
        assert verify(log, live.id).ok

    asyncio.run(work())
