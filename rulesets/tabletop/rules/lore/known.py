"""What may be said now: the one door between the folder's facts and the table.

A gate opens a fact, and a second check looks at every sentence that stands under an open heading: it stays shut if it
names somebody or something that the party has not heard of, or speaks the way a GM's notes do. Whatever comes after a
shut sentence in its paragraph stays shut as well. Nothing here looks at closed facts:
change them, and it answers alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property, lru_cache

from sottovoce.rulesets.tabletop.rules.lore.entities import HONORIFICS, KINDRED
from sottovoce.rulesets.tabletop.rules.lore.facts import OFFICES, Entity, Fact, Papers, World, slug
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, STOP, content, sentences, stem, stems, words
from sottovoce.rulesets.tabletop.rules.lore.memory import Memory

_NOTES = re.compile(
    r"(?i)\b(?:the party|parties|pcs?|players?|gms?|dms?|npcs?|sessions?|campaign|adventure|dc|act (?:\d"
    r"|i+)|encounters?|clues?|hooks?"
    r"|stat ?blocks?|level \d|plot|railroad\w*|if (?:asked|pressed|they|needed|questioned)|won't reveal"
    r"|reveals?|publicly|officially"
    r"|secret\w*|actually|in truth|in reality|the truth|really (?:is|are|was)|disguis\w*|betray\w*|hidden"
    r"|hides|concealed|conceal\w*|unknown to"
    r"|pretend\w*|posing|undercover|spy|spies|spying|informants?|covers? for|front for|cult\w*|traitor\w*"
    r"|assassin\w*|villain\w*|antagonist\w*|threat"
    r"|conspir\w*|smuggl\w*|unaware|does ?n[o']t know|no one knows that|nobody knows that|crime scene"
    r"|quest|narrative|foreshadow\w*"
    # the same in other languages, in which folders are written too
    r"|spieler(?:n|innen)?|spielleiter\w*|geheim\w*|in wahrheit|in wirklichkeit|tatsächlich|verbirgt|verborgen"
    r"|verkleidet|verräter\w*|spion\w*|kampagne"
    r"|joueurs?|joueuses?|pnjs?|secr[eè]t\w*|en réalité|en vérité|se cache|caché\w*|déguisé\w*|traîtres?|espion\w*"
    r"|jugador\w*|máster|en realidad|en verdad|en secreto|oculta\w*|escond\w*|disfraza\w*|traidor\w*|espías?"
    r"|giocator\w*|segret\w*|in realtà|in verità|nascond\w*|nascost\w*|travestit\w*|traditor\w*|spi[ae]"
    r"|jogador\w*|segredos?|na verdade|na realidade|disfarça\w*|espi(?:ão|ões)"
    r"|spelers?|in werkelijkheid|verrader\w*|gracz\w*|sekret\w*|tajemnic\w*|naprawdę|w rzeczywistości|ukry\w*"
    r"|zdrajc\w*|szpieg\w*|игрок\w*|мастер(?:а|у|ом)?|секрет\w*|тайн\w*|на самом деле|скрыва\w*|предател\w*"
    r"|шпион\w*)\b"
)
_CAPITAL = re.compile(r"(?<![\w'’])[A-Z][\w'’]*(?:-[\w'’]+)*")
_PLAIN = frozenset(
    "i monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september"
    " october november december english god gods sir lady mr mrs ms dr".split()
)


@lru_cache(maxsize=64)
def _named_in_papers(world: World, papers: Papers) -> frozenset[str]:
    def spoken_of(entity: Entity) -> bool:
        own = content(entity.name)
        return entity.kind == "place" and bool(own) and papers.words >= set(own)

    return frozenset(e.id for e in world.entities.values() if is_named(e, papers.text) or spoken_of(e))


@lru_cache(maxsize=16384)
def _whole(name: str) -> re.Pattern[str]:
    """The name where it is no part of a longer word: `Okonkwo` is not in `Chen-Okonkwo`."""
    return re.compile(rf"(?<![\w'’])(?<!\w-){re.escape(name)}(?!-?\w)")


def is_named(entity: Entity, text: str) -> bool:
    """Whether a text has one of the entity's names, with a capital letter."""
    low = text.casefold()
    for name in entity.names:
        if name in low:
            for found in _whole(name).finditer(low):
                if len(low) != len(text) or text[found.start()].isupper() or not name[0].isalpha():
                    return True
    return False


