"""How the house plays Mafia: who wins, what it gives away, whether its votes follow its words: `make house`.

    python benchmarks/house_mafia.py --games 400 --players 8
    python benchmarks/house_mafia.py --games 400 --players 8 --only counts

Shares have the 95 % interval of Wilson, ratios that of drawing the cases again. Games have the seeds 1, 2, 3, and so
on. `--only` prints one part: counts, hits, reader, calibration, answers, sentences, cost or random.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "kit"))

import house_english
import house_figures
import house_table
from table import Table

from sottovoce.agents.house import HouseAgent
from sottovoce.domain.events import Event
from sottovoce.rulesets.mafia.house.memory import Memory, remember
from sottovoce.rulesets.mafia.house.reading import hear
from sottovoce.rulesets.mafia.rules import events

Z = 1.96
_SENTENCE = re.compile(r"(?<=[.!?])\s+")

FIGURES = {
    "town wins": "share of games",
    "mafia wins": "share of games",
    "jester wins": "share of games",
    "deserts": "nominators who vote for another while their own nominee is on trial",
    "seconds, mafia to partner": "yes votes of Mafia on a partner's nomination",
    "seconds, mafia to others": "yes votes of Mafia on others",
    "seconds, town to others": "yes votes of the town on non-Mafia",
    "nominates, mafia to partner": "nominations of a living partner, by turn of a Mafia to nominate",
    "nominates, mafia to others": "nominations of anyone else",
    "accuses, mafia to partner": "days on which a Mafia speaks against a living partner",
    "votes, mafia to partner": "trial votes of Mafia for a partner on trial",
    "executes, mafia to partner": "execution votes of Mafia for a condemned partner",
    "first detective claim is true": "share of first claims",
    "invites, jesters": "Jesters who court the rope in words",
    "invites, others": "others who do",
    "answers": "players named in a question who speak again that day, and name the asker",
    "hits": "executions of Mafia, of all",
    "hits before a detective claim": "executions of Mafia before anyone claimed to be the Detective",
}


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share."""
    if of == 0:
        return 0.0, 1.0
    share = hits / of
    middle = share + Z * Z / (2 * of)
    spread = Z * math.sqrt(share * (1 - share) / of + Z * Z / (4 * of * of))
    return (middle - spread) / (1 + Z * Z / of), (middle + spread) / (1 + Z * Z / of)


class Counts:
    """Hits and opportunities by figure."""

    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        self.of: Counter[str] = Counter()

    def add(self, name: str, hit: bool) -> None:
        self.of[name] += 1
        self.hits[name] += hit

    def game(self, log: Sequence[Event[Any]]) -> None:
        """Count one whole game."""
        roles = {event.player: event.role for event in log if isinstance(event, events.RoleDealt)}
        mafia = {player for player, role in roles.items() if role == "Mafia"}
        memory = remember(log)
        self._outcome(log)
        self._ballots(log, memory, mafia, roles)
        self._words(memory, mafia, roles)

    def _outcome(self, log: Sequence[Event[Any]]) -> None:
        winner = next(str(event.winner) for event in log if isinstance(event, events.GameEnded)).lower()
        for side in ("town", "mafia", "jester"):
            self.add(f"{side} wins", side in winner)

    def _ballots(self, log: Sequence[Event[Any]], memory: Memory, mafia: set[str], roles: Mapping[str, str]) -> None:
        fallen: set[str] = set()
        claimed = False
        for event in log:
            match event:
                case events.DeathsAnnounced():
                    fallen |= set(event.deaths)
                case events.SpeechGiven() | events.NominationMade() if not claimed:
                    text = (event.text if isinstance(event, events.SpeechGiven) else event.words) or ""
                    claimed = hear(text, memory.players).claim == "Detective"
            match event:
                case events.NominationMade() if event.player in mafia:
                    partner = bool(mafia - fallen - {event.player})
                    if partner:
                        self.add("nominates, mafia to partner", event.nominee in mafia)
                    self.add("nominates, mafia to others", event.nominee is not None and event.nominee not in mafia)
                case events.SecondingClosed():
                    for voter, vote in event.votes.items():
                        if voter in (event.nominator, event.nominee):
                            continue
                        who = "mafia" if voter in mafia else "town"
                        whom = "partner" if event.nominee in mafia else "others"
                        if who == "mafia" or whom == "others":
                            self.add(f"seconds, {who} to {whom}", vote == "yes")
                case events.TrialClosed():
                    own = {n.player: n.nominee for n in memory.nominations if n.day == event.day and n.nominee}
                    for voter, choice in event.votes.items():
                        if own.get(voter) in event.tally:
                            self.add("deserts", choice != own[voter])
                        if voter in mafia and (mafia & set(event.tally)) - {voter}:
                            self.add("votes, mafia to partner", choice in mafia and choice != voter)
                case events.ExecutionVoteClosed():
                    for voter, verdict in event.votes.items():
                        if voter in mafia and event.condemned in mafia:
                            self.add("executes, mafia to partner", verdict == "execute")
                case events.PlayerExecuted():
                    fallen.add(event.player)
                    self.add("hits", event.player in mafia)
                    if not claimed:
                        self.add("hits before a detective claim", event.player in mafia)

    def _words(self, memory: Memory, mafia: set[str], roles: Mapping[str, str]) -> None:
        first = next((who for who, (role, _) in memory.claims.items() if role == "Detective"), None)
        if first is not None:
            self.add("first detective claim is true", roles[first] == "Detective")
        inviting = {speech.player for speech in memory.speeches if speech.heard.inviting}
        for player, role in roles.items():
            self.add("invites, jesters" if role == "Jester" else "invites, others", player in inviting)
        for day in {speech.day for speech in memory.speeches}:
            for player in mafia:
                if memory.fallen.get(player, (day, ""))[0] >= day and len(mafia) > 1:
                    partners = mafia - {player}
                    accused = {about for when, by, about in memory.accusations if by == player and when == day}
                    self.add("accuses, mafia to partner", bool(accused & partners))
            for asker, asked, later in _questions(memory, day):
                self.add("answers", any(asker in speech.heard.named for speech in later if speech.player == asked))


