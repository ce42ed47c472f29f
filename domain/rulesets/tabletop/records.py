"""Changes to documents as events: what a delta changes, and the team lead's tasks' own writing."""

from __future__ import annotations

from dataclasses import asdict

from domain.errors import Refused
from domain.rulesets.tabletop import events
from domain.rulesets.tabletop.documents import Delta, Removed, Written, apply_delta
from domain.rulesets.tabletop.state import Game


def write_delta(game: Game, author: str, delta: Delta) -> None:
    """Change a document as a seat or a task does (T-144). Refused where it may not, or the delta does not fit."""
    state = game.state
    for change in apply_delta(state.documents, delta, author, state.roster, state.options.edition):
        match change:
            case Written(piece, after):
                game.emit(events.PieceWritten(seat=author, after=after, **asdict(piece)))
            case Removed(piece):
                game.emit(
                    events.PieceRemoved(seat=author, key=piece.key, document=piece.document, readers=piece.readers)
                )


def write_quietly(game: Game, author: str, delta: Delta) -> bool:
    """Write what nobody is asked for; False where the document cannot take it, which holds up nothing (T-159)."""
    try:
        write_delta(game, author, delta)
    except Refused:
        return False
    return True


def drop(game: Game, author: str, path: str) -> None:
    """Take a whole document away, as a seat that sees it is done with it."""
    for piece in game.state.documents.get(path, ()):
        game.emit(events.PieceRemoved(seat=author, key=piece.key, document=path, readers=piece.readers))
