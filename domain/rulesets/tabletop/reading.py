"""What of the campaign a prompt holds, within bounds: what matters now in full, and the names of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from domain.rulesets.tabletop.access import (
    GM_CONTEXT,
    PARTY_KNOWLEDGE,
    SHARED_NARRATIVE,
    STORY_STATE,
    journal,
    notes_file,
    prompt_file,
    response_file,
    sheet,
)
from domain.rulesets.tabletop.events import GM, NARRATOR
from domain.rulesets.tabletop.pieces import rebuild
from domain.rulesets.tabletop.state import TabletopState

IN_FULL = 3000
"""Characters of one document that a prompt holds; of a longer one the beginning, and of one that grows the end."""
IN_ALL = 9000
"""Characters of all documents together."""
LISTED = 40
"""Documents that are listed by name beyond those shown."""


def documents_for(state: TabletopState, seat: str) -> Iterable[str]:
    """The documents of the seat's own view as lines of a prompt: the weightiest, then a list of the rest."""
    room = IN_ALL
    shown = []
    for path in _by_weight(state, seat):
        text = rebuild(state.documents[path]).strip()
        if not text or room <= 0:
            continue
        part = _part(text, min(IN_FULL, room), grows=path.endswith("-journal.md") or path == STORY_STATE)
        room -= len(part)
        shown.append(path)
        yield f"DOCUMENT {path}\n" + "\n".join(f"> {line}" for line in part.splitlines())
    rest = [path for path in sorted(state.documents) if path not in shown]
    if rest:
        more = f" and {len(rest) - LISTED} more" if len(rest) > LISTED else ""
        yield f"Other documents: {', '.join(rest[:LISTED])}{more}."


def _part(text: str, length: int, *, grows: bool) -> str:
    if len(text) <= length:
        return text
    return f"[…] {text[-length:]}" if grows else f"{text[:length]} […]"


def _by_weight(state: TabletopState, seat: str) -> Sequence[str]:
    """The documents worth a place, the weightiest first."""
    first: tuple[str, ...]
    if seat == GM:
        first = (GM_CONTEXT, *map(response_file, state.roster), STORY_STATE, PARTY_KNOWLEDGE)
    elif seat == NARRATOR:
        number, slug = state.scene
        first = (f"scenes/{number}-{slug}.md", "preferences.md")
    else:
        first = (prompt_file(seat), sheet(seat), PARTY_KNOWLEDGE, journal(seat), notes_file(seat), SHARED_NARRATIVE)
    known = [path for path in first if path in state.documents]
    return known + _mentioned(state, known) if seat == GM else known


def _mentioned(state: TabletopState, known: Sequence[str]) -> list[str]:
    """The beats, and what the latest words at the table name: a document by whose name they call something."""
    recent = "\n".join((state.told, state.shown, *(act.text for act in state.acts))).casefold()
    beats = [path for path in sorted(state.documents) if path.startswith("beats/")]
    named = [
        path
        for path in sorted(state.documents)
        if path not in known and path not in beats and _name(path) in recent and len(_name(path)) > 3
    ]
    return beats + named


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md").replace("-", " ").casefold()


def resource_lines(state: TabletopState, characters: Iterable[str]) -> Iterable[str]:
    """What each character has, as far as the seat knows."""
    for character in characters:
        held = []
        for (owner, name), now in state.resources.items():
            if owner == character:
                amount = ", ".join(now.words) if now.amount is None else str(now.amount)
                held.append(f"{name} {amount or 'none'}" + (f"/{now.most}" if now.most is not None else ""))
        if held:
            yield f"{character}: {'; '.join(held)}."
