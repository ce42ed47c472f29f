"""What the human of a session may type while nobody asks them anything."""

from __future__ import annotations

from collections.abc import Mapping

from agents.human import Pages
from cli.asides import Aside
from domain.rulesets.tabletop.course import COMMANDS
from domain.rulesets.tabletop.documents import rebuild, sheet
from domain.rulesets.tabletop.names import HUMAN
from domain.rulesets.tabletop.words import resource_lines
from server.live import LiveGame


def _session_pages(live: LiveGame) -> Pages:
    return {"/sheet": lambda: _sheet(live), "/who": lambda: _who(live)}


def _sheet(live: LiveGame) -> list[str]:
    """The own character's sheet as that character may read it, and what it has now."""
    character = live.state.character or ""
    state = live.view(character).state
    text = rebuild(state.documents.get(sheet(character), ()))
    return [*text.splitlines(), "", *resource_lines(state, (character,))]


def _who(live: LiveGame) -> list[str]:
    """Who sits at the table, as far as the human's own view knows."""
    state = live.view(HUMAN).state
    mode = "You decide." if state.mode == "HUMAN_RELAY" else f"{state.character} decides alone until you type /back."
    return [
        f"Your character: {state.character}. {mode}",
        f"The party: {', '.join(state.roster)}.",
        f"At the table besides: {', '.join(seat for seat in state.seats if seat not in state.roster)}.",
        f"Now: {live.ruleset.phase(state)}.",
    ]


HELP: Mapping[str, str] = {
    "/away WORDS": "leave: your character decides alone until you are back",
    "/back": "come back, and hear what happened meanwhile",
    "/chat NAME WORDS": "an aside to a companion, which nobody else hears",
    "/save": "ask the game master to save",
    "/end WORDS": "ask for the end of the evening",
    "/sheet": "your character's sheet",
    "/who": "who sits at the table, and where the session stands",
}
"""What the human of a session may type at any time, and what it does."""

ASIDE = Aside(HUMAN, tuple(f"/{name}" for name in COMMANDS), _session_pages, help=HELP)
