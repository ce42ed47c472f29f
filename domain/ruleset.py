"""A ruleset as a value, and how any ruleset decides a command.

    decide(ruleset, state, command) -> drafts     pure: the events of one append, each with its audience
    ruleset.evolve(state, event) -> state         pure and total over any seat's subset of the events

A ruleset supplies what differs: how a game opens, how a text is read into moves, what each move does, what happens when
a turn's attempts run out, and what comes next. Attempts, refusals, ballots and holds work the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from domain import commands
from domain.audience import EVERYONE, NOBODY, Audience, only
from domain.commands import Command
from domain.draws import Seed, pick
from domain.errors import Refused, RulesetDefect, SetupRefused
from domain.events import (
    CORE_EVENTS,
    AttemptFailed,
    Draft,
    Event,
    Failure,
    FallbackApplied,
    GameForked,
    GameOpened,
    GameVoided,
    HoldLifted,
    HoldPlaced,
    MessageRefused,
    ReplyAccepted,
    SeatsFilled,
    TurnOpened,
    TurnWithdrawn,
)
from domain.reading import readable
from domain.turns import NOTHING, Table, Turn

LONGEST_REPLY = 65_536
"""Characters that one reply or message may have; a longer one fails whole."""
KEPT_OF_TOO_LONG = 200
"""Characters of a text over that limit which its refusal keeps."""

S = TypeVar("S", bound=Table)

AudienceRule = Callable[[Any, Any], Audience]
"""`(full state just before the event, event) -> audience`."""

Fact = tuple[str, ...]
"""A hidden matter in a form two events can share, such as `("role", "Ada", "Mafia")`."""


class Options(BaseModel):
    """Rules options: typed, recorded at the opening, public."""

    model_config = ConfigDict(frozen=True, extra="forbid")


UNREACHED = HoldPlaced(waiting_for="an agent", why="What plays for a seat could not be reached.")
"""The hold of a game in which an agent gives no answer and nothing may stand in for it."""


def _own_seat(state: Table, event: Any) -> Audience:
    return only(event.seat)


def _everyone(state: Table, event: Event) -> Audience:
    return EVERYONE


def _nobody(state: Table, event: Event) -> Audience:
    return NOBODY


CORE_AUDIENCE: Mapping[type[Event], AudienceRule] = {
    GameOpened: _everyone,
    SeatsFilled: _nobody,
    GameForked: _nobody,
    GameVoided: _everyone,
    TurnOpened: _own_seat,
    ReplyAccepted: _own_seat,
    AttemptFailed: _own_seat,
    FallbackApplied: _own_seat,
    TurnWithdrawn: _own_seat,
    MessageRefused: _own_seat,
}
"""The audiences of the shared events. Holds are left to each ruleset: who may know of one differs."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a turn asks, in the ruleset's words: the context lines of the seat's own state, and the request.

    `enter` is the reply that a person may give by pressing Enter alone, where the turn asks for nothing to think about.
    """

    context: tuple[str, ...]
    ask: str
    enter: str | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """What an agent that answers in fields fills in: a model of the fields, and the reply that they make."""

    fields: type[BaseModel]
    reply: Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Told:
    """An event told in plain words: `lead` in the game's own voice, `words` as a seat wrote them, to be quoted."""

    lead: str
    words: str | None = None


def _unanswered(deciding: Deciding[Any], turn: Turn, text: str, refusals: Sequence[str]) -> None:
    deciding.fail(turn, "invalid", text, " ".join(refusals) or "That does not answer the turn.")


def _attempt_over(deciding: Deciding[Any], turn: Turn) -> None:
    deciding.fail(turn, "timeout", "", "The time for this attempt ran out.")


def _no_paths(state: Table, seat: str, turn: Turn | None, text: str) -> Sequence[str]:
    return ()


def _no_files(state: Table, seat: str, turn: Turn | None, text: str) -> Mapping[str, bytes]:
    return NOTHING


def _nothing_recorded(state: Table) -> Mapping[str, tuple[str, bytes | None]]:
    return NOTHING


def _no_form(state: Table, turn: Turn) -> Form | None:
    return None


def _nothing_stands(state: Table, seat: str) -> tuple[str, ...]:
    return ()


