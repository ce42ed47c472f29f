"""Words to somebody of the campaign as an act of the party: whether a clause is words, and whom they are for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sottovoce.rulesets.tabletop.house.targets import SPEECH, TO_PRONOUN, Act, Named, Scene, aimed
from sottovoce.rulesets.tabletop.house.utterances import ASIDES, is_said, is_state, is_stated, kind_of

PLAIN_DEED = re.compile(
    r"(?i)^\W{0,9}(?:then |now |so |and )?(?:i|we) (?!am\b|are\b|was\b|were\b|have\b|had\b|do\b|did\b|don't\b|didn't\b"
    r"|think\b"
    r"|know\b|want\b|need\b|like\b|love\b|hate\b|believe\b|guess\b|hope\b|mean\b|suppose\b|feel\b|can\b|can't\b|could\b"
    r"|will\b|won't\b|would\b|wouldn't\b|shall\b|should\b|must\b|might\b|may\b|never\b|just\b|really\b|also\b|still\b)"
    r"[a-z]{3,} (?:[a-z]+ )?(?:the|an?|my|our|his|her|their|its|this|that|these|those|some|any|it|him|them|up|down"
    r"|out|in|on|off"
    r"|to|at|over|back|away|around|about|into|onto|with|from|for|towards?|through|along|across)\b"
)
"""A deed with a verb that is none of ours: `I switch on the lamp`."""


_DENIAL = re.compile(r"(?i)\b(?:did|have|had|was|were|are|am|'m|'re)(?:n't| not)\b|\bnever\b|\bmean no\b")
"""What is said not to have been done, and is no deed that is left undone."""
_YOURS = re.compile(r"(?i)\b(?:you|your|yours)\b")
_GOING = re.compile(r"(?i)\W{0,9}(?:i|we)(?:'m|'re| am| are) (?:off\b|back\b|\w+ing\b)")
_WHAT = re.compile(r"(?i)\b(?:that|about|of|how|why|what|who|where|whether|if|toast to|for)\b")
"""Where what is said begins, behind which names are only spoken of."""
YOU_ARE = re.compile(
    r"(?i)\b(?:you must be|you are|you're|you will be|you'll be) (?:(?:the|old|master|mistress|mother|father) )*"
)
_TO_ALL = frozenset("goodnight farewell toast jested greeted".split())
"""Kinds that need nobody of the place."""
_REPORTS = re.compile(r"(?i)\W{0,9}(?:i|we) (?!am\b|are\b|was\b|were\b|have\b|had\b|don't\b|didn't\b|never\b)\w+")


def is_words(clause: str, scene: Scene) -> bool:
    """Whether a clause is plainly said to somebody here. What only goes on with a talk needs one to go on with."""
    if not is_said(clause):
        return False
    if not scene.present:
        return kind_of(clause) in _TO_ALL or is_state(clause)
    return scene.talking or _YOURS.search(clause) is not None or kind_of(clause) not in ASIDES


def reads_as_words(clause: str, *, denied: bool) -> bool:
    """Whether a clause with no verb of a deed, or with a denied one, is words all the same."""
    if denied:
        return _DENIAL.search(clause) is not None
    if _GOING.match(clause):
        return False
    return not PLAIN_DEED.match(clause) and bool(is_stated(clause) or kind_of(clause))


def words_to(clause: str, scene: Scene, before: Sequence[Act], names: Sequence[Named], vocative: Named | None) -> Act:
    """Words to whoever is spoken to: who is only named in them is not the one."""
    reported = _REPORTS.match(clause)
    meant = [
        each
        for each in names
        if each.kind not in ("person", "companion")
        or (reported and (each.id in scene.present or not _WHAT.search(clause[: each.start])))
    ]
    act = aimed("talk", clause, meant, scene, before, vocative)
    if vocative is not None or (reported and not act.meant):
        return act
    if (you := YOU_ARE.search(clause)) and (called := next((n for n in names if n.start == you.end()), None)):
        return replace(act, target=called.id, meant=False)
    if act.nobody and not reported:
        act = replace(act, nobody="", target=scene.last, meant=True)
    goes_on = scene.talking and scene.last == scene.spoken and not any(each.kind in SPEECH for each in before)
    goes_on = goes_on and act.meant and not TO_PRONOUN.search(clause)
    return replace(act, target=scene.spoken) if goes_on else act


__all__ = ["PLAIN_DEED", "YOU_ARE", "is_words", "reads_as_words", "words_to"]
