"""Tabletop: a GM, a narrator, a party of characters and a human, by tagged messages over a campaign's documents."""

from __future__ import annotations

from importlib.resources import files

from domain.ruleset import Ruleset, as_piece
from domain.rulesets.tabletop import course, words
from domain.rulesets.tabletop.audience import SESSION_AUDIENCE
from domain.rulesets.tabletop.documents import rebuilt
from domain.rulesets.tabletop.events import SESSION_EVENTS
from domain.rulesets.tabletop.fold import SESSION_EVOLVE
from domain.rulesets.tabletop.messages import MessageSent, fold_message, message_audience
from domain.rulesets.tabletop.state import TabletopOptions, TabletopState


def phase(state: TabletopState) -> str:
    """Where the session stands, as far as the state knows."""
    if state.over or state.ended:
        return "over"
    if state.ending:
        return "ending"
    if not state.beat:
        return "setup"
    # Only some are told when the scene changes (T-151); the full state, which alone has the seed, always knows.
    known = state.scene_told or state.seed is not None
    return f"scene {state.scene[0]}, beat {state.beat}" if known else f"beat {state.beat}"


TABLETOP: Ruleset[TabletopState] = Ruleset(
    name="tabletop",
    options=TabletopOptions,
    events=(MessageSent, *SESSION_EVENTS),
    initial=TabletopState(),
    evolvers={**SESSION_EVOLVE, MessageSent: fold_message},
    audiences={**SESSION_AUDIENCE, MessageSent: message_audience},
    seats_for=course.seats_for,
    open=course.open_game,
    read=course.read,
    apply=course.apply,
    fallback=course.fallback,
    advance=course.advance,
    beside_turns=True,
    wakes_at=lambda state: None,
    request=words.request,
    tell=as_piece(words.tell),
    facts=words.facts,
    mentions=words.mentions,
    phase=phase,
    rulebook=files(__package__).joinpath("rulebook.md").read_text(encoding="utf-8"),
    settle=course.settle,
    expired=course.expired,
    form=words.form,
    documents=lambda state: rebuilt(state.documents),
)
