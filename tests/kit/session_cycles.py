"""File-mode cycles in a session, up to the last response, and what they write."""

from __future__ import annotations

from session import BRYN, CORWIN, Session, reply

from sottovoce.rulesets.tabletop.rules.documents.journals import journal_entry
from sottovoce.rulesets.tabletop.rules.documents.prompt_files import write_context, write_prompt
from sottovoce.rulesets.tabletop.rules.events import TaskStarted
from sottovoce.rulesets.tabletop.rules.names import GM, TEAM_LEAD

ENTRY = journal_entry("The night", "Rain.", "I ran.", "Ropes snap.", "Cold.", "None.")
PROMPT = write_prompt("QUICK_REACTION", "a", "b", "c")
DOCKS = f"(Group docks: {CORWIN}, {BRYN})\n\nThe docks are dark."


def put(path: str, text: str) -> dict[str, object]:
    return {"delta": {"document": path, "operation": "set", "text": text}}


def notes(name: str) -> str:
    return f"tmp/{name}-notes-for-journal.md"


def answered_by_file(game: Session, *names: str) -> Session:
    """A file-mode cycle up to the last response."""
    written = [put("tmp/gm-context.md", write_context("a", [("b", "c")], "d", "e"))]
    written += [put(f"tmp/{name}-prompt.md", PROMPT) for name in names]
    game = game.reply(GM, reply(*written, (TEAM_LEAD, f"[AWAIT_AI_PLAYERS: {', '.join(names)}]")))
    for name in names:
        game = game.reply(name, "I row.", "response")
    return game


def started(game: Session) -> list[str | None]:
    return [event.character for event in game.last if isinstance(event, TaskStarted)]
