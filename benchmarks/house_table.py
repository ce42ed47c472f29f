"""Count the table of likelihoods that house players of Mafia reason by, from games: `make house-table`.

    python benchmarks/house_table.py --games 600 --write
    python benchmarks/house_table.py --log sqlite:games.db --write

Plays games of the house, or reads the finished Mafia games of a log. Half of them are counted to choose the weights,
the other half are asked how well the belief does; then all are counted. Prints how far the belief is from the truth
(log-loss by phase of the game, next to that of knowing nothing).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "kit"))

from table import Table as GameTable

from sottovoce import Event
from sottovoce.agents.house import HouseAgent
from sottovoce.eventlog import open_log
from sottovoce.rulesets.mafia.house.acts import Act, acts
from sottovoce.rulesets.mafia.house.belief import Belief
from sottovoce.rulesets.mafia.house.likelihoods import Row, Table, counted, table
from sottovoce.rulesets.mafia.house.memory import PUBLIC, Memory
from sottovoce.rulesets.mafia.rules import events
from sottovoce.rulesets.mafia.rules.roles import ROLES

FILE = Path(__file__).resolve().parents[1] / "rulesets" / "mafia" / "house" / "likelihoods.txt"
WEIGHTS = (0.0, 0.15, 0.3, 0.5, 0.75, 1.0)
UNSEEN = 100_000
"""Seeds of the games that are counted begin here, so that no measured game is among them."""
LEAST = 0.005


@dataclass
class Question:
    """What one living townsman could know at one moment: the acts so far, and what is certain for it."""

    phase: str
    acts: list[Act]
    known: dict[str, str]
    not_mafia: set[str]
    viewer: str
    living: tuple[str, ...]
    left: int
    """How many Mafia live."""


@dataclass
class Game:
    roles: dict[str, str]
    counts: dict[str, int]
    players: tuple[str, ...]
    acts: list[Act]
    questions: list[Question]


def phase_of(memory: Memory) -> str:
    """The name of a phase for reports: the first day and later ones before a Detective has spoken, and after."""
    if memory.first_claim is not None:
        return "after a claim"
    return "day 1, before any claim" if memory.day == 1 else "later days, before any claim"


def game_of(log: Sequence[Event]) -> Game:
    """Read one whole game."""
    roles = {event.player: str(event.role) for event in log if isinstance(event, events.RoleDealt)}
    counts: dict[str, int] = {role: sum(had == role for had in roles.values()) for role in ROLES}
    memory = Memory()
    questions: list[Question] = []
    for event in log:
        if isinstance(event, events.SecondingClosed | events.TrialClosed | events.ExecutionVoteClosed):
            questions += _questions(memory, roles, counts)
        take = PUBLIC.get(type(event))
        if take is not None:
            take(memory, event)
    return Game(roles, counts, memory.players, acts(memory), questions)


def _questions(memory: Memory, roles: Mapping[str, str], counts: Mapping[str, int]) -> Iterator[Question]:
    done = acts(memory)
    night = {player for player, (_, how) in memory.fallen.items() if how == "night"}
    left = counts["Mafia"] - sum(role == "Mafia" for role in memory.revealed.values())
    for viewer in memory.living:
        if roles[viewer] in ("Villager", "Doctor"):
            known = {**memory.revealed, viewer: roles[viewer]}
            own = [act for act in done if act.actor != viewer]
            yield Question(phase_of(memory), own, known, night, viewer, memory.living, left)


def losses(games: Sequence[Game], by: Table) -> dict[str, list[tuple[float, float, float, bool]]]:
    """By phase: for each townsman, moment and other player the loss, the loss of knowing nothing, the belief, and
    whether that player is Mafia."""
    found: dict[str, list[tuple[float, float, float, bool]]] = defaultdict(list)
    for game in games:
        for asked in game.questions:
            held = Belief(game.players, game.counts, asked.acts, by, asked.known, asked.not_mafia)
            others = [player for player in asked.living if player != asked.viewer]
            base = asked.left / len(others)
            for player in others:
                guilty = game.roles[player] == "Mafia"
                likely = min(1 - LEAST, max(LEAST, held.mafia[player]))
                loss = -math.log(likely if guilty else 1 - likely)
                nothing = -math.log(base if guilty else 1 - base)
                found[asked.phase].append((loss, nothing, likely, guilty))
    return found


def mean_loss(games: Sequence[Game], by: Table) -> float:
    """The mean loss over all phases, each phase counted alike."""
    phases = losses(games, by)
    return sum(sum(loss for loss, *_ in said) / len(said) for said in phases.values()) / len(phases)


def thinned(games: Sequence[Game], every: int) -> list[Game]:
    """The games with every so many of their questions only."""
    return [Game(g.roles, g.counts, g.players, g.acts, g.questions[::every]) for g in games]


def weighed(
    counted_from: Sequence[Game], tried_on: Sequence[Game], start: Mapping[tuple[str, bool], float]
) -> dict[tuple[str, bool], float]:
    """Choose the weight of each row by the loss on other games, one row after the other, twice."""
    best = Table(counted([(g.acts, g.roles) for g in counted_from], start).rows)
    tried = thinned(tried_on, 5)
    loss = mean_loss(tried, best)
    for _ in range(1):
        for key in best.rows:
            for weight in WEIGHTS:
                row = best.rows[key]
                if weight == row.weight:
                    continue
                other = Table({**best.rows, key: Row(weight, row.cells)})
                now = mean_loss(tried, other)
                if now < loss - 1e-5:
                    best, loss = other, now
            print(
                f"  {key[0]} {'after' if key[1] else 'before'}: {best.rows[key].weight}  loss {loss:.4f}",
                file=sys.stderr,
            )
    return {key: row.weight for key, row in best.rows.items()}


def report(games: Sequence[Game], by: Table) -> str:
    """The loss by phase, and how often those held for Mafia at so much were."""
    lines = ["| phase | log-loss | knowing nothing | of |", "|---|---|---|---|"]
    phases = losses(games, by)
    for phase, said in sorted(phases.items()):
        of = len(said)
        mean, nothing = (sum(row[at] for row in said) / of for at in (0, 1))
        lines.append(f"| {phase} | {mean:.3f} | {nothing:.3f} | {of} |")
    bins: dict[int, list[bool]] = defaultdict(list)
    for said in phases.values():
        for _, _, likely, guilty in said:
            bins[min(9, int(likely * 10))].append(guilty)
    lines += ["", "| held | were Mafia | of |", "|---|---|---|"]
    lines += [f"| .{at} | {sum(hit) / len(hit):.3f} | {len(hit)} |" for at, hit in sorted(bins.items())]
    return "\n".join(lines)


def played(seed: int, players: int) -> list[Event]:
    """The events of one game of the house."""
    game = GameTable(players, seed, {}, HouseAgent(), checked=False)
    game.play()
    return [item.event for item in game.recorded]


def stored(url: str) -> Iterator[list[Event]]:
    """The finished Mafia games of a log."""
    log = open_log(url, create=False)
    try:
        for name in log.games():
            happened: list[Any] = [item.event for item in log.read(name)]
            if any(isinstance(event, events.GameEnded) for event in happened):
                yield happened
    finally:
        log.close()


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the likelihoods that house players of Mafia reason by.")
    parser.add_argument("--games", type=int, default=400, help="how many games are played")
    parser.add_argument("--players", type=int, default=8)
    parser.add_argument("--log", help="a log whose finished games are counted instead, such as sqlite:games.db")
    parser.add_argument("--keep-weights", action="store_true", help="only count; leave the weights as they are")
    parser.add_argument("--write", action="store_true", help="write the table")
    options = parser.parse_args()
    logs = stored(options.log) if options.log else (played(UNSEEN + n, options.players) for n in range(options.games))
    games = [game_of(log) for log in logs]
    if len(games) < 20:
        print(f"There are {len(games)} finished games of Mafia. Give at least 20.", file=sys.stderr)
        return 2
    weights = {key: row.weight for key, row in table().rows.items()} if FILE.exists() else {}
    if not options.keep_weights:
        weights = weighed(games[::2], games[1::2], weights)
    fitted = counted([(game.acts, game.roles) for game in games[::2]], weights)
    print(report(games[1::2], fitted))
    if options.write:
        FILE.write_text(counted([(game.acts, game.roles) for game in games], weights).text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
