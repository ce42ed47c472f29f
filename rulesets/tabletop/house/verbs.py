"""What somebody does by the verbs and turns of phrase of a clause, and what they say that they do not do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

SKILLS = (
    "acrobatics|animal handling|arcana|athletics|deception|history|insight|intimidation|investigation|medicine|nature"
    "|perception|performance|persuasion|religion|sleight of hand|stealth|survival"
)


def lists(name: str) -> dict[str, list[str]]:
    """The lists of a file of this package: a topic after `# `, and the lines below it."""
    found: dict[str, list[str]] = {}
    topic = ""
    for line in files("sottovoce.rulesets.tabletop.house").joinpath(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            topic = line[2:]
        elif line.strip():
            found.setdefault(topic, []).append(line)
    return found


VERBS = lists("verbs.txt")
"""The verbs of each kind of act, from a file; one that several kinds list belongs to the first of them."""


LEXICON: dict[str, str] = {}
for _kind, _lines in VERBS.items():
    for _word in " ".join(_lines).split():
        LEXICON.setdefault(_word, _kind)


_IRREGULAR = {
    "went": "go", "gave": "give", "took": "take", "said": "say", "told": "tell", "spoke": "speak", "hid": "hide",
    "ran": "run", "sat": "sit", "stood": "stand", "kept": "keep", "held": "hold", "saw": "see", "left": "leave",
    "lies": "lie", "lying": "lie", "tries": "try", "carries": "carry", "hurries": "hurry", "studies": "study",
    "buries": "bury", "getting": "get", "sitting": "sit", "running": "run", "cutting": "cut", "digging": "dig",
}  # fmt: skip


_NOUNS = frozenset(
    "hand pay tip watch look search help rest show light lie talk walk question answer offer fight attack"
    " pass step check"
    " roll use wait cover stand head cross play ring point taste smell touch drink name deal trade order"
    " visit run break"
    " burn work mark note call round turn try view notice present lift force free share swing fire return"
    " move charge camp"
    " pocket lock shoulder bottle empty open close warm ride drive hunt reason bar dress count report dance sleep"
    " keep claim joke"
    " trick press eye hold"
    " return bow wave smile mention hum guard feed tie fake row clean".split()
)
"""Verbs that are nouns or adjectives as often: after an article they are no act."""


_BEFORE_NOUN = frozenset(
    "the a an my his their our your its this that these no any some of in at with for on from by into"
    " another other each"
    " every first last old new second third good better closer long quick little more most very".split()
)


_AUXILIARY = re.compile(
    r"(?i)^\W*(?:(?:and|but|so|then|now|well|ok(?:ay)?|alright|right|fine|first|next|please|maybe|perhaps"
    r"|instead|finally|just"
    r"|quickly|slowly|quietly|carefully|gently|also|meanwhile|together|hey|oh|no|yes),?\s+)*"
    r"(?:(?:i|we|you all|the party|everyone|everybody)(?:'d| would| will|'ll| shall| could| can| must"
    r"| should|'m| am|'re| are)?\s+)?"
    r"(?:(?:would )?(?:like|love|want|wish|need|have|prefer|try|plan|decide|intend|hope|start|begin|going"
    r"|about|gonna|ready|happy)\s+to\s+"
    r"|let'?s\s+|let us\s+|let me\s+|(?:can|could|may|shall|should|might|do|will) (?:i|we)\s+"
    r"|why don'?t (?:i|we)\s+|how about (?:i|we)?\s*"
    r"|(?:rather|better|also|then|just|now|first|quickly|slowly|quietly|carefully|gently|simply|all|both"
    r"|together|immediately|still)\s+)*"
)


_CUES = {
    kind: re.compile("|".join(lines).replace("{SKILLS}", SKILLS), re.IGNORECASE)
    for kind, lines in lists("cues.txt").items()
}
"""Turns of phrase that say more than their verb does, in the order in which they count."""
AROUND, COUNSEL, REFUSAL, YES = (_CUES.pop(name) for name in ("around", "counsel", "refusal", "yes"))


STRONG = tuple(_CUES.items())


_DENIED = re.compile(
    r"(?i)(?:\b(?:do not|don'?t|won'?t|will not|would ?n[o']t|can'?t|cannot|could ?n[o']t|never|not"
    r"|refuse to|refuses to|without|no need to|stop|instead of|rather than|no longer|avoid|nobody|no one"
    r"|decline to|neither|nor|should ?n[o']t|must ?n[o']t|mustn'?t|shouldn'?t|wouldn'?t|couldn'?t"
    r"|does ?n[o']t|doesn'?t|did ?n[o']t|didn'?t|haven'?t|have not|hadn'?t)\b)(?:\W+[\w']+){0,3}?\W*$"
)


@lru_cache(maxsize=4096)
def lemma_of(word: str) -> str:
    """The verb that a word is a form of, if it is one of ours."""
    if word in LEXICON:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, instead in (
        ("ies", "y"),
        ("es", ""),
        ("s", ""),
        ("ing", ""),
        ("ing", "e"),
        ("ed", ""),
        ("ed", "e"),
        ("d", ""),
    ):
        if word.endswith(ending) and word[: -len(ending)] + instead in LEXICON and len(word) - len(ending) > 1:
            return word[: -len(ending)] + instead
    return ""


def verb_of(clause: str) -> tuple[str | None, str]:
    """The main act of a clause, and an act that it denies."""
    strong, denied = _cued(clause)
    weak = None
    for at, kind in _verbs_of(clause):
        if _DENIED.search(clause[:at]):
            denied = denied or kind
        elif weak is None:
            weak = (at, kind)
    firm = next((kind for _, kind in strong if kind in _FIRM), None)
    if firm:
        return firm, denied
    before = [each for each in strong if weak is None or each[0] <= weak[0]]
    if before:
        return _first(before), denied
    if weak is None:
        return None, denied
    for at, kind in strong:
        close = at - weak[0] <= 14
        if (close and (weak[1], kind) in _OUTDONE) or (
            close and kind in ("hide", "persuade", "search") and weak[1] in _LIGHT
        ):
            return kind, denied
    return weak[1], denied


_FIRM = ("end", "roll", "threaten", "lie", "attack")
"""Cues that count wherever in the clause they stand."""


_LIGHT = ("go", "talk", "use", "take", "wait", "look")
"""Acts that only lead up to what the rest of the clause says."""


_OUTDONE = {(weak, kind) for weak in ("go", "wait", "take") for kind in ("look", "give", "ask")} | {("take", "wait")}


_OTHERS = frozenset("she he they it who that which you someone somebody everyone".split())
"""Subjects whose deeds are not the speaker's."""


