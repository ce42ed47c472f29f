"""Guessing: a ruleset in one file. A keeper knows a hidden number, the others guess in turn and hear how near they are.

It shows all that a ruleset needs: options, events with an audience each, a fold, an opening, how a reply is read, what
it does, what stands in for silence, what comes next, and what a turn asks. `docs/adding-a-ruleset.md` walks through it.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from agents.extras import AgentExtras
from domain import commands
from domain.audience import EVERYONE, NOBODY, named_in, only, seat
from domain.draws import generator
from domain.errors import Refused, SetupRefused
from domain.events import Event, Failure, GameOpened, HoldLifted, HoldPlaced, SeatsFilled
from domain.reading import named
from domain.ruleset import CORE_AUDIENCE, Deciding, Fact, Options, Request, Ruleset, Told
from domain.seats import checked_names
from domain.turns import CORE_EVOLVE, Table, Turn

KEEPER = "keeper"
Answer = Literal["higher", "lower", "correct"]


class GuessingOptions(Options):
    """The rules options: numbers go from 1 to `highest`; after `rounds` rounds the keeper wins."""

    highest: int = Field(default=20, ge=2, le=1000)
    rounds: int = Field(default=3, ge=1, le=50)
    max_attempts: int = Field(default=3, ge=1, le=20)


class NumberHidden(Event, name="guessing.number-hidden.v1"):
    """The number to be guessed. Only the keeper sees it."""

    number: int

    example = {
        "number": 7,
    }


class HintGiven(Event, name="guessing.hint-given.v1", by=seat(KEEPER)):
    """The keeper's words before a round, for all to hear. They hold no number."""

    text: str

    example = {
        "text": "Warm, but not as warm as you think.",
    }


class GuessMade(Event, name="guessing.guess-made.v1", by=named_in("player")):
    """A guess and what it was answered, for all to see; `number` is None where the player said none."""

    player: str
    number: int | None
    answer: Answer | None

    example = {
        "player": "Ada",
        "number": 9,
        "answer": "lower",
    }


class GuessingEnded(Event, name="guessing.ended.v1"):
    """Who won, and the number."""

    winner: str
    number: int

    example = {
        "winner": "Ada",
        "number": 7,
    }


@dataclass(frozen=True)
class GuessingState(Table):
    """A game of guessing; `number` is None for whoever has not been told."""

    options: GuessingOptions = field(default_factory=GuessingOptions)
    number: int | None = None
    guesses: tuple[GuessMade, ...] = ()
    hints: int = 0

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(seat for seat in self.seats if seat != KEEPER)


Game = Deciding[GuessingState]


def seats_for(names: Sequence[str]) -> tuple[str, ...]:
    return (KEEPER, *checked_names(names, (KEEPER,)))


def open_game(game: Game, command: commands.Open) -> None:
    if len(command.seats) < 2 or command.seats[0] != KEEPER:
        raise SetupRefused("Guessing needs a keeper and at least one player.")
    options = game.ruleset.checked_options(command.options)
    game.emit(GameOpened(ruleset="guessing", seats=command.seats, options=options.model_dump()))
    game.emit(SeatsFilled(agents=dict(command.agents), seed=command.seed))
    game.emit(NumberHidden(number=generator(command.seed, "number").randint(1, options.highest)))


def read(state: GuessingState, seat: str, turn: Turn | None, text: str) -> Sequence[str]:
    if turn is None:
        raise Refused("Nobody asks you now; wait for your turn.")
    if turn.kind == "hint":
        if any(char.isnumeric() for char in text) or not text.strip():
            raise Refused("A hint has words and no number; say it otherwise.")
        return [text]
    numbers = named(text, turn.choices)
    if len(numbers) != 1:
        raise Refused(f"Name exactly one number from 1 to {state.options.highest}.")
    return numbers


def apply(game: Game, seat: str, turn: Turn | None, move: str) -> None:
    assert turn is not None
    game.accept(turn, "", None if turn.kind == "hint" else move)
    if turn.kind == "hint":
        game.emit(HintGiven(text=move))
    else:
        number = game.state.number or 0
        guess = int(move)
        answer: Answer = "correct" if guess == number else "higher" if guess < number else "lower"
        game.emit(GuessMade(player=seat, number=guess, answer=answer))


