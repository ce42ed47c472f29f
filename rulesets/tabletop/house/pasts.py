"""What somebody tells of themself out of the open lines of their sheet: in the first person, and never eight words of it
in a row, since the sheet is closed to those who listen (T-063)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sottovoce.rulesets.tabletop.house.abilities import open_lines
from sottovoce.rulesets.tabletop.house.player import Player
from sottovoce.rulesets.tabletop.rules.documents import runs_in
from sottovoce.rulesets.tabletop.rules.lore.language import ended, sentences, stems
from sottovoce.rulesets.tabletop.rules.lore.sheets import Sheet

LONGEST = 150
"""Characters of a sentence that somebody says of themself."""
_NUMBERS = re.compile(r"(?i)^(?:numbers|skills|attacks|ability scores|combat stats|saving throws|spell|languages|how |interrupt|initial)")
_NOT_TOLD = re.compile(
    r"(?i)not know|unaware|true nature|\bplayers?\b|\bAI\b|\bplay\b|\bparty\b|\bGM\b|secret|has not told|\d|[|\"“”*:]|suspects|they're"
)
_LEADS = re.compile(r"^(?:[A-Z][\w' -]{2,28}: )+")
_PAST = re.compile(r"(?i)back(?:story|ground)|history|past|bond|origin|about|who (?:she|he|they)|life")


def _base(verb: str) -> str:
    plain = {"is": "am", "has": "have", "was": "was", "does": "do", "goes": "go", "are": "am", "were": "was"}
    if verb in plain:
        return plain[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if re.search(r"(?:ss|ch|sh|x|zz|o)es$", verb):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us", "was", "ous")) else verb


def in_own_mouth(text: str, sheet: Sheet) -> str:
    """A sentence of a sheet as its owner says it; empty where that is not sure to come out right."""
    she, her, their = sheet.pronouns
    first = re.escape(sheet.first)
    text = text.replace("’", "'")
    others = re.findall(r"(?<=[a-z,;] )[A-Z][\w'-]+", text.replace(sheet.first, "I"))
    if she == "they" and (others or re.search(r"(?i)\b(?:people|folk|family|others|parents|friends|[a-z]+s)\b[^.]*\b(?:they|them)\b", text)):
        return ""
    kin = re.search(r"(?i)\b(?:mother|sister|daughter|wife|aunt|woman|girl|mentor|teacher)\b" if she == "she" else r"(?i)\b(?:father|brother|son|husband|uncle|man|boy|mentor|teacher|master)\b", text)
    if (kin or others) and len(re.findall(rf"(?i)\b(?:{she}|{her})\b", text)) > 2:
        return ""
    subject = rf"(?:{first}|{she.capitalize()}|{she})"

    def said(found: re.Match[str]) -> str:
        short, adverb, verb = found[1] or "", found[2] or "", found[3]
        if short:
            helper = {"'s": "'ve" if re.search(r"(?:ed|en)$|^(?:been|gone|had|done|kept|lost|made)$", verb) else "'m", "'d": "'d", "'ll": "'ll", "'re": "'m", "'ve": "'ve"}
            return f"I{helper.get(short, short)} {adverb}{verb}"
        return f"I {adverb}{verb if she == 'they' and verb not in ('are', 'were') else _base(verb)}"

    told = re.sub(rf"\b{subject}('\w+)? ((?:\w+ly |also |never |often |always |still )?)([a-z]+)\b", said, text)
    if told == text and re.match(r"[A-Z][a-z]+s\b (?!of\b|are\b|is\b)", text) and not text.split()[0].endswith(("ss", "ness")):
        verb, _, rest = text.partition(" ")
        told = f"I {_base(verb.lower())} {rest}"
    told = re.sub(r"(?<= )(and|but|or) ([a-z]{3,}s)\b(?= (?:her|his|their|the|a|an|it|to|in|at|on|off|that|with|up|down|every|everything|everyone)\b)", lambda m: f"{m[1]} {_base(m[2])}", told)
    told = re.sub(rf"\b{first}'s\b", "my", told)
    if their == her:
        told = re.sub(r"\b[Hh]er\b(?= (?!to\b|and\b|in\b|at\b|from\b|with\b|by\b|off\b|on\b|for\b|that\b|as\b)[a-z])", "my", told)
        told = re.sub(r"\b[Hh]er\b", "me", told)
    else:
        told = re.sub(rf"(?i)\b{their}\b", "my", told)
        told = re.sub(rf"(?i)\b{her}\b", "me", told)
    told = re.sub(rf"(?i)\b(?:{she}|him)self\b|\bherself\b|\bthemsel(?:f|ves)\b", "myself", told)
    if re.search(rf"\b(?:{first}|{she}|{she.capitalize()})\b", told):
        return ""
    return _without_runs(ended(told[:1].upper() + told[1:]), sheet)


_BOUNDARY = re.compile(r",? (?=(?:and|but|than|that|who|which|because|when|if|since|can|before|after|with|from|without|until|while|so|or)\b)|, ")


def _without_runs(text: str, sheet: Sheet) -> str:
    """The sentence so that no eight words of the sheet stand in a row; empty where it has no place to be broken."""
    own = frozenset(runs_in(sheet.text))
    if not own & {*runs_in(text)}:
        return text
    for found in _BOUNDARY.finditer(text):
        broken = f"{text[: found.start()]}, I would say, {text[found.end() :]}"
        if not own & {*runs_in(broken)}:
            return broken
    return ""


def own_sentences(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """The sentences of the open lines of a sheet that tell of its owner, with what they stand under."""
    for under, line in open_lines(sheet):
        lead = re.match(r"([A-Z][\w ]{2,20}): ", line)
        if not _NUMBERS.search(under):
            for sentence in sentences(_LEADS.sub("", line)):
                if 20 < len(sentence) < LONGEST and not _NOT_TOLD.search(sentence):
                    yield (lead[1] if lead else under), sentence


def told_by(player: Player, about: frozenset[str], most: int = 1) -> str:
    """What a character's own sheet has on a matter, as they say it; empty where nothing fits or all was said."""
    scored: list[tuple[int, int, str]] = []
    for place, (under, sentence) in enumerate(own_sentences(player.sheet)):
        shared = len(about & stems(sentence))
        if shared >= min(most, len(about)) and shared:
            scored.append((2 * shared + bool(_PAST.search(under)), -place, sentence))
    for _, _, sentence in sorted(scored, reverse=True)[:6]:
        told = in_own_mouth(sentence, player.sheet)
        if told and told.casefold() not in player.worn:
            return told
    return ""


def field_told(player: Player, *names: str) -> str:
    """What stands in a field of the sheet, as its owner says it; empty where none of them can be said."""
    for name in names:
        stated = player.sheet.fields.get(name, "").strip(" *")
        stated = re.sub(r"^[A-Z][\w ]{2,18} [-–—] ", "", stated).strip("\"“”")
        for sentence in sentences(stated)[:2]:
            told = in_own_mouth(sentence.strip("\"“” "), player.sheet)
            if told and len(told) < LONGEST and told.casefold() not in player.worn:
                return told
    return ""
