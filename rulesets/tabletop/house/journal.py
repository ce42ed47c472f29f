"""What a character writes into its journal."""

from __future__ import annotations

from typing import Any

from sottovoce.rulesets.tabletop.house.account import trimmed
from sottovoce.rulesets.tabletop.house.player import Player
from sottovoce.rulesets.tabletop.rules import events
from sottovoce.rulesets.tabletop.rules.documents import PARTY_KNOWLEDGE, journal_entry, rebuild
from sottovoce.rulesets.tabletop.rules.messages import MessageSent


def entry_of(player: Player) -> str:
    """An entry about what the character has seen and done lately (F-045)."""
    told = next((e.body for e in reversed(player.sent) if e.tag == "NARRATIVE"), "") or _shared(player)
    if player.turn.kind == "own-notes":
        told = ""
    mine = [e.body for e in player.sent if e.seat == player.seat and e.tag in ("PLAYER_TO_GM", "PLAYER_TO_PLAYER")]
    known = [
        line[2:] for line in rebuild(player.state.documents.get(PARTY_KNOWLEDGE, ())).splitlines() if line[:2] == "- "
    ]
    first = player.sheet.first
    did = trimmed(mine[-1]).replace(f"{first} ", "I ", 1) if mine and not mine[-1].startswith(first) else ""
    return journal_entry(
        _title(player),
        _one(trimmed(told)) or player.line("journal.happened"),
        _one(did) or player.line("journal.did"),
        _one(known[-1]) if known else player.line("journal.learned"),
        player.line("journal.feel"),
        player.line("journal.notes"),
    )


def _shared(player: Player) -> str:
    return rebuild(player.state.documents.get("tmp/narrative-for-journal.md", ()))


def _one(text: str) -> str:
    """The first sentences, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200].rsplit(' ', 1)[0]} …"


def _title(player: Player) -> str:
    """The scene's name, as far as the character was told one."""
    slug = ""
    for entry_ in player.view.entries:
        event: Any = entry_.event
        match event:
            case MessageSent(fields={"scene_slug": str(told)}):
                slug = told
            case events.ActionAsked():
                slug = event.scene_slug
    return slug.replace("-", " ").capitalize() or "On the way"
