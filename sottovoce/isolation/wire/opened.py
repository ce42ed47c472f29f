"""Two finished games whose chairs are open, alike in all that the open chairs saw: who sat there gets the same answers
of every chair.

What varies is what no open chair saw: hidden events, and the seats with closed chairs that were told too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from itertools import count
from typing import Any
from urllib.parse import parse_qs, quote

import msgspec

from sottovoce.domain.audience import Audience
from sottovoce.domain.events import ChairsOpened, Recorded
from sottovoce.domain.game import fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation.cases import SOME_TIME, Case, changed, storable
from sottovoce.isolation.craft import Played
from sottovoce.isolation.draws import generator
from sottovoce.isolation.games import play
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.system import System
from sottovoce.isolation.variation import Item, drop, edit, insert, reorder
from sottovoce.isolation.wire import clock
from sottovoce.isolation.wire.answers import difference
from sottovoce.isolation.wire.operations import GAME, Request
from sottovoce.isolation.wire.pairs import Pair
from sottovoce.isolation.wire.world import Setting, World, later

CHAIRS = 2
"""Seats that look, in each game."""


def opened_pairs(
    ruleset: str, seed: int, patch: Callable[[], AbstractContextManager[Any]] = nullcontext
) -> Generator[Pair]:
    """Yield pairs, game after game, endlessly. The `patch` is entered while the worlds are asked."""
    system, craft = System(RULESETS[ruleset]), craft_of(ruleset)
    for number in count(0, 2):  # games with odd numbers keep their chairs closed
        base = play(system, craft, seed * 100_000 + number)
        case = _case(system, base, generator(seed, "opened", ruleset, number))
        if case is not None:
            with patch():
                yield from clock.run(_compared(case, base.seats, generator(seed, "looks", ruleset, number)))


def _case(system: System, base: Played, rng: random.Random) -> Case | None:
    """The game and its twin; None if it did not come to its end."""
    opened = next((item.event for item in base.log if isinstance(item.event, ChairsOpened)), None)
    if opened is None:
        return None
    chairs = frozenset(opened.chairs)
    items = [
        Item(item, seats is None or bool(seats & chairs)) for item, seats in zip(base.log, base.audiences, strict=True)
    ]
    twin = changed(system, base, "", items, rng, (drop, edit, insert, reorder))
    # What was put in must be seen by no open chair; of what they saw, others may have been told or not.
    twin = [_hidden(item, chairs) for item in twin if item.visible or item.recorded.audience.seats is not None]
    twin = [_told_otherwise(rng, item, frozenset(base.seats) - chairs) for item in twin]
    twin = [item for item in twin if not isinstance(item.recorded.event, ChairsOpened) or item.visible]
    game = base.log[0].game
    first, second = storable(game, items), storable(game, twin)
    seat = rng.choice(opened.chairs)
    return Case(game, seat, 1, (), first, second, "what no open chair saw changed", False)


def _hidden(item: Item, chairs: frozenset[str]) -> Item:
    if item.visible:
        return item
    seats = (item.recorded.audience.seats or frozenset()) - chairs
    return Item(msgspec.structs.replace(item.recorded, audience=Audience(seats)), False)


def _told_otherwise(rng: random.Random, item: Item, closed: frozenset[str]) -> Item:
    seats = item.recorded.audience.seats
    if not item.visible or seats is None or not closed:
        return item
    told = frozenset(seat for seat in sorted(closed) if rng.random() < 0.5)
    return Item(msgspec.structs.replace(item.recorded, audience=Audience(seats - closed | told)), True)


async def _compared(case: Case, seats: Sequence[str], rng: random.Random) -> list[Pair]:
    """Ask both worlds for everything that a finished game opens, up to the first difference."""
    ruleset = System(RULESETS[_ruleset(case.first)]).ruleset
    pairs: list[Pair] = []
    chairs = fold(ruleset, [item.event for item in case.first]).chairs
    settings = [
        Setting(
            game=case.game,
            ruleset=ruleset.name,
            seat=case.seat,
            begun=log,
            now=later(SOME_TIME, 13 + 20 * side),
            everybody=True,
        )
        for side, log in enumerate((case.first, case.second))
    ]
    async with AsyncExitStack() as stack:
        worlds = [await stack.enter_async_context(World(one, side)) for side, one in enumerate(settings)]
        lookers = ["seat", *(f"bystander {seat}" for seat in rng.sample(sorted(chairs), min(CHAIRS, len(chairs))))]
        for request in _looks(case.game, seats, lookers, case.seat):
            answers = [await world.ask(request) for world in worlds]
            crashed = [world.failures for world in worlds if world.failures]
            found = f"crashed: {crashed}" if crashed else difference(*(answer.told() for answer in answers))
            closed = request.path.endswith("/replay") and _asked_chair(request) in {*seats} - {*chairs}
            if found is None and closed and answers[0].status != 403:
                found = f"a closed chair is shown: {answers[0].status}"
            where = f"{request}, game {case.game}, open {', '.join(chairs)}"
            pairs.append(Pair(request.name, case, Difference(where, found) if found else None))
            if found:
                break
    return pairs


def _ruleset(log: Sequence[Recorded]) -> str:
    return str(getattr(log[0].event, "ruleset", ""))


def _asked_chair(request: Request) -> str | None:
    return parse_qs(request.query).get("as", [None])[0]


def _looks(game: str, seats: Sequence[str], lookers: Sequence[str], own: str | None) -> list[Request]:
    """Every look that a finished game opens, by a seat; and the list's and the status's words on it."""
    replay, text = f"{GAME}/replay".format(game=game), f"{GAME}/transcript".format(game=game)
    found = []
    for chair in lookers:
        for query in ("", "open=true", "everybody=true", *(f"as={quote(seat)}" for seat in seats)):
            found.append(Request("open replay", chair, "GET", replay, query))
        for query in ("open=true", "everybody=true", "format=html&open=true", "format=html&everybody=true"):
            found.append(Request("open transcript", chair, "GET", text, query))
        found.append(Request("open status", chair, "GET", GAME.format(game=game)))
        found.append(Request("open link", chair, "GET", "/v1/link"))
    for chair in ("spectator", "keeper"):
        found.append(Request("closed replay", chair, "GET", replay, "open=true"))
        found.append(Request("closed replay", chair, "GET", replay, f"as={quote(own or '')}"))
    return found
