"""Check heads against the rows they cover, and rebuild a head from its rows.

Only the head shows that rows were changed or removed, so a head is rebuilt only on request.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sottovoce.eventlog.chain import Chain, events_chain, receipts_chain
from sottovoce.eventlog.decision import new_secret
from sottovoce.eventlog.decoding import EVENT, HEAD, RECEIPT
from sottovoce.eventlog.envelope import START, origin_hash, running_hash
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.log import EventLog, Execute, StoredHead, StoredReceipt, StoredRow

_VERIFY = "run: sottovoce audit verify"
_HEADLESS = """
    SELECT game FROM events WHERE position = 1 AND game NOT IN (SELECT game FROM heads) ORDER BY game
"""


def heads_text(log: EventLog) -> Iterator[str]:
    """Return one line for the head of each game, oldest first.

    Raises DamagedLog for a head that does not match its game.
    """
    for game, head in log.heads():
        if not head.original:
            raise DamagedLog(f"The head of game {game} was changed; run: sottovoce audit verify {game}")
        yield f"{game} {head}\n"


def findings(run: Execute) -> Iterator[str]:
    """Return where heads do not match the hashes of the rows, one line each. Counts are compared elsewhere."""
    for (game,) in run(_HEADLESS):
        yield f"Game {game} has no head; {_VERIFY} {game}"
    for row in run(f"SELECT {HEAD} FROM heads ORDER BY id"):
        head = StoredHead._make(row)
        if not head.length:
            yield f"Game {head.game} has a head and no events; {_VERIFY} {head.game}"
        for kind, place, length, digest in (
            ("events", "position", head.length, head.hash),
            ("receipts", "number", head.receipts, head.receipts_hash),
        ):
            leaves = [leaf for (leaf,) in run(f"SELECT hash FROM {kind} WHERE game = ? ORDER BY {place}", (head.game,))]
            if len(leaves) == length and running_hash(START, leaves) != digest:
                yield f"Game {head.game} has {kind} that do not match its head; {_VERIFY} {head.game}"


def is_lost(run: Execute, game: str) -> bool:
    """Return whether the game has events but no head."""
    return (game,) in map(tuple, run(_HEADLESS))


def made(run: Execute, game: str) -> None:
    """Rebuild the game's head from its rows, in the caller's transaction, which must be allowed to change heads.

    If the head is lost, so is its secret. A new secret is drawn for the salts of later events, so heads saved earlier
    no longer match the game. Raises DamagedLog if the rows are damaged, because then no head would be right.
    """
    events, receipts = _chains(run, game)
    if not events.count or events.problems or receipts.problems:
        raise DamagedLog(f"The rows of game {game} are damaged, so its head can't be computed; {_VERIFY} {game}")
    derived = events.last, events.as_stored[-1], receipts.last, receipts.as_stored[-1]
    if not is_lost(run, game):
        run("UPDATE heads SET length = ?, hash = ?, receipts = ?, receipts_hash = ? WHERE game = ?", (*derived, game))
        return
    ((created,),) = run("SELECT at FROM events WHERE game = ? AND position = 1", (game,))
    secret = new_secret()
    head = StoredHead(game, *derived, secret, created, origin_hash(game, secret, created, 0))
    run(f"INSERT INTO heads ({HEAD}, taken_over) VALUES ({', '.join('?' * len(head))}, 0)", head)


def _chains(run: Execute, game: str) -> tuple[Chain, Chain]:
    events: Any = run(f"SELECT {EVENT} FROM events WHERE game = ? ORDER BY position", (game,))
    receipts: Any = run(f"SELECT {RECEIPT} FROM receipts WHERE game = ? ORDER BY number", (game,))
    return events_chain(map(StoredRow._make, events)), receipts_chain(map(StoredReceipt._make, receipts))
