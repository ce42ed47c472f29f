"""What a campaign's own files may give away: a list for its GM to look at, at import and in the audit.

The rules keep what is marked for the GM (F-060). Beside it, five things are looked for in text that some players read:

- *passage*: words in a row, or a whole sentence, out of what is closed to those who read it: six words out of marked
  secrets, ten or a whole long sentence out of what else is the GM's, and out of one character's sheet in what all read;
- *term*: a name, phrase or unusual word out of marked secrets that nothing open to the whole party has;
- *unknowing*: a sentence that says what the character it is about does not know or has not realised;
- *mark*: a mark by which authors usually mean "not for players", and which closes nothing where it stands;
- *kept back*: no leak, but a marked part inside a file that a player reads, for the GM to know that it is hidden.

A name counts from one secret document on, unless the sheet that has it tells of it in several sections: then it
belongs to that character's life. A phrase counts from two, more in a campaign with many, as chance alone repeats it now
and then, and an unusual word from twice as many. Words of dates, and phrases all of whose words everybody has read,
are none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sottovoce.rulesets.tabletop.rules.documents import (
    STORY_STATE,
    Outline,
    Piece,
    lines_of,
    looks_closed,
    title_looks_closed,
)
from sottovoce.rulesets.tabletop.rules.lint.ordinary import SMALL, is_calendar, is_ordinary
from sottovoce.rulesets.tabletop.rules.lint.passages import (
    COPIED,
    RUN,
    SENTENCE,
    SHORTEST,
    TOKEN,
    Place,
    Sources,
    passages,
    stem,
)

LintKind = Literal["passage", "term", "unknowing", "mark", "kept back"]

DOCUMENTS_A_STEP = 10
"""For how many documents with secrets one more of them must have an ordinary phrase."""
DESCRIBING = ("locations/", "items/", "species/", "factions/")
"""Folders whose unmarked text describes what anybody may come to see: the GM's to read out, and no secret."""

