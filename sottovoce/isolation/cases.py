"""Cases: two logs of one game that a seat must not be able to tell apart, cut at a moment worth testing."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, lru_cache
from typing import Any

import msgspec

from sottovoce.domain.events import (
    AttemptFailed,
    ChairsOpened,
    Event,
    FallbackApplied,
    Recorded,
    ReplyAccepted,
    TurnOpened,
    TurnWithdrawn,
)
from sottovoce.domain.game import fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation import suite
from sottovoce.isolation.craft import Craft, Plan, Played
from sottovoce.isolation.draws import generator
from sottovoce.isolation.games import START, play
from sottovoce.isolation.redeal import resimulate
from sottovoce.isolation.system import System
from sottovoce.isolation.variation import Item, Scene, confidants, drop, edit, envelope, insert, numbered, reorder
from sottovoce.projections.view import view

AT_ONCE = 12
"""Cases that share a pair of databases."""
KEPT = 8
"""Batches of cases to keep for the next search that begins with them."""
TRIED = 4
"""How many places in a redealt game to try, to find one that commands can append to."""

TURNS = (TurnOpened, ReplyAccepted, AttemptFailed, FallbackApplied, TurnWithdrawn)

SOME_TIME = START + timedelta(days=40)


@dataclass(frozen=True)
class Case:
    """Two logs of one game that a seat must not be able to tell apart. `seat` is None for a viewer without a seat.

    `seq` is the length of the view. `turns` are the numbers of the seat's turns so far; with `asked` the last one is
    open. In a `sound` case both logs were played by the rules, so the game can continue.
    """

    game: str
    seat: str | None
    seq: int
    turns: tuple[int, ...]
    first: list[Recorded]
    second: list[Recorded]
    how: str
    asked: bool
    sound: bool = False

    @cached_property
    def opened(self) -> bool:
        """Whether the game is over, and its chairs are open to everyone who sat."""
        return any(isinstance(item.event, ChairsOpened) for item in self.first)


def cases(system: System, craft: Craft, seed: int, numbers: Iterable[int]) -> Iterator[Case]:
    """Yield cases from the games with these numbers, each for a random seat and prefix; every third without a seat."""
    for number in numbers:
        base = play(system, craft, seed * 100_000 + number)
        rng = generator(seed, "case", number)
        kind = (_dealt_again, _varied, _in_public)[number % 3]
        case = kind(system, base, rng)
        if case is not None:
            yield case


def _varied(system: System, base: Played, rng: random.Random) -> Case:
    seat = rng.choice(base.seats)
    items = [Item(*pair) for pair in zip(base.log, base.may_see(seat), strict=True)]
    first = cut(items, rng.randint(1, sum(item.visible for item in items)))
    changes = (drop, edit, insert, reorder, confidants, envelope)
    return case_of(system, base, seat, first, changed(system, base, seat, first, rng, changes), "hidden events changed")


def _in_public(system: System, base: Played, rng: random.Random) -> Case:
    items = [Item(item, seats is None) for item, seats in zip(base.log, base.audiences, strict=True)]
    last = sum(item.visible for item in items) - 1
    first = cut(items, rng.randint(1, max(1, last)))
    return case_of(
        system, base, None, first, changed(system, base, "", first, rng, (drop, edit, insert, reorder)), "in public"
    )


def changed(
    system: System, base: Played, seat: str, items: list[Item], rng: random.Random, changes: Sequence[Any]
) -> list[Item]:
    """Vary hidden events of the kinds that happen in a game.

    Commands also read the full state, whose phase and end come from public events and need not be hidden.
    """
    pool = [item.event for item, seats in zip(base.log, base.audiences, strict=True) if seats is not None]
    scene = Scene(seat, base.seats, pool)
    for change in changes:
        if rng.random() < 0.7:
            items = change(rng, scene, items)
    items = [item for item in items if item.visible or not _of_its_turns(item.recorded.event, seat)]
    opening = next(place for place, item in enumerate(items) if item.visible)
    return [items[opening], *items[:opening], *items[opening + 1 :]]


def _of_its_turns(event: Event, seat: str) -> bool:
    """Return whether the event opens or closes a turn of the seat, which no log has unseen by it."""
    return isinstance(event, TURNS) and event.seat == seat


def _dealt_again(system: System, base: Played, rng: random.Random) -> Case | None:
    seat = rng.choice(base.seats)
    plan = base.craft.plan(system, base, seat, rng)
    if plan is None:
        return None
    twin = resimulate(system, base, plan, rng)
    first = suite.as_shown(system, base.log, seat)
    second = suite.timed_like(first, suite.as_shown(system, twin.log, seat), rng)
    most = min(plan.until, *(sum(item.visible for item in side) for side in (first, second)))
    if most < 1:
        return None
    lengths = [min(length, most) for length in (*suite.asked_at(first, seat), rng.randint(1, most))]
    rng.shuffle(lengths)
    tried = (stopped_at(system, base, seat, first, second, length, plan) for length in lengths[:TRIED])
    found: list[Case] = []
    for case in tried:
        if case.sound and case.asked:
            return case
        found.append(case)
    return max(found, key=lambda case: case.sound)


def stopped_at(
    system: System, base: Played, seat: str, first: Sequence[Item], second: Sequence[Item], length: int, plan: Plan
) -> Case:
    """Cut the two games where the seat's view has that length."""
    cuts = cut(first, length), cut(second, length)
    case = case_of(system, base, seat, *cuts, f"other roles: {plan.changed}")
    # A last failed attempt moves the game on, and what follows can reveal to this seat what was dealt.
    lasting = all(turn.attempts_left > 1 for turn in view(system.ruleset, case.first, seat).turns)
    # So can the answer of the last seat whose turn it is, and that seat can know that it was the last.
    alike = others_awaited(system, case.first, seat) == others_awaited(system, case.second, seat)
    return replace(case, sound=lasting and alike and is_whole(first, cuts[0]) and is_whole(second, cuts[1]))


