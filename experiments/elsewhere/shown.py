"""What is shown and counted of games that were played elsewhere."""

from __future__ import annotations

from sottovoce.experiments.elsewhere.aiwolf import SIDES
from sottovoce.experiments.elsewhere.chat import BYSTANDERS, MAFIA
from sottovoce.experiments.elsewhere.rules import State
from sottovoce.projections.extras import Card, ProjectionExtras
from sottovoce.projections.measures import Measures
from sottovoce.projections.public_status import Standing


def parts(state: State) -> dict[str, tuple[str, bool]]:
    """Each player's role, and whether its side won."""
    return {seat: (role, state.sides.get(seat) == state.winner) for seat, role in state.roles.items()}


def days(state: State) -> int:
    """The number of the day or night that the log came to."""
    number = state.phase.rpartition(" ")[2]
    return int(number) if number.isdecimal() else 0


EXTRAS = ProjectionExtras(
    card=Card("A game that was played in another program and imported from its log."),
    standing=Standing("days", days, parts=parts),
    measures=Measures(sides={**SIDES, MAFIA: MAFIA, "bystander": BYSTANDERS}, parts=lambda state: state.roles),
)
