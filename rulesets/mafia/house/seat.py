"""A player's mind for one turn: memory, secrets, persona, suspicions and the turn's random stream."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce import SeatRandom, View
from sottovoce.agents.house.phrases import load, say
from sottovoce.rulesets.mafia.house import grammar
from sottovoce.rulesets.mafia.house.acts import Act, acts
from sottovoce.rulesets.mafia.house.belief import Belief
from sottovoce.rulesets.mafia.house.face import face
from sottovoce.rulesets.mafia.house.likelihoods import table
from sottovoce.rulesets.mafia.house.memory import Memory, Secrets, recall
from sottovoce.rulesets.mafia.house.personas import Persona, cast
from sottovoce.rulesets.mafia.house.suspicion import CERTAIN, TOWN, Reason, Weighed, grounds, weigh
from sottovoce.rulesets.mafia.rules.options import MafiaOptions
from sottovoce.rulesets.mafia.rules.roles import article

COMMON = load("sottovoce.rulesets.mafia.house", "common.txt").topics
AVOIDED = 0.35
"""How much less a player wants somebody hanged who is certain to be the Jester, for each player at the table, as a
change of the logarithm of the odds. At a large table more are hanged before the end, and so the Jester more often."""
SURE = 0.995
"""The likelihood from which a player has no doubt."""
FEELING = 0.3
"""How far a lasting feeling about somebody goes, as a change of the logarithm of the odds."""
MOOD = 0.15
"""How far a passing one does."""
OWN_VOICE = 0.8
"""How often a persona uses its own phrase where the common book has one too."""


NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number(count: int) -> str:
    """A small number in words."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


@dataclass(slots=True)
class Seat:
    """What one player has in mind at one turn.

    `belief` is what the seat holds for likely, from all that it knows; `seeming` is the same for a Villager in its
    chair, which is what a Mafia or a Jester argues from. `mind` is its suspicion of each other living player beside
    that of knowing nothing, with its feeling and mood, and `shown` the suspicion that it acts on before the others.
    """

    name: str
    memory: Memory
    secrets: Secrets
    persona: Persona
    options: MafiaOptions
    weighed: Weighed
    belief: Belief
    seeming: Belief
    mind: dict[str, float]
    shown: dict[str, float]
    random: SeatRandom
    worn: str
    used: set[str]
    own: set[str]
    """The frames of all that was said, in plain English (`grammar`), and of what the seat itself said."""
    seen: View[Any]

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
        return mafia_left(self.memory, self.options)

    @property
    def at_the_edge(self) -> bool:
        """Whether the town can afford no further loss."""
        return len(self.memory.living) - 2 * self.mafia_left <= 2

    @property
    def claimed(self) -> str | None:
        """What the seat has claimed to be."""
        claim = self.memory.claims.get(self.name)
        return claim[0] if claim else None

    def taken(self, role: str) -> bool:
        """Whether every player who was dealt the role is known to have had it, so that a claim to it is void."""
        return taken(self.memory, self.options, role)

    @property
    def damned(self) -> set[str]:
        """The living whom the seat has told the town to be Mafia by its own checks, as long as that can be so."""
        return {name for name, guilty in avowed(self.memory, self.options, self.name).items() if guilty}

    def accused_today(self, name: str) -> bool:
        """Whether the seat has spoken against that player today."""
        return (self.memory.day, self.name, name) in self.memory.accusations

    def claimants(self, role: str) -> list[str]:
        """Other living players who claim the role."""
        return [who for who, (claimed, _) in self.memory.claims.items() if claimed == role and who in self.mind]

    def suspects(self) -> list[str]:
        """The others, the most suspected first."""
        return sorted(self.mind, key=self.mind.__getitem__, reverse=True)

    def reasons(self, target: str) -> list[Reason]:
        """What can be said against the target: what moved the belief, the most first; nothing that speaks for it."""
        plain = self.options.style == "plain"
        found = [one for one in self.weighed.reasons if one.target == target and (plain or one.kind in COMMON)]
        if not found:
            return []
        moved = grounds(found, self.seeming, self.name)
        told = [(much, reason) for much, reason in zip(moved, found, strict=True) if much > -0.01]
        return [reason for _, reason in sorted(told, key=lambda pair: -(pair[0] + 0.02 * pair[1].weight))]

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
        if self.options.style == "plain":
            return self._plainly(topic, names)
        own, common = self.persona.lines(topic), COMMON.get(topic, ())
        slots = self.slots(**names)
        if own and (not common or self.chance(OWN_VOICE)):
            text = say(own, slots, self.random, self.worn)
            if not common or text.casefold() not in self.worn:
                return text
        return say(common, slots, self.random, self.worn)

    def _plainly(self, topic: str, names: Mapping[str, str]) -> str:
        topic = topic if topic in grammar.BOOK else topic.removeprefix("why.")
        text = grammar.sentence(
            topic, self.slots(**names), self.persona.name, self.random, self.used, self.own, self.memory.players
        )
        self.own.update(grammar.frames(text, self.memory.players))
        return text