_HELPING = frozenset("make get keep hold see point do try free".split())


def _cued(clause: str) -> tuple[list[tuple[int, str]], str]:
    """The turns of phrase of a clause by where they stand, and the first of those that are denied."""
    strong: list[tuple[int, str]] = []
    denied = ""
    for kind, pattern in STRONG:
        found = pattern.search(clause)
        if found is None:
            continue
        if _DENIED.search(clause[: found.start()]) and kind != "wait":
            denied = denied or kind
        else:
            strong.append((found.start(), kind))
    return sorted(strong, key=lambda each: each[0]), denied


def _verbs_of(clause: str) -> Iterator[tuple[int, str]]:
    """The verbs of a clause that can be the party's own, in order."""
    lead = _AUXILIARY.match(clause)
    skip = min(lead.end() if lead else 0, len(clause))
    previous = ""
    begun = False
    for word in re.finditer(r"[\w']+", clause):
        low = word[0].lower()
        lemma = lemma_of(low)
        noun = previous in _BEFORE_NOUN and (low in _NOUNS or lemma in _NOUNS or low.endswith("ing"))
        other = previous in _OTHERS and not begun
        helping = lemma in _HELPING and _later(clause, word.end())
        if lemma and word.start() >= skip and not (noun or other or helping or (begun and previous == "to")):
            begun = True
            yield word.start(), LEXICON[lemma]
        previous = low


def _first(strong: Sequence[tuple[int, str]]) -> str:
    """The cue that counts among those that begin alike: the order of the table breaks the tie."""
    rank = {kind: place for place, (kind, _) in enumerate(STRONG)}
    return min(strong, key=lambda each: (each[0], rank[each[1]]))[1]


def _later(clause: str, at: int) -> bool:
    """Whether another verb of ours follows soon, so that this one only helps it."""
    return any(lemma_of(word.lower()) for word in re.findall(r"[\w']+", clause[at:])[:3])
