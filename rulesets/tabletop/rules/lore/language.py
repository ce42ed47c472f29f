"""Small parts of English that reading, understanding and telling share: words, stems, sentences, a noun's article."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE = re.compile(r"\S.*?[.!?…][\"”’)*]*(?=\s+[A-Z\"“*(]|\s*$)|\S.*\S|\S", re.DOTALL)
_ABBREVIATED = re.compile(r"(?:\b(?:Dr|Mr|Mrs|Ms|St|vs|etc|e\.g|i\.e)|\b[A-Z])\.$")
STOP = frozenset(
    "a an the and or but if of to in on at by for with from into about as is are was were be been being"
    " am it its this that"
    " these those he she they him her his hers their theirs them you your yours we us our ours i me my"
    " mine not no nor who whom"
    " what which when where why how than then there here so too very can could should would will shall"
    " may might must have has"
    " had having do does did doing done all any some one ones two more most other others another out up"
    " down over under off"
    " again just only also own same such each few both between through during before after above below"
    " know knows tell tells"
    " say says said see sees seen get gets got go goes going gone come comes came make makes made take"
    " takes let lets like want"
    " wants ask asks give gives need think really please now well much many thing things something"
    " anything everything nothing"
    " somebody anybody everybody nobody someone anyone everyone back ever never still yet even though"
    " let's i'm i'd i'll i've"
    " don't doesn't didn't won't isn't aren't wasn't can't couldn't wouldn't you're we're they're it's"
    " that's there's what's who's"
    " ok okay yes hey oh try about around towards toward upon while because until since".split()
)


def words(text: str) -> list[str]:
    """The words in lower case; a possessive is the word that it belongs to."""
    return [word.replace("’", "'").removesuffix("'s") for word in _WORD.findall(text.casefold())]


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """What a word has in common with its other forms, near enough."""
    if "'" in word or len(word) < 4:
        return word
    for ending in (
        "ations",
        "ation",
        "ingly",
        "ings",
        "ing",
        "iest",
        "ied",
        "ies",
        "edly",
        "ed",
        "ers",
        "er",
        "es",
        "ly",
        "s",
    ):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


def content(text: str) -> list[str]:
    """The words that say something."""
    return [word for word in words(text) if word not in STOP and len(word) > 1]


@lru_cache(maxsize=16384)
def stems(text: str) -> frozenset[str]:
    """The stems of the words that say something."""
    return frozenset(stem(word) for word in content(text) if len(word) > 2)


LONGEST = 400
"""Characters of a text that is looked at in one go."""


def plain_text(text: str) -> str:
    """Markdown as it is read aloud."""
    parts: list[str] = []
    while len(text) > LONGEST:
        cut = text.rfind(" ", 0, LONGEST)
        cut = cut if cut > 0 else LONGEST
        parts.append(_plain(text[:cut]))
        text = text[cut:]
    return " ".join(part for part in (*parts, _plain(text)) if part)


_FILLED_IN = re.compile(
    r"`(?:\$?= ?|VIEW\[|INPUT\[|BUTTON\[|dice: ?|dv\.)[^`]{0,300}`|<%[^%]{0,300}%>|\{\{[^{}]{0,200}\}\}"
)
"""What a program fills in when a note is shown."""


_MARKUP = frozenset("[]!<=^#`*_{%")
"""Signs without at least one of which a text has no Markdown to take out."""
_LEFT_OUT = re.compile(r"!\[[^\]]*\]\([^)]*\)|!\[\[[^\]]*\]\]|</?[a-zA-Z][^<>]{0,80}>|\[\^\w{1,20}\]")
_RENAMED_LINK = re.compile(r"\[\[(?:[^\]|]*\|)([^\]|]*)\]\]")
_WIKI_LINK = re.compile(r"\[\[([^\[\]|#]*)(?:#[^\[\]|]*)?\]\]")
_MARKED = re.compile(r"==(\S[^=]*)==|(?<!\S)\^[\w-]{3,40}\s*$|(?<!\S)#[^\W\d][\w/-]*")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_STRONG = re.compile(r"\*\*|__|`")
_EMPHASIS = re.compile(r"(?<!\w)[*_](\S[^*_]*?)[*_](?!\w)")


def _plain(text: str) -> str:
    if not _MARKUP.isdisjoint(text):
        text = _LEFT_OUT.sub("", _FILLED_IN.sub("", text))
        text = _MARKED.sub(r"\1", _WIKI_LINK.sub(r"\1", _RENAMED_LINK.sub(r"\1", text)))
        text = _EMPHASIS.sub(r"\1", _STRONG.sub("", _LINK.sub(r"\1", text)))
    return " ".join(text.split())


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph."""
    parts: list[str] = []
    for part in _SENTENCE.findall(text):
        if parts and _ABBREVIATED.search(parts[-1]):
            parts[-1] = f"{parts[-1]} {part}"
        else:
            parts.append(part)
    return parts


def ended(text: str) -> str:
    """The text as a sentence: a capital at its beginning and a mark at its end."""
    text = text.strip()
    if not text:
        return ""
    text = text[0].upper() + text[1:]
    return text if text[-1] in ".!?…”" or text[-2:] in ('."', '!"', '?"') else f"{text.rstrip(' ,;:-–—')}."


def lowered(text: str, keep: bool = False) -> str:
    """With a small letter at its beginning, unless that is a name or `I`."""
    if keep or re.match(r"(?:I\b|I['’])", text):
        return text
    return text[:1].lower() + text[1:]


def listed(parts: list[str], word: str = "and") -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}" if parts else ""
