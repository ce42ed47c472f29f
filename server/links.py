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

import msgspec

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import AuditorLinkIssued, SeatLinkIssued
from sottovoce.eventlog.envelope import from_micros
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.links import stated
from sottovoce.eventlog.log import LINK_ISSUED, EventLog, LinkChange, StoredLink
from sottovoce.eventlog.verify import all_receipts, contradicted
from sottovoce.projections.exports import stamp
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame

_LOOKED_AT = 64
"""Characters of a token that are looked at: more than a token has, so that a longer one is none."""


class LinkKind(StrEnum):
    """What a link opens: one server, to open games; or of one game its keeping, a seat, the public view, everything."""

    HOST = "host"
    KEEPER = "keeper"
    SEAT = "seat"
    SPECTATOR = "spectator"
    AUDITOR = "auditor"


_LETTERS = {
    LinkKind.HOST: "h",
    LinkKind.KEEPER: "k",
    LinkKind.SEAT: "s",
    LinkKind.SPECTATOR: "w",
    LinkKind.AUDITOR: "a",
}


class LinkRefused(SottovoceError):
    """A link leads to a seat of its game, or to the game as keeper, spectator or auditor."""


class LinkEnded(SottovoceError):
    """This link no longer works. Ask the keeper of the game for a new one."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link as stored. `number` counts from 1 in its game; a host's link has no game and number 0."""

    game: str
    number: int
    kind: LinkKind
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


def new_token(kind: LinkKind) -> str:
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

    async def issue(self, live: LiveGame, kind: LinkKind, seat: str | None = None) -> str:
        """Create a link and return its token, which is never shown again. Revokes the older link of the same kind and
        seat.

        An auditor link or a seat link during a game shows secrets, so everyone in the game sees this in the same write.
        Raises LinkRefused for a host link, for a seat that the game does not have, and for a seat with another kind;
        raises KeeperBlind for an auditor link if the game was opened with that option.
        """
        token, change = _issued(live, kind, seat)
        if kind is LinkKind.AUDITOR:
            await self._games.announce(live, AuditorLinkIssued(), links=[change])
        elif seat is not None:
            await self._games.announce(live, SeatLinkIssued(seat=seat), links=[change])
        else:
            await self._games.change_links(live.id, [change])
        return token

    async def issue_first(self, live: LiveGame, wanted: Sequence[tuple[LinkKind, str | None]]) -> list[str]:
        """The links that a new game begins with, in one write, for who opened it: nobody is told of them.

        LinkRefused as for `issue`, and for an auditor's.
        """
        if any(kind is LinkKind.AUDITOR for kind, _ in wanted):
            raise LinkRefused("A new game can't have an auditor link. Create one during the game or after it.")
        issued = [_issued(live, kind, seat) for kind, seat in wanted]
        await self._games.change_links(live.id, [change for _, change in issued])
        return [token for token, _ in issued]

    async def issue_to_holder(self, live: LiveGame, kind: LinkKind, seat: str | None = None) -> str:
        """Create a link for the person who holds that seat or keeps the game already, and return its token.

        Revokes the older one. It shows nobody anything new, so only a receipt tells of it. Raises LinkRefused as for
        `issue`.
        """
        token, change = _issued(live, kind, seat)
        await self._games.change_links(live.id, [msgspec.structs.replace(change, for_holder=True)])
        return token

    async def claim(self, link: Link) -> Link:
        """Record that the link is in use; a claimed link stays as it is. Raises LinkEnded if it was revoked
        meanwhile.
        """
        if link.kind is LinkKind.HOST:
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
            return Link("", 0, LinkKind.HOST, None, self._started, None, None, digest)
        return None if found is None else _link(found)

    def of(self, game: str) -> list[Link]:
        """All links of a game by their numbers, ended ones included."""
        return [_link(row) for row in self._games.log.links(game)]

    def ended_since(self, revision: int | None) -> tuple[int, list[bytes]]:
        """The revision now, and the digests of the links that ended since an earlier one, here or in another process.

        With None only the revision: where to begin.
        """
        return self._games.log.links_ended(revision)


def made_for_holder(log: EventLog, link: Link) -> bool:
    """Whether the receipts say that the link was made for the person who held its seat."""
    facts = (receipt.data for receipt in all_receipts(log, link.game) if receipt.name == LINK_ISSUED)
    return any(data.get("link") == link.number and data.get("holder") is True for data in facts)


def attested(log: EventLog, game: str) -> list[Link]:
    """All links of a game as its receipts state them; DamagedLog where those are not whole, or the table differs."""
    all_receipts(log, game)
    for problem in contradicted(log, game):
        raise DamagedLog(f"The links of game {game} were changed: {problem.what}")
    return [_link(row) for row in stated(log.receipt_rows(game))[0].values()]


def _issued(live: LiveGame, kind: LinkKind, seat: str | None) -> tuple[str, LinkChange]:
    """A new token, and what makes it a link of the game."""
    _check(live, kind, seat)
    token = new_token(kind)
    return token, LinkChange("issue", kind.value, seat or "", digest_of(token))


def _check(live: LiveGame, kind: LinkKind, seat: str | None) -> None:
    if kind is LinkKind.HOST:
        raise LinkRefused("The server creates the host link when it starts. It does not belong to a game.")
    if kind is not LinkKind.SEAT and seat is not None:
        raise LinkRefused(f"A {kind.value} link has no seat. Leave the seat out.")
    if kind is LinkKind.SEAT and seat not in live.state.seats:
        raise LinkRefused(f"The game has no seat {seat!r}. Its seats are: {', '.join(live.state.seats)}.")


def _link(row: StoredLink) -> Link:
    try:
        kind = LinkKind(row.kind)
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
