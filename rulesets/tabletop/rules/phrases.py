"""Words that the protocol listens for: prompts for action, group notes, passes, vetoes, talk out of character."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sottovoce import Refused, plain
from sottovoce.rulesets.tabletop.rules.names import as_typed, check_name
from sottovoce.rulesets.tabletop.rules.texts import blank

FREEFORM = "(freeform always available)"
"""The option that is always shown to a person (T-079)."""

_UNHEARD = str.maketrans("", "", "*_~`\u00ad\u200b\u200c\u200d\u2060\ufeff")
"""Marks of emphasis and characters without width."""
_PROMPT = re.compile(r"\bwhat\s+do\s+you\s+do\s*[?？]")
_LONGEST_PASS = 40
_GROUP = re.compile(r"\(Group ([^:()]+):([^()]*)\)")
_PASS = re.compile(r"[\W_]{0,3}pass[\W_]{0,3}")
_OUT_OF_CHARACTER = re.compile(r"/chat\b|o\.?o\.?c\b|out[ -]of[ -]character[:)\]]")
_OPENINGS = "([{<*_~\"'`“‘ "
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+(\S.*)")
_FREE = re.compile(r"free[- ]?form")


def asks_for_action(prose: str, *, last_line: bool = False) -> bool:
    """Whether "what do you do?" is in the prose, or in its last line, in any case or emphasis (T-042, T-043)."""
    if last_line:
        prose = prose.rstrip().rpartition("\n")[2]
    return bool(_PROMPT.search(prose.translate(_UNHEARD).casefold()))


@dataclass(frozen=True, slots=True)
class GroupNote:
    """Which group a NARRATIVE is for, as its first line says (T-048). `names` are in the order given, each once."""

    group: str
    names: tuple[str, ...]

    @property
    def line(self) -> str:
        """The note as it is written."""
        return f"(Group {self.group}: {', '.join(self.names)})"


def group_note(prose: str) -> GroupNote | None:
    """The group note in the first line of the prose, or None. Whether its names are at the table is not looked at."""
    match = _GROUP.fullmatch(prose.partition("\n")[0].strip())
    if match is None or not match[1].isprintable():
        return None
    names = tuple(dict.fromkeys(as_typed(name.strip()) for name in match[2].split(",")))
    try:
        for name in names:
            check_name(name)
    except Refused:
        return None
    return GroupNote(match[1].strip(), names) if match[1].strip() else None


def is_pass(text: str) -> bool:
    """Whether a text says no more than `pass`, in any case, or nothing at all (T-060)."""
    words = text.strip()
    return blank(text) or (len(words) <= _LONGEST_PASS and bool(_PASS.fullmatch(plain(words))))


def is_out_of_character(speech: str) -> bool:
    """Whether a speech opens with `/chat` or a mark of talk out of character, such as `(OOC)` (T-076)."""
    return bool(_OUT_OF_CHARACTER.match(plain(speech[:200]).lstrip(_OPENINGS)))


def veto_reason(result: str) -> str | None:
    """The reason in a task's result that opens with `[VETO`, empty if it gives none; None for any other (T-128).

    `[VETO] …`, `[VETO: …]` and `[VETO - …] …` are all read; the reason is everything but the mark.
    """
    text = result.strip()
    if not text.startswith("[VETO"):
        return None
    inside, closed, after = text.removeprefix("[VETO").partition("]")
    parts = (inside.strip().lstrip(":-–— ").strip(), after.strip()) if closed else (inside.lstrip(":-–— ").strip(),)
    return "\n".join(part for part in parts if part)


def is_error_report(response: str) -> bool:
    """Whether a response is a report of what is wrong with its prompt (F-034)."""
    return response.lstrip().startswith("[ERROR:")


def options(suggested: str) -> tuple[str, ...]:
    """The bullets of a section of suggested options, or Refused if it is no bullet list (T-079).

    Lines that are indented under a bullet belong to it.
    """
    found: list[list[str]] = []
    for line in suggested.split("\n"):
        bullet = _BULLET.fullmatch(line)
        if bullet:
            found.append([bullet[1].strip()])
        elif found and line[:1] in (" ", "\t"):
            found[-1].append(line.strip())
        elif line.strip():
            found = []
            break
    if not found:
        raise Refused("'## Suggested Options' is a list; write each option as '- option' on a separate line.")
    return tuple(" ".join(filter(None, lines)) for lines in found)


def numbered(options: Sequence[str]) -> list[str]:
    """Options as a person is shown them: an own answer has no number."""
    return [f"- {text}" if text == FREEFORM else f"{number} {text}" for number, text in enumerate(options, 1)]


def options_shown(suggested: Sequence[str]) -> tuple[str, ...]:
    """The options as a person is shown them: an own answer is among them, and added where it is missing (T-079)."""
    free = any(_FREE.search(plain(option)) for option in suggested)
    return tuple(suggested) if free else (*suggested, FREEFORM)
