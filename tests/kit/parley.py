"""Parley: a tiny ruleset that needs what Mafia does not.

A host leads and guests talk. One reply can contain several messages, one per line; each is accepted or refused
separately. A guest can speak unasked. The host has no fallback: when the host's attempts run out, the game is put on
hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sottovoce.domain import commands
from sottovoce.domain.audience import EVERYONE, only
from sottovoce.domain.errors import Refused, SetupRefused
from sottovoce.domain.events import Event, Failure, GameOpened, HoldLifted, HoldPlaced
from sottovoce.domain.game import Game, withdraw_and_hold
from sottovoce.domain.piece import says
from sottovoce.domain.ruleset import CORE_AUDIENCE, Options, Ruleset
from sottovoce.domain.turns import CORE_EVOLVE, Request, Table, Turn

HOST = "host"


class ParleyOptions(Options):
    attempts: int = 2


class WordSaid(Event, name="parley.word-said.v1"):
    """A message, to all or to one seat."""

    seat: str
    to: str | None
    text: str

    example = {
        "seat": "ann",
        "to": None,
        "text": "Good evening.",
    }
    tell = says("{seat:name} says:", silent="{seat:name} says nothing.")


class ParleyEnded(Event, name="parley.ended.v1"):
    """The host closed the parley."""


class ParleyState(Table, frozen=True):
    rounds: int = 0
    words: int = 0
    spoke: bool = False


def _said(state: ParleyState, event: WordSaid) -> ParleyState:
    return state.but(words=state.words + 1, spoke=event.seat == HOST or state.spoke)


def _ended(state: ParleyState, event: ParleyEnded) -> ParleyState:
    return state.but(over=True)


def _opened(state: ParleyState, event: GameOpened) -> ParleyState:
    return state.but(seats=event.seats)


def seats_for(names: Sequence[str]) -> tuple[str, ...]:
    return (HOST, *names)


def open_game(game: Game[ParleyState], command: commands.Open) -> None:
    if HOST not in command.seats:
        raise SetupRefused("A parley needs a host.")
    options = game.ruleset.checked_options(command.options)
    game.emit(GameOpened(ruleset="parley", seats=command.seats, options=options.model_dump()))


def read(state: ParleyState, seat: str, turn: Turn | None, text: str) -> Sequence[tuple[str | None, str]]:
    """Parse one move per line: `to NAME: words`, or words for all."""
    moves = []
    for line in text.splitlines():
        to, colon, words = line.partition(":")
        private = colon and to.startswith("to ")
        moves.append((to.removeprefix("to ").strip(), words.strip()) if private else (None, line.strip()))
    if not moves:
        raise Refused("Say something.")
    return moves


def apply(game: Game[ParleyState], seat: str, turn: Turn | None, move: tuple[str | None, str]) -> None:
    to, text = move
    game.emit(WordSaid(seat=seat, to=to, text=text))
    if to is not None and to not in game.state.seats:
        raise Refused(f"There is no seat {to!r}.")
    if text == "forbidden":
        raise Refused("That word is forbidden.")
    if turn is not None and to is None:
        game.accept(turn, "")
    if seat == HOST and text == "farewell":
        game.emit(ParleyEnded())


def fallback(game: Game[ParleyState], turn: Turn, reason: Failure) -> None:
    if turn.seat == HOST:
        withdraw_and_hold(game, turn, "The host's attempts ran out.")
    else:
        game.fall_back(turn, reason)


def advance(game: Game[ParleyState]) -> None:
    if not game.state.turns and not game.state.over:
        for seat in game.state.seats:
            game.ask(seat, "speak", attempts=2)


def everyone(state: ParleyState, event: Any) -> Any:
    return EVERYONE


def said_to(state: ParleyState, event: WordSaid) -> Any:
    return EVERYONE if event.to is None else only(event.seat, event.to)


PARLEY: Ruleset[ParleyState] = Ruleset(
    name="parley",
    options=ParleyOptions,
    events=(WordSaid, ParleyEnded),
    initial=ParleyState(),
    evolvers={**CORE_EVOLVE, GameOpened: _opened, WordSaid: _said, ParleyEnded: _ended},
    audiences={
        **CORE_AUDIENCE,
        HoldPlaced: everyone,
        HoldLifted: everyone,
        WordSaid: said_to,
        ParleyEnded: everyone,
    },
    seats_for=seats_for,
    open=open_game,
    read=read,
    apply=apply,
    fallback=fallback,
    advance=advance,
    wakes_at=lambda state: None,
    request=lambda state, turn: Request((), "Speak."),
    facts=lambda event: frozenset(),
    mentions=lambda fact, text: False,
    phase=lambda state: "talk",
    rulebook="Talk.",
)
