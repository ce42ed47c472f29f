"""What a player has said of roles, sentence by sentence: for those who no longer have the speech before them."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 160
MOST = 3
"""How long a kept sentence may be, and how many of one speech are kept."""

_ROLE = re.compile(r"\b(?:detective|doctor|jester|mafia|villager)s?\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;]*")
_OF_ONESELF = re.compile(r"\bi(?:['’]m| am| was)\b", re.IGNORECASE)


def claims(text: str | None, players: Sequence[str]) -> tuple[str, ...]:
    """The sentences of a speech that speak of a role together with its speaker or with a player's name."""
    if text is None or _ROLE.search(text) is None:
        return ()
    kept = []
    for sentence in (match.group() for match in _SENTENCE.finditer(text)):
        if _ROLE.search(sentence) and (_OF_ONESELF.search(sentence) or any(name in sentence for name in players)):
            said = " ".join(sentence.replace("«", "‹").replace("»", "›").split())
            kept.append(said if len(said) <= LONGEST else f"{said[:LONGEST]} […]")
    return tuple(kept[:MOST])
