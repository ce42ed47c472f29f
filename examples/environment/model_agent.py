"""One model against the house: OPENAI_BASE_URL=… OPENAI_API_KEY=… python examples/environment/model_agent.py MODEL"""

from __future__ import annotations

import sys
from typing import Any

from openai import OpenAI

from sottovoce.environment import Environment

client = OpenAI()


def act(messages: list[Any], model: str) -> str:
    """What the model answers. Whatever it says, the rules read it, or say why they don't."""
    said = client.chat.completions.create(model=model, messages=messages)
    return said.choices[0].message.content or ""


def main() -> None:
    others = dict.fromkeys(("narrator", "Bram", "Cleo", "Dirk", "Edda"), "house")
    game = Environment("mafia", ["Ada", "Bram", "Cleo", "Dirk", "Edda"], seed=1, fill=others)
    refused = 0
    while not game.over:
        refused += not game.submit("Ada", act(game.observe("Ada").messages, sys.argv[1])).accepted
    print(f"Ada was {game.outcome.parts['Ada']} and {'won' if game.outcome.won['Ada'] else 'lost'}; {refused} refused")


if __name__ == "__main__":
    main()
