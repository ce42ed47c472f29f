"""Whom or what a clause is about: the names in it, who is spoken to, and what its topic is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sottovoce.rulesets.tabletop.house.nouns import head_of
from sottovoce.rulesets.tabletop.house.verbs import LEXICON, lemma_of
from sottovoce.rulesets.tabletop.rules.lore.facts import OFFICES, Entity
from sottovoce.rulesets.tabletop.rules.lore.language import content, stem, words

SPEECH = frozenset({"ask", "talk", "persuade", "lie", "threaten"})
"""Acts that are words to somebody."""


_PRONOUNS = {"she": "she", "her": "she", "he": "he", "him": "he", "his": "he", "them": "they", "they": "they"}


_OFFICE_WORDS = {
    other: office
    for office, others in {
        "innkeeper": "landlord landlady barkeep bartender barman barmaid publican host hostess",
        "trader": "shopkeeper",
        "guard": "watchman sentry",
        "healer": "medic mender",
        "constable": "officer policeman",
    }.items()
    for other in others.split()
}
_MEANT = re.compile(r"(?i)\b(?:it|this|that)\b")
ANYBODY = {
    "man": "he", "fellow": "he", "gentleman": "he", "woman": "she",
    "lady": "she", "stranger": "", "person": "", "owner": "", "local": "", "guest": "", "people": "",
    "crowd": "", "villager": "",
}  # fmt: skip
"""What anybody can be called who is here, by the pronoun that it goes with."""
_PEOPLE = re.compile(
    rf"(?i)\b(?P<called>(?:the|that|this|those|these|an?|some) (?:(?!of\b|and\b|to\b|with\b)[a-z'-]+ ){{0,2}}?"
    rf"(?P<noun>{'|'.join(sorted(OFFICES | {*_OFFICE_WORDS, *ANYBODY}, key=len, reverse=True))}|lord|steward"
    r"|boy|lad|girl|lass|servant|soldier|sailor|child|children|elder|witch|wizard|thief|bandit|beggar|king|queen"
    r"|corpse|body|prince|princess|duke|duchess|baron|baroness|chief|chieftain|villager|townsfolk|monk|nun|nurse|maid"
    r"|waiter|waitress"
    r"|judge|lawyer|bard|minstrel|drunk|customer|patron|visitor|traveller|traveler|monster|creature|beast"
    r"|[a-z-]+(?:men|women|man|woman|folk|keeper|smith|catcher|monger|maker|wife))(?:e?s)?)\b"
)
"""Somebody who is called by what they are."""
_SPOKEN_OF = re.compile(r"(?i)\b(?:about|of|that|if|whether|who|what|where|why|how|like|than|because)\b[^,]*$")
_ADDRESSED = re.compile(
    r"(?i)\b(?:ask|tell|question|threaten|menace|intimidate|persuade|convince|promise|warn|greet|thank|beg"
    r"|flatter|accuse"
    r"|call|hail|reassure|assure|interrogate|bluff|trick|deceive|mislead|with|to|from|at|address|approach|beside|hear"
    r"|demand of|scold|insult|compliment|congratulate|answer|yell at|introduce myself to|urge|consult)(?: out)? $"
)
_TOWARDS = re.compile(
    r"(?i)(?:\b(?:at|for|to|with|beside|behind|near|next to|after|from|follow|follows|visit|visits|see|meet|find|join"
    r"|chase|watch|approach|search|face|study|examine|inspect|observe|question|eye)|^\W*(?:i |we )?[a-z]+) $"
)


@dataclass(frozen=True, slots=True)
class Act:
    """One act. `target` is an entity or a character; `thing` what is given, shown or used; `topic` stems of the rest.

    `meant` says that the target was not named: it is who was spoken to last. `nobody` is what somebody was called
    whom the words are for and who is not to be found: `the warden`. `head` is the stem of the deed's first noun.
    `given` is the condition that the act stands under, and `otherwise` what is done where it does not hold. `to` are
    those of the party whom words are for; none where they are for all.
    """

    kind: str
    text: str
    target: str | None = None
    thing: str | None = None
    topic: frozenset[str] = frozenset()
    skill: str = ""
    denied: str = ""
    meant: bool = False
    nobody: str = ""
    head: str = ""
    given: str = ""
    otherwise: str = ""
    to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """What the words can mean here: entities that may be named, the party's first names, who was spoken to last.

    `mate` is the one of the party to whom the speaker's last words were; `interrupted` says that others spoke since.
    `talking` says that the speaker's words before these were for somebody who is here, and `eyes` is what was looked at
    or pointed out last.
    """

    entities: tuple[Entity, ...]
    party: Mapping[str, str]
    present: tuple[str, ...] = ()
    last: str | None = None
    speaker: str = ""
    last_thing: str | None = None
    spoken: str | None = None
    mate: str | None = None
    interrupted: bool = False
    talking: bool = False
    eyes: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A name found in a text."""

    start: int
    end: int
    id: str
    kind: str


