"""Peeks on real logs: told before they can be used, with a receipt, and refused where the keeper is blind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any

import pytest
from playing import opened, play

from sottovoce.domain.commands import Reply
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import AuditorLinkIssued, GameCopied, SeatLinkIssued
from sottovoce.eventlog.log import FORKED, EventLog, LinkChange, Receipt, Write
from sottovoce.eventlog.verify import verify
from sottovoce.projections.leaks import leaks
from sottovoce.server.decision_batch import DecisionBatch
from sottovoce.server.games import LEASE, Games, KeeperBlind, Lease, now
from sottovoce.server.links import LinkKind, LinkRefused, Links, digest_of
from sottovoce.server.live import LiveGame

DATA = {"call": "c", "turn": 1, "from": 1, "to": 1, "by": "view", "agent": "random", "how": "accepted"}
CALLED = Receipt("core.called.v1", now(), "narrator", DATA)
PEEKS = (GameCopied, AuditorLinkIssued, SeatLinkIssued)


def told(log: EventLog, game: str) -> list[Any]:
    """What everyone at the game was told of peeks."""
    return [item.event for item in log.read(game) if isinstance(item.event, PEEKS)]


def forked(log: EventLog, game: str) -> list[dict[str, Any]]:
    """What the game's receipts say of its forks."""
    return [receipt.data for receipt in log.receipts(game) if receipt.name == FORKED]


def test_everyone_is_told_of_a_fork_of_a_running_game(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games)
        before = live.length
        fork = await games.fork(live, before, by="keeper")
        assert told(log, live.id) == [GameCopied(by="keeper")]
        assert told(log, fork.id) == [], "the copy ends where it was asked for"
        assert forked(log, live.id) == [{"fork": fork.id, "position": before, "by": "keeper"}]
        for view in (*map(live.view, live.state.seats), live.public()):
            assert view.entries[-1].event == GameCopied(by="keeper")
        assert verify(log, live.id).ok

    asyncio.run(story())


