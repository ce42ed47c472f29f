"""What a narration must not say (M-104, M-106).

The narrator knows everything, so its words are the one place where free text could leak. This check is best effort: it
finds sentences that pair a name with a role or with the Doctor's or Detective's work. The text is normalised first, so
that spacing, case, look-alike letters and invisible characters do not hide a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from domain.reading import named, plain

PARTICULAR = ("detective", "doctor", "jester")
"""Roles that a sentence which also names a player hardly ever mentions innocently."""

GENERAL = ("mafia", "mafioso", "villager")
"""Roles that are also a group or a common noun: only a statement about the name counts."""

_LINK = (
    r"(?:is|was|are|were|be|been|being|am|as|=|:|-|–|—|>|->|→|remains?|remained|became|had been|has been|"
    r"belong(?:s|ed)? to|work(?:s|ed)? for|serve[sd]?|one of|member of|part of|\(|,)"
)
_FILLER = (
    r"(?:\s*(?:not|never|no|truly|really|in truth|secretly|indeed|surely|just|only|still|once|always|the|a|an|our|your"
    r"|of|one|member|to|for|in|true|role|dealt|simple|mere|good|loyal|honest)\b)*"
)
_DEEDS = re.compile(
    r"\b(?:protect(?:s|ed|ing|ion)?|sav(?:e|es|ed|ing)|guard(?:s|ed|ing)?|shield(?:s|ed|ing)?|heal(?:s|ed|ing)?|"
    r"investigat(?:e|es|ed|ing|ion)|examin(?:e|es|ed|ing)|unmask(?:s|ed|ing)?)\b"
)
_SENTENCE = re.compile(r"[.!?;…]+\s+|[\n\r\u2028\u2029|]+")
_NAME = "\x01"


def disclosure(text: str, players: Iterable[str], public: Mapping[str, str]) -> str | None:
    """What the text gives away, as a message for its author; None if nothing was found.

    `public` are the roles that everybody knows already, by player.
    """
    names = tuple(players)
    whole = plain(text.replace("\n", " \x02 "))
    for raw in _SENTENCE.split(text):
        sentence = plain(raw)
        mentioned = named(raw, names)
        if not mentioned:
            continue
        if _DEEDS.search(sentence):
            return f"It may not say that {mentioned[0]} was protected or investigated (M-104)."
        for role in PARTICULAR:
            if re.search(rf"\b{role}\b", sentence) and not any(_is_public(name, role, public) for name in mentioned):
                return f"It may not link {mentioned[0]} with a role that is not public (M-104)."
        for role in GENERAL:
            for name in mentioned:
                if not _is_public(name, role, public) and _states(sentence, name, role, names):
                    return f"It may not say what {name} is or was (M-104)."
    for role in PARTICULAR:
        for name in names:
            spelled = re.escape(plain(name))
            apart = rf"\b{role}\b\W{{1,4}}{spelled}(?!\w)|(?<!\w){spelled}\W{{1,4}}\b{role}\b"
            if not _is_public(name, role, public) and re.search(apart, whole):
                return f"It may not link {name} with a role that is not public (M-104)."
    return None


def _is_public(name: str, role: str, public: Mapping[str, str]) -> bool:
    return public.get(name, "").casefold() == ("mafia" if role == "mafioso" else role)


def _states(sentence: str, name: str, role: str, names: tuple[str, ...]) -> bool:
    """Whether the sentence says of the name that it is, or is not, of that role."""
    marked = sentence
    for other in sorted(names, key=len, reverse=True):
        token = _NAME if other == name else "\x03"
        marked = re.sub(rf"(?<!\w){re.escape(plain(other))}(?!\w)", token, marked)
    plural = rf"{role}s?"
    patterns = (
        rf"{_NAME}(?:\s*(?:and|,|&)\s*[\x01\x03])*(?:'s (?:true )?role)?\s*(?:\w+\s+){{0,2}}{_LINK}{_FILLER}"
        rf"\s*{plural}\b",
        rf"{_NAME}\s+{_FILLER}\s*{plural}\b",
        rf"\b{plural}\s*(?:members?|player)?\s*(?:is|was|are|were|:|=|-|–|—|,|\(|named|called)?\s*"
        rf"(?:[\x01\x03]\s*(?:,|and|&)\s*)*{_NAME}",
    )
    return any(re.search(pattern, marked) for pattern in patterns)
