"""Run the comparisons and count them.

One pair is one log, one seat, one prefix and one twin. Everything the seat gets at that prefix of the twin is compared
with what it got in the log, at the prefix that has the same visible events and ends with the last of them.
"""

from __future__ import annotations

import random
import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

import msgspec

from sottovoce.domain import commands
from sottovoce.domain.events import Event, Recorded, TurnOpened
from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import EXTRAS, craft_of
from sottovoce.isolation.craft import Craft, Manners, Plan, Played, Sent, Twin
from sottovoce.isolation.draws import generator
from sottovoce.isolation.games import play
from sottovoce.isolation.hands import plans
from sottovoce.isolation.matters import hidden, of_kinds, varied
from sottovoce.isolation.observe import Difference, Seen, Watcher, difference, first_apart, spectate
from sottovoce.isolation.redeal import reordered, resimulate
from sottovoce.isolation.served import Unlike, apart, inboxes_apart, served
from sottovoce.isolation.system import System
from sottovoce.isolation.variation import VARIATIONS, Item, Scene, numbered, pool_of

CROWDED = 0.06
"""The share of comparisons in which one system serves all seats."""
FORGED = 0.35
"""The share of seats for which forged speeches are tried."""
AGAIN = ("redeal", "dealt", "served")
"""The comparisons with replayed games: by the craft's plan, with other hands, in the real runner."""
UNSAID = (
    "Where the rules are to tell this of a hand, let the event carry it in its `facts`, "
    "or name the event in the craft's `shows`."
)
OFTEN = 24
"""How often a fact must be hidden in replayed games before it is reported as never varied."""
MOMENTS = 3
OTHERS = 11
"""How many prefixes of a twin to compare: with a turn open, and anywhere."""


class NoPlan(UserWarning):
    """Hidden facts were the same in every replayed game, or no game could be replayed."""

    def __init__(self, ruleset: str, kinds: Sequence[str]) -> None:
        which = f"with other facts of these kinds: {', '.join(kinds)}" if kinds else "behind a seat's back"
        super().__init__(
            f"No game of {ruleset} was played again {which}. A leak through what is asked, in what order and when, may "
            "stay unfound. Deal hands by game.deal, or let the craft have a plan: docs/adding-a-ruleset.md says how."
        )


@dataclass
class Tally:
    """How much was compared, by kind, and what could not be."""

    pairs: Counter[str] = field(default_factory=Counter)
    twins: Counter[str] = field(default_factory=Counter)
    discarded: Counter[str] = field(default_factory=Counter)
    games: int = 0
    hidden: Counter[str] = field(default_factory=Counter)
    varied: Counter[str] = field(default_factory=Counter)
    """For each kind of facts, how often a game was to be replayed for a seat that does not see them, and how often
    they differed."""

    @property
    def total(self) -> int:
        return self.pairs.total()

    @property
    def unvaried(self) -> list[str]:
        """Return the kinds of hidden facts that were the same in every game."""
        return sorted(kind for kind, times in self.hidden.items() if times >= OFTEN and not self.varied[kind])

    def count(self, checked: Checked) -> None:
        self.twins[checked.kind] += 1
        self.pairs[checked.kind] += checked.pairs
        self.hidden.update(checked.hidden)
        self.varied.update(checked.varied)
        if checked.discarded:
            self.discarded[checked.discarded] += 1


@dataclass(frozen=True)
class Checked:
    """The number of pairs compared, and the difference that ended the comparison, if any."""

    kind: str
    pairs: int
    finding: Difference | None = None
    discarded: str | None = None
    hidden: frozenset[str] = frozenset()
    varied: frozenset[str] = frozenset()


def run(
    system: System,
    craft: Craft,
    seed: int,
    pairs: int,
    *,
    kinds: Sequence[str] = (),
    tally: Tally | None = None,
    games: int | None = None,
) -> tuple[Tally, Difference | None]:
    """Compare at least that many pairs, or all of so many games, or up to the first finding.

    `kinds` restricts the comparisons (see `checks`). Warns about kinds of facts that no game varied (`NoPlan`).
    """
    tally = tally or Tally()
    given = "" if system == System(RULESETS.get(craft.name, system.ruleset)) else ", system=system"
    number = 0
    while tally.total < pairs and (games is None or number < games):
        game_seed = seed * 100_000 + number
        number += 1
        for checked in checks(system, craft, game_seed, kinds):
            tally.count(checked)
            if checked.finding is not None:
                return tally, replace(
                    checked.finding,
                    repeat=f"suite.again({craft.name!r}, seed={game_seed}, kinds={(checked.kind,)!r}{given})",
                )
            if tally.total >= pairs:
                break
        tally.games += 1
    if tally.unvaried or (tally.twins["again"] and not tally.pairs["redeal"] + tally.pairs["dealt"]):
        warnings.warn(NoPlan(craft.name, tally.unvaried), stacklevel=2)
    return tally, None


