"""The files that the house reads and writes: Markdown with sections, lists, and one text between fences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sottovoce.rulesets.delegation.rules.actions import artifact_path
from sottovoce.rulesets.delegation.rules.state import Task

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(\S.*)")


def sections(document: str) -> dict[str, str]:
    """What stands under each `## ` heading, by the heading in lower case; what comes before the first under `""`."""
    found: dict[str, list[str]] = {"": []}
    current, fence = "", ""
    for line in document.splitlines():
        fenced = _FENCE.match(line)
        if fence:
            if fenced and fenced[1].startswith(fence):
                fence = ""
        elif fenced:
            fence = fenced[1]
        elif line.startswith("## "):
            current = line[3:].strip().casefold()
            found.setdefault(current, [])
            continue
        found[current].append(line)
    return {heading: "\n".join(lines).strip("\n") for heading, lines in found.items()}


def items(body: str) -> list[str]:
    """The list items in a section."""
    return [" ".join(match[1].split()) for line in body.splitlines() if (match := _ITEM.fullmatch(line))]


def unfenced(body: str) -> str:
    """The text between the first fences of a section, or the section itself."""
    lines = body.splitlines()
    for start, line in enumerate(lines):
        if fence := _FENCE.match(line):
            rest = lines[start + 1 :]
            end = next((n for n, other in enumerate(rest) if other.strip().startswith(fence[1])), len(rest))
            return "\n".join(rest[:end])
    return body.strip("\n")


def fenced(text: str) -> str:
    """The text between fences that are longer than any within it."""
    longest = max((len(match[0]) for match in re.finditer(r"`+", text)), default=0)
    fence = "`" * max(4, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def listed(lines: Iterable[str], otherwise: str = "Nothing.") -> str:
    """The lines as a list, or a sentence where there are none."""
    return "\n".join(f"- {line}" for line in lines) or otherwise


def document(title: str, *parts: tuple[str, str]) -> str:
    """A file: a title, and sections each with a heading and a body."""
    return "\n\n".join([f"# {title}", *(f"## {heading}\n\n{body}" for heading, body in parts)]) + "\n"


def file_text(task: Task, action: str, round: int = 1) -> str:
    """What a file of the task says, as far as the seat has it; empty where it does not."""
    filed = task.files.get(artifact_path(action, task.task_id, round))
    return (filed.text or "") if filed is not None else ""


def checklist_of(task: Task) -> list[str]:
    """The sentences of the task file's checklist."""
    return items(sections(file_text(task, "execute_delegate_task")).get("checklist", ""))


def text_of_round(task: Task, round: int) -> str:
    """The text as it was in a round's review request; before the first, as the task file has it."""
    action: str = "review_requested" if round else "execute_delegate_task"
    return unfenced(sections(file_text(task, action, round)).get("text", ""))


def reply(action: str, content: str, headers: Sequence[tuple[str, str]] = ()) -> str:
    """An action with the file that it brings along."""
    lines = [action, *(f"{name}: {' '.join(value.split())}" for name, value in headers)]
    return "\n".join([*lines, "", content])
