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
from dataclasses import dataclass
from functools import cached_property, lru_cache
from inspect import cleandoc
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Self

import msgspec
from msgspec.structs import replace
from pydantic import BaseModel, ValidationError
from typing_extensions import TypeVar, dataclass_transform

from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import Refused, RulesetDefect
from sottovoce.domain.events import CORE_EVENTS, Event, HoldPlaced, TurnOpened
from sottovoce.domain.reading import one_choice, plain

if TYPE_CHECKING:
    from sottovoce.domain.game import Game

MOST_FILLED = 2000
"""Values that the fields of one reply may hold: each that is wrong is an error, and to make thousands takes long."""

NOTHING: Mapping[Any, Any] = MappingProxyType({})

S = TypeVar("S", bound="Table", default=Any)


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


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says: the legal choice it makes, and its words. Silence may have neither."""

    choice: str | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """What an agent that answers in fields fills in: a model of the fields, and the reply that they make."""

    fields: type[BaseModel]
    reply: Callable[[Any], str]

    @property
    def schema(self) -> dict[str, Any]:
        """The fields as a JSON schema; not to be changed."""
        return _schema(self.fields)

    def filled(self, given: Any) -> str:
        """The reply that filled-in fields make. Raises Misfilled."""
        if _holds_more_than(MOST_FILLED, given):
            raise Misfilled(f"more than {MOST_FILLED} values are filled in; send fewer")
        try:
            return self.reply(self.fields.model_validate(given))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the answer"
            raise Misfilled(f"the field {where!r} is wrong: {first['msg'].lower()}") from None


def _holds_more_than(most: int, given: Any) -> bool:
    """Whether lists and objects hold more values than that, those inside them included."""
    left, count = [given], 0
    while left and count <= most:
        held = left.pop()
        if isinstance(held, dict | list):
            count += len(held)
            left += (held.values() if isinstance(held, dict) else held) if count <= most else ()
    return count > most


class Misfilled(Exception):
    """The fields of a form are not filled in as they are described; the argument says what is wrong."""


@lru_cache(maxsize=256)
def _schema(fields: type[BaseModel]) -> dict[str, Any]:
    return fields.model_json_schema()


class Silence:
    """What silence means where it means no choice of its own; see `Turn`."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __repr__(self) -> str:
        return self._words


DRAWN: Final = Silence("one of the choices, drawn from the game's secret")
"""Where the attempts run out, one of the choices is drawn; an answer without one where there are none."""
HELD: Final = Silence("the game is held: nothing may stand in")
"""Where the attempts run out, the turn is taken back and the game held until its keeper lets it go on."""
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
        silence: str | Silence | None = AS_BASE,
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
        return made


class Turn(msgspec.Struct, Generic[S], metaclass=TurnClass):
    """An open request to one seat. `failures` are the messages of the attempts that failed so far.

    A subclass is a kind of turn. Its docstring is what it asks. Its `silence` stands in where the attempts run out: a
    choice; `DRAWN`, one of the choices; None, an answer without choice and words; `HELD`, nothing: the turn is taken
    back and the game held.

    `patterns` are openings that make a choice beyond doubt, such as `i vote for {}`, and `aliases` other ways to write
    one. `sentence` is how a reply that carries words as well makes its choice, such as `I vote for {}.`, and `spoken`
    the same for single choices. `enter` is what a person may answer by pressing Enter alone, where there is nothing to
    think about.
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
    silence: ClassVar[str | Silence | None] = DRAWN
    patterns: ClassVar[tuple[str, ...]] = ()
    aliases: ClassVar[Mapping[str, str]] = NOTHING
    sentence: ClassVar[str] = "{}."
    spoken: ClassVar[Mapping[str, str]] = NOTHING
    enter: ClassVar[str | None] = None
    request_text: ClassVar[str] = ""

    @property
    def attempt(self) -> int:
        """The number of the attempt now awaited, from 1."""
        return len(self.failures) + 1

    @property
    def attempts_left(self) -> int:
        return self.attempts - len(self.failures)

    def but(self, **changes: Any) -> Self:
        """This turn with some fields replaced."""
        return replace(self, **changes)

    def request(self, state: S) -> Request:
        """What is asked, from what the seat knows; behind what the ruleset says that every turn is to know."""
        return Request(tuple(self.context(state)), self.ask(state), self.enter)

    def context(self, state: S) -> Iterable[str]:
        """What the seat is told before it is asked, line by line."""
        return ()

    def ask(self, state: S) -> str:
        """The request itself; by default the docstring."""
        return self.request_text

    def read(self, state: S, text: str) -> Answer:
        """What a reply says, or Refused naming what is wrong, by what its author may know (M-016 to M-018)."""
        if not (text if text.isascii() else plain(text)).strip():
            raise Refused("Your reply is empty; say something.")
        return Answer(self.chosen(state, text) if self.choices else None, text)

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
        """The fields of an answer that is neither a choice nor a plain text."""
        return None

    def kept(self, answer: Answer) -> str:
        """What of a reply its own seat's record of it keeps; by default nothing that `answered` tells anyway."""
        return ""

    def silent(self, game: Game[S]) -> Answer | None:
        """What stands in when the attempts have run out; None where nothing may."""
        silence = self.silence
        if silence is HELD:
            return None
        if silence is DRAWN:
            return Answer(game.draw(self.choices, "fallback", self.seat, self.number)) if self.choices else Answer()
        return Answer(silence if isinstance(silence, str) else None)

    def answered(self, game: Game[S], answer: Answer) -> None:
        """What follows from an answer, or from what stands in for it."""


@dataclass(frozen=True)
class Count:
    """A ballot that is complete. `votes` and `words` are by seat in seating order; `words` holds what was said.

    `choices` are those of its kind, or where it names none those that the last seat to answer had.
    """

    choices: tuple[str, ...]
    votes: Mapping[str, str]
    words: Mapping[str, str]
    about: str | None = None

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


class Ballot(Turn[S], kind="ballot"):
    """A kind of turn that several seats answer at once, unseen by each other, and that is counted once."""

    def kept(self, answer: Answer) -> str:
        return answer.words or ""

    @classmethod
    def counted(cls, game: Game[S], count: Count) -> None:
        """What follows from the votes, once nobody is asked any more."""


Kinds = Mapping[str, type[Turn[Any]]]
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
    hold: HoldPlaced | None = None
    winner: str | None = None
    over: bool = False
    voided: bool = False

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
