"""Links: how a write changes them, what the receipts say about them, and whether the table agrees.

The log stores only the SHA-256 of a link's token. The receipts are the truth. The table answers every request, and
`mended` rebuilds it from the receipts.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sottovoce.eventlog.chain import Problem, at
from sottovoce.eventlog.envelope import to_micros
from sottovoce.eventlog.errors import WriteRefused
from sottovoce.eventlog.log import (
    LINK_CLAIMED,
    LINK_ENDED,
    LINK_ISSUED,
    Execute,
    Receipt,
    StoredLink,
    StoredReceipt,
    Write,
)

FACTS: Final = (LINK_ISSUED, LINK_CLAIMED, LINK_ENDED)
"""The names of the receipts that record changes to a link."""

LINK: Final = ", ".join(StoredLink._fields)
_RECEIPT = ", ".join(StoredReceipt._fields)
_DIGEST_BYTES = 32
_KINDS: Final = [str, int, str, str, bytes, int]
_MEND = "; run: sottovoce db rebuild"


class FoundLinks(NamedTuple):
    """The stored links that a batch needs.

    The links of its games by number, which of the digests that it creates exist in any game, and how many links of all
    games have ended.
    """

    games: Mapping[str, Mapping[int, StoredLink]]
    digests: Collection[bytes]
    ended: int


def by_game(rows: Iterable[tuple[Any, ...]]) -> dict[str, dict[int, StoredLink]]:
    """Build `FoundLinks` from rows of links."""
    games: dict[str, dict[int, StoredLink]] = {}
    for row in rows:
        games.setdefault(row[0], {})[row[1]] = StoredLink._make(row)
    return games


NO_LINKS: Final = FoundLinks({}, (), 0)


class Ledger:
    """The links after each write of a batch."""

    __slots__ = ("_changed", "_digests", "_ended", "_found", "_games")

    def __init__(self, found: FoundLinks) -> None:
        self._found = found
        self._games: dict[str, dict[int, StoredLink]] = {}
        self._digests: set[bytes] = set()
        self._ended = found.ended
        self._changed: dict[bytes, StoredLink] = {}

    def change(self, write: Write) -> tuple[tuple[StoredLink, ...], tuple[Receipt, ...]]:
        """Return the links that the write changes, ended ones first, and the receipts that record it.

        Nothing counts before `take`. Raises WriteRefused for an invalid digest or one of another game.
        """
        links = self._game(write.game).copy()
        changed: dict[int, StoredLink] = {}
        receipts: list[Receipt] = []
        now, ended = to_micros(write.at), self._ended

        def put(name: str, link: StoredLink, **data: str | bool) -> None:
            links[link.number] = changed[link.number] = link
            receipts.append(Receipt(name, write.at, link.seat, {"link": link.number, **data}))  # type: ignore[arg-type]

        def end(link: StoredLink, how: str) -> None:
            nonlocal ended
            ended += 1
            put(LINK_ENDED, link._replace(ended=now, ending=ended), how=how)

        for change in write.links:
            if change.what == "issue":
                if any(link.digest == change.digest for link in links.values()):
                    continue
                self._check(change.digest)
                for link in list(links.values()):
                    if link.ended is None and (link.kind, link.seat) == (change.kind, change.seat):
                        end(link, "replaced")
                number = max(links, default=0) + 1
                fresh = StoredLink(write.game, number, change.kind, change.seat, change.digest, now)
                holder = {"holder": True} if change.for_holder else {}
                put(LINK_ISSUED, fresh, kind=fresh.kind, digest=fresh.digest.hex(), **holder)
                continue
            known = links.get(change.number)
            if known is None or known.ended is not None:
                continue
            if change.what == "end":
                end(known, "ended")
            elif known.claimed is None:
                put(LINK_CLAIMED, known._replace(claimed=now))
        return tuple(_in_order(changed.values())), tuple(receipts)

    def take(self, links: Sequence[StoredLink]) -> None:
        """Count what a write changed."""
        for link in links:
            self._game(link.game)[link.number] = self._changed[link.digest] = link
            self._digests.add(link.digest)
            self._ended = max(self._ended, link.ending or 0)

    def changed(self) -> list[StoredLink]:
        """Return every changed link in its final state, ended ones first, because another may have taken their
        place."""
        return _in_order(self._changed.values())

    def _game(self, game: str) -> dict[int, StoredLink]:
        links = self._games.get(game)
        if links is None:
            links = self._games[game] = dict(self._found.games.get(game, {}))
        return links

    def _check(self, digest: bytes) -> None:
        if len(digest) != _DIGEST_BYTES:
            raise WriteRefused(f"A link is issued by a digest of {_DIGEST_BYTES} bytes, not of {len(digest)}")
        if digest in self._digests or digest in self._found.digests:
            raise WriteRefused("A link of another game has this token. Create another")


def _in_order(links: Iterable[StoredLink]) -> list[StoredLink]:
    return sorted(links, key=lambda link: link.ended is None)


def stated(receipts: Iterable[StoredReceipt]) -> tuple[dict[int, StoredLink], list[Problem]]:
    """Return a game's links by number, as its receipts say, and which of those receipts are impossible.

    No content of the rows makes it fail. `ending` is None because receipts do not contain it.
    """
    links: dict[int, StoredLink] = {}
    problems = []
    for row in receipts:
        if row.name in FACTS:
            link = _stated(links, row)
            if link is not None:
                links[link.number] = link
            elif isinstance(row.number, int):
                problems.append(at("receipt", row.number, "has impossible values for a link"))
    return links, problems


def _stated(links: Mapping[int, StoredLink], row: StoredReceipt) -> StoredLink | None:
    """Return the link after this receipt, or None if the receipt is impossible."""
    try:
        data = json.loads(row.data)
        number = data["link"]
        if row.name == LINK_ISSUED:
            fresh = StoredLink(row.game, number, data["kind"], row.seat, bytes.fromhex(data["digest"]), row.at)
            kinds = [type(value) for value in fresh[:6]]
            known = number in links or any(link.digest == fresh.digest for link in links.values())
            return None if known or kinds != _KINDS or len(fresh.digest) != _DIGEST_BYTES else fresh
        link = links[number]
    except Exception:  # A tampered row is a finding, never a failure, whatever it contains.
        return None
    if link.ended is not None or type(row.at) is not int:
        return None
    if row.name == LINK_ENDED:
        return link._replace(ended=row.at)
    return None if link.claimed is not None else link._replace(claimed=row.at)


def contradictions(said: Mapping[int, StoredLink], held: Iterable[StoredLink]) -> Iterator[str]:
    """Return where the table's links of a game differ from its receipts."""
    rows: dict[int, StoredLink] = {}
    for row in held:
        if row.number in rows:
            yield f"link {row.number} exists twice{_MEND}"
        rows[row.number] = row
    for number in sorted({*said, *rows}, key=str):
        link, row_ = said.get(number), rows.get(number)
        if link is None:
            yield f"link {number} was never created{_MEND}"
        elif row_ is None:
            yield f"link {number} is missing{_MEND}"
        else:
            wrong = [
                name
                for name, wanted, found in zip(StoredLink._fields[:-1], link, row_, strict=False)
                if found != wanted
            ]
            if (row_.ending is None) != (link.ended is None):
                wrong.append("ending")
            if wrong:
                yield f"link {number} differs from its receipts ({', '.join(wrong)}){_MEND}"


