"""What of the campaign a prompt holds, within bounds: what matters now in full, and the names of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sottovoce import plain
from sottovoce.rulesets.tabletop.rules.documents import (
    GM_CONTEXT,
    PARTY_KNOWLEDGE,
    SHARED_NARRATIVE,
    STORY_STATE,
    journal,
    notes_file,
    prompt_file,
    rebuild,
    response_file,
    scene_file,
    sheet,
)
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR
from sottovoce.rulesets.tabletop.rules.state import TabletopState

IN_FULL = 3000
"""Characters of one document that a prompt holds; of a longer one the beginning, and of one that grows the end."""
IN_ALL = 9000
"""Characters of all documents together."""
LISTED = 40
"""Documents that are listed by name beyond those shown."""


def marked(title: str, text: str) -> str:
    """A text that the game shows but did not write, every line of it marked."""
    lines = "\n".join(f"> {line}" for line in text.strip().splitlines())
    return f"{title}\n{lines}" if lines else title


def where(state: TabletopState) -> str:
    """The scene, and who stands where."""
    number, slug = state.scene
    together = "The party is together."
    if state.split:
        groups = [f"{label or 'not named'}: {', '.join(state.members(label))}" for label in state.group_labels]
        together = f"The party is split. {'; '.join(groups)}."
    return f"Scene {number} - {slug}. {together}"


def documents_for(state: TabletopState, seat: str) -> Iterable[str]:
    """The documents of the seat's own view as lines of a prompt: the weightiest, then a list of the rest."""
    shown = [path for path, _ in _shown(state, _by_weight(state, seat))]
    yield from (quoted for _, quoted in _shown(state, _by_weight(state, seat)))
    rest = [path for path in sorted(state.documents) if path not in shown]
    if rest:
        more = f" and {len(rest) - LISTED} more" if len(rest) > LISTED else ""
        yield f"Other documents: {', '.join(rest[:LISTED])}{more}."


def files_of_task(state: TabletopState, character: str) -> Iterable[str]:
    """What a task that acts for a character is given, and no other file (F-017)."""
    return (quoted for _, quoted in _shown(state, _own_files(state, character)))


def files_of_journal(state: TabletopState, character: str, *, shared: bool) -> Iterable[str]:
    """What a journal is written from: the shared narrative, unless there is none, and the character's own (F-047)."""
    paths = (notes_file(character), SHARED_NARRATIVE, sheet(character), journal(character))
    kept = [path for path in paths if path in state.documents and (shared or path != SHARED_NARRATIVE)]
    return (quoted for _, quoted in _shown(state, kept))


def _shown(state: TabletopState, paths: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Each document that has a place, with its text quoted, as long as there is room."""
    room = IN_ALL
    for path in paths:
        text = rebuild(state.documents[path]).strip()
        if not text or room <= 0:
            continue
        part = _part(text, min(IN_FULL, room), grows=path.endswith("-journal.md") or path == STORY_STATE)
        room -= len(part)
        yield path, f"DOCUMENT {path}\n" + "\n".join(f"> {line}" for line in part.splitlines())


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
        first = (scene_file(number, slug), "preferences.md")
    else:
        return _own_files(state, seat)
    known = [path for path in first if path in state.documents]
    return known + _mentioned(state, known) if seat == GM else known


def _own_files(state: TabletopState, character: str) -> Sequence[str]:
    first = (
        prompt_file(character),
        sheet(character),
        PARTY_KNOWLEDGE,
        journal(character),
        notes_file(character),
        SHARED_NARRATIVE,
    )
    return [path for path in first if path in state.documents]


def _mentioned(state: TabletopState, known: Sequence[str]) -> list[str]:
    """The beats, and what the latest words at the table name: a document by whose name they call something."""
    recent = "\n".join((state.last_narrative, state.last_shown, *(act.text for act in state.acts))).casefold()
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


SHORTEST = 24
"""A text shorter than this is too common to give anything away."""


def mentions(fact: tuple[str, ...], text: str) -> bool:
    """Whether a text may give a fact away: it holds its words, if they are no common ones."""
    words = plain(fact[2])
    return len(words) >= SHORTEST and words in plain(text)
