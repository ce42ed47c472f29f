"""Patterns of sentences that give away a role, a night action or a motive (M-104).

The text is normalised and marked (`narration_rules`): names and roles are single characters here, so that each pattern
is short. A pattern matches a person by name, in the second person, by a pronoun or as the person in front of the
narrator; or no one by name, if the mere fact is hidden. Questions, suppositions and reports disclose nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

NAME = "[\ue000-\uf8ff]"
DOCTOR, DETECTIVE, JESTER, MAFIA, VILLAGER = "\x10\x11\x12\x13\x14"
ROLE_MARKS: Mapping[str, str] = {
    "doctor": DOCTOR,
    "detective": DETECTIVE,
    "jester": JESTER,
    "mafia": MAFIA,
    "villager": VILLAGER,
}
ROLE = f"[{''.join(ROLE_MARKS.values())}]"
POWER = f"[{DOCTOR}{DETECTIVE}]"
SINGLE = f"[{DOCTOR}{DETECTIVE}{JESTER}]"

SIDES: Mapping[str, str] = {
    r"(?:a |the |our )?(?:kill|murder)ers?|assassins?|guilty|one of them|wolf|(?:one of )?the night's own": MAFIA,
    r"innocent|honest|clean": f"{VILLAGER}{DOCTOR}{DETECTIVE}{JESTER}",
    r"(?:\w+'s )?(?:healers?|physician|medic|surgeon)": DOCTOR,
    r"(?:\w+'s )?(?:investigator|sleuth|inspector)": DETECTIVE,
    r"fool of this (?:tale|story|town)|trickster": JESTER,
}
"""Other words for a role, with the roles of which they are true."""
SIDE = "|".join(f"(?:{words})" for words in SIDES)

IS = (
    r"(?:is|are|art|was|were|wast|be|been|being|isn't|aren't|wasn't|weren't|'re|'s|remains?|plays?|played|playing"
    r"|serves?|served|proves?|proven?|becomes?|became|turns? out)"
)
FILL = (
    r"(?:[\s,'\x22*(]{0,3}(?:not|never|no|none other than|truly|really|secretly|indeed|surely|just|only|still|once"
    r"|always|all along|the|a|an|our|your|its|of|one|to be|as|anything but|been|in truth|for|with|role|on|in)\b){0,6}"
    r"[\s,'\x22*(]{1,3}"
)
WHO = (
    rf"(?:{NAME}|(?<!among )(?<!of )(?<!between )\b(?:you|thou|he|she|they|this one|this (?:man|woman|soul"
    rf"|neighbour)|the (?:accused|condemned|nominee"
    r"|defendant|prisoner|victim|corpse|body|deceased|dead(?: man| woman| one)?))\b)"
)
DEATH_DOOR = r"(?:door|bed|bedside|threshold|window)"
BY_NO_VOTE = r"(?! by (?:\w+ ){0,4}(?:votes?|town|townsfolk|ballot)\b)"


def _stated(holder: str) -> str:
    return (
        rf"(?P<who>{WHO})(?P<p>(?:, {NAME},)?(?:(?!\b(?:who|which|whether|what)\b)[^,;:]){{0,24}}?\b{IS}\b{FILL})"
        rf"(?P<what>{holder})(?!'s )"
    )


@dataclass(frozen=True, slots=True)
class Rule:
    """`gives` says what a match gives away. Without `of_all`, a match about the announced dead says nothing."""

    gives: str
    pattern: str
    of_all: bool = True

    def found_in(self, sentence: str) -> Iterator[re.Match[str]]:
        return _compiled(self.pattern).finditer(sentence)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled at the first narration: most commands read none."""
    return re.compile(pattern)


_rule = Rule


ROLES = "a role that is not public"
WORK = "what was protected, investigated or attempted at night"
MOTIVE = "what somebody keeps secret: a motive, a plan, or whether they lie"

