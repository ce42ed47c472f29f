"""The words by which authors mark what is not for players: what closes a part of a document (F-060), and what only
looks as if it should."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from sottovoce import plain
from sottovoce.rulesets.tabletop.rules.documents.languages import phrases

_MARKUP = re.compile(r"[*_`~=]|</?\w+[^>]{0,40}>")
_APOSTROPHES = re.compile("[’‘‛ʼʻʹ´`＇′]")
_DASHES = re.compile("[‐-―−﹘﹣－]")
_INITIALS = re.compile(r"\b([a-z])\. ?(?=[a-z]\b)")
_SYMBOL = r"&#?\w{2,10};|:[a-z0-9_+-]{2,30}:|!\[[^\]\n]{0,80}\]\([^)\n]{0,200}\)|\$\\?\w{1,20}\$"
"""An entity, a short name of a symbol, a picture, and a symbol of mathematics."""
_IN_FRONT = re.compile(rf"(?:{_SYMBOL}|[^\w]|\d|_)+", re.IGNORECASE)
ORNAMENT = re.compile(rf"(?:(?:{_SYMBOL}|[^\w\s*_~`<>\[\]()|#\"'“”‘’!\\{{}}:,.;-])\s*)+", re.IGNORECASE)
"""Symbols that stand before the words of a line and are no Markdown."""
_NUMBERING = re.compile(
    r"(?:(?:chapter|part|appendix|section|scene|act|kapitel|teil|anhang|abschnitt|chapitre|partie|annexe|acte"
    r"|capitulo|parte|anexo|seccion|acto) ?)?(?:[ivxlc]{1,7}|[a-z]|\d[\d.]{0,15})[.):] ?[-:]? ?"
    r"|(?:chapter|part|appendix|section|kapitel|teil|anhang|chapitre|partie|annexe|capitulo|parte|anexo)"
    r" (?:[ivxlc]{1,7}|[a-z]|\d[\d.]{0,15}) ?[-:] ?|[ivxlc]{2,7} (?=\w)"
)


def _folded(text: str) -> str:
    """The text as `plain` folds it, without accents, with one kind of apostrophe and dash, and initials as a word."""
    words = plain(_DASHES.sub("-", _APOSTROPHES.sub("'", text)))
    if not words.isascii():
        words = "".join(char for char in unicodedata.normalize("NFKD", words) if not unicodedata.combining(char))
    return _INITIALS.sub(r"\1", words)


def _abroad(kind: str) -> str:
    return _folded(phrases(kind))


_MASTER = r"(?:gms?|dms?|(?:game|dungeon)[ -]?masters?)"
_KEEPER = r"(?:keeper|storyteller|referee|loremaster)s?"
_PLAYERS = r"(?:the )?(?:players?|pcs?|party)\b"
_NOT = r"(?: not|n't| never)"
_LEARN = r"(?:read|see|look|peek|know|learn|find out|be told|be shown|open)"
_WRITTEN = r"(?:notes?|info|information|knowledge|secrets?|section|eyes)"

_CLOSED = re.compile(
    rf"(?<![^\W_]){_MASTER}(?![^\W_])"
    rf"|\b{_KEEPER}(?:'s?)? (?:eyes|only)\b|\b{_KEEPER}-only\b|\b{_KEEPER} {_WRITTEN}\b"
    rf"|(?<!the ){_KEEPER}(?:'s?) {_WRITTEN}\b|\b{_WRITTEN} (?:for|to) (?:the )?{_KEEPER}\b"
    rf"|\bnot (?:for|meant for|visible to|to be (?:read|seen|shown) (?:by|to)) {_PLAYERS}"
    rf"|\b(?:players?|pcs?)(?: must| should| may| can| do){_NOT} {_LEARN}\b|\b(?:players?|pcs?) cannot {_LEARN}\b"
    rf"|\bno players? (?:must |should |may )?{_LEARN}\b"
    rf"|\b(?:hidden|keep|kept|secret)(?: this| it)?(?: secret| hidden)? from {_PLAYERS}"
    rf"|\b(?:do not|don't|never) (?:show|tell|read|give|reveal)(?: this| it)?(?: out)?(?: aloud)? to {_PLAYERS}"
    r"|\bspoilers?\b"
    rf"|{_abroad('closing')}|{_abroad('unknowing')}"
    r"|does not know|doesn't know"
)
"""In the words of a heading or lead, folded as `_words` does. The last two and GM are the rule's own (F-060)."""
_END = r"(?= *(?:$|[^\w\s'-]|- ))"
_SECRET = re.compile(
    rf"secrets(?!\w)|secret{_END}|secret (?:notes?|info|information|section|details?|facts?)\b"
    rf"|(?:players?|pcs?|characters?|npcs?|campaign|story|plot|adventure)(?:'s?)? secrets?{_END}"
    rf"|(?:{_abroad('secret')}){_END}|{_abroad('secrets')}"
)
"""How a marked heading begins."""

