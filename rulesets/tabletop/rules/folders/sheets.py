"""Characters that are made here: out of a few answers, or those that come with the product."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from sottovoce import SetupRefused
from sottovoce.domain.paths import file_name
from sottovoce.rulesets.tabletop.rules.folders.letters import in_latin
from sottovoce.rulesets.tabletop.rules.names import checked_roster

SKILLS: Mapping[str, str] = {
    "athletics": "str",
    "acrobatics": "dex",
    "sleight of hand": "dex",
    "stealth": "dex",
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
"""What a character can be good at, and the ability behind it."""
ABILITIES = ("str", "dex", "con", "int", "wis", "cha")
MOST_SKILLS = 4
_GOOD, _PLAIN = 15, 11
LONGEST_LINE = 200
LONGEST_SHEET = 200_000
PRONOUNS = ("she/her", "he/him", "they/them")
LOWEST_SCORE, HIGHEST_SCORE = 3, 18
"""Between which an ability's score lies that somebody chooses."""
USUAL_CONCEPT = "a traveller"
"""Who a character is for whom nothing else is said."""
USUAL_SKILLS = ("perception", "persuasion")


@cache
def shipped() -> Mapping[str, str]:
    """The sheets that come with the product, by the characters' names."""
    folder = files(__package__).joinpath("characters")
    found = {
        each.name.removesuffix(".md"): each.read_text(encoding="utf-8")
        for each in folder.iterdir()
        if each.name.endswith(".md")
    }
    return dict(sorted(found.items()))


def name_of(full_name: str) -> str:
    """The seat's name that a character's full name gives (F-056). SetupRefused in one line where it gives none."""
    name = file_name(in_latin(full_name))
    if not name:
        raise SetupRefused(f"The name {full_name[:60]!r} has no letter that a file name can have. Add one from a to z.")
    checked_roster((name,))
    return name


def made_sheet(
    full_name: str,
    concept: str,
    skills: Sequence[str],
    pronouns: str = "",
    numbers: Mapping[str, int] = MappingProxyType({}),
) -> str:
    """The sheet of a new character: what it is, and what it is good at. SetupRefused names what is wrong.

    `numbers` are scores of abilities, by their names in three letters; the skills decide the others.
    """
    name, concept = _line(full_name, "name"), _line(concept, "concept")
    name_of(name)
    good = list(dict.fromkeys(_skill(each) for each in skills))
    if not good or len(good) > MOST_SKILLS:
        raise SetupRefused(f"Name one to {MOST_SKILLS} skills, such as: persuasion, stealth.")
    if pronouns and pronouns not in PRONOUNS:
        raise SetupRefused(f"The pronouns are one of: {', '.join(PRONOUNS)}.")
    strong = {SKILLS[skill] for skill in good}
    scores = {ability: _GOOD if ability in strong else _PLAIN for ability in ABILITIES} | dict(numbers)
    bonus = {skill: (scores[SKILLS[skill]] - 10) // 2 + 2 for skill in good}
    first = name.split()[0]
    lines = [
        f"# {name}",
        "",
        *([f"**Pronouns**: {pronouns}"] if pronouns else []),
        f"**Background**: {concept}",
        "",
        "## Numbers",
        "",
        f"**Armor Class**: {12 + (scores['dex'] - 10) // 2}",
        "**Hit Points**: 11/11",
        f"**Initiative**: {(scores['dex'] - 10) // 2:+d}",
        "**Gold**: 5",
        "",
        "| STR | DEX | CON | INT | WIS | CHA |",
        "|---|---|---|---|---|---|",
        f"| {' | '.join(str(scores[ability]) for ability in ABILITIES)} |",
        "",
        "## Skills",
        "",
        *(f"- {skill.capitalize()} {value:+d}" for skill, value in bonus.items()),
        "",
        "## Attacks",
        "",
        "- **Knife**: +3 to hit, 1d4+1 piercing",
        "",
        "## Traits",
        "",
        f"- {concept[:1].upper()}{concept[1:]}, whatever others make of it.",
        "",
        "**Ideal**: Nobody is left behind.",
        f"**Bond**: Somebody at home still lays a place at the table for {first}.",
        f"**Flaw**: {first} answers before the question is over.",
    ]
    return "\n".join(lines) + "\n"


def _line(text: str, what: str) -> str:
    text = " ".join(text.split())
    if not text or len(text) > LONGEST_LINE:
        raise SetupRefused(f"The {what} is a line of 1 to {LONGEST_LINE} characters.")
    if re.search(r"[*_`#<>|\[\]]", text):
        raise SetupRefused(f"The {what} is plain words, without signs such as * or #.")
    return text


def _skill(text: str) -> str:
    wanted = " ".join(text.casefold().split())
    hits = [skill for skill in SKILLS if skill == wanted] or [
        skill for skill in SKILLS if wanted and skill.startswith(wanted)
    ]
    if len(hits) != 1:
        raise SetupRefused(f"{text[:40]!r} is not a skill. Choose among: {', '.join(SKILLS)}.")
    return hits[0]


def named_sheet(text: str, stem: str) -> tuple[str, str]:
    """The seat's name and the text of a sheet that somebody has: by its first heading, or by its file's name."""
    if "\0" in text or len(text) > LONGEST_SHEET:
        raise SetupRefused(f"The sheet {stem[:60]!r} is not a text, or longer than {LONGEST_SHEET:,} characters.")
    heading = re.search(r"(?m)^# +([^\n]{1,200})$", text)
    title = heading[1].strip() if heading else stem
    name = file_name(in_latin(title)) or file_name(in_latin(stem))
    checked_roster((name or "",))
    return name, text if heading else f"# {stem}\n\n{text}"