def _no_digest(state: Table, seat: str) -> tuple[tuple[str, ...], ...]:
    return ()


def _about_nothing(state: Table, turn: Turn) -> Mapping[str, str | None]:
    return NOTHING


def _no_folder(state: Table) -> str | None:
    return None


def _choice_then_words(state: Table, turn: Turn, choice: str, words: str) -> str:
    return f"{choice}\n{words}".strip()


@dataclass(frozen=True)
class Ruleset(Generic[S]):
    """The pure rules of one kind of game.

    `open(deciding, command)` emits the opening. `read(state, seat, turn, text)` cuts a text into moves or raises
    Refused; `apply(deciding, seat, turn, move)` emits what one move does or raises Refused, and closes the turn with
    `deciding.accept` if the move answers it. `fallback(deciding, turn, reason)` closes a turn whose attempts ran out,
    or withdraws it and places a hold. `advance(deciding)` runs on until turns are open, time must pass, or the game is
    over. `wakes_at(state)` is the time waited for, if any. `request(state, turn)` is what a prompt asks; `tell(event,
    seat)` is an event in plain words as that seat (None: an auditor) reads it, or None where it needs no telling.
    `wording(state, turn, choice, words)` is the reply that makes that choice and carries those words, for agents that
    answer in fields. `form(state, turn)` are the fields of an answer that is neither a choice nor a plain text.
    `about(state, turn)` names what a turn is about, for programs: the same keys for every turn of the ruleset.
    `settle(deciding, turn, text, refusals)` deals with a turn that is still open after the moves of a reply: it closes
    it, counts a failed attempt (what happens where a ruleset says nothing), or leaves it as it is. `expired(deciding,
    turn)` does the same where the time of an attempt has run out. `files_named(state, seat, turn, text)` are the paths
    of the files that the server is to read, below the game's `folder(state)`, before the text is decided on; what it
    found stands in `deciding.files`. `files_brought(state, seat, turn, text)` are the files that a text brings along,
    written if nothing of it is refused, and `files_recorded(state)` gives the SHA-256 of each file that the log speaks
    of. `documents(state)` are the documents that a state holds, by path, and None of a ruleset that keeps none.
    `standing(state, seat)` are the lines that every prompt of the seat holds whole: who it is, what it knows and did.
    `digest(state, seat)` is what has happened so far in short, for prompts with no room for all of it: the same told at
    several lengths, the longest first.
    `facts(event)` are the hidden matters an event carries; `mentions(fact, text)` says whether a text may give one
    away.
    `seats_for(names)` are the seats of a game with those players, and `players` how many there are where nobody says;
    `phase(state)` says where it stands.
    """

    name: str
    options: type[Options]
    events: tuple[type[Event], ...]
    initial: S
    evolvers: Mapping[type[Event], Callable[[S, Any], S]]
    audiences: Mapping[type[Event], AudienceRule]
    seats_for: Callable[[Sequence[str]], tuple[str, ...]]
    open: Callable[[Deciding[S], commands.Open], None]
    read: Callable[[S, str, Turn | None, str], Sequence[Any]]
    apply: Callable[[Deciding[S], str, Turn | None, Any], None]
    fallback: Callable[[Deciding[S], Turn, Failure], None]
    advance: Callable[[Deciding[S]], None]
    wakes_at: Callable[[S], datetime | None]
    request: Callable[[S, Turn], Request]
    tell: Callable[[Event, str | None], Told | None]
    facts: Callable[[Event], frozenset[Fact]]
    mentions: Callable[[Fact, str], bool]
    phase: Callable[[S], str]
    rulebook: str
    wording: Callable[[S, Turn, str, str], str] = _choice_then_words
    files_named: Callable[[S, str, Turn | None, str], Sequence[str]] = _no_paths
    files_brought: Callable[[S, str, Turn | None, str], Mapping[str, bytes]] = _no_files
    files_recorded: Callable[[S], Mapping[str, tuple[str, bytes | None]]] = _nothing_recorded
    folder: Callable[[S], str | None] = _no_folder
    form: Callable[[S, Turn], Form | None] = _no_form
    about: Callable[[S, Turn], Mapping[str, str | None]] = _about_nothing
    documents: Callable[[S], Mapping[str, bytes]] | None = None
    standing: Callable[[S, str], tuple[str, ...]] = _nothing_stands
    digest: Callable[[S, str], tuple[tuple[str, ...], ...]] = _no_digest
    settle: Callable[[Deciding[S], Turn, str, Sequence[str]], None] = _unanswered
    expired: Callable[[Deciding[S], Turn], None] = _attempt_over
    players: int = 3

    def __post_init__(self) -> None:
        for event in (*CORE_EVENTS, *self.events):
            if event not in self.audiences:
                raise RulesetDefect(f"{self.name}: {event.__name__} states no audience; give it one in audience.py")
            if event not in self.evolvers:
                raise RulesetDefect(f"{self.name}: {event.__name__} is not folded; give it a function in state.py")
        names = [event.stored_name for event in (*CORE_EVENTS, *self.events)]
        if len(set(names)) < len(names):
            raise RulesetDefect(f"{self.name}: two events share a stored name")

    def evolve(self, state: S, event: Event) -> S:
        """The state after the event."""
        return self.evolvers[type(event)](state, event)

    def checked_options(self, raw: Mapping[str, Any]) -> Any:
        """The options with defaults, or SetupRefused naming the first one at fault."""
        try:
            return self.options.model_validate(dict(raw))
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"]))
            if first["type"] == "extra_forbidden":
                known = ", ".join(self.options.model_fields)
                raise SetupRefused(f"{self.name} has no rule {key!r}; its rules are: {known}.") from None
            message = first["msg"].removeprefix("Value error, ")
            raise SetupRefused(f"The rule {key!r} does not take that value: {message}.") from None


