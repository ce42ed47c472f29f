"""Given, when, then: a kit to test rules with, in memory and without a log.

    given(MAFIA, *events).when(command).then(*events)

Every step gives a new `Playtest`, so that one can be the start of several tests. `until` plays on to a wanted turn,
answering whatever is open on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, TypeVar

from sottovoce.domain import commands
from sottovoce.domain.answers import Fields
from sottovoce.domain.commands import Command
from sottovoce.domain.events import AttemptFailed, Draft, Event, MessageRefused
from sottovoce.domain.game import decide
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.turns import Request, Table, Turn

S = TypeVar("S", bound=Table)
E = TypeVar("E", bound=Event)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When the commands of a test come, where it says nothing else."""
MOST_REPLIES = 5000

Answers = Mapping[str, "str | Mapping[str, str]"]
"""What is answered: a text for each kind of turn, or for each seat within a kind."""


@dataclass(frozen=True)
class Playtest(Generic[S]):
    """A game so far: its state, every event with its audience, and those of the last decision in `new`."""

    ruleset: Ruleset[S]
    state: S
    drafts: tuple[Draft, ...] = ()
    new: tuple[Draft, ...] = ()
    at: datetime = NOON
    answers: Answers = field(default_factory=dict)

    # when

    def when(self, command: Command) -> Playtest[S]:
        """Decide one command."""
        new = decide(self.ruleset, self.state, command)
        return self._with(new)

    def reply(self, seat: str, given: str | Fields, notes: str = "") -> Playtest[S]:
        """The seat answers its one open turn, by a text or by fields, and keeps notes for itself."""
        turn = self.turn(seat)
        text = given if isinstance(given, str) else turn.reply(self.known(seat), given)
        return self.when(commands.Reply(self.at, seat, turn.number, text, notes=notes))

    def expire(self, seat: str) -> Playtest[S]:
        """The time of the seat's present attempt runs out."""
        turn = self.turn(seat)
        return self.when(commands.Expire(self.at, seat, turn.number, turn.attempt))

    def say(self, seat: str, text: str) -> Playtest[S]:
        """The seat sends a message that answers no turn."""
        return self.when(commands.Say(self.at, seat, text))

    def wake(self) -> Playtest[S]:
        """Let the game look at the clock."""
        return self.when(commands.Wake(self.at))

    def later(self, seconds: float) -> Playtest[S]:
        """The same game with the clock put on."""
        return replace(self, at=self.at + timedelta(seconds=seconds))

    def exhaust(self, seat: str, text: str = "") -> Playtest[S]:
        """Answer the seat's open turn with that text, by default with nothing, until the turn is closed."""
        game, number = self, self.turn(seat).number
        while (seat, number) in game.state.turns:
            game = game.when(commands.Reply(game.at, seat, number, text))
        return game

    def answer(self, answers: Answers | None = None, order: Iterable[str] | None = None) -> Playtest[S]:
        """Answer every turn that is open now, in seating order or in the order of seats given."""
        game = self
        for seat in self.state.seats if order is None else order:
            for turn in [turn for turn in self.state.turns.values() if turn.seat == seat]:
                game = game.when(commands.Reply(game.at, seat, turn.number, self._text(turn, answers or {})))
        return replace(game, new=game.drafts[len(self.drafts) :])

    def until(self, wanted: str | Callable[[S], bool], answers: Answers | None = None) -> Playtest[S]:
        """Play on until a turn of that kind is open, or the state is as wanted."""
        game = self
        for _ in range(MOST_REPLIES):
            state = game.state
            if wanted(state) if callable(wanted) else any(turn.kind == wanted for turn in state.turns.values()):
                return game
            if not state.turns:
                break
            turn = next(iter(state.turns.values()))
            game = game.when(commands.Reply(game.at, turn.seat, turn.number, self._text(turn, answers or {})))
        raise AssertionError(f"The game did not come to {wanted}: {self.ruleset.phase(game.state)}.")

    def to_the_end(self, answers: Answers | None = None) -> Playtest[S]:
        """Play on until the game is over."""
        return self.until(lambda state: state.over, answers)

    # then

    @property
    def events(self) -> tuple[Event, ...]:
        """Every event so far."""
        return tuple(draft.event for draft in self.drafts)

    @property
    def happened(self) -> tuple[Event, ...]:
        """The events of the last decision."""
        return tuple(draft.event for draft in self.new)

    def then(self, *events: Event) -> Playtest[S]:
        """The last decision was exactly these events."""
        self._expect(self.happened == events, events)
        return self

    def then_among(self, *events: Event) -> Playtest[S]:
        """The last decision held these events, in this order."""
        new = iter(self.happened)
        self._expect(all(event in new for event in events), events)
        return self

    def then_nothing(self) -> Playtest[S]:
        """The last decision had no effect."""
        return self.then()

    def refused(self, part: str = "") -> Playtest[S]:
        """The last decision was one refusal and nothing else, with `part` in its message."""
        match self.happened:
            case [AttemptFailed() | MessageRefused() as refusal]:
                self._expect(part.casefold() in refusal.message.casefold(), (refusal,))
            case _:
                raise AssertionError(f"Not one refusal: {self.happened}")
        return self

    # what there is

    def turn(self, seat: str) -> Turn:
        """The seat's one open turn."""
        turns = [turn for turn in self.state.turns.values() if turn.seat == seat]
        if len(turns) != 1:
            raise AssertionError(f"{seat} has {len(turns)} open turns.")
        return turns[0]

    def asked(self, kind: str | None = None) -> tuple[str, ...]:
        """The seats that have an open turn (of that kind), in the order of opening."""
        return tuple(turn.seat for turn in self.state.turns.values() if kind in (None, turn.kind))

    def all(self, event_type: type[E]) -> list[E]:
        """Every event of that class so far."""
        return [draft.event for draft in self.drafts if isinstance(draft.event, event_type)]

    def last(self, event_type: type[E]) -> E:
        """The newest event of that class."""
        return self.all(event_type)[-1]

    def audiences(self, event_type: type[Event]) -> list[Any]:
        """The audiences of the events of that class, as JSON shows them."""
        return [draft.audience.to_json() for draft in self.drafts if isinstance(draft.event, event_type)]

    def seen(self, seat: str, event_type: type[E] | None = None) -> list[Any]:
        """The events (of that class) which the seat sees."""
        shown = [draft.event for draft in self.drafts if draft.audience.includes(seat)]
        return shown if event_type is None else [event for event in shown if isinstance(event, event_type)]

    def known(self, seat: str) -> S:
        """The state as the seat knows it: the fold of what it sees."""
        state = self.ruleset.initial
        for event in self.seen(seat):
            state = self.ruleset.evolve(state, event)
        return state

    def request(self, seat: str) -> Request:
        """What the seat's open turn asks, told from what the seat knows."""
        known = self.known(seat)
        return self.ruleset.request(known, known.turns[seat, self.turn(seat).number])

    def context(self, seat: str) -> str:
        """The context lines of the seat's open turn."""
        return "\n".join(self.request(seat).context)

    def _with(self, new: tuple[Draft, ...]) -> Playtest[S]:
        state = self.state
        for draft in new:
            state = self.ruleset.evolve(state, draft.event)
        return replace(self, state=state, drafts=(*self.drafts, *new), new=new)

    def _text(self, turn: Turn, answers: Answers) -> str:
        for source in (answers, self.answers):
            found = source.get(turn.kind)
            text = found if isinstance(found, str) else (found or {}).get(turn.seat)
            if text is not None:
                return text
        return turn.choices[0] if turn.choices else "So be it."

    def _expect(self, met: bool, wanted: Sequence[Event]) -> None:
        if not met:
            lines = ["Wanted:", *map(repr, wanted), "Decided:", *map(repr, self.happened)]
            raise AssertionError("\n  ".join(lines))


def given(ruleset: Ruleset[S], *events: Event) -> Playtest[S]:
    """A game in which these events have happened, each seen by whom the ruleset says."""
    state, drafts = ruleset.initial, []
    for event in events:
        drafts.append(Draft(event, ruleset.audiences[type(event)](state, event)))
        state = ruleset.evolve(state, event)
    return Playtest(ruleset, state, tuple(drafts))
