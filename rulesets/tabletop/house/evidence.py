"""What a character has seen and heard of somebody tonight, and what it makes of that."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sottovoce.rulesets.tabletop.house.opinions import of_the_table, outside, to_us
from sottovoce.rulesets.tabletop.house.player import Player

_WARM = re.compile(
    r"(?i)\b(?:glad|smiles?|thanks?|nods?|laughs?|more easily|warms?|kind|gentle|welcome|pours?|helps?|honest|friendly"
    r"|relieved|grateful|shakes your hand|offers?|at ease|eases)\b"
)
_COLD = re.compile(
    r"(?i)\b(?:not pleased|cold|steps back|shrugs?|no answer|turns? away|looks? away|refuses?|lies|lied|hesitates?"
    r"|frowns?"
    r"|stiffens?|sharp|scowls?|suspicious|not say|will not|cannot help|can.t help|silent|says nothing|angry|blow"
    r"|somebody else|shuts?|do not know|could not say|nervous|wary)\b"
)


_COMING = re.compile(
    r"(?i)\bstands? before you|comes? (?:up|over|by|in|running)|has (?:been waiting|seen you|heard)"
    r"|clears? a throat|brings"
    r"|is not here|stands? here|has nothing|has told you|no answer to that"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of somebody: their own words, what was seen of them, and `good`, `bad` or `open`."""

    name: str
    quote: str = ""
    seen: str = ""
    attitude: str = "open"


def evidence_on(player: Player, name: str) -> Evidence:
    """What the character has heard from somebody, and seen of them."""
    short = name.split()[-1] if name.split()[0].lower() == "the" else name.split()[0]
    quote = seen = ""
    warm = cold = 0
    for text in player.heard[1:]:
        for found in re.finditer(
            rf"“([^”]{{12,150}})”,? (?:says|answers|asks|tells you)[^.“]{{0,14}}\b{re.escape(short)}\b", text
        ):
            said = found[1].strip(" ,.")
            if not of_the_table(said) and not re.search(
                r"(?i)^(?:yes|no|hm)\b|do not know|could not say|somebody else|[‘’]\s*$|“|\?$", said
            ):
                quote = said
            cold += bool(_COLD.search(said))
        for sentence in outside(text):
            if not re.search(rf"\b{re.escape(short)}\b", sentence):
                continue
            bare = re.sub(r"“[^”“]*”", "", sentence)
            warm += bool(_WARM.search(bare))
            cold += bool(_COLD.search(bare))
            if (
                "“" not in sentence
                and "”" not in sentence
                and 25 < len(sentence) < 150
                and not sentence.startswith(tuple(player.firsts))
                and not re.search(r"[*:]|\byou (?:could|can)\b|\b(?:tells|asks|shows) you\b", sentence)
                and not _COMING.search(sentence)
                and sentence.rstrip(".") not in player.heard[0]
                and not of_the_table(sentence)
            ):
                seen = sentence
    attitude = "good" if warm > cold else "bad" if cold > warm else "open"
    return Evidence(name, quote.replace("“", "‘"), seen, attitude)


def described(player: Player) -> str:
    """What was told last of what there is to see, and was not said again by the character."""
    for text in reversed(player.heard[1:][-4:]):
        for sentence in reversed(outside(text)):
            if (
                25 < len(sentence) < 160
                and not re.search(r"[“”\"*:?]", sentence)
                and not any(first in sentence for first in player.firsts)
                and sentence.casefold() not in player.worn
                and not of_the_table(sentence)
                and to_us(sentence).rstrip(".") not in player.heard[0]
                and re.search(
                    r"(?i)\b(?:stands?|lies?|hangs?|is|are|runs?|shines?|smells?|sits?|grows?|burns?)\b", sentence
                )
                and not re.search(r"(?i)\byou\b", sentence)
            ):
                return sentence
    return ""