class Deciding(Generic[S]):
    """One decision in the making: the state so far and the events decided on."""

    def __init__(
        self, ruleset: Ruleset[S], state: S, at: datetime, files: Mapping[str, commands.Found] = NOTHING
    ) -> None:
        self.ruleset = ruleset
        self.state = state
        self.at = at
        self.files = files
        self.drafts: list[Draft] = []

    def emit(self, event: Event) -> None:
        """Decide on an event: fix its audience by the state before it, and fold it.

        Raises RulesetDefect behind the event that ends the game.
        """
        ruleset, kind = self.ruleset, type(event)
        if self.state.over:
            raise RulesetDefect(f"{ruleset.name}: {kind.__name__} comes after the end; emit the closing event last")
        self.drafts.append(Draft(event, ruleset.audiences[kind](self.state, event)))
        self.state = ruleset.evolvers[kind](self.state, event)

    def ask(
        self,
        seat: str,
        kind: str,
        choices: Sequence[str] = (),
        *,
        attempts: int,
        seconds: float | None = None,
        ballot: str | None = None,
    ) -> None:
        """Open the seat's next turn."""
        number = self.state.opened.get(seat, 0) + 1
        self.emit(
            TurnOpened(
                seat=seat,
                turn=number,
                kind=kind,
                choices=tuple(choices),
                attempts=attempts,
                seconds=seconds,
                ballot=ballot,
            )
        )

    def accept(self, turn: Turn, text: str, choice: str | None = None) -> None:
        """Close the turn with the seat's reply."""
        self.emit(ReplyAccepted(seat=turn.seat, turn=turn.number, choice=choice, text=text))

    def fall_back(self, turn: Turn, reason: Failure, choice: str | None = None) -> None:
        """Close the turn with the ruleset's fallback."""
        self.emit(FallbackApplied(seat=turn.seat, turn=turn.number, reason=reason, choice=choice))

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
    """What `decide` gives, and the state after it, so that who appends the events need not fold them once more.

    A game that is over takes nothing more, whatever arrives; an open game is opened no more, whoever else tries.
    """
    if state.over or (state.seats and isinstance(command, commands.Open)):
        return (), state
    files = command.files if isinstance(command, commands.Open | commands.Reply | commands.Say) else NOTHING
    deciding = Deciding(ruleset, state, command.at, files)
    match command:
        case commands.Open():
            ruleset.open(deciding, command)
        case commands.Reply():
            _reply(deciding, command)
        case commands.Expire():
            _expire(deciding, command)
        case commands.Say():
            _say(deciding, command)
        case commands.Wake():
            pass
        case commands.Fill():
            _fill(deciding, command)
        case commands.Halt():
            _halt(deciding, command)
    if deciding.state.seats and not deciding.state.over and deciding.state.hold is None:
        ruleset.advance(deciding)
    return tuple(deciding.drafts), deciding.state


