"""Make twins of a log that differ only in what one seat must not see.

A twin is a list of events, each visible or hidden, with the visible ones in the same order as before.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from sottovoce.domain.audience import EVERYONE, NOBODY, Audience, only
from sottovoce.domain.events import CORE_EVENTS, Event, GameOpened, Recorded
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.typed import converted


class Item(NamedTuple):
    """One event of a log or twin, and whether the seat can see it."""

    recorded: Recorded
    visible: bool


@dataclass(frozen=True)
class Scene:
    """What a variation can use: the seat, all seats, and plausible events."""

    seat: str
    seats: tuple[str, ...]
    pool: Sequence[Event]

    def audience(self, rng: random.Random) -> Audience:
        """Return some other seats, or nobody."""
        others = [seat for seat in self.seats if seat != self.seat]
        return rng.choice((NOBODY, only(rng.choice(others)), only(rng.sample(others, rng.randint(1, len(others))))))


Variation = Callable[[random.Random, Scene, list[Item]], list[Item]]


def pool_of(ruleset: Ruleset[Any], logs: Sequence[Sequence[Recorded]]) -> list[Event]:
    """Return events to insert: one example of every class, and what happened in some games."""
    examples = [cls.sample() for cls in (*CORE_EVENTS, *ruleset.events)]
    return examples + [item.event for log in logs for item in log]


def drop(rng: random.Random, scene: Scene, items: list[Item]) -> list[Item]:
    """Remove some or all hidden events."""
    share = rng.choice((0.1, 0.5, 1.0))
    return [item for item in items if item.visible or rng.random() >= share]


def insert(rng: random.Random, scene: Scene, items: list[Item]) -> list[Item]:
    """Insert events that the seat can't see: for others, or for nobody, also before its first event and after its
    last."""
    twin = list(items)
    model = items[0].recorded
    for _ in range(rng.randint(1, 12)):
        at = rng.choice((0, len(twin), rng.randint(0, len(twin))))
        event = varied(rng, scene, rng.choice(scene.pool))
        moment = twin[min(at, len(twin) - 1)].recorded.at
        twin.insert(at, Item(_enveloped(model, event, scene.audience(rng), moment, rng), False))
    return twin


def edit(rng: random.Random, scene: Scene, items: list[Item]) -> list[Item]:
    """Change what happened where the seat can't see it."""
    share = rng.choice((0.15, 0.6, 1.0))
    twin = []
    for item in items:
        if not item.visible and rng.random() < share:
            edited = _edited(rng, scene, item)
            # What was public before the seat joined must not become the opening that seats it, which the seat sees.
            seats_it = isinstance(edited.recorded.event, GameOpened) and edited.recorded.audience.includes(scene.seat)
            item = item if seats_it else edited
        twin.append(item)
    return twin


def reorder(rng: random.Random, scene: Scene, items: list[Item]) -> list[Item]:
    """Move hidden events to other places. What was public before the seat joined stays before it."""
    hidden = [item for item in items if not item.visible]
    rng.shuffle(hidden)
    twin = [item for item in items if item.visible]
    before = 0
    for item in hidden:
        if item.recorded.audience.seats is None:
            twin.insert(rng.randint(0, before), item)
            before += 1
        else:
            place = rng.randint(0, len(twin))
            before += place < before
            twin.insert(place, item)
    return twin


def recipients(rng: random.Random, scene: Scene, items: list[Item]) -> list[Item]:
    """Change the audience of every event among the other seats; of public ones, to some of them."""
    return _retold(rng, scene, items, 0.5)


def confidants(rng: random.Random, scene: Scene, items: list[Item]) -> list[Item]:
    """Change who was told of what is not public."""
    return _retold(rng, scene, items, 0)


def _retold(rng: random.Random, scene: Scene, items: list[Item], narrowed: float) -> list[Item]:
    twin = []
    for recorded, visible in items:
        audience = scene.audience(rng)
        if visible:
            public = recorded.audience.seats is None
            kept = public and (isinstance(recorded.event, GameOpened) or rng.random() >= narrowed)
            audience = EVERYONE if kept else only(scene.seat, audience.seats or ())
        twin.append(Item(_placed(recorded, recorded.position, audience), visible))
    return twin


def envelope(rng: random.Random, scene: Scene, items: list[Item]) -> list[Item]:
    """Change the actors, causes, append IDs, game ID, salts and hashes of hidden events, and the seconds within the
    minute."""
    game = f"m-{rng.getrandbits(24):06x}"
    twin = []
    for recorded, visible in items:
        seconds = recorded.at.replace(second=rng.randrange(60), microsecond=rng.randrange(10**6))
        twin.append(
            Item(
                msgspec.structs.replace(
                    recorded,
                    game=game,
                    append=f"{rng.getrandbits(32):08x}",
                    at=seconds if visible else seconds + timedelta(minutes=rng.randint(-2, 2)),
                    actor=recorded.actor if visible else rng.choice((None, *scene.seats)),
                    cause=rng.choice((None, rng.randrange(1, 400))),
                    salt=rng.randbytes(16),
                    hash=rng.randbytes(32),
                ),
                visible,
            )
        )
    return twin