def _questions(memory: Memory, day: int) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield each question to a name in a discussion: who asked, who was asked, and the speeches after it that day."""
    today = [speech for speech in memory.speeches if speech.day == day and speech.occasion == "discussion"]
    for at, speech in enumerate(today):
        for sentence in _SENTENCE.split(speech.text):
            if sentence.endswith("?"):
                named = [name for name in memory.players if name in sentence and name != speech.player]
                if len(named) == 1 and named[0] not in memory.fallen:
                    yield speech.player, named[0], today[at + 1 :]


def played(seed: int, players: int) -> list[Event[Any]]:
    """Return the events of one game of the house."""
    table = Table(players, seed, {}, HouseAgent(), checked=False)
    table.play()
    return [item.event for item in table.recorded]


def share(name: str, hits: int, of: int) -> str:
    """One row: a share with its interval."""
    low, high = wilson(hits, of)
    return f"| {name} | {hits / of if of else 0.0:.3f} | {low:.3f} to {high:.3f} | {hits} of {of} |"


def report(part: str, logs: list[list[Event[Any]]], number: int, players: int) -> Iterator[str]:
    """The lines of one part, of that many games."""
    games = [house_table.game_of(log) for log in logs]
    match part:
        case "counts":
            counts = Counts()
            for log in logs:
                counts.game(log)
            yield "| figure | share | 95 % | of |\n|---|---|---|---|"
            for name, what in FIGURES.items():
                yield share(f"{name}: {what}", counts.hits[name], counts.of[name])
        case "hits":
            yield "| executions | times the share of Mafia among the living | hit |\n|---|---|---|"
            for name, ratio in house_figures.executions(logs, games).items():
                yield f"| {name} | {ratio.text()} |"
        case "reader":
            learnt = len(games) * 4 // 5
            yield "| an act before a claim | likelihood ratio, Mafia to others or the reverse |\n|---|---|"
            for name, much in house_figures.tells(games[learnt:])[:8]:
                yield f"| {name} | {much:.1f} |"
            yield "\n| chief suspect of a reader | times the share of Mafia | hit |\n|---|---|---|"
            fitted = house_figures.fitted(games[:learnt])
            for name, ratio in house_figures.reader(logs[learnt:], games[learnt:], fitted).items():
                yield f"| {name} | {ratio.text()} |"
        case "calibration":
            yield "| phase | log-loss of the belief | of knowing nothing | of |\n|---|---|---|---|"
            yield from house_figures.calibration(games)
        case "answers":
            soon, later, planted = house_figures.answered(range(1, 111), players)
            yield "| planted questions and accusations by name | share | 95 % | of |\n|---|---|---|---|"
            yield share("answered by name within three speeches", soon, planted)
            yield share("answered by name that day", later, planted)
            yield "\n| what people type | recall | precision |\n|---|---|---|"
            for sort, (right, said, are) in house_english.figures().items():
                yield f"| {sort} | {right / are:.2f} of {are} | {right / max(1, said):.2f} of {said} |"
        case "sentences":
            fresh, distinct = house_figures.novelty(logs, games[0].players)
            yield "| frames never read before | share | 95 % | of |\n|---|---|---|---|"
            for at, (new, of) in fresh.items():
                yield share(f"in game {at}", new, of)
            yield f"\ndistinct-2 over {house_figures.BIGRAMS} pairs of words: {distinct:.3f}"
        case "cost":
            mean, slow = house_figures.cost(min(20, number), players)
            yield f"processor time of a decision: {mean:.2f} ms on average, {slow:.2f} ms for the slowest in a hundred"
        case "random":
            yield "| all holders of the role play at random | its side wins | 95 % | of |\n|---|---|---|---|"
            for role in house_figures.ROLES_TRIED:
                yield share(role, *house_figures.against_random(role, max(20, number // 4), players))


PARTS = ("counts", "hits", "reader", "calibration", "answers", "sentences", "cost", "random")
PLAYED_APART = frozenset({"answers", "cost", "random"})
"""Parts that play other games than those of `--games`."""


def main() -> int:
    parser = argparse.ArgumentParser(description="How the house plays Mafia.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--players", type=int, default=8)
    parser.add_argument("--only", choices=PARTS, action="append", help="this part alone; can be given again")
    options = parser.parse_args()
    parts = options.only or PARTS
    read = not PLAYED_APART.issuperset(parts)
    logs = [played(seed, options.players) for seed in range(1, options.games + 1)] if read else []
    print(f"{options.games} games of {options.players}")
    for part in parts:
        print()
        for line in report(part, logs, options.games, options.players):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
