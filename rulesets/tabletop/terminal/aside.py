"""What the human of a session may type while nobody asks them anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sottovoce import Aside, Look, Pages, View
from sottovoce.rulesets.tabletop.rules.course import COMMANDS
from sottovoce.rulesets.tabletop.rules.documents import rebuild, sheet
from sottovoce.rulesets.tabletop.rules.names import HUMAN
from sottovoce.rulesets.tabletop.rules.words import resource_lines


def _session_pages(look: Look) -> Pages:
    return {"/sheet": lambda: _sheet(look), "/who": lambda: _who(look)}


def _own(look: Look) -> View[Any]:
    view = look(HUMAN)
    assert view is not None, "the human sits here"
    return view


def _sheet(look: Look) -> list[str]:
    """The own character's sheet as that character may read it, and what it has now."""
    character = _own(look).state.character or ""
    view = look(character)
    if view is None:
        return [f"Only {character} can read this sheet. In a remote game you see what your own seat sees."]
    text = rebuild(view.state.documents.get(sheet(character), ()))
    return [*text.splitlines(), "", *resource_lines(view.state, (character,))]


def _who(look: Look) -> list[str]:
    """Who sits at the table, as far as the human's own view knows."""
    view = _own(look)
    state = view.state
    mode = (
        "You decide for this character."
        if state.mode == "HUMAN_RELAY"
        else f"{state.character} acts on its own until you type /back."
    )
    return [
        f"Your character: {state.character}. {mode}",
        f"The party: {', '.join(state.roster)}.",
        f"Other seats: {', '.join(seat for seat in state.seats if seat not in state.roster)}.",
        f"Now: {view.ruleset.phase(state)}.",
    ]


HELP: Mapping[str, str] = {
    "/away WORDS": "step away: your character acts on its own until you return",
    "/back": "take over again and get a summary of what you missed",
    "/chat NAME WORDS": "say something only this companion hears",
    "/save": "ask the GM to save the session",
    "/end WORDS": "ask the GM to end the session",
    "/sheet": "your character's sheet",
    "/who": "who plays, and the status of the session",
}
"""What the human of a session may type at any time, and what it does."""

ASIDE = Aside(HUMAN, tuple(f"/{name}" for name in COMMANDS), _session_pages, help=HELP)
