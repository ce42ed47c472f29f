"""Tabletop: a GM, a narrator, a party of characters and a human, by tagged messages over a campaign's documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from sottovoce import Chair, Event, Fact, Failure, Piece, Refused, Ruleset, Turn, plain
from sottovoce.domain import commands
from sottovoce.domain import events as core
from sottovoce.rulesets.tabletop.rules import course, documents, words
from sottovoce.rulesets.tabletop.rules.audience import FOR_THE_HUMAN
from sottovoce.rulesets.tabletop.rules.events import SESSION_EVENTS
from sottovoce.rulesets.tabletop.rules.fold import CORE_FOLD
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import HUMAN, STANDING
from sottovoce.rulesets.tabletop.rules.state import Game, TabletopOptions, TabletopState


class Tabletop(Ruleset[TabletopState]):
    """A session of a role-playing game."""

    name = "tabletop"
    options = TabletopOptions
    state = TabletopState()
    events = (MessageSent, *SESSION_EVENTS)
    beside_turns = True
    holds_seen_by = FOR_THE_HUMAN
    turns = course.TURNS
    folds = CORE_FOLD

    def seats_for(self, names: Sequence[str]) -> tuple[str, ...]:
        return course.seats_for(names)

    def chairs_after(self, state: TabletopState) -> tuple[str, ...]:
        """G-002: the characters' and the human's while evenings remain, the game master's too if there are none."""
        if state.options.after_end != "characters":
            return super().chairs_after(state)
        return tuple(seat for seat in state.seats if seat not in STANDING)

    def open(self, game: Game, command: commands.Open) -> None:
        course.open_game(game, command)

    def read(self, state: TabletopState, seat: str, turn: Turn | None, text: str) -> Sequence[Any]:
        if seat not in state.seats:
            raise Refused("You have no seat at this table.")
        if isinstance(turn, course.TabletopTurn):
            return turn.moves(state, text)
        return [course.command(text)] if seat == HUMAN else course.some_items(state, seat, text)

    def apply(self, game: Game, seat: str, turn: Turn | None, move: Any) -> None:
        course.apply(game, seat, move)

    def settle(self, game: Game, turn: Turn, text: str, refusals: Sequence[str]) -> None:
        course.settle(game, turn, text, refusals)

    def expired(self, game: Game, turn: Turn) -> None:
        course.expired(game, turn)

    def fallback(self, game: Game, turn: Turn, reason: Failure) -> None:
        course.fallback(game, turn, reason)

    def advance(self, game: Game) -> None:
        course.advance(game)

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

    def kinds_for(self, state: TabletopState, seat: str) -> Sequence[type[Turn[Any, Any]]]:
        return course.kinds_for(seat)

    def handouts(self, state: TabletopState, seat: str) -> Mapping[str, str]:
        return words.in_hand(state, seat)

    def digest(self, state: TabletopState, seat: str) -> tuple[tuple[str, ...], ...]:
        return words.digest(state, seat)

    def has_manner(self, seat: str) -> bool:
        """A character's sheet is its voice."""
        return False

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

    def trace(self, fact: Fact) -> str:
        return plain(fact[2])

    @staticmethod
    def documents(state: TabletopState) -> Mapping[str, bytes]:
        """The documents that a state holds, by path."""
        return documents.rebuilt(state.documents)


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


TABLETOP = Tabletop(rulebook=_text("rulebook.md"), protocol=_text("protocol.md"))
