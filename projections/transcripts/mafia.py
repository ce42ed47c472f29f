"""Who took part in a game of Mafia, with the roles and fates known."""

from __future__ import annotations

from domain.piece import Grid
from domain.rulesets.mafia.events import NARRATOR
from domain.rulesets.mafia.state import MafiaState
from projections.transcripts.shape import Shape


def _cast(state: MafiaState, full: bool) -> Grid:
    """Everybody with the role and fate known here. The narrator has neither."""
    header = ("Player", "Role", "Fate", "Played by") if full else ("Player", "Role", "Fate")
    rows = []
    for player in state.players:
        row = (player, state.roles.get(player, "not known"), _fate(state, player))
        rows.append((*row, state.agents.get(player, "—")) if full else row)
    if full and NARRATOR in state.seats:
        rows.append((NARRATOR, "—", "—", state.agents.get(NARRATOR, "—")))
    return Grid(header, tuple(rows))


def _fate(state: MafiaState, player: str) -> str:
    if player in state.dead:
        return state.dead[player]
    return "survived" if state.over else "alive"


MAFIA_SHAPE = Shape(prologue="Before the first night", offices=frozenset({NARRATOR}), cast=_cast)
