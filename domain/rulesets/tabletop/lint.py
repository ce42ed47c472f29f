"""What a campaign's own files may give away: a list for its GM to look at, at import and in the audit.

The rules keep what is marked for the GM (F-060). Four things are looked for beside it, in text that some players read:

- *term*: a name or phrase out of marked secrets that nothing open to the whole party has;
- *passage*: six words or more in a row that a marked secret has too;
- *unknowing*: a sentence that says what the character it is about does not know or has not realised;
- *kept back*: no leak, but a marked part inside a file that a player reads, for the GM to know that it is hidden.

A name counts from one secret document on. A phrase of ordinary words counts from two, more in a campaign with many, as
chance alone repeats it now and then.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from domain.rulesets.tabletop.access import STORY_STATE
from domain.rulesets.tabletop.pieces import Piece

Kind = Literal["term", "passage", "unknowing", "kept back"]
Place = tuple[str, str | None]
"""A document and the heading of a section in it."""

PASSAGE = 6
"""Words in a row that make a passage."""
DOCUMENTS_A_STEP = 10
"""For how many documents with secrets one more of them must have an ordinary phrase."""

_SEGMENT = re.compile(r"[.;:!?\n\r|()\[\]\"“”—–•]|\*\*|__| - |^\s*[-*+#>]+", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n\r]+")
_TOKEN = re.compile(r"[^\W\d_]+(?:(?:['’]|-(?=[A-ZÀ-Þ]))[^\W\d_]+)*")
_UNKNOWING = re.compile(
    r"\b(?:does(?: not|n['’]t)(?: yet| truly| really)? (?:know|realise|realize|suspect)"
    r"|ha(?:s not|sn['’]t)(?: yet)? (?:realised|realized|understood|guessed|discovered|learned)"
    r"|is (?:un|not (?:yet )?)aware)\b(?!,? (?:how|if|whether|what to|where to|when to|who to|much)\b)",
    re.IGNORECASE,
)
_ORDINARY = frozenset(
    "a about after again all also am an and any are as at be because been before being between both but by can could "
    "did do does doing don't done down each either else even ever every few for from get gets give go goes had has "
    "have having he her here hers herself him himself his how i if in into is isn't it its itself just know known "
    "knows less like made make makes many may me might mine more most much must my myself need needs neither never no "
    "nor not now of off on once one only onto or other others our ours out over own per rather same see she should so "
    "some something someone still such take than that the their theirs them themselves then there these they thing "
    "things this those through to too toward towards two under until up upon us use used very want wants was we were "
    "what when where whether which while who whom whose why will with within without would yet you your yours".split()
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at: what was found, where players read it, and where the GM's text has it."""

    kind: Kind
    what: str
    open_at: tuple[Place, ...]
    secret_at: tuple[Place, ...] = ()


def leaking_terms(pieces: Iterable[Piece], roster: Sequence[str]) -> tuple[Finding, ...]:
    """What may give a secret away, the most widely shared first, then what is kept back. Deterministic."""
    everyone = frozenset(roster)
    shared: list[Piece] = []
    own: list[Piece] = []
    closed: list[Piece] = []
    for piece in pieces:
        players = everyone.intersection(piece.readers)
        if piece.coding == "text":
            (closed if not players else shared if players == everyone and len(everyone) > 1 else own).append(piece)
    secret = [piece for piece in closed if piece.secret or piece.document == STORY_STATE]
    found = [*_terms(shared, own, closed, secret, roster), *_passages(shared, own, secret), *_unknowing(own)]
    return (*found, *_kept_back(closed, {piece.document for piece in (*shared, *own)}))


def _terms(
    shared: Sequence[Piece],
    own: Sequence[Piece],
    closed: Sequence[Piece],
    secret: Sequence[Piece],
    roster: Sequence[str],
) -> list[Finding]:
    known = {phrase for piece in shared for phrase in _phrases(piece.text)}
    known |= {_stem(part) for name in roster for part in name.split("-")}
    spelled = _spelled(known, own, roster)
    secret_at = _where(secret, spelled.keys())
    open_at = _where(own, secret_at.keys())
    names = _names([*shared, *own, *closed])
    documents = len({piece.document for piece in secret})
    enough = max(2, round(documents / DOCUMENTS_A_STEP))
    ranked = []
    for phrase, places in secret_at.items():
        count = len({document for document, _ in places})
        if all(word in names for word in phrase.split()) or (" " in phrase and count >= enough):
            ranked.append((-count, -phrase.count(" "), phrase))
    chosen: list[str] = []
    for _, _, phrase in sorted(ranked):
        same = (kept for kept in chosen if _holds(kept, phrase) or _holds(phrase, kept))
        if not any(set(open_at[phrase]) <= set(open_at[kept]) for kept in same):
            chosen.append(phrase)
    return [Finding("term", spelled[phrase], open_at[phrase], secret_at[phrase]) for phrase in chosen]


