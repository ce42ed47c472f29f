"""What guessing adds to each layer: a board, a standing, a column, its house player, and help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from guessing import KEEPER, GuessMade, State, play

from sottovoce import Event
from sottovoce import AgentExtras
from sottovoce import CliExtras
from sottovoce import Columns, Grid, Line, ProjectionExtras, Standing


def board(told: Sequence[Line], state: State) -> Grid | None:
    """Every guess so far, and how near it was."""
    rows = tuple((guess.player, str(guess.number), guess.answer) for guess in state.guesses if guess.answer)
    return Grid(("player", "guess", "answer"), rows) if rows else None


def awaited(state: State) -> tuple[str, ...]:
    """Who is awaited as far as everybody knows: the keeper before each round, then the players in turn."""
    if state.over:
        return ()
    players, asked = state.seats[1:], len(state.guesses)
    return (KEEPER if state.hints * len(players) <= asked else players[asked % len(players)],)


def parts(state: State) -> dict[str, tuple[str, bool]]:
    return {seat: ("keeper" if seat == KEEPER else "player", seat == state.winner) for seat in state.seats}


def guesses(log: Iterable[Event]) -> Mapping[str, Sequence[str]]:
    """The numbers that each player guessed."""
    found: dict[str, list[str]] = {}
    for event in log:
        if isinstance(event, GuessMade):
            found.setdefault(event.player, []).append(str(event.number))
    return {player: (" ".join(numbers),) for player, numbers in found.items()}


PROJECTIONS = ProjectionExtras(
    board=board,
    standing=Standing("rounds", lambda state: state.hints, awaited, parts),
    columns=Columns(("guesses",), guesses),
)
AGENTS = AgentExtras(house=play)
CLI = CliExtras(about="Somebody knows a number; guess it.", many="Many games of guessing.")
