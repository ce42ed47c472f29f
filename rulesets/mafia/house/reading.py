"""What a listener makes of a speech: who is accused, who is trusted, and what the speaker claims to be or to know.

Free text is read by its cue words, sentence by sentence: the same for a person's, a model's and the house's own words.
A sentence that names nobody speaks of whoever the short one before it named, unless that said something already. A
misreading costs a wrong suspicion, as at any table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sottovoce import plain
from sottovoce.domain.spellings import roster

ROLES = {"detective": "Detective", "doctor": "Doctor", "villager": "Villager", "mafia": "Mafia", "jester": "Jester"}

_SENTENCE = re.compile(r"(?<=[.!?;])[\"'”’)]*\s+|[\n\r]+")
_CLAIM = re.compile(
    r"(?<!that )(?<!if )\bi(?:['’]m|\s+am|\s+was)\s+"
    r"(?:(?:in truth|truly|really|indeed|only|just|your|the|a|one of the)\s+)*"
    r"(detective|doctor|villager|mafia|jester)\b"
)
_VERDICT = re.compile(
    r"\x01(\d+)\x02\s+(?:is|was)\s+(?:(not|no|never)\s+)?(?:(?:a|an|the|one|of|member|part|indeed|truly)\s+)*"
    r"(detective|doctor|villager|mafia|jester)\b"
)
_FOR_SURE = re.compile(
    r"(?:\binnocent|vouch|not guilty|stand by|stand with|wrong about|waste the rope|"
    r"\x02 (?:is|was) (?:not|no) mafia|leave \x01\d+\x02 (?:be|alone))"
)
_HOSTILE = re.compile(
    r"\b(?:suspect\w*|suspici\w*|accus\w*|distrust\w*|(?:not|never|\w*n['’]t|cannot|nor|neither)\s+(?:\w+\s+)?trust\w*|"
    r"guilt\w*|liars?|lies?|lying|lied|fib\b|rope|hang\w*|gallows|noose|swing|blam\w*|murder\w*|killer\w*|wolf|mafia|"
    r"hid|hidden|hides?|hiding|eyes? on|keep eyes|watch \x01|point\w*|villain\w*|rott?en|rot\b|shadow|answers? for|"
    r"answer for it|held answerable|smell\w*|stinks?|stinking|blood|mask|false|sin\b|devil\w*|serpent|rat\b|doubt\w*|"
    r"uneasy|afraid of|frightens|fear|crooked|thorn|answering)"
)
_INVITING = re.compile(
    r"\b(?:watch what i say|asked where i was|did i say it was|slept very well|look past me|would not hang me|"
    r"look at me oddly|one of us need not|put me on the list|suppose it were i|won['’]t deny|no defence|"
    r"if i am guilty|spare me if you like|in your shoes|could name my reasons|do as you must|want to be hanged)\b"
)
_ASKING = re.compile(
    r"\?|\bi would hear \x01|\bgive \x01\d+\x02 the floor|\btell us\b|\x02, (?:where|what|who|why|how)\b"
)
_FRIENDLY = re.compile(r"\b(?:trust|believe|honest|faith|clean|sound)\b")


@dataclass(frozen=True, slots=True)
class Heard:
    """What one speech says, as far as its cues show it. Names are those of the roster, the speaker's own included.

    `inviting` says that the speaker courts suspicion, and `asked` whom a question is put to by name.
    `verdicts` are statements `(name, role, denied)` such as "Bram is not Mafia".
    """

    claim: str | None = None
    accused: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    verdicts: tuple[tuple[str, str, bool], ...] = ()
    named: frozenset[str] = frozenset()
    inviting: bool = False
    asked: tuple[str, ...] = ()


SILENCE = Heard()
LONGEST = 4000
"""Characters of one speech that are listened to."""
CRY = 9
"""Words of a sentence so short that the next may still speak of whom it named."""


@lru_cache(maxsize=256)
def _roster(names: tuple[str, ...]) -> tuple[re.Pattern[str], dict[str, int]]:
    pattern, spelled = roster(names)
    return pattern, {spelling: names.index(name) for spelling, name in spelled.items()}


def hear(text: str, names: tuple[str, ...]) -> Heard:
    """The speech as heard at a table with these names."""
    return _hear(text[:LONGEST], names)


@lru_cache(maxsize=8192)
def _hear(text: str, names: tuple[str, ...]) -> Heard:
    text = text.replace("\x01", " ").replace("\x02", " ")
    pattern, places = _roster(names)
    claim: str | None = None
    accused: dict[str, None] = {}
    trusted: dict[str, None] = {}
    verdicts: list[tuple[str, str, bool]] = []
    named: set[str] = set()
    asked: dict[str, None] = {}
    inviting = False
    spoken_of = ""
    for raw in _SENTENCE.split(text):
        sentence = " ".join(raw.casefold().split()) if raw.isascii() else plain(raw)
        if claim is None and (stated := _CLAIM.search(sentence)):
            claim = ROLES[stated[1]]
        inviting = inviting or _INVITING.search(sentence) is not None
        marked = pattern.sub(lambda hit: f"\x01{places[hit.group()]}\x02", sentence)
        if "\x01" not in marked:
            if spoken_of and _HOSTILE.search(marked):
                accused[spoken_of] = None
            elif spoken_of and _FRIENDLY.search(marked):
                trusted[spoken_of] = None
            spoken_of = ""
            continue
        found = [names[int(place)] for place in re.findall(r"\x01(\d+)\x02", marked)]
        named.update(found)
        if _ASKING.search(marked):
            asked[found[0]] = None
        spoken_of = ""
        verdicts += [(names[int(who)], ROLES[role], bool(no)) for who, no, role in _VERDICT.findall(marked)]
        if _FOR_SURE.search(marked):
            trusted[_nearest(marked, _FOR_SURE, names)] = None
        elif _HOSTILE.search(marked):
            accused[_nearest(marked, _HOSTILE, names)] = None
        elif _FRIENDLY.search(marked):
            trusted[_nearest(marked, _FRIENDLY, names)] = None
        elif len(set(found)) == 1 and len(marked.split()) <= CRY:
            spoken_of = found[0]
    heard = tuple(accused), tuple(trusted), tuple(verdicts)
    return Heard(claim, *heard, frozenset(named), inviting, tuple(asked))


def _nearest(marked: str, cue: re.Pattern[str], names: tuple[str, ...]) -> str:
    """The name that stands closest to the first cue."""
    hit = cue.search(marked)
    at = hit.start() if hit else 0
    closest = min(re.finditer(r"\x01(\d+)\x02", marked), key=lambda name: abs(name.start() - at))
    return names[int(closest[1])]