def findings(run: Execute) -> list[str]:
    """Return the contradictions of all games, one line each."""
    return [f"Game {game}: {what}" for game, (said, held) in _all(run).items() for what in contradictions(said, held)]


def mended(run: Execute) -> int:
    """Rebuild the links of all games from their receipts, in the caller's transaction.

    Return how many games differed.
    """
    wrong = {game: found for game, found in _all(run).items() if any(contradictions(*found))}
    ended = run("SELECT coalesce(max(ending), 0) FROM links")[0][0]
    for game in wrong:
        run("DELETE FROM links WHERE game = ?", (game,))
    for said, held in wrong.values():
        endings = {row.digest: row.ending for row in held}
        for link in said.values():
            ending = None if link.ended is None else endings.get(link.digest)
            if link.ended is not None and ending is None:
                ended = ending = ended + 1
            run(f"INSERT INTO links ({LINK}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", link._replace(ending=ending))
    return len(wrong)


def _all(run: Execute) -> dict[str, tuple[dict[int, StoredLink], list[StoredLink]]]:
    """Yield each game that has links, with the links from its receipts and those in the table."""
    receipts: dict[str, list[StoredReceipt]] = {}
    # Use the names as stored: receipts have no index by name, so all are read once.
    for row in run(f"SELECT {_RECEIPT} FROM receipts WHERE name IN (?, ?, ?) ORDER BY game, number", FACTS):
        receipts.setdefault(row[0], []).append(StoredReceipt._make(row))
    held: dict[str, list[StoredLink]] = {}
    for row in run(f"SELECT {LINK} FROM links ORDER BY game, number"):
        held.setdefault(row[0], []).append(StoredLink._make(row))
    return {
        game: (stated(receipts.get(game, ()))[0], held.get(game, [])) for game in sorted({*receipts, *held}, key=str)
    }
