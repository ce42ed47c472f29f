"""The patterns by which it is read who is said to be what (`sayings`).

A sentence comes normalised: as `plain` has it, contractions written out, a name as one character each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from sottovoce.rulesets.mafia.rules.roles import ROLES, Role

NAME = "[\ue000-\uf8ff]"
WORDS: Mapping[str, Role] = {
    **{role.lower(): role for role in ROLES},
    **{f"{role.lower()}s": role for role in ROLES},
    "mafioso": "Mafia",
    "mafiosi": "Mafia",
}
"""What a role is called."""


def _one_of(*words: str | Iterable[str]) -> str:
    """Any of the words, the longest first; a text is cut at its bars."""
    each = [word for given in words for word in (given.split("|") if isinstance(given, str) else given)]
    return f"(?:{'|'.join(sorted(each, key=lambda word: (-len(word), word)))})"


ROLE = _one_of(WORDS)
ONE = rf"(?:{NAME}|\b(?:i|me|he|she|they|him|her|them|you)\b)"
SEVERAL = rf"(?:{ONE}(?:,? (?:and|&|or|nor) |, )){{0,24}}{ONE}"
IS = _one_of(
    "is|am|are|was|were|has been|have been|has never been|have never been|has not been|have not been|to be|must be",
    "has to be|have to be|can not be|can not possibly be|remains",
    "could not be|turned out|turns out|turned out to be|turns out to be|came back|came back as|comes back as|proved",
    "proved to be",
)
FILL = _one_of(
    "not|never|no|no more|anything but|none other than|truly|really|indeed|surely|only|just|still|certainly|definitely",
    "clearly|obviously|so|quite|also|plainly|simply|in truth|in fact|as you know|i tell you|i swear|both|all|any",
    "a|an|the|your|our|this town's|the town's|the village's|one of the|one of your|one of our|one of|part of the",
    "a member of the|member of the|among the|plain|simple|ordinary|humble|mere|poor|honest|true|real|last|sole|loyal",
)
FILLED = rf"(?P<fill>(?:,? {FILL}\b,?){{0,6}})"
ENDS = r"(?=\W*$|\s*[,.!?()\"])"
AFTER = (
    r"(?:,? (?:members?|players?|man|woman)\b)?(?!'s\b|-\w)"
    rf"(?:{ENDS}|(?= "
    + _one_of(
        "and|or|but|so|who|because|since|for|as|in|at|to|now|too|here|all|beyond|not|then|this|of|that|by|until|on|we|i",
        "you|after|again|indeed|nor|neither|either|if|yet|when|while|till|like|just|no|with|through|than|today|tonight",
        r"\w+ing|myself|himself|herself|anyway|instead|unless|whatever|perhaps|maybe|probably|right|he|she|they|it",
    )
    + r"\b))"
)

IS_A = re.compile(
    rf"(?P<neither>\bneither )?(?P<who>{SEVERAL}),?(?: who)?(?: both| all| alone|, (?:in truth|in fact|indeed|too),)?"
    rf"(?: (?P<is>{IS})\b|(?<={NAME})'s){FILLED} (?P<role>{ROLE})\b{AFTER}"
)
"""Nora is the Detective; I was never Mafia; Nora and Caspar are Mafia."""
NAMED_LAST = re.compile(
    rf"\b(?:the|our|your|one of the) (?P<role>{ROLE}) (?:here )?(?P<is>is|was|are|were)"
    rf"(?P<fill>(?: (?:not|indeed|really|in truth|surely|none other than|of course))*) (?P<who>{SEVERAL}){ENDS}"
)
"""The Detective is Nora."""
THERE_IS = re.compile(
    r"\b(?:there is|there are|we have|there can be|this town has)(?: \w+){0,2} (?:one|a|an|two|three)"
    rf" (?P<role>{ROLE})\b[^.;:]{{0,60}}?\b(?P<is>it is|that is|and)(?P<fill>(?: not| indeed)*)"
    rf" (?P<who>{NAME}|me|i am (?:it|he|she|the one|that one)){ENDS}"
)
"""There is one Detective here, and it is not Nora."""
AS_ROLE = re.compile(
    rf"\b(?:as|being)(?P<fill>(?: {FILL}\b){{1,3}}) (?P<role>{ROLE}),? (?P<who>i)\b(?! (?:would|could|might|should))"
)
"""As the Doctor, I kept watch."""
IN_PASSING = re.compile(rf"\b(?P<who>i),(?P<fill>) (?:the|your|a) (?P<role>{ROLE}),")
CLAIMED = re.compile(
    rf"\b(?P<who>i)(?P<fill>)(?: (?:am|hereby|now|do|can|will|must|have to|openly))* (?:role[ -]?)?claim(?:ing)?"
    rf"(?: to be)?(?: the| a)? (?P<role>{ROLE})\b{AFTER}"
)
THEIR_ROLE = re.compile(
    rf"(?P<who>\bmy|{NAME}'s) (?:true |real |own )?(?:role|part|card) (?P<is>is|was)"
    rf"(?P<fill>(?: (?:not|never|the|a|that of the|that of a|indeed))*) (?P<role>{ROLE})\b{AFTER}"
)
VERDICT = re.compile(
    rf"(?P<who>{NAME})\s*(?:=|->|→|:|\s-(?=\s))(?P<fill>(?: not| no)?)(?: the| a)? (?P<role>{ROLE})(?=\W*$|\s*[,;.])"
)
"""Nora: Mafia."""
STATEMENTS = (IS_A, NAMED_LAST, THERE_IS, AS_ROLE, IN_PASSING, CLAIMED, THEIR_ROLE, VERDICT)

SO_IS = re.compile(rf",? (?:and )?(?P<how>so|as|neither|nor) (?:is|was|are|were) (?P<who>{NAME})")
NOT_THEY = re.compile(rf",? (?:and |but )?not (?P<who>{NAME}){ENDS}")
IS_NOT = re.compile(rf",? (?:and |but |while )?(?P<who>{NAME}) (?:is|was) not{ENDS}")
SO_AM_I = re.compile(rf",? (?:because|for|since) (?P<who>i) am{ENDS}")
"""What may follow: and so is Caspar; not Caspar; Caspar is not; because I am."""

PROTECTED = "protect|protected|guarded|saved|healed|shielded|kept watch over|watched over"
INVESTIGATED = "looked at|looked into|looked in on|investigated|checked|examined"
DEED = re.compile(
    rf"\bi (?:(?:then|also|have|did) )*(?P<deed>{_one_of(PROTECTED, INVESTIGATED)}) (?P<who>{NAME})(?!'s)"
)
NIGHT = re.compile(r"\bnight (?:number )?(?P<after>\w+)\b|\bthe (?P<before>\w+) night\b")
NUMBERS: Mapping[str, str] = {
    word: str(number)
    for words in ("one two three four five six seven eight nine ten", "first second third fourth fifth sixth seventh")
    for number, word in enumerate(words.split(), 1)
}

SAYING = re.compile(
    r"\b(?P<verb>"
    + _one_of(
        "say|says|said|saying|claim|claims|claimed|claiming|swear|swears|swore|insist|insists|insisted|tell|tells|told",
        "call|calls|called|assert|asserts|think|thinks|thought|thinking|believe|believes|believed|believing|suspect",
        "suspects|suspected|guess|guesses|guessed|fear|fears|feared|hope|hopes|hoped|wish|wishes|want|wants|wanted",
        "assume|assumes|assumed|imagine|imagines|feel|feels|felt|bet|bets|wager|wonder|wonders|doubt|doubts|doubted",
        "suppose|supposes|supposed|suggest|suggests|suggested|pretend|pretends|pretended|pretending|accuse|accuses",
        "accused|hint|hints|hinted|imply|implies|implied|argue|argues|argued|repeat|repeats|shout|shouts|heard|dreamt",
        "dreamed|ask|asks|asked",
    )
    + r")\b"
)
ASSERTING = frozenset(
    "say says said saying claim claims claimed swear swears swore insist insists tell told repeat assert".split()
)
OF_ONESELF = re.compile(
    r"(?:^|[ ,])(?:i(?: (?:do|will|must|can|shall|have|now|also|hereby|already|again|only|just|should|could|would))*"
    r"|let me)\s*$"
)
"""Before a verb of saying: it is the speaker who says so."""
HEDGED = re.compile(
    r"\b"
    + _one_of(
        "perhaps|maybe|probably|possibly|likely|apparently|supposedly|allegedly|could|might|may|seem|seems|seemed",
        "looks like|sounds like|in my opinion|in my view|to my mind|chances are|not sure|not certain|not convinced",
        "not saying|not claiming|or|whether|if|unless|as if|as though|would|let us say|provided|until|in case",
        "rather than|instead of|no proof|no evidence|who knows|whoever|anyone who|either|chance that|idea that",
        "notion that|rumour|rumor|story|between|everyone but|everybody but|nobody but",
    )
    + rf"\b|\b(?:one|which|some) of (?={NAME})"
)
FALSE = re.compile(
    r"\b(?:(?:a |all |an )?(?:lie|lies|false|untrue|nonsense|not true|slander|wrong|madness)(?: to say)?|deny|no way)"
    r"(?: that)?\s*$"
)
"""What follows it is said not to be so."""
HEDGED_AFTER = re.compile(
    r"^(?: \w+){0,3}?,? "
    + _one_of(
        "i think|i believe|i suspect|i guess|i bet|i fear|i suppose|i imagine|i feel|i would say|i would guess|i wager",
        "perhaps|maybe|probably|in my opinion|in my view|to my mind|it seems|apparently|supposedly|right|unless",
        "he says|she says|they say|you say|so you say",
    )
    + r"\b|^,? (?:if|when)\b(?! (?:you (?:must|want|will|like|please|need|care|ask)|it)\b)|^,? or\b"
)
CONDITION = re.compile(
    r"^\W*(?:(?:and|but|so|then|now|even|well|or|yes),? )*"
    r"(?:if|suppose|supposing|imagine|assuming|were|had|unless|say|whether|what if|let us say|let us suppose)\b"
)
KNOW = re.compile(r"\b(?:know|remember|knew|mark)(?: this| it| well)?,?(?: that)?\s*$")
"""What follows it holds whatever the condition was."""
ASKING = re.compile(
    r"^\W*(?:(?:and|but|or|so|then|well|tell me)\b,? )*"
    + _one_of(
        "is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|who|whom|what|which",
        "whose|where|why|how|when",
    )
    + r"\b"
)
TAG = re.compile(
    r"^\W*(?:is|are|was|were|am|do|does|did|has|have)(?: not)? (?:i|he|she|it|they|you|not)\W*$|^\W*\w+\W*$"
)
"""Is she not? Right?"""

CONTRACTIONS = tuple(
    (re.compile(pattern), written)
    for pattern, written in (
        (r"[’‘´]", "'"),
        (r"\bain't\b", "is not"),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\bi'm\b|\bim\b", "i am"),
        (r"(?<=\w)'re\b", " are"),
        (r"(?<=\w)'ve\b", " have"),
        (r"(?<=\w)'ll\b", " will"),
        (r"(?<=\w)'d\b", " would"),
        (r"\b(he|she|it|that|there|who|what)'s\b", r"\1 is"),
        (r"\blet's\b", "let us"),
        (r"\b(?:no|without a|without|beyond a|beyond|any) doubt\b", "surely"),
        (r",(?=\S)", ", "),
    )
)
