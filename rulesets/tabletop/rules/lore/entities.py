"""What a campaign has, as values: people, places, their parts, things and groups, and the facts about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST

Gate = Literal["known", "sight", "open", "trust", "check", "insight", "beat"]
"""What opens a fact: nothing, being there and looking, asking, trust, a roll, an insight, the outcome of its beat."""
HONORIFICS = frozenset(
    "dr mr mrs ms sir lady lord captain sergeant lieutenant constable magistrate governor father mother brother sister"
    " master mistress dame old young count countess king queen prince princess commander major general".split()
)
OFFICES = frozenset(
    "constable lieutenant sergeant captain innkeeper priest priestess healer guard mayor magistrate"
    " governor warden smith"
    " clockmaker manager proprietor trader merchant ferryman miller gardener baker abbot scribe clerk"
    " librarian harbourmaster"
    " harbormaster bailiff sheriff doctor teacher fisher fisherman weaver carpenter brewer cook keeper"
    " hunter ranger sexton"
    " blacksmith shepherd farmer widow lighthouse-keeper apothecary boatman foreman overseer porter steward"
    " librarian barkeep bartender barmaid shopkeeper tailor tanner jeweller jeweler cobbler mason potter miner"
    " alchemist herbalist fishmonger butcher stablehand coachman butler maid servant beggar sailor soldier knight"
    " bard minstrel druid cleric monk nun friar acolyte scholar archaeologist engineer tinker gravedigger"
    " undertaker nurse midwife banker lawyer".split()
)
"""What somebody can be called whose name nobody has heard: it shows by the look of them."""
KINDRED = frozenset(
    "dwarf elf half-elf halfling gnome goblin hobgoblin kobold orc half-orc goliath dragonborn tiefling aasimar"
    " tabaxi firbolg centaur lizardfolk".split()
)
"""The same of those who have no office, in the worlds where that shows."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One sentence of the folder. `lead` is what stands before it in its paragraph, `label` its own bold lead."""

    id: str
    kind: str
    gate: Gate
    owner: str
    text: str
    lead: str = ""
    label: str = ""
    dc: int = 0
    skill: str = ""


_LIES = re.compile(
    r"^(?:Among|Behind|Under|Above|In|On|At|Beyond|Inside|Below|Beneath|By|Near|Around|Between) (?=[Tt]he )"
)


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something with a name. `names` are in lower case; `places` are where somebody is to be found, or the
    places that a place lies by."""

    id: str
    kind: Literal["person", "place", "part", "thing", "group"]
    name: str
    names: frozenset[str]
    parent: str = ""
    places: tuple[str, ...] = ()
    pronoun: str = "they"
    gone: bool = False
    offices: frozenset[str] = frozenset()
    armor: int = 12
    hit_points: int = 9
    stated: bool = False

    @property
    def short(self) -> str:
        """How somebody is called once known: the name without what stands in brackets, or the first of its words."""
        parts = self.name.split()
        while len(parts) > 2 and all(part.strip(".").lower() in HONORIFICS for part in parts[:2]):
            parts = parts[1:]
        if self.kind != "person" or len(parts) == 1:
            return self.name
        if parts[0].strip(".").lower() in HONORIFICS:
            return " ".join(parts[:2])
        return parts[-1] if "-" in parts[0] else parts[0]

    @property
    def the(self) -> str:
        """The name as it stands inside a sentence; of `Among the Trees`, what lies there."""
        name = _LIES.sub("", self.name, count=1)
        return f"the {name[4:]}" if name.casefold().startswith("the ") else name


@dataclass(frozen=True, slots=True)
class StoryBeat:
    """A beat of somebody else's form: what happens, who asks what, and what comes of which answers."""

    id: str
    title: str
    optional: bool
    happens: tuple[str, ...]
    questions: tuple[str, ...]
    outcomes: Mapping[str, str]
    told: tuple[str, ...]
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """All of a folder's facts that may ever be told, its people, places and things, and its beats."""

    entities: Mapping[str, Entity]
    facts: Mapping[str, Fact]
    beats: tuple[StoryBeat, ...]
    name_words: frozenset[str]
    of: Mapping[str, tuple[Fact, ...]] = field(default_factory=dict)

    def all(self, kind: str) -> tuple[Entity, ...]:
        return tuple(each for each in self.entities.values() if each.kind == kind)

    def parts(self, place: str) -> tuple[Entity, ...]:
        return tuple(each for each in self.entities.values() if each.kind == "part" and each.parent == place)


def slug(text: str) -> str:
    found = re.sub(r"[\W_]+", "-", re.sub(r"['’‘`]", "", text.casefold())).strip("-")
    return found.removeprefix("the-") or "it"


def short_title(title: str) -> str:
    return re.split(r"\s*[(:]|\s+[-–—]\s+", title[:LONGEST])[0].strip() or title


def _bracketed(title: str) -> set[str]:
    found = re.findall(r"\(([^)]*)\)", title)
    texts = [re.sub(r"(?i)trade name:?|called|known as|a\.?k\.?a\.?", "", each) for each in found]
    return {each.strip(" \"'“”").casefold() for text in texts for each in text.split(",") if len(each.strip()) > 2}


def person_names(title: str) -> frozenset[str]:
    """What somebody with that title may be called by."""
    name = short_title(title)
    parts = [part for part in re.split(r"[\s]+", name) if part]
    found = {name.casefold(), *_bracketed(title)}
    found |= {
        part.casefold() for part in parts if len(part) > 2 and part.strip(".").lower() not in HONORIFICS | {"the"}
    }
    return frozenset(each.removeprefix("the ").strip() for each in found)


def place_names(title: str) -> frozenset[str]:
    name = short_title(title).casefold().removeprefix("the ")
    return frozenset({name, *_bracketed(title)})


def entity_of(kind: str, title: str, names: frozenset[str], parent: str = "", **more: object) -> Entity:
    name = short_title(title)
    key = slug(name) if kind != "part" else f"{parent}/{slug(name)}"
    return Entity(key, kind, name, names, parent, **more)  # type: ignore[arg-type]


def offices_in(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z-]+(?!['’\w-])", text.casefold())) & (OFFICES | KINDRED)
