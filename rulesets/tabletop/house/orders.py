"""Whether words are an order: a verb in its plain form, with what it is to be done to."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.verbs import lemma_of

_ORDER = re.compile(
    r"(?i)^\W*(?!(?:is|are|was|were|do|does|did|have|has|had|i|you|he|she|we|they|it|that|this|these|those|the|an?"
    r"|my|your|our|his|her"
    r"|their|what|who|where|why|when|how|which|like|with|about|for|not|no|yes|and|but|so|or|if|as|all|any|some"
    r"|there|here|of|in|on"
    r"|at|to|from|such|quite|just|only|thank|thanks|sorry|good|maybe|perhaps)\b)[a-z]+ (?:me|us|him|her|it|them"
    r"|the|an?|my|your|our|this|that|these"
    r"|those|some)\b"
)


def is_order(text: str) -> bool:
    if _ORDER.match(text):
        return True
    plain = _DOES.match(text)
    if plain and plain[1].lower() not in _NO_VERB and not plain[1].endswith(("ed", "ing", "ly", "s", "y", "er")):
        return True
    word = re.match(r"(?i)\W*(?:please,? |now,? |quick(?:ly)?,? |just |then |go and |come and |first )*([\w']+)", text)
    if word is None:
        return False
    low = word[1].lower()
    return low in DEEDS or (lemma_of(low) == low and low not in _NO_ORDER)


DEEDS = frozenset(
    "come hold cover watch keep stay wait go look listen dig bring get fetch take give help push pull lift"
    " open close shut"
    " lock follow stand sit hide run climb jump throw light search check read write try put be cast heal bandage guard"
    " protect talk ask tell speak distract start stop count draw tie untie cut break hand pass lend lead step move turn"
    " leave calm shout sing play wake carry catch mind use find hurry pick feel touch smell taste examine inspect study"
    " don't set make trust scout remind drink eat distract cover relax sneak bury huddle gather regroup order "
    "remember forget warn smile translate whistle bless kneel "
    "track cheer sign aim toss grab pack eat sleep rest relax swim ride lower raise attack strike shoot hit kill "
    "fight steal scout sneak circle".split()
)
_DOES = re.compile(
    r"(?i)^\W*(?:please,? |now,? |just |then |go (?:and )?)*([a-z]{2,12}) (?:with|at|to|for|the|an?|your|my|our"
    r"|this|that|it|him|her|them|me|us"
    r"|some|on|in|into|up|down|off|out|away|back|around|over|behind|everyone|everybody|here|there)\b"
)
"""A verb that no list has, as an order: `flirt with the constable`."""
_NO_VERB = frozenset(
    "careful easy i you he she it we they who what where why when how which that this these those there here the "
    "an is are "
    "was were am be been do does did"
    " has have had can could will would shall should may might must not no yes and or but so if as than then "
    "because like about of with at to"
    " for on in up down off out over under behind all any some none both each one two most much more less good "
    "nice great bad fine true right"
    " wrong sorry thank thanks well ok okay just only also too very quite really maybe perhaps still never ever "
    "even enough sure glad happy sad"
    " afraid ready back home time luck dibs half part lots plenty bit kind sort first last next same such "
    "welcome good-bye bye hello hi hey from"
    " your my our his her their its people folks guys friends look listen fair odd strange better worse best "
    "worst close hard easy long".split()
)
_NO_ORDER = frozenset("light present open wonder thank apologize apologise agree wish like love name being".split())
