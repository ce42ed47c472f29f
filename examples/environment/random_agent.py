"""Random players at a table of Mafia: python examples/environment/random_agent.py [SEED]"""

from __future__ import annotations

import random
import sys

from sottovoce.environment import Environment, Observation

draw = random.Random(0)


def act(seen: Observation) -> str:
    """Any legal move, or a few words where any text will do."""
    return draw.choice(seen.moves) if seen.moves else "I have nothing to add."


def main() -> None:
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    game = Environment("mafia", 5, seed=seed, fill={"narrator": "house"})
    moves = 0
    while not game.over:
        seat = game.to_move[0]
        game.submit(seat, act(game.observe(seat)))
        moves += 1
    print(f"{moves} moves; {game.outcome.winner} won")
    for seat, part in game.outcome.parts.items():
        print(f"{seat:10} {part:10} {'won' if game.outcome.won[seat] else ''}")


if __name__ == "__main__":
    main()
