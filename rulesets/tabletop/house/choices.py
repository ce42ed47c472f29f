"""Which of several options somebody means, in their own words; a denied one is never taken for chosen.

    choose("Nobody puts it back. It stays in the tree.", ["Put it back", "Leave it in the tree"])    Chosen(1, True)

Where the words only deny, or fit two options alike, the answer is not sure: whoever asked asks back, and names it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, STOP, stem, words

_NUMBER = re.compile(
    r"\W*(?:i(?:'ll)? (?:take|choose|pick|say) |let'?s (?:take|go with|do) |go with )?(?:option |number "
    r"|the )*(?:(\d)|(one|two|three|four|first|second|third|fourth|last|former|latter))(?: one"
    r"| option)?(?:,? please)?\W*"
)
_PLACES = {"one": 0, "two": 1, "three": 2, "four": 3, "first": 0, "second": 1, "third": 2, "fourth": 3, "former": 0}
_NOT = re.compile(
    r"\b(?:not|never|no|nobody|none|neither|nor|without|rather than|instead of|anything but|forget|skip"
    r"|avoid|against|except|refuse|stop|don't|won't|wouldn't"
    r"|can't|cannot|mustn't|shouldn't|isn't|doesn't|couldn't|no one|no way|under no circumstances"
    r"|the last thing|hate to|too (?:dangerous|risky|early|soon|late) to|unwise to|over my dead body"
    r"|far from)\b"
)
_TWICE = re.compile(
    r"\b(?:why not|not only|no (?:doubt|problem|question|reason not to)|can't (?:wait|help)|cannot wait"
    r"|nothing (?:better|but)|no more waiting|not (?:un\w+)|without (?:doubt|delay|hesitation|waiting)"
    r"|no time to lose|no better)\b"
)
_CLAUSE = re.compile(
    r"([.;!?:,]+)\s*|\s[-–—]+\s|\bbut\b|,?\s+(?:and|so) (?=(?:i|we|let|then|not)\b)|\bbefore\b|\bafter\b"
    r"|\buntil\b|\bbecause\b|\bsince\b"
)
_READINGS = (
    (re.compile(r"\bwhy not ([^?]*)\?"), r"\1."),
    (re.compile(r"\banything but\b|\ball but\b"), "not"),
    (
        re.compile(
            r"\bnot a word\b|\bnot one word\b|\bno one (?:must|may|is to|should) (?:know|hear|learn)\b"
            r"|\bnobody (?:must|may|is to|should|needs? to) (?:know|hear|learn)\b"
        ),
        "keep secret",
    ),
    (
        re.compile(
            r"\b(?:leave|leaves|leaving) (?:it|him|her|them|that|this|the \w+)(?: (?:stay|remain|be|lie|rest))?\b"
            r"|\blet (?:it|him|her|them|that|this|the \w+) (?:stay|remain|be|lie|rest)\b"
        ),
        "remain",
    ),
)
_INSTEAD = re.compile(r"\b(?:rather than|instead of)\b|(?<=\s)than\b")
_RATHER = re.compile(r"\b(?:rather|prefer|better)\b(?! than)")
_NONE = re.compile(
    r"^\W*(?:none|neither|nothing|no(?:body)?|something else|let me think|i don't know|not sure|dunno"
    r"|perhaps later|maybe later|what are|which|why|how|who|what|where)\b"
)
_ALIKE: dict[str, str] = {}
for _group in (
    "go leave depart walk head set travel proceed march move ride continue onward forward",
    "stay remain wait linger rest sleep hold halt sit",
    "tell truth honest honestly confess admit reveal speak open",
    "hide conceal secret lie keep bury silent quiet",
    "give hand return surrender restore",
    "take grab steal pocket seize",
    "fight attack strike battle kill",
    "flee run escape retreat bolt",
    "talk parley negotiate bargain discuss",
    "follow pursue chase track",
    "investigate learn search find examine study look",
    "help aid save rescue protect",
    "burn destroy break smash",
    "trust believe",
    "mend repair fix restore",
    "contact write message letter send",
    "accept agree yes",
    "refuse decline reject",
    "home house back",
):
    for _word in _group.split():
        _ALIKE.setdefault(stem(_word), _group.split()[0])
_AGAINST = (
    ("go", "stay"),
    ("tell", "hide"),
    ("fight", "flee"),
    ("fight", "talk"),
    ("accept", "refuse"),
    ("give", "take"),
    ("follow", "stay"),
    ("help", "go"),
    ("mend", "burn"),
)
_SMALL = frozenset("put set let back up down it them him her with to at on in out off over".split())


@dataclass(frozen=True, slots=True)
class Chosen:
    """The option's place, None for none of them; `sure` where it can be acted on without asking back."""

    option: int | None
    sure: bool


