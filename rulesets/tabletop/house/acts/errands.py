"""What comes of what one of the party does because another has asked for it: a watch, a way up, a paper read out."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.outcomes import outcome_of
from sottovoce.rulesets.tabletop.house.acts.papers import PAPER, read_out
from sottovoce.rulesets.tabletop.house.play import Play, Roll, capital
from sottovoce.rulesets.tabletop.house.targets import Act, head_of
from sottovoce.rulesets.tabletop.house.whole_party import is_for_all
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD
from sottovoce.rulesets.tabletop.rules.resources import HIT_POINTS


def _of(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)^[\w'’-]+ (?:[a-z]+ly |first )?(?:{words})\b")


_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("later", re.compile(r"(?i)^[\w'’-]+ (?:wakes|reminds|warns|calls|signals|lets) you\b|\bkeeps? you posted\b")),
    ("back", re.compile(r"(?i)\b(?:covers? you|(?:has|watches|keeps) your back)\b")),
    ("read", re.compile(r"(?i)\breads?\b")),
    (
        "heal",
        _of(
            r"heals?|bandages?|patch(?:es)?|treats?|cures?|stitch(?:es)?|dress(?:es)?|binds? (?:up )?(?:your|his"
            r"|her|their) (?:wounds?|arm|leg|head)|casts? cure"
        ),
    ),
    (
        "mend",
        re.compile(
            r"(?i)\b(?:looks? (?:at|after)|sees? to|checks?|examines?|cleans?) your (?:hand|arm|leg|head|foot"
            r"|wound|cut|shoulder|back|eye|finger|face|bruise|knee)s?\b"
        ),
    ),
    ("magic", re.compile(r"(?i)\bcasts?\b|\bdetects? magic\b|\buses? (?:\w+ ){0,2}(?:magic|spells?)\b")),
    (
        "inspect",
        re.compile(
            r"(?i)\blooks? (?:it|this|that|them|(?:the|this|that|these) [\w' -]{2,24}) over\b"
            r"|\b(?:looks? (?:closely )?at|examines?|inspects?|stud(?:y|ies)|uses? (?:her|his|their) (?:lens"
            r"|hand-lens|glass|instruments?|scanner|tools?) on) (?:it|this|that|these"
            r"|(?:this|that|the) (?:thing|object|artifact|stone|orb))\b"
        ),
    ),
    (
        "find",
        _of(
            r"finds? (?:you|us|some|a|an)|gathers?|forages?|collects?|fetch(?:es)? (?:some|water|wood|food|help)"
            r"|gets? (?:some|you some) "
        ),
    ),
    (
        "watch",
        re.compile(
            r"(?i)\b(?:keeps? (?:an eye|watch|a lookout|a look-out|guard|lookout)|watch(?:es)?|guards?"
            r"|minds? (?!you)|stands? (?:guard|watch)|covers?"
            r" (?:the|your|his|her|their) (?:door|back|rear|window|exits?|gate)|takes? (?:the )?(?:first |last "
            r"|second )?watch|listens? (?:for|out))\b"
        ),
    ),
    (
        "look",
        re.compile(
            r"(?i)\b(?:scouts?|tracks?|climbs?|peeks?|peers?|looks? (?:about|around|round|out|over|up|down"
            r"|behind|through|back|ahead)|(?:has|takes) a look (?:around|about|round|outside|inside)"
            r"|goes (?:and )?(?:looks?|sees?|checks?)|sneaks? (?:ahead|over|up|in|closer|inside)|checks? (?:if"
            r"|whether|what|who|the (?:way|road|back|next room|area|place)))\b|\b(?:looks?|sees?)\.?$"
        ),
    ),
    (
        "stay",
        _of(
            r"keeps? (?:her|his|their) [a-z]+ (?:calm|down|low|up|shut|still|quiet|open|steady|clear)|stays?"
            r"|waits?|remains?|sits?|stands?|rests?|hides?|lies|holds? (?:still|on|back)|keeps? (?:quiet"
            r"|still|back|low|down|close|together)|shuts?(?= up)|stops?|gets? (?:down|back|ready|behind)"
        ),
    ),
    (
        "come",
        _of(
            r"comes?|follows?|joins?|huddles?|gathers? (?:round|around|up)|regroups?|goes|leads?|walks?|runs?"
            r"|moves?|hurr(?:y|ies)|heads?|steps?"
            r"|takes? (?:the )?(?:left|right|point|lead|rear|front|back|middle|flank)|sticks?|backs?"
        ),
    ),
    (
        "hold",
        _of(
            r"holds?|keeps?(?! (?:(?:him|her|them) (?:talking|busy|company|occupied)|notes|an? (?:record|list)"
            r"|count|track)\b)|carr(?:y|ies)|takes?(?= (?:your|the"
            r"|this|that|his|her|their|its?|one|these|those|an?)\b)|grabs?|pockets?|packs?|lifts?"
            r"|picks? (?:(?:him|her|them|it|that) )?up"
        ),
    ),
    (
        "give",
        _of(
            r"gives?|shows?|hands?|offers?|pass(?:es)?|lends?|throws?(?= you)|toss(?:es)?|shares?|brings?|fetch(?:es)?"
            r"|gets? you|pours?"
        ),
    ),
    (
        "pray",
        _of(
            r"prays?|says? (?:an?|some|the|your) (?:\w+ )?(?:prayer|words?|blessing|grace)|bless(?:es)?"
            r"|speaks? (?:an?|some|the) (?:\w+ )?(?:prayer|words?|blessing)"
        ),
    ),
    (
        "perform",
        _of(
            r"sings?|plays?|dances?|whistles?|hums?|tells? (?:an?|the|you an?) (?:\w+ )?(?:story|tale|joke)"
            r"|juggles?|performs?|drums?|recites?"
        ),
    ),
    (
        "speak",
        _of(
            r"asks?|tells?|says?|talks?|speaks?|explains?|does the talking|apologi[sz]es?|greets?|thanks?|warns?"
            r"|introduces?|calms?|distracts?|charms?|flirts?|lies to|answers?|calls?|shouts?|whispers?"
            r"|writes? to|keeps? (?:him|her|them|[A-Z][\w'’-]+) (?:talking|busy|company|occupied|entertained)"
        ),
    ),
    (
        "write",
        _of(
            r"writes?|notes?|draws?|sketch(?:es)?|copies|marks?|maps?|keeps? (?:notes|an? (?:record|list)|count"
            r"|track)|makes? (?:an? )?(?:notes?|list|map|sketch)|takes? (?:notes?|that down|this down)"
            r"|puts? (?:that|this|it) (?:down|in)"
        ),
    ),
    (
        "help",
        _of(
            r"helps?|lends? (?:you )?a hand|gives? (?:you )?a (?:hand|leg up|boost)|assists?|supports?|pulls?"
            r"|push(?:es)?|boosts?"
        ),
    ),
    (
        "try",
        _of(
            r"tr(?:y|ies)|works? on|has a go|takes? a (?:turn|try|look)|figures?|sees? to|deals? with|fix(?:es)?"
            r"|repairs?|mends?|solves?|unlocks?|picks? (?!(?:\w+ )?up)|opens?"
        ),
    ),
)
_EFFECTS_OF_THEIR_OWN = re.compile(
    r"(?i)^[\w'’-]+ (?:looks? at|looks? for|examines?|inspects?|stud(?:y|ies)|search(?:es)?|asks?|questions?"
    r"|persuades?|convinces?|talks? to|speaks? (?:to|with)"
    r"|talks? with|threatens?|lies to|sneaks?|hides?|steals?)\b"
)
"""Deeds whose effects are those of anybody's."""
_BEAST = re.compile(
    r"(?i)\b(?:birds?|dogs?|cats?|horses?|crows?|ravens?|rats?|mice|mouse|goats?|animals?|beasts?|hens?|frogs?|owls?)\b"
)
_TO_THEM = re.compile(
    r"(?i)\b(?:gives?|shows?|hands?|pass(?:es)?|offers?|lends?|brings?) (?!you\b|the\b|an?\b|your\b"
    r"|some\b)[\w'’-]+ |\bto (?!you\b)[\w'’-]+"
)
_MANY = re.compile(r"(?i)\b(?:people|everyone|everybody|crowd|folks?|tables|guests|villagers|others)\b")
_SKILLED = {
    "inspect": "investigation",
    "look": "perception",
    "magic": "arcana",
    "heal": "medicine",
    "try": "investigation",
}