_SEGMENT = re.compile(r"[.;:!?\n\r|()\[\]\"“”—–•]|\*\*|__| - |^\s*[-*+#>]+", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n\r]+")
_UNKNOWING = re.compile(
    r"\b(?:does(?: not|n['’]t)(?: yet| truly| really)? (?:know|realise|realize|suspect)"
    r"|ha(?:s not|sn['’]t)(?: yet)? (?:realised|realized|understood|guessed|discovered|learned)"
    r"|is (?:un|not (?:yet )?)aware)\b(?!,? (?:how|if|whether|what to|where to|when to|who to|much)\b)(?=\W+\w)",
    re.IGNORECASE,
)
"""With something after it: what is not known has to be told before it can be given away."""
_ADDRESSED = re.compile(r"\byour?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing to look at: what was found, where players read it, and where the GM's text has it."""

    kind: LintKind
    what: str
    open_at: tuple[Place, ...]
    secret_at: tuple[Place, ...] = ()


def leaking_terms(pieces: Iterable[Piece], roster: Sequence[str]) -> tuple[LintFinding, ...]:
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
    openly = [*shared, *own]
    found = [*_passages(shared, own, closed), *_terms(shared, own, closed, secret, roster)]
    found += [*_unknowing(openly), *_marks(openly)]
    return (*found, *_kept_back(closed, {piece.document for piece in openly}))


def _passages(shared: Sequence[Piece], own: Sequence[Piece], closed: Sequence[Piece]) -> list[LintFinding]:
    """First what the whole party reads, and of that no word again where one of them reads it too."""
    if not shared and not own:
        return []
    marked, unmarked, sheets = Sources(RUN, SHORTEST), Sources(COPIED, SENTENCE), Sources(COPIED, SENTENCE)
    for piece in closed:
        if piece.secret:
            marked.add(piece)
        elif piece.document == STORY_STATE or not piece.document.startswith((*DESCRIBING, "party/")):
            unmarked.add(piece)
    for piece in own:
        sheets.add(piece)
    found: dict[str, LintFinding] = {}
    for openly, sources in ((shared, marked), (shared, unmarked), (shared, sheets), (own, marked), (own, unmarked)):
        for words, (open_at, closed_at) in passages(openly, sources).items():
            found.setdefault(words, LintFinding("passage", words, open_at, closed_at))
    return list(found.values())


def _terms(
    shared: Sequence[Piece],
    own: Sequence[Piece],
    closed: Sequence[Piece],
    secret: Sequence[Piece],
    roster: Sequence[str],
) -> list[LintFinding]:
    known = {phrase for piece in shared for phrase in _phrases(piece.text)}
    known |= {stem(part) for name in roster for part in name.split("-")}
    spelled = _spelled(known, own, roster)
    secret_at = _where(secret, spelled.keys()) if spelled else {}
    if not secret_at:
        return []
    open_at = _where(own, secret_at.keys())
    names = _names([*shared, *own, *closed])
    documents = len({piece.document for piece in secret})
    enough = max(2, round(documents / DOCUMENTS_A_STEP))
    ranked = []
    for phrase, places in secret_at.items():
        words, count = phrase.split(), len({document for document, _ in places})
        if all(word in known or word in SMALL or is_calendar(word) for word in words):
            continue
        if all(word in names for word in words):
            counts = _in_passing(open_at[phrase])
        else:
            counts = count >= (enough if len(words) > 1 else 2 * enough) and not (
                len(words) == 1 and is_ordinary(phrase)
            )
        if counts:
            ranked.append((-count, -len(words), phrase))
    chosen: list[str] = []
    for _, _, phrase in sorted(ranked):
        same = (kept for kept in chosen if _holds(kept, phrase) or _holds(phrase, kept))
        if not any(set(open_at[phrase]) <= set(open_at[kept]) for kept in same):
            chosen.append(phrase)
    return [LintFinding("term", spelled[phrase], open_at[phrase], secret_at[phrase]) for phrase in chosen]


def _in_passing(places: Sequence[Place]) -> bool:
    """Whether some document mentions it in one section alone."""
    return 1 in Counter(document for document, _ in places).values()


def _spelled(known: set[str], own: Sequence[Piece], roster: Sequence[str]) -> dict[str, str]:
    """Each phrase that only some players read, with the way it is most often written."""
    characters = {stem(part) for name in roster for part in name.split("-")}
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
        stems = [stem(word) for word in words]
        for start in range(len(words)):
            for length in (1, 2, 3):
                end = start + length
                if end <= len(words) and _says(words[start]) and _says(words[end - 1]):
                    found.setdefault(" ".join(stems[start:end]), " ".join(words[start:end]))
    return found


def _says(word: str) -> bool:
    return len(word) > 2 and word.lower().replace("’", "'") not in SMALL


def _names(pieces: Sequence[Piece]) -> frozenset[str]:
    """Words that stand with a capital inside a sentence, and nowhere without one."""
    capital: set[str] = set()
    small: set[str] = set()
    for piece in pieces:
        for words in _segments(piece.text):
            small.update(stem(word) for word in words if word[0].islower())
            sentence = sum(word[0].islower() for word in words) * 2 > len(words)
            capital.update(stem(word) for word in words[1:] if _named(word) and sentence)
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


def _unknowing(openly: Sequence[Piece]) -> list[LintFinding]:
    found = []
    for piece in openly:
        for sentence in _SENTENCE.findall(piece.text):
            if _UNKNOWING.search(sentence) and not _ADDRESSED.search(sentence):
                found.append(LintFinding("unknowing", _trimmed(sentence), ((piece.document, piece.heading),)))
    return found


def _marks(openly: Sequence[Piece]) -> list[LintFinding]:
    found = []
    for piece in openly:
        outline = Outline(lines_of(piece.text), whole=False)
        for number, line in enumerate(outline.lines):
            heading, lead = outline.heading_at.get(number), outline.lead(number)
            title = heading.title if heading else lead.title if lead else ""
            if looks_closed(line) or (title and title_looks_closed(title)):
                found.append(LintFinding("mark", _trimmed(line), ((piece.document, piece.heading),)))
    return found


def _trimmed(text: str) -> str:
    return " ".join(text.strip(' *_()>|"“”#\n-').split())[:160]


def _kept_back(closed: Sequence[Piece], read: set[str]) -> list[LintFinding]:
    found: dict[Place, str] = {}
    for piece in closed:
        if piece.secret and piece.document in read:
            words = " ".join(piece.text.split()).strip("#*>- ")
            found.setdefault((piece.document, piece.heading), words[:80])
    return [LintFinding("kept back", what, (), (place,)) for place, what in found.items()]


def _segments(text: str) -> Iterator[list[str]]:
    """The words of each part of a sentence, by which no phrase reaches over a full stop or out of a table's cell."""
    for segment in _SEGMENT.split(text):
        words = TOKEN.findall(segment)
        if words:
            yield words
