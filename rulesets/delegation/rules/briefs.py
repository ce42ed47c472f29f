"""A brief: a file that says what the user wants done, and by whom.

It can begin with a few lines `KEY: VALUE` between two lines of `---`, such as `planner: NAME`. A part that is not named
goes to the first, second or third session of the game.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sottovoce import SetupRefused, the_one
from sottovoce.rulesets.delegation.rules.events import BriefGiven
from sottovoce.rulesets.delegation.rules.messages import task_id_fault
from sottovoce.rulesets.delegation.rules.names import PARTS

MOST_TASKS = 100
"""Tasks that one game may have."""

_LINE = re.compile(r"([A-Za-z][\w .-]*):(.*)")
_COMMENT = re.compile(r"\s#.*")


@dataclass(frozen=True, slots=True)
class Brief:
    """The text without the lines on top, and the sessions they name."""

    text: str
    sessions: dict[str, str]


def read_brief(text: str, where: str) -> Brief:
    """The brief in a file's text. SetupRefused names `where` and the line that is wrong.

    The lines at the top may have any keys: those that name no part of the task stay in the text, such as `labels: bug`.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].strip() != "---":
        return _checked(text.removeprefix("\ufeff").strip(), {}, where)
    sessions: dict[str, str] = {}
    others: list[str] = []
    for number, line in enumerate(lines[1:], 2):
        if line.strip() in ("---", "..."):
            head = ["---", *others, "---", ""] if any(other.strip() for other in others) else []
            return _checked("\n".join((*head, *lines[number:])).strip(), sessions, where)
        named = _LINE.fullmatch(line)
        part = named[1].strip().casefold() if named is not None else ""
        if named is None or part not in PARTS:
            others.append(line)
            continue
        name = _COMMENT.sub("", named[2]).strip().strip("\"'").strip()
        if not name:
            raise SetupRefused(f"{where}, line {number}: write the name of a session after {part}:.")
        sessions[part] = name
    if sessions:
        raise SetupRefused(f"{where}: the lines at the top need a closing line of ---.")
    return _checked(text.removeprefix("\ufeff").strip(), {}, where)


def brief_given(name: str, data: bytes, sessions: Sequence[str]) -> BriefGiven:
    """The brief in the file of that name, for these sessions; SetupRefused where it names no task or nobody here."""
    task_id = name.removesuffix(".md")
    fault = task_id_fault(task_id)
    if fault is not None:
        raise SetupRefused(f"The brief {name!r} names no task: {fault}.")
    try:
        brief = read_brief(data.decode(), name)
    except UnicodeDecodeError:
        raise SetupRefused(f"The brief {name!r} is not UTF-8 text.") from None
    usual = (sessions[0], sessions[1], sessions[2] if len(sessions) > 2 else sessions[0])
    meant = {part: brief.sessions.get(part, session) for part, session in zip(PARTS, usual, strict=True)}
    meant = {part: the_one(session, sessions) or session for part, session in meant.items()}
    for part, session in meant.items():
        if session not in sessions:
            raise SetupRefused(
                f"{name}: the {part} {session!r} is not a session. Choose one of: {', '.join(sessions)}."
            )
    if meant["executor"] in (meant["planner"], meant["reviewer"]):
        raise SetupRefused(f"{name}: the executor is also the planner or the reviewer. Name another session.")
    return BriefGiven(task_id=task_id, text=brief.text, **meant)


def _checked(text: str, sessions: dict[str, str], where: str) -> Brief:
    if not text:
        raise SetupRefused(f"{where} is empty. Write what to do.")
    return Brief(text, sessions)
