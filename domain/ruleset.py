"""A ruleset: the pure rules of one kind of game.

A ruleset is a class, and its one instance the value that everything else works with:

    class Guessing(Ruleset[State]):
        name = "guessing"
        seats = ("keeper", Players(1, 12))
        state = State()
        events = (NumberHidden, GuessMade, GuessingEnded)
        turns = (Guess,)
        def deal(self, game): …
        def advance(self, game): …

It states what differs from other rulesets. What most games do alike is here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from inspect import cleandoc
from typing import Any, ClassVar, Generic, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from typing_extensions import TypeVar

from sottovoce.domain import commands
from sottovoce.domain.answers import Fields, Form
from sottovoce.domain.audience import EVERYONE, Rule, SeenBy, everyone, nobody
from sottovoce.domain.beliefs import Belief, suspicion_of
from sottovoce.domain.claims import Claim
from sottovoce.domain.errors import Refused, RulesetDefect, SetupRefused
from sottovoce.domain.events import (
    CORE_EVENTS,
    Closing,
    Event,
    Failure,
    GameOpened,
    HoldLifted,
    HoldPlaced,
    SeatsFilled,
    TurnOpened,
    what_came,
)
from sottovoce.domain.game import STOPPED, Game, withdraw_and_hold
from sottovoce.domain.piece import AUDITOR, Chair, Mood, Piece, PieceKind
from sottovoce.domain.reading import plain
from sottovoce.domain.seats import checked_names
from sottovoce.domain.spellings import named
from sottovoce.domain.turns import CORE_EVOLVE, NOTHING, Kinds, Request, Table, Turn, folded
from sottovoce.domain.typed import decoded
from sottovoce.domain.words import opening

S = TypeVar("S", bound=Table, default=Any)

Fact = tuple[str, ...]
"""A hidden matter in a form two events can share, such as `("role", "Ada", "Mafia")`."""


OptionGroup = Literal["the game", "how it is told", "waiting", "fair play", "after the end"]
"""Where a form shows an option."""


def option(default: Any, title: str, about: str, *, group: OptionGroup = "the game", **more: Any) -> Any:
    """A rules option: its default, its name for people, one sentence on it, and where a form shows it.

    `more` are its bounds, as pydantic's `Field` takes them.
    """
    return Field(default=default, title=title, description=about, json_schema_extra={"group": group}, **more)


class Options(BaseModel):
    """Rules options: typed, recorded at the opening by the names of their fields, public.

    A field with an alias is taken by either name. `keeper`, `after_end` and `language` are every game's. In a field,
    `title` is its name for people, `description` one sentence on it, and `group` where a form shows it.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, validate_by_name=True, validate_by_alias=True
    )

    keeper: Literal["sighted", "blind"] = option(
        "sighted",
        "The keeper",
        "With blind, nobody can fork the game or make an auditor link until it is over.",
        group="fair play",
    )
    after_end: Literal["seats", "keeper"] = option(
        "seats",
        "Who can look from other chairs",
        "After the end: everyone who sat, from every chair (seats), or only the keeper with an auditor link (keeper).",
        group="after the end",
    )
    language: str | None = option(
        None,
        "Language",
        "Language that models speak, such as German. Bots always speak English.",
        group="how it is told",
        max_length=40,
        exclude_if=lambda language: language is None,
    )

    @classmethod
    def stated(cls, given: Mapping[str, Any]) -> Self:
        """The options that an opening states. Where it says nothing of other chairs, they stay closed."""
        return cls.model_validate({**cls.unsaid, **given})

    unsaid: ClassVar[Mapping[str, Any]] = {"after_end": "keeper"}
    """What an option means in an opening that does not name it, where that is not its default: games opened before
    there was such an option stay as they were created."""

    @field_validator("language")
    @classmethod
    def _one_line(cls, language: str | None) -> str | None:
        """Prompts say it in the game's own voice, so it is a name and nothing more."""
        name = " ".join((language or "").split())
        if not all(char.isalpha() or unicodedata.combining(char) or char in " -()'" for char in name):
            raise ValueError("give the name of a language, such as German or 日本語")
        return name or None


