"""Prompts: a deterministic function of a seat's view and a turn.

A prompt is a list of blocks: the rulebook, as much of the most recent view as a token budget allows, the seat's own
state, and the request. Text that other seats wrote stands quoted, every line of it marked, so that no line of a speech
can pass for the game's own voice. No seq, position, time, id or count of anything hidden enters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from domain.turns import Turn
from projections.view import View

TEMPLATE = "prompt.v1"
BUDGET = 6000
LONGEST_WORDS = 2400
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Prompt:
    """The blocks of one prompt, in order."""

    blocks: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n\n".join(self.blocks)


def quoted(words: str) -> str:
    """Somebody's words with every line marked `> `; very long ones are cut."""
    if len(words) > LONGEST_WORDS:
        words = words[:LONGEST_WORDS] + " […]"
    lines = words.replace("\u2028", "\n").replace("\u2029", "\n").replace("\x85", "\n").splitlines() or [""]
    return "\n".join(f"> {line}" for line in lines)


def build_prompt(view: View[Any], turn: Turn, budget: int = BUDGET) -> Prompt:
    """The prompt of an open turn, at most about `budget` tokens long however long the game is."""
    request = view.ruleset.request(view.state, turn)
    rules = f"THE RULES\n\n{view.ruleset.rulebook.strip()}"
    now = "\n".join([f"NOW. You are {view.seat}.", *request.context])
    ask = [f"YOUR TURN {turn.number}. {request.ask}"]
    if turn.choices:
        ask.append(f"Legal choices: {', '.join(turn.choices)}.")
    ask += [f"Attempt {number} was refused: {message}" for number, message in enumerate(turn.failures, 1)]
    if turn.failures:
        ask.append(f"Attempts left: {turn.attempts_left}.")
    request_block = "\n".join(ask)
    room = budget * CHARACTERS_PER_TOKEN - len(rules) - len(now) - len(request_block)
    told: list[str] = []
    for entry in reversed(view.entries):
        line = view.ruleset.tell(entry.event, view.seat)
        if line is None:
            continue
        text = line.lead if line.words is None else f"{line.lead}\n{quoted(line.words)}"
        room -= len(text) + 1
        if room < 0:
            told.append("(earlier events left out)")
            break
        told.append(text)
    history = "\n".join(["WHAT YOU HAVE SEEN, oldest first.", *reversed(told)])
    return Prompt((rules, history, now, request_block))
