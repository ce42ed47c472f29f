"""The planted leaks: systems that are wrong on purpose, each in one small way. The suite must find all of them.

A count of pairs without a difference means something only if every leak here is found. Leaks marked `peer` are failures
of other systems, rebuilt in this architecture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leaks import calls, courses, delegation, minds, rules, tabletop, views
from sottovoce.isolation.system import System


@dataclass(frozen=True)
class Leak:
    """A system with one leak. `peer` names the system in which a similar leak was seen.

    `kinds` are the comparisons to search with; empty means all of them.
    """

    name: str
    system: System
    peer: str | None = None
    kinds: tuple[str, ...] = ()


PEERS = {
    "unfiltered_first_sync": "boardgame.io",
    "unfiltered_first_sync_for_spectators": "boardgame.io",
    "roles_in_the_options": "Kaggle werewolf",
    "seed_in_the_view": "Kaggle werewolf",
    "speech_unquoted_in_the_prompt": "TextArena",
    "substring_audience": "ChatArena",
    "audience_never_passed": "llm-werewolf",
    "announcement_names_the_pack": "werewolf-ai-party-game",
    "night_votes_public": "jkomoros/boardgame",
}

MODULES: dict[Any, tuple[str, ...]] = {
    views: (),
    rules: (),
    minds: (),
    delegation: (),
    tabletop: (),
    courses: ("redeal", "served"),
    calls: ("served",),
}
"""The modules with leaks, and the comparisons to search each with."""

RARE: dict[str, tuple[str, ...]] = {
    "last_event_name": ("edit", "insert"),
    "files_of_the_diff_unquoted": ("forged",),
}
"""Leaks that few pairs show, searched with the comparisons that can show them: the newest event is seldom not of the
core, and the code of a task stands in few prompts, which are forged for a part of the seats alone."""

LEAKS: tuple[Leak, ...] = tuple(
    Leak(name, system, PEERS.get(name), RARE.get(name, kinds))
    for module, kinds in MODULES.items()
    for name, system in module.systems().items()
)
assert set(PEERS) <= {leak.name for leak in LEAKS}, "every failure of a peer is planted"