def test_a_fork_of_a_game_that_is_over_appends_nothing(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await play(games, await opened(games))
        before = live.length
        fork = await games.fork(live, 30)
        assert len(log.read(live.id)) == before
        assert [item["fork"] for item in forked(log, live.id)] == [fork.id]
        assert verify(log, live.id).ok

    asyncio.run(story())


@pytest.mark.parametrize(
    ("kind", "seat", "peek"),
    [(LinkKind.AUDITOR, None, AuditorLinkIssued()), (LinkKind.SEAT, "Ada", SeatLinkIssued(seat="Ada"))],
)
def test_everyone_is_told_of_a_link_that_shows_secrets(
    games: Games, log: EventLog, kind: LinkKind, seat: str | None, peek: Any
) -> None:
    async def story() -> None:
        links, live = Links(games), await opened(games)
        token = await links.issue(live, kind, seat)
        assert links.find(token) is not None
        assert told(log, live.id) == [peek]
        event = next(item for item in log.read(live.id) if item.event == peek)
        issued = next(receipt for receipt in log.receipts(live.id) if receipt.name == "core.link-issued.v1")
        assert event.at == issued.at, "one write"
        await play(games, live)
        assert links.find(await links.issue(live, kind, seat)) is not None
        assert told(log, live.id) == [peek], "over is over"
        assert verify(log, live.id).ok

    asyncio.run(story())


def test_nobody_is_told_of_links_that_show_no_secrets_and_of_those_a_game_begins_with(
    games: Games, log: EventLog
) -> None:
    async def story() -> None:
        links, live = Links(games), await opened(games)
        await links.issue_first(live, [(LinkKind.KEEPER, None), (LinkKind.SPECTATOR, None), (LinkKind.SEAT, "Ada")])
        for kind in (LinkKind.KEEPER, LinkKind.SPECTATOR):
            await links.issue(live, kind)
        assert told(log, live.id) == []
        with pytest.raises(LinkRefused):
            await links.issue_first(live, [(LinkKind.AUDITOR, None)])

    asyncio.run(story())


def test_a_blind_keeper_gets_at_nothing_until_the_game_is_over(games: Games, log: EventLog) -> None:
    async def story() -> None:
        links, live = Links(games), await opened(games, keeper="blind")
        known, before, receipts = log.games(), live.length, len(log.receipts(live.id))
        with pytest.raises(KeeperBlind, match="keeper=blind"):
            await games.fork(live, before)
        with pytest.raises(KeeperBlind, match="keeper=blind"):
            await links.issue(live, LinkKind.AUDITOR)
        assert (log.games(), live.length, len(log.receipts(live.id))) == (known, before, receipts)
        await links.issue(live, LinkKind.SEAT, "Ada")
        assert told(log, live.id) == [SeatLinkIssued(seat="Ada")], "people lose their links"
        await play(games, live)
        fork = await games.fork(live, 30)
        assert links.find(await links.issue(live, LinkKind.AUDITOR)) is not None
        with pytest.raises(KeeperBlind):
            await games.fork(fork, fork.length)

    asyncio.run(story())


def test_a_blind_game_that_another_process_ended_is_over(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        first, second = workers(), workers()
        live = await opened(first, keeper="blind")
        stale = second.load(live.id)
        await play(first, live)
        await Links(second).issue(stale, LinkKind.AUDITOR)
        assert told(log, live.id) == []

    asyncio.run(story())


@pytest.mark.parametrize("end", [False, True])
def test_a_peek_at_a_game_that_moved_on_is_told_where_it_is_now(reopened: Callable[[], EventLog], end: bool) -> None:
    """Whoever peeks knows an older state: the game went on meanwhile in another process, or ended."""
    log = reopened()

    async def story(first: Games, second: Games) -> None:
        live = await opened(first)
        stale = second.load(live.id)
        if end:
            await play(first, live)
        else:
            (turn,) = live.state.turns.values()
            await first.submit(live, Reply(now(), turn.seat, turn.number, "Night falls."))
        fork = await second.fork(stale, stale.length)
        await Links(second).issue(stale, LinkKind.AUDITOR)
        assert told(log, live.id) == ([] if end else [GameCopied(by="database"), AuditorLinkIssued()])
        assert [item["fork"] for item in forked(log, live.id)] == [fork.id]
        assert verify(log, live.id).ok

    with closing(Games(reopened())) as first, closing(Games(log)) as second:
        asyncio.run(story(first, second))


def test_a_copy_is_made_only_after_everyone_was_told(
    games: Games, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        live = await opened(games)
        commit, written = log.commit, list[Write]()

        def failing(writes: Sequence[Write]) -> Any:
            written.extend(writes)
            if len(written) > 1:
                raise SottovoceError("full")
            return commit(writes)

        monkeypatch.setattr(log, "commit", failing)
        with pytest.raises(SottovoceError, match="full"):
            await games.fork(live, live.length)
        assert told(log, live.id) == [GameCopied(by="database")]
        assert log.games() == [live.id]

    asyncio.run(story())


def test_a_fork_copies_nothing_that_is_ahead_of_the_log(games: Games, log: EventLog) -> None:
    """While a stretch of answers is being stored, the game in memory holds what the log has not."""

    async def story() -> None:
        live = await opened(games)
        async with live.lock:
            stretch = DecisionBatch(live)
            (turn,) = live.state.turns.values()
            (lease,) = log.lease(live.id, [(turn.seat, turn.number)], games.worker, now(), now() + LEASE)
            command = Reply(now(), turn.seat, turn.number, "Night falls.")
            mine = Lease(turn.seat, turn.number, lease.epoch)
            games.foresee(stretch, command, lease=mine, preleased=(), ended=lambda drafts: CALLED)
            forking = asyncio.create_task(games.fork(live, live.length))
            await asyncio.sleep(0)
            assert await games.store_stretch(stretch)
            length = live.length
        fork = await forking
        assert [item.body for item in log.read(fork.id)[:length]] == [item.body for item in log.read(live.id)[:length]]
        assert verify(log, fork.id).ok

    asyncio.run(story())


def test_the_audit_names_every_peek_and_finds_those_that_nobody_was_told_of(games: Games, log: EventLog) -> None:
    async def story() -> None:
        links, live = Links(games), await opened(games)
        await links.issue_first(live, [(LinkKind.KEEPER, None), (LinkKind.SEAT, "Ada")])
        fork = await games.fork(live, live.length, by="keeper")
        await links.issue(live, LinkKind.AUDITOR)
        await links.issue(live, LinkKind.SEAT, "Bram")
        assert audited(log, live) == [
            ("note", f"The keeper copied this game. The copy shows all its secrets. The copy is game {fork.id}."),
            ("note", "The keeper made an auditor's link. It shows all secrets of this game."),
            ("note", "The keeper made a new link for Bram's seat. It shows what Bram sees and can answer for Bram."),
        ]
        number = len(log.receipts(live.id)) + 1
        for kind, seat in (("auditor", ""), ("seat", "Cleo"), ("spectator", "")):
            digest = digest_of(f"{kind} of no one's")
            await games.change_links(live.id, [LinkChange("issue", kind, seat, digest)])
        ended = [item for item in log.receipts(live.id) if item.name == "core.link-ended.v1"]
        assert len(ended) == 1, "the auditor's link that was replaced"
        unseen = "during the game, and the players were not told."
        assert audited(log, live)[3:] == [
            ("finding", f"Receipt {number + 1}: an auditor link was created {unseen}"),
            ("finding", f"Receipt {number + 2}: a new link was created for Cleo's seat {unseen}"),
        ]
        await play(games, live)
        before = audited(log, live)
        await games.fork(live, 30)
        await links.issue(live, LinkKind.AUDITOR)
        assert audited(log, live) == before, "the game is over"

    asyncio.run(story())


def audited(log: EventLog, live: LiveGame) -> list[tuple[str, str]]:
    """Severity and words of each peek that the audit finds."""
    found = leaks(live.ruleset, log.read(live.id), log.receipts(live.id)).findings
    return [(finding.severity, finding.what) for finding in found if finding.kind == "peek"]
