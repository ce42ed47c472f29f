"""A brief: what the user wants done, and who is meant to do it, as it lies in a file before the game.

A few lines `planner: NAME` may stand first, between two lines of `---`; whoever is not named is the first, second or
third session of the game.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from domain.errors import SetupRefused

PARTS = ("planner", "executor", "reviewer")

_LINE = re.compile(r"([a-z]+):\s*(.*\S)\s*")


@dataclass(frozen=True, slots=True)
class Brief:
    """The text without the lines on top, and the sessions they name."""

    text: str
    sessions: dict[str, str]


def read_brief(text: str, where: str) -> Brief:
    """The brief in a file's text. SetupRefused names `where` and the line that is wrong."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].strip() != "---":
        return _checked(text.strip(), {}, where)
    sessions: dict[str, str] = {}
    for number, line in enumerate(lines[1:], 2):
        if line.strip() == "---":
            return _checked("\n".join(lines[number:]).strip(), sessions, where)
        named = _LINE.fullmatch(line.strip())
        if named is None or named[1] not in PARTS:
            raise SetupRefused(f"{where}, line {number}: write planner:, executor: or reviewer: and a session's name.")
        sessions[named[1]] = named[2]
    raise SetupRefused(f"{where}: the lines on top are not closed by a line of ---.")


def _checked(text: str, sessions: dict[str, str], where: str) -> Brief:
    if not text:
        raise SetupRefused(f"{where} says nothing; write down what is to be done.")
    return Brief(text, sessions)
