"""Making a character at the terminal, or taking one that comes along."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path

from sottovoce import SetupRefused, UnknownName
from sottovoce.domain.safe_text import one_line
from sottovoce.rulesets.tabletop.rules.folders.sheets import (
    LONGEST_SHEET,
    MOST_SKILLS,
    PRONOUNS,
    SKILLS,
    USUAL_CONCEPT,
    USUAL_SKILLS,
    made_sheet,
    name_of,
    named_sheet,
    shipped,
)
from sottovoce.terminal import ask, say

NEW = "new"


def sheet_given(given: str) -> tuple[str, str]:
    """The seat's name and the sheet that a command line names: one that ships, or a file. UnknownName without one."""
    if given in shipped():
        return given, shipped()[given]
    path = Path(given)
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_SHEET * 4 + 1).decode("utf-8")
    except (OSError, ValueError):
        known = ", ".join(shipped())
        raise UnknownName(f"{given[:200]!r} is neither a sheet that can be read as text nor one of: {known}.") from None
    return named_sheet(text, path.stem)


def choose_character() -> tuple[str, str]:
    """The character that the person at the terminal takes or makes, where the folder has none."""
    _say("There are no characters in this folder. Make one, take your sheet, or play one of these:")
    numbered = {str(number): name for number, name in enumerate(shipped(), 1)}
    for number, name in numbered.items():
        say(f"  {number} {name}: {_about(shipped()[name])}")
    while True:
        wanted = ask(f"Who are you? (a number or name, `{NEW}`, or the path of a sheet)", (*shipped(), NEW), NEW)
        if wanted.lower() == NEW:
            return make_character()
        wanted = numbered.get(wanted, wanted)
        hits = [each for each in shipped() if each.startswith(wanted.lower())]
        try:
            return sheet_given(hits[0] if len(hits) == 1 else wanted)
        except (SetupRefused, UnknownName) as wrong:
            _say(one_line(str(wrong)))


def make_character(name: str | None = None, concept: str | None = None) -> tuple[str, str]:
    """Ask for a name, a concept and what the character is good at, as far as they are not given."""
    while name is None or (wrong := _wrong(name)):
        if name is not None:
            _say(wrong if name.strip() else "Type a name, or press Ctrl-C to stop.")
        name = ask("Name")
    while concept is None or (wrong := _wrong(name, concept)):
        if concept is not None:
            _say(wrong)
        concept = ask("Who is that, in a line? (such as: a smuggler who has sworn off the sea)", (), USUAL_CONCEPT)
    pronouns = None
    while pronouns is None or (wrong := _wrong(name, concept, pronouns=pronouns)):
        if pronouns is not None:
            _say(wrong)
        pronouns = ask(f"Pronouns ({', '.join(PRONOUNS)})", PRONOUNS, PRONOUNS[-1])
    _say(f"Skills: {', '.join(SKILLS)}.")
    good = None
    while good is None or (wrong := _wrong(name, concept, good, pronouns)):
        if good is not None:
            _say(wrong)
        good = ask(f"Good at what? One to {MOST_SKILLS} skills", tuple(SKILLS), ", ".join(USUAL_SKILLS))
    say()
    return name_of(name), made_sheet(name, concept, _listed(good), pronouns)


def _wrong(name: str, concept: str = USUAL_CONCEPT, skills: str = "stealth", pronouns: str = "") -> str:
    """What is wrong with these answers, in a line; empty where nothing is."""
    try:
        made_sheet(name, concept, _listed(skills), pronouns)
    except SetupRefused as refused:
        return one_line(str(refused))
    return ""


def _say(text: str) -> None:
    """Say it in lines that fit the terminal, without cutting a word in two."""
    say(textwrap.fill(text, shutil.get_terminal_size().columns))


def _listed(skills: str) -> list[str]:
    return [each for each in skills.split(",") if each.strip()]


def _about(text: str) -> str:
    fields = dict(line[2:].split("**: ", 1) for line in text.splitlines() if line.startswith("**") and "**: " in line)
    return f"{fields.get('Class', '').partition(',')[0].lower()}, {fields.get('Background', '')}"