def _spelled(known: set[str], own: Sequence[Piece], roster: Sequence[str]) -> dict[str, str]:
    """Each phrase that only some players read, with the way it is most often written."""
    characters = {_stem(part) for name in roster for part in name.split("-")}
    ways: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for piece in own:
        for phrase, written in _phrases(piece.text).items():
            if phrase not in known and not characters.intersection(phrase.split()):
                ways[phrase][written] += 1
    return {phrase: min(written, key=lambda way: (-written[way], way)) for phrase, written in ways.items()}


def _phrases(text: str) -> dict[str, str]:
    """Single words, and runs of two and three that begin and end with a word that means something; as written."""
    found: dict[str, str] = {}
    for words in _segments(text):
        stems = [_stem(word) for word in words]
        for start in range(len(words)):
            for length in (1, 2, 3):
                end = start + length
                if end <= len(words) and _says(words[start]) and _says(words[end - 1]):
                    found.setdefault(" ".join(stems[start:end]), " ".join(words[start:end]))
    return found


def _says(word: str) -> bool:
    return len(word) > 2 and word.lower().replace("’", "'") not in _ORDINARY


def _names(pieces: Sequence[Piece]) -> frozenset[str]:
    """Words that stand with a capital inside a sentence, and nowhere without one."""
    capital: set[str] = set()
    small: set[str] = set()
    for piece in pieces:
        for words in _segments(piece.text):
            small.update(_stem(word) for word in words if word[0].islower())
            sentence = sum(word[0].islower() for word in words) * 2 > len(words)
            capital.update(_stem(word) for word in words[1:] if _named(word) and sentence)
    return frozenset(capital - small)


def _named(word: str) -> bool:
    """Whether the word is written as a name: with a capital, not in capitals, and none of "I'm" or "I'll"."""
    return word[0].isupper() and not word.isupper() and word[:2] not in ("I'", "I’")


def _where(pieces: Sequence[Piece], phrases: Iterable[str]) -> dict[str, tuple[Place, ...]]:
    wanted = frozenset(phrases)
    places: dict[str, dict[Place, None]] = {}
    for piece in pieces:
        for phrase in _phrases(piece.text):
            if phrase in wanted:
                places.setdefault(phrase, {})[piece.document, piece.heading] = None
    return {phrase: tuple(found) for phrase, found in places.items()}


def _holds(longer: str, shorter: str) -> bool:
    return f" {shorter} " in f" {longer} "


def _passages(shared: Sequence[Piece], own: Sequence[Piece], secret: Sequence[Piece]) -> list[Finding]:
    known = {run for piece in shared for run, _ in _runs(piece.text)}
    secret_at: dict[tuple[str, ...], dict[Place, None]] = {}
    for piece in secret:
        for run, _ in _runs(piece.text):
            secret_at.setdefault(run, {})[piece.document, piece.heading] = None
    found: dict[str, Finding] = {}
    for piece in own:
        last = -PASSAGE
        for index, (run, written) in enumerate(_runs(piece.text)):
            if run in secret_at and run not in known:
                if index > last + 1:
                    found.setdefault(
                        written, Finding("passage", written, ((piece.document, piece.heading),), tuple(secret_at[run]))
                    )
                last = index
    return list(found.values())


def _runs(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    words = _TOKEN.findall(text)
    stems = [_stem(word) for word in words]
    for start in range(len(words) - PASSAGE + 1):
        yield tuple(stems[start : start + PASSAGE]), " ".join(words[start : start + PASSAGE])


def _unknowing(own: Sequence[Piece]) -> list[Finding]:
    found = []
    for piece in own:
        for sentence in _SENTENCE.findall(piece.text):
            if _UNKNOWING.search(sentence):
                what = " ".join(sentence.strip(' *_()>|"“”-').split())[:160]
                found.append(Finding("unknowing", what, ((piece.document, piece.heading),)))
    return found


def _kept_back(closed: Sequence[Piece], read: set[str]) -> list[Finding]:
    found: dict[Place, str] = {}
    for piece in closed:
        if piece.secret and piece.document in read:
            words = " ".join(piece.text.split()).strip("#*>- ")
            found.setdefault((piece.document, piece.heading), words[:80])
    return [Finding("kept back", what, (), (place,)) for place, what in found.items()]


def _segments(text: str) -> Iterator[list[str]]:
    """The words of each part of a sentence, by which no phrase reaches over a full stop or out of a table's cell."""
    for segment in _SEGMENT.split(text):
        words = _TOKEN.findall(segment)
        if words:
            yield words


def _stem(word: str) -> str:
    """The word as it is compared: without case, possessive and a plural's s."""
    bare = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    return bare[:-1] if len(bare) > 4 and bare.endswith("s") and not bare.endswith(("ss", "us", "is")) else bare


def by_document(findings: Iterable[Finding]) -> Mapping[str, tuple[Finding, ...]]:
    """The findings by the document that gives something away, or keeps something back."""
    sorted_out: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for document in dict.fromkeys(document for document, _ in finding.open_at or finding.secret_at):
            sorted_out[document].append(finding)
    return {document: tuple(sorted_out[document]) for document in sorted(sorted_out)}
