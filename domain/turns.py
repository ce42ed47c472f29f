"""Turns, ballots and holds: the part of a state that every ruleset shares, and the classes of what a seat is asked.

A kind of turn is a class: what it asks, how a reply to it is read, what follows, and what silence means.

    class Guess(Turn[State], kind="guess", silence=None):
        def answered(self, game: Game[State], answer: Answer) -> None:
            game.emit(GuessMade(player=self.seat, number=answer.choice))

Everything in a state is total over any seat's subset of the events: a view holds its own seat's turns and nobody
else's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from inspect import cleandoc
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Self, get_args

import msgspec
from msgspec.structs import replace
from typing_extensions import TypeVar, dataclass_transform

from sottovoce.domain.answer_texts import how_to_write, read_fields, text_of
from sottovoce.domain.answers import (
    Among,
    Answer,
    Fields,
    Form,
    Legal,
    by_name,
    legal_fields,
    legal_of,
    with_words,
    words_in,
)
from sottovoce.domain.choices import one_choice
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import Refused, RulesetDefect
from sottovoce.domain.events import CORE_EVENTS, Event, HoldPlaced, TurnOpened
from sottovoce.domain.reading import plain

if TYPE_CHECKING:
    from sottovoce.domain.game import Game

NOTHING: Mapping[Any, Any] = MappingProxyType({})
"""An empty mapping that cannot change: the default of a field."""

S = TypeVar("S", bound="Table", default=Any)
A = TypeVar("A", default=Answer)


@dataclass(frozen=True, slots=True)
class Request:
    """What a turn asks, in the ruleset's words: the context lines of the seat's own state, and the request.

    `enter` is the reply that a person may give by pressing Enter alone, where the turn asks for nothing to think about.
    `options` are offered by their numbers where any words will do: choices are what alone is legal.
    `how` says how an answer is written as one text, which does not concern those who fill in the form's fields.
    """

    context: tuple[str, ...]
    ask: str
    enter: str | None = None
    options: tuple[str, ...] = ()
    how: str = ""

    @property
    def whole(self) -> str:
        """The request for those who answer by a text."""
        return f"{self.ask} {self.how}".rstrip()


class Silence:
    """What happens when the attempts run out, if that is not a choice; see `Turn`."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __repr__(self) -> str:
        return self._words


DRAWN: Final = Silence("one of the choices, drawn from the game's secret")
"""Where the attempts run out, one of the choices is drawn; an answer without one where there are none."""
HELD: Final = Silence("the game is held: nothing may stand in")
"""When the attempts run out, the turn is withdrawn and the game is put on hold until its keeper resumes it."""
AS_BASE: Final = Silence("what it means for the class below")


@dataclass_transform(frozen_default=True)
class TurnClass(msgspec.StructMeta):
    """Makes kinds of turns out of their heads: `kind` is the stored name, `silence` what silence means.

    A class without a kind is a base of several kinds, which may say their silence once.
    """

    def __new__(
        mcs,
        cls_name: str,
        bases: tuple[type, ...],
        body: dict[str, Any],
        /,
        *,
        kind: str = "",
        silence: str | Silence | Fields | None = AS_BASE,
        choices: Sequence[str] = (),
    ) -> Any:
        made: Any = super().__new__(mcs, cls_name, bases, body, frozen=True)
        if isinstance(choices, str):
            raise TypeError(f"The choices of {cls_name} are one text; give them as a tuple")
        if "counted" in body and not isinstance(body["counted"], classmethod):
            raise TypeError(f"{cls_name}.counted is about all votes and not about one turn: make it a classmethod")
        if silence is not AS_BASE:
            made.silence = silence
        if kind:
            made.stored_kind, made.usual_choices = kind, tuple(choices)
            if not made.__doc__:
                raise TypeError(f"{cls_name} asks nothing: write the request as its docstring")
            made.request_text = "\n\n".join(" ".join(part.split()) for part in cleandoc(made.__doc__).split("\n\n"))
        if "fields" not in body and (declared := _fields_in(body.get("__orig_bases__", ()))):
            made.fields = declared
        return made


def _fields_in(bases: Iterable[Any]) -> type[Fields] | None:
    """The fields of a turn's answer, as in `Turn[State, Bid]`."""
    named = (part for base in bases for part in get_args(base))
    return next((part for part in named if isinstance(part, type) and issubclass(part, Fields)), None)


