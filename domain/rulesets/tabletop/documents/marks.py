"""The words by which authors mark what is not for players: what closes a part of a document (F-060), and what only
looks as if it should."""

from __future__ import annotations

import re

from domain.reading import plain

_MARKUP = re.compile(r"[*_`~]|</?\w+[^>]{0,40}>")
_APOSTROPHES = re.compile("[’‘ʼ´`＇′]")
_BEGINNING = re.compile(r"^[\W\d_]+")

_MASTER = r"(?:gms?|dms?|(?:game|dungeon)[ -]?masters?)"
_KEEPER = r"(?:keeper|storyteller|referee)s?"
_PLAYERS = r"(?:the )?(?:players?|pcs?|party)\b"
_NOT = r"(?: not|n't| never)"
_LEARN = r"(?:read|see|look|peek|know|learn|find out|be told|be shown|open)"
_CLOSED = re.compile(
    rf"(?<![^\W_]){_MASTER}(?![^\W_])"
    rf"|\b{_KEEPER}(?:'s?)? (?:eyes|only)\b|\b{_KEEPER}-only\b|\b{_KEEPER} (?:notes?|info|information|knowledge)\b"
    rf"|\bnot (?:for|meant for|visible to|to be (?:read|seen|shown) (?:by|to)) {_PLAYERS}"
    rf"|\b(?:players?|pcs?)(?: must| should| may| can| do){_NOT} {_LEARN}\b|\b(?:players?|pcs?) cannot {_LEARN}\b"
    rf"|\bno players? (?:must |should |may )?{_LEARN}\b"
    rf"|\b(?:hidden|keep|kept|secret)(?: this| it)?(?: secret| hidden)? from {_PLAYERS}"
    rf"|\b(?:do not|don't|never) (?:show|tell|read|give|reveal)(?: this| it)?(?: out)?(?: aloud)? to {_PLAYERS}"
    r"|\bspoilers?\b"
    r"|does not know|doesn't know"
)
"""In the words of a heading or lead, folded as `plain` does. The last two and GM are the rule's own (F-060)."""

_NOTE = r"(?:[ -](?:notes?|only|eyes(?: only)?|info|information|secrets?|knowledge|section))?"
_SPOKEN = re.compile(
    rf"(?:note (?:to|for) (?:the )?)?{_MASTER}(?:'s)?{_NOTE}"
    rf"|(?:for (?:the )?)?{_KEEPER}(?:'s?)?(?:[ -](?:eyes(?: only)?|only))"
    rf"|not for {_PLAYERS}(?: eyes)?|(?:players?|pcs?) must{_NOT} {_LEARN}(?: this| on)?|spoilers?"
)
"""A plain label without emphasis, whole."""
_LABEL = re.compile(r"[(\[{]{0,2}([^\W\d][^:\n|]{1,50}?) ?:")
_CALLOUT = re.compile(r"\[!([\w -]{1,30})\][+-]?")
_CELL = re.compile(r"([^|\n]{1,60})\|")

_LOOKS = re.compile(
    rf"[(\[{{] ?{_MASTER}\b|(?<![^\W_]){_MASTER}(?:'s)?(?: ?:|[ -](?:notes?|only|eyes|info|secrets?)\b)"
    rf"|\b{_KEEPER}(?:'s?)? (?:eyes|only|notes?)\b|\bnot for {_PLAYERS}"
    rf"|\b(?:players?|pcs?)(?: must| should| may){_NOT} {_LEARN}\b|\bspoilers?\b"
    rf"|\b(?:hidden|kept?|secret) from {_PLAYERS}"
)
"""In the words of a line that stands open."""
_TITLE_LOOKS = re.compile(
    r"\bsecret(?:ly)?(?! actions?\b)\b|\bhidden (?:agenda|truth|motives?|propert|connection|information|plot)"
    r"|\b(?:don't|do not|doesn't|does not) (?:yet )?know\b|\bunknown to\b"
    r"|\b(?:future|potential) developments?\b|\bdevelopment potential\b|\bplot (?:hooks?|twists?|notes?)\b"
    r"|\bbehind the scenes\b|\bforeshadowing\b|\btrue (?:identity|name|nature|allegiance|motives?)\b|\bbackstage\b"
)
"""In the words of a heading or bold lead that stands open."""
_ADDRESSED = re.compile(r"\bfor (?:the )?(?:ai )?players\b")


def _words(title: str) -> str:
    return plain(_MARKUP.sub("", _APOSTROPHES.sub("'", title)))


def is_marked(title: str) -> bool:
    """Whether a heading or bold lead keeps what it stands over for the GM (F-060).

    It has the word GM or GMs, or another game's word for it; it begins with "Secrets", contains "does not know" or
    "doesn't know", or says that it is not for players. Case, emphasis and the kind of apostrophe do not matter.
    """
    words = _words(title)
    if _CLOSED.search(words) or _CLOSED.search(plain(_APOSTROPHES.sub("'", title))):
        return True
    return _BEGINNING.sub("", words).startswith("secrets")


def marked_label(text: str) -> str | None:
    """The label, plain or bracketed, that the text opens with and that marks it (`GM: …`, `[DM note: …]`), or None."""
    label = _LABEL.match(text)
    return label[1] if label and _SPOKEN.fullmatch(_words(label[1])) else None


def marked_cell(text: str) -> str | None:
    """The first cell of a row's text after its first bar, where it is a mark and nothing more."""
    cell = _CELL.match(text)
    return cell[1].strip() if cell and _SPOKEN.fullmatch(_words(cell[1])) else None


def callout(text: str) -> str | None:
    """The kind of a callout, such as `[!gm]`, that marks the quotation it opens; None for any other text."""
    match = _CALLOUT.match(text)
    if match is None:
        return None
    kind = _words(match[1].replace("-", " "))
    return match[1] if is_marked(match[1]) or kind.split()[:1] in (["secret"], ["hidden"], ["spoiler"]) else None


def looks_closed(line: str) -> bool:
    """Whether a line that stands open has a mark by which authors usually mean "not for players"."""
    return _LOOKS.search(_words(line)) is not None


def title_looks_closed(title: str) -> bool:
    """Whether a heading or bold lead over open text sounds like one over a secret."""
    words = _words(title)
    return (_TITLE_LOOKS.search(words) is not None or _LOOKS.search(words) is not None) and not _ADDRESSED.search(words)
