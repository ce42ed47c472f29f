"""A game as an environment: the same as a table, for programs."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import Any

import pytest
from commands import ROOT
from endpoint import StandIn

from sottovoce.domain.errors import SetupRefused, SottovoceError
from sottovoce.domain.rulesets import RULESETS
from sottovoce.environment import CannotWait, Environment, NotYourTurn

NAMES = ("Ada", "Bram", "Cleo", "Dirk", "Edda")


def played(seed: int, **given: Any) -> Environment:
    """A game of random moves."""
    draw, game = random.Random(seed), Environment("mafia", NAMES, seed=seed, **given)
    while not game.over:
        seat = draw.choice(game.to_move)
        seen = game.observe(seat)
        assert seen.moves == game.legal_moves(seat)
        assert game.submit(seat, draw.choice(seen.moves) if seen.moves else "So be it.").accepted
    return game


@pytest.mark.parametrize("fill", [{}, {"narrator": "house"}, dict.fromkeys(NAMES[1:], "random")])
def test_random_moves_play_a_game_to_its_end(fill: dict[str, str]) -> None:
    game = played(3, fill=fill)
    ended: Any = game.recorded[-1].event
    assert (game.outcome.parts, game.outcome.winner) == (ended.roles, ended.winner)
    mafia = next(seat for seat, part in game.outcome.parts.items() if part == "Mafia")
    assert game.outcome.won[mafia] == (game.outcome.winner == "mafia")
    assert game.to_move == ()


def test_the_same_seed_and_moves_give_the_same_game() -> None:
    one, other = ([(item.name, item.event) for item in played(5).recorded] for _ in range(2))
    assert one == other
    assert one != [(item.name, item.event) for item in played(6).recorded]


def test_an_observation_has_what_the_seat_saw_and_nothing_else() -> None:
    """Every event of an observation was for that seat, and the prompt of a Villager names nobody's role but its own."""
    game = Environment("mafia", NAMES, seed=2, fill={"narrator": "house"})
    dealt: list[Any] = [item.event for item in game.recorded if item.name == "mafia.role-dealt.v1"]
    roles = {event.player: event.role for event in dealt}
    villager = next(seat for seat, role in roles.items() if role == "Villager")
    mafia = next(seat for seat, role in roles.items() if role == "Mafia")
    meant = [item.event for item in game.recorded if item.audience.includes(villager)]
    assert [entry.event for entry in game.view(villager).entries] == meant
    text = game.observe(villager).text
    assert "You are a Villager" in text
    assert f"{mafia} is Mafia" not in text
    assert "are Mafia" not in text


def test_what_is_refused_changes_nothing_and_says_why() -> None:
    game = Environment("mafia", NAMES, seed=1, fill={"narrator": "house"})
    while not game.legal_moves(game.to_move[0]):
        game.submit(game.to_move[0], "So be it.")
    seat = game.to_move[0]
    before = game.observe(seat)
    found = game.submit(seat, "Nobody at all")
    assert not found.accepted
    assert found.why
    assert game.observe(seat).attempts_left == before.attempts_left - 1
    assert game.observe(seat).moves == before.moves


def test_who_is_not_asked_cannot_move() -> None:
    game = Environment("mafia", NAMES, seed=1)
    assert game.to_move == ("narrator",)
    with pytest.raises(NotYourTurn, match="To move: narrator"):
        game.submit("Ada", "Hello.")
    with pytest.raises(NotYourTurn, match="no seat 'Zoe'"):
        game.observe("Zoe")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"fill": {"narrator": "human"}}, CannotWait),
        ({"fill": {"nobody": "house"}}, SottovoceError),
        ({"options": {"max_days": 0}}, SetupRefused),
    ],
)
def test_what_cannot_be_opened_says_so(given: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Environment("mafia", NAMES, seed=1, **given)


def test_time_that_the_rules_wait_for_passes_at_once() -> None:
    everybody = dict.fromkeys((*NAMES, "narrator"), "random")
    game = Environment("mafia", NAMES, seed=1, options={"night_seconds": 3600}, fill=everybody)
    assert game.over
    assert game.outcome.winner is not None


def test_every_ruleset_that_needs_only_players_can_be_played() -> None:
    for name in RULESETS:
        if name in ("tabletop", "delegation"):
            continue
        ruleset = RULESETS[name]
        game = Environment(name, ruleset.players, seed=1)
        draw = random.Random(1)
        while not game.over:
            seat = game.to_move[0]
            moves = game.legal_moves(seat)
            game.submit(seat, draw.choice(moves) if moves else "So be it.")


def run(name: str, *words: str, **environ: str) -> str:
    command = [sys.executable, str(ROOT / "examples" / "environment" / name), *words]
    environ = {**os.environ, **environ}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_random_agent_of_the_examples_plays() -> None:
    said = run("random_agent.py", "4")
    assert "won" in said.splitlines()[0]
    assert len(said.splitlines()) == 6
    assert said == run("random_agent.py", "4")


def test_the_model_agent_of_the_examples_plays() -> None:
    with StandIn() as endpoint:
        said = run("model_agent.py", "m", OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="none")
    assert said.startswith("Ada was ")
    assert endpoint.requests
    assert "You are" in endpoint.requests[0].user


@pytest.mark.parametrize("name", ["random_agent.py", "model_agent.py"])
def test_the_examples_are_short(name: str) -> None:
    lines = (ROOT / "examples" / "environment" / name).read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= 30
