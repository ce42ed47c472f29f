"""A game in the deciding, and how any ruleset decides a command.

    decide(ruleset, state, command) -> drafts     pure: the events of one append, each with its audience
    ruleset.evolve(state, event) -> state         pure and total over any seat's subset of the events

Attempts, refusals, ballots and holds work the same for all rulesets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import TypeVar

from sottovoce.domain import commands
from sottovoce.domain.answers import Answer
from sottovoce.domain.commands import Command
from sottovoce.domain.draws import Hands, Seed, dealt, pick
from sottovoce.domain.errors import Refused, RulesetDefect
from sottovoce.domain.events import (
    AttemptFailed,
    ChairsOpened,
    Draft,
    Event,
    Failure,
    FallbackApplied,
    GameForked,
    GameRequested,
    GameVoided,
    HoldLifted,
    HoldPlaced,
    MessageRefused,
    NotesKept,
    ReplyAccepted,
    SeatsFilled,
    SecretsKnown,
    TurnOpened,
    TurnWithdrawn,
)
from sottovoce.domain.reading import normal_length, readable
from sottovoce.domain.turns import NOTHING, Ballot, Count, Table, Turn, folded

if TYPE_CHECKING:
    from sottovoce.domain.ruleset import Ruleset

LONGEST_REPLY = 65_536
"""Characters that one reply or message may have, as it is sent and in its compatible form; a longer one fails whole."""
LONGEST_NOTES = 1_200
"""Characters of a seat's notes that are kept."""
KEPT_OF_TOO_LONG = 200
"""Characters of a text over that limit which its refusal keeps."""
MOST_STEPS = 10_000
"""Steps that one decision may take on its way to the next turns; a ruleset that takes more goes round in a circle."""

UNREACHED = HoldPlaced(waiting_for="an agent", why="What plays for a seat could not be reached.")
"""The hold of a game in which an agent gives no answer and nothing may stand in for it."""

SPENT = HoldPlaced(waiting_for="the keeper", why="The budget of the agents is spent.")
"""The hold of a game whose agents have used what they may. Which seat was to be asked, and how much, is not said."""

STOPPED = HoldPlaced(waiting_for="the keeper", why="The keeper stopped the game.")
"""The hold of a game that its keeper stopped: everybody may know of it."""

A = TypeVar("A", default=Answer)
C = TypeVar("C")
S = TypeVar("S", bound=Table, default=Any)


