"""What a game master may ask of the campaign within a turn, and what its telling gives away.

    facts_about(state, "Agnes Tarrow", "the clock")
    words_of(state, ["npcs/agnes.md:12"])
    given_away(state, "Agnes hands you the key …")
    notes_of(state, "Agnes hands you the key …")

The answers are made of the state alone: the documents, and the note that the game master keeps (`memory`), whoever that
is. So a model, a person and the house share one record of what the party knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sottovoce import Refused, plain
from sottovoce.rulesets.tabletop.rules.documents import Piece, rebuild
from sottovoce.rulesets.tabletop.rules.lint import Sources
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact, Gate, papers_of, world_of
from sottovoce.rulesets.tabletop.rules.lore.known import Known, found_by, is_named
from sottovoce.rulesets.tabletop.rules.lore.language import content, sentences, stem, stems
from sottovoce.rulesets.tabletop.rules.lore.memory import PROGRESS, remembered
from sottovoce.rulesets.tabletop.rules.lore.sheets import sheet_of
from sottovoce.rulesets.tabletop.rules.state import TabletopState as State
from sottovoce.rulesets.tabletop.rules.texts import shown

OPENS = "It opens: "
"""How the answer to a check that succeeds begins, before the fact's id and words."""
TRUSTED = 3
"""The attitude from which on somebody speaks of what they know in private."""
HARD = 12
"""The difficulty of a check for which the folder states none."""
MOST_FACTS = 24
"""Facts that are shown at once."""
LISTED = 30
SHARED = 0.7
"""The part of a fact's telling words that a passage must have to count as telling it."""
FEWEST = 4
"""Telling words of a fact that can be found in a passage."""
GIVEN_AWAY = 6
"""Words in a row out of what is marked as secret that give it away."""

_GATES: dict[Gate, str] = {
    "known": "open",
    "open": "open",
    "sight": "open to who looks",
    "insight": "to somebody who reads them well: insight",
    "beat": "as an outcome of its beat",
}


@dataclass(frozen=True, slots=True)
class Check:
    """What a roll for a fact needs: the dice to roll, the difficulty, and the words that success opens."""

    expression: str
    dc: int
    text: str


def known_to(state: State) -> Known:
    """Return what the party of the session knows now."""
    world = world_of(state.documents, state.roster)
    reader = next(iter(state.played or state.roster), "")
    memory = remembered(rebuild(state.documents.get(PROGRESS, ())))
    return Known(world, papers_of(state.documents, reader), memory, state.roster)


def facts_about(state: State, name: str, topic: str | None = None) -> tuple[str, str]:
    """Return whom or what the name means, and the facts of it: what is open now, what is near, with its gate.

    Raises Refused where the campaign has nobody and nothing of that name.
    """
    known = known_to(state)
    entity = _entity(known, name)
    owners = [entity, *(known.world.parts(entity.id) if entity.kind == "place" else ())]
    facts = [fact for owner in owners for fact in known.world.of.get(owner.id, ())]
    wanted = frozenset(stem(word) for word in content(topic or ""))
    about = [fact for fact in facts if wanted & stems(f"{fact.label} {fact.text}")] or facts
    told = [fact for fact in about if fact.id in known.memory.told]
    fresh = [fact for fact in about if fact.id not in known.memory.told]
    near = [(fact, gate) for fact in fresh if (gate := gate_of(known, fact)) is not None]
    open_now = [fact for fact in fresh if gate_of(known, fact) is None]
    lines = [_standing(known, entity)]
    lines += _listed("Open now:", (f"[{fact.id}] {fact.text}" for fact in open_now))
    lines += _listed("Near, not open yet:", (f"[{fact.id}] ({gate}) {fact.text}" for fact, gate in near))
    lines += _listed("The party has been told:", (f"[{fact.id}] {fact.text}" for fact in told))
    if not facts:
        lines.append("Its file has no facts under headings that can be read here; open the document.")
    return entity.name, "\n".join(lines)


def _standing(known: Known, entity: Entity) -> str:
    heard = "the party knows the name" if entity.id in known.names else "the party has not heard the name"
    liking = known.memory.liking[entity.id]
    attitude = f"; attitude {liking:+d}, in confidence from {TRUSTED:+d}" if entity.kind == "person" else ""
    return f"{entity.name} ({entity.kind}): {heard}{attitude}."