@lru_cache(maxsize=8192)
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'’])(?:the )?{re.escape(name)}(?:['’]s|s)?(?![\w])")


def named(text: str, scene: Scene) -> list[Named]:
    """The entities and characters that the text names, the longest name first where names overlap."""
    low = text.casefold().replace("’", "'")
    hits: list[tuple[int, int, Named]] = []
    heads: dict[str, list[Entity]] = {}
    for entity in scene.entities:
        for name in entity.names:
            name = name.replace("’", "'")
            if name in low:
                hits += [
                    (-len(name), found.start(), Named(found.start(), found.end(), entity.id, entity.kind))
                    for found in _pattern(name).finditer(low)
                    if entity.kind != "person" or " " in name or not _of_another(text, found.start(), entity)
                ]
        if entity.kind == "person":
            hits += [
                (-len(found[0]), found.start(), Named(*found.span(), entity.id, "person"))
                for found in _titled(entity, scene, low)
            ]
        here = entity.kind in ("part", "thing", "place") or entity.id in scene.present
        last = entity.name.casefold().replace("’", "'").split(" of ")[0].split()[-1]
        if entity.kind in ("part", "thing", "place") and here and last not in entity.names and len(last) > 3:
            heads.setdefault(last, []).append(entity)
        for office in entity.offices if entity.kind == "person" else ():
            heads.setdefault(office, []).append(entity)
    for word, office in _OFFICE_WORDS.items():
        if office in heads and word in low:
            heads.setdefault(word, []).extend(heads[office])
    for head, entities in heads.items():
        near = [each for each in entities if each.id in scene.present] or entities
        if len({each.id for each in near}) == 1 and head in low:
            hits += [
                (-1, found.start(), Named(found.start(), found.end(), near[0].id, near[0].kind))
                for found in _pattern(head).finditer(low)
                if not _PART_OF.match(low[found.end() :])
                if head in OFFICES
                or head in _OFFICE_WORDS
                or re.search(
                    r"\b(?:the|that|this|a|an|to|into) (?:[\w'-]+ )?$",
                    low[: found.start()] + ("the " if low[found.start() :].startswith("the ") else ""),
                )
            ]
    for first, seat in scene.party.items():
        first = first.replace("’", "'")
        if seat != scene.speaker and first.casefold() in low:
            hits += [
                (-len(first) - 1, found.start(), Named(found.start(), found.end(), seat, "companion"))
                for found in _pattern(first.casefold()).finditer(low)
            ]
    taken: list[Named] = []
    for _, _, hit in sorted(hits, key=lambda each: (each[0], each[1], each[2].id)):
        if not any(hit.start < other.end and other.start < hit.end for other in taken):
            taken.append(hit)
    return sorted(taken, key=lambda each: each.start)


_PART_OF = re.compile(r" (?:gate|wheel|pond|door|wall|bridge|roof|window|owner|keeper)s?\b")
"""What follows a place's name where the words mean something of it: `the weir gate`."""
_HE, _SHE = "mr|master|sir|lord|brother|father|goodman|old", "mrs|ms|miss|mistress|lady|madam|dame|sister|mother|old"


def _titled(entity: Entity, scene: Scene, low: str) -> list[re.Match[str]]:
    """Where somebody is called by a title and the last of their names: `Master Thole`, of two Tholes."""
    own = words(entity.name)
    if len(own) < 2 or not any(word in name for word in own for name in entity.names) or own[-1] not in low:
        return []
    alike = [
        e
        for e in scene.entities
        if e.kind == "person" and words(e.name)[-1:] == own[-1:] and words(e.name)[0] in " ".join(e.names)
    ]
    titles = {"he": _HE, "she": _SHE}.get(entity.pronoun, f"{_HE}|{_SHE}")
    found = list(re.finditer(rf"(?<![\w'’])(?:{titles})\.? {re.escape(own[-1])}(?![\w])", low))
    if not found and len(alike) == 1 and own[-1] not in entity.names:
        found = list(re.finditer(rf"(?<![\w'’]){re.escape(own[-1])}(?![\w])", low))
    return found


