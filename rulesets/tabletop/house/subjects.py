"""What a question is about: the noun of it, or the name, as the one who answers says it."""

from __future__ import annotations

import re

_WORD = r"[^\W\d_][\w'’-]*"
_STOP = (
    "want|wants|needs?|knows?|thinks?|this|that|of|from|in|into|on|onto|at|with|which|who|to|under|behind|before|while|for|and|or|but|as|so|through|along|across"
    "|around|against|until|if|is|was|are|were|does|did|do|has|had|have|can|could|will|would|should|here|there|we|i|you"
    "|he|she|it|they|then|than|that|by|about|up|down|out|over|please|now|today|tonight|again|alone|too|when|where|how"
    "|why|what|say|says|mean|means|look|looks|made|called|named|went|goes|comes|came|said|gets|gone|done|doing|going|looking|lying"
    r"|be|supposed|meant|able|likely|actually|usually|normally|exactly|probably|already|round|around|about|been|still|always|never|ever|even"
    r"|really|just|point|points|told|wants|wanted|moves|moving|works|happened|happens"
)
_NP = re.compile(
    rf"(?i)\b(?P<the>the|an?|any|some|this|that|these|those|my|your|our|his|her|their|all|no|every|enough)\s+"
    rf"(?P<noun>(?!(?:{_STOP})\b){_WORD}(?:\s+(?!(?:{_STOP})\b){_WORD}){{0,3}}"
    rf"(?:\s+of\s+(?:the\s+|this\s+)?(?!(?:{_STOP})\b){_WORD})?)"
)
_ABOUT = re.compile(
    rf"(?i)\b(?:about|of|with|for|against|at|to|in)\s+(?P<noun>(?!(?:{_STOP}|me|us|him|her|them|the|an?|any|this|that"
    rf"|my|your|our|his|their)\b){_WORD})\s*[?.!]*$"
)
_NAME = re.compile(
    r"(?<=[\w,;] )((?!(?:I|Wh\w+|How|It|That|This|There|He|She|They|We|You)\b)[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*)"
)
_TURNED = {"my": "your", "your": "my", "our": "our", "yours": "mine", "mine": "yours"}
QUALITY = re.compile(
    r"(?i)^\W*(?:is|are|was|were|isn'?t|aren'?t|wasn'?t) (?:the|this|that|these|those|it|my|your|our)\b(?! (?:time"
    r"|way)\b)"
)
"""A question how something of the place or the party is."""


def named_in(text: str, first: str) -> str:
    found = [each for each in _NAME.findall(text) if each.split()[-1].casefold() != first.casefold()]
    opened = re.match(
        r"(?:(?:Is|Was|Did|Does|Has|Can|Could|Will|Do|About) )?((?!(?:I|Wh\w+|How|It|That|This|There|He|She|They"
        r"|We|You)\b)[A-Z][\w'’-]+) (?:is|was|did|has|knows)\b",
        text,
    )
    if not found and opened:
        found = [opened[1]]
    name = re.sub(r"['’]s$", "", found[0]) if found else ""
    return f"the {name}" if name and re.search(rf"\bthe {re.escape(name)}\b", text) else name


def short_of(first: str) -> str:
    """The short form of a name with a mark in it: `Silani` for `Silani'shen`."""
    return re.split(r"['’-]", first)[0] or first


def subject_of(text: str, first: str = "") -> str:
    """What a question is about, as the one who answers says it: `your order` is `my order`; empty without a noun."""
    about = _ABOUT.search(text)
    nouns = [each for each in _NP.finditer(text) if each["noun"].casefold() not in _NO_NOUN]
    name = named_in(text, first)
    after = next((each for each in nouns if re.search(r"(?i)\b(?:about|of) $", text[: each.start()])), None)
    best = after or next((each for each in nouns if each["the"].lower() not in ("your", "my")), None)
    if best is None and about is None and name:
        return name
    if best is None and about is not None:
        return about["noun"]
    best = best or (nouns[0] if nouns else None)
    if best is None:
        return ""
    article = best["the"].lower()
    noun = re.sub(
        r"(?i) (?:please|now|today|tonight|yet|anyway|really|isn't|doesn't|right|like|left|handy|somewhere|again)$",
        "",
        best["noun"],
    )
    if (
        re.search(
            r"(?i)\b(?:did|does|do|will|would|can|could|should|has|have|had|think|think that) $", text[: best.start()]
        )
        and " " in noun
    ):
        ending = text[best.end() :].strip(" ?.!")
        noun = noun if ending else noun.rsplit(" ", 1)[0]
    if QUALITY.match(text) and best.start() < 8 and " " in noun and not text[best.end() :].strip(" ?.!"):
        noun = noun.rsplit(" ", 1)[0]
    noun = re.sub(r"['’]s?$", "", noun)
    if article in ("this", "that", "these", "those") and re.fullmatch(r"\w+(?:ed|en)", noun):
        return article
    if article in ("my", "your") and (inner := re.search(r"(?i)\bof ((?:the|this|that) )?(.+)$", noun)):
        return f"{inner[1] or ''}{inner[2]}"
    if article in ("any", "some", "all", "no", "every", "enough"):
        return noun
    return f"{_TURNED.get(article, article)} {noun}"


_NO_NOUN = frozenset("bit lot moment way time of you think one right".split())
