"""What plays the seats of a tabletop session: the house, a random player, and files with their own form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sottovoce import AgentExtras, SeatRandom, Turn, View

if TYPE_CHECKING:
    from sottovoce import FileForm


def _house(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    from sottovoce.rulesets.tabletop.house import play

    return play(view, turn, random)


def _random(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    from sottovoce.rulesets.tabletop.players.random_player import reply

    return reply(view.state, turn, random)


def _files() -> FileForm:
    from sottovoce.rulesets.tabletop.players.files import FORM

    return FORM


EXTRAS = AgentExtras(house=_house, random=_random, files=_files)
