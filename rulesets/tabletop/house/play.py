"""An open evening at one turn, which the effects of acts, the drama and the people who come up all work on."""

from __future__ import annotations

from dataclasses import dataclass

from sottovoce.rulesets.tabletop.house.table import GmTable
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.events import DiceRolled
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact, World
from sottovoce.rulesets.tabletop.rules.lore.known import Known
from sottovoce.rulesets.tabletop.rules.lore.language import ended
from sottovoce.rulesets.tabletop.rules.lore.memory import Memory

HOSTILE = -4
"""The liking at which somebody does not speak to the party any more."""
WARM = 2
"""Liking from which somebody is glad to see the party again, or, below nothing, is not."""
OFFICE_NAMES = frozenset({"unnamed"})


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@dataclass(slots=True)
class Roll:
    """A roll that an act needs: whose, for which skill, under what name it is recorded, and against what."""

    who: str
    skill: str
    check: str
    dc: int | None


class Play:
    """An open evening at one turn: what is known and remembered, and what is being told."""

    def __init__(self, table: GmTable, world: World, known: Known, memory: Memory) -> None:
        self.table, self.world, self.known, self.memory = table, world, known, memory
        self.since = table.ledger.turned
        self.changed = False
        self.productive = False
        self.asked: dict[str, str] = {}
        self.counsel: list[str] = []
        self.read: dict[int, list[Act]] = {}
        self.fight: tuple[str, str] | None = None
        self.over = False
        self.spoke = False
        self.stirred: str = ""
        self.manner = "cooperative"
        self.doer = ""
        self.more = False
        self.failed = False
        state = table.state
        self.personal = state.has_human and not state.alone and state.character in state.played

    # memory and words

    def note(self, line: str) -> None:
        self.memory.apply(line)
        self.table.progress.append(f"- {line}")
        self.changed = True
        if line.partition(" ")[0] in ("told", "met", "at", "carries", "lost", "here", "away", "by"):
            self.known.moved()

    def line(self, topic: str, **slots: str) -> str:
        return self.table.line(topic, **slots)

    def fresh(self, topic: str, **slots: str) -> str:
        """A phrase on the topic that was not said tonight; empty where all were."""
        return self.table.fresh(topic, **slots)

    def tell(self, fact: Fact, learnt: str = "") -> str:
        """Open the fact, and give its words."""
        self.note(f"told {fact.id}")
        before = self.table.opened_facts[-1] if self.table.opened_facts else ""
        joined = f"{before} {fact.text}" if before and fact.lead.endswith(before[-60:]) else fact.text
        owner = self.world.entities.get(fact.owner)
        # the heading above it stands before its first sentence in the folder, and may in what is told
        self.table.opened_facts.append(joined if fact.lead or owner is None else f"{owner.name} {joined}")
        self.productive = True
        if learnt:
            self.table.learn([f"{learnt}: {fact.text}"])
        return ended(fact.text)

    def name(self, who: str) -> str:
        return self.table.names[who]

    def meet(self, person: Entity, *, visiting: bool = False) -> str:
        """Somebody says who they are, the first time that they are spoken to, or that they know you from before.

        Somebody who comes up (`visiting`) does not take over from whoever is spoken to.
        """
        before = self.known.call(person)
        mine = not self.personal or self.doer == self.table.state.character
        stays = visiting and self.entity(self.memory.last) in self.known.present
        if self.memory.last != person.id and mine and not stays:
            self.note(f"last {person.id}")
        if person.id in self.memory.acquainted and f"again {person.id}" not in self.memory.done:
            self.note(f"done again {person.id}")
            liking = self.memory.liking[person.id]
            how = "warm" if liking >= WARM else "cold" if liking <= -WARM else "plain"
            return self.line(f"meet.again.{how}", name=before, Name=capital(before))
        if person.id not in self.memory.met:
            self.note(f"met {person.id}")
        if before != self.known.call(person) and person.name.split()[0].lower() not in OFFICE_NAMES:
            return self.line("meet.name", who=before, name=person.name)
        return ""

    def addressed(self, person: Entity) -> None:
        """The person's words were for somebody, whom `him` and `her` stand for from now on."""
        if self.personal and self.doer != self.table.state.character:
            return
        self.spoke = True
        if self.memory.spoken != person.id:
            self.note(f"to {person.id}")
        if f"spoke {self.memory.clock}" not in self.memory.done:
            self.note(f"done spoke {self.memory.clock}")

    def like(self, person: str, change: int) -> None:
        if change and abs(self.memory.liking[person] + change) <= 6:
            self.note(f"liking {person} {change:+d}")

    def rolled(self, roll: Roll) -> DiceRolled | None:
        return self.table.ledger.rolled(self.since, roll.check, roll.who)

    def entity(self, key: str | None) -> Entity | None:
        return self.world.entities.get(key or "")

    # who is meant

    def listener(self, act: Act) -> Entity | None:
        """The person whom words are for: named, or spoken to last, or the only one here."""
        person = self.entity(act.target)
        if person is not None and person.kind == "person":
            return person
        present = self.known.present
        keys = (self.memory.last, self.memory.spoken)
        near = [self.entity(key) for key in (keys[::-1] if act.kind == "ask" else keys)]
        return next((each for each in near if each is not None and each in present), next(iter(present), None))
