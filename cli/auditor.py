"""What an audit can ask: of a log, or of a server with an auditor's link. Answers are as the commands' JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from sottovoce.cli.place import Place
from sottovoce.cli.source import LoggedGame, RecordedGame
from sottovoce.eventlog.log import EventLog, RecordedReceipt
from sottovoce.eventlog.verify import all_receipts, text_of
from sottovoce.projections import audit as audits
from sottovoce.projections.knowledge import how
from sottovoce.projections.leaks import leaks
from sottovoce.projections.thoughts import Thought, thoughts
from sottovoce.server.files import altered

if TYPE_CHECKING:
    from sottovoce.cli.remote import Connection
    from sottovoce.client.api import Api

Found = Mapping[str, Any]


class Auditor(Protocol):
    """Answers about one game. Raises UnknownSeat, UnknownPosition and UnknownTurn, or what a server says of them."""

    game: RecordedGame

    def who_saw(self, position: int) -> Found:
        """`audit who-saw`."""

    def saw(self, seat: str, position: int | None) -> Sequence[Found]:
        """`audit saw`."""

    def how(self, seat: str, position: int) -> Found:
        """`audit how`."""

    def prompt(self, seat: str, turn: int) -> Found:
        """`audit prompt`, with its texts."""

    def leaks(self) -> Sequence[Found]:
        """`audit leaks`."""

    def thoughts(self, seat: str | None) -> Sequence[Thought]:
        """`audit thoughts`."""


class LogAuditor:
    """Asks a log."""

    def __init__(self, log: EventLog, game: str) -> None:
        self._log = log
        self.game: RecordedGame = LoggedGame(log, game)

    def who_saw(self, position: int) -> Found:
        live = self.game.live
        return audits.who_saw(live.ruleset, live.recorded, self._receipts(), position).to_json()

    def saw(self, seat: str, position: int | None) -> Sequence[Found]:
        live = self.game.live
        found = audits.saw(live.ruleset, live.recorded, self._receipts(), seat, position)
        return [entry.to_json() for entry in found]

    def how(self, seat: str, position: int) -> Found:
        return how(self.game.ruleset, self.game.live.recorded, seat, position).to_json()

    def prompt(self, seat: str, turn: int) -> Found:
        found = audits.prompt(self.game.live.recorded, self._receipts(), seat, turn)
        texts = {digest: text_of(self._log, digest) for item, _ in found.handed for digest in item.blocks}
        return {**found.to_json(), "texts": texts}

    def leaks(self) -> Sequence[Found]:
        live = self.game.live
        return leaks(live.ruleset, live.recorded, self._receipts(), self._log.block, altered(live)).to_json()

    def thoughts(self, seat: str | None) -> Sequence[Thought]:
        return thoughts(self.game.live.recorded, self._receipts(), seat)

    def _receipts(self) -> list[RecordedReceipt]:
        return all_receipts(self._log, self.game.id)


class FarAuditor:
    """Asks a server."""

    def __init__(self, used: Connection) -> None:
        from sottovoce.cli.remote import AuditedGame

        self._far = used
        self.game: RecordedGame = AuditedGame(used)

    def who_saw(self, position: int) -> Found:
        return self._found("who-saw", position=position)

    def saw(self, seat: str, position: int | None) -> Sequence[Found]:
        return self._far.call(self._far.api.saw(seat, position))

    def how(self, seat: str, position: int) -> Found:
        return self._found("how", seat=seat, position=position)

    def prompt(self, seat: str, turn: int) -> Found:
        return self._found("prompt", seat=seat, turn=turn)

    def leaks(self) -> Sequence[Found]:
        return list(self._found("leaks")["findings"])

    def thoughts(self, seat: str | None) -> Sequence[Thought]:
        return thoughts(self.game.live.recorded, self._far.call(_receipts(self._far.api)), seat)

    def _found(self, question: str, **about: Any) -> Found:
        return dict(self._far.call(self._far.api.audit(question, **about)))


@dataclass(frozen=True, slots=True)
class FarReceipt:
    """A receipt as a server tells it."""

    number: int
    name: str
    at: datetime
    seat: str
    data: dict[str, Any]
    blocks: tuple[str, ...] = ()


async def _receipts(api: Api) -> list[FarReceipt]:
    return [
        FarReceipt(item["number"], item["name"], datetime.fromisoformat(item["at"]), item["seat"], item["data"])
        async for item in api.receipts()
    ]


@contextmanager
def auditor(place: Place, game: str) -> Iterator[Auditor]:
    """Who answers an audit of the game: the log, or the server that the link leads to."""
    if place.link is None:
        with place.log() as log:
            yield LogAuditor(log, game)
        return
    from sottovoce.cli.remote import auditing

    with auditing(place.link, game) as used:
        yield FarAuditor(used)
