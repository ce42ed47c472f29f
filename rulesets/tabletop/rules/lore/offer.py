"""What a game master with a small window can choose from in its turn.

    offer = offered(state, 8, asks=True, opens=True)

A table goes like this: somebody speaks of a person or place, the game master looks it up, and tells what it found. So a
lookup is offered where it brings something, and facts are offered once they have been looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.rules.documents import rebuild
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.known import Known, found_by
from sottovoce.rulesets.tabletop.rules.lore.language import stems
from sottovoce.rulesets.tabletop.rules.lore.lookup import gate_of, known_to, rolled_for
from sottovoce.rulesets.tabletop.rules.names import GM
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State

ROLLED = ("check", "insight")
"""The gates that a roll opens."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be chosen, the nearest to what was said first.

    `tell` are facts that are open. `names` are people, places and things of which a lookup shows open facts that are
    not among those; `roll` facts that a check would open; `documents` those that have more to read than facts. `meant`
    is whether there are open facts of what was spoken of.
    """

    tell: tuple[Fact, ...] = ()
    names: tuple[str, ...] = ()
    roll: tuple[Fact, ...] = ()
    documents: tuple[str, ...] = ()
    meant: bool = False


def offered(state: State, most: int, *, asks: bool, opens: bool) -> Offer:
    """Return what a game master can choose from now, at most so many of each.

    `asks` and `opens` are whether another question (facts, a check) and another document fit into the turn.
    """
    return _Table(state, most).offer(asks, opens)


class _Table:
    """What was spoken of and looked up in a turn, and what there is to tell of it."""

    def __init__(self, state: State, most: int) -> None:
        self.state, self.most = state, most
        self.known: Known = known_to(state)
        world = self.known.world
        fresh = [fact for fact in world.facts.values() if fact.id not in self.known.memory.told]
        self.open = [fact for fact in fresh if rolled_for(state, fact) or gate_of(self.known, fact) is None]
        self.shut = [fact for fact in fresh if fact.gate in ROLLED and not rolled_for(state, fact)]
        self.seen = frozenset(name.partition(": ")[0] for name, _ in state.gm_turn.opened)
        told = (world.facts[key].owner for key in reversed(self.known.memory.told) if key in world.facts)
        self.last = next((self._whole(owner).id for owner in told), "")
        own = [act.text for act in state.acts if state.persons_character in (None, act.character)]
        self.line = stems("\n".join(own))
        self.topics = self._topics()

    def offer(self, asks: bool, opens: bool) -> Offer:
        about = [fact for fact in self.open if self._spoken_of(fact)]
        facts = self._nearest(about or self.open)
        near = [each.id for each in self.topics] or [self.last]
        roll = [fact for fact in self._nearest(self.shut) if asks and self._whole(fact.owner).id in near]
        subjects = self.topics or self._heard()
        waiting = {self._whole(fact.owner).id for fact in facts} - {each.id for each in subjects if self._read(each)}
        names = [each.name for each in subjects if asks and each.id in waiting]
        documents = [path for each in subjects if opens for path in self._documents(each)]
        tell = facts
        if about and (names or documents):  # what was spoken of is looked up first
            tell = [fact for fact in about if self._read(self._whole(fact.owner)) or rolled_for(self.state, fact)]
            tell = self._nearest(tell)
        return Offer(
            tuple(tell[: self.most]),
            tuple(names[: self.most]),
            () if self._has_rolled() else tuple(roll[: self.most]),
            tuple(dict.fromkeys(documents))[: self.most],
            bool(about),
        )

    def _topics(self) -> list[Entity]:
        """Who and what was looked up in this turn, and was named; where nobody has spoken yet, a place that the party
        has heard of."""
        every = list(self.known.world.entities.values())
        read = [each for each in every if self._read(each)]
        named = found_by("\n".join(act.text for act in self.state.acts), every)
        if not self.state.acts:
            places = [each for each in every if each.kind == "place"]
            named = [each for each in places if each.id in self.known.names][:1] or places[:1]
        return list(
            dict.fromkeys(self._whole(each.id) for each in (*read, *(named or ([] if read else self._meant()))))
        )

    def _meant(self) -> list[Entity]:
        """Those that the party has heard of whose open facts have the most words of the person's line."""
        shared: dict[Entity, frozenset[str]] = {}
        for fact in self.open:
            whole = self._whole(fact.owner)
            if whole.id in self.known.names:
                shared[whole] = shared.get(whole, frozenset()) | (self.line & stems(fact.text))
        most = max(map(len, shared.values()), default=0)
        found = [whole for whole, words in shared.items() if most and len(words) == most]
        return sorted(found, key=lambda each: each.id != self.last)

    def _whole(self, owner: str) -> Entity:
        """The place that a part belongs to; anything else itself."""
        entity = self.known.world.entities[owner]
        return self.known.world.entities[entity.parent or owner]

    def _spoken_of(self, fact: Fact) -> bool:
        return self._whole(fact.owner) in self.topics

    def _nearest(self, facts: Iterable[Fact]) -> list[Fact]:
        """The facts by how near they are: what a roll has opened, what was spoken of, what has words of the line."""
        named = "\n".join(act.text for act in self.state.acts)
        parts = {each.id for each in found_by(named, self.known.world.entities.values())}
        order = {each.id: rank for rank, each in enumerate(self.topics)}

        def rank(fact: Fact) -> tuple[bool, int, bool, int, bool, bool]:
            whole = self._whole(fact.owner).id
            return (
                not rolled_for(self.state, fact),
                order.get(whole, len(order)),
                fact.owner not in parts,
                -len(self.line & stems(fact.text)),
                whole != self.last,
                whole not in self.known.names,
            )

        return sorted(facts, key=rank)

    def _heard(self) -> list[Entity]:
        """Whom and what the party has heard of, for a line that speaks of nothing."""
        whole = [each for each in self.known.world.entities.values() if each.kind != "part"]
        heard = [each for each in whole if each.id in self.known.names] or whole
        return sorted(heard, key=lambda each: each.id != self.last)

    def _read(self, entity: Entity) -> bool:
        """Whether its facts, or a document of it, were looked up in this turn."""
        return entity.name in self.seen or any(path in self.seen for path in self._papers(entity))

    def _papers(self, entity: Entity) -> Sequence[str]:
        """The documents that have the entity's facts."""
        owners = [entity, *(self.known.world.parts(entity.id) if entity.kind == "place" else ())]
        facts = (fact for owner in owners for fact in self.known.world.of.get(owner.id, ()))
        return [*dict.fromkeys(fact.id.rpartition(":")[0] for fact in facts)]

    def _documents(self, entity: Entity) -> Iterable[str]:
        """Its documents that the game master can read, were not opened in this turn, and have more than facts."""
        for path in self._papers(entity):
            pieces = self.state.documents.get(path, ())
            if path not in self.seen and all(GM in piece.readers for piece in pieces) and self._has_more(path):
                yield path

    def _has_more(self, path: str) -> bool:
        lines = rebuild(self.state.documents.get(path, ())).splitlines()
        written = {number for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")}
        facts = (key.rpartition(":") for key in self.known.world.facts)
        return bool({str(number) for number in written} - {at.partition(".")[0] for of, _, at in facts if of == path})

    def _has_rolled(self) -> bool:
        """Whether there was a check in this turn. Another one is for another turn, so that no roll is repeated."""
        return any(name.rpartition(" by ")[2] in self.state.played for name in self.seen)