@lru_cache(maxsize=8192)
def _named_in(world: World, text: str) -> frozenset[str]:
    return frozenset(entity.id for entity in world.entities.values() if is_named(entity, text))


@lru_cache(maxsize=8192)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(words(text))


@lru_cache(maxsize=8192)
def _capitals(sentence: str) -> tuple[bool, tuple[tuple[str, tuple[str, ...], bool], ...]]:
    """Whether a sentence speaks as notes do, and its capitals: each with its parts, and if it begins one."""
    found = []
    for match in _CAPITAL.finditer(sentence):
        word = match[0].replace("’", "'").removesuffix("'s").casefold()
        before = sentence[: match.start()]
        first = not before.strip(" \"“‘'(*-") or bool(re.search(r"[.!?:;]\W*$", before))
        found.append((word, tuple(words(word)), first))
    return bool(_NOTES.search(sentence)), tuple(found)


_CALLS = frozenset(
    "hello hey hi good morning evening greetings well look listen wait please sorry friends gentlemen ladies"
    " everyone everybody thanks thank fine right sure quiet stop enough never nevermind back also first next"
    " finally maybe perhaps instead otherwise carefully quickly slowly quietly together alright help run"
    " silence nothing afternoon day night goodbye bye farewell apologies pardon cheers congratulations"
    " ha haha hah heh huh hm hmm bah pah phew ugh wow ok okay really seriously truly liar coward fool thief"
    " murderer traitor nonsense"
    " rubbish deal agreed done yes yeah no nope nah honestly exactly indeed welcome easy relax mercy shame"
    " father mother brother sister master mistress boys lads mate boss love dear god gods cat".split()
)
"""Words with which a sentence begins and a comma follows, and which are no name."""
_TITLES = frozenset(
    "master mistress mister dame old young captain sir lady lord doctor father mother brother sister uncle aunt goodman"
    " madam sergeant".split()
)
"""Words that stand before a name, and are none."""