STATEMENTS: tuple[Rule, ...] = (
    _rule(ROLES, _stated(ROLE)),
    _rule(ROLES, _stated(SIDE)),
    _rule(ROLES, rf"(?P<who>{WHO}) (?:belongs?|belonged) to (?P<what>no side|the {MAFIA})"),
    _rule(ROLES, rf"(?P<who>{WHO}) (?:is|are|was|were|plays?) (?:not )?(?:on the side of|for"
        rf"|with) (?P<what>the town)\b"),
    _rule(ROLES, rf"(?P<what>{ROLE})(?:'s)? (?:name )?(?:is|was|are|were)(?: \w+){{0,3}} (?P<who>{NAME})$"),
    _rule(ROLES, rf"(?P<what>{ROLE})[^;?]{{0,60}} (?:name is|is called|is named|called) (?P<who>{NAME})$"),
    _rule(ROLES, rf"(?P<who>{NAME})[^;?]{{0,30}}\bone of the (?P<what>{MAFIA})"),
    _rule(ROLES, rf"\byour (?:\w+ )?(?P<what>{MAFIA}|{SINGLE}'s)(?P<who>)"),
    _rule(ROLES, rf"(?P<who>{NAME})[^;?]{{0,30}}\b(?:hides?|hid|has|carries|carried|wears?|wore|bears?) (?:an? |the )?"
                 rf"(?P<what>{ROLE})(?:'s)? (?:card|heart|coat|bag|mask|face|part|badge|lamp|soul|mark)"),
    _rule(ROLES, rf"(?P<who>{NAME}),(?: like {NAME},)? (?:an? |the |our )?(?P<what>{ROLE}"
        rf"|\b(?:{SIDE})\b)(?= ?(?:,|$)| (?:in|to|of|with|at)\b)"),
    _rule(ROLES, rf"\b(?:the )?(?P<what>{MAFIA})'s own \w+, (?P<who>{NAME})"),
    _rule(ROLES, rf"\bof all the (?P<what>{MAFIA}),? (?P<who>{NAME})"),
    _rule(ROLES, rf"(?P<who>{NAME}),? (?:like|as) {NAME},? (?:is|was) (?P<what>{ROLE})"),
    _rule(ROLES, r"\b(?:blood on (?:his|her|their|your) hands|the hand that killed)\b.*(?P<what>)(?P<who>)"),
    _rule(ROLES, rf"(?P<who>{NAME}) (?:has |had )?(?P<what>)(?:killed|murdered|slew|slain|stabbed|strangled) {NAME}"),
    _rule(ROLES, rf"{NAME}[^;?]{{0,20}}\b(?:by the hand of|killed by|murdered by) (?P<who>{NAME})(?P<what>)"),
    _rule(ROLES, rf"\bit was (?P<who>{NAME}) who (?P<what>)(?:killed|murdered|struck)"),
)  # fmt: skip
"""Somebody is linked with a role. `who` is the somebody, `what` the role: both may match nothing."""

