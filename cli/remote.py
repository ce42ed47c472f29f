"""Remote games on the command line: the link you give, and the game as that link shows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

import click

from sottovoce.cli.place import Place, UnknownName, shown_link
from sottovoce.cli.source import Form, RecordedGame, Source, Wait
from sottovoce.client.api import Api, Opened, ServerRefused, connected
from sottovoce.client.game import Garbled, RemoteGame
from sottovoce.client.link import VARIABLE, Link, find_link
from sottovoce.client.stream import stream
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import AttemptFailed, GameOpened, Recorded, TurnOpened
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog.registry import default_registry
from sottovoce.projections.exports import parse_exported
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.models import Substitute
from sottovoce.projections.perspective import PUBLIC, Line, Perspective, of_seat
from sottovoce.projections.summary import Show, Summary
from sottovoce.projections.view import Entry, View
from sottovoce.server.live import LiveGame
from sottovoce.server.oversight import BudgetJson

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

BESIDE = ("piece", "marks")
"""The keys that an auditor's entry has in addition to the exported event."""


class NotWithThisLink(SottovoceError):
    """This link can't do that."""

    exit_code = 2


def link_argument(command: F) -> F:
    """LINK."""
    return click.argument("link", metavar="[LINK]", required=False)(command)


def again(command: str, link: str | None) -> str:
    """Return a command line to print that continues with the same link. It contains no token."""
    words = () if link is None else (shown_link(link),)
    return Place(None).command(command, *words)


def sign(link: str | None, *words: str) -> str:
    """Return a command line to print that shows a remote game with the same link. It contains no token."""
    return Place(None, server=link or VARIABLE).command(*words)


class Connection:
    """The calls that a link opens, one after the other, for commands that wait for nothing else."""

    def __init__(self, runner: asyncio.Runner, api: Api, opened: Opened) -> None:
        self._runner = runner
        self.api = api
        self.opened = opened
        self._sent: AsyncGenerator[dict[str, Any]] | None = None

    async def close(self) -> None:
        """Let nothing more come."""
        if self._sent is not None:
            await self._sent.aclose()

    def call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What a call answers."""
        return self._runner.run(coroutine)

    def follow(self, after: int) -> Iterator[dict[str, Any]]:
        """Entries after that seq as they come, until the game is over. Raises LinkEnded where the link was ended."""
        while True:
            self._sent = stream(self.api, after)
            while (entry := self.call(_next(self._sent))) is not None:
                after += 1
                yield entry
            if (self.call(self.api.show()))["status"] in ("over", "void"):
                return


async def _next(sent: AsyncGenerator[T]) -> T | None:
    return await anext(sent, None)


@contextmanager
def connect(link: Link, game: str = "", *, host: bool = False) -> Iterator[Connection]:
    """A link put to use. `game` must be that of the link, or its beginning, if it is given.

    Raises NotWithThisLink for a host's, unless it may be one.
    """
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            api = runner.run(stack.enter_async_context(connected(link)))
            opened = runner.run(api.link())
            if opened.game is None and not host:
                raise NotWithThisLink("A host link can't show a game. Use a seat, spectator or keeper link.")
            if opened.game is not None and game not in ("", "latest") and not opened.game.startswith(game):
                raise UnknownName(f"This link is for game {opened.game}, not {game!r}. Leave GAME out.")
            used = Connection(runner, api, opened)
            stack.push_async_callback(used.close)
            yield used
        finally:
            runner.run(stack.aclose())


@contextmanager
def hosting(place: Place) -> Iterator[Connection]:
    """A host's link put to use. Raises NotWithThisLink for any other."""
    with connect(find_link(place.server), host=True) as used:
        if used.opened.kind != "host":
            raise NotWithThisLink(f"A {used.opened.kind} link can't create games. Use the host link.")
        yield used


@contextmanager
def keeping(place: Place) -> Iterator[Connection]:
    """A keeper's link put to use. Raises NotWithThisLink for any other."""
    with connect(find_link(place.server)) as used:
        if used.opened.kind != "keeper":
            raise NotWithThisLink(f"A {used.opened.kind} link can't manage links. Use the game's keeper link.")
        yield used


