"""The most expensive texts that a seat can send, for every kind of turn of every included ruleset."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sottovoce.domain.events import Recorded
from sottovoce.domain.game import LONGEST_REPLY
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.extras import craft_of
from sottovoce.isolation.games import play
from sottovoce.isolation.system import System

SEEDS = {"mafia": (1, 3, 5, 6), "tabletop": (0, 1, 2, 6, 7, 8, 10, 12, 17), "delegation": (0, 1)}
"""Games of the isolation kit in which, together, every kind of turn occurs."""

LONGEST_BODY = 262_000
"""Maximum bytes of a text as JSON, so that a server reads it at all."""


@dataclass(frozen=True)
class Situation:
    """A game up to the moment at which the first turn of its kind is open."""

    ruleset: Ruleset[Any]
    log: list[Recorded]
    state: Any
    turn: Turn[Any]

    def __str__(self) -> str:
        return f"{self.ruleset.name} {self.turn.kind}"

    def valid(self) -> str:
        """Return a reply that the rules accept."""
        return craft_of(self.ruleset.name).reply(random.Random(1), self.state, self.turn)


def situations() -> Iterator[Situation]:
    """Return one for each kind of turn of each ruleset."""
    for name, seeds in SEEDS.items():
        ruleset = RULESETS[name]
        left = {*ruleset.kinds}
        for seed in seeds:
            log, state = play(System(ruleset), craft_of(name), seed).log, ruleset.initial
            for item, following in zip(log, [*log[1:], None], strict=True):
                state = ruleset.evolve(state, item.event)
                if (following is None or following.append != item.append) and state.hold is None:
                    for turn in state.turns.values():
                        if turn.kind in left:
                            left.remove(turn.kind)
                            yield Situation(ruleset, log[: item.position], state, turn)
        assert not left, f"no game of {name} asks {left}"


ALONE = (
    *('{"a":\n', "{\n", '{"action":', "[1,", "```\n", "- \n", "#\n", "# a\n", "--\n", "> ", "| ", "[GM]\n", "to: a\n"),
)
"""Repeated by themselves, because they look like the beginning of something."""

BEHIND = (
    # longer in the normalized form, invisible, or reordered
    *("\ufdfa", "\u0301\u0316", "a\u0301\u0316", "\uff9e\u0301", "\U0001d160", "\u0390", "\ufb03"),
    *("\u200b", "a\u200d", "\ufe0e\u200d", "\U0001f469\u200d", "\x00", "\x1b", "\xad"),
    # what the narrator's check searches
    *("|", "\n?", "it was? ", "\nyou ", "the doctor is not, if ", "watching over ", "of the mafia: ", "d o c t o r "),
    *("{0} and {1}, ", "{0} was ", "if {0} said {1} is the doctor? ", "{0}'s ", "{0}: "),
    # what players' claims are read from
    *("I am not the Detective, nor was {0} in night one. ", "{0}: Mafia, {1}: Doctor. ", "“"),
    # words
    *("a", "a ", "\u1100\u1161\u11a8", "1!", "\n ", "9", "é"),
)
"""Repeated after a valid reply. `{0}` and `{1}` are names at the table."""


def texts(situation: Situation, length: int = LONGEST_REPLY) -> Iterator[str]:
    """Return fifty texts of the maximum length."""
    valid, names = situation.valid(), [seat for seat in situation.state.seats if seat != situation.turn.seat]
    for lead, units in (("", ALONE), (f"{valid}\n", BEHIND)):
        for unit in units:
            filled = unit.replace("{0}", names[0]).replace("{1}", names[-1])
            yield fitting(lead + filled * (length // len(filled)), length)


def fitting(text: str, length: int) -> str:
    """Return as much of a text as can be sent."""
    text = text[:length]
    while (size := len(json.dumps({"text": text}, ensure_ascii=False).encode())) > LONGEST_BODY:
        text = text[: len(text) * LONGEST_BODY // size]
    return text