HIDDEN: tuple[Rule, ...] = (
    # a voice that speaks to a role
    _rule(
        ROLES,
        r"\b(?:speak|you|your|come forward|step (?:up|forward)|answer|rise)\b"
        rf"[^;?]*, (?:the )?(?:{SINGLE}|{MAFIA})\s*(?:,|$)",
    ),
    # whose role the dead had, and who still lives
    _rule(ROLES, rf"\b(?:lost|losing|buried|bury|mourns?|killed|kill|slew|murdered|hang|hanged|hanging"
        rf"|executed?) (?:\w+ )?"
                 rf"(?:a|an|our|its|their|your|the|one) (?:last |only |honest |simple |poor )?(?:{SINGLE}"
                 rf"|{VILLAGER}|innocent)"),
    _rule(ROLES, rf"(?:{SINGLE}|\ba {VILLAGER})(?:'s)? (?:of this town )?(?:is|was|has|lies|did not|didn't|died"
        rf"|will not|still)? ?"
                 r"(?:\w+ )?\b(?:dead|gone|alive|lives|cold|died|among the living|live to see|survive"
                 r"|at this table|left)\b"),
    _rule(ROLES, rf"\bit was (?:not )?(?:the |a )?(?:{SINGLE}|{VILLAGER}) (?:who|that)\b"),
    _rule(ROLES, rf"\b(?:have|has|had) the (?:{SINGLE}|{MAFIA}|{VILLAGER}) by\b"),
    _rule(ROLES, rf"\bthe {JESTER} (?:stands|stood|sits|wishes|wished|longs|wins)\b|\bas the {JESTER} (?:wished"
        rf"|wanted|hoped)"),
    _rule(ROLES, r"\b(?:hang|hanging|executing|execute) (?:an innocent|the wrong (?:one|man|woman|soul))\b"),
    _rule(ROLES, rf"\b(?:one|two|three|four|both|only \w+)(?: of the)? {MAFIA} (?:is|are|remains?|sits?|lives?"
        rf"|left|still)"),
    _rule(ROLES, rf"\b(?:one|two|three|both|neither|none|some|half)\b(?: \w+){{0,4}} (?:nominees?|accused|trial"
        rf"|stand|spoke|voted|names|today)"
                 rf"(?: today)? (?:is|are|was|were){FILL}{ROLE}"),
    _rule(ROLES, rf"{ROLE} (?:is|are|was|were) (?:among|one of) the (?:nominees|accused|names|three|two|candidates)"),
    _rule(ROLES, rf"\bno {MAFIA} (?:voted|nominated|spoke|stood|seconded)"),
    # what the Doctor and the Detective did
    _rule(WORK, rf"{POWER}(?:'s (?:\w+ )?(?:hands?|eyes?|lamp|lantern|gaze|bag))?(?: has| have| had)? (?:was"
        rf"|were|did|didn't|sat|stood|knelt|came"
                r"|went|chose|chosen|guess\w*|slept|looked|learn\w*|found|saw|seen|knows|knew|kept|fell|undid"
                r"|struck|\w+ed)\b"),
    _rule(WORK, rf"\b(?:thanks?|thank|owes?|owe)\b[^;?]{{0,30}} (?:the |our )?{POWER}"),
    # somebody was saved, or was to die
    _rule(WORK, r"\b(?:someone|somebody|a life|one life|a soul|one of you|one of us|a neighbour|a victim"
        r"|the victim|its victim)"
                r"(?: (?:was|were|has|had|is|been|who))*(?: \w+)?? (?:saved|protected|rescued|snatched|shielded"
                r"|guarded|healed|attacked)\b"),
    _rule(WORK, rf"{NAME} (?:lives|is alive|survived|woke|breathes|is here)\b[^;?]{{0,10}}\b(?:because|thanks to"
        rf"|only|for some)"),
    _rule(WORK, rf"\bsomebody (?:stood|sat|saved|protected|guarded|kept|watched)\b[^;?]*{NAME}"),
    _rule(WORK, r"\bdeath (?:was|went|came|found)?[^;?]{0,20}(?:turned away|hungry|the door (?:guarded|barred))\b"),
    _rule(WORK, rf"\b(?:came|went|gone) for {NAME}", of_all=False),
    _rule(WORK, rf"(?:\bkillers?|\bmurderers?|{MAFIA}|\bknife|\bknives|\bblade|\bdeath)[^;?]{{0,14}} (?:chose"
        rf"|wanted|struck at|meant for|aimed at|picked|attacked|sought) {NAME}", of_all=False),
    _rule(WORK, rf"{NAME}[^;?]{{0,12}}\b(?:should (?:be dead|have died)|(?:was|were) (?:meant|supposed|marked"
        rf"|chosen) to die|escaped death|owes? (?:his|her|their) life)"),
    _rule(WORK, rf"{NAME} (?:was|were|is) (?:not |never )?(?:protected|guarded|saved)\b{BY_NO_VOTE}|\b(?:nobody"
        rf"|no one) (?:protected|guarded|saved) {NAME}"),
    _rule(WORK, rf"{NAME}[^;?]{{0,24}}\b(?:keeps?|kept|guards?|guarded|watche[sd]|stood|sat|awake"
        rf"|saves?)\b[^;?]{{0,12}}(?:one of you|who guards you|{NAME}(?:'s)?(?: {DEATH_DOOR}| alive|\b))"),
    _rule(WORK, r"\b(?:the one who guards|decides? (?:it|who lives)|swore an oath to heal"
        r"|nobody will be protected)\b"),
    _rule(WORK, r"\byou (?:were|are|have been) (?:\w+ )?(?:saved|protected|guarded|watched over|investigated"
        r"|looked into|examined|unmasked|cleared)\b"),
    _rule(WORK, rf"\b(?:know|knows|knew|learned|learnt|learns|seen|saw|sees)\b(?: \w+){{0,5}}? (?:(?:what"
        rf"|who) (?:{NAME}|she|he|they|you) (?:is|are|was|were)|about {NAME}|{NAME}'s (?:role|true|heart|secret))"),
    _rule(WORK, rf"\b(?:looked|looks|peered|saw) into {NAME}'s|{NAME}'s true face|{NAME} (?:was|were"
        rf"|is) (?:cleared|unmasked|looked into|found out)"),
    _rule(WORK, rf"\b(?:eyes?|gaze|search|lantern)\b[^;?]{{0,14}} (?:fell|rested|led|lay|settled) (?:on|to"
        rf"|upon) {NAME}"),
    _rule(WORK, rf"\bfound (?:her|him|them|{NAME}) (?:honest|wanting|guilty|innocent|clean)\b"),
    _rule(WORK, r"\bunmasked in the (?:dark|night)\b"),
    # lies, plans, reasons
    _rule(MOTIVE, rf"(?:{NAME}|(?<!of )\byou)(?:,)?(?: \w+)? (?:lied|(?:is|are|was|were|has been"
        rf"|have been) lying|lies to|lie(?=\W*(?:,|;|$|{NAME})))"),
    _rule(MOTIVE, r"\b(?:word|words|tale|story|claim|grief|tears?)\b[^;?]{0,14} (?:is|are|was"
        r"|were) (?:all )?(?:a lie|lies|false|true|feigned)\b"),
    _rule(MOTIVE, rf"{NAME}[^;?]{{0,8}} (?:is telling|speaks|spoke|tells|told) (?:\w+ )?the truth\b"),
    _rule(MOTIVE, rf"{NAME} is (?:indeed |truly )?(?:who|what) (?:{NAME}|he|she|they) claims?\b"),
    _rule(MOTIVE, rf"(?:{NAME}|(?<!of )\byou) (?:pretends?|pretended|feigns?|feigned)\b"),
    _rule(MOTIVE, rf"{NAME} and {NAME} (?:are|were|work|share)\b[^;?]{{0,14}}\b(?:partners|together|allies"
        rf"|accomplices|a secret|in league|friends of the night)"),
    _rule(MOTIVE, rf"{NAME}'s (?:partner|accomplice|true plan|plan|secret)\b|{NAME} (?:is|was) (?:shielding"
        rf"|framing|covering for) {NAME}"),
    _rule(MOTIVE, rf"{NAME}[^;?]{{0,12}}\bwhispered\b[^;?]{{0,30}}(?:in the (?:night|dark)|{NAME})"),
    _rule(MOTIVE, rf"(?:{NAME}|(?<!of )\byou) (?:votes?|voted|nominates?|nominated|accuses?|accused|spares?"
        rf"|spared|speaks?|spoke|says|said)\b[^;?]{{0,40}}"
                  r"\b(?:because|so that|in order to|only to|to (?:protect|save|hide|turn|shield|kill|frame"
                  r"|avenge)\b(?! (?:himself|herself))|out of|for fear)"),
    _rule(MOTIVE, rf"(?:{NAME}|(?<!of )\byou,?) (?:\w+ )?(?:wants?|means|hopes?|plans?|longs?"
        rf"|intends?)\b[^;?]{{0,30}}\b(?:dead|hanged|hang|the rope|the gallows|kill|frame|win|this)\b"),
    _rule(MOTIVE, rf"{NAME} (?:secretly|privately)|\bonly i know why\b"),
    _rule(MOTIVE, rf"{NAME}[^;?]{{0,40}}\b(?:told|confided (?:to|in)|confessed to|admitted to|as (?:he|she"
        rf"|they) told) me\b"),
    _rule(MOTIVE, rf"{NAME} (?:wins|has won|will win)\b|\bit is what (?:he|she|they) wants?\b"),
)  # fmt: skip
"""Whatever matches gives something away, of whomever it speaks."""

