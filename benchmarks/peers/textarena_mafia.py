"""TextArena's SecretMafia: eight players, two of them Mafia, three rounds of talk, random legal moves.

Run this with an interpreter that has `textarena`. Prints the processor time of each decision in microseconds, as JSON.
Nothing is stored. Before each decision the whole observation of the acting player is read, as a model would get it.
"""

from __future__ import annotations

import json
import random
import sys
import time

import textarena

WORDS = ("I have nothing to add.", "So be it.", "I am listening.", "We shall see.")


def play(seed: int) -> int:
    """Play one game to its end and return its number of decisions."""
    random.seed(seed)
    game = textarena.make("SecretMafia-v0")
    game.reset(num_players=8, seed=seed)
    rules = game
    while hasattr(rules, "env"):
        rules = rules.env
    decisions, over = 0, False
    while not over:
        player, _ = game.get_observation()
        if rules.phase.value == "Day-Discussion":
            action = random.choice(WORDS)
        else:
            alive = rules.state.game_state["alive_players"]
            action = f"[{random.choice([other for other in alive if other != player])}]"
        over, _ = game.step(action)
        decisions += 1
    return decisions


def main(rounds: int) -> None:
    best = float("inf")
    for _ in range(rounds):
        started = time.process_time()
        decisions = sum(play(seed) for seed in range(40))
        best = min(best, (time.process_time() - started) / decisions * 1e6)
    print(json.dumps({"cpu": best}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
