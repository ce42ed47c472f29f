"""Many games counted together: who won how often, how long it took, what it cost. What `run` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import sqrt
from statistics import median
from typing import Any

from sottovoce.domain.errors import RulesetDefect
from sottovoce.domain.events import Recorded, ReplyAccepted
from sottovoce.domain.game import fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.handovers import Receipt, endings, hand_overs
from sottovoce.projections.seat_counts import SeatCount, seat_counts
from sottovoce.projections.summary import Status, status_of

Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""

FREE = frozenset({"house", "random", "human", "scripted"})
"""Agents that call no model: they use no tokens and cost nothing."""


def wilson(wins: int, games: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a share; (0, 1) of no games."""
    if games == 0:
        return 0.0, 1.0
    share = wins / games
    centre = share + z * z / (2 * games)
    spread = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    # The ends are exact at no and at all wins, where rounding would leave a trace.
    low = 0.0 if wins == 0 else (centre - spread) / scale
    high = 1.0 if wins == games else (centre + spread) / scale
    return low, high


@dataclass(frozen=True, slots=True)
class Share:
    """How often one side won, or one agent in one part, with the 95 % interval of its share."""

    side: str
    wins: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Seated:
    """One seat of one game: what `run --csv` writes, a row each.

    `status` is `over`, `void`, `held` or `open`; only a game that is over was won or lost. `seed` makes the game again.
    `part` is empty and `won` None for a seat that takes no side. `columns` are the ruleset's own.
    """

    game: str
    seed: str
    status: Status
    winner: str
    rounds: int
    decisions: int
    seat: str
    agent: str
    part: str
    won: bool | None
    columns: Mapping[str, str]
    fallbacks: int
    refusals: int
    retries: int
    voids: int

    @classmethod
    def header(cls, columns: Sequence[str]) -> list[str]:
        """The names of what stands in a `row`, where the ruleset has those columns of its own."""
        return [name for each in fields(cls) for name in (columns if each.name == "columns" else (each.name,))]

    @property
    def row(self) -> list[Any]:
        """What the seat has under each name of the `header`."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return [one for name, value in values for one in (value.values() if name == "columns" else (value,))]


def seated(ruleset: Ruleset[Any], recorded: Sequence[Recorded], receipts: Sequence[Receipt] = ()) -> list[Seated]:
    """The seats of a game, each with its agent, its part, whether it won, and what it did."""
    events = [item.event for item in recorded]
    state = fold(ruleset, events)
    extras = EXTRAS.of(ruleset.name)
    standing, columns = extras.standing, extras.columns
    status = status_of(state)
    counts = seat_counts(state.seats, events, receipts)
    names, found = (columns.names, columns.of(events)) if columns is not None else ((), {})
    parts = standing.parts(state) if standing is not None and status == "over" else {}
    rows = []
    for seat in state.seats:
        part, won = parts.get(seat, ("", None))
        count = counts[seat]
        values = found.get(seat, ("",) * len(names))
        if len(values) != len(names):
            raise RulesetDefect(f"{ruleset.name}: {len(values)} values for {seat} in its {len(names)} columns")
        rows.append(
            Seated(
                game=recorded[0].game,
                seed=(state.seed.text or "") if state.seed is not None else "",
                status=status,
                winner=state.winner or "",
                rounds=standing.rounds(state) if standing is not None else 0,
                decisions=sum(one.decisions for one in counts.values()),
                seat=seat,
                agent=state.agents.get(seat, ""),
                part=part,
                won=won,
                columns=dict(zip(names, values, strict=True)),
                fallbacks=count.fallbacks,
                refusals=count.refusals,
                retries=count.retries,
                voids=count.voids,
            )
        )
    return rows


@dataclass(frozen=True, slots=True)
class Tally:
    """Games counted. Tallies add up with `+`, in any order.

    `winners` counts the finished games by side; those that are `voided`, `held` or still `open` count for nobody, and
    `stood_in` of the finished ones hold moves that are no seat's own. `rounds` and `decisions_per_game` count games by
    their number of days, beats or review rounds and of accepted replies. `tokens` and `cost` are None as soon as one
    call's are not known. `seconds` add up too: set the time on the clock with `dataclasses.replace` where games ran at
    once. `lineup` counts, by agent and part, the seats of finished games and those of them that won; `seats` what each
    seat did, by its name and agent. `players` are one game's own; a sum has none, so that counting many games keeps
    nothing of each.
    """

    games: int = 0
    voided: int = 0
    held: int = 0
    open: int = 0
    stood_in: int = 0
    winners: Mapping[str, int] = field(default_factory=dict)
    rounds: Mapping[int, int] = field(default_factory=dict)
    decisions_per_game: Mapping[int, int] = field(default_factory=dict)
    events: int = 0
    fallbacks: int = 0
    refusals: int = 0
    tokens: int | None = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    lineup: Mapping[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    seats: Mapping[tuple[str, str], SeatCount] = field(default_factory=dict)
    players: tuple[Seated, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        ruleset: Ruleset[Any],
        recorded: Sequence[Recorded],
        receipts: Sequence[Receipt] = (),
        seconds: float = 0.0,
    ) -> Tally:
        """One game."""
        events = [item.event for item in recorded]
        state = fold(ruleset, events)
        standing = EXTRAS.of(ruleset.name).standing
        tokens, cost = _spent(receipts)
        players = tuple(seated(ruleset, recorded, receipts))
        status = status_of(state)
        counts = seat_counts(state.seats, events, receipts)
        fallbacks = sum(count.fallbacks for count in counts.values())
        return cls(
            games=1,
            voided=int(status == "void"),
            held=int(status == "held"),
            open=int(status == "open"),
            stood_in=int(status == "over" and fallbacks > 0),
            winners={state.winner: 1} if state.winner is not None else {},
            rounds={standing.rounds(state): 1} if standing is not None and status == "over" else {},
            decisions_per_game={sum(isinstance(event, ReplyAccepted) for event in events): 1},
            events=len(events),
            fallbacks=fallbacks,
            refusals=sum(count.refusals for count in counts.values()),
            tokens=tokens,
            cost=cost,
            seconds=seconds,
            lineup=_lineup(players),
            seats={(seat, state.agents.get(seat, "")): count for seat, count in counts.items()},
            players=players,
        )

    def __add__(self, other: Tally) -> Tally:
        names = (each.name for each in fields(self) if each.name != "players")
        return Tally(**{name: _sum(getattr(self, name), getattr(other, name)) for name in names})

    @property
    def decisions(self) -> int:
        """All accepted replies."""
        return sum(number * games for number, games in self.decisions_per_game.items())

    @property
    def ended(self) -> int:
        """The games that came to their end."""
        return self.games - self.voided - self.held - self.open

    @property
    def shares(self) -> list[Share]:
        """Every side that won a game, most wins first, as a share of the games that came to an end."""
        ordered = sorted(self.winners.items(), key=lambda item: (-item[1], item[0]))
        return [Share(side, wins, wins / self.ended, *wilson(wins, self.ended)) for side, wins in ordered]

    @property
    def agents(self) -> list[tuple[str, Share, int]]:
        """Every agent in every part it had: its name, its share of wins, and how many seats that is of."""
        return [
            (agent, Share(part, wins, wins / seats, *wilson(wins, seats)), seats)
            for (agent, part), (seats, wins) in sorted(self.lineup.items())
        ]

    @property
    def mean_rounds(self) -> float | None:
        return _mean(self.rounds)

    @property
    def median_rounds(self) -> float | None:
        return _median(self.rounds)

    @property
    def mean_decisions(self) -> float | None:
        return _mean(self.decisions_per_game)

    @property
    def median_decisions(self) -> float | None:
        return _median(self.decisions_per_game)

    def to_json(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "winners": {share.side: share.wins for share in self.shares},
            "decisions": self.decisions,
            "events": self.events,
            "fallbacks": self.fallbacks,
            "refusals": self.refusals,
            "tokens": self.tokens,
            "cost": self.cost,
            "seconds": self.seconds,
            "voided": self.voided,
            "held": self.held,
            "open": self.open,
            "stood_in": self.stood_in,
            "seats": [
                {"seat": seat, "agent": agent, **count._asdict()} for (seat, agent), count in sorted(self.seats.items())
            ],
        }


def _lineup(players: Iterable[Seated]) -> dict[tuple[str, str], tuple[int, int]]:
    counted: dict[tuple[str, str], tuple[int, int]] = {}
    for player in players:
        if player.won is not None:
            counted = _sum(counted, {(player.agent, player.part): (1, int(player.won))})
    return counted


def _sum(one: Any, other: Any) -> Any:
    """Numbers and pairs of them added up, mappings key by key; None where one is not known."""
    if one is None or other is None:
        return None
    if isinstance(one, Mapping):
        return {**one, **{key: _sum(one[key], value) if key in one else value for key, value in other.items()}}
    if isinstance(one, SeatCount):
        return one.plus(other)
    return tuple(map(_sum, one, other)) if isinstance(one, tuple) else one + other


def _spent(receipts: Sequence[Receipt]) -> tuple[int | None, float | None]:
    agents = {handed.call: handed.agent or "" for given in hand_overs(receipts).values() for handed in given}
    tokens: int | None = 0
    cost: float | None = 0.0
    for ending in endings(receipts).values():
        if agents.get(ending.call, "").partition(":")[0] in FREE:
            continue
        used = None
        if ending.prompt_tokens is not None and ending.reply_tokens is not None:
            used = ending.prompt_tokens + ending.reply_tokens
        tokens = None if tokens is None or used is None else tokens + used
        cost = None if cost is None or ending.cost is None else cost + ending.cost
    return tokens, cost


def _mean(counts: Mapping[int, int]) -> float | None:
    games = sum(counts.values())
    return sum(number * count for number, count in counts.items()) / games if games else None


def _median(counts: Mapping[int, int]) -> float | None:
    spread: Iterable[int] = Counter(counts).elements()
    numbers = sorted(spread)
    return float(median(numbers)) if numbers else None