class Known:
    """What the party knows at one moment of the evening."""

    def __init__(self, world: World, papers: Papers, memory: Memory, party: Iterable[str]) -> None:
        self.world, self.papers, self.memory = world, papers, memory
        self.party = tuple(party)
        self._told = [world.facts[key] for key in memory.told if key in world.facts]
        self._shut: dict[str, bool] = {}

    # where the party is

    @cached_property
    def spot(self) -> Entity | None:
        """The part of a place, or the place, where the party is."""
        return self.world.entities.get(self.memory.at)

    @cached_property
    def place(self) -> Entity | None:
        spot = self.spot
        return self.world.entities.get(spot.parent) if spot is not None and spot.kind == "part" else spot

    def moved(self) -> None:
        """Forget what depends on where and when it is."""
        for name in ("spot", "place", "names", "entities", "parts", "present", "heard"):
            self.__dict__.pop(name, None)
        self._shut.clear()
        self._told = [self.world.facts[key] for key in self.memory.told if key in self.world.facts]

    # who and what may be named

    @cached_property
    def names(self) -> frozenset[str]:
        """The ids of everybody and everything whose name the party has heard."""
        heard: set[str] = set().union(*(_named_in(self.world, fact.text) for fact in self._told))
        shown = {key for key in self.memory.seen if "/" in key and key in self.world.entities}
        return (
            _named_in_papers(self.world, self.papers)
            | heard
            | shown
            | set(self.memory.met)
            | set(self.memory.carries)
            | {self.memory.at}
        )

    @cached_property
    def heard(self) -> frozenset[str]:
        """Every word that the party has read or been told."""
        told = frozenset[str]().union(*(_words_of(fact.text) for fact in self._told))
        own = [part for name in self.party for part in name.split("-")]
        here = [each for each in (self.spot, self.place) if each is not None]
        named = [
            word
            for key in self.memory.met
            if key in self.world.entities
            for word in words(self.world.entities[key].name)
        ]
        return self.papers.words | told | frozenset([*own, *named, *(w for each in here for w in words(each.name))])

    @cached_property
    def parts(self) -> tuple[Entity, ...]:
        """The parts of this place that show."""
        place = self.place
        return tuple(part for part in self.world.parts(place.id) if self._shows(part)) if place is not None else ()

    def _shows(self, part: Entity) -> bool:
        if part.id in self.names:
            return True
        own = self.world.of.get(part.id, ())
        if any(key not in self.names for key in _named_in(self.world, part.name) if self._is_somebody(key)):
            return False  # `Victor's Bedroom` says that there is a Victor
        return not self.shut(part.name, (part,)) and (not own or not self.closed(own[0]))

    def _is_somebody(self, key: str) -> bool:
        return self.world.entities[key].kind in ("person", "thing", "group")

    @cached_property
    def present(self) -> tuple[Entity, ...]:
        """Who is here, the dead and the absent aside; who came by first."""
        came = [self.world.entities[key] for key in self.memory.here if key in self.world.entities]
        here = {each.id for each in (self.spot, self.place) if each is not None}
        fixed = [e for e in self.world.entities.values() if e.kind == "person" and not e.gone and self._stands(e, here)]
        return tuple(dict.fromkeys([*came, *fixed]))

    def _stands(self, person: Entity, here: set[str]) -> bool:
        if person.id in self.memory.away or person.id in self.memory.here:
            return False
        own = [key for key in person.places if self.world.entities[key].kind == "part"]
        if own:
            return bool(set(own) & here)
        spot = self.stands_at(person) if set(person.places) & here else None
        return spot is not None and spot.id in here and (spot is self.spot or spot.kind == "place")

    def stands_at(self, person: Entity) -> Entity | None:
        """Where at this place somebody is to be found: where the papers say, or where what they do is done."""
        place = self.place
        if place is None:
            return None
        own = [self.world.entities[key] for key in person.places if self.world.entities[key].kind == "part"]
        if own:
            return next((part for part in own if part in self.parts), None)
        if not self.parts:
            return place
        wanted = frozenset(stem(office) for office in person.offices)
        for part in self.parts:
            if wanted & frozenset(word for fact in self.world.of.get(part.id, ()) for word in stems(fact.text)):
                return part
        return self.parts[sum(map(ord, person.id)) % len(self.parts)]

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """Everything that the words of a seat may mean."""
        found = [entity for key, entity in self.world.entities.items() if key in self.names]
        found += [*self.parts, *self.present]
        shown = (e if e.id in self.names or e.kind != "person" else _unnamed(e) for e in dict.fromkeys(found))
        more = {slug(name): words_ for name, words_ in self.papers.carries}
        return tuple(replace(e, names=e.names | more[e.id]) if more.get(e.id) else e for e in shown)

    def call(self, entity: Entity) -> str:
        """How the party calls somebody or something."""
        if entity.kind != "person":
            return entity.the
        if entity.id in self.names:
            return entity.short
        office = min(entity.offices, key=lambda word: (word in KINDRED, word), default="")
        return f"the {office}" if office else {"she": "a woman", "he": "a man"}.get(entity.pronoun, "somebody")

    # what may be said

    def shut(self, sentence: str, free: Iterable[Entity] = ()) -> bool:
        """Whether a sentence stays closed under an open heading."""
        if len(sentence) > LONGEST:
            return True
        notes, capitals = _capitals(sentence)
        if notes:
            return True
        mine: set[str] | None = None
        for word, pieces, first in capitals:
            if word in _PLAIN or (first and not self.world.name_words.issuperset(pieces)):
                continue
            if mine is None:
                mine = {part for each in free for part in words(each.name)}
            if not all(p in self.heard or p in mine or p in _PLAIN or p in STOP for p in pieces):
                return True
        return False

    def stranger(self, text: str) -> str:
        """Return the first name in a person's words that the party has not heard; empty where there is none.

        A word with a capital inside a sentence is a name, and so is one that a sentence calls out to ("Agnes, wait").
        Whether the campaign has the name makes no difference.
        """
        plain_words = {word for word in text.replace("’", "'").split() if word.islower()}
        for found in _CAPITAL.finditer(text):
            word = found[0].replace("’", "'").removesuffix("'s")
            before, behind = text[: found.start()], text[found.end() :]
            first = not before.strip(" \"“‘'(*-") or bool(re.search(r"[.!?:;]\W*$|[\"“]$", before))
            called = re.match(r"(?:,| *[?!]| *$)", behind) is not None and word.casefold() not in STOP
            pieces = words(word)
            called_so = _PLAIN | OFFICES | HONORIFICS | plain_words
            if word.isupper() or not pieces or word.casefold() in called_so:
                continue
            if word.casefold() in _TITLES and re.match(r" [A-Z]", behind):
                continue
            if (first and not (called and word.casefold() not in _CALLS)) or self._is_heard(pieces):
                continue
            more = re.match(r"(?: [A-Z][\w'’-]*)*", behind)
            return word + (more[0] if more else "")
        return ""

    def _is_heard(self, pieces: Iterable[str]) -> bool:
        own = {part for name in self.party for part in name.split("-")}
        said = {part for entity in self.entities for name in entity.names for part in words(name)}
        return all(piece in self.heard or piece in own or piece in said or piece in STOP for piece in pieces)

    def closed(self, fact: Fact, free: Iterable[Entity] = ()) -> bool:
        """Whether a fact under an open heading stays shut, by itself or for what its paragraph says before it."""
        free = tuple(free)
        if free or self.world.facts.get(fact.id) is not fact:
            return self._closed(fact, free)
        held = self._shut.get(fact.id)
        if held is None:
            held = self._shut[fact.id] = self._closed(fact)
        return held

    def _closed(self, fact: Fact, free: Iterable[Entity] = ()) -> bool:
        owner = self.world.entities[fact.owner]
        near = (owner, *free, *([self.world.entities[owner.parent]] if owner.parent else []))
        return self.shut(fact.text, near) or (any(self.shut(sentence, near) for sentence in sentences(fact.lead)))

    def from_afar(self, place: Entity) -> list[Fact]:
        """What people say of a place where the party is not: its first sentence, and the first of each of its parts of
        which they can know, as the place lies by theirs, or the party has heard the name. What else shows there is for
        a party that goes there."""
        here = self.place.id if self.place is not None else ""
        by = here in place.places or (self.place is not None and place.id in self.place.places)
        parts = (p for p in self.world.parts(place.id) if p.id in self.names or (by and not self.shut(p.name, (p,))))
        owners = [(place, "sense"), *((part, "part") for part in parts)]
        first = (next((f for f in self.world.of.get(owner.id, ()) if f.kind == kind), None) for owner, kind in owners)
        return [f for f in first if f is not None and f.id not in self.memory.told and not self.closed(f)]

    def fresh(self, owner: str, *kinds: str) -> list[Fact]:
        """The facts of those kinds that stand open and were not told yet."""
        found = self.world.of.get(owner, ())
        return [f for f in found if f.kind in kinds and f.id not in self.memory.told and not self.closed(f)]


def _unnamed(person: Entity) -> Entity:
    """Somebody as a stranger may speak of them: by an office, or as somebody."""
    return Entity(
        person.id,
        "person",
        person.name,
        person.offices & (OFFICES | KINDRED) or frozenset({"stranger", "woman" if person.pronoun == "she" else "man"}),
        places=person.places,
        pronoun=person.pronoun,
        offices=person.offices,
    )


def found_by(text: str, entities: Iterable[Entity]) -> list[Entity]:
    """The entities that a text of the folder names, in the order of their names in it."""
    low = text.casefold()
    found: list[tuple[int, int, Entity]] = []
    for entity in entities:
        places = [
            (hit.start(), -len(name)) for name in entity.names if name in low and (hit := _whole(name).search(low))
        ]
        if places:
            found.append((*min(places), entity))
    return [entity for _, _, entity in sorted(found, key=lambda each: each[:2])]


__all__ = ["Known", "found_by", "is_named", "slug"]
