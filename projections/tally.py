"""Count many games together: who won how often, how long it took, what it cost. `run` prints this."""

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
from sottovoce.projections.models import Substitute, substitutes
from sottovoce.projections.receipts import WITH_REPLY, Receipt, endings, read_deliveries
from sottovoce.projections.seat_counts import SeatCount, failures, nested, seat_counts
from sottovoce.projections.summary import Status, status_of

MOST_ERRORS = 5
"""Different errors of one game that are counted."""
Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""

FREE = frozenset({"view", "screen", WITH_REPLY})
"""Ways in which an agent gets the view without a model: such a call costs nothing unless it says otherwise."""


def wilson(wins: int, games: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a share; (0, 1) for zero games."""
    if games == 0:
        return 0.0, 1.0
    share = wins / games
    centre = share + z * z / (2 * games)
    spread = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    # The bounds are exact for no wins and for all wins, where rounding would leave a trace.
    low = 0.0 if wins == 0 else (centre - spread) / scale
    high = 1.0 if wins == games else (centre + spread) / scale
    return low, high


@dataclass(frozen=True, slots=True)
class Share:
    """How often one side, or one agent in one part, won, with the 95 % interval of its share."""

    side: str
    wins: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Seated:
    """One seat of one game: a row of `run --csv`.

    `status` is `over`, `void`, `held` or `open`. Only a game that is over was won or lost. `seed` reproduces the game.
    `part` is empty and `won` None for a seat that takes no side. `columns` are the ruleset's extra columns.
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
    failed: int

    @classmethod
    def header(cls, columns: Sequence[str]) -> list[str]:
        """Return the column names of a `row`, with the ruleset's extra columns."""
        return [name for each in fields(cls) for name in (columns if each.name == "columns" else (each.name,))]

    @property
    def row(self) -> list[Any]:
        """Return the seat's value for each name of the `header`."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return [one for name, value in values for one in (value.values() if name == "columns" else (value,))]


def seated(ruleset: Ruleset[Any], recorded: Sequence[Recorded], receipts: Sequence[Receipt] = ()) -> list[Seated]:
    """Return the seats of a game, each with its agent, its part, whether it won, and what it did."""
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
                failed=count.failed,
            )
        )
    return rows


@dataclass(frozen=True, slots=True)
class Tally:
    """Counted games. Add tallies with `+`, in any order.

    `winners` counts the finished games by side. Games that are `voided`, `held` or still `open` do not count.
    `stood_in` is the number of finished games that contain fallback moves. `rounds` and `decisions_per_game` count
    games by their number of days, beats or review rounds, and of accepted replies. `tokens` and `cost` are None if they
    are unknown for any call. `seconds` add up too; if games ran in parallel, set the wall-clock time with
    `dataclasses.replace`. `lineup` counts, by agent and part, the seats of finished games and how many of them won.
    `seats` counts what each seat did, by name and agent. `failures` counts attempts in which an agent gave no reply, by
    agent and reason; `errors` what went wrong with calls, in the words for those who run this; `substitutes` calls that
    another model answered than the one asked for. `players` are those of one game; a sum has none, so counting many
    games stores nothing per game.
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
    failures: Mapping[tuple[str, str], int] = field(default_factory=dict)
    errors: Mapping[str, int] = field(default_factory=dict)
    substitutes: Mapping[Substitute, int] = field(default_factory=dict)
    players: tuple[Seated, ...] = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        ruleset: Ruleset[Any],
        recorded: Sequence[Recorded],
        receipts: Sequence[Receipt] = (),
        seconds: float = 0.0,
    ) -> Tally:
        """Count one game."""
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
            failures=_sum_by_agent(failures(events), state.agents),
            errors=went_wrong(receipts),
            substitutes=dict(substitutes(receipts)),
            players=players,
        )

    def __add__(self, other: Tally) -> Tally:
        names = (each.name for each in fields(self) if each.name != "players")
        return Tally(**{name: _sum(getattr(self, name), getattr(other, name)) for name in names})

    @property
    def decisions(self) -> int:
        """Return the number of accepted replies."""
        return sum(number * games for number, games in self.decisions_per_game.items())

    @property
    def ended(self) -> int:
        """Return the number of finished games."""
        return self.games - self.voided - self.held - self.open

    @property
    def shares(self) -> list[Share]:
        """Return every side that won a game, most wins first, with its share of the finished games."""
        ordered = sorted(self.winners.items(), key=lambda item: (-item[1], item[0]))
        return [Share(side, wins, wins / self.ended, *wilson(wins, self.ended)) for side, wins in ordered]

    @property
    def agents(self) -> list[tuple[str, Share, int]]:
        """Return every agent in every part it had: its name, its share of wins, and the number of seats."""
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
            "failures": nested(self.failures),
            "substitutes": nested(self.substitutes),
            "seats": [
                {"seat": seat, "agent": agent, **count._asdict()} for (seat, agent), count in sorted(self.seats.items())
            ],
        }


def went_wrong(receipts: Sequence[Receipt]) -> dict[str, int]:
    """What went wrong with the calls of a game, the most frequent first, a few at most."""
    told = (
        ending.notes["error"] for ending in endings(receipts).values() if isinstance(ending.notes.get("error"), str)
    )
    return dict(Counter(told).most_common(MOST_ERRORS))


def _sum_by_agent(found: Mapping[tuple[str, str], int], agents: Mapping[str, str]) -> dict[tuple[str, str], int]:
    counted: Counter[tuple[str, str]] = Counter()
    for (seat, reason), count in found.items():
        counted[agents.get(seat, ""), reason] += count
    return dict(counted)


def _lineup(players: Iterable[Seated]) -> dict[tuple[str, str], tuple[int, int]]:
    counted: dict[tuple[str, str], tuple[int, int]] = {}
    for player in players:
        if player.won is not None:
            counted = _sum(counted, {(player.agent, player.part): (1, int(player.won))})
    return counted


def _sum(one: Any, other: Any) -> Any:
    """Add numbers, pairs and mappings key by key; None if any is unknown."""
    if one is None or other is None:
        return None
    if isinstance(one, Mapping):
        return {**one, **{key: _sum(one[key], value) if key in one else value for key, value in other.items()}}
    if isinstance(one, SeatCount):
        return one.plus(other)
    return tuple(map(_sum, one, other)) if isinstance(one, tuple) else one + other


def _spent(receipts: Sequence[Receipt]) -> tuple[int | None, float | None]:
    ways = {handed.call: handed.by for given in read_deliveries(receipts).values() for handed in given}
    tokens: int | None = 0
    cost: float | None = 0.0
    for ending in endings(receipts).values():
        if ending.prompt_tokens is None and ending.cost is None and ways.get(ending.call) in FREE:
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
