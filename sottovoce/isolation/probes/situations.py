"""Situations: cases in which a seat is in a state that the kit wants to visit.

Games are played with marks in every text. From some games the kit takes the moments whose states have been visited
least, so a run of a few dozen visits every state, both in redealt games and in games with changed hidden events. Games
that are on hold or aborted are made on purpose; each world decides separately what stops them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import count

import msgspec

from sottovoce.domain import commands
from sottovoce.domain.events import Draft, Recorded, SeatsFilled
from sottovoce.domain.game import fold
from sottovoce.isolation import suite
from sottovoce.isolation.cases import Case, case_of, changed, stopped_at, storable
from sottovoce.isolation.craft import Played
from sottovoce.isolation.draws import generator
from sottovoce.isolation.games import recorded
from sottovoce.isolation.probes.moments import Game, Moment, product_s
from sottovoce.isolation.probes.states import STATES, Glance, states_at
from sottovoce.isolation.system import System
from sottovoce.isolation.variation import Item, confidants, drop, edit, envelope, insert, reorder

GAMES = 9
"""Games among whose moments situations are chosen."""
TAKEN = 24
"""Moments chosen among that many games."""
SOUND = 3
"""After this many moments comes one at which commands can be sent."""

TIRING = 0.9
"""Factor for the value of a game's moments after each chosen one."""

PUBLIC = 5
"""One in this many moments is the public's."""

STOPS: Mapping[str, frozenset[str]] = {
    "void": frozenset({"over", "void"}),
    "on hold": frozenset({"over", "void", "on hold"}),
}
"""How a game is stopped, and the states in which it can't be."""

KEPT = 6
"""Searches whose situations are kept for the next one that begins with them."""

Visits = Counter[tuple[str, bool | None]]
"""How often each state was visited by seats, in redealt and in other games, and by the public; and how often each
game was."""


@dataclass(frozen=True)
class Situation:
    """A case, and the states of its seat in both worlds. `played` means that both logs were made by the rules.

    `base` is the original game. The first log is the beginning of that game's log, or continues from there.
    """

    case: Case
    states: frozenset[str]
    played: bool
    base: Played

    def __str__(self) -> str:
        return f"{self.case.how}; {', '.join(sorted(self.states)) or 'nothing special'}"


def situations(ruleset: str, seed: int, system: System | None = None) -> Iterator[Situation]:
    """Yield situations endlessly, from the product's games or from those that the system plays."""
    if system is not None:
        yield from _situations(ruleset, seed, system)
        return
    found, more = _product_s(ruleset, seed)
    for number in count():
        if number == len(found):
            found.append(next(more))
        yield found[number]


@lru_cache(maxsize=KEPT)
def _product_s(ruleset: str, seed: int) -> tuple[list[Situation], Iterator[Situation]]:
    """Yield the situations of the product's games: those already found, then new ones."""
    return [], _situations(ruleset, seed, None)


