"""To go: to a place, to somebody, or a way that has no name."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house.acts.looking import look
from sottovoce.rulesets.tabletop.house.acts.places import arrive, near
from sottovoce.rulesets.tabletop.house.acts.speech import talk
from sottovoce.rulesets.tabletop.house.acts.topics import best, topic_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import listed, stem, stems


def go(play: Play, who: str, act: Act) -> list[str]:
    known = play.known
    target = play.entity(act.target) or _way(play, act)
    if target is None:
        places = [
            e.the
            for e in known.entities
            if e.kind in ("place", "part") and e.id != play.memory.at and e is not known.place
        ][:3]
        return [play.line("go.where", places=listed(places, "or")) if places else play.line("go.nowhere")]
    if target.kind == "person":
        if target in known.present:
            return talk(play, who, replace(act, kind="talk"))
        spot = near(play, target)
        if spot is None or target.gone:
            return [play.line("absent", name=capital(known.call(target)))]
        target = spot
    if target.kind in ("thing", "group"):
        return look(play, who, act)
    return arrive(play, target)


_MOVES = frozenset(
    stem(word)
    for word in "go back return walk head way road take follow out over quick quickly now again place straight".split()
)


def _way(play: Play, act: Act) -> Entity | None:
    """Where somebody means to go who does not give it its name."""
    known, low = play.known, act.text.casefold()
    topic = topic_of(play, act) - _MOVES
    named = next((part for part in known.parts if topic & stems(part.name)), None)
    if named is not None:
        return named
    seen = best([f for part in known.parts for f in play.world.of.get(part.id, ()) if not known.closed(f)], topic)
    if seen is not None:
        return play.entity(seen.owner)
    read = best(list(known.papers.facts), topic)
    if read is not None:
        found = [e for e in found_by(read.text, known.entities) if e.kind in ("place", "part") and e is not known.place]
        if found:
            return found[0]
    if re.search(r"\b(?:back|return)\b", low) and play.memory.before:
        return play.entity(play.memory.before)
    if re.search(r"\b(?:out|outside|outdoors|street|away|leave)\b", low) and known.spot is not known.place:
        return known.place
    return None