class TurnOptions(Options):
    """Rules options of a game that limits each turn alike."""

    max_attempts: int = option(
        3, "Attempts at a turn", "How often an answer can fail before the fallback.", group="waiting", ge=1, le=100
    )
    turn_seconds: float | None = option(
        None, "Seconds for an answer", "Time limit of each attempt. Empty for none.", group="waiting", gt=0, le=1e6
    )


@dataclass(frozen=True, slots=True)
class Players:
    """The seats of those who play: their least and greatest number, and how many there are where nobody says.

    `most` is None where the rules know no greatest number. `called` is what they are.
    """

    least: int
    most: int | None = None
    usual: int | None = None
    called: str = "players"

    def check(self, ruleset: str, number: int) -> None:
        """SetupRefused unless so many may play."""
        if number < self.least or (self.most is not None and number > self.most):
            many = f"at least {self.least}" if self.most is None else f"{self.least} to {self.most}"
            raise SetupRefused(f"{ruleset.capitalize()} is for {many} {self.called}, not {number}.")


@dataclass(frozen=True, slots=True)
class Caution:
    """What to know before people or programs play from outside, where the option has that value: one line that says
    what can happen, and what to set."""

    option: str
    value: Any
    says: str


@dataclass(frozen=True, slots=True)
class Errand:
    """What a turn is about, such as a task by its name, and its round. `reads_only`: nothing is to be changed."""

    about: str
    round: int = 0
    reads_only: bool = False


CORE_AUDIENCE: Mapping[type[Event], Rule] = {kind: kind.seen_by for kind in CORE_EVENTS if kind.seen_by is not None}
"""The audiences of the shared events. Holds are left to each ruleset: who may know of one differs."""