def _situations(ruleset: str, seed: int, system: System | None) -> Iterator[Situation]:
    visits: Visits = Counter()
    for batch in count():
        seeds = [seed * 100_000 + number for number in range(batch * GAMES, (batch + 1) * GAMES)]
        games = [product_s(ruleset, one) if system is None else Game(system, ruleset, one) for one in seeds]
        left = [moment for game in games for moment in game.moments]
        rng = generator(seed, "situations", ruleset, batch)
        for turn in range(min(TAKEN, len(left))):
            public = [one for one in left if one.seat is None] if turn % PUBLIC == 1 else []
            moment = _best(public or left, visits, rng)
            left.remove(moment)
            found = list(_situations_at(moment, rng, visits))
            if turn % SOUND == 0:
                found += _sound(games[turn // SOUND % GAMES], rng)
            for situation in found:
                kind = situation.played if situation.case.seat else None
                visits.update((state, kind) for state in situation.states)
                visits[moment.game.name, None] += 1
                yield situation


def _best(moments: Sequence[Moment], visits: Visits, rng: random.Random) -> Moment:
    """Return the moment whose states were visited least.

    Whether a game can be dealt again is checked only where it matters, because that takes two more games.
    """
    most = {
        id(one): max(_worth(one, visits, kind) for kind in ((False, True) if one.seat else (None,))) for one in moments
    }
    best, found = -1.0, moments[0]
    for moment in sorted(moments, key=lambda one: (-most[id(one)], rng.random())):
        if most[id(moment)] <= best:
            break
        worth = _worth(moment, visits, moment.dealt if moment.seat else None)
        if worth > best:
            best, found = worth, moment
    return found


def _worth(moment: Moment, visits: Visits, kind: bool | None) -> float:
    tired = TIRING ** visits[moment.game.name, None]
    return tired * sum(1 / (1 + visits[state, kind]) ** 5 for state in _promised(moment))


def _promised(moment: Moment) -> frozenset[str]:
    """Return the states that can be visited from a moment."""
    if not moment.stops:
        return moment.states
    fallen = {f"{how} with fallbacks in it" for how in STOPS} if "others fell back" in moment.states else set()
    return moment.states | (STOPS.keys() | fallen) & {*STATES}


def _situations_at(moment: Moment, rng: random.Random, visits: Visits) -> Iterator[Situation]:
    case = _dealt(moment, moment.seen) if moment.dealt else None
    made = Situation(case or _varied(moment, rng), moment.states, case is not None, moment.game.base)
    yield made
    for how, never in STOPS.items():
        seldom = rng.random() < 1 / (1 + visits[how, made.played]) ** 2
        if moment.stops and not moment.states & never and seldom:
            stopped = _stopped(moment.game.system, made, how)
            if stopped is not None:
                yield stopped


def _dealt(moment: Moment, length: int) -> Case:
    """Return the case of a redealt game at that length of the seat's view."""
    redealt, game = moment.redealt, moment.game
    assert redealt is not None
    assert moment.seat is not None
    sides = redealt.first, redealt.second
    return _filled_alike(stopped_at(game.system, game.base, moment.seat, *sides, length, redealt.plan))


def _filled_alike(case: Case) -> Case:
    """Return the case with the same agents in both worlds, because a keeper knows them."""
    agents = next(item.event.agents for item in case.first if isinstance(item.event, SeatsFilled))
    second = []
    for item in case.second:
        event = item.event.but(agents=agents) if isinstance(item.event, SeatsFilled) else item.event
        second.append(msgspec.structs.replace(item, event=event, body=event.encoded()))
    return replace(case, second=second)


def _sound(game: Game, rng: random.Random) -> Iterator[Situation]:
    """Return a situation in which a seat can say something, if there is one."""
    for seat in rng.sample(game.seats, len(game.seats)):
        redealt = game.redealt(seat)
        if redealt is None:
            continue
        lengths = [length for length in suite.asked_at(redealt.first, seat) if redealt.reaches(length)]
        for length in rng.sample(lengths, min(4, len(lengths))):
            case = _dealt(Moment(game, len(game.base.log), seat, frozenset(), stops=False), length)
            if case.sound and case.asked:
                states = frozenset(states_at(game.base.craft, Glance(game.system.ruleset, case.first, seat)))
                yield Situation(case, states, True, game.base)
                return


def _varied(moment: Moment, rng: random.Random) -> Case:
    """Return the case of a game whose hidden events were changed."""
    base, system, seat = moment.game.base, moment.game.system, moment.seat
    seen = [seats is None for seats in base.audiences] if seat is None else base.may_see(seat)
    items = [Item(*pair) for pair in zip(base.log, seen, strict=True)][: moment.length]
    changes = (drop, edit, insert, reorder, *(() if seat is None else (confidants, envelope)))
    twin = changed(system, base, seat or "", items, rng, changes)
    return case_of(system, base, seat, items, twin, "hidden events changed" if seat else "in public")


def _stopped(system: System, made: Situation, how: str) -> Situation | None:
    """Return the situation after an agent with an open turn became unreachable.

    Each world decides that separately, if its log was made by the rules. Return None if no one has an open turn.
    """
    case, craft = made.case, made.base.craft
    sides = (case.first, case.second)
    at = max(log[-1].at for log in sides) + timedelta(seconds=1)
    with system.patches():
        decided = [_halted(system, log, at, void=how == "void") for log in sides[: 2 if made.played else 1]]
    if not all(decided):
        return None
    append = f"{case.game}-{how}"
    more = [_with(log, drafts, append, at) for log, drafts in zip(sides, (decided * 2)[:2], strict=True)]
    logs = [storable(case.game, [Item(item, True) for item in log]) for log in more]
    glances = [Glance(system.ruleset, log, case.seat) for log in logs]
    how = f"{case.how}, then {how}"
    seq = len(glances[0].view.entries)
    stopped = replace(case, first=logs[0], second=logs[1], seq=seq, how=how, sound=False, asked=False)
    return Situation(stopped, frozenset(states_at(craft, glances[0])), made.played, made.base)


def _with(log: Sequence[Recorded], drafts: Sequence[Draft], append: str, at: datetime) -> list[Recorded]:
    game, length = log[0].game, len(log)
    return [*log, *(recorded(draft, game, length + n, append, at, None) for n, draft in enumerate(drafts, 1))]


def _halted(system: System, log: Sequence[Recorded], at: datetime, *, void: bool) -> Sequence[Draft]:
    state = fold(system.ruleset, [item.event for item in log])
    if not state.turns:
        return ()
    seat, number = max(state.turns)
    return system.decide(system.ruleset, state, commands.Halt(at, seat, number, void=void))