def early(rng: random.Random, scene: Scene, items: list[Item]) -> list[Item]:
    """Make something public before the seat joined, even if others were told of its coming."""
    model = items[0].recorded
    public = [event for event in scene.pool if not isinstance(event, GameOpened)]
    before = [
        Item(_enveloped(model, rng.choice(public), EVERYONE, model.at, rng), False) for _ in range(rng.randint(1, 3))
    ]
    if rng.random() < 0.3:
        opening = next(item.recorded.event for item in items if isinstance(item.recorded.event, GameOpened))
        before.insert(0, Item(_enveloped(model, opening, scene.audience(rng), model.at, rng), False))
    return before + items


def storm(rng: random.Random, scene: Scene, items: list[Item]) -> list[Item]:
    """Do all of these at once."""
    for variation in (early, drop, edit, insert, reorder, recipients, envelope):
        if rng.random() < 0.75:
            items = variation(rng, scene, items)
    return items


VARIATIONS: dict[str, Variation] = {
    "drop": drop,
    "insert": insert,
    "edit": edit,
    "reorder": reorder,
    "recipients": recipients,
    "envelope": envelope,
    "early": early,
    "storm": storm,
}


def numbered(items: Sequence[Item]) -> list[Item]:
    """Renumber the positions 1, 2, 3 …"""
    return [
        item if item.recorded.position == place else Item(_placed(item.recorded, place), item.visible)
        for place, item in enumerate(items, 1)
    ]


def _placed(item: Recorded, position: int, audience: Audience | None = None) -> Recorded:
    """Return the event at another position, or for others.

    Written out because `replace` takes several times as long.
    """
    return Recorded(
        item.game,
        position,
        item.append,
        item.name,
        item.at,
        item.actor,
        audience or item.audience,
        item.cause,
        item.body,
        item.salt,
        item.hash,
        item.event,
    )


def varied(rng: random.Random, scene: Scene, event: Event) -> Event:
    """Return another event of the same class with other plausible content; of the same kind, if no other kind has
    it."""
    data: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for name, annotation in _annotations(type(event)):
        data[name] = plausible(rng, scene, annotation, getattr(event, name))
        kept |= {name: getattr(event, name)} if _literals(annotation) else {}
    for content in (data, data | kept):
        with suppress(msgspec.ValidationError):
            found: Event = converted(content, type(event))
            return found
    return event


@cache
def _annotations(kind: type[Event]) -> tuple[tuple[str, Any], ...]:
    """Return the fields of an event class with their types."""
    return tuple((name, hint) for name, hint in get_type_hints(kind).items() if name in kind.__struct_fields__)


def plausible(rng: random.Random, scene: Scene, annotation: Any, value: Any) -> Any:
    """Return another value of the same kind: seats for seats, a literal for a literal, a canary for words."""
    if isinstance(value, str):
        literals = [arg for arg in _literals(annotation) if arg != value]
        if literals:
            return rng.choice(literals)
        if value in scene.seats or (len(value) < 12 and rng.random() < 0.5):
            return rng.choice(scene.seats)
        return f"canary {rng.getrandbits(32):08x}\n{rng.choice(scene.seats)}"
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.randrange(0, 12)
    if isinstance(value, datetime):
        return value + timedelta(seconds=rng.randrange(1, 900))
    if isinstance(value, dict):
        inner = (get_args(annotation) or (Any, Any))[-1]
        if inner is Any:
            return value
        return {rng.choice(scene.seats): plausible(rng, scene, inner, item) for item in value.values()}
    if isinstance(value, tuple):
        return tuple(plausible(rng, scene, (get_args(annotation) or (Any,))[0], item) for item in value)
    if value is None and rng.random() < 0.5 and str in get_args(annotation):
        return rng.choice(scene.seats)
    return value


def _literals(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(value for arg in get_args(annotation) for value in _literals(arg))


def _edited(rng: random.Random, scene: Scene, item: Item) -> Item:
    recorded = item.recorded
    event = varied(rng, scene, recorded.event)
    if rng.random() < 0.3:
        event = varied(rng, scene, rng.choice(scene.pool))
    return Item(
        msgspec.structs.replace(recorded, name=event.stored_name, event=event, actor=event.actor, body=event.encoded()),
        False,
    )


def _enveloped(model: Recorded, event: Event, audience: Audience, at: datetime, rng: random.Random) -> Recorded:
    return Recorded(
        game=model.game,
        position=1,
        append=f"{rng.getrandbits(32):08x}",
        name=event.stored_name,
        at=at,
        actor=event.actor,
        audience=audience,
        cause=None,
        body=event.encoded(),
        salt=rng.randbytes(16),
        hash=rng.randbytes(32),
        event=event,
    )