@contextmanager
def remote_source(link: Link, game: str) -> Iterator[Source]:
    """The game that a link opens, to look at: from its seat, as everybody, or as an auditor."""
    with connect(link, game) as used:
        yield AuditedGame(used) if used.opened.kind == "auditor" else WatchedGame(used)


def own_seat(opened: Opened, name: str) -> str:
    """The seat of the link, which `name` must be if it is not empty. Raises NotWithThisLink or UnknownName."""
    own = opened.seat
    if own is None:
        raise NotWithThisLink(f"A {opened.kind} link doesn't open a seat. Use a seat link.")
    if name and name.casefold() != own.casefold():
        raise UnknownName(f"This link is for seat {own!r}, not {name!r}. Leave --as out.")
    return own


class WatchedGame:
    """A remote game as one viewer sees it: a seat or the public."""

    def __init__(self, used: Connection) -> None:
        self._far = used
        self._kind = used.opened.kind
        self._table = RemoteGame(used.opened.seat)
        self._table.take(used.call(used.api.entries()))
        self._news: Iterator[dict[str, Any]] | None = None

    @property
    def id(self) -> str:
        return self._far.api.game

    @property
    def ruleset(self) -> Ruleset[Any]:
        return self._table.ruleset

    @property
    def over(self) -> bool:
        return bool(self._table.state.over)

    def seat(self, name: str) -> str:
        return own_seat(self._far.opened, name)

    def catch_up(self, seq: int) -> None:
        """Take in what has come since, if there is more than is here."""
        if seq > self._table.seq:
            self._table.take(self._far.call(self._far.api.entries(self._table.seq)))

    def perspective(self, seat: str | None, auditor: bool) -> Perspective:
        if seat is not None and auditor:
            raise click.UsageError("Use either --as or --auditor, not both")
        if auditor:
            raise NotWithThisLink(f"A {self._kind} link can't show everything. Use an auditor link.")
        if seat is None and self._table.seat is None:
            return PUBLIC
        return of_seat(self._open_chair(seat or "") or self.seat(seat or ""))

    def _open_chair(self, name: str) -> str | None:
        """The chair of that name, if the end of the game opened it to who holds this link."""
        if self._table.seat is None or not self.over:
            return None
        chairs: Sequence[str] = self._table.state.chairs
        found = next((chair for chair in chairs if chair.casefold() == name.casefold()), None)
        return None if found == self._table.seat else found

    def items(self, chair: Perspective, after: int = 0) -> Sequence[Entry | Recorded]:
        if chair.seat == self._table.seat:
            return self._table.view().since(after)
        other = RemoteGame(chair.seat)
        other.take(self._far.call(self._far.api.replay(chair.seat))["entries"])
        return other.view().since(after)

    def view(self, seat: str, upto: int | None = None) -> View[Any]:
        seen = self._table.view()
        if upto is None or upto >= seen.seq:
            return seen
        entries = seen.entries[:upto]
        return View(seen.ruleset, seen.seat, entries, upto, fold(seen.ruleset, [entry.event for entry in entries]))

    def transcript(self, chair: Perspective, form: Form) -> str:
        self._only_own(chair)
        return self._far.call(self._far.api.transcript(form))

    def _only_own(self, chair: Perspective) -> None:
        if chair.seat != self._table.seat:
            raise NotWithThisLink(f"To look from the chair of {chair.seat}, use replay.")

    def show(self, chair: Perspective) -> Show:
        self._only_own(chair)
        told, seen = self._far.call(self._far.api.show()), self._table.view()
        board = EXTRAS.of(seen.ruleset.name).board
        lines = [Line(entry.seq, entry.at, entry.event) for entry in seen.entries]
        try:
            summary = Summary(
                game=told["game"],
                ruleset=told["ruleset"],
                status=told["status"],
                started=datetime.fromisoformat(told["started"]),
                ended=None if told["ended"] is None else datetime.fromisoformat(told["ended"]),
                winner=told["winner"],
                fallbacks=told["fallbacks"],
            )
            return Show(
                summary=summary,
                seats=tuple(told["seats"]),
                phase=told["phase"],
                waiting_for=tuple(told["waiting_for"]),
                options=told["options"],
                chairs=tuple(told["chairs"]),
                turns=tuple(seen.turns) if chair.seat is not None else (),
                hold=seen.state.hold,
                board=board(lines, seen.state) if board is not None else None,
            )
        except (KeyError, TypeError, ValueError):
            raise Garbled from None

    def waits(self) -> Mapping[tuple[str, int], Wait]:
        seat = self._table.seat
        if seat is None:
            return {}
        opened = {
            entry.event.turn: entry.at for entry in self._table.view().entries if isinstance(entry.event, TurnOpened)
        }
        return {
            (seat, turn["turn"]): Wait(opened.get(turn["turn"]), _moment(turn["deadline"]))
            for turn in self._far.call(self._far.api.turns())["turns"]
        }

    def budget(self, chair: Perspective) -> BudgetJson | None:
        return None if self._kind == "spectator" else _budget(self._far)

    def wait(self) -> None:
        if self._news is None:
            self._news = self._far.follow(self._table.seq)
        for entry in self._news:
            if self._table.take([entry]) and not self.over:  # what came with the end is let in, too
                return
        self._news = None