def checks(system: System, craft: Craft, seed: int, kinds: Sequence[str] = ()) -> Iterator[Checked]:
    """Yield all comparisons for one generated game, seat by seat. Each kind has its own random stream."""
    base = _base(system, craft, seed)
    ordered = craft.sealed and ("order" in kinds or (not kinds and seed % 3 == 0))
    order = play(system, craft, seed, QUIET) if ordered else None
    pool = pool_of(system.ruleset, [base.log])
    rng = generator(seed, "isolation", "checks")
    seats = list(base.seats)
    rng.shuffle(seats)

    listener = generator(seed, "listener").choice(base.seats)

    def wanted(kind: str) -> bool:
        return not kinds or kind in kinds

    if wanted("spectator"):
        yield from _spectator(system, base, pool, generator(seed, "spectator"))
    for seat in seats:
        few = generator(seed, "which", seat).sample(sorted(VARIATIONS), 3)
        varieties = [kind for kind in VARIATIONS if (kind in few or kind == "storm") and wanted(kind)]
        if varieties:
            yield from _varied(system, base, seat, pool, varieties, seed)
        if wanted("forged") and (kinds or generator(seed, "forge", seat).random() < FORGED):
            yield from _forged(system, base, seat, generator(seed, "forged", seat))
        once = ("served", "dealt") if has_plan(craft) else ("served",)
        again = [kind for kind in AGAIN if wanted(kind) and (kind not in once or seat == listener)]
        if again:
            yield from _redealt(system, base, seat, again)
    if order is not None:
        yield from _any_order(system, order, generator(seed, "order"))


def has_plan(craft: Craft) -> bool:
    """Return whether the craft itself plans how to replay games.

    If so, dealing hands again without its plan may reach less far.
    """
    return type(craft).plan is not Craft.plan


QUIET = Manners(invalid=0.06, timeout=0.12, unprompted=0, late=0)
"""Nobody speaks unasked: the order of replies could only move the moments of such messages."""


def again(ruleset: str, seed: int, kinds: Sequence[str] = (), system: System | None = None) -> Difference | None:
    """Repeat the comparisons of one generated game, as a finding's `repeat` line says.

    Without a system, use the product. For a planted leak you must pass its system.
    """
    for checked in checks(system or System(RULESETS[ruleset]), craft_of(ruleset), seed, kinds):
        if checked.finding:
            return checked.finding
    return None


def _items(log: Sequence[Recorded], visible: Sequence[bool]) -> list[Item]:
    return [Item(recorded, seen) for recorded, seen in zip(log, visible, strict=True)]


def asked_at(items: Sequence[Item], seat: str) -> list[int]:
    """Return lengths of the seat's view at which one of its turns has just opened."""
    asked, length = [], 0
    for item in items:
        length += item.visible
        if item.visible and isinstance(item.recorded.event, TurnOpened) and item.recorded.event.seat == seat:
            asked.append(length)
    return asked


def _moments(items: Sequence[Item], seat: str, rng: random.Random, most: int) -> list[int]:
    """Return lengths of the seat's view to compare: those with an open turn, and some others."""
    asked = asked_at(items, seat)
    length = sum(item.visible for item in items)
    chosen = set(rng.sample(asked, min(len(asked), most)))
    chosen.update(rng.randint(0, length) for _ in range(OTHERS))
    return sorted({*chosen, length})


def watch(
    system: System,
    items: Sequence[Item],
    seat: str,
    moments: Sequence[int],
    rng: random.Random | None,
    crowd: Sequence[str] = (),
) -> dict[int, Seen]:
    """Return what the seat gets at each of these lengths of its view: right after the last visible event, or with
    `rng` after some or all hidden events that follow. The `crowd` of other seats is served on the way."""
    prompts = system.prompts()
    watcher = Watcher(system, seat, prompts)
    others = {name: Watcher(system, name, prompts) for name in crowd if name != seat}
    looks = _looks(items, moments, rng)
    seen = {}
    if -1 in looks:
        seen[0] = watcher.see()
    for place, item in enumerate(items):
        watcher.take(item.recorded)
        for other in others.values():
            with suppress(Exception):  # a twin's events are real only for this seat; another may get nonsense
                other.take(item.recorded)
        if others and isinstance(item.recorded.event, TurnOpened) and item.recorded.event.seat in others:
            others[item.recorded.event.seat].see()
        if place in looks:
            seen[looks[place]] = watcher.see()
    return seen