class Turn(msgspec.Struct, Generic[S, A], metaclass=TurnClass):
    """An open request to one seat. `failures` are the messages of the failed attempts so far.

    A subclass is a kind of turn. Its docstring is what it asks. Its `silence` is what happens when the attempts run
    out: a choice; `DRAWN`, one of the choices; None, an answer without choice and words; `HELD`: the turn is withdrawn
    and the game put on hold.

    `Turn[State, Bid]` is answered in the fields of `Bid`. `among` says which values are legal now, `check` refuses
    fields that do not go together. Its `silence` is a `Bid`, `DRAWN` for any legal one, None for the defaults, or
    `HELD`. If the text of an answer has its own protocol, say how it is `written`, and `read` it yourself. `brief` are
    simpler fields for models with a small window; `briefly` says what is legal in them, and `written` takes them too.

    `patterns` are openings that make a choice beyond doubt, such as `i vote for {}`, and `aliases` other ways to write
    a choice. `sentence` is how a reply with words makes its choice, such as `I vote for {}.`, and `spoken` the same for
    single choices. `enter` is the answer for pressing only Enter, if there is nothing to think about. `as_text` is how
    the answer is written as a text, such as `Answer: I vote for NAME.`; agents that fill in fields are not told.
    """

    seat: str
    number: int
    kind: str
    choices: tuple[str, ...]
    attempts: int
    seconds: float | None = None
    ballot: str | None = None
    failures: tuple[str, ...] = ()

    stored_kind: ClassVar[str] = ""
    usual_choices: ClassVar[tuple[str, ...]] = ()
    silence: ClassVar[str | Silence | Fields | None] = DRAWN
    fields: ClassVar[type[Fields] | None] = None
    brief: ClassVar[type[Fields] | None] = None
    patterns: ClassVar[tuple[str, ...]] = ()
    aliases: ClassVar[Mapping[str, str]] = NOTHING
    sentence: ClassVar[str] = "{}."
    spoken: ClassVar[Mapping[str, str]] = NOTHING
    enter: ClassVar[str | None] = None
    as_text: ClassVar[str] = ""
    request_text: ClassVar[str] = ""

    @property
    def attempt(self) -> int:
        """The number of the attempt now awaited, from 1."""
        return len(self.failures) + 1

    @property
    def attempts_left(self) -> int:
        return self.attempts - len(self.failures)

    @property
    def reads_fields(self) -> bool:
        """Whether its text is read for its fields, and is not a protocol."""
        return self.fields is not None and type(self).written is Turn.written

    def but(self, **changes: Any) -> Self:
        """This turn with some fields replaced."""
        return replace(self, **changes)

    def becomes(self, state: S) -> Mapping[str, Event]:
        """The event that an answer becomes, for the sake of its audience; none where the rules do not say beforehand.

        Under "" whatever is answered, else by what the answer chooses: the value of one of its fields. Of a ballot, it
        is the event that tells the votes once all have voted. `state` is the seat's own: what it says may depend on
        nothing that the seat does not know.
        """
        return NOTHING

    def request(self, state: S) -> Request:
        """What is asked, from what the seat knows; behind what the ruleset says that every turn is to know."""
        return Request(tuple(self.context(state)), self.ask(state), self.enter, how=self.how(state))

    def context(self, state: S) -> Iterable[str]:
        """What the seat is told before it is asked, line by line."""
        return ()

    def ask(self, state: S) -> str:
        """The request itself; by default the docstring."""
        return self.request_text

    def how(self, state: S) -> str:
        """How an answer is written as one text."""
        return self.as_text if self.fields is None else how_to_write(self.fields, self._legal(state))

    def read(self, state: S, text: str) -> A:
        """What a reply says, or Refused naming what is wrong, by what its author may know (M-016 to M-018)."""
        answer: Any
        if self.fields is not None:
            try:
                answer = read_fields(text, self.fields, self._legal(state), self.aliases)
            except Refused as refusal:
                raise Refused(f"{refusal} {self.how(state)}".rstrip()) from None
            self.check(state, answer)
        elif (text if text.isascii() else plain(text)).strip():
            answer = Answer(self.chosen(state, text) if self.choices else None, text)
        else:
            raise Refused("Your reply is empty; say something.")
        return answer  # type: ignore[no-any-return]

    def among(self, state: S) -> Among:
        """The legal values of fields, by the fields' names; a field without any is left out of the form.

        A name such as `steps.character` is a field within the items of another one, in each kind of item that has it.
        Those are only offered, and the rules judge them.
        """
        return NOTHING

    def check(self, state: S, answer: A) -> None:
        """Raise Refused, with one line that says why, for fields that are not legal together."""

    def legal(self, state: S) -> list[Any]:
        """Every legal answer in fields, without words; none if a field can be any text or number, or if the text of an
        answer is a protocol."""
        if self.fields is None or not self.reads_fields:
            return []
        check: Any = partial(self.check, state)
        return list(legal_fields(self.fields, self._legal(state), check))

    def _legal(self, state: S) -> Legal:
        return legal_of(self.among(state))

    def chosen(self, state: S, text: str) -> str:
        """The one legal choice that a text makes, or Refused."""
        return one_choice(text, self.choices, self.patterns, state.seats, self.aliases)

    def wording(self, state: S, choice: str, words: str) -> str:
        """The reply that makes the choice and carries the words; the bare choice where they would make another one."""
        if not words.strip():
            return choice
        sentence = self.saying(choice)
        if plain(words).startswith(plain(sentence).rstrip(".")) and self.makes(state, words, choice):
            return words
        text = f"{sentence} {words}"
        return text if self.makes(state, text, choice) else choice

    def saying(self, choice: str) -> str:
        """The sentence that makes a choice."""
        return self.spoken.get(choice) or self.sentence.format(choice)

    def makes(self, state: S, text: str, choice: str) -> bool:
        """Whether a text makes that choice and no other."""
        try:
            return self.chosen(state, text) == choice
        except Refused:
            return False

    def form(self, state: S) -> Form | None:
        """The form of an answer in fields, from their class and what is legal now."""
        if self.fields is None:
            return None
        return Form(self.fields, partial(self.written, state), self._legal(state))

    def briefly(self, state: S) -> tuple[Among, Sequence[str]] | None:
        """The legal values of the `brief` fields, and the lines that tell them; None where only all fields will do."""
        return None

    def brief_form(self, state: S) -> Form | None:
        """The form for models with a small window; the one for all if the turn has no other."""
        found = None if self.brief is None else self.briefly(state)
        if self.brief is None or found is None:
            return self.form(state)
        among, told = found
        return Form(self.brief, partial(self.written, state), legal_of(among), tuple(told))

    def written(self, state: S, answer: Any) -> str:
        """The text that makes an answer in fields."""
        return text_of(answer, self._legal(state), self.aliases)

    def reply(self, state: S, given: str | Fields) -> str:
        """The reply that a text or fields make."""
        return given if isinstance(given, str) else self.written(state, given)

    def choice_of(self, answer: A) -> str | None:
        """The choice that is recorded of an answer: of fields all but the words, as a text."""
        if not isinstance(answer, Fields):
            return answer.choice  # type: ignore[attr-defined, no-any-return]
        bare = with_words(answer, "")
        text = text_of(bare)
        return text if by_name(bare) or not text.startswith("{") else None

    def recorded(self, choice: str, words: str) -> A:
        """The answer of which this choice and these words are recorded."""
        answer: Any = Answer(choice or None, words or None)
        if self.fields is not None:
            answer = with_words(read_fields(choice, self.fields) if choice else self.fields(), words)
        return answer  # type: ignore[no-any-return]

    def kept(self, answer: A) -> str:
        """What of a reply its own seat's record of it keeps; by default nothing that `answered` tells anyway."""
        return ""

    def silent(self, game: Game[S]) -> A | None:
        """What stands in when the attempts have run out; None where nothing may."""
        silence, purpose = self.silence, ("fallback", self.seat, self.number)
        answer: Any
        if silence is HELD:
            return None
        if silence is DRAWN and self.fields is not None:
            legal = {str(one): one for one in self.legal(game.state)}
            if not legal:
                raise RulesetDefect(f"{type(self).__name__} has no legal answer to draw; give it a silence")
            answer = legal[game.draw([*legal], *purpose)]
        elif silence is DRAWN:
            answer = Answer(game.draw(self.choices, *purpose)) if self.choices else Answer()
        elif self.fields is not None:
            answer = self.fields() if silence is None else silence
        else:
            answer = Answer(silence if isinstance(silence, str) else None)
        return answer  # type: ignore[no-any-return]

    def answered(self, game: Game[S], answer: A) -> None:
        """What follows from an answer, or from what stands in for it."""