def _of_another(text: str, at: int, entity: Entity) -> bool:
    """Whether a name stands behind another's first name: `Marsh` in `Oswin Marsh` is not Tobit Marsh."""
    before = text[:at].split()
    if not before or not text[:at].endswith(" ") or not before[-1][:1].isupper() or not before[-1][-1:].isalnum():
        return False
    word, begins = before[-1].casefold(), len(before) == 1
    return word not in words(entity.name) and word not in HONORIFICS and not (begins and word in STARTS)


def stands_alone(text: str, name: str, entity: Entity) -> bool:
    """Whether a text has a name that is not the last of another's: `Marsh`, and not `Oswin Marsh`."""
    found = _pattern(name.replace("’", "'")).finditer(text.casefold().replace("’", "'"))
    return any(" " in name or not _of_another(text, each.start(), entity) for each in found)


STARTS = frozenset(
    "i ask tell is does did was has can could would so and but where who what why when how the then next later now"
    " maybe perhaps well please hey hello talk go follow find visit help show give greet thank hi thanks sorry bye"
    " goodbye cheers evening morning night ok okay yes no oh ah listen look sure right quiet hush easy come"
    " dear".split()
)
"""Words with a capital at the beginning of a sentence that are no first name."""
HONORIFICS = frozenset(
    "dr mr mrs ms sir lady lord captain sergeant lieutenant constable magistrate governor father mother brother sister"
    " master mistress dame old young count countess king queen prince princess i".split()
)


def called_in(clause: str, names: Sequence[Named]) -> Named | None:
    """Who is spoken to by name: at the beginning before a comma, or at the end after one."""
    for each in names:
        if each.kind not in ("person", "companion"):
            continue
        head, tail = clause[: each.start].strip(" ”\"'"), clause[each.end :].strip(" ”\"'")
        opener = re.fullmatch(
            r"(?i)(?:(?:hey|psst|so|and|but|well|please|excuse me|dear|my dear|tell me|good (?:evening"
            r"|morning|day|night|afternoon)|evening|morning|night|bye|goodbye|cheers|well met|hello|hi|thank you"
            r"|thanks|sorry|listen|look|trust me|come|now|yes"
            r"|no),? ?)*(?:the )?",
            head,
        )
        if opener and tail.startswith((",", ":", "!", "-", "–", "?")) and tail.strip("!?.,"):
            return each
        if opener and _GREETED.search(head):
            return each
        if re.search(r",(?: dear| my| good| old)*$", head) and not tail.strip("?!. "):
            return each
    return None


_GREETED = re.compile(
    r"(?i)\b(?:hi|hello|hey|thanks|thank you|sorry|bye|goodbye|cheers|evening|morning|night|day|met)\W*(?:the )?$"
)


def addressed(clause: str, name: Named) -> bool:
    before = clause[: name.start]
    return bool(
        re.search(
            r"(?i)\b(?:ask|asks|tell|tells|turn to|turns to|whisper to|talk to|talk with|speak to"
            r"|speak with|say to|says to|look to|consult|question|chat with|nudge|confer with|check with"
            r"|remind)\s+$",
            before,
        )
    )


