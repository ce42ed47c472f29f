"""Command handling: a command is decided on the present state and appended, or decided again on a conflict."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

import msgspec

from sottovoce.agents.kinds import check_detail
from sottovoce.agents.programs.hidden import hide
from sottovoce.domain.commands import Announce, Command, Expire, Fail, Fill, Open, Reply, Say
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import (
    AttemptFailed,
    Draft,
    Event,
    FallbackApplied,
    GameCopied,
    GameRequested,
    Peek,
    Recorded,
    ReplyAccepted,
    SeatLinkIssued,
    TurnOpened,
    TurnWithdrawn,
)
from sottovoce.domain.game import decide, decided
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import NOTHING
from sottovoce.eventlog.log import (
    FORKED,
    Appended,
    EventLog,
    Failed,
    LeaseLost,
    LinkChange,
    Receipt,
    StoredLink,
    TurnChange,
    Write,
)
from sottovoce.server.commit import GroupCommit
from sottovoce.server.decision_batch import DecisionBatch
from sottovoce.server.files import brought, confirm, place, restore, take_back, with_files
from sottovoce.server.heartbeat import Heartbeat
from sottovoce.server.ids import fresh_id
from sottovoce.server.live import LiveGame, load
from sottovoce.server.liveness import worker_name
from sottovoce.server.workplaces import with_evidence

THINKERS = 2
"""Threads in which a server works out what takes long."""

LONG = 500
"""Characters of a text from which on it is long: the narrator's check takes up to 25 µs for each."""

LEASE = timedelta(seconds=60)
"""How long a worker keeps a turn to itself without a sign of life."""
NO_TIME = timedelta(0)
ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"

_CHANGES: Mapping[type[Event], Literal["open", "retry", "close"]] = {
    TurnOpened: "open",
    AttemptFailed: "retry",
    ReplyAccepted: "close",
    FallbackApplied: "close",
    TurnWithdrawn: "close",
}
"""What an event does to the obligation of its turn."""

P = ParamSpec("P")
T = TypeVar("T")
Timed = TypeVar("Timed", Command, Receipt)

Ending = Callable[[Sequence[Draft]], Receipt]
"""Makes the receipt for the end of a call whose reply became these drafts."""


class Late(SottovoceError):
    """The turn was closed or claimed in the meantime. The reply was dropped."""


class KeeperBlind(SottovoceError):
    """This game was created with keeper=blind. It can be forked and audited only after it ends."""


def now() -> datetime:
    """The server's clock: the one place where time enters."""
    return datetime.now(UTC)


def new_game_id() -> str:
    """A game id: ten letters and digits without look-alikes, the first a letter."""
    return secrets.choice(ALPHABET[:24]) + "".join(secrets.choice(ALPHABET) for _ in range(9))


class Lease(msgspec.Struct, frozen=True, gc=False):
    """This worker's right to answer one turn, by the epoch it was leased with."""

    seat: str
    turn: int
    epoch: int