@dataclass(frozen=True)
class Count(Generic[A]):
    """A ballot that is complete. `votes` and `words` are by seat in seating order; `words` holds what was said.

    `choices` are those of its kind, or where it names none those that the last seat to answer had. `recorded` makes an
    answer of a vote and its words.
    """

    choices: tuple[str, ...]
    votes: Mapping[str, str]
    words: Mapping[str, str]
    about: str | None = None
    recorded: Callable[[str, str], Any] = field(default=Answer, compare=False)

    @cached_property
    def answers(self) -> Mapping[str, A]:
        """The votes as answers, by seat."""
        return {seat: self.recorded(vote, self.words.get(seat, "")) for seat, vote in self.votes.items()}

    @cached_property
    def tally(self) -> dict[str, int]:
        """How many votes each choice got, those with none left out, in the order of the choices."""
        votes = Counter(filter(None, self.votes.values()))
        return {choice: votes[choice] for choice in (*self.choices, *sorted(votes)) if votes[choice]}

    @cached_property
    def leaders(self) -> tuple[str, ...]:
        """The choices with the most votes, in their order."""
        tally = self.tally
        most = max(tally.values(), default=0)
        return tuple(choice for choice, votes in tally.items() if votes == most)

    def carried(self, choice: str) -> bool:
        """Whether more than half chose it."""
        return self.tally.get(choice, 0) * 2 > len(self.votes)


