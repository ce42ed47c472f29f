"""What a line means while blows fall: a blow, the end of it, words, flight, or another deed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.verbs import lists
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST
from sottovoce.rulesets.tabletop.rules.lore.sheets import Sheet

_TURNS = {kind: re.compile("|".join(lines), re.IGNORECASE) for kind, lines in lists("struggle.txt").items()}
"""What each kind of line says, and what names fists, a shot and a weapon for it."""
(_YIELD, _BLOW, _FLEE, _TALK, _PLACE, _SHIELD, _TEND, _HIDE, _LOOK, _FISTS, _SHOT, _RANGED) = (
    _TURNS[kind]
    for kind in (
        "yield",
        "blow",
        "flee",
        "talk",
        "place",
        "shield",
        "tend",
        "hide",
        "look",
        "fists",
        "shot",
        "ranged",
    )
)


def meaning(text: str, acts: Sequence[Act], companions: Sequence[str] = ()) -> str:
    """What a line is: `yield`, `flee`, `blow`, `shield`, `tend`, `hide`, `look`, `talk`, `aside` or `deed`."""
    text = text.replace("’", "'")[:LONGEST]
    spoken = re.search(r"[\"“]", text) is not None
    bare = re.sub(r"[\"“][^\"”]*[\"”]?", " ", text)
    question = text.rstrip(' "”').endswith("?")
    if _YIELD.search(text) and not re.search(
        r"(?i)\bnever\b|(?<!or )\b(?:won't|will not|don't|not) (?:surrender|yield|give)", text
    ):
        return "talk" if spoken and _BLOW.search(bare) is None and re.search(r"(?i)\bif you\b", text) else "yield"
    kinds = {act.kind for act in acts}
    named = any(each.casefold() in text.casefold() for each in companions)
    if question and _PLACE.search(text):
        return "aside"
    if named and _SHIELD.search(bare):
        return "shield"
    if named and (_TEND.search(bare) or "help" in kinds):
        return "tend"
    if kinds & {"companion", "counsel"}:
        return "aside"
    if not question and ("attack" in kinds or _BLOW.search(bare)):
        return "blow"
    if not question and _FLEE.search(bare) and not spoken:
        return "flee"
    if question or spoken or _TALK.search(text) or kinds & {"talk", "ask", "persuade", "lie", "threaten", "show"}:
        return "talk"
    if _HIDE.search(bare) or "hide" in kinds:
        return "hide"
    if "go" in kinds:
        return "flee"
    if "no" in kinds:
        return "yield"
    return "look" if _LOOK.search(bare) else "deed"


def gives_up(text: str) -> bool:
    """Whether a line surrenders, wherever it is said."""
    return (
        re.search(
            r"(?i)\b(?:surrender|i yield|we yield|hands up|hands in the air|give (?:myself|ourselves) up)\b", text
        )
        is not None
    )


def weapon_in(sheet: Sheet, text: str) -> tuple[str, int, str]:
    """The attack that somebody's words name; the first on the sheet where they name none."""
    low = text.casefold()
    stated = [
        weapon
        for weapon in sheet.weapons
        if weapon[0].casefold() in low or weapon[0].casefold().split()[-1] in re.findall(r"[\w'-]+", low)
    ]
    if stated:
        return stated[0]
    if _FISTS.search(text):
        return ("bare hands", sheet.bonus("str") + 2, "1d4")
    if _SHOT.search(text):
        return next((weapon for weapon in sheet.weapons if _RANGED.search(weapon[0])), sheet.weapon())
    return sheet.weapon()


def with_weapon(deed: str, weapon: str, foe: str) -> str:
    """A blow as it is told: with who is hit, and what with."""
    told = re.sub(r"\b(?:him|them|her(?=\s*(?:[.,!]|with|in|on|again|at|and|$)))(?![\w'])", foe, deed, count=1)
    words = re.findall(r"[\w'-]+", told.casefold())
    if _SHOT.search(told) and not _RANGED.search(weapon) and not re.search(r"[“”]", told):
        return f"There is nothing to shoot with but a good aim: it has to be the {weapon.lower()}."
    if weapon == "bare hands" or weapon.casefold().split()[-1] in words or not told.endswith((".", "!")):
        return told
    if re.search(r"(?i)\bwith\b|[“”\"]|\b(?:throw|hurl|cast)", told):
        return told
    return f"{told[:-1]} with the {weapon.lower()}."
