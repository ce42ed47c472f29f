"""A plain deed as it is told of somebody else."""

from __future__ import annotations

import re

LONGEST = 400
"""Characters of a deed that are looked at."""
_DOES = re.compile(r"\b(?:I|we) (know|need|want|see|hear|think|carry|do|find|get|go|meet|say)\b")


def in_third_person(text: str, name: str) -> str:
    """A plain deed as it is told of somebody: `I open the window` becomes `Ada opens the window`."""
    text = re.sub(r"[\"“][^\"”]*[\"”]", "", text[:LONGEST]).strip(" .!,")
    text = re.sub(
        r"(?i)^(?:i|we|let's|let us)(?:'d like to|'ll| will| want to| try to| am going to|'m going to)? ", "", text
    )
    found = re.match(r"([a-z]+)\b(.*)", text, re.DOTALL | re.IGNORECASE)
    if not found or "?" in text or len(text) > 160:
        return ""
    verb = found[1].lower()
    ending = "es" if re.search(r"(?:s|x|ch|sh|o)$", verb) else "s"
    said = (
        f"{verb[:-1]}ies"
        if re.search(r"[^aeiou]y$", verb)
        else {"am": "is", "have": "has", "be": "is"}.get(verb, verb + ending)
    )
    if verb.endswith("s") and not verb.endswith("ss"):
        said = verb
    rest = found[2]
    rest = re.sub(
        r"\b(and|then|but) ([a-z]+)\b(?= (?:the|a|my|it|at|in|to|down|up|his|her|for|on)\b|$)",
        lambda m: (
            f"{m[1]} {m[2] if m[2].endswith('s') else _third(m[2])}" if m[2] not in ("the", "my", "then") else m[0]
        ),
        rest,
    )
    rest = re.sub(r"(?i)\bmyself\b", "alone", rest)
    rest = re.sub(r"(?i)\b(?:my|our)(?: own)?\b", "the", rest)
    rest = re.sub(r"(?i)\b(behind|around|about|beside|before|after) (?:me|us)\b", r"\1", rest)
    rest = re.sub(
        r"(?i)\b(?:I|we) (?:am|are|have)\b",
        lambda m: f"{name} {'has' if m[0][-1] == 'e' and 'h' in m[0] else 'is'}",
        rest,
    )
    rest = _DOES.sub(lambda m: f"{name} {_third(m[1])}", rest)
    rest = re.sub(r"(?i)\b(?:I|me|us|we)\b", name, rest)
    return f"{name} {said}{rest}."


def _third(verb: str) -> str:
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if re.search(r"(?:s|x|ch|sh|o)$", verb) else f"{verb}s"
