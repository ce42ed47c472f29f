"""Names: what a character is called in messages, in seats and on disk is one and the same string (T-011, F-058)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sottovoce import Chair, Refused, SetupRefused, marked, plain
from sottovoce.domain.paths import file_name
from sottovoce.domain.seats import LONGEST_NAME
from sottovoce.domain.spellings import bare
from sottovoce.rulesets.tabletop.rules.texts import shown

GM = "gm"
TEAM_LEAD = "team-lead"
NARRATOR = "narrator"
HUMAN = "human"

STANDING = (GM, TEAM_LEAD, NARRATOR)
"""The seats of every session beside the characters' and the human's."""
RESERVED = (GM, TEAM_LEAD, NARRATOR, HUMAN, "all")
"""Words that no character is named by (T-012)."""

TAKEN_ENDINGS = ("-journal", "-brief", "-recap")
"""Revocations of other files beside a sheet: a character so named could not be told from somebody's journal (F-059) or
appearance brief."""

FULL_NAME = r"[a-z0-9]+(?:-[a-z0-9]+)*"
"""The form of a character's name, and of a slug: lower-case letters a to z and digits, in parts joined by hyphens."""
_SHOWN = {GM: "GM", TEAM_LEAD: "Team lead"}
_OFFICES = {GM: "the GM", TEAM_LEAD: "the team lead", NARRATOR: "the narrator", HUMAN: "the human"}


def called(name: str | None, chair: Chair, *, first: bool = False) -> str:
    """What a seat is called in a sentence, at its beginning or within it; None is everybody."""
    if chair.owns(name):
        word = "you"
    elif name is None or name in _OFFICES:
        word = _OFFICES.get(name or "", "all")
    else:
        return marked(name)
    return word[0].upper() + word[1:] if first else word


def shown_name(seat: str) -> str:
    """The seat's name as people read it: `Pim Tallow` for `pim-tallow`."""
    return _SHOWN.get(seat) or " ".join(part[:1].upper() + part[1:] for part in seat.split("-"))


def meant_by(text: str, roster: Sequence[str]) -> str | None:
    """The one character that a person means by a name or a part of it, in any case; None where none or several are."""
    if text in roster:
        return text
    found = _meant(text, roster)
    return found[0] if len(found) == 1 else None


def is_slug(text: str) -> bool:
    """Whether the text is lower-case letters and digits in parts joined by single hyphens (T-012, T-027)."""
    return re.fullmatch(FULL_NAME, text) is not None


def as_typed(name: str) -> str:
    """The name with the hyphens and letters of a keyboard, where they make it a name; else as it is.

    Models write `tilda‑brannock` with a hyphen that does not break, and accents of their own. Capitals and blanks stay
    wrong (T-011).
    """
    if name.isascii() or name != name.casefold():
        return name
    typed = bare(plain(name))
    return typed if is_slug(typed) else name


def check_name(name: str) -> None:
    """Refuse what is no full character name, quoting it (T-011, T-012). Who is at the table is not looked at."""
    if not is_slug(name):
        raise Refused(
            f"{shown(name)} is not a character's name; write the full name in lower case with hyphens, "
            "such as 'tilda-brannock'."
        )
    if name in RESERVED:
        raise Refused(f"{shown(name)} is a reserved word, not a character; write a character's full name.")


def checked_roster(names: Sequence[str]) -> tuple[str, ...]:
    """The names as given, or SetupRefused quoting the first that cannot name a character (T-012, F-058, F-059).

    `names` are the stems of the sheets, which decide how a character is called, in the order of seating.
    """
    taken: dict[str, str] = {}
    for name in names:
        form = file_name(name)
        if not form:
            raise SetupRefused(f"The character name {name!r} has no letter a-z or digit. Rename the sheet.")
        if form in taken:
            raise SetupRefused(
                f"The characters {taken[form]!r} and {name!r} give the same file name {form!r}. Rename one sheet."
            )
        taken[form] = name
    for form, name in taken.items():
        if form in RESERVED:
            raise SetupRefused(f"{name!r} can't be a character's name: the rules use the word. Rename the sheet.")
        for ending in TAKEN_ENDINGS:
            if form.endswith(ending):
                raise SetupRefused(
                    f"The character name {name!r} ends in {ending!r}, like another file of the party. Rename the sheet."
                )
        if not is_slug(name):
            raise SetupRefused(
                f"The character name {name!r} is not made of lower-case letters and digits joined by single hyphens; "
                f"rename the sheet to {form + '.md'!r}."
            )
        if len(name) > LONGEST_NAME:
            raise SetupRefused(
                f"The character name {name[:20]!r}… is longer than {LONGEST_NAME} characters; shorten it."
            )
    return tuple(names)


def full_name(text: str, roster: Sequence[str]) -> str:
    """The text, if it is a character's name in full (T-011, T-012).

    Otherwise Refused quoting it, and naming the right form where the text can only mean one character. The roster is
    public, so that the message tells nothing.
    """
    text = as_typed(text)
    if text in roster:
        return text
    meant = _meant(text, roster)
    if len(meant) == 1:
        raise Refused(f"{text!r} is not a character's full name; write {meant[0]!r}.")
    names = ", ".join(meant or roster)
    raise Refused(f"{text!r} is not the full name of a character; write one of: {names}.")


def _meant(text: str, roster: Sequence[str]) -> list[str]:
    form = file_name(text)
    same = [name for name in roster if name.replace("-", "") == form.replace("-", "")]
    return same or [name for name in roster if form in name.split("-")]