class Games:
    """The games of one log, for one process. `worker` is the name its leases carry, `lease` how long each lasts."""

    def __init__(self, log: EventLog, clock: Callable[[], datetime] = now, lease: timedelta = LEASE) -> None:
        self.log = log
        self.clock = clock
        self.lease = lease
        self.worker = worker_name()
        if isinstance(path := getattr(log, "path", None), Path):
            hide(path)
        self.heartbeat = Heartbeat(log, self.worker, clock, lease)
        self._commit = GroupCommit(log, lambda: self.heartbeat.players == 1)
        self._readers: ThreadPoolExecutor | None = None
        self._ahead: dict[str, timedelta] = {}
        self._thinkers: ThreadPoolExecutor | None = None
        self.appended = 0
        """Events that this process has appended so far."""

    def now(self, live: LiveGame) -> datetime:
        """Return the game's time: the clock's time, but never before the game's last event.

        If the clock was set back to before that event, the game's time continues from the event at the clock's speed
        (ADR 0057).
        """
        at = self.clock()
        if not live.recorded or at >= (last := live.recorded[-1].at):
            if self._ahead:
                self._ahead.pop(live.id, None)
            return at
        ahead = self._ahead[live.id] = max(self._ahead.get(live.id, NO_TIME), last - at)
        return at + ahead

    def by_the_clock(self, live: LiveGame, moment: datetime | None) -> datetime | None:
        """A moment of the game's time as the clock will show it then."""
        return None if moment is None else moment - self._ahead.get(live.id, NO_TIME)

    @property
    def commits(self) -> GroupCommit:
        """What this process has committed so far."""
        return self._commit

    def require_writable(self) -> None:
        """Raises LogError where the log cannot be written, which who only waits would never notice."""
        self.log.renew(self.worker, self.clock() + self.lease)

    def close(self) -> None:
        """Let the commit and the reading in progress end. The log stays open."""
        self._commit.close()
        for threads in (self._readers, self._thinkers):
            if threads is not None:
                threads.shutdown(wait=True, cancel_futures=True)

    def keep_aside(self, threads: int) -> None:
        """From now on never keep the loop waiting: the log is read in that many threads and written in another, and
        what takes long to work out is worked out in others.

        A game alone is quicker without, since the way to a thread and back takes longer than most reading.
        """
        if self.log.blocking and self._readers is None:
            self._readers = ThreadPoolExecutor(threads, thread_name_prefix="sottovoce-read")
            self._thinkers = ThreadPoolExecutor(THINKERS, thread_name_prefix="sottovoce-think")
            self._commit.aside = True

    async def call(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """What a function gives that may wait for the log; from a thread, where nothing may wait in the loop."""
        if self._readers is None:
            return function(*given, **named)
        return await asyncio.get_running_loop().run_in_executor(self._readers, partial(function, *given, **named))

    async def think(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """What a pure function gives that may take long; from a thread, where nothing may keep the loop waiting."""
        if self._thinkers is None:
            return function(*given, **named)
        return await asyncio.get_running_loop().run_in_executor(self._thinkers, partial(function, *given, **named))

    async def settle(self) -> None:
        """Wait until all that this process has given to be written up to now is written."""
        await self._commit.settle()

    async def open(
        self,
        ruleset: str,
        seats: Sequence[str],
        agents: Mapping[str, str],
        seed: Seed,
        options: Mapping[str, Any],
        game: str | None = None,
        files: Mapping[str, bytes] = NOTHING,
        folder: str | None = None,
        request: GameRequested | None = None,
        receipt: Receipt | None = None,
    ) -> LiveGame:
        """Open a game, with the files it takes in and the folder it works in, if any, and a receipt in the same
        transaction. One of that id that another process opened meanwhile is returned as it is.

        Raises SetupRefused where the rules do not allow it, UnknownAgent for a house player that the ruleset lacks.
        """
        for agent in set(agents.values()):
            check_detail(agent, ruleset)
        live = LiveGame(game or new_game_id(), RULESETS[ruleset])
        command = Open(self.clock(), tuple(seats), dict(agents), seed, dict(options), dict(files), folder, request)
        await self.submit(live, command, ended=None if receipt is None else lambda _: receipt)
        return live

    def load(self, game: str) -> LiveGame:
        """The game as the log has it now. Raises UnknownGame, or DamagedLog where events are missing."""
        return load(self.log, game)

    def catch_up(self, live: LiveGame) -> list[Recorded]:
        """Take in what others appended; the new events."""
        return live.take(self.log.read(live.id, live.length))

    async def submit(
        self,
        live: LiveGame,
        command: Command,
        *,
        lease: Lease | None = None,
        preleased: Container[str] = (),
        ended: Ending | None = None,
        append: str | None = None,
        unless: Callable[[], list[Recorded]] | None = None,
        links: Sequence[LinkChange] = (),
        aside: bool = False,
    ) -> list[Recorded]:
        """Decide the command and append what it becomes; the events appended, none if it had no effect.

        With a `lease` the append is made only while the lease holds: Late is raised otherwise. Turns opened for the
        seats in `preleased` are leased to this worker at once. The receipt that `ended` makes is written in the same
        transaction, and so are the changes to `links`, whatever the command becomes. An `append` that is given is made
        once: a second submit under the same id, here or in another process, gets the events of the first. Where
        `unless`, asked of the state that would be decided on, gives events, they are what came of the command before,
        and nothing is appended. A command with a long text, or one that is to be decided `aside`, keeps no loop waiting
        that may not wait.
        """
        append = append or fresh_id()
        command = await with_evidence(live, command)
        placed: Mapping[str, bytes] = NOTHING
        files: Mapping[str, bytes] = NOTHING
        aside = aside or (isinstance(command, Reply | Say) and len(command.text) > LONG)
        async with live.lock:
            while True:
                first = live.appended(append)
                if not first and unless is not None:
                    first = await self.think(unless) if aside else unless()
                if first:
                    take_back(live, placed)
                    return first
                if lease and (lease.seat, lease.turn) not in live.state.turns:
                    take_back(live, placed)
                    raise Late
                command = self.in_time(live, command)
                works_in_folder = live.ruleset.folder(live.state) is not None
                found = await self.call(with_files, live, command) if works_in_folder else command
                if aside:
                    drafts, state = await self.think(decided, live.ruleset, live.state, found)
                else:
                    drafts, state = decided(live.ruleset, live.state, found)
                if works_in_folder:
                    files = brought(live, found, drafts)
                    take_back(live, {path: data for path, data in placed.items() if path not in files})
                    placed = {**placed, **await self.call(place, live, files)}
                receipts = () if ended is None else (self.in_time(live, ended(drafts), command.at),)
                if not drafts and not receipts and not links:
                    return []
                turns = self._turn_changes(live, drafts, command.at, lease, preleased)
                cause, changes = _cause(live, command), tuple(links)
                write = Write(live.id, live.length, append, command.at, drafts, cause, turns, receipts, links=changes)
                (outcome,) = await self._commit.commit((write,))
                if type(outcome) is Appended:
                    events = outcome.events
                    if events and events[-1].event is not drafts[-1].event:
                        # Those of the first time, perhaps of another text: as many as this one has, and not all.
                        live.take(await self.call(self.log.read, live.id, live.length))
                        continue
                    self.appended += len(events)
                    if files:
                        confirm(live, files)
                    live.changed(turns)
                    if events and live.length == write.expected:
                        return live.follow(events, state)
                    return live.take(events)
                if isinstance(outcome, Failed):
                    raise outcome.error
                live.take(await self.call(self.log.read, live.id, live.length))
                if isinstance(outcome, LeaseLost):
                    take_back(live, placed)
                    if lease is None:
                        live.require_closed((outcome.seat, outcome.turn))
                    raise Late

    async def announce(
        self,
        live: LiveGame,
        peek: Peek,
        *,
        receipt: Receipt | None = None,
        links: Sequence[LinkChange] = (),
    ) -> None:
        """Tell everyone at a running game what is about to make its secrets visible to somebody.

        The receipt and the changes to `links` are written in the same transaction and with the same time; of a game
        that is over they are all that is written. KeeperBlind where the game was opened so, unless it is over or the
        peek is a seat's link: people lose theirs.
        """
        if live.blind and not isinstance(peek, SeatLinkIssued):
            async with live.lock:
                live.take(await self.call(self.log.read, live.id, live.length))
            if not live.state.over:
                raise KeeperBlind
        at, ended = (self.clock(), None) if receipt is None else (receipt.at, lambda drafts: receipt)
        await self.submit(live, Announce(at, peek), ended=ended, links=links)

    async def record(self, game: str, receipts: Sequence[Receipt]) -> None:
        """Write receipts of a game alone; each is of the game's time (`in_time`)."""
        if receipts:
            at = max(receipt.at for receipt in receipts)
            write = Write(game, 0, fresh_id(), at, receipts=tuple(receipts))
            (outcome,) = await self._commit.commit((write,))
            if isinstance(outcome, Failed):
                raise outcome.error

    def foresee(
        self, stretch: DecisionBatch, command: Command, *, lease: Lease, preleased: Container[str], ended: Ending
    ) -> None:
        """Decide the command as `submit` does, as the next write of the stretch."""
        live = stretch.live
        command = self.in_time(live, command)
        drafts, state = decided(live.ruleset, live.state, command)
        turns = self._turn_changes(live, drafts, command.at, lease, preleased)
        receipts, cause, append = (self.in_time(live, ended(drafts), command.at),), _cause(live, command), fresh_id()
        write = Write(live.id, live.length, append, command.at, drafts, cause, turns, receipts, after=stretch.last)
        stretch.take(write, state, turns)

    async def store_stretch(self, stretch: DecisionBatch) -> bool:
        """Append what was decided in a stretch; False where somebody else came first, or had the lease.

        The game is then as the log has it, with as much of the stretch as was appended. After an error of the log it
        is as it was before the stretch.
        """
        live = stretch.live
        if not stretch.writes:
            return True
        try:
            outcomes = await self._commit.commit(stretch.writes)
        except BaseException:
            stretch.undo()
            raise
        if stretch.settle(outcomes):
            self.appended += live.length - stretch.start
            return True
        live.take(await self.call(self.log.read, live.id, live.length))
        for outcome in outcomes:
            if isinstance(outcome, Failed):
                raise outcome.error
        return False

    async def change_links(self, game: str, changes: Sequence[LinkChange]) -> tuple[StoredLink, ...]:
        """Issue, claim and end links of a game; those that this changed, as it left them."""
        (outcome,) = await self._commit.commit((Write(game, 0, fresh_id(), self.clock(), links=tuple(changes)),))
        if isinstance(outcome, Failed):
            raise outcome.error
        return outcome.links if isinstance(outcome, Appended) else ()

    async def store(self, live: LiveGame, events: Sequence[Recorded]) -> LiveGame:
        """Store ready events as a new game: what import and fork do. Opens the obligations of its open turns."""
        copy = LiveGame(live.id, live.ruleset)
        copy.take(events)
        at = self.now(copy)
        turns = tuple(
            TurnChange(
                "open",
                turn.seat,
                turn.number,
                turn.attempt,
                expires=None if turn.seconds is None else at + timedelta(seconds=turn.seconds),
            )
            for turn in copy.state.turns.values()
        )
        write = Write(live.id, 0, fresh_id(), at, stored=tuple(events), turns=turns)
        (outcome,) = await self._commit.commit((write,))
        if isinstance(outcome, Failed):
            raise outcome.error
        if not isinstance(outcome, Appended):
            raise SottovoceError(f"Game {live.id} was created in the meantime. Try again.")
        stored = LiveGame(live.id, live.ruleset)
        stored.take(outcome.events)
        return stored

    async def fork(
        self,
        parent: LiveGame,
        position: int,
        *,
        seed: Seed | None = None,
        agents: Mapping[str, str] | None = None,
        by: Literal["keeper", "database"] = "database",
    ) -> LiveGame:
        """Open a new game that continues from the end of the last complete append at or before `position`.

        Everyone in the old game sees this first, with the person `by` who did it, unless that game is over. The old
        game keeps a receipt with the id of the new one. Raises KeeperBlind if the old game was opened with that option
        and is not over. A copy of a game whose chairs are open begins with closed ones, and says who can know its
        secrets.
        """
        for agent in (agents or {}).values():
            check_detail(agent, parent.ruleset.name)
        async with parent.lock:  # else the game may be ahead of the log (`DecisionBatch`)
            end = end_of_append(parent.recorded, position)
            begun = parent.recorded[:end]
        if end == 0:
            raise SottovoceError(f"No write is complete at or before position {position}. Fork at a later position.")
        live = LiveGame(new_game_id(), parent.ruleset)
        past = [msgspec.structs.replace(item, game=live.id, salt=b"", hash=b"") for item in begun]
        live.take(past)
        if live.state.over:
            raise SottovoceError(f"The game is over at position {end}. Fork at an earlier position.")
        known = parent.state.chairs if parent.state.over else ()
        command = Fill(self.now(live), dict(agents or {}), seed, forked=(parent.id, end), known=known)
        drafts = decide(live.ruleset, live.state, command)
        stated = {"fork": live.id, "position": end, "by": by}
        receipt = Receipt(FORKED, command.at, "", stated)
        # Before the copy is there: a copy that nobody was told of could be looked into by whoever finds it.
        await self.announce(parent, GameCopied(by=by), receipt=receipt)
        # One write, since a copy that was left without its GameForked would be a game that nobody played.
        stored = await self.store(live, [*past, *_recorded(live, drafts, command.at)])
        restore(stored)
        return stored

    def in_time(self, live: LiveGame, made: Timed, at: datetime | None = None) -> Timed:
        """What was made before the game's last event, as if it were made now, or at that time."""
        if live.recorded and made.at < live.recorded[-1].at:
            return msgspec.structs.replace(made, at=at or self.now(live))
        return made

    def _turn_changes(
        self, live: LiveGame, drafts: Sequence[Draft], at: datetime, lease: Lease | None, preleased: Container[str]
    ) -> tuple[TurnChange, ...]:
        """What the drafts do to the obligations: one change a turn, the last one where several concern it.

        A turn that is opened and closed by the same drafts leaves no trace.
        """
        changes: dict[tuple[str, int], TurnChange] = {}
        for draft in drafts:
            event: Any = draft.event
            if (what := _CHANGES.get(type(event))) is None:
                continue
            seat, turn = key = (event.seat, event.turn)
            if what == "close" and key not in live.state.turns:
                changes.pop(key, None)
                continue
            attempt, seconds = 1, None
            if what == "open":
                seconds = event.seconds
            elif what == "retry":
                attempt, seconds = event.attempt + 1, live.state.turns[key].seconds
            mine = what != "close" and seat in preleased
            changes[key] = TurnChange(
                what,
                seat,
                turn,
                attempt,
                None if seconds is None else at + timedelta(seconds=seconds),
                lease.epoch if lease and (lease.seat, lease.turn) == key else None,
                self.worker if mine else None,
                self.clock() + self.lease if mine else None,
            )
        return tuple(changes.values())


def _cause(live: LiveGame, command: Command) -> int | None:
    """The position that the command reacts to: the opening of the turn it answers."""
    if isinstance(command, Reply | Expire | Fail):
        return live.opening_position(command.seat, command.turn)
    return None


def _recorded(live: LiveGame, drafts: Sequence[Draft], at: datetime) -> list[Recorded]:
    """The drafts as ready events that follow what is known of the game."""
    append, first = fresh_id(), live.length + 1
    return [
        Recorded(
            game=live.id,
            position=position,
            append=append,
            name=draft.event.stored_name,
            at=at,
            actor=draft.event.actor,
            audience=draft.audience,
            cause=None if position == first else first,
            body=draft.event.encoded(),
            salt=b"",
            hash=b"",
            event=draft.event,
        )
        for position, draft in enumerate(drafts, first)
    ]


def end_of_append(recorded: Sequence[Recorded], position: int) -> int:
    """The last position at or before `position` at which an append ends; 0 if there is none."""
    position = min(position, len(recorded))
    if position < len(recorded):
        while position > 0 and recorded[position - 1].append == recorded[position].append:
            position -= 1
    return position
