"""Prompt files: what an outside program is asked, as the text of a file."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from sottovoce.agents.extras import EXTRAS
from sottovoce.agents.file_agent.forms import FileForm
from sottovoce.domain.events import AttemptFailed, TurnOpened
from sottovoce.domain.paths import file_name
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import Entry, View

RECENT = 20
"""How many entries of the view before the turn's opening make up a prompt's id, in addition to the first."""

_HEAD = re.compile(r"\ufeff?\s*---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_PROMPT = re.compile(r"^prompt:[ \t]*(\S+)[ \t]*\r?$", re.MULTILINE)


def form_of(view: View[Any]) -> FileForm:
    """The form of the view's ruleset, or the plain one."""
    own = EXTRAS.of(view.ruleset.name).files
    return FileForm() if own is None else own()


def prompt_path(seat: str) -> str:
    return f"tmp/{stem(seat)}-prompt.md"


def response_path(seat: str) -> str:
    return f"tmp/{stem(seat)}-response.md"


def stem(seat: str) -> str:
    """The seat's name as it stands in file names (F-056); `seat` where no letter of it would be left."""
    return file_name(seat) or "seat"


def prompt_id(view: View[Any], turn: Turn) -> str:
    """The id of the prompt for one attempt at a turn: the same whenever it is asked for again, and a fold of the view.

    It is made of what the seat had seen when the attempt began, times aside.
    """
    entries = view.entries
    begun = next((at for at in range(len(entries) - 1, -1, -1) if _begins(entries[at], turn)), len(entries) - 1)
    seen = [*entries[:1], *entries[max(1, begun + 1 - RECENT) : begun + 1]]
    told = [(entry.seq, entry.name, entry.event.data()) for entry in seen]
    text = json.dumps([view.seat, turn.number, turn.attempt, told], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _begins(entry: Entry, turn: Turn) -> bool:
    event = entry.event
    if isinstance(event, AttemptFailed):
        return (event.turn, event.attempt) == (turn.number, turn.attempt - 1)
    return isinstance(event, TurnOpened) and event.turn == turn.number and turn.attempt == 1


def prompt_text(view: View[Any], turn: Turn, notes: Sequence[str] = ()) -> str:
    """The prompt file of an open turn. `notes` say what of the program's files was not taken, and why."""
    form = form_of(view)
    head = {
        **form.head(view, turn),
        "prompt": prompt_id(view, turn),
        "turn": str(turn.number),
        "kind": turn.kind,
        "attempts_left": str(turn.attempts_left),
    }
    if turn.seconds is not None:
        head["seconds"] = f"{turn.seconds:g}"
    front = "\n".join(f"{name}: {value}" for name, value in head.items())
    parts = [f"---\n{front}\n---", form.body(view, turn).strip()]
    parts.append(f"## Where to Answer\nWrite your answer to {response_path(view.seat)}.")
    if notes:
        parts.append("\n".join(("## Not Taken", *(f"- {note}" for note in notes))))
    return "\n\n".join(parts) + "\n"


def id_in(text: str) -> str | None:
    """The prompt id that a file's front matter gives."""
    head = _HEAD.match(text)
    found = _PROMPT.search(head[1]) if head else None
    return found[1] if found else None


def without_echo(text: str) -> str:
    """A response without the front matter that names the prompt it answers; any other text as it is."""
    head = _HEAD.match(text)
    return text[head.end() :] if head and _PROMPT.search(head[1]) else text
