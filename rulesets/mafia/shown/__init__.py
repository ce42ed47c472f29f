"""What Mafia adds to views: whose turn it is in public, roles and fates, columns, and a narrator who must keep
secrets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sottovoce import Card, Columns, Event, Grid, ProjectionExtras, Referee, Shape, Standing
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.roles import NARRATOR, SIDES, TOWN_HALL
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.rulesets.mafia.rules.turns.narrator import given_away
from sottovoce.rulesets.mafia.shown.marks import MafiaMarker
from sottovoce.rulesets.mafia.shown.measures import MEASURES

PLAYERS = "players"
NIGHT = "the night"


def awaited(state: MafiaState) -> tuple[str, ...]:
    """Return whose turn it is, as far as everyone knows."""
    match state.phase:
        case "setup":
            return (NARRATOR,) if state.opening is None else (PLAYERS,)
        case "night":
            return (NIGHT,)
        case "discussion":
            if state.floor not in (None, TOWN_HALL):
                return (str(state.floor),)
            return (PLAYERS if state.options.floor == "bids" else NARRATOR,)
        case "nominations":
            return (PLAYERS,) if state.pending is not None else (state.next_to_nominate or PLAYERS,)
        case "defence":
            return (NARRATOR if state.introduced is None else state.introduced,)
        case "trial":
            return (PLAYERS,)
        case "gallows":
            if state.narrated is None:
                return (NARRATOR,)
            return (PLAYERS,) if state.final_speech is not None else (str(state.condemned),)
        case "dawn" | "aftermath":
            return (NARRATOR,)
        case _:
            return ()


def parts(state: MafiaState) -> dict[str, tuple[str, bool]]:
    """Each player's role, and whether it won."""
    return {player: (state.roles[player], SIDES[state.roles[player]] == state.winner) for player in state.players}


def fates(log: Iterable[Event]) -> Mapping[str, tuple[str, str]]:
    """By player, when it died, such as `night 2`, and how it voted, such as `trial-1:Cleo`.

    Votes are of `night N` (whom to kill), `second N` (yes or no), `trial N` (whom to condemn) and `gallows N`.
    """
    died: dict[str, str] = {}
    cast: dict[str, list[str]] = {}

    def count(when: str, votes: Mapping[str, str]) -> None:
        for voter, choice in votes.items():
            cast.setdefault(voter, []).append(f"{when}:{choice}".replace(" ", "-"))

    for event in log:
        match event:
            case events.MafiaBallotClosed():
                count(f"night {event.night}", event.votes)
            case events.SecondingClosed():
                count(f"second {event.day}", event.votes)
            case events.TrialClosed():
                count(f"trial {event.day}", event.votes)
            case events.ExecutionVoteClosed():
                count(f"gallows {event.day}", event.votes)
            case events.DeathsAnnounced():
                died |= dict.fromkeys(event.deaths, f"night {event.day}")
            case events.PlayerExecuted():
                died[event.player] = f"day {event.day}"
    return {player: (died.get(player, ""), " ".join(cast.get(player, ()))) for player in {*died, *cast}}


def cast(state: MafiaState) -> Grid:
    """Every player with the role and fate known here. The narrator has neither."""
    rows = ((player, state.roles.get(player, "not known"), _fate(state, player)) for player in state.players)
    return Grid(("Player", "Role", "Fate"), tuple(rows))


def _fate(state: MafiaState, player: str) -> str:
    if player in state.dead:
        return state.dead[player]
    return "survived" if state.over else "alive"


EXTRAS = ProjectionExtras(
    card=Card("Eight at a table, two of them lying. Find them before the town is empty.", "you and seven others", 15),
    shape=Shape("Before the first night", frozenset({NARRATOR}), cast),
    standing=Standing("days", lambda state: int(state.number), awaited, parts),
    columns=Columns(("died", "votes"), fates),
    referee=Referee(NARRATOR, given_away),
    marks=MafiaMarker,
    measures=MEASURES,
)
