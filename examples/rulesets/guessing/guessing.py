"""Guessing: a keeper knows a hidden number; the others guess in turn and hear how near they are."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any, Literal

from sottovoce import (
    Answer, Closing, Event, Field, Game, Players, Refused, Ruleset, Table, Turn, TurnOptions,
    adds, counts, everyone, fact, line, named_in, says, seat, sets,
)  # fmt: skip

KEEPER = "keeper"
Heard = Literal["higher", "lower", "correct"]


class GuessingOptions(TurnOptions):
    """Numbers go from 1 to `highest`; after `rounds` rounds the keeper wins."""

    highest: int = Field(default=20, ge=2, le=1000)
    rounds: int = Field(default=3, ge=1, le=50)


class State(Table, frozen=True):
    """A game of guessing; `number` is None for whoever has not been told."""

    options: GuessingOptions = GuessingOptions()
    number: int | None = None
    guesses: tuple[GuessMade, ...] = ()
    hints: int = 0

    def heard(self, guess: int) -> Heard:
        return "correct" if guess == self.number else "higher" if guess < (self.number or 0) else "lower"


class NumberHidden(Event[State], name="guessing.number-hidden.v1", seen_by=seat(KEEPER)):
    """The number to be guessed."""

    number: int

    example = {"number": 7}
    fold = sets("number")
    tell = line("The number is {number}.")
    facts = fact("number", "number")


class HintGiven(Event[State], name="guessing.hint-given.v1", seen_by=everyone, by=seat(KEEPER)):
    """The keeper's words before a round. They hold no number."""

    text: str

    example = {"text": "Warm, but not as warm as you think."}
    fold = counts("hints")
    tell = says("The keeper says:")


class GuessMade(Event[State], name="guessing.guess-made.v1", seen_by=everyone, by=named_in("player")):
    """A guess and what it was answered; `number` is None where the player said none."""

    player: str
    number: int | None
    answer: Heard | None

    example = {"player": "Ada", "number": 9, "answer": "lower"}
    fold = adds("guesses")
    tell = line("{player:name} guesses {number}: {answer}.")


class GuessingEnded(Closing[State], name="guessing.ended.v1", seen_by=everyone):
    """Who won, and the number."""

    number: int

    example = {"winner": "Ada", "number": 7}
    fold = sets("number")
    tell = line("The number was {number}. The winner is {winner:name}.", kind="ending")
    facts = fact("number", "number")


class Hint(Turn[State], kind="hint"):
    """Give a hint without a number."""

    def read(self, state: State, text: str) -> Answer:
        if any(char.isnumeric() for char in text):
            raise Refused("A hint has words and no number; say it otherwise.")
        return super().read(state, text)

    def answered(self, game: Game[State], answer: Answer) -> None:
        game.emit(HintGiven(text=answer.words or "The keeper is silent."))


class Guess(Turn[State], kind="guess", silence=None):
    """Guess the number."""

    def answered(self, game: Game[State], answer: Answer) -> None:
        guess = int(answer.choice) if answer.choice else None
        game.emit(GuessMade(player=self.seat, number=guess, answer=game.state.heard(guess) if guess else None))


class Guessing(Ruleset[State]):
    """The keeper knows a number. Guess it: every guess is answered by higher, lower or correct."""

    name = "guessing"
    options = GuessingOptions
    seats = (KEEPER, Players(1, 12, usual=3))
    state = State()
    events = (NumberHidden, HintGiven, GuessMade, GuessingEnded)
    turns = (Hint, Guess)

    def deal(self, game: Game[State]) -> None:
        numbers = range(1, game.state.options.highest + 1)
        game.emit(NumberHidden(number=game.deal(numbers, (KEEPER,), "number", each=1)[KEEPER][0]))

    def advance(self, game: Game[State]) -> None:
        state, made, players = game.state, game.state.guesses, game.state.seats[1:]
        if made and made[-1].answer == "correct":
            game.emit(GuessingEnded(winner=made[-1].player, number=state.number or 0))
        elif len(made) >= state.options.rounds * len(players):
            game.emit(GuessingEnded(winner=KEEPER, number=state.number or 0))
        elif state.hints * len(players) <= len(made):
            game.ask(KEEPER, Hint)
        else:
            numbers = [str(number) for number in range(1, state.options.highest + 1)]
            game.ask(players[len(made) % len(players)], Guess, numbers)

    def known(self, state: State, seat: str) -> Iterable[str]:
        if state.number is not None:
            yield f"The number is {state.number}."
        yield from (f"{made.player} guessed {made.number}: {made.answer}." for made in state.guesses if made.answer)

    def phase(self, state: State) -> str:
        return "over" if state.over else f"round {state.hints}"


def play(view: Any, turn: Turn, random: Random) -> str:
    """The house player: halves what is left; as the keeper it talks about the weather."""
    if turn.kind == "hint":
        return random.choice(("It is a good number.", "I have seen larger ones.", "You will kick yourselves."))
    guesses = view.state.guesses
    low = max((made.number + 1 for made in guesses if made.answer == "higher"), default=1)
    high = min((made.number - 1 for made in guesses if made.answer == "lower"), default=view.state.options.highest)
    return str(random.choice(range(low, high + 1)) if random.random() < 0.3 else (low + high) // 2)


GUESSING = Guessing()
