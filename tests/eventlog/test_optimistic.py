"""Deciding before the lock changes nothing: logs on one file do what one in-memory log does, in any order of
writers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sizes import sized

from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import Draft, ReplyAccepted
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import Appended, Conflict, EventLog, LeaseLost, LinkChange, Receipt, TurnChange, Write
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.sqlite import optimistic
from sottovoce.eventlog.sqlite.log import SqliteLog
from sottovoce.eventlog.sqlite.optimistic import OptimisticDecider
from sottovoce.eventlog.verify import verify

AT = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
LATER = AT + timedelta(minutes=1)
GAMES, SEATS, NUMBERS = ("g", "h"), ("Ada", "Bram"), (1, 2)
ENDED = Receipt("core.call-ended.v1", AT, "Ada", {"call": "c"})
HANDED = Receipt("core.handed-over.v1", AT, "Ada", {"call": "c"}, ("You are Ada.",))


@dataclass
class Chance:
    """What happens next to logs with the same content: mostly correct writes, sometimes old or wrong ones."""

    random: Random
    reference: EventLog
    made: list[Write] = field(default_factory=list)

    def write(self) -> Write:
        if self.made and self.random.random() < 0.05:
            return self.random.choice(self.made)
        game = self.random.choice(GAMES)
        head = self.reference.head(game)
        length = 0 if head is None else head.length
        count = self.random.choice((0, 1, 1, 2)) if length else 1
        if count and self.random.random() < 0.1:
            length = max(0, length + self.random.choice((-1, 1)))
        turns = (self.change(game),) if self.random.random() < 0.6 else ()
        receipts = self.random.choice(((), (), (ENDED,), (ENDED, ENDED), (HANDED,))) or (() if count else (ENDED,))
        drafts = tuple(Draft(ReplyAccepted(seat="Ada", turn=1, text=f"{n}"), EVERYONE) for n in range(count))
        self.made.append(Write(game, length, f"a{len(self.made)}", AT, drafts, turns=turns, receipts=receipts))
        return self.made[-1]

    def chain(self) -> list[Write]:
        """Return writes to one game that were decided on each other; sometimes on one that does not exist."""
        first = self.write()
        chain, expected, last = [first], first.expected + len(first.drafts), first.append if first.drafts else ""
        for number in range(self.random.choice((1, 2, 3))):
            if self.random.random() < 0.05:
                last = "a0"
            drafts = tuple(Draft(ReplyAccepted(seat="Ada", turn=1, text=f"{n}"), EVERYONE) for n in range(2))
            turns = (self.change(first.game),) if self.random.random() < 0.3 else ()
            write = Write(first.game, expected, f"{first.append}-{number}", AT, drafts, turns=turns, after=last)
            chain.append(write)
            expected, last = expected + len(drafts), write.append
        return chain

    def change(self, game: str) -> TurnChange:
        seat, number = self.random.choice(SEATS), self.random.choice(NUMBERS)
        epochs = {(due.seat, due.turn): due.epoch for due in self.reference.due(game)}
        epoch = epochs.get((seat, number))
        if epoch is None and self.random.random() < 0.9:
            worker = self.random.choice((None, "w"))
            return TurnChange("open", seat, number, worker=worker, leased_until=LATER if worker else None)
        told = None if epoch is None else self.random.choice((None, epoch, epoch, max(0, epoch - 1)))
        return TurnChange(self.random.choice(("close", "retry")), seat, number, 2, epoch=told)

    def step(self) -> Callable[[EventLog], object]:
        """Return what to do to a log; running it returns the outcome."""
        kind = self.random.random()
        if kind < 0.7:
            writes = [self.write() for _ in range(self.random.choice((1, 1, 2, 3)))]
            if kind < 0.2:
                writes += self.chain()
            return lambda log: [_told(outcome) for outcome in log.commit(writes)]
        open_turns = [(due.game, due.seat, due.turn) for game in GAMES for due in self.reference.due(game)]
        game, seat, number = self.random.choice([*open_turns, ("g", "Ada", 1)])
        if kind < 0.9:
            at = self.random.choice((AT, LATER + timedelta(minutes=1)))
            return lambda log: [due.epoch for due in log.lease(game, [(seat, number)], "v", at, LATER)]
        if kind < 0.95:
            return lambda log: log.release(game, seat, number, 1)
        return lambda log: log.renew("w", LATER)


def _told(outcome: object) -> object:
    if isinstance(outcome, Appended):
        return [(event.position, event.append) for event in outcome.events]
    return outcome if isinstance(outcome, Conflict | LeaseLost) else type(outcome)


def held(log: EventLog) -> Any:
    """Return the content of a log, except random parts: salts, and so hashes."""
    return [
        (
            [row[:9] for row in log.rows(game)],
            [row[:7] for row in log.receipt_rows(game)],
            sorted(log.due(game), key=lambda due: (due.seat, due.turn)),
        )
        for game in GAMES
    ]


@pytest.mark.parametrize("seed", range(sized(10, 400)))
def test_logs_on_one_file_do_what_one_in_memory_does(
    seed: int, path: Path, opened: Callable[..., SqliteLog], registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimistic, "GAMES", seed % 3)
    reference = open_log("memory:", registry=registry)
    logs = [opened(path), opened(path)]
    chance = Chance(Random(seed), reference)
    for number in range(100):
        step = chance.step()
        expected = step(reference)
        assert step(chance.random.choice(logs)) == expected, number
        assert held(logs[0]) == held(reference), number
    for game in GAMES:
        assert verify(logs[0], game).ok


def decided(log: SqliteLog, registry: Registry, *writes: Write) -> bool:
    return OptimisticDecider(registry, log.datastore).decide(writes) is not None


def test_it_is_decided_while_another_process_holds_the_file(
    path: Path, opened: Callable[..., SqliteLog], registry: Registry, write: Callable[..., Write]
) -> None:
    ours, theirs = opened(path), opened(path)
    theirs.commit([write()])
    with theirs.datastore.write():
        assert decided(ours, registry, write(expected=1), write("h"))


def test_what_cannot_be_foreseen_is_left_to_the_lock(
    path: Path, opened: Callable[..., SqliteLog], registry: Registry, write: Callable[..., Write]
) -> None:
    log = opened(path)
    log.commit([write(count=2)])
    assert decided(log, registry, write(expected=2))
    assert not decided(log, registry, write(expected=2), write(expected=1))
    assert not decided(log, registry, write(expected=3))
    assert not decided(log, registry, write(expected=2, receipts=(HANDED,)))
    assert not decided(log, registry, write(expected=2, links=(LinkChange("issue", "seat", "Ada", b"d" * 32),)))
    assert not decided(log, registry, write(expected=2, turns=(TurnChange("close", "Ada", 1),)))


def test_games_that_others_wrote_to_are_read_again(
    path: Path, opened: Callable[..., SqliteLog], registry: Registry, write: Callable[..., Write]
) -> None:
    ours, theirs = opened(path), opened(path)
    ahead = OptimisticDecider(registry, ours.datastore)
    theirs.commit([write()])
    assert ahead.decide([write(expected=1)]) is not None
    theirs.commit([write(expected=1)])
    assert ahead.decide([write(expected=1)]) is not None, "it cannot know"
    assert ahead.decide([write(expected=2)]) is not None


def test_under_the_lock_nothing_is_asked(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    log = opened(path)
    log.commit([write()])
    ran: list[str] = []
    with log.datastore.write() as cursor:
        cursor.connection.set_trace_callback(ran.append)
    log.commit([write(expected=1, receipts=(ENDED,), turns=(TurnChange("open", "Ada", 1),))])
    log.commit([write(expected=2, turns=(TurnChange("close", "Ada", 1),))])
    kinds = [statement.split()[0] for statement in ran if not statement.startswith("--")]
    assert kinds.count("COMMIT") == 3
    assert set(kinds) == {"BEGIN", "UPDATE", "INSERT", "DELETE", "COMMIT"}


def test_a_head_that_was_changed_by_hand_is_not_made_right_by_who_knew_it(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    log = opened(path)
    log.commit([write()])
    with log.tables(commit=True) as run:
        run("UPDATE heads SET hash = ?", (b"x" * 32,))
    log.commit([write(expected=1)])
    assert not verify(log, "g").ok
