"""What must be true of a log, whatever happened to the processes that wrote it.

Each check returns findings, one line each; none if all is well.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from sottovoce.domain.events import (
    AttemptFailed,
    FallbackApplied,
    GameForked,
    GameOpened,
    Recorded,
    ReplyAccepted,
    SeatsFilled,
    TurnOpened,
    TurnWithdrawn,
)
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog.links import FACTS
from sottovoce.eventlog.log import EventLog, RecordedReceipt
from sottovoce.eventlog.verify import verify
from sottovoce.projections.receipts import DELIVERIES, ENDINGS

Views = dict[str, list[tuple[str, bytes]]]
"""Names and data of what each seat has seen, in order."""


def seed_of(recorded: Sequence[Recorded]) -> str:
    """Return the secret that a game was opened with, which tells the games of one `run` apart."""
    seeds = (item.event.seed for item in recorded if isinstance(item.event, SeatsFilled))
    return next(seed.secret for seed in seeds if seed is not None)


def views(recorded: Sequence[Recorded]) -> Views:
    """Return what every seat has seen."""
    opened = recorded[0].event
    assert isinstance(opened, GameOpened)
    return {
        seat: [(item.name, item.body) for item in recorded if item.audience.includes(seat)] for seat in opened.seats
    }


def state_of(recorded: Sequence[Recorded]) -> Any:
    """Return the full state."""
    opened = recorded[0].event
    assert isinstance(opened, GameOpened)
    ruleset = RULESETS[opened.ruleset]
    state = ruleset.initial
    for item in recorded:
        state = ruleset.evolve(state, item.event)
    return state


def check_game(
    log: EventLog, game: str, acknowledged: Iterable[Mapping[str, Any]] = (), sent: Container[str] = ()
) -> list[str]:
    """Return the findings in one game, open or over. `acknowledged` are the appends of all games that a tap reported.

    `sent` are seats for which replies came from outside, in addition to those that are always outside.
    """
    found = verify(log, game)
    findings = [f"verify: {problem.position or 'head'} {problem.what}" for problem in found.problems]
    try:
        recorded = log.read(game)
    except Exception as error:
        return [*findings, f"cannot be read: {error}"]
    mine = [append for append in acknowledged if append["game"] == game]
    if not recorded or not isinstance(recorded[0].event, GameOpened):
        return [*findings, "has no opening", *([f"lost {len(mine)} acknowledged appends"] if mine else [])]
    findings += _check_acknowledged(recorded, mine)
    findings += _check_appends(recorded)
    findings += _check_turns(recorded)
    findings += _check_obligations(log, game, recorded)
    findings += _check_receipts(recorded, log.receipts(game), sent)
    return findings


def check_end(log: EventLog, game: str, uninterrupted: Mapping[str, Views] | None) -> list[str]:
    """Return the findings in a game that must be over and, by its seed, equal to an uninterrupted one, if there is
    one."""
    recorded = log.read(game)
    if not state_of(recorded).over:
        return ["is not over"]
    findings = [f"obligation left: {due.seat} {due.turn}" for due in log.due(game)]
    if uninterrupted is None:
        return findings
    wanted, got = uninterrupted.get(seed_of(recorded)), views(recorded)
    if wanted is None:
        return [*findings, "was not played by the uninterrupted run"]
    for seat in wanted:
        if got.get(seat) != wanted[seat]:
            pairs = enumerate(zip(wanted[seat], got.get(seat, []), strict=False), 1)
            where = next((seq for seq, (one, other) in pairs if one != other), "its end")
            findings.append(f"{seat} saw something else than in the uninterrupted game, from seq {where}")
    return findings


def _check_acknowledged(recorded: Sequence[Recorded], acknowledged: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    hashes = {item.position: (item.append, item.hash.hex()) for item in recorded}
    for append in acknowledged:
        for position, leaf in append["events"]:
            if position not in hashes:
                yield f"lost: acknowledged position {position}"
            elif hashes[position] != (append["append"], leaf):
                yield f"changed: acknowledged position {position}"


def _check_appends(recorded: Sequence[Recorded]) -> Iterator[str]:
    ended: set[str] = set()
    before = ""
    for item in recorded:
        if item.append != before:
            if item.append in ended:
                yield f"append {item.append} comes again at {item.position}"
            ended.add(before)
            before = item.append


def _check_turns(recorded: Sequence[Recorded]) -> Iterator[str]:
    opened: Counter[tuple[str, int]] = Counter()
    closed: Counter[tuple[str, int]] = Counter()
    attempts: Counter[tuple[str, int, int]] = Counter()
    for item in recorded:
        match item.event:
            case TurnOpened(seat=seat, turn=turn):
                opened[seat, turn] += 1
            case ReplyAccepted(seat=seat, turn=turn) | FallbackApplied(seat=seat, turn=turn):
                closed[seat, turn] += 1
            case TurnWithdrawn(seat=seat, turn=turn):
                closed[seat, turn] += 1
            case AttemptFailed(seat=seat, turn=turn, attempt=attempt):
                attempts[seat, turn, attempt] += 1
    for (seat, turn), times in opened.items():
        if times > 1:
            yield f"turn {turn} of {seat} was opened {times} times"
    for (seat, turn), times in closed.items():
        if times > 1:
            yield f"turn {turn} of {seat} was closed {times} times"
        if (seat, turn) not in opened:
            yield f"turn {turn} of {seat} was closed and never opened"
    for (seat, turn, attempt), times in attempts.items():
        if times > 1:
            yield f"attempt {attempt} at turn {turn} of {seat} failed {times} times"


def _check_obligations(log: EventLog, game: str, recorded: Sequence[Recorded]) -> Iterator[str]:
    turns = state_of(recorded).turns
    due = {(item.seat, item.turn): item.attempt for item in log.due(game)}
    for key in turns.keys() - due.keys():
        yield f"no obligation for open turn {key[1]} of {key[0]}"
    for key in due.keys() - turns.keys():
        yield f"obligation for closed turn {key[1]} of {key[0]}"
    for key in due.keys() & turns.keys():
        if due[key] != turns[key].attempt:
            yield f"obligation for attempt {due[key]}, not {turns[key].attempt}, at turn {key[1]} of {key[0]}"


def _check_receipts(
    recorded: Sequence[Recorded], receipts: Sequence[RecordedReceipt], sent: Container[str]
) -> Iterator[str]:
    """Check that calls begin before they end, and that each accepted reply of an agent has one accepted ending, that of
    the last call.

    The calls for a fork's inherited events are in its parent's receipts.
    """
    handed: dict[str, tuple[str, int | None]] = {}
    latest: dict[tuple[str, int | None], tuple[int, str]] = {}
    ended: set[str] = set()
    accepted: dict[str, tuple[str, int | None]] = {}
    refused: Counter[tuple[str, int | None]] = Counter()
    for receipt in receipts:
        if receipt.name in FACTS:
            continue
        call = receipt.data["call"]
        if receipt.name in DELIVERIES:
            if call in handed:
                yield f"call {call} was handed over twice"
            key = handed[call] = (receipt.seat, receipt.data["turn"])
            epoch = receipt.data.get("epoch", 0)
            if receipt.data["by"] != "inbox" and epoch >= latest.get(key, (0, ""))[0]:
                latest[key] = (epoch, call)
        if receipt.name not in ENDINGS:
            continue
        if call not in handed:
            yield f"call {call} of {receipt.seat} ended and never began"
            continue
        if call in ended:
            yield f"call {call} of {receipt.seat} ended twice"
        ended.add(call)
        if receipt.data["how"] == "accepted":
            accepted[call] = handed[call]
        if receipt.data["how"] in ("refused", "failed"):
            refused[handed[call]] += 1
    for call, key in accepted.items():
        if latest[key][1] != call:
            yield f"turn {key[1]} of {key[0]} was answered by a call that had lost its lease"
    taken = Counter(accepted.values())
    answered: Counter[tuple[str, int | None]] = Counter()
    failures: Counter[tuple[str, int | None]] = Counter()
    inherited = max((item.event.position for item in recorded if isinstance(item.event, GameForked)), default=0)
    for item in recorded[inherited:]:
        match item.event:
            case ReplyAccepted(seat=seat, turn=turn):
                answered[seat, turn] += 1
            case AttemptFailed(seat=seat, turn=turn):
                failures[seat, turn] += 1
    outside = _filled_from_outside(recorded)
    for key in answered.keys() | taken.keys():
        free = key[0] in outside or key[0] in sent
        if answered[key] < taken[key] or (answered[key] > taken[key] and not free):
            yield f"turn {key[1]} of {key[0]}: {answered[key]} replies and {taken[key]} accepted calls"
    for key in refused.keys() - failures.keys():
        yield f"turn {key[1]} of {key[0]}: a call was refused without an event"


def _filled_from_outside(recorded: Sequence[Recorded]) -> set[str]:
    """Return the seats that were played from outside at any time."""
    seats: defaultdict[str, set[str]] = defaultdict(set)
    for item in recorded:
        if isinstance(item.event, SeatsFilled):
            for seat, agent in item.event.agents.items():
                seats[seat].add(agent)
    return {seat for seat, agents in seats.items() if "outside" in agents}
