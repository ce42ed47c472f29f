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
from sottovoce.rulesets.mafia.house import free_english

ROLES = {"detective": "Detective", "doctor": "Doctor", "villager": "Villager", "mafia": "Mafia", "jester": "Jester"}

_SENTENCE = re.compile(r"(?<=[.!?;])[\"'”’)]*\s+|[\n\r]+")
_CLAIM = re.compile(
    r"(?<!that )(?<!if )\bi(?:['’]m|\s+am|\s+was)\s+"
    r"(?:(?:in truth|truly|really|indeed|only|just|your|the|a|one of the)\s+)*"
    r"(detective|doctor|villager|mafia|jester)\b"
)
_VERDICT = re.compile(
    r"(?<!says )(?<!says that )\x01(\d+)\x02\s+(?:is|was)\s+(?:(not|no|never)\s+)?"
    r"(?:(?:a|an|the|one|of|member|part|indeed|truly)\s+)*"
    r"(detective|doctor|villager|mafia|jester)\b"
)
_FOR_SURE = re.compile(
    r"(?:\binnocent|vouch|not guilty|stand by|stand with|wrong about (?!me)|waste the rope|"
    r"\x02 (?:is|was) (?:not|no) mafia|leave \x01\d+\x02 (?:be|alone))"
)
_HOSTILE = re.compile(
    r"\b(?:suspect\w*|suspici\w*|accus\w*|distrust\w*|(?:not|never|\w*n['’]t|cannot|nor|"
    r"neither)\s+(?:\w+\s+)?trust\w*|"
    r"guilt\w*|liars?|lies?|lying|lied|fib\b|rope|hang\w*|gallows|noose|swing|blam\w*|murder\w*|killer\w*|wolf|mafia|"
    r"hid|hidden|hides?|hiding|eyes? on|keep eyes|watch \x01|point\w*|villain\w*|rott?en|rot\b|shadow|answers? for|"
    r"answer for it|held answerable|smell\w*|stinks?|stinking|blood|mask|false|sin\b|devil\w*|serpent|rat\b|doubt\w*|"
    r"uneasy|afraid of|frightens|fear|crooked|thorn|answering)"
)
_INVITING = re.compile(
    r"\b(?:watch what i say|asked where i was|asked what i did|did i say it was|slept very well|"
    r"look(?:ing)? past me|would not hang me|"
    r"look at me oddly|one of us need not|put me on the list|suppose it were i|won['’]t deny|no defence|"
    r"if i am guilty|spare me if you like|in your shoes|could name my reasons|do as you must|want to be hanged)\b"
)
_ASKING = re.compile(r"\?|\bi would hear \x01|\bi want to hear from \x01|\bgive \x01\d+\x02 the floor|\btell us\b")
_FRIENDLY = re.compile(r"\b(?:trust|believe|(?<!to be )honest(?! (?:answer|guess))|faith|clean|sound)\b")


@dataclass(frozen=True, slots=True)
class Heard:
    """What one speech says, as far as its cues show it. Names are those of the roster, the speaker's own included.

    `inviting` says that the speaker courts suspicion, and `asked` whom a question is put to by name. `addressed` are
    those spoken to by name. `verdicts` are statements `(name, role, denied)` such as "Bram is not Mafia". `sorts` are
    the kinds of thing that are said (`free_english.SORTS`); none where nothing was understood.
    """

    claim: str | None = None
    accused: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    verdicts: tuple[tuple[str, str, bool], ...] = ()
    named: frozenset[str] = frozenset()
    inviting: bool = False
    asked: tuple[str, ...] = ()
    addressed: tuple[str, ...] = ()
    sorts: frozenset[str] = frozenset()


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
    listener = _Listener(names)
    for raw in _SENTENCE.split(text.replace("\x01", " ").replace("\x02", " ")):
        listener.sentence(raw)
    return listener.heard()


class _Listener:
    """Hears one speech, sentence by sentence."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.claim: str | None = None
        self.accused: dict[str, None] = {}
        self.trusted: dict[str, None] = {}
        self.verdicts: list[tuple[str, str, bool]] = []
        self.named: set[str] = set()
        self.asked: dict[str, None] = {}
        self.addressed: dict[str, None] = {}
        self.sorts: set[str] = set()
        self.inviting = False
        self._spoken_of = ""

    def sentence(self, raw: str) -> None:
        pattern, places = _roster(self.names)
        sentence = " ".join(raw.casefold().split()) if raw.isascii() else plain(raw)
        if self.claim is None and (stated := _CLAIM.search(sentence)):
            self.claim = ROLES[stated[1]]
        self.inviting = self.inviting or _INVITING.search(sentence) is not None
        marked = pattern.sub(lambda hit: f"\x01{places[hit.group()]}\x02", sentence)
        self.sorts |= free_english.sorts(marked)
        if "\x01" in marked:
            self._of_somebody(marked)
            return
        if self._spoken_of and _HOSTILE.search(marked):
            self.accused[self._spoken_of] = None
        elif self._spoken_of and _FRIENDLY.search(marked):
            self.trusted[self._spoken_of] = None
        self._spoken_of = ""

    def _of_somebody(self, marked: str) -> None:
        found = [self.names[int(place)] for place in re.findall(r"\x01(\d+)\x02", marked)]
        self.named.update(found)
        spoken_to = free_english.spoken_to(marked)
        if spoken_to is not None:
            self.addressed[self.names[spoken_to]] = None
        if _ASKING.search(marked):
            asked = spoken_to if spoken_to is not None else free_english.asked_about(marked)
            if asked is not None:
                self.asked[self.names[asked]] = None
        self._spoken_of = ""
        self.verdicts += [(self.names[int(who)], ROLES[role], bool(no)) for who, no, role in _VERDICT.findall(marked)]
        against, in_favour = free_english.opinions(marked)
        if against or in_favour:
            self.accused.update(dict.fromkeys(self.names[who] for who in against))
            self.trusted.update(dict.fromkeys(self.names[who] for who in in_favour))
        elif free_english.only_asks(marked):
            pass
        elif _FOR_SURE.search(marked):
            self.trusted[_nearest(marked, _FOR_SURE, self.names)] = None
        elif _HOSTILE.search(marked):
            self.accused[_nearest(marked, _HOSTILE, self.names)] = None
        elif _FRIENDLY.search(marked):
            self.trusted[_nearest(marked, _FRIENDLY, self.names)] = None
        elif len(set(found)) == 1 and len(marked.split()) <= CRY:
            self._spoken_of = found[0]

    def heard(self) -> Heard:
        sorts = set(self.sorts)
        sorts |= {"accusation"} if self.accused else set()
        sorts |= {"defence"} if self.trusted else set()
        sorts |= {"claim"} if self.claim or self.verdicts else set()
        return Heard(
            self.claim,
            tuple(self.accused),
            tuple(self.trusted),
            tuple(self.verdicts),
            frozenset(self.named),
            self.inviting,
            tuple(self.asked),
            tuple(self.addressed),
            frozenset(sorts),
        )


def _nearest(marked: str, cue: re.Pattern[str], names: tuple[str, ...]) -> str:
    """The name that stands closest to the first cue."""
    hit = cue.search(marked)
    at = hit.start() if hit else 0
    closest = min(re.finditer(r"\x01(\d+)\x02", marked), key=lambda name: abs(name.start() - at))
    return names[int(closest[1])]