class Game(Generic[S]):
    """A game while one command is decided on: the state so far, and in `drafts` the events decided on."""

    def __init__(
        self,
        ruleset: Ruleset[S],
        state: S,
        at: datetime,
        files: Mapping[str, commands.Found] = NOTHING,
        notes: tuple[str, str] = ("", ""),
        evidence: Any = None,
    ) -> None:
        self.ruleset = ruleset
        self.state = state
        self.at = at
        self.files = files
        self.evidence = evidence
        self._notes = notes
        self.drafts: list[Draft] = []

    def emit(self, event: Event) -> None:
        """Decide on an event: fix its audience by the state before it, and fold it. The chairs are opened before the
        event that ends the game, if its opening said so.

        Raises RulesetDefect behind the event that ends the game, for an event that the ruleset does not list, and for
        one of a ruleset from outside whose fields have not the types of its class.
        """
        ruleset, kind, state = self.ruleset, type(event), self.state
        if state.over:
            raise RulesetDefect(f"{ruleset.name}: {kind.__name__} comes after the end; emit the closing event last")
        evolver = ruleset.evolvers.get(kind)
        if evolver is None:
            raise RulesetDefect(f"{ruleset.name}: {kind.__name__} is not among its events")
        if ruleset.foreign and (wrong := event.misfit()):
            raise RulesetDefect(f"{ruleset.name}: {kind.__name__} cannot be read again: {wrong}")
        draft = Draft(event, ruleset.audiences[kind](state, event))
        after = event.fold(state) if evolver is folded else evolver(state, event)
        if after.over and (chairs := ruleset.chairs_after(state)):
            # Before the event that ends the game, since nothing comes after it.
            self.emit(ChairsOpened(chairs=chairs))
            after = event.fold(self.state) if evolver is folded else evolver(self.state, event)
        self.drafts.append(draft)
        self.state = after

    def request(self, event: GameRequested) -> None:
        """Record how the game was asked for, right after its opening."""
        self.drafts.insert(1, Draft(event, self.ruleset.audiences[GameRequested](self.state, event)))
        self.state = event.fold(self.state)

    def ask(
        self,
        seats: str | Sequence[str],
        kind: str | type[Turn[S, Any]],
        choices: Sequence[str] | None = None,
        *,
        about: str | None = None,
        attempts: int | None = None,
        seconds: float | None = None,
        ballot: str | None = None,
    ) -> None:
        """Open the next turn of a seat, or of each of several.

        Attempts and time limit are those of the options where nothing is said, the choices those of the kind. The turns
        of a `Ballot` are counted together; `about` tells it from another one of its kind that is open too. Raises
        RulesetDefect for a kind that the ruleset does not list, and for a seat that is not at the table.
        """
        options = getattr(self.state, "options", None)
        if not isinstance(kind, str):
            choices = kind.usual_choices if choices is None else choices
            if issubclass(kind, Ballot) and ballot is None:
                ballot = kind.stored_kind if about is None else f"{kind.stored_kind}.{about}"
            if kind.stored_kind not in self.ruleset.kinds:
                raise RulesetDefect(f"{self.ruleset.name}: {kind.__name__} is asked, and is not among its turns")
            kind = kind.stored_kind
            seconds = getattr(options, "turn_seconds", None) if seconds is None else seconds
        attempts = getattr(options, "max_attempts", 3) if attempts is None else attempts
        offered = tuple(choices or ())
        for seat in (seats,) if isinstance(seats, str) else seats:
            if seat not in self.state.seats:
                raise RulesetDefect(f"{self.ruleset.name}: {kind!r} is asked of {seat!r}, who is not at the table")
            self.emit(
                TurnOpened(
                    seat=seat,
                    turn=self.state.opened.get(seat, 0) + 1,
                    kind=kind,
                    choices=offered,
                    attempts=attempts,
                    seconds=seconds,
                    ballot=ballot,
                )
            )

    def accept(self, turn: Turn, text: str, choice: str | None = None) -> None:
        """Close the turn with the seat's reply, and keep the notes that came with it."""
        self.emit(ReplyAccepted(seat=turn.seat, turn=turn.number, choice=choice, text=text))
        seat, notes = self._notes
        if notes and seat == turn.seat and notes != self.state.kept_notes.get(seat):
            self.emit(NotesKept(seat=seat, text=notes))

    def fall_back(self, turn: Turn, reason: Failure, choice: str | None = None) -> None:
        """Close the turn with the ruleset's fallback."""
        self.emit(FallbackApplied(seat=turn.seat, turn=turn.number, reason=reason, choice=choice))

    def follow(self, turn: Turn[S, A], answer: A) -> None:
        """What follows from a turn that was closed: its answer, or the count of its ballot once that is complete."""
        if not isinstance(turn, Ballot):
            turn.answered(self, answer)
        elif not self.state.votes_on(turn.ballot):
            type(turn).counted(self, self._count(turn))

    def _count(self, turn: Ballot[S, A]) -> Count[A]:
        state, ballot = self.state, turn.ballot or ""
        votes, words = state.ballots.get(ballot, NOTHING), state.replies.get(ballot, NOTHING)
        return Count(
            choices=turn.usual_choices or turn.choices,
            votes={seat: votes[seat] for seat in state.seats if seat in votes},
            words={seat: words[seat] for seat in state.seats if words.get(seat)},
            about=ballot.partition(".")[2] or None,
            recorded=turn.recorded,
        )

    def fail(self, turn: Turn, reason: Failure, text: str, message: str) -> None:
        """Count one failed attempt at the turn; the ruleset's fallback follows the last one."""
        self.emit(
            AttemptFailed(
                seat=turn.seat, turn=turn.number, attempt=turn.attempt, reason=reason, text=text, message=message
            )
        )
        if turn.attempts_left <= 1:
            self.ruleset.fallback(self, turn, reason)

    def refuse(self, seat: str, turn: int | None, text: str, message: str) -> None:
        """Record that something the seat sent changed nothing."""
        self.emit(MessageRefused(seat=seat, turn=turn, text=text, message=message))

    def withdraw(self, turn: Turn) -> None:
        """Take the turn back."""
        self.emit(TurnWithdrawn(seat=turn.seat, turn=turn.number))

    def draw(self, choices: Sequence[str], *purpose: object) -> str:
        """One of `choices` from the game's secret and the purpose."""
        return pick(choices, self.seed, *purpose)

    def deal(self, deck: Sequence[C], seats: Sequence[str], *purpose: object, each: int | None = None) -> Hands[C]:
        """A hand of cards for every seat, from the deck as it is shuffled for that purpose: `hands[seat]`.

        Each seat gets `each` cards, or as many as the deck has for each where nothing is said; `hands.rest` are the
        others. It decides on no event: emit what each seat may see, and to nobody what none may. The isolation kit
        deals these hands again behind a seat's back. Raises RulesetDefect for a seat that is not at the table or is
        named twice, and where the deck has too few cards.
        """
        strangers = [seat for seat in seats if seat not in self.state.seats]
        if strangers or not seats or len({*seats}) < len(seats):
            who = f"{strangers[0]!r}, who is not at the table" if strangers else "no seat, or to one of them twice"
            raise RulesetDefect(f"{self.ruleset.name}: cards are dealt to {who}")
        each = len(deck) // len(seats) if each is None else each
        if not 0 < each * len(seats) <= len(deck):
            raise RulesetDefect(f"{self.ruleset.name}: {len(deck)} cards give no hand of {each} to {len(seats)} seats")
        return dealt(deck, seats, each, self.seed, *purpose)

    @property
    def seed(self) -> Seed:
        """What is drawn from."""
        assert self.state.seed is not None, "only the full state draws"
        return self.state.seed

    def still_open(self, turn: Turn) -> Turn | None:
        return self.state.turns.get((turn.seat, turn.number))


