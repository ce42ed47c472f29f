"""A sentence of a sheet as its owner says it: `She promised her father` becomes `I promised my father`.

A sheet is closed to those who listen: no eight words of it are said in a row (T-063).
"""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.rules.documents import runs_in
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended
from sottovoce.rulesets.tabletop.rules.lore.sheets import Sheet

_VERB = (
    r"(?:'(?P<short>s|d|ll|re|ve))? (?P<adverb>(?:[a-z]{1,14}ly |also |never |often |always "
    r"|still )?)(?P<verb>[a-z]+(?:'t)?)\b"
)
_SUBJECT = {
    "she": re.compile(rf"\b[Ss]he{_VERB}"),
    "he": re.compile(rf"\b[Hh]e{_VERB}"),
    "they": re.compile(rf"\b[Tt]hey{_VERB}"),
}
_LEFT = {"she": re.compile(r"\b[Ss]he\b"), "he": re.compile(r"\b[Hh]e\b"), "they": re.compile(r"\b[Tt]hey\b")}
_OWN = {
    "she": re.compile(
        r"\b[Hh]er\b(?= (?!(?:to|and|in|at|from|with|by|off|on|for|that|as|who|when)\b|(?!family)[a-z]{1,14}ly\b"
        r"|[a-z]{1,14}ed\b)[a-z])"
    ),
    "he": re.compile(r"\b[Hh]is\b"),
    "they": re.compile(r"\b[Tt]heir\b"),
}
_OBJECT = {"she": re.compile(r"\b[Hh]er\b"), "he": re.compile(r"\b[Hh]im\b"), "they": re.compile(r"\b[Tt]hem\b")}
_KIN = {
    "she": re.compile(r"(?i)\b(?:mother|sister|daughter|wife|aunt|woman|girl|mentor|teacher)\b"),
    "he": re.compile(r"(?i)\b(?:father|brother|son|husband|uncle|man|boy|mentor|teacher|master)\b"),
    "they": re.compile(r"(?i)\b(?:people|folk|family|others|parents|friends|things|masters?)\b"),
}
_SELF = re.compile(r"(?i)\b(?:herself|himself|themself|themselves)\b")
_FIRST_VERB = re.compile(
    r"(?!This|His|Its|Hers|Was|Has|Is|Decades|Seasons|Years|Days|Weeks|Months)[A-Z][a-z]{1,14}s (?!of\b|are\b"
    r"|is\b|[a-z]{1,14}ed\b)"
)
_SECOND_VERB = re.compile(
    r"(?<= )(and|but|or) ([a-z]{3,14}s)\b(?= (?:her|his|their|my|the|a|an|it|to|in|at|on|off|that|with|up|down"
    r"|every|everything"
    r"|everyone)\b)"
)
_BROKEN = re.compile(r"^(?:Won't|Can't|Will)\b|, [a-z]+s (?:[a-z]+, |[a-z]+\.$)|\bbut [a-z]+s\b|^[^,]*\bthat when\b")
_ME = re.compile(r"\b(?:I|[Mm]y|me|myself)\b")
_BOUNDARY = re.compile(
    r",? (?=(?:and|but|that|who|which|because|when|if|since|can|before|after|with|from|without|until|while|so|or"
    r"|than)\b)|, "
)
_PLAIN = {
    "is": "am", "has": "have", "was": "was", "does": "do", "goes": "go", "are": "am", "were": "was",
    "doesn't": "don't", "hasn't": "haven't", "isn't": "am not",
}  # fmt: skip
_SHORT = {"s": "'m", "d": "'d", "ll": "'ll", "re": "'m", "ve": "'ve"}
_NAMES = re.compile(r"(?<=[a-z,;] )[A-Z][\w'-]+")


def in_own_mouth(text: str, sheet: Sheet, view: bool = False) -> str:
    """A sentence of a sheet as its owner says it; empty where that is not sure to come out right.

    What is no view of theirs but a fact is said only as far as it can be without eight words of the sheet in a row.
    """
    she = sheet.pronouns[0]
    text = (
        text[:LONGEST]
        .replace("’", "'")
        .replace(f"{sheet.first}'s", "their" if she == "they" else "his" if she == "he" else "her")
    )
    text = text.replace(sheet.first, she.capitalize())
    others = [name for name in _NAMES.findall(text) if name.lower() != she]
    if she == "they" and (others or (_KIN[she].search(text) and _OBJECT[she].search(text))):
        return ""
    if (_KIN[she].search(text) or others) and len(_LEFT[she].findall(text)) + len(_OBJECT[she].findall(text)) > 2:
        return ""
    told = _SUBJECT[she].sub(lambda found: _said(found, she), text)
    if _FIRST_VERB.match(told) and not told.split()[0].endswith(("ss", "ness")):
        verb, _, rest = told.partition(" ")
        told = f"I {_base(verb.lower())} {rest}"
    told = _SECOND_VERB.sub(lambda found: f"{found[1]} {_base(found[2])}", told)
    told = _SELF.sub("myself", _OBJECT[she].sub("me", _OWN[she].sub("my", told)))
    told = re.sub(r"^me\b", "My", told)
    if _BROKEN.search(told) or _LEFT[she].search(told) or not (view or _ME.search(told)):
        return ""
    return _without_runs(ended(told[:1].upper() + told[1:]), sheet, view)


def _said(found: re.Match[str], she: str) -> str:
    short, adverb, verb = found["short"], found["adverb"], found["verb"]
    if short == "s" and re.search(r"(?:ed|en)$|^(?:been|gone|had|done|kept|lost|made)$", verb):
        short = "ve"
    if short:
        return f"I{_SHORT[short]} {adverb}{verb}"
    return f"I {adverb}{verb if she == 'they' and verb not in ('are', 'were') else _base(verb)}"


def _base(verb: str) -> str:
    if verb in _PLAIN:
        return _PLAIN[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if re.search(r"(?:ss|ch|sh|x|zz|o)es$", verb):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us", "was", "ous")) else verb


def _without_runs(text: str, sheet: Sheet, view: bool) -> str:
    """The sentence so that no eight words of the sheet stand in a row; empty where it has no place to be broken."""
    own = frozenset(runs_in(sheet.text))
    if not own & {*runs_in(text)}:
        return text
    for found in reversed([*_BOUNDARY.finditer(text)]):
        head, tail = text[: found.start()], text[found.end() :]
        broken = f"{head}, I would say, {tail}" if view else ended(head)
        whole = view or (
            len(head.split()) > 4
            and not tail.startswith(("that ", "than ", "who ", "which ", "can ", "or "))
            and not _CUT_SHORT.search(head)
            and _ME.search(head)
        )
        if whole and not own & {*runs_in(broken)}:
            return broken
    return ""


_CUT_SHORT = re.compile(
    r"^(?:When|While|If|After|Before|As|Since|Where|And)\b|rather than|\b(?:even|just|only|rather|not|more|most"
    r"|and|or|but)$"
)
