"""Figures of house players of Mafia that take more than counting: what a reader could tell, what an answer takes, how
new the sentences are, and what a decision costs. Part of `make house`.
"""

from __future__ import annotations

import itertools
import math
import random as random_module
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from house_table import Game, losses
from table import Table as GameTable

from sottovoce import Event, SeatRandom, Turn, View
from sottovoce.agents.agent import CallRecord
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.rulesets.mafia.house.acts import acts
from sottovoce.rulesets.mafia.house.belief import Belief
from sottovoce.rulesets.mafia.house.grammar import frames
from sottovoce.rulesets.mafia.house.likelihoods import Table, counted, table
from sottovoce.rulesets.mafia.house.memory import PUBLIC, Memory
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.roles import ROLES

ROLES_TRIED = ("Villager", "Detective", "Doctor", "Mafia", "Jester")
LONG = 5
"""Words from which a sentence counts as a frame."""
BIGRAMS = 7700
LEAST_CHANCES = 30


class Ratio:
    """Hits next to what the numbers alone would give: the ratio with an interval by drawing the cases again."""

    def __init__(self) -> None:
        self.cases: list[tuple[bool, float]] = []

    def add(self, hit: bool, base: float) -> None:
        self.cases.append((hit, base))

    def text(self) -> str:
        """The hits, the ratio, and its 95 % interval."""
        if not self.cases:
            return "no case"
        draw = random_module.Random(1)
        ratios = sorted(self._ratio(draw.choices(self.cases, k=len(self.cases))) for _ in range(400))
        hits = sum(hit for hit, _ in self.cases)
        return f"{self._ratio(self.cases):.2f} ({ratios[10]:.2f} to {ratios[389]:.2f}) | {hits} of {len(self.cases)}"

    @staticmethod
    def _ratio(cases: Sequence[tuple[bool, float]]) -> float:
        return sum(hit for hit, _ in cases) / max(1e-9, sum(base for _, base in cases))


def executions(logs: Sequence[Sequence[Event]], games: Sequence[Game]) -> dict[str, Ratio]:
    """How executions hit, against the share of Mafia among the living."""
    found = {name: Ratio() for name in ("all", "not named by the Detective", "before any claim", "of these, on day 1")}
    for log, game in zip(logs, games, strict=True):
        memory = Memory()
        for event in log:
            if isinstance(event, events.PlayerExecuted):
                base = sum(game.roles[player] == "Mafia" for player in memory.living) / len(memory.living)
                hit = game.roles[event.player] == "Mafia"
                named = {s.about for s in memory.statements if s.hostile and game.roles[s.by] == "Detective"}
                found["all"].add(hit, base)
                if event.player not in named:
                    found["not named by the Detective"].add(hit, base)
                if memory.first_claim is None:
                    found["before any claim"].add(hit, base)
                    if memory.day == 1:
                        found["of these, on day 1"].add(hit, base)
            take = PUBLIC.get(type(event))
            if take is not None:
                take(memory, event)
    return found


def fitted(games: Sequence[Game]) -> Table:
    """The table that a reader would count from these games, with the weights that the house uses."""
    weights = {key: row.weight for key, row in table().rows.items()}
    return counted([(game.acts, game.roles) for game in games], weights)


def tells(games: Sequence[Game]) -> list[tuple[str, float]]:
    """Acts before a claim by how much likelier they are for Mafia than for the others, or less likely; the worst first.

    Each is the ratio for doing it; for not doing it too, where it can be told that it was not done.
    """
    found = []
    for (kind, after), row in counted([(game.acts, game.roles) for game in games], {}).rows.items():
        if after:
            continue
        for target in ("Mafia", "other"):
            done, of = row.cells["Mafia", target]
            others = [row.cells[role, target] for role in ROLES if role != "Mafia"]
            their_done, their_of = sum(one[0] for one in others), sum(one[1] for one in others)
            if min(of, their_of) < LEAST_CHANCES:
                continue
            mafia, rest = (done + 0.5) / (of + 1), (their_done + 0.5) / (their_of + 1)
            found.append((f"{kind}, to {target}", max(mafia / rest, rest / mafia)))
            found.append((f"not {kind}, to {target}", max((1 - mafia) / (1 - rest), (1 - rest) / (1 - mafia))))
    return sorted(found, key=lambda item: -item[1])


def reader(logs: Sequence[Sequence[Event]], games: Sequence[Game], by: Table) -> dict[str, Ratio]:
    """Whether the chief suspect of somebody who only reads along, before each trial, is Mafia."""
    found: dict[str, Ratio] = {"before any claim": Ratio(), "after a claim": Ratio()}
    for log, game in zip(logs, games, strict=True):
        memory = Memory()
        for event in log:
            if isinstance(event, events.TrialClosed) and not event.round:
                night = {player for player, (_, how) in memory.fallen.items() if how == "night"}
                held = Belief(game.players, game.counts, acts(memory), by, memory.revealed, night)
                chief = max(memory.living, key=held.mafia.__getitem__)
                base = sum(game.roles[player] == "Mafia" for player in memory.living) / len(memory.living)
                phase = "after a claim" if memory.first_claim else "before any claim"
                found[phase].add(game.roles[chief] == "Mafia", base)
            take = PUBLIC.get(type(event))
            if take is not None:
                take(memory, event)
    return found


