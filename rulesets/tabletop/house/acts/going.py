"""To go: to a place, to somebody, or a way that has no name."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts import ways
from sottovoce.rulesets.tabletop.house.acts.looking import look, search
from sottovoce.rulesets.tabletop.house.acts.outcomes import outcome_of
from sottovoce.rulesets.tabletop.house.acts.places import arrive, near, seek
from sottovoce.rulesets.tabletop.house.acts.sights import look_around, matching_here, told_here
from sottovoce.rulesets.tabletop.house.acts.speech import talk
from sottovoce.rulesets.tabletop.house.acts.surroundings import (
    destination,
    indoors,
    keeper_of,
    lies_at,
    piece_of,
    told_of,
    was_named,
    what_it_is,
)
from sottovoce.rulesets.tabletop.house.acts.topics import best, deed_of, is_ordinary, topic_of
from sottovoce.rulesets.tabletop.house.nouns import head_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act, topic_in
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import content, listed, lowered, stem, stems, words


def go(play: Play, who: str, act: Act) -> list[str]:
    """Go to what is named; a way that leads nowhere new is told as the deed that it is."""
    if _APART.search(act.text):
        return [" ".join(part for part in (play.line("split"), company.sight(play)) if part)]
    talks = play.entity(play.memory.spoken)
    if _GO_ON.match(act.text) and talks is not None and talks in play.known.present:
        return talk(play, who, replace(act, kind="talk", target=talks.id))
    steps = [text for text in _STEP.split(act.text) if " " in text.strip() and not _OFF.match(text)]
    steps = [text for text in steps[:-1] if ways.said(text) != "out"] + steps[-1:]
    if len(steps) > 1:
        return [" ".join(line for text in steps[:3] for line in go(play, who, _step(play, act, text)))]
    if steps and steps[0] != act.text:
        step = _step(play, act, steps[0])
        return go(play, who, replace(step, target=step.target or act.target))
    if _SOMEWHERE.search(act.text):
        act = replace(act, text="We go to the inn.", topic=frozenset({stem("inn")}), head=stem("inn"))
    if _LEFT.search(act.text) and (left := play.entity(act.thing)) is not None and left.kind in ("place", "part"):
        act = replace(act, thing=None, topic=act.topic - stems(left.name))
    if _PUB.search(act.text):
        act = replace(act, text=_PUB.sub("inn", act.text), topic=frozenset({stem("inn")}), head=stem("inn"))
    named = play.entity(act.target)
    way_ = ways.said(act.text)
    if _CORNER.search(act.text):
        return ways.leads(play, who, act)
    if _ROOMS.search(act.text):
        inside = [] if indoors(play) else go(play, who, replace(act, text="to the inn", topic=frozenset({stem("inn")})))
        return [" ".join([*inside, *ways.leads(play, who, replace(act, text="upstairs"))])]
    if _STAIRS.search(act.text) and way_ in ("up", "down"):
        return ways.leads(play, who, act)
    if named is not None and named in (play.known.spot, play.known.place) and _AROUND.search(act.text):
        return [play.line("go.around", name=named.the)]
    if _TOP.search(act.text):
        top = ways.top(play)
        return arrive(play, top) if top is not None else [play.line("go.none", way="to the top")]
    target = named or (way(play, act) if way_ not in ("out", "back") or destination(act.text) else None)
    if target is None or (target.id == play.memory.at and way_ in ("in", "up", "down", "out", "behind")):
        return _unnamed(play, who, act, way_)
    if way_ == "behind" and target.kind in ("place", "part"):
        play.note(f"at {target.id}")
        return ways.leads(play, who, act)
    if target.kind == "person":
        return _to_person(play, who, act, target)
    deed = "" if _WALK.search(act.text) or _SEES.search(act.text) else deed_of(play, who, act)
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


_SOMEWHERE = re.compile(
    r"(?i)\bsomewhere (?:(?:i|we) (?:can|could) |to )(?:\w+ ){0,3}?(?:eat|drink|sleep|stay|rest|sit)\b"
)
"""A wish for a place that every inn is."""
_TOP = re.compile(r"(?i)\b(?:to the (?:very )?top|as far as (?:it|they|we|i|the (?:stairs?|steps))|all the way up)\b")
_GO_ON = re.compile(r"(?i)\W*(?:please |well,? |yes,? |so,? )?(?:go|carry) on(?: then)?\W*$")
"""Where somebody talks, `go on` is to them."""
_PUB = re.compile(r"(?i)\b(?:pub|tavern|alehouse|public house)\b")
_CORNER = re.compile(r"(?i)\ba?round (?:the|that|this|a) corner\b")
_ROOMS = re.compile(r"(?i)\b(?:to|into|up to|for) (?:our|my) (?:own )?(?:bed)?rooms?\b")
_AROUND = re.compile(
    r"(?i)^\W*(?:once |right |all )*a?round (?:the|it|this|that)\b"
    r"|\b(?:walk|go|stroll|circle|run|wander)s? (?:once |all |right )*(?:a?round )?(?:the|it|this|that)\b"
)
_STEP = re.compile(
    r"(?i)(?:(?:, and|,| and)(?: then)? (?=(?:(?:back|over|straight|right|on|off|down|up|out) )*"
    r"(?:to|into|in|out|up|down|back) (?:the|a|an|our|my|his|her|their|that|this|of)\b)"
    r"|,? and (?=(?:through|across|over|onto|along|round) (?:the|a)\b)|(?<=[a-z])\. (?=\w))"
)
"""Where one way ends and the next begins: `out of the inn and up the tower`."""
_OFF = re.compile(r"(?i)\W*(?:off we go|let'?s go|(?:then |now |so |ok,? )*(?:we|i) go|come on|go)\W*$")
"""Where no way is said yet."""
_SEES = re.compile(r"(?i)\b(?:see|visit|look)\b")


def _step(play: Play, act: Act, text: str) -> Act:
    """One of several ways that are said together."""
    found = [] if _LEFT.search(text) else found_by(text, play.known.entities)
    own = play.entity(act.target)
    meant = own if own is not None and words(own.name)[-1] in words(text) else None
    target = next((each for each in found if each.kind in ("place", "part", "person")), meant)
    return replace(
        act, text=text, thing=None, target=target.id if target else None, topic=topic_in(text, ()), head=head_of(text)
    )


_LEFT = re.compile(r"(?i)\b(?:out of|away from|from|leave)\b")


def _unnamed(play: Play, who: str, act: Act, way_: str) -> list[str]:
    """Go where no name leads: to what has no heading, or in, out, up, down, on, back, behind or across something."""
    topic = topic_of(play, act) - _MOVES
    if _SEES.search(act.text) and not way_:
        return look(play, who, replace(act, kind="look"))
    if _TRACKS.search(act.text) and not told_here(play, act, frozenset({act.head})):
        return [matching_here(play, act, topic) or play.line("go.no.tracks")]
    if way_ in ("across", "behind"):
        return ways.leads(play, who, act)
    if _PATH.search(act.text) and (led := ways.on(play)):
        return led
    if (climb := _CLIMBS.search(act.text)) and not topic & _STEPS:
        stands = told_here(play, act, frozenset({act.head}))
        return ways.leads(play, who, act) if stands else [play.line("go.none", way=climb[0].lower())]
    if destination(act.text) and not (way_ in ("up", "down", "out") and topic <= _STEPS):
        return _unlisted(play, who, act) or [_unknown(play)]
    if topic <= _STEPS and (led := ways.leads(play, who, act)):
        return led
    here = matching_here(play, act, topic)
    if here or (not destination(act.text) and told_here(play, act, topic) and not way_):
        return [" ".join(part for part in (deed_of(play, who, act), here) if part)]
    if _FIND.search(act.text):
        return search(play, who, act)
    if led := ways.leads(play, who, act):
        return led
    if plain := deed_of(play, who, act):
        loud = company.loud(act.text)
        return [f"{plain} {company.heard_far(play) if loud else company.sight(play) or outcome_of(play, who, act)}"]
    return [_unknown(play)]


_CLIMBS = re.compile(
    r"(?i)\b(?:up|down) (?:the|that|this|a) (?:rope|ladder|tree|wall|chimney|pole|mast|cliff|rock|well)\b"
)
_STAIRS = re.compile(r"(?i)\b(?:the|these|those) (?:\w+ )?(?:stairs?|steps|ladder)\b")
_STEPS = stems(
    "stair stairs steps ladder hill slope street open fresh air daylight tower trapdoor hatch door doorway doors gate"
)


def _unknown(play: Play) -> str:
    """That nobody knows of such a place, and of which places one does."""
    places = [
        e.the
        for e in play.known.entities
        if e.kind in ("place", "part") and e.id != play.memory.at and e is not play.known.place
    ][:3]
    return play.line("go.where", places=listed(places, "or")) if places else play.line("go.nowhere")


_PATH = re.compile(
    r"(?i)\b(?:follow|along|down|up|take) (?:the|this|that|our|a) (?:\w+ )?(?:path|road|trail|lane|street|river"
    r"|stream|track|bank|shore|wall|alley|passage|corridor|tunnel|way|ruts)\b"
)
"""A way that leads on, wherever it leads."""
_TRACKS = re.compile(
    r"(?i)\bfollow (?:the|these|those|his|her|their) (?:tracks?|prints|footprints|footsteps|trail of)\b"
)


def _to_person(play: Play, who: str, act: Act, person: Entity) -> list[str]:
    """Go to somebody, or after somebody who goes back to where they belong."""
    known = play.known
    if person in known.present:
        if re.search(r"(?i)\b(?:find|locate|(?:let'?s|let us|we) (?:\w+ )?(?:go|head|walk) (?:back )?to)\b", act.text):
            name = known.call(person)
            return [play.line("sight.person.here", name=name, Name=capital(name))]
        if not _AFTER.search(act.text):
            return talk(play, who, replace(act, kind="talk"))
        name = known.call(person)
        home = known.stands_at(person) if person.places else None
        if home is None or home is known.spot:
            return [play.line("go.after.stays", name=name, Name=capital(name))]
        told = arrive(play, home, play.line("go.after", name=name, Name=capital(name), place=home.the))
        if person not in known.present:
            play.note(f"here {person.id}")
        return told
    spot = near(play, person) or company.last_seen(play, person)
    if company.findable(play, person):
        return [seek(play, person)]
    if spot is None or person.gone:
        return [company.absent(play, person)]
    return [seek(play, person) or " ".join(arrive(play, spot))]


_AFTER = re.compile(r"(?i)\b(?:after|follow|behind)\b")


def _unlisted(play: Play, who: str, act: Act) -> list[str]:
    """Go to what the folder has no heading for, where the party has read or been told of it, or any place has it."""
    name = destination(act.text)
    noun = next((stem(word) for word in reversed(content(name)) if was_named(play, stem(word))), "")
    if not name or not (noun or is_ordinary(act)):
        return []
    if not noun:
        return [f"{_there(play, who, act, name)} {play.line('look.plain', who=play.name(who))}"]
    if play.memory.by == name:
        return [" ".join([play.line("go.here", name=name), *look_around(play, who)])]
    ways.go_where(play, noun)
    fresh = f"by {name}" not in play.memory.lines
    sentence = told_of(play, noun) if fresh else ""
    if fresh and not sentence and not is_ordinary(act):
        return []
    play.note(f"by {name}")
    play.productive = True
    worn = sentence.rstrip(".").casefold() in play.table.worn
    shown = play.line("go.piece", piece=lowered(piece)) if worn and (piece := piece_of(sentence, noun)) else sentence
    there = _there(play, who, act, name)
    keeper = keeper_of(play, sentence)
    if keeper is not None and keeper not in play.known.present and company.findable(play, keeper):
        play.note(f"here {keeper.id}")
        play.note(f"done came {keeper.id}")
    if keeper is not None and keeper not in play.known.present:
        shown = " ".join(part for part in (shown, seek(play, keeper)) if part)
    people = [play.known.call(each) for each in play.known.present[:3]]
    here = play.line("see.people" if len(people) > 1 else "see.person", people=listed(people)) if people else ""
    last = "" if shown or here else play.line("go.told", name=f"at {name}")
    return [" ".join(part for part in (there, shown, here, last) if part)]


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
    deed = "" if _WALK.search(act.text) or not _HAS_SUBJECT.match(act.text) else deed_of(play, who, act)
    again = play.memory.lines.count(f"by {name}") > 1
    return deed or play.line("go.again" if again else "go.near", name=name)


_HAS_SUBJECT = re.compile(r"(?i)\W*(?:then |now |so |and |ok(?:ay)?,? )*(?:i|we)\b")


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
_APART = re.compile(r"(?i)\b(?:split up|spread out|fan out|go separate ways|divide and)\b")
_WALK = re.compile(
    r"(?i)\b(?:go|going|goes|walk|head|travel|return|get (?:to|going|out|away|moving|back|over)|move|come|leave|visit"
    r"|make (?:my|our) way|set (?:out|off)|off to|back to|follow|cross over|hurry|over to|take)\b"
    r"|^\W*(?:back |over |not .*[;,] ?)?(?:to )?the\b"
)
"""Words for plainly getting somewhere: that is told as the way, and else it is told how somebody got there."""
_MOVES = frozenset(
    stem(word)
    for word in (
        "go back return walk head way road take follow out over quick quickly now again place straight inside outside"
        " indoors outdoors upstairs downstairs further farther ahead onward onwards forward forwards deeper path left"
        " right other first last next step climb leave move enter come run off away along continue proceed close closer"
        " open air walking going keep carry slowly carefully quietly"
    ).split()
)


def way(play: Play, act: Act) -> Entity | None:
    """Where somebody means to go who does not give it its name."""
    known = play.known
    topic = topic_of(play, act) - _MOVES
    if not topic or act.target is not None:
        return None
    if topic & _HOME and (home := lies_at(play, "")) is not None:
        return home
    far = [each for each in known.entities if each.kind == "part" and each not in known.parts]
    named = next((part for part in (*known.parts, *far) if topic & stems(part.name)), None)
    if named is not None:
        return named
    if not _WALK.search(act.text) and is_ordinary(act) and destination(act.text):
        return None
    shown = next((part for part in known.parts if topic & what_it_is(play, part)), None)
    told = {play.world.facts[key].owner for key in play.memory.told if key in play.world.facts}
    shown = shown or next((part for part in far if part.id in told and topic & what_it_is(play, part)), None)
    if shown is not None:
        return shown
    if any(was_named(play, stem(word)) for word in words(destination(act.text))):
        return None
    read = best(list(known.papers.facts), topic)
    if read is not None:
        found = [e for e in found_by(read.text, known.entities) if e.kind in ("place", "part") and e is not known.place]
        if found:
            return found[0]
    return None


_HOME = stems("village town hamlet settlement city")
"""What the place is called where the evening began."""