def fallback(game: Game, turn: Turn, reason: Failure) -> None:
    game.fall_back(turn, reason)
    said = HintGiven(text="The keeper is silent.") if turn.kind == "hint" else None
    game.emit(said or GuessMade(player=turn.seat, number=None, answer=None))


def advance(game: Game) -> None:
    state = game.state
    if state.turns:
        return
    options, players = state.options, state.players
    last = state.guesses[-1] if state.guesses else None
    if last is not None and last.answer == "correct":
        game.emit(GuessingEnded(winner=last.player, number=state.number or 0))
    elif len(state.guesses) >= options.rounds * len(players):
        game.emit(GuessingEnded(winner=KEEPER, number=state.number or 0))
    elif state.hints * len(players) <= len(state.guesses):
        game.ask(KEEPER, "hint", attempts=options.max_attempts)
    else:
        numbers = [str(number) for number in range(1, options.highest + 1)]
        game.ask(players[len(state.guesses) % len(players)], "guess", numbers, attempts=options.max_attempts)


def request(state: GuessingState, turn: Turn) -> Request:
    told = [f"{guess.player} guessed {guess.number}: {guess.answer}." for guess in state.guesses if guess.answer]
    if turn.kind == "hint":
        return Request((f"The number is {state.number}.", *told), "Give a hint without a number.")
    return Request(tuple(told), f"Guess the number, 1 to {state.options.highest}.")


def tell(event: Event, seat: str | None) -> Told | None:
    match event:
        case NumberHidden():
            return Told(f"The number is {event.number}.")
        case HintGiven():
            return Told("The keeper says:", event.text)
        case GuessMade():
            return Told(f"{event.player} guesses {event.number}: {event.answer}.")
        case GuessingEnded():
            return Told(f"The number was {event.number}. The winner is {event.winner}.")
    return None


def facts(event: Event) -> frozenset[Fact]:
    match event:
        case NumberHidden() | GuessingEnded():
            return frozenset({("number", "", str(event.number))})
    return frozenset()


def play(view: Any, turn: Turn, random: random_module.Random) -> str:
    """The house player: halves what is left; as the keeper it talks about the weather."""
    if turn.kind == "hint":
        return random.choice(("It is a good number.", "I have seen larger ones.", "You will kick yourselves."))
    low, high = 1, int(turn.choices[-1])
    for guess in view.state.guesses:
        if guess.answer == "higher":
            low = max(low, guess.number + 1)
        elif guess.answer == "lower":
            high = min(high, guess.number - 1)
    return str(random.choice(range(low, high + 1)) if random.random() < 0.3 else (low + high) // 2)


AGENTS = AgentExtras(house=play)

GUESSING: Ruleset[GuessingState] = Ruleset(
    name="guessing",
    options=GuessingOptions,
    events=(NumberHidden, HintGiven, GuessMade, GuessingEnded),
    initial=GuessingState(),
    evolvers={
        **CORE_EVOLVE,
        GameOpened: lambda state, event: state.but(
            seats=event.seats, options=GuessingOptions.model_validate(event.options)
        ),
        NumberHidden: lambda state, event: state.but(number=event.number),
        HintGiven: lambda state, event: state.but(hints=state.hints + 1),
        GuessMade: lambda state, event: state.but(guesses=(*state.guesses, event)),
        GuessingEnded: lambda state, event: state.but(over=True, winner=event.winner, number=event.number),
    },
    audiences={
        **CORE_AUDIENCE,
        HoldPlaced: lambda state, event: NOBODY,
        HoldLifted: lambda state, event: NOBODY,
        NumberHidden: lambda state, event: only(KEEPER),
        HintGiven: lambda state, event: EVERYONE,
        GuessMade: lambda state, event: EVERYONE,
        GuessingEnded: lambda state, event: EVERYONE,
    },
    seats_for=seats_for,
    open=open_game,
    read=read,
    apply=apply,
    fallback=fallback,
    advance=advance,
    wakes_at=lambda state: None,
    request=request,
    tell=tell,
    facts=facts,
    mentions=lambda fact, text: bool(named(text, [fact[2]])),
    phase=lambda state: "over" if state.over else f"round {state.hints}",
    rulebook="# Guessing\n\nThe keeper knows a number. Guess it: every guess is answered by higher, lower or correct.",
)
