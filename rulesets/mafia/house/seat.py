"""A player's mind for one turn: memory, secrets, persona, suspicions and the turn's random stream."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sottovoce import SeatRandom, View
from sottovoce.agents.house.phrases import load, say
from sottovoce.rulesets.mafia.house.memory import Memory, Secrets, recall
from sottovoce.rulesets.mafia.house.personas import Persona, cast
from sottovoce.rulesets.mafia.house.suspicion import CERTAIN, TOWN, Reason, Weighed, judge, weigh
from sottovoce.rulesets.mafia.rules.options import MafiaOptions
from sottovoce.rulesets.mafia.rules.roles import article

COMMON = load("sottovoce.rulesets.mafia.house", "common.txt").topics
SHIELD = 0.15
"""How much less a Mafia lets itself suspect its one partner in front of the others; of two each four times as much."""
OWN_VOICE = 0.8
"""How often a persona uses its own phrase where the common book has one too."""


NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number(count: int) -> str:
    """A small number in words."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


@dataclass(slots=True)
class Seat:
    """What one player has in mind at one turn. `mind` is suspicion of each other living player, and `shown` the one
    that it acts on before the others: a Mafia treats its partners nearly as a villager in its chair would."""

    name: str
    memory: Memory
    secrets: Secrets
    persona: Persona
    options: MafiaOptions
    weighed: Weighed
    mind: dict[str, float]
    shown: dict[str, float]
    random: SeatRandom
    worn: str

    @property
    def role(self) -> str:
        return self.secrets.role

    @property
    def others(self) -> list[str]:
        """The other living players."""
        return list(self.mind)

    @property
    def mafia_left(self) -> int:
        """How many Mafia live, by public arithmetic: the number dealt is public, and the night never takes one."""
        counts = self.options.role_counts
        players = len(self.memory.players)
        dealt = max(1, players * 3 // 10) if counts is None else counts.get("Mafia", 0)
        return dealt - sum(role == "Mafia" for role in self.memory.revealed.values())

    @property
    def at_the_edge(self) -> bool:
        """Whether the town can afford no further loss."""
        return len(self.memory.living) - 2 * self.mafia_left <= 2

    @property
    def claimed(self) -> str | None:
        """What the seat has claimed to be."""
        claim = self.memory.claims.get(self.name)
        return claim[0] if claim else None

    def claimants(self, role: str) -> list[str]:
        """Other living players who claim the role."""
        return [who for who, (claimed, _) in self.memory.claims.items() if claimed == role and who in self.mind]

    def suspects(self) -> list[str]:
        """The others, the most suspected first."""
        return sorted(self.mind, key=self.mind.__getitem__, reverse=True)

    def reasons(self, target: str) -> list[Reason]:
        """What can be said against the target, the weightiest first."""
        found = [reason for reason in self.weighed.reasons if reason.target == target]
        return sorted(found, key=lambda reason: -reason.weight)

    def when(self, day: int) -> str:
        """A day as it is spoken of today."""
        return {0: "today", 1: "yesterday"}.get(self.memory.day - day, f"on day {number(day)}")

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def slots(self, **names: str) -> dict[str, str]:
        """Slots for a phrase; `r` is filled with the public role of `x`."""
        role = self.memory.revealed.get(names.get("x", ""))
        return {**names, "r": article(role)} if role else dict(names)

    def line(self, topic: str, **names: str) -> str:
        """A phrase on the topic, in the persona's own words if it has any."""
        own, common = self.persona.lines(topic), COMMON.get(topic, ())
        slots = self.slots(**names)
        if own and (not common or self.chance(OWN_VOICE)):
            text = say(own, slots, self.random, self.worn)
            if not common or text.casefold() not in self.worn:
                return text
        return say(common, slots, self.random, self.worn)


def sit(view: View[Any], random: SeatRandom) -> Seat:
    """The seat's mind, from its own view."""
    memory, secrets = recall(view)
    name = view.seat
    weighed = weigh(memory, name)
    gut = random.lasting("gut")
    mind = judge(memory, secrets, weighed, gut, random)
    shown = mind
    if secrets.role == "Mafia":
        allies = [ally for ally in secrets.partners if ally in mind]
        shown = {**mind, **{ally: mind[ally] - SHIELD * len(secrets.partners) ** 2 for ally in allies}}
        mind.update(dict.fromkeys(allies, -CERTAIN))
    if secrets.role == "Doctor":
        _saved(memory, secrets, mind)
    persona = cast(memory.players, memory.opening)[name]
    _baited(memory, persona, shown)
    return Seat(name, memory, secrets, persona, view.state.options, weighed, mind, shown, random, memory.all_said())


def _baited(memory: Memory, persona: Persona, mind: dict[str, float]) -> None:
    """Who courts the rope: the trusting take it for guilt, the shrewd for a Jester's bait."""
    bites = 0.25 if persona.faith > 0.62 else -0.75
    for player, times in Counter(speech.player for speech in memory.speeches if speech.heard.inviting).items():
        if player in mind:
            mind[player] += bites * min(times, 3)


def _saved(memory: Memory, secrets: Secrets, mind: dict[str, float]) -> None:
    """A night without a death means that the killers met the Doctor: whoever was protected is none of them."""
    deadly = {day for day, how in memory.fallen.values() if how == "night"}
    for night, player in secrets.protected:
        if night not in deadly and player in mind and (night < memory.day or memory.phase != "night"):
            mind[player] = -CERTAIN


__all__ = ["COMMON", "TOWN", "Seat", "sit"]
