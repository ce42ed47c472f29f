"""Links: capability tokens, by which people and programs come in over the network.

Who has a token may do what its kind allows, and nobody asks who that is. A token is 256 random bits, shown once, when
it is issued; the log has its SHA-256 alone. That a link was issued, claimed or ended is a fact in the game's receipts.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from hmac import compare_digest
from typing import Any

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import AuditorLinkIssued, SeatLinkIssued
from sottovoce.eventlog.envelope import from_micros
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.links import stated
from sottovoce.eventlog.log import EventLog, LinkChange, StoredLink
from sottovoce.eventlog.verify import contradicted, whole_receipts
from sottovoce.projections.exports import stamp
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame

_LOOKED_AT = 64
"""Characters of a token that are looked at: more than a token has, so that a longer one is none."""


class Kind(StrEnum):
    """What a link opens: one server, to open games; or of one game its keeping, a seat, the public view, everything."""

    HOST = "host"
    KEEPER = "keeper"
    SEAT = "seat"
    SPECTATOR = "spectator"
    AUDITOR = "auditor"


_LETTERS = {Kind.HOST: "h", Kind.KEEPER: "k", Kind.SEAT: "s", Kind.SPECTATOR: "w", Kind.AUDITOR: "a"}


class LinkRefused(SottovoceError):
    """A link leads to a seat of its game, or to the game as keeper, spectator or auditor."""


class LinkEnded(SottovoceError):
    """This link no longer works. Ask the keeper of the game for a new one."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link as the log has it. `number` counts from 1 in its game; a host's link is no game's, with number 0."""

    game: str
    number: int
    kind: Kind
    seat: str | None
    issued: datetime
    claimed: datetime | None
    ended: datetime | None
    digest: bytes

    def to_json(self) -> dict[str, Any]:
        """The link as `audit links` prints it: without its game, and never with its digest."""
        return {
            "number": self.number,
            "kind": self.kind.value,
            "seat": self.seat,
            "issued": stamp(self.issued),
            "claimed": None if self.claimed is None else stamp(self.claimed),
            "ended": None if self.ended is None else stamp(self.ended),
        }


def new_token(kind: Kind) -> str:
    """A token that nobody can guess: `sv`, the letter of its kind, `_`, and 256 random bits in base64url."""
    return f"sv{_LETTERS[kind]}_{secrets.token_urlsafe(32)}"


def digest_of(token: str) -> bytes:
    """The SHA-256 by which a token is known, of any text, however long and whatever is in it."""
    return sha256(token[:_LOOKED_AT].encode(errors="replace")).digest()


class Links:
    """The links to the games of one log, and the host's if there is one, by the digest of its token.

    What writes is asynchronous. The others ask the log and may wait for it: an event loop calls them from a thread.
    """

    def __init__(self, games: Games, host: bytes | None = None) -> None:
        self._games = games
        self._host = host or secrets.token_bytes(32)
        self._started = games.clock()

    async def issue(self, live: LiveGame, kind: Kind, seat: str | None = None) -> str:
        """A new link, as its token, which nothing shows again. Ends the older one of the same kind and seat.

        A link that shows secrets, an auditor's or a seat's, is told to everyone at the game in the same write, unless
        the game is over. LinkRefused for a host's, for a seat that the game has not, and for a seat with another kind;
        KeeperBlind for an auditor's where the game was opened so.
        """
        token, change = _issued(live, kind, seat)
        if kind is Kind.AUDITOR:
            await self._games.announce(live, AuditorLinkIssued(), links=[change])
        elif seat is not None:
            await self._games.announce(live, SeatLinkIssued(seat=seat), links=[change])
        else:
            await self._games.change_links(live.id, [change])
        return token

    async def issue_first(self, live: LiveGame, wanted: Sequence[tuple[Kind, str | None]]) -> list[str]:
        """The links that a new game begins with, in one write, for who opened it: nobody is told of them.

        LinkRefused as for `issue`, and for an auditor's.
        """
        if any(kind is Kind.AUDITOR for kind, _ in wanted):
            raise LinkRefused("A new game can't have an auditor link. Create one during the game or after it.")
        issued = [_issued(live, kind, seat) for kind, seat in wanted]
        await self._games.change_links(live.id, [change for _, change in issued])
        return [token for token, _ in issued]

    async def claim(self, link: Link) -> Link:
        """Say that the link was taken up; once claimed it stays as it is. LinkEnded where it has ended meanwhile."""
        if link.kind is Kind.HOST:
            return link
        changed = await self._games.change_links(link.game, [LinkChange("claim", number=link.number)])
        if changed:
            return _link(changed[0])
        found = self._games.log.link(link.digest)
        if found is None:
            raise LinkEnded
        return _link(found)

    async def end(self, live: LiveGame, number: int) -> bool:
        """End a link of this game; False where there is none of that number, or it has ended."""
        return bool(await self._games.change_links(live.id, [LinkChange("end", number=number)]))

    def find(self, token: str | None) -> Link | None:
        """The link of a token; None for one that is wrong, ended, malformed or missing, after the same work for all."""
        digest = digest_of(token or "")
        found = self._games.log.link(digest)
        if compare_digest(digest, self._host):
            return Link("", 0, Kind.HOST, None, self._started, None, None, digest)
        return None if found is None else _link(found)

    def of(self, game: str) -> list[Link]:
        """All links of a game by their numbers, ended ones included."""
        return [_link(row) for row in self._games.log.links(game)]

    def ended_since(self, revision: int | None) -> tuple[int, list[bytes]]:
        """The revision now, and the digests of the links that ended since an earlier one, here or in another process.

        With None only the revision: where to begin.
        """
        return self._games.log.links_ended(revision)


def attested(log: EventLog, game: str) -> list[Link]:
    """All links of a game as its receipts state them; DamagedLog where those are not whole, or the table differs."""
    whole_receipts(log, game)
    for problem in contradicted(log, game):
        raise DamagedLog(f"The links of game {game} were changed: {problem.what}")
    return [_link(row) for row in stated(log.receipt_rows(game))[0].values()]


def _issued(live: LiveGame, kind: Kind, seat: str | None) -> tuple[str, LinkChange]:
    """A new token, and what makes it a link of the game."""
    _check(live, kind, seat)
    token = new_token(kind)
    return token, LinkChange("issue", kind.value, seat or "", digest_of(token))


def _check(live: LiveGame, kind: Kind, seat: str | None) -> None:
    if kind is Kind.HOST:
        raise LinkRefused("The server creates the host link when it starts. It does not belong to a game.")
    if kind is not Kind.SEAT and seat is not None:
        raise LinkRefused(f"A {kind.value} link has no seat. Leave the seat out.")
    if kind is Kind.SEAT and seat not in live.state.seats:
        raise LinkRefused(f"The game has no seat {seat!r}. Its seats are: {', '.join(live.state.seats)}.")


def _link(row: StoredLink) -> Link:
    try:
        kind = Kind(row.kind)
    except ValueError:
        raise DamagedLog(
            f"Link {row.number} of game {row.game} has an unknown kind; run: sottovoce audit verify {row.game}"
        ) from None
    return Link(
        row.game,
        row.number,
        kind,
        row.seat or None,
        from_micros(row.issued),
        None if row.claimed is None else from_micros(row.claimed),
        None if row.ended is None else from_micros(row.ended),
        row.digest,
    )