def _listed(title: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    more = [f"[… {len(found) - MOST_FACTS} more; ask with a topic]"] if len(found) > MOST_FACTS else []
    return [title, *(f"- {line}" for line in found[:MOST_FACTS]), *more] if found else []


def _entity(known: Known, name: str) -> Entity:
    wanted = plain(name).removeprefix("the ").strip()
    every = known.world.entities.values()
    exact = [e for e in every if wanted in (plain(e.name).removeprefix("the "), e.id)]
    found = exact or [e for e in every if wanted in e.names] or found_by(name, every)
    if not found:
        near = [e.name for e in every if e.kind in ("person", "place")][:LISTED]
        raise Refused(f"The campaign has nobody and nothing called {shown(name)}; there are: {', '.join(near)}.")
    return found[0]


def gate_of(known: Known, fact: Fact) -> str | None:
    """Return what a fact stands behind now, in words; None where it is open."""
    if fact.gate == "trust":
        return None if known.memory.liking[fact.owner] >= TRUSTED else f"in confidence: attitude {TRUSTED:+d}"
    if fact.gate == "check":
        return f"a check: {fact.skill or 'investigation'}, difficulty {fact.dc or HARD}"
    if fact.gate in ("insight", "beat"):
        return _GATES[fact.gate]
    if known.closed(fact, (known.world.entities[fact.owner],)):
        return "names what the party has not heard of"
    return None


def words_of(state: State, ids: Iterable[str]) -> str:
    """Return facts in the campaign's words, one after the other. Raises Refused for one that is not open now."""
    known = known_to(state)
    told: list[str] = []
    owner = ""
    for given in ids:
        fact = known.world.facts.get(given.strip("[] "))
        if fact is None:
            raise Refused(f"There is no fact {shown(given)}; ask for the facts of a person or place first.")
        if not rolled_for(state, fact) and (gate := gate_of(known, fact)) is not None:
            raise Refused(f"The fact {fact.id} is not open yet ({gate}).")
        entity = known.world.entities[fact.owner]
        if entity.id != owner and not is_named(entity, fact.text):
            name = known.call(entity)
            told.append(f"{name[:1].upper()}{name[1:]}.")
        told.append(fact.text)
        owner = entity.id
    return " ".join(dict.fromkeys(told))


def rolled_for(state: State, fact: Fact) -> bool:
    """Whether a check of this turn has opened the fact."""
    return any(f"{OPENS}[{fact.id}]" in text for _, text in state.gm_turn.opened)


def check_for(state: State, skill: str, character: str, fact: str | None) -> Check:
    """Return the roll that a check needs. Raises Refused where there is no such fact."""
    found = None
    if fact is not None:
        found = known_to(state).world.facts.get(fact.strip("[] "))
        if found is None:
            raise Refused(f"There is no fact {shown(fact)}; ask for the facts of a person or place first.")
    bonus = sheet_of(state.documents, character).bonus(plain(skill))
    return Check(f"1d20{bonus:+d}", (found.dc if found else 0) or HARD, f"[{found.id}] {found.text}" if found else "")


def person_named(state: State, name: str) -> str:
    """Return the id of somebody of the campaign, for the note. Raises Refused where there is nobody of that name."""
    entity = _entity(known_to(state), name)
    if entity.kind != "person":
        raise Refused(f"{entity.name} is a {entity.kind}, and has no attitude.")
    return entity.id


def given_away(state: State, prose: str, facts: str = "") -> list[str]:
    """Return what a text for the party gives away: names that it has not heard, and passages out of marked secrets.

    `facts` are open ones that are told with it, whose names are heard by that.
    """
    known = known_to(state)
    asked = "\n".join([facts, *(text for _, text in state.gm_turn.opened)])
    unheard = [
        entity.name
        for entity in known.world.entities.values()
        if entity.kind in ("person", "thing", "group")
        and entity.id not in known.names
        and is_named(entity, prose)
        and not is_named(entity, asked)
        and not is_named(entity, known.papers.text)
    ]
    said = Piece("narrative", "narrative", None, prose, ())
    passages = [
        words
        for pieces in state.documents.values()
        for words, _ in _secrets(pieces).repeated(said)
        if words not in asked
    ]
    return [*dict.fromkeys(unheard), *(f"“{words}”" for words in dict.fromkeys(passages))]


_kept: dict[int, tuple[Iterable[Piece], Sources]] = {}


def _secrets(pieces: Iterable[Piece]) -> Sources:
    """Return the words that a document marks as secret, kept as long as its pieces are."""
    held = _kept.get(id(pieces))
    if held is None or held[0] is not pieces:
        if len(_kept) > 2048:
            _kept.clear()
        sources = Sources(GIVEN_AWAY, GIVEN_AWAY)
        for piece in pieces:
            if piece.secret and piece.coding == "text":
                sources.add(piece)
        held = _kept[id(pieces)] = (pieces, sources)
    return held[1]


def notes_of(state: State, prose: str) -> list[str]:
    """Return the lines that a telling adds to the note: which facts it told, and whom the party has met by name."""
    known = known_to(state)
    passages = _passages(prose)
    told = [
        fact.id
        for fact in known.world.facts.values()
        if fact.id not in known.memory.told and (fact.text in prose or _is_told(stems(fact.text), passages))
    ]
    met = [
        entity.id
        for entity in known.world.entities.values()
        if entity.kind == "person" and entity.id not in known.memory.met and is_named(entity, prose)
    ]
    return [*(f"- told {key}" for key in told), *(f"- met {key}" for key in met)]


def _passages(prose: str) -> Sequence[frozenset[str]]:
    """Return the telling words of each two sentences that follow each other."""
    parts = [stems(sentence) for paragraph in re.split(r"\n\s*\n", prose) for sentence in sentences(paragraph)]
    return [one.union(*parts[at + 1 : at + 2]) for at, one in enumerate(parts)]


def _is_told(telling: frozenset[str], passages: Iterable[frozenset[str]]) -> bool:
    return len(telling) >= FEWEST and any(len(telling & words) >= SHARED * len(telling) for words in passages)