def calibration(games: Sequence[Game]) -> Iterator[str]:
    """By phase: the log-loss of a townsman's belief, and that of knowing nothing."""
    for phase, said in sorted(losses(games, table()).items()):
        mean, nothing = (sum(row[at] for row in said) / len(said) for at in (0, 1))
        yield f"| {phase} | {mean:.3f} | {nothing:.3f} | {len(said)} |"


class Prober(HouseAgent):
    """A person who asks or accuses one living player by name in every speech of the discussion, and plays on."""

    def __init__(self) -> None:
        self.planted: list[tuple[int, str, str]] = []

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        if turn.kind != "speech":
            return await super().act(view, turn, random, record)
        state = view.state
        whom = random.choice([name for name in state.living if name != turn.seat])
        other = random.choice([name for name in state.players if name not in (turn.seat, whom)])
        return random.choice(
            (
                f"{whom}, who do you suspect?",
                f"What do you think about {other}, {whom}?",
                f"{whom}, I think you are Mafia.",
                f"{whom}, you are lying.",
                f"Why do you stay so vague, {whom}?",
            )
        )


def answered(seeds: Sequence[int], players: int) -> tuple[int, int, int]:
    """Of the planted questions and accusations: how many had an answer that names the person within three speeches of
    the table, how many at all that day, and how many there were of those."""
    soon = later = planted = 0
    for seed in seeds:
        game = GameTable(players, seed, {}, HouseAgent(), checked=False)
        seats: dict[str, Any] = dict.fromkeys(game.seats, HouseAgent())
        person = game.seats[0]
        game = GameTable(players, seed, {}, {**seats, person: Prober()}, checked=False).play()
        days: list[list[events.SpeechGiven]] = [[]]
        for event in (item.event for item in game.recorded):
            if isinstance(event, events.PhaseBegan):
                days.append([])
            elif isinstance(event, events.SpeechGiven) and event.occasion == "discussion":
                days[-1].append(event)
        for day in days:
            for at, speech in enumerate(day):
                if speech.player != person:
                    continue
                whom = next(name for name in game.state.players if re.search(rf"\b{name}\b", _to(speech.text or "")))
                planted += 1
                places = [n for n, one in enumerate(day[at + 1 :]) if one.player == whom and person in (one.text or "")]
                later += bool(places)
                soon += bool(places) and places[0] < 3
    return soon, later, planted


def _to(text: str) -> str:
    """The part of a planted sentence that says whom it is put to."""
    first, _, rest = text.partition(",")
    return first if " " not in first else rest


def novelty(logs: Sequence[Sequence[Event]], players: Sequence[str]) -> tuple[dict[int, tuple[int, int]], float]:
    """How many frames of a game were never read before, at the 20th game and so on; and distinct-2.

    A frame is a sentence of five words or more without its names. Each figure is over five games around that one.
    """
    names = tuple(players)
    known: set[str] = set()
    new: list[tuple[int, int]] = []
    words: list[str] = []
    for log in logs:
        found = []
        for event in log:
            if isinstance(event, events.SpeechGiven):
                found += [frame for frame in frames(event.text or "", names) if len(frame.split()) >= LONG]
                if len(words) <= BIGRAMS:
                    words += re.findall(r"[\w']+|·", " ".join(frames(event.text or "", names)))
        fresh = set(found) - known
        new.append((len(fresh), len(set(found))))
        known |= fresh
    pairs = list(itertools.pairwise(words))[:BIGRAMS]
    at = {}
    for game in (5, 20, 50, 100, 200, 400):
        around = new[game - 3 : game + 2]
        if len(around) == 5:
            at[game] = sum(one for one, _ in around), sum(of for _, of in around)
    return at, len(set(pairs)) / max(1, len(pairs))


class Timed(HouseAgent):
    """The house, with the processor time of each decision of a player."""

    def __init__(self) -> None:
        self.spent: list[float] = []

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        before = time.process_time()
        reply = await super().act(view, turn, random, record)
        if turn.seat != "narrator":
            self.spent.append(time.process_time() - before)
        return reply


def cost(games: int, players: int) -> tuple[float, float]:
    """The mean processor time of a decision in milliseconds, and that of the slowest in a hundred."""
    timed = Timed()
    for seed in range(1, games + 1):
        GameTable(players, seed, {}, timed).play()
    spent = sorted(timed.spent)
    return 1000 * sum(spent) / len(spent), 1000 * spent[math.floor(0.99 * len(spent))]


def against_random(role: str, games: int, players: int) -> tuple[int, int]:
    """How often the side of a role wins if all who have it play at random."""
    won = 0
    for seed in range(1, games + 1):
        dealt: Mapping[str, str] = GameTable(players, seed, {}, HouseAgent()).play(1).state.roles
        agents: dict[str, Any] = dict.fromkeys(("narrator", *dealt), HouseAgent())
        agents |= {player: RandomAgent() for player, had in dealt.items() if had == role}
        game = GameTable(players, seed, {"max_days": 20}, agents, checked=False).play()
        side = {"Mafia": "mafia", "Jester": "jester"}.get(role, "town")
        won += game.state.winner == side
    return won, games