def _looks(items: Sequence[Item], moments: Sequence[int], rng: random.Random | None) -> dict[int, int]:
    """Return the positions in the log after which to compare, with the length of the view there.

    Position -1 is before everything.
    """
    runs: dict[int, list[int]] = {0: [-1, -1]}
    length = 0
    for place, item in enumerate(items):
        if item.visible:
            length += 1
            runs[length] = [place, place]
        else:
            runs[length][1] = place
    looks = {}
    for moment in moments:
        if moment in runs:
            first, last = runs[moment]
            looks[first if rng is None else rng.choice((last, rng.randint(first, last)))] = moment
    return looks


def _compare(kind: str, seat: str, base: dict[int, Seen], twin: dict[int, Seen]) -> Checked:
    pairs = 0
    for length, seen in twin.items():
        pairs += 1
        found = difference(base[length], seen) if length in base else "the first game's view is shorter"
        if found:
            return Checked(kind, pairs, Difference(f"{kind}, seat {seat}, at {length} entries", found))
    return Checked(kind, pairs)


def _varied(
    system: System, base: Played, seat: str, pool: Sequence[Event], kinds: Sequence[str], seed: int
) -> Iterator[Checked]:
    items = _items(base.log, base.may_see(seat))
    scene = Scene(seat, base.seats, pool)
    rng = generator(seed, "moments", seat)
    moments = _moments(items, seat, rng, MOMENTS)
    crowd = base.seats if rng.random() < CROWDED else ()
    with system.patches():
        first = watch(system, items, seat, moments, None, crowd)
    for kind in kinds:
        rng = generator(seed, "variation", kind, seat)
        twin = numbered(VARIATIONS[kind](rng, scene, items))
        with system.patches():
            second = watch(system, twin, seat, moments, rng, crowd)
        yield _compare(kind, seat, first, second)


def _spectator(system: System, base: Played, pool: Sequence[Event], rng: random.Random) -> Iterator[Checked]:
    visible = [seats is None for seats in base.audiences]
    items = _items(base.log, visible)
    scene = Scene("", base.seats, pool)
    for kinds in (("edit",), ("drop", "insert", "reorder", "envelope")):
        twin = items
        for kind in kinds:
            twin = VARIATIONS[kind](rng, scene, twin)
        twin = numbered(twin)
        moments = sorted({0, *(rng.randint(0, sum(visible)) for _ in range(2)), sum(visible)})
        sides = []
        for side, chance in ((items, None), (twin, rng)):
            looks = _looks(side, moments, chance)
            with system.patches():
                sides.append(
                    {at: spectate(system, [i.recorded for i in side[: place + 1]]) for place, at in looks.items()}
                )
        yield _compare("spectator", "none", *sides)


KEPT = 50
"""Games and their twins to keep for the next system that plays them in the same way."""


def _base(system: System, craft: Craft, seed: int) -> Played:
    """Return the game of that seed; reuse one that another system has played, if it is the same."""
    shared = system.plays_as_the_product and _is_installed(craft)
    return _product_s(craft.name, seed) if shared else play(system, craft, seed)


def _is_installed(craft: Craft) -> bool:
    """Return whether the craft is the ruleset's own, and not a replacement."""
    installed = EXTRAS.of(craft.name).craft
    return installed is not None and type(installed()) is type(craft)


@lru_cache(maxsize=KEPT)
def _product_s(ruleset: str, seed: int) -> Played:
    return play(System(RULESETS[ruleset]), craft_of(ruleset), seed)


@dataclass(frozen=True)
class _Again:
    """A replayed game, and what the seat sees of the two."""

    plan: Plan
    twin: Twin
    checked: Checked


def _again(system: System, base: Played, seat: str, kind: str) -> Iterator[_Again]:
    """Replay the game by its craft's plan ("redeal"), or with other hands ("dealt")."""
    rng = generator(base.seed, kind, seat)
    planned = plans(system, base, seat, rng) if kind == "dealt" else [base.craft.plan(system, base, seat, rng)]
    for plan in planned:
        if plan is not None:
            twin = resimulate(system, base, plan, rng)
            yield _Again(plan, twin, _played_again(system, base, kind, plan, twin, rng))


