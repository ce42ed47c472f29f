"""What of the campaign a prompt holds, within bounds: what matters now in full, and the names of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sottovoce import plain
from sottovoce.rulesets.tabletop.rules.documents import (
    DECISION_LOG,
    GM_CONTEXT,
    PARTY_KNOWLEDGE,
    SHARED_NARRATIVE,
    STORY_STATE,
    is_journal,
    is_recap,
    journal,
    notes_file,
    prompt_file,
    rebuild,
    recap_file,
    response_file,
    scene_file,
    sheet,
)
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR
from sottovoce.rulesets.tabletop.rules.state import TabletopState

IN_FULL = 3000
"""Characters of one document that a request holds; of a longer one the beginning, and of one that grows the end."""
IN_ALL = 9000
"""Characters of all documents of a request together."""
ORDER = (
    *("overview.md", "preferences.md", STORY_STATE, PARTY_KNOWLEDGE, "beats", "primer.md", "world-primer.md"),
    *("npcs", "locations", "factions", "items", "party"),
)
"""The weight of the campaign's files and folders, the weightiest first; all others come behind them."""
NOT_IN_HAND = ("README.md", "LICENSE", DECISION_LOG, "gm-progress.md")
"""Files that are about the campaign's upkeep and no part of it."""


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


def in_hand(state: TabletopState, seat: str) -> Mapping[str, str]:
    """The documents that every prompt of the seat holds in a fixed place, in their order: all that it may read, save
    what comes and goes within a session, which requests hold, and what the history tells anyway."""
    own = (sheet(seat), PARTY_KNOWLEDGE, recap_file(seat), journal(seat))
    by_files = prompt_file(seat) in state.documents  # then it reads its own files, and no others (F-017)
    known = [path for path in state.documents if path in own or not by_files]
    ranked = sorted((_rank(path, seat, own), path) for path in known if _stands(state, path, seat))
    texts = ((path, rebuild(state.documents[path]).strip()) for _, path in ranked)
    return {path: text for path, text in texts if text}


def _stands(state: TabletopState, path: str, seat: str) -> bool:
    if path.startswith(("tmp/", "scenes/")) or path in NOT_IN_HAND or path == SHARED_NARRATIVE:
        return False
    if _is_anothers(path, state, seat):
        return False
    return all(piece.coding == "text" for piece in state.documents[path])


def _is_anothers(path: str, state: TabletopState, seat: str) -> bool:
    """Whether the file is a journal or recap of somebody else's."""
    kept = is_journal(path, state.roster) or is_recap(path, state.roster)
    return kept and path not in (journal(seat), recap_file(seat))


def _rank(path: str, seat: str, own: Sequence[str]) -> tuple[int, int]:
    """Where a document stands among the others."""
    if path in own and seat not in (GM, NARRATOR):
        return 0, own.index(path)
    name = path.partition("/")[0]
    return 1, ORDER.index(name) if name in ORDER else len(ORDER)


def working_files(state: TabletopState, seat: str) -> Iterable[str]:
    """The files that come and go within a session, of the seat's own view, as lines of a request."""
    if seat == GM:
        paths: tuple[str, ...] = (GM_CONTEXT, *map(response_file, state.roster))
    elif seat == NARRATOR:
        paths = (scene_file(*state.scene),)
    else:
        paths = (prompt_file(seat), notes_file(seat), SHARED_NARRATIVE)
    return (quoted for _, quoted in _shown(state, [path for path in paths if path in state.documents]))


def files_of_journal(state: TabletopState, character: str, *, shared: bool) -> Iterable[str]:
    """What a journal is written from beside the character's own documents: its notes, and the shared narrative unless
    there is none (F-047)."""
    paths = (notes_file(character), *((SHARED_NARRATIVE,) if shared else ()))
    return (quoted for _, quoted in _shown(state, [path for path in paths if path in state.documents]))


def _shown(state: TabletopState, paths: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Each document that has a place, with its text quoted, as long as there is room."""
    room = IN_ALL
    for path in paths:
        text = rebuild(state.documents[path]).strip()
        if not text or room <= 0:
            continue
        part = _part(text, min(IN_FULL, room), grows=path.startswith("scenes/"))
        room -= len(part)
        yield path, f"DOCUMENT {path}\n" + "\n".join(f"> {line}" for line in part.splitlines())


def _part(text: str, length: int, *, grows: bool) -> str:
    if len(text) <= length:
        return text
    return f"[…] {text[-length:]}" if grows else f"{text[:length]} […]"


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
