"""What fills the seats of a tabletop session: the house, a random player, and files in a form of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sottovoce.agents.agent import SeatRandom
from sottovoce.agents.extras import AgentExtras
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

if TYPE_CHECKING:
    from sottovoce.agents.bridge.forms import FileForm


def _house(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    from sottovoce.agents.house.tabletop import play

    return play(view, turn, random)


def _random(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    from sottovoce.agents.rulesets.tabletop.random_player import reply

    return reply(view.state, turn, random)


def _files() -> FileForm:
    from sottovoce.agents.rulesets.tabletop.bridge import FORM

    return FORM


EXTRAS = AgentExtras(house=_house, random=_random, files=_files)