def fold(ruleset: Ruleset[S], events: Sequence[Event], state: S | None = None) -> S:
    """The state after the events, from `state` or the beginning."""
    current = ruleset.initial if state is None else state
    evolvers = ruleset.evolvers
    for event in events:
        current = evolvers[type(event)](current, event)
    return current


def _moves(deciding: Deciding[S], seat: str, turn: Turn | None, text: str) -> list[str]:
    """Apply the text's moves one by one; the messages of those refused."""
    try:
        moves = deciding.ruleset.read(deciding.state, seat, turn, text)
    except Refused as refusal:
        return [str(refusal)]
    refusals = []
    for move in moves:
        if deciding.state.over:
            break
        state, length = deciding.state, len(deciding.drafts)
        try:
            deciding.ruleset.apply(deciding, seat, turn and deciding.still_open(turn), move)
        except Refused as refusal:
            deciding.state = state
            del deciding.drafts[length:]
            refusals.append(str(refusal))
    return refusals


def _received(text: str) -> tuple[str, str | None]:
    """The text to work with and record, and what is wrong with the one that was sent, if anything."""
    if len(text) <= LONGEST_REPLY:
        return readable(text), None
    message = f"Your text has {len(text)} characters; send at most {LONGEST_REPLY}."
    return readable(text[:KEPT_OF_TOO_LONG]), message


def _reply(deciding: Deciding[S], command: commands.Reply) -> None:
    text, too_long = _received(command.text)
    turn = deciding.state.turns.get((command.seat, command.turn))
    if turn is None:
        asked = command.turn <= deciding.state.opened.get(command.seat, 0)
        message = f"Turn {command.turn} is closed." if asked else f"You have no turn {command.turn}."
        deciding.refuse(command.seat, command.turn, text, message)
        return
    refusals = [too_long] if too_long else _moves(deciding, command.seat, turn, text)
    if deciding.state.over:
        return
    still_open = deciding.still_open(turn)
    if still_open is not None:
        deciding.ruleset.settle(deciding, still_open, text, refusals)
    else:
        for message in refusals:
            deciding.refuse(command.seat, command.turn, text, message)


def _say(deciding: Deciding[S], command: commands.Say) -> None:
    text, too_long = _received(command.text)
    for message in [too_long] if too_long else _moves(deciding, command.seat, None, text):
        if not deciding.state.over:
            deciding.refuse(command.seat, None, text, message)


def _expire(deciding: Deciding[S], command: commands.Expire) -> None:
    turn = deciding.state.turns.get((command.seat, command.turn))
    if turn is not None and turn.attempt == command.attempt:
        deciding.ruleset.expired(deciding, turn)


def _fill(deciding: Deciding[S], command: commands.Fill) -> None:
    if command.forked is not None:
        parent, position = command.forked
        deciding.emit(GameForked(parent=parent, position=position))
    seed = None if command.seed == deciding.state.seed else command.seed
    changed = {seat: agent for seat, agent in command.agents.items() if deciding.state.agents.get(seat) != agent}
    if changed or seed is not None:
        deciding.emit(SeatsFilled(agents=changed, seed=seed))
    if deciding.state.hold is not None:
        deciding.emit(HoldLifted())


def _halt(deciding: Deciding[S], command: commands.Halt) -> None:
    """Hold the game, or void it. Which seat was asked is said to nobody: at night that alone would tell a role."""
    state = deciding.state
    held = state.hold is not None
    lost = held and state.hold == UNREACHED
    if state.over or not (lost if held else (command.seat, command.turn) in state.turns):
        return
    if not command.void:
        if not held:
            deciding.emit(UNREACHED)
        return
    for turn in tuple(state.turns.values()):
        deciding.withdraw(turn)
    deciding.emit(GameVoided(why=UNREACHED.why))


def withdraw_and_hold(deciding: Deciding[S], turn: Turn, why: str) -> None:
    """The fallback of a turn that nobody can stand in for: take it back and stop until `resume`."""
    deciding.withdraw(turn)
    deciding.emit(HoldPlaced(waiting_for=turn.seat, why=why))