_SENTENCES = re.compile(r"[^.!?;…\x02|]+[.!?;…\x02|'\x22)]*")
LONGEST = 300
OVERLAP = 60
"""A longer sentence is read in parts that overlap, so that the time taken stays linear in the text."""
_HINT = re.compile(
    rf"{NAME}|{ROLE}|\b(?:you|your|thou|he|she|they|this|the|someone|somebody|life|soul|death|one|two|three|both"
    rf"|none|some"
    r"|neighbour|victim|unmasked|hang|hanging|executing|execute|decides?|swore|nobody|only|blood|eyes?|gaze"
    r"|search|lantern"
    r"|word|words|tale|story|claim|grief|tears?|saved|found|know|knows|knew|learned|learnt|learns|seen|saw|sees"
    r"|it is|it was)\b"
)
"""Without one of these no sentence gives anything away: a cheap look before the thorough one."""
_ROPE = re.compile(r"\b(?:hang|hangs|hanging|swings?|dies|without|rope|fewer|less|caught)\b")
_OF_A_SIDE = re.compile(rf"{ROLE}|\b(?:murderer|killer)\b")
_INVERTED = re.compile(
    rf"[\W\d]*+(?:(?:and|but|or|so|then)\b|{NAME},?|\s)*+\W*+\b(?:is|are|was|were|am|do|does|did|has|have|had|can"
    rf"|could|will"
    r"|would|shall|should|may|might|who|whom|what|which|whose|where|why|how)\b"
)
_REPORTED = re.compile(
    rf"(?:{NAME}|\b(?:they|some|some here|somebody|someone|others|many|you|neighbours?|people|he|she"
    rf"|half the \w+))(?: \w+)?,? "
    r"(?:says?|said|claims?|claimed|swears?|swore|believes?|believed|thinks?|suspects?|suspected|fears?|feared"
    r"|insists?|insisted"
    r"|calls?|called|told (?:us|you|the town)|tells? (?:us|you)|accuses?|accused|asks?)\b(?:, that)?[^;,]*$"
)
_SUPPOSED = re.compile(r"\b(?:if|whether|suppose|unless|perhaps|maybe|as though|as if)\b[^;,]*$")
_AFTER_A_TURN = re.compile(r".*(?:\bbut\b|\byet\b|;)")
_EITHER = re.compile(r"(?: \w+){0,2},? or (?:else|some|fate|luck|you|it|not|he|she|they)\w*")
_CLAIMED = re.compile(
    rf"(?:{NAME}|\b(?:you|he|she))(?: \w+)?,? (?:says?|said|claims?|claimed|swears?|swore|insists?|insisted"
    rf"|told (?:us|you)"
    r"|calls?|called|believes?|believed|thinks?|suspects?|asks?|tells? us)\b(?:, that)?[^;,]*$"
)
_AS_SAID = re.compile(
    rf"\b(?:as|so) (?:{NAME}|you|he|she|they) (?:says?|said|claims?|claimed|told us|tells us)|\byou told us\b"
    rf"|\b(?:claims|claimed) to\b"
)