def errand_of(play: Play, who: str, told: str) -> Act | None:
    """The deed as an errand; None where its effects are those of anybody's deed."""
    kind = kind_of(told)
    if _BEAST.search(told) and re.match(r"[\w'’-]+ (?:asks|talks|speaks|questions|listens)\b", told):
        return Act("errand", told, head=head_of(told))
    people = [each for each in play.known.present if each.short.casefold() in told.casefold()]
    if not kind or (
        _EFFECTS_OF_THEIR_OWN.match(told)
        and kind not in ("look", "inspect", "mend")
        and (kind != "speak" or people or play.known.present)
    ):
        return None
    if (
        kind == "look"
        and _EFFECTS_OF_THEIR_OWN.match(told)
        and not re.search(r"(?i)\band (?:looks|tells)|\bsneaks? (?:ahead|over|up|in)", told)
    ):
        return None
    if kind == "inspect" and people:
        return None
    return Act("errand", told, head=head_of(told))


def kind_of(told: str) -> str:
    return next((kind for kind, pattern in _KINDS if pattern.search(told[:LONGEST])), "")


def errand_roll(who: str, act: Act) -> Roll | None:
    """The roll that an errand of skill takes."""
    skill = _SKILLED.get(kind_of(act.text), "")
    if kind_of(act.text) == "try" and re.search(r"(?i)\b(?:lock|door|padlock|chest|latch)\b", act.text):
        skill = "sleight of hand"
    return Roll(who, skill, f"{skill}: an errand", None) if skill else None