def aimed(
    kind: str, clause: str, names: Sequence[Named], scene: Scene, before: Sequence[Act], vocative: Named | None = None
) -> Act:
    """The act with whom or what it is about."""
    people = [each for each in names if each.kind == "person"]
    things = [each for each in names if each.kind == "thing"]
    places = [each for each in names if each.kind in ("place", "part")]
    target: Named | None = vocative
    if target is None and kind in SPEECH | {"show", "give", "attack", "help"}:
        after = [
            each
            for each in people
            if re.search(
                r"(?i)\b(?:ask|asks|tell|tells|to|with|at|from|give|gives|show|shows|hand|hands|offer"
                r"|offers|pay|help|helps|for|attack|convince|persuade|threaten|question|of|warn|greet"
                r"|thank|reassure|assure|promise|beg|calm|buy|bribe|intimidate)\s+$",
                clause[: each.start],
            )
        ]
        if _TO_PRONOUN_FIRST.match(clause):
            after, people = [], []
        if kind == "ask" and not re.search(
            r"(?i)\b(?:ask|question|tell|find out from|from|inquire|interrogate|speak|talk|want to know from)", clause
        ):
            after = []
        if kind == "ask" and after:
            after = [
                each
                for each in after
                if not re.search(r"(?i)\b(?:about|of|who) (?:[\w']+ )?(?:to |of )?$", clause[: each.start])
            ] or []
        target = after[0] if after else None
        if target is None and people and kind != "ask":
            target = people[0]
        if target is None and kind in ("attack", "help"):
            target = (things + places)[0] if things + places and kind == "attack" else None
    elif target is None and kind == "go":
        ends = [each for each in places if not _LEFT.search(clause[: each.start])]
        towards = [each for each in ends if _TO.search(clause[: each.start])]
        target = next(iter(towards + ends + people + things), None)
    elif target is None and kind in ("take", "use", "hide"):
        target = (things + places + people)[0] if things + places + people else None
    elif target is None:
        target = names[0] if names else None
    found = target.id if target else None
    meant = False
    called = _called(clause, kind) if found is None or (target is not None and target.kind != "person") else None
    if called is not None:
        somebody = _anybody(called["noun"], called["called"], scene)
        if somebody is None and target is None:
            return Act(kind, clause, topic=topic_in(clause, ()), nobody=called["called"].casefold())
        found = somebody or found
    if found is None and kind in SPEECH | {"show", "give", "attack", "help", "look"} | (
        {"go"} if _AFTER.search(clause) else set()
    ):
        found = _meant(clause, scene, before, kind)
        meant = found is not None
    thing = things[0].id if things and (target is None or things[0].id != target.id) else None
    if thing is None and kind in ("show", "give") and _MEANT.search(clause) and not any(act.head for act in before):
        thing = scene.last_thing
    if kind in ("use", "take", "look", "hide", "attack") and found is None and _stands_for_a_thing(clause):
        found = next(
            (
                each
                for act in reversed(before)
                for each in (act.target, act.thing)
                if each and each not in {one.id for one in scene.entities if one.kind == "person"}
            ),
            None,
        ) or (None if any(act.head for act in before) else scene.last_thing)
    about = [each for each in names if target is None or each != target]
    topic = topic_in(clause, [target] if target else ())
    thing = thing or next((each.id for each in about), None)
    return Act(kind, clause, found, thing, topic, meant=meant, head=head_of(clause))


_AFTER = re.compile(r"(?i)\b(?:after|follow|behind|to|with) (?:him|her|them)\b")
_TO_PRONOUN_FIRST = re.compile(
    r"(?i)\W{0,9}(?:then |and )?(?:i|we) (?:\w+ly )?(?:ask|tell|promise|warn|show|give|offer|assure|remind"
    r"|hand) (?:him|her|them)\b"
)
"""Words to somebody who is only called `him` or `her`, whoever is named behind that."""
_LEFT = re.compile(r"(?i)\b(?:out of|away from|from|leave|leaving|past|behind us)(?: the| this)? $")
_TO = re.compile(r"(?i)\b(?:to|into|in|inside|towards?|for|onto|up|at|visit|see)(?: the| this| that)? $")
"""What stands before a place that one leaves, and before one that one goes to."""


def _stands_for_a_thing(clause: str) -> bool:
    """Whether `it` stands for something said before: no noun of the clause itself comes before it."""
    found = _MEANT.search(clause)
    return found is not None and not re.search(
        r"(?i)\b(?:the|a|an|my|our|his|her|their|that|this)\b", clause[: found.start()]
    )


def _called(clause: str, kind: str) -> re.Match[str] | None:
    """Whom the words of a clause are for, or whom it goes to or looks at, called by what they are."""
    if kind not in SPEECH | {"show", "give", "attack", "help", "go", "look", "search", "wait"}:
        return None
    for found in _PEOPLE.finditer(clause):
        before = clause[: found.start()]
        theirs = clause[found.end() :].startswith(("'s", "’s"))
        if theirs and kind not in ("help", "attack") and not _DEAD.search(found[0]):
            continue
        if kind in ("look", "search", "go") and _COMPOUND.match(clause[found.end() :]):
            continue
        if _SPOKEN_OF.search(before):
            return None
        if kind in ("attack", "help", "show", "give") or (_ADDRESSED if kind in SPEECH else _TOWARDS).search(before):
            return found
    return None


