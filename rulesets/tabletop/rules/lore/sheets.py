"""A character sheet as the house reads it: by bold leads, headings and lists, whoever wrote it and in whatever order.

What is not found has a plain default, so that any sheet will do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.documents import Documents, rebuild
from sottovoce.rulesets.tabletop.rules.documents import sheet as sheet_path

_LEAD = re.compile(r"\*\*([^*:]{2,40}):?\*\*:?[ \t]*(.*)")
_ITEM = re.compile(r"[ \t]*[-*] +(\S.*)")
_HEADING = re.compile(r"(#{1,6}) +(\S.*)")
_BONUS = r"[^\n+\-−0-9]{0,24}([+\-−][0-9]{1,2})"
_DICE = r"([0-9]{0,2}d[0-9]{1,3}(?: ?[+\-−] ?[0-9]{1,2})?)"
_ATTACK = re.compile(rf"(?m)^[ \t|*-]*([A-Z][\w' -]{{1,40}}?)[*|: ]+\+([0-9]{{1,2}})[^\n]{{0,12}}?[,|] *{_DICE}")
_QUOTE = re.compile(r"[\"“]([^\"“”]{2,160})[\"”]")
_ABILITIES = ("str", "dex", "con", "int", "wis", "cha")
_GOVERNS = {
    "athletics": "str",
    "acrobatics": "dex",
    "stealth": "dex",
    "sleight of hand": "dex",
    "dexterity": "dex",
    "arcana": "int",
    "history": "int",
    "investigation": "int",
    "nature": "int",
    "religion": "int",
    "insight": "wis",
    "medicine": "wis",
    "perception": "wis",
    "survival": "wis",
    "persuasion": "cha",
    "deception": "cha",
    "intimidation": "cha",
    "performance": "cha",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a sheet says of its character. `fields` are its bold leads in lower case; `they` is how it is spoken of."""

    name: str
    first: str
    pronouns: tuple[str, str, str]
    fields: Mapping[str, str]
    traits: tuple[str, ...]
    sayings: tuple[str, ...]
    weapons: tuple[tuple[str, int, str], ...]
    text: str

    @property
    def concerns(self) -> tuple[str, ...]:
        """The matters that the character will not settle in a hurry."""
        return tuple(
            word.strip() for word in self.fields.get("asks for more about", "").lower().split(",") if word.strip()
        )

    @property
    def nicknames(self) -> tuple[str, ...]:
        """Short names that others may call the character by."""
        stated = (self.fields.get(field, "") for field in ("trade name", "nickname", "called", "known as", "goes by"))
        return tuple(
            word for each in stated if (word := each.strip(' "“”*')) and re.fullmatch(r"[A-Z][\w'’-]{1,18}", word)
        )

    def bonus(self, skill: str) -> int:
        """What is added to a roll for a skill, an ability or initiative."""
        stated = re.search(rf"(?i)\b{re.escape(skill)}\b[*]{{0,2}}{_BONUS}", self.text)
        if stated:
            return _number(stated[1])
        short = _GOVERNS.get(skill, skill[:3])
        return self._ability("dex" if skill == "initiative" else short)

    def _ability(self, short: str) -> int:
        lines = self.text.splitlines()
        for at, line in enumerate(lines[:-2]):
            cells = [cell.strip(" *:").lower()[:3] for cell in line.strip().strip("|").split("|")]
            if short in cells and "|" in line and len(cells) >= len(_ABILITIES):
                values = [cell.strip() for cell in lines[at + 2].strip().strip("|").split("|")]
                place = cells.index(short)
                score = re.match(r"[0-9]{1,2}", values[place]) if place < len(values) else None
                return (int(score[0]) - 10) // 2 if score else 0
        return 0

    def weapon(self, place: int = 0) -> tuple[str, int, str]:
        """One of the attacks: its name, its bonus and its damage."""
        return self.weapons[place % len(self.weapons)] if self.weapons else ("bare hands", 2, "1d4")


def _number(text: str) -> int:
    return int(text.replace("−", "-"))


def sheet_of(documents: Documents, character: str) -> Sheet:
    """The character's sheet, as far as that character may read it, whoever asks."""
    pieces = [piece for piece in documents.get(sheet_path(character), ()) if character in piece.readers]
    return read(character, rebuild(pieces))


@lru_cache(maxsize=256)
def read(character: str, text: str) -> Sheet:
    """What the text of a sheet says."""
    fields: dict[str, str] = {}
    traits: list[str] = []
    title, under = "", ""
    for line in text.splitlines():
        heading, item = _HEADING.fullmatch(line.strip()), _ITEM.fullmatch(line)
        lead = _LEAD.search(line)
        if heading:
            title = title or (heading[2] if len(heading[1]) == 1 else "")
            under = heading[2].lower()
        elif lead and not item:
            under = lead[1].strip().lower()
            fields.setdefault(under, lead[2].strip(" |*"))
        elif item and "trait" in under and "racial" not in under and "features" not in under:
            traits.append(item[1].strip())
        elif not line.strip() and "trait" not in under:
            under = ""
    first = (title.split(":")[0].split() or [character.split("-")[0].capitalize()])[0]
    pronouns = _pronouns(fields.get("pronouns", ""), text)
    sayings = tuple(dict.fromkeys(match[1].strip() for match in _QUOTE.finditer(_voice(text))))
    weapons = tuple((m[1].strip(), int(m[2]), m[3].replace(" ", "").replace("−", "-")) for m in _ATTACK.finditer(text))
    return Sheet(character, first, pronouns, fields, tuple(traits), sayings, weapons, text)


def _voice(text: str) -> str:
    """The lines under a heading or lead that promises the character's own words."""
    found, taking = [], False
    for line in text.splitlines():
        marked = re.match(r"#{1,6} +(.*)|\*\*([^*]+)\*\*", line)
        if marked:
            taking = bool(re.search(r"(?i)voice|says|sample|quote|catchphrase", marked[1] or marked[2] or ""))
        if taking:
            found.append(line)
    return "\n".join(found)


def _pronouns(stated: str, text: str) -> tuple[str, str, str]:
    """Subject, object and possessive: as stated, or as the sheet itself speaks of the character."""
    word = stated.split("/")[0].strip().lower()
    if word not in ("she", "he", "they"):
        words = re.findall(r"[a-z]+", text.lower())
        counts = {each: sum(words.count(form) for form in _FORMS[each]) for each in ("she", "he")}
        word = max(counts, key=lambda each: counts[each])
        if counts[word] < 3:
            word = "they"
    return _FORMS[word]


_FORMS = {"she": ("she", "her", "her"), "he": ("he", "him", "his"), "they": ("they", "them", "their")}