def errand(play: Play, who: str, act: Act) -> list[str]:
    """What comes of an errand: what is seen, what is read out, or how it is done."""
    kind = kind_of(act.text)
    need = errand_roll(who, act)
    fallen = play.rolled(need) if need is not None else None
    won = fallen is None or fallen.total >= HARD - 2
    them, their = play.table.sheet(who).pronouns[1:]
    name = play.name(who)
    slots = {"who": name, "them": them, "their": their}
    play.productive = True
    told = ""
    if kind == "read":
        thing = play.entity(play.memory.thing)
        it = None if PAPER.search(act.text) or thing is None else thing
        said = read_out(play, it.name if it is not None else act.text)
        facts = play.known.fresh(it.id, "sense", "property") if it is not None and not said else []
        said = said or (play.tell(facts[0]) if facts else "")
        told = play.line("errand.read", said=said, **slots) if said else play.line("errand.read.nothing", **slots)
    elif kind == "look":
        told = _report(play, won, slots)
    elif kind == "inspect":
        told = _inspected(play, act, won, slots)
    elif kind == "find":
        rest = re.search(r"(?i)\b(?:sleep|rest|camp|shelter|hide|bed|stay|sit|night)\b", act.text)
        told = play.line("errand.find.rest" if rest else "errand.find", **slots)
    elif kind == "heal":
        told = play.line(f"errand.heal{'' if _hurt(play) else '.none'}", **slots)
    elif kind == "magic":
        told = play.line("errand.magic" if won else "errand.magic.lost", **slots)
    elif kind == "give" and _TO_THEM.search(act.text) and not play.known.present:
        told = play.line("errand.speak.none", **slots)
    elif kind == "give" and _TO_THEM.search(act.text):
        heard = play.entity(play.memory.spoken) or play.known.present[0]
        call = play.known.call(heard if heard in play.known.present else play.known.present[0])
        topic = "errand.give.paper" if PAPER.search(act.text) else "errand.give.them"
        told = play.line(topic, name=call, Name=capital(call), **slots)
    elif kind == "speak" and _BEAST.search(act.text):
        told = play.line("errand.beast", **slots)
    elif kind == "speak" and _MANY.search(act.text):
        told = play.line("errand.speak.many", **slots)
    elif kind == "speak" and not play.known.present:
        told = play.line("errand.speak.none", **slots)
    elif kind == "speak":
        heard = play.entity(play.memory.spoken) or play.known.present[0]
        heard = heard if heard in play.known.present else play.known.present[0]
        call = play.known.call(heard)
        told = play.line("errand.speak", name=call, Name=capital(call), **slots)
    elif kind == "try":
        told = (outcome_of(play, who, act) if won else "") or play.line(
            "errand.try" if won else "errand.try.lost", **slots
        )
    elif kind in ("", "write"):
        turned_out = "" if re.match(r"[\w'’-]+ does\b", act.text) else outcome_of(play, who, act)
        told = turned_out or play.line("errand.write" if kind else "errand.done", **slots)
    else:
        told = play.line(f"errand.{kind}", **slots)
    if kind == "come" and re.match(r"(?i)[\w'’-]+ (?:goes|leads|heads|walks|runs|steps|moves|takes)\b", act.text):
        told = play.line("errand.go", **slots)
    if kind == "hold" and not re.search(r"(?i)\byour\b", act.text):
        told = play.line("errand.hold.any", **slots)
    question = play.table.ledger.questions.get(who, "")
    others = [
        each
        for each in play.table.state.played
        if each != who and not (play.personal and each == play.table.state.character)
    ]
    if (
        others
        and kind in ("stay", "come", "watch", "help", "look", "")
        and is_for_all(question.partition("*")[2].rstrip(" *"))
    ):
        told = f"{told} {play.line('errand.all' if len(others) > 1 else 'errand.both', other=play.name(others[0]))}"
    play.table.worn = f"{play.table.worn}\n{told.casefold()}"
    they = play.table.sheet(who).pronouns[0]
    if they != "they" and told.startswith(f"{name} "):
        told = f"{capital(they)}{told.removeprefix(name)}"
    return [told]


