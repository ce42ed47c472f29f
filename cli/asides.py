"""What a person may do at this terminal while nobody asks them anything, by ruleset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from agents.human import Pages
from domain.rulesets.tabletop.access import sheet
from domain.rulesets.tabletop.events import HUMAN
from domain.rulesets.tabletop.pieces import rebuild
from domain.rulesets.tabletop.reading import resource_lines
from domain.rulesets.tabletop.replies import COMMANDS
from server.live import LiveGame


@dataclass(frozen=True, slots=True)
class Aside:
    """The person in `seat` may type one of `commands` at any time, which is sent, or look at one of the `pages`."""

    seat: str
    commands: tuple[str, ...]
    pages: Callable[[LiveGame], Pages]


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


ASIDES: Mapping[str, Aside] = {"tabletop": Aside(HUMAN, tuple(f"/{name}" for name in COMMANDS), _session_pages)}
"""The rulesets in which a person may speak up unasked."""
