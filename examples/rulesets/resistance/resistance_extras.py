"""What The Resistance adds to the layers: a board, a standing, columns, house player, help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from resistance import MissionEnded, State, play

from sottovoce import Event
from sottovoce import AgentExtras
from sottovoce import CliExtras
from sottovoce import Columns, Grid, Line, ProjectionExtras, Standing


def board(told: Sequence[Line], state: State) -> Grid | None:
    """Every mission so far."""
    ended = enumerate(state.missions, 1)
    rows = tuple((str(number), ", ".join(one.team), str(one.fails), one.outcome) for number, one in ended)
    return Grid(("mission", "team", "fails", "outcome"), rows) if rows else None


def awaited(state: State) -> tuple[str, ...]:
    """Who is awaited as far as everybody knows: the leader, then all for the vote, then the team."""
    if state.over:
        return ()
    return (state.leader,) if not state.team else state.team if state.vote else state.seats


def parts(state: State) -> dict[str, tuple[str, bool]]:
    return {
        seat: ("spy", state.winner == "spies") if seat in state.spies else ("resistance", state.winner == "resistance")
        for seat in state.seats
    }


def missions(log: Iterable[Event]) -> Mapping[str, Sequence[str]]:
    """How many missions each player was on, and how many of those failed."""
    ended = [event for event in log if isinstance(event, MissionEnded)]
    teams, failed = ([one.team for one in ended], [one.team for one in ended if one.outcome == "failed"])
    return {seat: [str(sum(seat in team for team in some)) for some in (teams, failed)] for seat in set().union(*teams)}


PROJECTIONS = ProjectionExtras(
    board=board,
    standing=Standing("missions", lambda state: len(state.missions), awaited, parts),
    columns=Columns(("missions", "missions_failed"), missions),
)
AGENTS = AgentExtras(house=play)
CLI = CliExtras(about="Five missions, and spies among you.", many="Many games of The Resistance.")