def others_awaited(system: System, log: Sequence[Recorded], seat: str) -> bool:
    turns = fold(system.ruleset, [item.event for item in log]).turns
    return any(turn.seat != seat for turn in turns.values())


def is_whole(items: Sequence[Item], cut: Sequence[Item]) -> bool:
    """Return whether no append was cut. A game never stops inside an append, so it could not continue from there."""
    return len(cut) == len(items) or items[len(cut)].recorded.append != cut[-1].recorded.append


def cut(items: Sequence[Item], length: int) -> list[Item]:
    """Cut the log where the view has that length, and include the hidden events that follow."""
    kept, seen = [], 0
    for item in items:
        seen += item.visible
        if seen > length:
            break
        kept.append(item)
    return kept


def case_of(
    system: System, base: Played, seat: str | None, first: Sequence[Item], second: Sequence[Item], how: str
) -> Case:
    game = base.log[0].game
    logs = [storable(game, side) for side in (first, second)]
    own = [item.recorded.event for item in first if item.visible]
    turns = tuple(event.turn for event in own if isinstance(event, TurnOpened) and event.seat == seat)
    asked = seat is not None and bool(view(system.ruleset, logs[0], seat).turns)
    return Case(game, seat, len(own), turns, logs[0], logs[1], how, asked)


def storable(game: str, items: Sequence[Item]) -> list[Recorded]:
    """Return the log in a form that can be imported: one game ID, existing causes, new salts and hashes."""
    return [
        msgspec.structs.replace(
            item.recorded,
            game=game,
            cause=min(item.recorded.cause, item.recorded.position - 1) or None if item.recorded.cause else None,
            salt=b"",
            hash=b"",
        )
        for item in numbered(items)
    ]


@lru_cache(maxsize=KEPT)
def batch_of(ruleset: str, seed: int, batch: int) -> tuple[Case, ...]:
    """Return the cases of a batch, and keep them for the next caller."""
    numbers = range(batch * AT_ONCE, (batch + 1) * AT_ONCE)
    return tuple(cases(System(RULESETS[ruleset]), craft_of(ruleset), seed, numbers))