def sit(view: View[Any], random: SeatRandom) -> Seat:
    """The seat's mind, from its own view."""
    memory, secrets = recall(view)
    name, options = view.seat, view.state.options
    done = acts(memory)
    belief, seeming = beliefs(memory, secrets, done, options.role_counts or {})
    mind = _suspicion(memory, seeming if secrets.role == "Mafia" else belief, name, random)
    for about, guilty in avowed(memory, options, name).items():
        mind[about] = CERTAIN if guilty else -CERTAIN
    persona = cast(memory.players, memory.opening)[name]
    shown = {player: much - AVOIDED * len(memory.players) * belief.jester[player] for player, much in mind.items()}
    if secrets.role in ("Mafia", "Jester"):
        edge = len(memory.living) - 2 * mafia_left(memory, options) <= 2
        shown = face(memory, secrets, seeming, shown, random, edge)
    weighed = weigh(memory, name)
    used, own = set[str](), set[str]()
    if options.style == "plain":
        for said in memory.speeches:
            told = grammar.frames(said.text, memory.players)
            used.update(told)
            own.update(told if said.player == name else ())
    words = "" if used else memory.all_said()
    return Seat(
        name,
        memory,
        secrets,
        persona,
        options,
        weighed,
        belief,
        seeming,
        mind,
        shown,
        random,
        words,
        used,
        own,
        view,
    )


def taken(memory: Memory, options: MafiaOptions, role: str) -> bool:
    """Whether reveals have accounted for every holder of a role."""
    dealt = sum(many for name, many in (options.role_counts or {}).items() if name == role)
    return 0 < dealt <= sum(had == role for had in memory.revealed.values())


def avowed(memory: Memory, options: MafiaOptions, name: str) -> dict[str, bool]:
    """Of each living player on whom this one has told a result as the Detective: whether it says Mafia.

    A player who tells a result, true or not, goes on to act by it, until a reveal has taken the role.
    """
    if taken(memory, options, "Detective"):
        return {}
    return {s.about: s.hostile for s in memory.statements if s.by == name and s.about in memory.living}


def mafia_left(memory: Memory, options: MafiaOptions) -> int:
    """How many Mafia live, by public arithmetic."""
    counts = options.role_counts
    dealt = max(1, len(memory.players) * 3 // 10) if counts is None else counts.get("Mafia", 0)
    return dealt - sum(role == "Mafia" for role in memory.revealed.values())


def beliefs(memory: Memory, secrets: Secrets, done: list[Act], counts: Mapping[str, int]) -> tuple[Belief, Belief]:
    """What the seat believes, and what a Villager in its chair would. A seat's own acts are no evidence for it."""
    me, role = secrets.seat, secrets.role
    cleared = {player for player, (_, how) in memory.fallen.items() if how == "night"}
    public = dict(memory.revealed)
    if role in ("Mafia", "Jester"):
        seeming = Belief(memory.players, counts, done, table(), {**public, me: "Villager"}, cleared, me)
        partners = dict.fromkeys(secrets.partners, "Mafia")
        return Belief(memory.players, counts, done, table(), {**public, **partners, me: role}, cleared), seeming
    known = {**public, **{player: found for _, player, found in secrets.results}, me: role}
    belief = Belief(memory.players, counts, done, table(), known, cleared | _saved(memory, secrets), me)
    return belief, belief


def _saved(memory: Memory, secrets: Secrets) -> set[str]:
    """Whom the Doctor kept alive: a night without a death means that the killers met it, so they are none of them."""
    deadly = {day for day, how in memory.fallen.values() if how == "night"}
    return {
        player
        for night, player in secrets.protected
        if night not in deadly and (night < memory.day or memory.phase != "night")
    }


def _suspicion(memory: Memory, belief: Belief, me: str, random: SeatRandom) -> dict[str, float]:
    """How much likelier each other living player is than by the numbers alone, with a lasting feeling and a mood."""
    others = [player for player in memory.living if player != me]
    base = sum(belief.mafia[player] for player in others) / max(1, len(others))
    gut = random.lasting("gut")
    lean = {player: gut.gauss(0, FEELING) for player in memory.players}
    return {player: _beyond(belief.mafia[player], base, lean[player] + random.gauss(0, MOOD)) for player in others}


def _beyond(likely: float, base: float, feeling: float) -> float:
    if likely > SURE:
        return CERTAIN
    if likely < 1 - SURE:
        return -CERTAIN
    return log_odds(likely) - log_odds(base) + feeling


def log_odds(likely: float) -> float:
    """The logarithm of the odds, within what is certain."""
    likely = min(SURE, max(1 - SURE, likely))
    return math.log(likely / (1 - likely))


__all__ = ["COMMON", "TOWN", "Seat", "sit"]