class AuditedGame(RecordedGame):
    """A remote game with all of its events, for an auditor."""

    def __init__(self, used: Connection) -> None:
        self._far = used
        self._registry = default_registry()
        recorded = [self._recorded(item) for item in used.call(_all(used.api))]
        opening = recorded[0].event if recorded else None
        if not isinstance(opening, GameOpened) or opening.ruleset not in RULESETS:
            raise Garbled
        super().__init__(LiveGame(used.api.game, RULESETS[opening.ruleset]))
        self.live.take(recorded)
        self._news: Iterator[dict[str, Any]] | None = None

    def show(self, chair: Perspective) -> Show:
        shown = super().show(chair)
        if not (chair.full and self.over):
            return shown
        told = self._far.call(self._far.api.show()).get("substitutes") or {}
        try:
            found = {Substitute(one, by): int(count) for one, others in told.items() for by, count in others.items()}
        except (AttributeError, TypeError, ValueError):
            raise Garbled from None
        return replace(shown, substitutes=found)

    def waits(self) -> Mapping[tuple[str, int], Wait]:
        found: dict[tuple[str, int], Wait] = {}
        for item in self.live.recorded:
            event = item.event
            turn = self.live.state.turns.get((getattr(event, "seat", None), getattr(event, "turn", None)))
            if turn is None or not isinstance(event, TurnOpened | AttemptFailed):
                continue
            key = (turn.seat, turn.number)
            opened = item.at if isinstance(event, TurnOpened) else found[key].opened_at
            found[key] = Wait(opened, item.at + timedelta(seconds=turn.seconds) if turn.seconds else None)
        return found

    def budget(self, chair: Perspective) -> BudgetJson | None:
        return _budget(self._far) if chair.full else None

    def wait(self) -> None:
        if self._news is None:
            self._news = self._far.follow(self.live.length)
        for item in self._news:
            if self.live.take([self._recorded(item)]) and not self.over:
                return
        self._news = None

    def _recorded(self, item: Mapping[str, Any]) -> Recorded:
        try:
            exported = parse_exported({key: value for key, value in item.items() if key not in BESIDE})
            return exported.recorded(self._registry.decode(exported.name, exported.body))
        except ValueError as error:
            raise Garbled(
                f"The server sent an invalid event ({error}). Use the same version here and on the server."
            ) from None


def _budget(far: Connection) -> BudgetJson | None:
    """The budget as the link may know it; None where it may not, or where the server has no such answer."""
    try:
        found: BudgetJson | None = far.call(far.api.agents())["budget"]
    except ServerRefused as refused:
        if refused.slug in ("forbidden", "unknown"):
            return None
        raise
    except (KeyError, TypeError, ValueError):
        raise Garbled from None
    return found


async def _all(api: Api) -> list[dict[str, Any]]:
    return [item async for item in api.events()]


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


@contextmanager
def auditing(link: Link, game: str) -> Iterator[Connection]:
    """An auditor's link put to use. Raises NotWithThisLink for any other."""
    with connect(link, game) as used:
        if used.opened.kind != "auditor":
            raise NotWithThisLink(f"A {used.opened.kind} link can't audit. Use an auditor link.")
        yield used