def _every_again(system: System, base: Played, seat: str, kind: str) -> Iterable[_Again]:
    if system.shows_as_the_product and _is_installed(base.craft):
        return _product_s_again(base.craft.name, base.seed, seat, kind)
    return _again(system, base, seat, kind)


@lru_cache(maxsize=2 * KEPT)
def _product_s_again(ruleset: str, seed: int, seat: str, kind: str) -> tuple[_Again, ...]:
    return tuple(_again(System(RULESETS[ruleset]), _product_s(ruleset, seed), seat, kind))


def _redealt(system: System, base: Played, seat: str, wanted: Collection[str]) -> Iterator[Checked]:
    yield Checked("again", 0, hidden=of_kinds(hidden(system, base.log, seat)))
    longest = None
    for kind in ("redeal", "dealt"):
        if kind not in wanted and (longest is not None or "served" not in wanted):
            continue
        for again in _every_again(system, base, seat, kind):
            if kind in wanted:
                yield replace(again.checked, varied=varied(system, base.log, again.twin.log, seat))
                if again.checked.finding is not None:
                    return
            longest = again if longest is None or (kind == "dealt" and not again.twin.stuck) else longest
    if longest is None:
        yield Checked("redeal", 0, discarded="no other deal fits what the seat knows")
    elif "served" in wanted and longest.checked.finding is None:
        yield _served(system, base, longest.plan, longest.twin, generator(base.seed, "served", seat))


def _played_again(system: System, base: Played, kind: str, plan: Plan, twin: Twin, rng: random.Random) -> Checked:
    seat = plan.seat
    first = as_shown(system, base.log, seat)
    second = timed_like(first, as_shown(system, twin.log, seat), rng)
    reached = _reached(plan, twin, first, second)
    moments = {at for at in _moments(first, seat, rng, MOMENTS + 3) if at < reached} | {reached}
    crowd = base.seats if rng.random() < CROWDED * 2 else ()
    with system.patches():
        sides = (
            watch(system, first, seat, sorted(moments), None, crowd),
            watch(system, second, seat, sorted(moments), rng, crowd),
        )
    checked = _compare(kind, f"{seat} ({plan.changed})", *sides)
    lengths = [sum(item.visible for item in side) for side in (first, second)]
    if checked.finding is None and plan.again is not None and lengths[0] != lengths[1]:
        longer = first if lengths[0] > lengths[1] else second
        more = [item.recorded.event for item in longer if item.visible][min(lengths)]
        what = f"{lengths[0]} entries against {lengths[1]}; the first one too many is {more}"
        return replace(checked, finding=Difference(f"{kind}, seat {seat} ({plan.changed})", what))
    if checked.finding is not None and kind == "dealt":
        return replace(checked, finding=replace(checked.finding, what=f"{checked.finding.what}\n  {UNSAID}"))
    if checked.finding is None and twin.stuck and not (kind == "dealt" and has_plan(base.craft)):
        return replace(checked, discarded=twin.stuck)
    return checked


def _reached(plan: Plan, twin: Twin, *sides: Sequence[Item]) -> int:
    """Return how much of the two views can be compared."""
    lengths = [plan.until, *(sum(item.visible for item in side) for side in sides)]
    return min(lengths if twin.comparable is None else (*lengths, twin.comparable))


def _served(system: System, base: Played, plan: Plan, twin: Twin, rng: random.Random) -> Checked:
    """Play the two games in the real runner, each with its own clock: what the seat's agent gets, call by call."""
    seat = plan.seat
    reached = _reached(plan, twin, *(as_shown(system, log, seat) for log in (base.log, twin.log)))
    where = f"served, seat {seat} ({plan.changed})"
    try:
        one = served(system, base.craft, base.log[0].game, seat, base.sent, nullcontext, rng)
        with plan.throughout():
            two = served(system, base.craft, twin.log[0].game, seat, _from_the_same_seed(base, twin), plan.opening, rng)
    except Unlike as unlike:
        return Checked("served", 1, Difference(where, f"raised {unlike}"))
    for seq in sorted({*one.inboxes} & {*two.inboxes}):
        found = inboxes_apart(one.inboxes[seq], two.inboxes[seq]) if seq < reached else None
        if found:
            return Checked("served", 1, Difference(f"{where}, inbox at {seq} entries", found))
    lasted = [base.craft.spans(side.log, seat) for side in (one, two)]
    for seq in sorted({*lasted[0]} & {*lasted[1]}):
        if seq <= reached and lasted[0][seq] != lasted[1][seq]:
            what = f"{lasted[0][seq]:g} seconds against {lasted[1][seq]:g}"
            return Checked("served", 1, Difference(f"{where}, up to {seq} entries", what))
    calls = [[call for call in side.handed if call.seq <= reached] for side in (one, two)]
    for number, (mine, theirs) in enumerate(zip(*calls, strict=False), 1):
        found = apart(mine, theirs)
        if found:
            return Checked("served", number, Difference(f"{where}, call {number} at {mine.seq} entries", found))
    fewer, longer = sorted(calls, key=len)
    over = [call for call in longer[len(fewer) :] if call.seq < reached]
    if over:
        return Checked("served", len(longer), Difference(where, f"called {len(over)} times more, for {over[0].turn}"))
    return Checked("served", len(fewer))