def decide(ruleset: Ruleset[S], state: S, command: Command) -> tuple[Draft, ...]:
    """The events that the command becomes, refusals included; none where it has no effect.

    Raises SetupRefused for an `Open` that cannot be opened. Nothing else raises: a refusal is a fact (invariant 9).
    """
    return decided(ruleset, state, command)[0]


def decided(ruleset: Ruleset[S], state: S, command: Command) -> tuple[tuple[Draft, ...], S]:
    """Return what `decide` returns and the state after it, so that the caller need not fold the events again.

    A finished game takes no further command, and an open game cannot be opened again.
    """
    if state.over or (state.seats and isinstance(command, commands.Open)):
        return (), state
    files = command.files if isinstance(command, commands.Open | commands.Reply | commands.Say) else NOTHING
    notes = (command.seat, _bounded(command.notes)) if isinstance(command, commands.Reply) else ("", "")
    evidence = command.evidence if isinstance(command, commands.Reply | commands.Say) else None
    game = Game(ruleset, state, command.at, files, notes, evidence)
    match command:
        case commands.Open():
            ruleset.open(game, command)
            if command.request is not None:
                game.request(command.request)
        case commands.Reply():
            _reply(game, command)
        case commands.Expire():
            _expire(game, command)
        case commands.Fail():
            _fail(game, command)
        case commands.Say():
            _say(game, command)
        case commands.Wake():
            pass
        case commands.Fill():
            _fill(game, command)
        case commands.Halt():
            _halt(game, command)
        case commands.Hold():
            if game.state.hold != STOPPED:
                game.emit(STOPPED)
        case commands.Announce():
            game.emit(command.peek)
            return tuple(game.drafts), game.state
    if game.state.seats:
        _go_on(game)
    return tuple(game.drafts), game.state


def _go_on(game: Game[S]) -> None:
    """Run on until the next turns are open, time must pass, the game is on hold, or it is over."""
    ruleset = game.ruleset
    for _ in range(MOST_STEPS):
        state, length = game.state, len(game.drafts)
        if state.over or state.hold is not None:
            return
        if ruleset.beside_turns:
            ruleset.advance(game)
            return
        if state.turns:
            return
        ruleset.advance(game)
        if len(game.drafts) == length:
            if ruleset.wakes_at(state) is not None:
                return
            raise RulesetDefect(
                f"{ruleset.name}: {ruleset.phase(state)}: the game stands still; let advance ask a seat"
            )
    raise RulesetDefect(f"{ruleset.name}: advance goes round in a circle; let it ask a seat or end the game")


def fold(ruleset: Ruleset[S], events: Sequence[Event], state: S | None = None) -> S:
    """The state after the events, from `state` or the beginning."""
    current = ruleset.initial if state is None else state
    evolvers = ruleset.evolvers
    for event in events:
        evolver = evolvers[type(event)]
        current = event.fold(current) if evolver is folded else evolver(current, event)
    return current


