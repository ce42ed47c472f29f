"""What the public may know of where a game stands: who is awaited, and how many rounds were played.

Each ruleset says it here for itself, from the public events alone, so that the answer moves with no hidden act: at
night nobody is named, and while a ballot is sealed only that the players are voting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from domain.rulesets.delegation.state import DelegationState
    from domain.rulesets.mafia.state import MafiaState
    from domain.rulesets.tabletop.state import TabletopState

PLAYERS = "players"
NIGHT = "the night"
TABLE = "the table"
SESSIONS = "the sessions and the user"


@dataclass(frozen=True, slots=True)
class Standing:
    """`awaited(public state)` names seats or groups; `rounds(state)` counts what `counted` names.

    `parts(state)` gives, of a finished game, the part that each player had and whether it won.
    """

    awaited: Callable[[Any], tuple[str, ...]]
    rounds: Callable[[Any], int]
    counted: str
    parts: Callable[[Any], Mapping[str, tuple[str, bool]]]


def _mafia_awaited(state: MafiaState) -> tuple[str, ...]:
    from domain.rulesets.mafia.events import NARRATOR, TOWN_HALL

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
            waiting = [player for player in state.living if player not in state.asked]
            return (PLAYERS,) if state.pending is not None or not waiting else (waiting[0],)
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


def _mafia_parts(state: MafiaState) -> dict[str, tuple[str, bool]]:
    winners = {"town": ("Detective", "Doctor", "Villager"), "mafia": ("Mafia",), "jester": ("Jester",)}
    won = winners.get(state.winner or "", ())
    return {player: (state.roles[player], state.roles[player] in won) for player in state.players}


def _session_awaited(state: TabletopState) -> tuple[str, ...]:
    """A session's turns are nobody's business but their seats': in public it is only known to be going on."""
    return () if state.over else (TABLE,)


def _session_parts(state: TabletopState) -> dict[str, tuple[str, bool]]:
    return {name: ("player character" if name == state.character else "companion", False) for name in state.played}


def _delegation_parts(state: DelegationState) -> dict[str, tuple[str, bool]]:
    """Each session with its parts in all tasks; it has won if all of them are complete."""
    found: dict[str, tuple[str, bool]] = {}
    for session in state.sessions:
        mine = [task for task in state.tasks.values() if session in (task.planner, task.executor, task.reviewer)]
        parts = [part for part in PARTS if any(getattr(task, part) == session for task in mine)]
        found[session] = (" and ".join(parts) or "none", bool(mine) and all(task.complete for task in mine))
    return found


PARTS = ("planner", "executor", "reviewer")


STANDINGS: Mapping[str, Standing] = {
    "tabletop": Standing(_session_awaited, lambda state: int(state.beat), "beats", _session_parts),
    "mafia": Standing(_mafia_awaited, lambda state: int(state.number), "days", _mafia_parts),
    "delegation": Standing(
        lambda state: () if state.over else (SESSIONS,),
        lambda state: sum(task.round for task in state.tasks.values()),
        "rounds",
        _delegation_parts,
    ),
}
"""The standing of each ruleset, by its name. One that is not listed names nobody in public."""
