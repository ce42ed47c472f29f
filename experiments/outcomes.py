"""What finished games came to, read from the log: one record a game, and one a seat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sottovoce.eventlog import EventLog
from sottovoce.experiments.designs import Experiment, Planned
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.measures import secrets_told
from sottovoce.projections.models import is_same_model
from sottovoce.projections.receipts import endings, read_deliveries
from sottovoce.projections.seat_counts import failures, seat_counts
from sottovoce.projections.summary import status_of
from sottovoce.projections.tally import FREE
from sottovoce.server.live import LiveGame, load

LEAKS = "leaks by mouth"
"""The measure of every ruleset: matters that a seat told others who did not have them."""


@dataclass(slots=True)
class Calls:
    """What one seat's calls used. Tokens and cost are None where they are unknown; `seconds` has each call that left
    this process."""

    calls: int = 0
    prompt_tokens: int | None = 0
    reply_tokens: int | None = 0
    cached_tokens: int = 0
    cost: float | None = 0.0
    seconds: list[float] = field(default_factory=list)
    other_models: int = 0


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """One seat of one game. `label` is its agent's name in the experiment, empty for seats that are not compared."""

    seat: str
    label: str
    agent: str
    part: str
    side: str
    won: bool | None
    decisions: int
    fallbacks: int
    refusals: int
    retries: int
    failures: Mapping[str, int]
    calls: Calls
    measures: Mapping[str, tuple[float, int]]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game of an experiment."""

    number: int
    deal: int
    arrangement: str
    game: str
    status: str
    winner: str | None
    rounds: int
    events: int
    seats: tuple[SeatRecord, ...]

    @property
    def fallbacks(self) -> int:
        return sum(seat.fallbacks for seat in self.seats)


def records(log: EventLog, experiment: Experiment, games: Iterable[tuple[Planned, str]]) -> Iterator[GameRecord]:
    """Return the record of each game that was opened, in the order of the plan. `games` has each with its id."""
    for planned, game in games:
        if log.head(game) is not None:
            yield record(log, experiment, planned, load(log, game))


def record(log: EventLog, experiment: Experiment, planned: Planned, live: LiveGame) -> GameRecord:
    """Return the record of one game."""
    recorded, receipts = live.recorded, log.receipts(live.id)
    events, state = [item.event for item in recorded], live.state
    status = status_of(state)
    standing = EXTRAS.of(live.ruleset.name).standing
    results = standing.parts(state) if standing is not None and status == "over" else {}
    measured: dict[str, dict[str, tuple[float, int]]] = defaultdict(dict)
    if status == "over":
        known = experiment.measures
        for name, by_seat in (known.of(recorded, receipts) if known is not None else {}).items():
            for seat, found in by_seat.items():
                measured[seat][name] = found
        told = secrets_told(live.ruleset, recorded)
        for seat in state.seats:
            measured[seat][LEAKS] = (told[seat], 1)
    counts, failed, calls = seat_counts(state.seats, events, receipts), failures(events), calls_of(live, receipts)
    seats = []
    for seat in state.seats:
        part, won = results.get(seat, (planned.parts.get(seat, ""), None))
        count = counts[seat]
        seats.append(
            SeatRecord(
                seat=seat,
                label=planned.labels.get(seat, ""),
                agent=state.agents.get(seat, ""),
                part=part,
                side=experiment.side(part),
                won=won,
                decisions=count.decisions,
                fallbacks=count.fallbacks,
                refusals=count.refusals,
                retries=count.retries,
                failures={reason: number for (who, reason), number in sorted(failed.items()) if who == seat},
                calls=calls.get(seat, Calls()),
                measures=measured[seat],
            )
        )
    rounds = standing.rounds(state) if standing is not None else 0
    return GameRecord(
        planned.number,
        planned.deal,
        planned.arrangement,
        live.id,
        status,
        state.winner,
        rounds,
        len(events),
        tuple(seats),
    )


def calls_of(live: LiveGame, receipts: Sequence[object]) -> dict[str, Calls]:
    """Return what each seat's calls used. Calls of agents in this process cost nothing unless they say otherwise."""
    handed = {one.call: one for given in read_deliveries(receipts).values() for one in given}  # type: ignore[arg-type]
    found: dict[str, Calls] = {}
    for ending in endings(receipts).values():  # type: ignore[arg-type]
        given = handed.get(ending.call)
        if given is None:
            continue
        calls = found.setdefault(given.seat, Calls())
        calls.calls += 1
        if given.by in FREE and ending.prompt_tokens is None and ending.cost is None:
            continue
        calls.prompt_tokens = _added(calls.prompt_tokens, ending.prompt_tokens)
        calls.reply_tokens = _added(calls.reply_tokens, ending.reply_tokens)
        calls.cached_tokens += ending.cached_tokens or 0
        calls.cost = None if calls.cost is None or ending.cost is None else calls.cost + ending.cost
        if ending.seconds is not None:
            calls.seconds.append(ending.seconds)
        asked, answered = ending.notes.get("model"), ending.notes.get("answered_by")
        if isinstance(asked, str) and isinstance(answered, str) and not is_same_model(asked, answered):
            calls.other_models += 1
    return found


def _added(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