_NOTE = r"(?:[ -](?:notes?|only|eyes(?: only)?|info|information|secrets?|knowledge|section))?"
_SPOKEN = re.compile(
    rf"(?:note (?:to|for) (?:the )?)?{_MASTER}(?:'s)?{_NOTE}"
    rf"|(?:for (?:the )?)?{_KEEPER}(?:'s?)?(?:[ -](?:eyes(?: only)?|only))"
    rf"|not for {_PLAYERS}(?: eyes)?|(?:players?|pcs?) must{_NOT} {_LEARN}(?: this| on)?|spoilers?|{_abroad('closing')}"
)
"""A plain label without emphasis, whole."""
_LABEL = re.compile(rf"[(\[{{]{{0,2}}(?:{ORNAMENT.pattern})?([^\W\d][^:\n|]{{1,50}}?) ?:", re.IGNORECASE)
_CALLOUT = re.compile(r"\[!([\w -]{1,30})\][+-]?")
_CALLOUTS = frozenset({"secret", "hidden", "spoiler", "geheim", "verborgen", "cache", "oculto", "secreto"})
_CELL = re.compile(r"([^|\n]{1,60})\|")
_BULLET = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_HTML_HEADING = re.compile(r"\s*<h[1-6]\b[^<>]{0,200}>(.{1,200}?)</h[1-6]>", re.IGNORECASE)

_ABBREVIATED = r"(?:sl|mj|dj)"
_LOOKS = re.compile(
    rf"[(\[{{] ?{_MASTER}\b|(?<![^\W_]){_MASTER}(?:'s)?(?: ?:|[ -](?:notes?|only|eyes|info|secrets?)\b)"
    rf"|\b{_KEEPER}(?:'s?)? (?:eyes|only|notes?)\b|\bnot for {_PLAYERS}"
    rf"|\b(?:players?|pcs?)(?: must| should| may){_NOT} {_LEARN}\b|\bspoilers?\b"
    rf"|\b(?:hidden|kept?|secret) from {_PLAYERS}"
    rf"|[(\[{{] ?{_ABBREVIATED}\b|^\W*{_ABBREVIATED} ?:|{_abroad('closing')}"
)
"""In the words of a line that stands open."""
_TITLE_LOOKS = re.compile(
    r"(?<!knowledge and )(?<!knowledge & )\bsecret(?:s|ly)?(?! actions?\b)\b"
    r"|\bhidden (?:agenda|truth|motives?|propert|connection|information|plot)"
    r"|\b(?:don't|do not|doesn't|does not) (?:yet )?know\b|\bunknown to\b"
    r"|\b(?:future|potential) developments?\b|\bdevelopment potential\b|\bplot (?:hooks?|twists?|notes?)\b"
    r"|\bbehind the scenes\b|\bforeshadowing\b|\btrue (?:identity|name|nature|allegiance|motives?)\b|\bbackstage\b"
    rf"|(?<![^\W_]){_ABBREVIATED}(?![^\W_])|{_abroad('looks')}"
)
"""In the words of a heading or bold lead that stands open."""
_ADDRESSED = re.compile(r"\bfor (?:the )?(?:ai )?players\b")


def _words(title: str) -> str:
    return _folded(_MARKUP.sub("", title))


def _beginning(title: str) -> str:
    """The words from the first letter on: no symbol, number, emphasis or bracket is left before them."""
    bare = _MARKUP.sub("", _APOSTROPHES.sub("'", title))
    numbered = _folded(_IN_FRONT.sub("", bare, count=1) if _IN_FRONT.match(bare) else bare)
    return _NUMBERING.sub("", numbered, count=1) if _NUMBERING.match(numbered) else numbered


@lru_cache(maxsize=16_384)
def is_marked(title: str) -> bool:
    """Whether a heading or bold lead keeps what it stands over for the GM (F-060).

    It has the word GM or GMs, or another game's or language's word for it; it is "Secret" or begins with "Secrets",
    contains "does not know" or "doesn't know", or says that it is not for players. Case, emphasis, numbering, symbols
    in front of it and the kind of apostrophe do not matter.
    """
    spaced = _folded(title.replace("_", " "))
    words = _words(title)
    if _CLOSED.search(words) or _CLOSED.search(_folded(title)) or _CLOSED.search(spaced):
        return True
    return any(_SECRET.match(_beginning(way)) for way in (title, title.replace("_", " ")))


def marked_label(text: str) -> str | None:
    """The label, plain or bracketed, that the text opens with and that marks it (`GM: …`, `[DM note: …]`), or None."""
    label = _LABEL.match(text)
    return label[1] if label and _SPOKEN.fullmatch(_words(label[1])) else None


def marked_cell(text: str) -> str | None:
    """The first cell of a row's text after its first bar, where it is a mark and nothing more."""
    cell = _CELL.match(text)
    return cell[1].strip() if cell and _SPOKEN.fullmatch(_beginning(cell[1])) else None


def callout(text: str) -> str | None:
    """The kind of a callout, such as `[!gm]`, that marks the quotation it opens; None for any other text."""
    match = _CALLOUT.match(text)
    if match is None:
        return None
    kind = _words(match[1].replace("-", " "))
    return match[1] if is_marked(match[1]) or _CALLOUTS.intersection(kind.split()[:1]) else None


def looks_closed(line: str) -> bool:
    """Whether a line that stands open has a mark by which authors usually mean "not for players"."""
    if _LOOKS.search(_words(line)):
        return True
    heading, label = _HTML_HEADING.match(line), _LABEL.match(_BULLET.sub("", line, count=1))
    return any(title is not None and is_marked(title[1]) for title in (heading, label))


def title_looks_closed(title: str) -> bool:
    """Whether a heading or bold lead over open text sounds like one over a secret."""
    words = _words(title)
    return (_TITLE_LOOKS.search(words) is not None or _LOOKS.search(words) is not None) and not _ADDRESSED.search(words)