class Ballot(Turn[S, A], kind="ballot"):
    """A kind of turn that several seats answer at once, unseen by each other, and that is counted once."""

    def kept(self, answer: A) -> str:
        return words_in(answer) if isinstance(answer, Fields) else answer.words or ""  # type: ignore[attr-defined]

    @classmethod
    def counted(cls, game: Game[S], count: Count[A]) -> None:
        """What follows from the votes, once nobody is asked any more."""


Kinds = Mapping[str, type[Turn[Any, Any]]]
"""The classes of turns by their stored kind."""


class Table(msgspec.Struct, frozen=True):
    """What every ruleset's state holds. Unknown is a value: None or empty."""

    seats: tuple[str, ...] = ()
    agents: Mapping[str, str] = NOTHING
    seed: Seed | None = None
    turns: Mapping[tuple[str, int], Turn] = NOTHING
    opened: Mapping[str, int] = NOTHING
    ballots: Mapping[str, Mapping[str, str]] = NOTHING
    replies: Mapping[str, Mapping[str, str]] = NOTHING
    kept_notes: Mapping[str, str] = NOTHING
    """What each seat has written down for itself; in a view its own seat's alone."""
    hold: HoldPlaced | None = None
    winner: str | None = None
    over: bool = False
    voided: bool = False
    chairs: tuple[str, ...] = ()
    """The chairs from which everyone who sat can look, once the game is over."""
    own: str | None = None
    """The seat of the person who opened the game on a server; like `setup`, in the full state alone."""
    setup: Mapping[str, Any] = NOTHING

    def but(self, **changes: Any) -> Self:
        """This state with some fields replaced; RulesetDefect where it has no such field."""
        try:
            return replace(self, **changes)
        except TypeError:
            unknown = ", ".join(sorted(changes.keys() - {*self.__struct_fields__}))
            raise RulesetDefect(f"folds into {unknown}, which the state has no field for") from None

    def with_turn(self, opened: TurnOpened, kinds: Kinds = NOTHING) -> Self:
        """This state with one more open turn, of the ruleset's own class if it has one for the kind.

        A ballot that is held again forgets the votes of the last time.
        """
        state, seat, number, ballot = self, opened.seat, opened.turn, opened.ballot
        if ballot is not None and ballot in state.ballots and not state.votes_on(ballot):
            state = state.without_ballot(ballot)
        turn = kinds.get(opened.kind, Turn)(
            seat, number, opened.kind, opened.choices, opened.attempts, opened.seconds, ballot
        )
        return replace(state, turns={**state.turns, (seat, number): turn}, opened={**state.opened, seat: number})

    def votes_on(self, ballot: str | None) -> bool:
        """Whether somebody is asked for a vote in that ballot."""
        for turn in self.turns.values():  # noqa: SIM110 - in every reply to a ballot, and faster than `any`
            if turn.ballot == ballot:
                return True
        return False

    def answered(self, seat: str, number: int, choice: str | None, text: str) -> Self:
        """This state without the turn, and with its answer in the ballot that it belongs to, if it does."""
        turns = {**self.turns}
        turn = turns.pop((seat, number), None)
        if turn is None or turn.ballot is None:
            return replace(self, turns=turns)
        votes, texts = self.ballots.get(turn.ballot, NOTHING), self.replies.get(turn.ballot, NOTHING)
        return replace(
            self,
            turns=turns,
            ballots={**self.ballots, turn.ballot: {**votes, seat: choice or ""}},
            replies={**self.replies, turn.ballot: {**texts, seat: text}},
        )

    def missed(self, seat: str, number: int, message: str) -> Self:
        """This state with one more failed attempt at the turn."""
        turn = self.turns.get((seat, number))
        if turn is None:
            return self
        return self.but(turns={**self.turns, (seat, number): turn.but(failures=(*turn.failures, message))})

    def without_turn(self, seat: str, number: int) -> Self:
        """This state with the turn open no more."""
        turns = {**self.turns}
        turns.pop((seat, number), None)
        return replace(self, turns=turns)

    def without_ballot(self, ballot: str, **changes: Any) -> Self:
        """Forget a ballot that has been counted, and replace some fields."""
        if ballot in self.ballots or ballot in self.replies:
            changes["ballots"] = {key: votes for key, votes in self.ballots.items() if key != ballot}
            changes["replies"] = {key: texts for key, texts in self.replies.items() if key != ballot}
        return self.but(**changes)


def folded(state: Any, event: Any) -> Any:
    """The state after an event, as its class says."""
    return event.fold(state)


CORE_EVOLVE: Mapping[type[Event], Callable[[Any, Any], Any]] = dict.fromkeys(CORE_EVENTS, folded)
"""How the shared events change the shared part of a state."""
