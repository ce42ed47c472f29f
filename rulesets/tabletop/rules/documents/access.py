"""Who reads and who writes which file of a campaign, by its path alone (F-005 to F-016, F-061)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR, TAKEN_ENDINGS, TEAM_LEAD

EditionName = Literal["phase-1", "phase-2", "current"]

STORY_STATE = "story-state.md"
PARTY_KNOWLEDGE = "party-knowledge.md"
DECISION_LOG = "decision-log.md"
GM_CONTEXT = "tmp/gm-context.md"
SHARED_NARRATIVE = "tmp/narrative-for-journal.md"
GM_DELTA = "tmp/gm-state-delta.md"
PARTY_DELTA = "tmp/party-knowledge-delta.md"

STATE_WRITER = "state-delta-writer"
KNOWLEDGE_WRITER = "knowledge-delta-writer"
LOG_WRITER = "decision-log"
"""Tasks of the editions that use deltas. No table has them as seats; a task that writes acts under its name."""

PARTY = "party"
"""Stands for every character where a session's setup names who may read a file."""

_GROUPS = {GM: GM, NARRATOR: NARRATOR, TEAM_LEAD: TEAM_LEAD}
_WORLD: Mapping[str, tuple[str, ...]] = {
    "world-primer.md": (PARTY,),
    "preferences.md": (TEAM_LEAD, NARRATOR),
}
"""Files that campaigns have in addition to those of the rules, and who reads them with the GM."""


def sheet(character: str) -> str:
    return f"party/{character}.md"


def journal(character: str) -> str:
    return f"party/{character}-journal.md"


def recap_file(character: str) -> str:
    return f"party/{character}-recap.md"


def scene_file(number: str, slug: str) -> str:
    return f"scenes/{number}-{slug}.md"


def prompt_file(character: str) -> str:
    return f"tmp/{character}-prompt.md"


def response_file(character: str) -> str:
    return f"tmp/{character}-response.md"


def notes_file(character: str) -> str:
    return f"tmp/{character}-notes-for-journal.md"


def in_tmp(path: str) -> str:
    """The path of a delta file inside the campaign folder, with or without its folder given."""
    return path if path.startswith("tmp/") else f"tmp/{path}"


def sheets_in(paths: Sequence[str]) -> tuple[str, ...]:
    """The characters that have a sheet among these files, sorted: the roster that a campaign offers (F-003, F-058)."""
    found = []
    for path in sorted(paths):
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".md")
        if folder == "party" and stem != name and not stem.endswith(TAKEN_ENDINGS):
            found.append(stem)
    return tuple(found)


def readers_of(path: str, roster: Sequence[str], more: Mapping[str, Sequence[str]] | None = None) -> tuple[str, ...]:
    """The seats that read the file, sorted, the GM always among them; by its path alone.

    What is not named is the GM's (F-061). `more` is the session's setup: by path, or by folder with a closing `/`,
    further readers, where `party` stands for every character. It cannot open what the rules close: the story state,
    the GM's notes, and what belongs to one character.
    """
    ruled = _ruled(path, roster)
    if ruled is not None:
        return tuple(sorted({GM, *ruled}))
    named = set(_WORLD.get(path, ()))
    for key, seats in (more or {}).items():
        if path == key or (key.endswith("/") and path.startswith(key)):
            named |= set(seats)
    if PARTY in named:
        named |= set(roster)
    return tuple(sorted({GM, *(seat for seat in named if seat in roster or seat in _GROUPS)}))


def _ruled(path: str, roster: Sequence[str]) -> tuple[str, ...] | None:
    """Return the readers that the rules name in addition to the GM; None if they name none."""
    fixed: dict[str, tuple[str, ...]] = {
        STORY_STATE: (),
        PARTY_KNOWLEDGE: tuple(roster),
        DECISION_LOG: (TEAM_LEAD,),
        GM_CONTEXT: (),
        SHARED_NARRATIVE: (TEAM_LEAD, NARRATOR, *roster),
        GM_DELTA: (STATE_WRITER,),
        PARTY_DELTA: (KNOWLEDGE_WRITER,),
    }
    if path in fixed:
        return fixed[path]
    owner = owner_of(path, roster)
    if owner is not None:
        return (owner,)
    if path.startswith("scenes/") or any(path == f"party/{name}-brief.md" for name in roster):
        return (NARRATOR,)
    return () if path.startswith(("tmp/", "party/")) else None


def owner_of(path: str, roster: Sequence[str]) -> str | None:
    """The character whose sheet, journal, recap, prompt, response or notes the file is."""
    for name in roster:
        own = (sheet(name), journal(name), recap_file(name), prompt_file(name), response_file(name), notes_file(name))
        if path in own:
            return name
    return None


def for_tasks(path: str, roster: Sequence[str]) -> bool:
    """Whether a character that exists as a short-lived task only is given the file, if it may read it (F-017)."""
    return path in (PARTY_KNOWLEDGE, SHARED_NARRATIVE) or owner_of(path, roster) is not None


def with_the_person(path: str) -> bool:
    """Whether the human reads the file where its character does: all but the working files of a cycle (F-065)."""
    return not path.startswith("tmp/")


def writers_of(path: str, roster: Sequence[str], edition: EditionName) -> frozenset[str]:
    """The seats and tasks that may write the file (F-015, F-016). What no rule names is kept by the GM."""
    deltas = edition != "current"
    fixed: dict[str, tuple[str, ...]] = {
        STORY_STATE: (STATE_WRITER,) if deltas else (GM,),
        PARTY_KNOWLEDGE: (KNOWLEDGE_WRITER,) if deltas else (GM,),
        DECISION_LOG: (LOG_WRITER,),
        SHARED_NARRATIVE: (TEAM_LEAD,),
        GM_DELTA: (GM,) if deltas else (),
        PARTY_DELTA: (GM,) if deltas else (),
    }
    if path in fixed:
        return frozenset(fixed[path])
    if path.startswith("scenes/"):
        return frozenset({NARRATOR})
    for name in roster:
        if path in (journal(name), response_file(name), notes_file(name)):
            return frozenset({name})
    return frozenset({GM})


def removers_of(path: str, roster: Sequence[str], edition: EditionName) -> frozenset[str]:
    """Who may take the whole file away: its writers, and of a response the GM, once it is worked in (F-052)."""
    writers = writers_of(path, roster, edition)
    return writers | {GM} if any(path == response_file(name) for name in roster) else writers


def is_recap(path: str, roster: Sequence[str]) -> bool:
    """Whether the file is what a character remembers of the evening before."""
    return any(path == recap_file(name) for name in roster)


def is_journal(path: str, roster: Sequence[str]) -> bool:
    return any(path == journal(name) for name in roster)
