"""The planted leaks: systems that are wrong on purpose, each in one small way. The suite must find every one.

A count of pairs without a difference means nothing by itself; that every leak here is found is what gives it meaning.
Those marked `peer` are failures that were seen in other systems, put into this architecture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leaks import calls, courses, delegation, rules, tabletop, views
from sottovoce.isolation.system import System


@dataclass(frozen=True)
class Leak:
    """A system with one leak; `peer` names the system in which the like of it was seen.

    `kinds` are the comparisons that it is looked for with; without any, all of them.
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
    delegation: (),
    tabletop: (),
    courses: ("redeal", "served"),
    calls: ("served",),
}
"""Where leaks are planted, and the comparisons that those of each module are looked for with."""

RARE: dict[str, tuple[str, ...]] = {"last_event_name": ("edit", "insert")}
"""Leaks that few pairs show, looked for with the comparisons that can: the newest event is seldom not of the core."""

LEAKS: tuple[Leak, ...] = tuple(
    Leak(name, system, PEERS.get(name), RARE.get(name, kinds))
    for module, kinds in MODULES.items()
    for name, system in module.systems().items()
)
assert set(PEERS) <= {leak.name for leak in LEAKS}, "every failure of a peer is planted"
