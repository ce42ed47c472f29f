"""What liar's dice adds to the layers: a board, a standing, columns, players who are out, the house player, help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from liars_dice import BidDoubted, BidJudged, BidMade, State, play

from sottovoce import AgentExtras
from sottovoce import CliExtras
from sottovoce import Columns, Event, Grid, Line, Mark, Marker, Moment, Out, ProjectionExtras, Standing


def board(told: Sequence[Line], state: State) -> Grid | None:
    """The players, how many dice they have, and what they bid last in this round."""
    bids = {made.player: made.bid for made in state.bids}
    rows = tuple((seat, str(number), bids.get(seat, "")) for seat, number in state.left.items())
    return Grid(("player", "dice", "last bid"), rows) if rows else None


def awaited(state: State) -> tuple[str, ...]:
    """The player whose turn it is, as everybody knows."""
    return () if state.over or state.judged else (state.next,)


def parts(state: State) -> dict[str, tuple[str, bool]]:
    return {seat: ("player", seat == state.winner) for seat in state.seats}


def calls(log: Iterable[Event]) -> Mapping[str, Sequence[str]]:
    """How often each player bid, and how often they doubted."""
    log = tuple(log)
    made = [(event.player, 0) for event in log if isinstance(event, BidMade)]
    made += [(event.doubter, 1) for event in log if isinstance(event, BidDoubted)]
    return {seat: [str(made.count((seat, what))) for what in (0, 1)] for seat in dict(made)}


class DiceMarker(Marker):
    """Marks players who have lost their last die."""

    def judged(self, moment: Moment) -> list[Mark]:
        event = moment.event
        assert isinstance(event, BidJudged)
        return [] if event.left else [Out(event.loser, "no dice left")]

    handlers = {BidJudged: judged}


PROJECTIONS = ProjectionExtras(
    board=board,
    standing=Standing("rounds", lambda state: state.round, awaited, parts),
    columns=Columns(("bids", "doubts"), calls),
    marks=DiceMarker,
)
AGENTS = AgentExtras(house=play)
CLI = CliExtras(
    about="Hidden dice, bids and doubts.", many="Many games of liar's dice.", example="--players 4 --rule dice=3"
)
