"""Who sits where: players' names, drawn where nobody gives them, and the agent of every seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sottovoce.agents.kinds import is_single
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import UnknownName
from sottovoce.domain.events import GameOpened
from sottovoce.domain.ruleset import Ruleset

if TYPE_CHECKING:
    from sottovoce.server.live import LiveGame

NAMES = tuple(
    """
    Ada Bram Cleo Dirk Edda Finn Greta Hugo Ines Jory
    Kira Lorenz Mila Nils Orla Piet Quinn Runa Sven Thea
    Ulf Vera Wim Xenia Yorick Zita Anselm Berta Caspar Dora
    Egon Frieda Gideon Hanne Ivo Jutta Konrad Leni Moritz Nora
    """.split()
)

MOST_PLAYERS = len(NAMES)

OUTSIDE = "outside"
"""The agent of a seat whose replies come from another process, or over the network."""


def player_names(count: int, seed: Seed, wanted: Sequence[str] = ()) -> list[str]:
    """That many names, with those wanted among them, in a seating order: drawn from the seed's public half."""
    draw = seed.public("names")
    folded = {name.casefold() for name in wanted}
    others = [name for name in NAMES if name.casefold() not in folded]
    if count > MOST_PLAYERS:
        raise UnknownName(f"Names can be drawn for at most {MOST_PLAYERS} players, not {count}.")
    if len(wanted) > count:
        raise UnknownName(f"There are {len(wanted)} names for {count} players. Raise --players.")
    names = [*wanted, *draw.sample(others, count - len(wanted))]
    draw.shuffle(names)
    return names


def drawn_lineup(ruleset: Ruleset[Any], players: int | None, filled: Mapping[str, str], seed: Seed) -> list[str]:
    """So many drawn players in seating order, as many as usual where None, with the filled seats among them."""
    count = players or ruleset.players
    drawn = player_names(count, seed)
    offices = {seat.casefold() for seat in ruleset.seats_for(drawn) if seat not in drawn}
    return player_names(count, seed, [name for name in filled if name.casefold() not in offices])


def spelled_seat(seats: Sequence[str], name: str) -> str:
    """The seat of that name, case ignored. Raises UnknownName."""
    seat = name if name in seats else {seat.casefold(): seat for seat in seats}.get(name.casefold())
    if seat is None:
        raise UnknownName(f"There is no seat {name!r}. The seats are: {', '.join(seats)}.")
    return seat


def filled_seats(seats: Sequence[str], agents: str, filled: Mapping[str, str]) -> dict[str, str]:
    """The agent of every seat; UnknownName for one that is not there, or where two seats would share a folder."""
    result = dict.fromkeys(seats, agents)
    for name, agent in filled.items():
        result[spelled_seat(seats, name)] = agent
    for agent, taken in Counter(result.values()).items():
        if taken > 1 and is_single(agent):
            raise UnknownName(f"{agent} is used for {taken} seats. Give each seat its own folder.")
    return result


def cautions(live: LiveGame) -> list[str]:
    """What to know of a game in which a player comes from outside, in one line each."""
    opening = live.recorded[0].event
    assert isinstance(opening, GameOpened), "every game begins with its opening"
    players = [seat for seat in opening.seats if seat not in live.ruleset.seats]
    if OUTSIDE not in [live.state.agents.get(seat) for seat in players]:
        return []
    return list(live.ruleset.cautioned(opening.options))