def _moves(game: Game[S], seat: str, turn: Turn | None, text: str) -> list[str]:
    """Apply the text's moves one by one; the messages of those refused."""
    try:
        moves = game.ruleset.read(game.state, seat, turn, text)
    except Refused as refusal:
        return [str(refusal)]
    refusals = []
    for move in moves:
        if game.state.over:
            break
        state, length = game.state, len(game.drafts)
        try:
            game.ruleset.apply(game, seat, turn and game.still_open(turn), move)
        except Refused as refusal:
            game.state = state
            del game.drafts[length:]
            refusals.append(str(refusal))
    return refusals


def _bounded(notes: str) -> str:
    """Notes as they are kept."""
    return readable(notes.replace("\x00", "\ufffd")).strip()[:LONGEST_NOTES].rstrip() if notes else ""


def _received(text: str) -> tuple[str, str | None]:
    """The text to work with and record, and what is wrong with the one that was sent, if anything."""
    text = str(text)  # what an agent gives may carry its thoughts, and only the text itself can be stored
    if len(text) > LONGEST_REPLY:
        message = f"Your text has {len(text)} characters; send at most {LONGEST_REPLY}."
    elif normal_length(text, LONGEST_REPLY) > LONGEST_REPLY:
        message = f"Your text has more than {LONGEST_REPLY} characters once its signs are written out; send less."
    else:
        return readable(text), None
    return readable(text[:KEPT_OF_TOO_LONG]), message


def _reply(game: Game[S], command: commands.Reply) -> None:
    text, too_long = _received(command.text)
    turn = game.state.turns.get((command.seat, command.turn))
    if turn is None:
        asked = command.turn <= game.state.opened.get(command.seat, 0)
        message = f"Turn {command.turn} is closed." if asked else f"You have no turn {command.turn}."
        game.refuse(command.seat, command.turn, text, message)
        return
    refusals = [too_long] if too_long else _moves(game, command.seat, turn, text)
    if game.state.over:
        return
    still_open = game.still_open(turn)
    if still_open is not None:
        game.ruleset.settle(game, still_open, text, refusals)
    else:
        for message in refusals:
            game.refuse(command.seat, command.turn, text, message)


def _say(game: Game[S], command: commands.Say) -> None:
    text, too_long = _received(command.text)
    for message in [too_long] if too_long else _moves(game, command.seat, None, text):
        if not game.state.over:
            game.refuse(command.seat, None, text, message)


def _expire(game: Game[S], command: commands.Expire) -> None:
    turn = game.state.turns.get((command.seat, command.turn))
    if turn is not None and turn.attempt == command.attempt:
        game.ruleset.expired(game, turn)


def _fail(game: Game[S], command: commands.Fail) -> None:
    turn = game.state.turns.get((command.seat, command.turn))
    if turn is not None and turn.attempt == command.attempt:
        last = command.final and not game.ruleset.asks_failed_again and turn.attempts_left > 1
        game.ruleset.failed(game, turn, command.reason, command.message)
        if last:
            game.ruleset.fallback(game, turn, command.reason)


def _fill(game: Game[S], command: commands.Fill) -> None:
    if command.forked is not None:
        parent, position = command.forked
        game.emit(GameForked(parent=parent, position=position))
        if command.known:
            game.emit(SecretsKnown(chairs=command.known))
    seed = None if command.seed == game.state.seed else command.seed
    changed = {seat: agent for seat, agent in command.agents.items() if game.state.agents.get(seat) != agent}
    if changed or seed is not None:
        game.emit(SeatsFilled(agents=changed, seed=seed))
    if game.state.hold is not None:
        game.emit(HoldLifted())


def _halt(game: Game[S], command: commands.Halt) -> None:
    """Hold the game, or void it. Which seat was asked is said to nobody: at night that alone would tell a role."""
    state = game.state
    held = state.hold is not None
    lost = held and state.hold == UNREACHED
    if state.over or not (lost if held else (command.seat, command.turn) in state.turns):
        return
    if command.spent or not command.void:
        if not held:
            game.emit(SPENT if command.spent else UNREACHED)
        return
    for turn in tuple(state.turns.values()):
        game.withdraw(turn)
    game.emit(GameVoided(why=UNREACHED.why))


def withdraw_and_hold(game: Game[S], turn: Turn, why: str) -> None:
    """The fallback of a turn that nobody can stand in for: take it back and stop until `resume`."""
    game.withdraw(turn)
    game.emit(HoldPlaced(waiting_for=turn.seat, why=why))