def _from_the_same_seed(base: Played, twin: Twin) -> list[Sent]:
    """Return the second game's commands, opened with the first one's seed, because a seat's random stream is its own
    secret."""
    opening, first = twin.sent[0].command, base.sent[0].command
    assert isinstance(opening, commands.Open)
    assert isinstance(first, commands.Open)
    return [replace(twin.sent[0], command=opening.but(seed=first.seed)), *twin.sent[1:]]


def timed_like(first: Sequence[Item], second: Sequence[Item], rng: random.Random) -> list[Item]:
    """Return the second game with the first one's minutes, because others' time is not part of the comparison."""
    times = [item.recorded.at for item in first if item.visible]
    timed, length = [], 0
    for item in second:
        length += item.visible
        at = times[min(max(length, 1), len(times)) - 1].replace(second=rng.randrange(60))
        timed.append(Item(msgspec.structs.replace(item.recorded, at=at), item.visible))
    return timed


def as_shown(system: System, log: Sequence[Recorded], seat: str) -> list[Item]:
    """Return the log with what the system itself lets the seat see."""
    watcher = Watcher(system, seat)
    items = []
    with system.patches():
        for recorded in log:
            before = watcher.seq
            watcher.take(recorded)
            items.append(Item(recorded, watcher.seq > before))
    return items


def _any_order(system: System, base: Played, rng: random.Random) -> Iterator[Checked]:
    """Only the order of replies differs, and every seat sees the same, not just one."""
    twin = reordered(system, base, rng)
    for name in base.seats:
        first = as_shown(system, base.log, name)
        second = timed_like(first, as_shown(system, twin.log, name), rng)
        reached = min(sum(item.visible for item in side) for side in (first, second))
        with system.patches():
            sides = [watch(system, side, name, sorted({reached // 2, reached}), None) for side in (first, second)]
        yield replace(_compare("order", name, *sides), discarded=twin.stuck)


def _forged(system: System, base: Played, seat: str, rng: random.Random) -> Iterator[Checked]:
    """Whatever others say, the lines in the game's own voice stay the same."""
    items = _items(base.log, base.may_see(seat))
    moments = _moments(items, seat, rng, 3)
    twin = []
    for item in items:
        event = base.craft.forged(item.recorded.event, seat, rng) if item.visible else None
        twin.append(Item(msgspec.structs.replace(item.recorded, event=event), True) if event else item)
    with system.patches():
        sides = [watch(system, side, seat, moments, None) for side in (items, twin)]
    pairs = 0
    for moment in sides[0]:
        one, other = (side[moment] for side in sides)
        if one.error or other.error:
            raised = Difference(f"forged, seat {seat}, at {moment} entries", f"raised {one.error or other.error}")
            yield Checked("forged", pairs + 1, raised)
            return
        for mine, theirs in zip(one.asked, other.asked, strict=True):
            if LEFT_OUT in mine.prompt + theirs.prompt:
                continue
            pairs += 1
            found = first_apart(*(own_voice(asked.prompt, base.craft.catalogues) for asked in (mine, theirs)))
            if found:
                where = f"forged, seat {seat}, {mine.turn.kind} turn at {moment} entries"
                yield Checked("forged", pairs, Difference(where, found))
                return
    yield Checked("forged", pairs)


LEFT_OUT = "(earlier events left out)"


def own_voice(prompt: str, catalogues: tuple[str, ...] = ()) -> list[str]:
    """Return the lines of a prompt without quoted text. Anything that a reader may take for a line break counts as one.

    Lines that begin like one of the `catalogues` only list what is quoted below them, as far as there is room.
    """
    lines = [line for line in prompt.splitlines() if not line.startswith(("> ", *catalogues))]
    return [re.sub("«[^«»]*»", "«»", line) for line in lines]