@dataclass(frozen=True, slots=True)
class Known:
    """What may be said: `public` are role marks by the mark of a name, `dead` the marks of the dead, `about` that of
    whom a scene is about, if anybody."""

    public: Mapping[str, str]
    dead: Collection[str]
    about: str | None = None


def told(marked: str, known: Known) -> Iterator[str]:
    """What the sentences of a marked text give away."""
    before: list[str] = []
    if _HINT.search(marked) is None:
        return
    for sentence in (match.group().strip() for match in _SENTENCES.finditer(marked)):
        for start in range(0, len(sentence), LONGEST - OVERLAP):
            part = sentence[start : start + LONGEST]
            if _HINT.search(part) is None:
                continue
            names = re.findall(NAME, part)
            yield from _told(part, names, before, known)
            before = names or before


def _told(sentence: str, names: list[str], before: list[str], known: Known) -> Iterator[str]:
    asked = "?" in sentence[-4:] and _INVERTED.match(sentence) is not None
    bare = sentence.rstrip(".!?;…\x02|'\x22) ")
    if asked:
        return
    for rule in STATEMENTS:
        for match in rule.found_in(bare):
            if not _hedged(bare, match) and not _public(match, names, before, known):
                yield rule.gives
    end = _OF_A_SIDE.search(bare) if names and _ROPE.search(bare) else None
    if end and not as_a_claim(bare, end.start()) and not _all_public(names, re.findall(ROLE, end.group()), known):
        yield ROLES
    for rule in HIDDEN:
        for match in rule.found_in(bare):
            if _hedged(bare, match):
                continue
            spoken_of = re.findall(NAME, match.group())
            if not rule.of_all and spoken_of and all(name in known.dead for name in spoken_of):
                continue
            if rule.gives is ROLES and _all_public(names or before, re.findall(ROLE, match.group()), known):
                continue
            yield rule.gives


def _hedged(sentence: str, match: re.Match[str]) -> bool:
    """Whether what is stated is only supposed, or reported as somebody's words."""
    lead = sentence[: match.start("what") if match.groupdict().get("what") else match.start()]
    turn = _AFTER_A_TURN.match(lead)
    lead = lead[turn.end() :] if turn else lead
    return bool(
        _REPORTED.search(lead)
        or _SUPPOSED.search(lead)
        or _AS_SAID.search(sentence)
        or _EITHER.match(sentence, match.end())
    )


def _public(match: re.Match[str], names: list[str], before: list[str], known: Known) -> bool:
    """Whether the role that a match states is public for whom it is stated of."""
    who, what = match["who"], match["what"]
    roles = re.findall(ROLE, what) or [
        side for words, sides in SIDES.items() if re.fullmatch(words, what) for side in sides
    ]
    if who and re.fullmatch(NAME, who):
        return known.public.get(who, "-") in roles or (not roles and who in known.public)
    return _all_public(names or before, roles, known)


def _all_public(names: list[str], roles: list[str], known: Known) -> bool:
    """Whether somebody who is spoken of has one of these roles in public; without a name, whom the scene is about."""
    spoken_of = names or ([known.about] if known.about else [])
    return any(known.public.get(name, "-") in roles or (not roles and name in known.public) for name in spoken_of)


def as_a_claim(sentence: str, end: int) -> bool:
    """Whether what stands at that place of a sentence is supposed there, or is what a player has said aloud."""
    lead = sentence[:end]
    return bool(_CLAIMED.search(lead) or _SUPPOSED.search(lead) or _AS_SAID.search(sentence))
