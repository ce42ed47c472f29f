"""Asides: questions that the game master answers, since they are put to nobody at the table.

Such a question names none of the people here, has no `you` in it, and asks for what the one at the table can see, read
on the sheet, or has been told: who is here, what the party knows and has, how it stands with it. Everything else that
is asked goes to whoever is spoken to.
"""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.verbs import lists
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST

_LEAD = r"(?i)^\W*(?:(?:so|ok|okay|and|but|well|now|hey|hm+|wait|right|then|actually|also|um|oh|still|just),?\s+){0,3}"
_CUES = {kind: "|".join(lines).replace("{WE}", "(?:i|we)") for kind, lines in lists("aside_cues.txt").items()}
"""Turns of phrase of each kind of aside, in the order in which they count."""
HOW_IT_IS = re.compile(f"{_LEAD}(?:{_CUES.pop('how it is')})")
"""A question about how something is, here and now."""
OF_A_PERSON = re.compile(f"(?i){_CUES.pop('of a person')}")
"""Words of a question about how somebody looks."""
FOR_A_LOCAL = re.compile(f"(?i){_CUES.pop('for somebody who lives here')}")
"""Words of a question that only somebody who lives here can answer."""
_KINDS = tuple((kind, re.compile(f"{_LEAD}(?:{cues})")) for kind, cues in _CUES.items())
_PREFACE = re.compile(r"(?i)^[^,?.!]{3,40}, (?=(?:what|who|where|how|why|is|are|do|does|did|am|can|which)\b)")
_TO_SOMEBODY = re.compile(r"(?i)\b(?:you|your|yours|yourself|ya)\b")
"""Words to somebody, whatever else is in them."""


def aside_in(text: str) -> str:
    """What kind of aside a sentence is; empty for words to somebody, and for what is no question of the kind."""
    text = text[:LONGEST].replace("’", "'")
    if _TO_SOMEBODY.search(text):
        return ""
    kind = next((kind for kind, pattern in _KINDS if pattern.search(text)), "")
    return "" if kind in ("people", "reaction") and FOR_A_LOCAL.search(text) else kind


def without_preface(text: str) -> str:
    """A question without what stands before it: `before we start, what do we know?`"""
    return text if aside_in(text) else _PREFACE.sub("", text)