class Ruleset(Generic[S]):
    """The pure rules of one kind of game.

    `seats` are the names of the seats that each game has, in seating order, with one `Players` among them. `state` is
    the empty state, `events` and `turns` the ruleset's classes. `reserved` are words that no player can have as a name.
    With `beside_turns`, `advance` looks for what comes next even while turns are open: it is then called once for each
    command, and does everything at once. `holds_seen_by` says who sees that a hold by the rules was placed; everyone
    sees a hold by the keeper. With `asks_failed_again` a seat whose
    program failed by its own account has its other attempts too; without, the turn is over, since work costs money.
    `cautions` are shown to the person who opens a game with players from outside.
    `beliefs` is the class of what a seat can state with its answer about those whom `believed` names.

    `any_turn` is what all kinds of turn have in common, and the class of a turn of an unknown kind. `folds`, each
    `(state, event) -> state`, are for shared events that change more in this state than `CORE_EVOLVE` says.

    An instance has the tables made from the classes, `audiences` and `evolvers`; `but` makes another one with some
    part replaced. Raises RulesetDefect at import if an event has no audience, fold or text, if its example fails, if
    two share a name, or if a turn or a closing event is malformed. The events of a ruleset that is `foreign`, from
    another package, are checked again when they are decided.
    """

    name: ClassVar[str] = ""
    options: ClassVar[type[Options]] = TurnOptions
    seats: ClassVar[tuple[str | Players, ...]] = (Players(2, 20),)
    reserved: ClassVar[tuple[str, ...]] = ()
    state: ClassVar[Any] = Table()
    events: tuple[type[Event], ...] = ()
    turns: ClassVar[tuple[type[Turn[Any, Any]], ...]] = ()
    any_turn: ClassVar[type[Turn[Any, Any]]] = Turn
    beside_turns: bool = False
    asks_failed_again: ClassVar[bool] = True
    holds_seen_by: ClassVar[SeenBy] = nobody
    cautions: ClassVar[tuple[Caution, ...]] = ()
    folds: ClassVar[Mapping[type[Event], Callable[[Any, Any], Any]]] = NOTHING
    beliefs: ClassVar[type[Belief] | None] = None

    initial: S
    foreign: bool
    rulebook: str
    protocol: str = ""
    """How messages are written, for those who answer by a text and not in fields: it follows the rulebook."""
    kinds: Kinds
    players: int
    audiences: Mapping[type[Event], Rule]
    evolvers: Mapping[type[Event], Callable[[S, Any], S]]

    def __init__(self, **parts: Any) -> None:
        self.initial = self.state
        self.foreign = type(self).__module__.partition(".")[0] != __name__.partition(".")[0]
        self.rulebook = f"# {self.name.capitalize()}\n\n{cleandoc(type(self).__doc__ or '')}"
        self.players = next((kind.usual or kind.least for kind in self.seats if isinstance(kind, Players)), 0)
        self.kinds = {kind.stored_kind: kind for kind in self.turns}
        self.__dict__.update(parts)
        opened = {GameOpened: self._opened, TurnOpened: self._asked}
        self.evolvers = parts.get("evolvers") or {**CORE_EVOLVE, **opened, **dict(self._evolvers())}
        self.audiences = parts.get("audiences") or dict(self._audiences())
        self._check()
        if self.evolvers[GameOpened] == self._opened and not hasattr(self.initial, "options"):
            raise RulesetDefect(f"{self.name}: its state has no field `options`; give it the options' defaults")
        for kind in self.events:
            if kind.seen_by is not None and (wrong := self._flaw(kind)):
                raise RulesetDefect(f"{self.name}: {kind.__name__} {wrong}")

    def but(self, **parts: Any) -> Self:
        """The same rules with some part replaced: a method, or a table."""
        other = object.__new__(type(self))
        other.__dict__.update({**self.__dict__, **parts})
        if "turns" in parts and "kinds" not in parts:
            other.kinds = {kind.stored_kind: kind for kind in other.turns}
        # Those that are methods of this ruleset look at its tables: they become the other one's.
        other.evolvers = {
            kind: getattr(other, fold.__name__) if getattr(fold, "__self__", None) is self else fold
            for kind, fold in other.evolvers.items()
        }
        other._check()
        return other

    # how a game opens

    def seats_for(self, names: Sequence[str]) -> tuple[str, ...]:
        """The seats of a game with those players, in seating order; SetupRefused where a name or their number is not
        right."""
        offices = [seat for seat in self.seats if isinstance(seat, str)]
        players = checked_names(names, (*offices, *self.reserved))
        seated: list[str] = []
        for seat in self.seats:
            if isinstance(seat, str):
                seated.append(seat)
            else:
                seat.check(self.name, len(players))
                seated.extend(players)
        return tuple(seated)

    def open(self, game: Game[S], command: commands.Open) -> None:
        """Check the setup and open the game: the public opening, what fills the seats, and the deal."""
        names = list(command.seats)
        for office in self.seats:
            if office in names:
                names.remove(office)
            elif isinstance(office, str):
                raise SetupRefused(f"A game of {self.name} needs a seat {office!r}. Add it.")
        seats = self.seats_for(names)
        if seats != command.seats:
            raise SetupRefused(f"The seats of this game are {', '.join(seats)}, in this order.")
        options = self.checked_options(command.options)
        public = self.opening_options(options, seats)
        game.emit(GameOpened(ruleset=self.name, seats=seats, options=public))
        game.emit(SeatsFilled(agents=dict(command.agents), seed=command.seed))
        self.deal(game)

    def opening_options(self, options: Any, seats: tuple[str, ...]) -> dict[str, Any]:
        """The options as the opening tells them; SetupRefused where they do not fit the seats."""
        found: dict[str, Any] = options.model_dump(mode="json")
        return found

    def deal(self, game: Game[S]) -> None:
        """What happens before the first turn."""

    def checked_options(self, raw: Mapping[str, Any]) -> Any:
        """The options with defaults, or SetupRefused naming the first one at fault."""
        try:
            return self.options.model_validate(dict(raw))
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"]))
            if first["type"] == "extra_forbidden":
                known = ", ".join(self.options.model_fields)
                raise SetupRefused(f"{self.name} has no option {key!r}. Its options are: {known}.") from None
            message = first["msg"].removeprefix("Value error, ")
            raise SetupRefused(f"The rule {key!r} does not take that value: {message}.") from None

    def cautioned(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """What its cautions say where a game has these options, by name, those that are left out as usual."""
        fields = self.options.model_fields
        return tuple(
            caution.says
            for caution in self.cautions
            if options.get(caution.option, fields[caution.option].default) == caution.value
        )

    def chairs_after(self, state: S) -> tuple[str, ...]:
        """The chairs from which everyone who sat can look once the game is over; none if its opening closed them."""
        options = getattr(state, "options", None)
        return () if options is None or options.after_end == "keeper" else tuple(state.seats)

    # how it goes on

    def advance(self, game: Game[S]) -> None:
        """One step on the way to the next turns: it asks somebody, tells what comes next, or ends the game.

        Called while no turn is open and the game is neither over nor held. Nothing need be done while the time that
        `wakes_at` tells has not come.
        """
        raise RulesetDefect(f"{self.name}: it has no next step; give it an advance")

    def wakes_at(self, state: S) -> datetime | None:
        """The time that is waited for, if any."""
        return None

    def read(self, state: S, seat: str, turn: Turn[S, Any] | None, text: str) -> Sequence[Any]:
        """The moves that a text makes, each decided by itself; Refused where it makes none.

        By default a reply is one answer, and nobody speaks unasked.
        """
        if turn is None:
            raise Refused("This game takes no unprompted messages. Wait for your turn.")
        return [turn.read(state, text)]

    def apply(self, game: Game[S], seat: str, turn: Turn[S, Any] | None, move: Any) -> None:
        """What one move does; Refused where the rules do not allow it. It closes the turn that it answers."""
        assert turn is not None, "a text without a turn is refused when it is read"
        game.accept(turn, turn.kept(move), turn.choice_of(move))
        game.follow(turn, move)

    def fallback(self, game: Game[S], turn: Turn[S, Any], reason: Failure) -> None:
        """What happens where the attempts have run out: the turn's silence stands in, or the game is held."""
        answer = turn.silent(game)
        if answer is None:
            withdraw_and_hold(game, turn, f"{turn.seat} {what_came(reason)} in {turn.attempts} attempts.")
            return
        game.fall_back(turn, reason, turn.choice_of(answer))
        game.follow(turn, answer)

    def settle(self, game: Game[S], turn: Turn[S, Any], text: str, refusals: Sequence[str]) -> None:
        """Deal with a turn that is still open after the moves of a reply: a failed attempt, where nothing else is said.

        It may also close the turn, or leave it as it is.
        """
        game.fail(turn, "invalid", text, " ".join(refusals) or "That does not answer the turn.")

    def expired(self, game: Game[S], turn: Turn[S, Any]) -> None:
        """Deal with an attempt whose time has run out."""
        game.fail(turn, "timeout", "", "The time for this attempt ran out.")

    def failed(self, game: Game[S], turn: Turn[S], reason: Failure, message: str) -> None:
        """Deal with an attempt in which the agent of the seat gave no reply."""
        game.fail(turn, reason, "", message)

    # what is told

    def request(self, state: S, turn: Turn[S, Any]) -> Request:
        """What a turn asks, with what every turn of the seat is to know before it."""
        asked = turn.request(state)
        return replace(asked, context=(*self.known(state, turn.seat), *asked.context))

    def known(self, state: S, seat: str) -> Iterable[str]:
        """What every turn of the seat is told before its request."""
        return ()

    def tell(self, event: Event, chair: Chair) -> Piece | None:
        """Return an event as that viewer sees it; None if there is nothing to tell."""
        if isinstance(event, GameOpened):
            return self.opening(event, chair)
        return None if type(event).tell is Event.tell else event.tell(chair)

    def opening(self, event: GameOpened, chair: Chair) -> Piece:
        """Return the opening as that viewer sees it: the game's title, who plays, and the unusual options."""
        return opening(event, chair, self.options)

    def phase(self, state: S) -> str:
        """Where the game stands, in a word or two."""
        return "over" if state.over else "under way" if state.seats else "not started"

    def standing(self, state: S, seat: str) -> tuple[str, ...]:
        """The lines that every prompt of the seat holds whole: who it is, what it knows and did."""
        return ()

    def digest(self, state: S, seat: str) -> tuple[tuple[str, ...], ...]:
        """What has happened so far in short, for prompts with no room for all of it: told at several lengths, the
        longest first."""
        return ()

    def handouts(self, state: S, seat: str) -> Mapping[str, str]:
        """The documents that every prompt of the seat holds in a fixed place, by path, the weightiest first.

        Prompts hold them as they were when the seat was first asked, and in full as far as there is room; of the rest
        they list the headings. Later changes are the history's to tell, so leave these documents out of requests.
        """
        return NOTHING

    def kinds_for(self, state: S, seat: str) -> Sequence[type[Turn[Any, Any]]]:
        """The kinds of turn that the seat may be asked in this game, whatever it is secretly; all by default."""
        return self.turns

    def possible(self, state: S, seat: str) -> Sequence[str]:
        """Every choice that can be legal for the seat in this game, the same at all times; none where that is open."""
        return ()

    def has_manner(self, seat: str) -> bool:
        """Whether a model in that seat gets a manner of speech, drawn for it, where its agent has no say in that."""
        return True

    def about(self, state: S, turn: Turn[S, Any]) -> Mapping[str, str | None]:
        """What a turn is about, for programs: the same keys for every turn of the ruleset."""
        return NOTHING

    def goes_to(self, state: S, turn: Turn[S, Any]) -> Mapping[str, tuple[str, ...] | None]:
        """Who sees the answer to a turn, as its seat can tell: the seats in seating order, None for everyone.

        By what the answer chooses, as in `Turn.becomes`; it is the audience of the very event that the answer becomes.
        """
        found = {}
        for choice, event in turn.becomes(state).items():
            seats = self.audiences[type(event)](state, event).seats
            found[choice] = None if seats is None else tuple(seat for seat in state.seats if seat in seats)
        return found

    # other ways to answer

    def wording(self, state: S, turn: Turn[S, Any], choice: str, words: str) -> str:
        """The reply that makes the choice and carries the words, for agents that answer in fields."""
        return turn.wording(state, choice, words)

    def form(self, state: S, turn: Turn[S, Any], *, brief: bool = False) -> Form | None:
        """The form of an answer that is neither a choice nor a plain text; `brief` for models with a small window."""
        return turn.brief_form(state) if brief else turn.form(state)

    def believed(self, state: S, seat: str) -> tuple[str, ...]:
        """The seats of which that seat may state a belief with its answer, in seating order; none by default."""
        return ()

    def suspicion(self, state: S, seat: str, given: Any) -> dict[str, float]:
        """The suspicion that a seat's beliefs come to, by seat, from the list of them as its agent gave it."""
        return {} if self.beliefs is None else suspicion_of(self.beliefs, given, self.believed(state, seat))

    # what can be found out

    def facts(self, event: Event) -> frozenset[Fact]:
        """The hidden matters that an event carries."""
        return event.facts()

    def mentions(self, fact: Fact, text: str) -> bool:
        """Whether a text may give the fact away; by default where it has every name and value in it."""
        return all(named(text, [part]) for part in fact[1:] if part)

    def trace(self, fact: Fact) -> str:
        """Return words, in the form of `plain`, that are in every text which mentions the fact; empty if there are no
        such words.

        The audit calls `mentions` only for facts whose words are in a text, so that a long game costs no more per event
        than a short one. A ruleset with its own `mentions` must say here what it looks for.
        """
        if type(self).mentions is not Ruleset.mentions:
            return ""
        return max((plain(part) for part in fact[1:]), key=len, default="")

    def claims(self, speaker: str, text: str, seats: Sequence[str], sought: Iterable[Fact] = ()) -> Sequence[Claim]:
        """What a text says about hidden matters, in the order of its sentences.

        By default each of the matters `sought` that it mentions is claimed; rules that read more need no such list.
        """
        return [
            Claim(speaker, next((part for part in fact if part in seats), ""), fact, text)
            for fact in sought
            if self.mentions(fact, text)
        ]

    # files

    documents: Callable[[S], Mapping[str, bytes]] | None = None
    """The documents that a state holds, by path; None of a ruleset that keeps none."""

    def errand(self, state: S, turn: Turn[S, Any]) -> Errand | None:
        """The task that a turn is about, if agents work on tasks in games of these rules."""
        return None

    def folder(self, state: S) -> str | None:
        """The folder below which the game's own files lie, if it works with any."""
        return None

    def files_named(self, state: S, seat: str, turn: Turn[S, Any] | None, text: str) -> Sequence[str]:
        """The paths of the files that the server is to read, below the folder, before the text is decided on."""
        return ()

    def files_brought(self, state: S, seat: str, turn: Turn[S, Any] | None, text: str) -> Mapping[str, bytes]:
        """The files that a text brings along, written if nothing of it is refused."""
        return NOTHING

    def files_recorded(self, state: S) -> Mapping[str, tuple[str, bytes | None]]:
        """The SHA-256, and where they are known the bytes, of each file that the log speaks of."""
        return NOTHING

    # the tables

    def evolve(self, state: S, event: Event) -> S:
        """The state after the event."""
        return self.evolvers[type(event)](state, event)

    def _opened(self, state: S, event: GameOpened) -> S:
        return state.but(seats=event.seats, options=self.options.stated(event.options))

    def _asked(self, state: S, event: TurnOpened) -> S:
        kinds = self.kinds if event.kind in self.kinds else {event.kind: self.any_turn}
        return state.with_turn(event, kinds)

    def _audiences(self) -> Iterable[tuple[type[Event], Rule]]:
        seen_by = self.holds_seen_by.rule
        yield HoldPlaced, lambda state, event: EVERYONE if event == STOPPED else seen_by(state, event)
        yield HoldLifted, lambda state, event: EVERYONE if state.hold == STOPPED else seen_by(state, event)
        for kind in (*CORE_EVENTS, *self.events):
            if kind.seen_by is not None:
                yield kind, kind.seen_by.rule

    def _evolvers(self) -> Iterable[tuple[type[Event], Callable[[S, Any], S]]]:
        yield from self.folds.items()
        for kind in self.events:
            if issubclass(kind, Closing):
                yield kind, _closed
            elif kind.fold is not Event.fold:
                yield kind, folded

    def _check(self) -> None:
        for event in (*CORE_EVENTS, *self.events):
            if event not in self.audiences:
                raise RulesetDefect(f"{self.name}: {event.__name__} states no audience; give it one by seen_by")
            if event not in self.evolvers:
                raise RulesetDefect(f"{self.name}: {event.__name__} is not folded; give it a fold")
        names = [event.stored_name for event in (*CORE_EVENTS, *self.events)]
        if len(set(names)) < len(names):
            raise RulesetDefect(f"{self.name}: two events share a stored name")
        for caution in self.cautions:
            if caution.option not in self.options.model_fields:
                raise RulesetDefect(
                    f"{self.name}: a caution is about {caution.option!r}, which is not one of its options"
                )
        if len({kind.stored_kind for kind in self.turns}) < len(self.turns):
            raise RulesetDefect(f"{self.name}: two turns are of one kind")
        for turn in self.turns:
            if isinstance(turn.silence, str) and turn.usual_choices and turn.silence not in turn.usual_choices:
                raise RulesetDefect(f"{self.name}: the silence of {turn.__name__} is not one of its choices")
            if wrong := _silence_flaw(turn):
                raise RulesetDefect(f"{self.name}: the silence of {turn.__name__} {wrong}")
        if sum(isinstance(seat, Players) for seat in self.seats) > 1:
            raise RulesetDefect(f"{self.name}: its seats have two Players among them; name the others")

    def _flaw(self, kind: type[Event]) -> str | None:
        """What the example of an event class shows to be wrong with it, if anything."""
        if kind.tell is Event.tell:
            return "is not told; give it a tell"
        if issubclass(kind, Closing) and kind.seen_by is not everyone:
            return "ends the game, which everybody has to see; say seen_by=everyone"
        try:
            event = kind.sample()
            if decoded(event.encoded(), kind) != event:
                return "does not come back from the log as its example; let the example have the types of its fields"
            piece = event.tell(AUDITOR)
            for part, known in () if piece is None else ((piece.kind, PieceKind), (piece.mood, Mood)):
                if part not in get_args(known):
                    return f"is told as {part!r}, which is not one of {', '.join(filter(None, get_args(known)))}"
            event.facts()
            self.evolvers[kind](self.initial, event)
        except RulesetDefect as defect:
            return str(defect)
        except Exception as error:
            return f"does not work with its example: {type(error).__name__}: {error}"
        return None


def _closed(state: Any, event: Any) -> Any:
    return event.fold(state).but(over=True, winner=event.winner)


def _silence_flaw(turn: type[Turn[Any, Any]]) -> str | None:
    """What is wrong with the silence of a turn that is answered in fields, if anything."""
    fields, silence = turn.fields, turn.silence
    if isinstance(silence, Fields) and not (fields and isinstance(silence, fields)):
        return "is not an answer in its fields"
    if fields is None or turn.silent is not Turn.silent:
        return None
    if isinstance(silence, str):
        return f"is a text; give it a {fields.__name__}"
    required = [name for name, field in fields.model_fields.items() if field.is_required()]
    if silence is None and required:
        return f"leaves out {', '.join(required)}; give it a {fields.__name__}, or a default to the field"
    return None