def _sense(text: str) -> set[str]:
    found = set()
    for word in words(text):
        word = word.replace("'", "")
        if (word in STOP and word not in ("go", "give", "keep", "tell", "take", "back")) or word in ("back",):
            continue
        found.add(_ALIKE.get(stem(word), stem(word)))
    return found


def choose(text: str, options: Sequence[str]) -> Chosen:
    """The option that the words mean."""
    low = " ".join(text.casefold().replace("’", "'").split())[:LONGEST]
    number = _NUMBER.fullmatch(low)
    if number:
        place = (
            int(number[1]) - 1
            if number[1]
            else len(options) - 1
            if number[2] in ("last", "latter")
            else _PLACES[number[2]]
        )
        return Chosen(place, True) if 0 <= place < len(options) else Chosen(None, False)
    bare = low.strip(" .!")
    for place, option in enumerate(options):
        if bare == option.casefold().replace("’", "'").strip(" .!"):
            return Chosen(place, True)
    senses = [_sense(_READINGS[3][0].sub("remain", option.casefold())) for option in options]
    shared = set.intersection(*senses) if len(senses) > 1 else set()
    telling = [sense - shared for sense in senses]
    wanted = [0.0] * len(options)
    denied = [0.0] * len(options)
    for pattern, instead in _READINGS:
        low = pattern.sub(instead, low)
    low = _TWICE.sub(" ", low)
    pieces = _CLAUSE.split(low)
    for at in range(0, len(pieces), 2):
        clause = pieces[at]
        asked = at + 1 < len(pieces) and "?" in (pieces[at + 1] or "")
        if not clause or not clause.strip():
            continue
        if asked and len(options) > 1:
            # a question chooses nothing; one that is answered with no is a denial
            after = next((piece for piece in pieces[at + 2 :: 2] if piece and piece.strip()), "")
            clause = (
                f"not {clause}"
                if re.match(r"\s*(?:no|never|certainly not|of course not|surely not|not)\b", after)
                else ""
            )
        cut = _INSTEAD.search(clause)
        found = None if cut else _NOT.search(clause)
        if cut:
            yes, no = clause[: cut.start()], clause[cut.end() :]
        elif re.search(r"\b(?:long enough|enough of|had enough|tired of|sick of)\b", clause):
            yes, no = "", clause
        elif found and _RATHER.search(clause[: found.start()]):
            yes, no = "", clause[found.end() :]
        elif found:
            yes, no = clause[: found.start()], clause[found.end() :]
            if re.fullmatch(r"\W*(?:nobody|no one|no)\b.*", clause):
                yes, no = "", clause
        else:
            yes, no = clause, ""
        said, kept_off = _sense(yes), _sense(no)
        for place, sense in enumerate(telling):
            wanted[place] += len(said & sense)
            denied[place] += len(kept_off & sense)
            for one, other in _AGAINST:
                if (one in said and other in sense and one not in sense) or (
                    other in said and one in sense and other not in sense
                ):
                    denied[place] += 0.6
                if (one in kept_off and other in sense and one not in sense) or (
                    other in kept_off and one in sense and other not in sense
                ):
                    wanted[place] += 0.4
    for place in range(len(options)):
        negative = _NOT.search(options[place].casefold().replace("’", "'"))
        if negative and denied[place] and not wanted[place]:
            wanted[place], denied[place] = denied[place], 0.0
    scores = [w - 2 * d for w, d in zip(wanted, denied, strict=True)]
    best = max(scores)
    top = [place for place, score in enumerate(scores) if score == best]
    if best >= 1 and len(top) == 1 and not denied[top[0]]:
        said = _sense(low)
        if len(said & senses[top[0]]) == 1 and len(said - set().union(*senses)) >= 2:
            return Chosen(top[0], False)
        second = max((score for place, score in enumerate(scores) if place != top[0]), default=0.0)
        return Chosen(top[0], best - second >= 1 or second <= 0)
    if best > 0 and len(top) == 1:
        return Chosen(top[0], False)
    if _NONE.match(low):
        return Chosen(None, False)
    if len(options) == 2 and any(denied) and not all(denied):
        return Chosen(denied.index(min(denied)), False)
    return Chosen(None, False)
