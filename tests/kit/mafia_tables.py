"""Casts for Mafia tests, and random games played in memory."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from mafia_game import mafia_game

from sottovoce.domain import commands
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Draft
from sottovoce.domain.game import decide
from sottovoce.domain.testing import NOON, Playtest
from sottovoce.domain.turns import Turn
from sottovoce.isolation.draws import generator
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.roles import Role
from sottovoce.rulesets.mafia.rules.state import MafiaState
from sottovoce.rulesets.mafia.rules.turns import MAFIA_TURNS, Narration

CAST: dict[str, Role] = {
    "Ada": "Mafia",
    "Bram": "Doctor",
    "Cleo": "Detective",
    "Dirk": "Mafia",
    "Edda": "Villager",
    "Finn": "Jester",
    "Gwen": "Villager",
    "Hugo": "Villager",
}
"""Two Mafia among eight, with each other role."""

PATTERNS = {kind.stored_kind: kind.patterns for kind in MAFIA_TURNS if kind.patterns}
"""Openings that make a choice, for each kind of turn that needs one."""

NARRATIONS = tuple(kind.stored_kind for kind in MAFIA_TURNS if issubclass(kind, Narration))
"""The kinds of turns in which the narrator tells a scene."""

SMALL: dict[str, Role] = {"Ada": "Mafia", "Bram": "Doctor", "Cleo": "Detective", "Dirk": "Villager", "Edda": "Villager"}
"""One Mafia among five."""

Game = Playtest[MafiaState]


def cast(seed: int = 1, **options: Any) -> Game:
    """A game of the cast. Its Mafia kill Hugo first by default."""
    return mafia_game(CAST, seed, **options)


def small(seed: int = 1, **options: Any) -> Game:
    """A game of five."""
    return mafia_game(SMALL, seed, **options)


def everyone_but(*players: str) -> list[str]:
    return [player for player in CAST if player not in players]


def reach_trial(game: Game, *nominees: str, **answers: Any) -> Game:
    """Play to the first trial vote with these nominees, each nominated by the first player who can."""
    nominations, waiting = {}, list(nominees)
    living = [player for player in game.state.players if player not in game.state.dead]
    for player in living:
        if waiting and waiting[0] != player:
            nominations[player] = f"I nominate {waiting.pop(0)}"
    return game.until("trial-vote", {"nominate": nominations, "second": "yes", **answers})


def condemn(game: Game, player: str, **answers: Any) -> Game:
    """Play to the execution vote on that player."""
    return reach_trial(game, player, **answers).until(
        "execution-vote", {"trial-vote": f"I vote for {player}", **answers}
    )


Chooser = Callable[[Turn, random.Random], str]


def any_choice(turn: Turn, rnd: random.Random) -> str:
    """Return a legal choice, or some words; sometimes nonsense."""
    if rnd.random() < 0.06:
        return "no idea?"
    return rnd.choice(turn.choices) if turn.choices else f"I have thought about it {rnd.randrange(1000)} times."


def random_game(
    seed: int,
    players: int,
    choose: Chooser = any_choice,
    check: Callable[[MafiaState], None] | None = None,
    order: Callable[[list[Turn], random.Random], Turn] | None = None,
    **options: Any,
) -> tuple[list[Draft], MafiaState]:
    """Play a whole game. A seat's reply depends only on the seat and its turn, so `order` changes nothing else."""
    names = tuple(f"Player {i}" for i in range(1, players + 1))
    drafts: list[Draft] = []
    state, at = MAFIA.initial, NOON
    rnd = random.Random(seed)

    def do(command: commands.Command) -> None:
        nonlocal state
        new = decide(MAFIA, state, command)
        drafts.extend(new)
        for draft in new:
            state = MAFIA.evolve(state, draft.event)

    do(commands.Open(at, (*names, "narrator"), {}, Seed.of(seed), options))
    while not state.over:
        turns = list(state.turns.values())
        if not turns:
            until = MAFIA.wakes_at(state)
            assert until is not None, f"nothing is awaited in {MAFIA.phase(state)}"
            at = until
            do(commands.Wake(at))
            continue
        turn = order(turns, rnd) if order else rnd.choice(turns)
        if check is not None:
            check(state)
        own = generator(seed, "reply", turn.seat, turn.number, turn.attempt)
        do(commands.Reply(at, turn.seat, turn.number, choose(turn, own)))
    return drafts, state