_COMPOUND = re.compile(
    r" (?!and\b|or\b|is\b|are\b|who\b|with\b|in\b|at\b|on\b|by\b|from\b|to\b|for\b|as\b|again\b|there\b|here\b|of\b"
    r"|near\b|behind\b|beside\b|while\b|when\b|over\b|out\b|up\b|down\b|more\b|if\b|so\b|but\b|we\b|i\b|before\b"
    r"|after\b"
    r"|into\b|through\b|around\b|back\b|home\b|outside\b|inside\b|\w+ly\b)[a-z]+"
)
"""What follows somebody's office where the words mean a thing: `the guest book`."""


_DEAD = re.compile(r"(?i)\b(?:dead|corpse|body)\b")


def _anybody(noun: str, called: str, scene: Scene) -> str | None:
    """Who of those here can be called so, where it can be anybody."""
    if _DEAD.search(called):
        return next((each.id for each in scene.entities if each.kind == "person" and each.gone), None)
    noun = noun.casefold() if noun.casefold() in ANYBODY else noun.casefold().rstrip("s")
    if noun not in ANYBODY:
        return None
    pronoun = ANYBODY[noun]
    here = {each.id: each for each in scene.entities if each.id in scene.present}
    like = [word for word in called.casefold().split()[1:-1] if word not in ("nearest", "closest", "next", "first")]
    fits = [k for k, e in here.items() if pronoun in ("", e.pronoun) and all(word in words(e.name) for word in like)]
    return next((key for key in (scene.last, *scene.present) if key in fits), None)


_HURT = re.compile(r"(?i)\b(?:wounds?|body|corpse|pulse|cause of death)\b")
"""What one looks for on the dead."""


def _meant(clause: str, scene: Scene, before: Sequence[Act], kind: str) -> str | None:
    """Who a pronoun stands for, or who is spoken to where nobody is named."""
    subjects = ("she", "he", "they") if kind == "look" else ()
    pronoun = next((_PRONOUNS[word] for word in words(clause) if word in _PRONOUNS and word not in subjects), None)
    people = {each.id: each for each in scene.entities if each.kind == "person"}
    earlier = next((act.target for act in reversed(before) if act.target in people), None)
    spoken = scene.spoken if scene.spoken in scene.present else None
    dead = next((key for key, each in people.items() if each.gone), None) if _HURT.search(clause) else None
    near = (dead, earlier, spoken, scene.last, *scene.present)
    of_us = re.search(r"(?i)\b(?:you|(?:should|shall|could|must|can) (?:i|we))\b", clause) is not None
    about = not TO_PRONOUN.search(clause) or (kind == "ask" and of_us)
    if kind in SPEECH and pronoun and about:
        # whoever a question is about is not the one who is asked
        asked = [k for k in near[1:] if k in people and people[k].pronoun not in (pronoun, "they")]
        if spoken:
            return spoken
        return next(iter(asked), None) or (spoken if kind != "ask" else None)
    for candidate in near:
        if candidate in people and pronoun and people[candidate].pronoun in (pronoun, "they"):
            return candidate
    if (kind in SPEECH and not pronoun) or (kind in SPEECH and kind != "ask"):
        if earlier:
            return earlier
        if kind == "ask" and spoken:
            return spoken  # a newcomer does not take over the talk
        return scene.last if scene.last in scene.present else None
    return None


TO_PRONOUN = re.compile(
    r"(?i)\b(?:ask|asks|tell|tells|question|threaten|persuade|convince|promise|warn|greet|thank|beg|flatter|accuse|call"
    r"|reassure|interrogate|bluff|trick|deceive|with|to|from|at|address|approach|hear|demand of|scold|insult|compliment"
    r"|answer|urge|show|give|hand|offer|press|calm|comfort|bribe|pay|wish|pat|clap|hug|embrace|nudge|poke|kiss|slap"
    r"|invite|let|make|get|want|need|order) (?:her|him|them)\b"
    r"|\b(?:shake|squeeze|pat|kiss|take|hold|around|on) (?:his|her|their) (?:hand|shoulder|arm|back|cheek)s?\b"
)
"""Words to somebody who is only called `him` or `her`."""


_NO_TOPIC = frozenset({"ask", "talk", "persuade", "look", "search", "go", "wait"})


def topic_in(clause: str, without: Iterable[Named | None]) -> frozenset[str]:
    """The stems that say what it is about."""
    text = clause
    for each in sorted((one for one in without if one), key=lambda one: -one.start):
        text = f"{text[: each.start]} {text[each.end :]}"
    return frozenset(
        stem(word) for word in content(text) if len(word) > 2 and LEXICON.get(lemma_of(word)) not in _NO_TOPIC
    )
