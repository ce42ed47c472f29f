"""Tabletop: a GM, a narrator, a party of characters and a human, by tagged messages over a campaign's documents."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from domain import events as core
from domain.events import Event
from domain.piece import Chair, Piece
from domain.ruleset import Fact, Ruleset
from domain.rulesets.tabletop import course, documents, words
from domain.rulesets.tabletop.audience import FOR_THE_HUMAN
from domain.rulesets.tabletop.events import SESSION_EVENTS
from domain.rulesets.tabletop.fold import CORE_FOLD
from domain.rulesets.tabletop.messages import MessageSent
from domain.rulesets.tabletop.state import TabletopOptions, TabletopState


class Tabletop(Ruleset[TabletopState]):
    """A session of a role-playing game."""

    name = "tabletop"
    options = TabletopOptions
    state = TabletopState()
    events = (MessageSent, *SESSION_EVENTS)
    beside_turns = True
    holds_seen_by = FOR_THE_HUMAN
    folds = CORE_FOLD

    def phase(self, state: TabletopState) -> str:
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

    def tell(self, event: Event, chair: Chair) -> Piece | None:
        if isinstance(event, core.GameOpened):
            return words.tell_opening(event, chair)
        return words.tell_core(event, chair)

    def facts(self, event: Event) -> frozenset[Fact]:
        if isinstance(event, core.ReplyAccepted):
            return frozenset({("said", event.seat, event.text)} if event.text else ())
        return super().facts(event)

    def mentions(self, fact: Fact, text: str) -> bool:
        return words.mentions(fact, text)

    @staticmethod
    def documents(state: TabletopState) -> Mapping[str, bytes]:
        """The documents that a state holds, by path."""
        return documents.rebuilt(state.documents)


TABLETOP = Tabletop(
    seats_for=course.seats_for,
    open=course.open_game,
    read=course.read,
    apply=course.apply,
    fallback=course.fallback,
    advance=course.advance,
    settle=course.settle,
    expired=course.expired,
    request=words.request,
    form=words.form,
    rulebook=files(__package__).joinpath("rulebook.md").read_text(encoding="utf-8"),
)