def _report(play: Play, won: bool, slots: dict[str, str]) -> str:
    """What somebody has to tell who went to look."""
    known = play.known
    if not won:
        return play.line("errand.look.lost", **slots)
    for owner in dict.fromkeys(each.id for each in (known.spot, known.place) if each is not None):
        facts = known.fresh(owner, "sense", "part")
        if facts:
            return play.line("errand.look", seen=play.tell(facts[0]), **slots)
    for part in known.parts:
        facts = [] if part is known.spot else known.fresh(part.id, "part")
        if facts:
            return play.line("errand.look", seen=f"There is {part.the}. {play.tell(facts[0])}", **slots)
    return play.line("errand.look.nothing", **slots)


def _inspected(play: Play, act: Act, won: bool, slots: dict[str, str]) -> str:
    """What a close look at a thing in hand shows: something that was not told of it yet, else nothing new."""
    known = play.known
    carried = [play.entity(key) for key in (play.memory.thing, *play.memory.carries)]
    named = re.search(r"(?i)\bthe (?!thing|object|artifact)[\w-]+ ", f"{act.text.rstrip('.')} ")
    for thing in (play.entity(act.target), *(() if named else carried)):
        facts = known.fresh(thing.id, "sense", "property") if thing is not None and won else []
        if facts:
            return play.line("errand.inspect", seen=play.tell(facts[0]), **slots)
    return play.line("errand.inspect.nothing" if won else "errand.try.lost", **slots)


def _hurt(play: Play) -> bool:
    """Whether the person's character has lost hit points."""
    who = play.table.state.character or ""
    now = play.table.state.resources.get((who, HIT_POINTS))
    most = (
        re.search(r"(?i)hit points[^0-9\n]{0,12}[0-9]{1,3} ?/ ?([0-9]{1,3})", play.table.sheet(who).text)
        if who
        else None
    )
    return bool(now is not None and now.amount is not None and most and now.amount < int(most[1]))
