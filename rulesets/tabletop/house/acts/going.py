"""To go: to a place, to somebody, or a way that has no name."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.looking import look, look_around, matching_here, search, told_here
from sottovoce.rulesets.tabletop.house.acts.outcomes import outcome_of
from sottovoce.rulesets.tabletop.house.acts.places import arrive, near, seek
from sottovoce.rulesets.tabletop.house.acts.speech import talk
from sottovoce.rulesets.tabletop.house.acts.surroundings import destination, keeper_of, told_of, was_named
from sottovoce.rulesets.tabletop.house.acts.topics import best, deed_of, is_ordinary, topic_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import listed, stem, stems, words


def go(play: Play, who: str, act: Act) -> list[str]:
    """Go to what is named; a way that leads nowhere new is told as the deed that it is."""
    known = play.known
    if _APART.search(act.text):
        return [" ".join(part for part in (play.line("split"), company.sight(play)) if part)]
    named = play.entity(act.target)
    target = named or way(play, act)
    deed = "" if _WALK.search(act.text) else deed_of(play, who, act)
    if target is None:
        topic = topic_of(play, act) - _MOVES
        here = matching_here(play, act, topic)
        if here or (not destination(act.text) and told_here(play, act, topic)):
            came = here or (outcome_of(play, who, act) if deed else "")
            return [" ".join(part for part in (deed_of(play, who, act), came) if part)]
        if told := _unlisted(play, who, act):
            return told
        if _FIND.search(act.text):
            return search(play, who, act)
        if _OUT.search(act.text) and _WALK.search(act.text) and not destination(act.text):
            return [" ".join(part for part in (deed_of(play, who, act), *look_around(play, who)) if part)]
        if not destination(act.text) and _WALK.search(act.text) and (plain := deed_of(play, who, act)):
            return [f"{plain} {company.sight(play) or play.line('go.leads.nowhere')}"]
        if deed:
            return [f"{deed} {company.heard_far(play) if company.loud(act.text) else outcome_of(play, who, act)}"]
        places = [
            e.the
            for e in known.entities
            if e.kind in ("place", "part") and e.id != play.memory.at and e is not known.place
        ][:3]
        return [play.line("go.where", places=listed(places, "or")) if places else play.line("go.nowhere")]
    if target.kind == "person":
        if target in known.present:
            return talk(play, who, replace(act, kind="talk"))
        spot = near(play, target) or company.last_seen(play, target)
        if company.findable(play, target):
            return [seek(play, target)]
        if spot is None or target.gone:
            return [company.absent(play, target)]
        return [seek(play, target) or " ".join(arrive(play, spot))]
    if target.kind in ("thing", "group"):
        if re.search(r"(?i)\bfollow", act.text) and (led := _led_by(play, target)):
            return arrive(play, led, deed_of(play, who, act))
        return look(play, who, act)
    if target.id == play.memory.at and (deed or named is None):
        # nobody goes anywhere: what is named lies at this very spot
        thing = matching_here(play, act, topic_of(play, act) - _MOVES)
        came = thing or (outcome_of(play, who, act) if deed else "")
        return [" ".join(part for part in (deed or deed_of(play, who, act), came) if part)]
    return arrive(play, target, deed)


def _unlisted(play: Play, who: str, act: Act) -> list[str]:
    """Go to what the folder has no heading for, where the party has read or been told of it, or any place has it."""
    name = destination(act.text)
    noun = next((stem(word) for word in reversed(words(name)) if was_named(play, stem(word))), "")
    if noun and name:
        sentence = told_of(play, noun)
        keeper = keeper_of(play, sentence)
        if keeper is not None and keeper not in play.known.present and (sought := seek(play, keeper)):
            return [f"{play.line('go.near', name=name)} {sought}"]
        present = keeper is not None and keeper in play.known.present
        there = (
            play.line("go.person", name=play.known.call(keeper), Name=capital(play.known.call(keeper)))
            if present and keeper
            else ""
        )
        return [" ".join(part for part in (_there(play, who, act, name), sentence, there) if part)]
    if name and is_ordinary(act):
        return [f"{_there(play, who, act, name)} {play.line('look.plain', who=play.name(who))}"]
    return []


def _led_by(play: Play, thing: Entity) -> Entity | None:
    """The place to which a thing leads, by what the party has read or been told of it."""
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    own = {stem(word) for word in words(thing.name)}
    for fact in (*(each for each in told if each.owner == thing.id), *play.known.papers.facts):
        if fact.owner == thing.id or own & stems(fact.text):
            for place in found_by(fact.text, play.known.entities):
                if place.kind in ("place", "part") and place is not play.known.place:
                    return place
    return None


def _there(play: Play, who: str, act: Act, name: str) -> str:
    """How somebody gets there: on foot as the way, and else as the deed that it is."""
    return ("" if _WALK.search(act.text) else deed_of(play, who, act)) or play.line("go.near", name=name)


def look_for(play: Play, who: str, act: Act) -> list[str]:
    """Search for a thing or a place; somebody who is looked for is gone to."""
    person = play.entity(act.target)
    if person is None and _SOMEBODY.search(act.text):
        people = [play.known.call(each) for each in play.known.present][:3]
        here = play.line("see.people" if len(people) > 1 else "see.person", people=listed(people)) if people else ""
        return [here or company.comes_and_speaks(play, "comes.asked", again=True) or play.line("see.nobody")]
    if person is not None and person.kind == "person" and not person.gone and _FOR.search(act.text):
        return go(play, who, replace(act, kind="go"))
    return search(play, who, act)


_FOR = re.compile(
    r"(?i)\b(?:look(?:ing)?|search(?:ing)?|ask|asking|hunt) (?:around |about |everywhere )?(?:for|after)\b"
    r"|\b(?:find|seek|locate|track down)\b"
)
_SOMEBODY = re.compile(
    r"(?i)\b(?:for|find) (?:somebody|someone|anybody|anyone|people|a (?:guide|local|witness)|some(?:body)? locals?"
    r"|help)\b"
)
_FIND = re.compile(r"(?i)\bfind\b")
_OUT = re.compile(r"(?i)\b(?:out|outside|outdoors|in|inside|indoors|up|down|on|back|around|about)\W*$")
_APART = re.compile(r"(?i)\b(?:split up|spread out|fan out|go separate ways|divide and)\b")
_WALK = re.compile(
    r"(?i)\b(?:go|going|goes|walk|head|travel|return|get (?:to|going|out|away|moving|back|over)|move|come|leave|visit"
    r"|make (?:my|our) way|set (?:out|off)|off to|back to|follow|cross over|hurry|over to|take)\b"
    r"|^\W*(?:back |over |not .*[;,] ?)?(?:to )?the\b"
)
"""Words for plainly getting somewhere: that is told as the way, and else it is told how somebody got there."""
_MOVES = frozenset(
    stem(word)
    for word in "go back return walk head way road take follow out over quick quickly now again place straight".split()
)


def way(play: Play, act: Act) -> Entity | None:
    """Where somebody means to go who does not give it its name."""
    known, low = play.known, act.text.casefold()
    topic = topic_of(play, act) - _MOVES
    named = next((part for part in known.parts if topic & stems(part.name)), None)
    if named is not None:
        return named
    if not _WALK.search(act.text) and is_ordinary(act) and destination(act.text):
        return None
    seen = best([f for part in known.parts for f in play.world.of.get(part.id, ()) if not known.closed(f)], topic)
    if seen is not None:
        return play.entity(seen.owner)
    if any(was_named(play, stem(word)) for word in words(destination(act.text))):
        return None
    read = best(list(known.papers.facts), topic)
    if read is not None:
        found = [e for e in found_by(read.text, known.entities) if e.kind in ("place", "part") and e is not known.place]
        if found:
            return found[0]
    if re.search(r"\b(?:back|return)\b", low) and play.memory.before:
        return play.entity(play.memory.before)
    if destination(act.text):
        return None
    if re.search(r"\b(?:out|outside|outdoors|street|away|leave|run|flee)\b", low):
        if known.spot is not known.place:
            return known.place
        if re.search(r"\b(?:away|leave|flee)\b", low):
            return next((e for e in known.entities if e.kind == "place" and e is not known.place), None)
    return None
