"""Tricks: a small card game, as someone would write it in a separate package. Its craft has no plan.

Three or four players are dealt hands. A card of the rest is turned up, and its suit is trumps. They play a card each,
following suit if they can. The winner of a trick draws a card from the stock. There are several rounds, each with its
own deck. At the end of a round, unplayed cards are shown.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from sottovoce import (
    Answer,
    Closing,
    Event,
    Field,
    Game,
    Players,
    Ruleset,
    Table,
    Turn,
    TurnOptions,
    changes_nothing,
    everyone,
    fact,
    line,
    named_in,
    nobody,
    sets,
)  # fmt: skip
from sottovoce.isolation import Craft

SUITS = "CDHS"
RANKS = "23456789"
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)


class TricksOptions(TurnOptions):
    """How many rounds are played, and with how many cards in a hand."""

    rounds: int = Field(default=2, ge=1, le=5)
    hand: int = Field(default=4, ge=1, le=6)


class State(Table, frozen=True):
    """A game of tricks. `hands` and `stock` contain what the viewer has been told."""

    options: TricksOptions = TricksOptions()
    round: int = 0
    hands: Mapping[str, tuple[str, ...]] = {}
    stock: tuple[str, ...] = ()
    trumps: str = ""
    leader: str = ""
    table: tuple[CardPlayed, ...] = ()
    tricks: tuple[TrickWon, ...] = ()
    done: int = 0

    def legal(self, seat: str) -> tuple[str, ...]:
        hand = self.hands.get(seat, ())
        suit = self.table[0].card[1] if self.table else ""
        return tuple(card for card in hand if card[1] == suit) or hand

    def order(self) -> tuple[str, ...]:
        at = self.seats.index(self.leader)
        return (*self.seats[at:], *self.seats[:at])

    def best(self) -> CardPlayed:
        suits = (self.table[0].card[1], self.trumps)
        return max(self.table, key=lambda it: (it.card[1] in suits, it.card[1] == self.trumps, it.card[0]))


class RoundBegun(Event[State], name="tricks.round-begun.v1", seen_by=everyone):
    """A round starts, with the player who leads its first trick."""

    round: int
    leader: str

    example = {"round": 1, "leader": "Ada"}
    tell = line("{leader:name} leads.", chapter="Round {round}")

    def fold(self, state: State) -> State:
        return state.but(round=self.round, leader=self.leader, hands={}, stock=(), table=(), done=0)


class HandDealt(Event[State], name="tricks.hand-dealt.v1", seen_by=named_in("player")):
    """The cards that a player was dealt."""

    player: str
    cards: tuple[str, ...]

    example = {"player": "Ada", "cards": ("7C", "8H")}
    tell = line("You hold {cards:names}.", kind="card")
    facts = fact("card", "player", "cards")

    def fold(self, state: State) -> State:
        return state.but(hands={**state.hands, self.player: (*state.hands.get(self.player, ()), *self.cards)})


class StockPlaced(Event[State], name="tricks.stock-laid.v1", seen_by=nobody):
    """What is left of the deck."""

    stock: tuple[str, ...]

    example = {"stock": ("2C",)}
    fold = sets("stock")
    tell = line("The stock: {stock:names}.")
    facts = fact("stock", "stock")


class TrumpTurned(Event[State], name="tricks.trump-turned.v1", seen_by=everyone):
    """The turned-up card that names trumps."""

    card: str

    example = {"card": "9S"}
    tell = line("{card} is turned up.")
    facts = fact("turned", "card")

    def fold(self, state: State) -> State:
        return state.but(trumps=self.card[1])


class CardPlayed(Event[State], name="tricks.card-played.v1", seen_by=everyone, by=named_in("player")):
    """A card on the table."""

    player: str
    card: str

    example = {"player": "Ada", "card": "7C"}
    tell = line("{player:name} plays {card}.")

    def fold(self, state: State) -> State:
        hand = tuple(card for card in state.hands.get(self.player, ()) if card != self.card)
        return state.but(table=(*state.table, self), hands={**state.hands, self.player: hand})


class SuitDenied(Event[State], name="tricks.suit-denied.v1", seen_by=everyone):
    """A player had no card of the suit led, as the played card shows. It reveals nothing else about the hand."""

    player: str
    suit: str

    example = {"player": "Ada", "suit": "D"}
    fold = changes_nothing
    tell = line("{player:name} has no {suit}.")
    facts = fact("card", "player", "suit")


class TrickWon(Event[State], name="tricks.trick-won.v1", seen_by=everyone):
    """A player takes a trick."""

    player: str

    example = {"player": "Ada"}
    tell = line("{player:name} takes the trick.")

    def fold(self, state: State) -> State:
        return state.but(tricks=(*state.tricks, self), leader=self.player, table=(), done=state.done + 1)


class HandShown(Event[State], name="tricks.hand-shown.v1", seen_by=everyone):
    """What a player still has in hand at the end of a round."""

    player: str
    cards: tuple[str, ...]

    example = {"player": "Ada", "cards": ("7C",)}
    tell = line("{player:name} shows {cards:names}.")
    facts = fact("card", "player", "cards")

    def fold(self, state: State) -> State:
        return state.but(hands={seat: hand for seat, hand in state.hands.items() if seat != self.player})


class BonusDrawn(Event[State], name="tricks.bonus-drawn.v1", seen_by=nobody):
    """A suit that counts double; only in a variant, which draws it in secret."""

    suit: str

    example = {"suit": "D"}
    fold = changes_nothing
    tell = line("{suit} counts double.")
    facts = fact("bonus", "suit")


class TricksEnded(Closing[State], name="tricks.ended.v1", seen_by=everyone):
    """The player with the most tricks; if several, the first in seating order."""

    example = {"winner": "Ada"}
    tell = line("The winner: {winner:name}.", kind="ending")


class Play(Turn[State], kind="play"):
    """Play a card."""

    def answered(self, game: Game[State], answer: Answer) -> None:
        card = answer.choice or ""
        game.emit(CardPlayed(player=self.seat, card=card))
        led = game.state.table[0].card[1]
        if card[1] != led:
            game.emit(SuitDenied(player=self.seat, suit=led))


class Tricks(Ruleset[State]):
    """Follow suit where you can; the highest trump takes the trick, else the highest card of the suit led."""

    name = "tricks"
    options = TricksOptions
    seats = (Players(3, 4),)
    state = State()
    events: tuple[type[Event], ...] = (
        RoundBegun,
        HandDealt,
        StockPlaced,
        TrumpTurned,
        CardPlayed,
        SuitDenied,
        TrickWon,
        HandShown,
        TricksEnded,
    )
    turns = (Play,)

    def begin(self, game: Game[State], round_: int) -> None:
        """Deal a round."""
        seats = game.state.seats
        game.emit(RoundBegun(round=round_, leader=seats[round_ % len(seats)]))
        hands = game.deal(DECK, seats, "hands", round_, each=game.state.options.hand)
        for seat, cards in hands.items():
            game.emit(HandDealt(player=seat, cards=cards))
        game.emit(TrumpTurned(card=hands.rest[0]))
        game.emit(StockPlaced(stock=hands.rest[1:]))

    def deal(self, game: Game[State]) -> None:
        self.begin(game, 1)

    def advance(self, game: Game[State]) -> None:
        state = game.state
        if len(state.table) == len(state.seats):
            game.emit(TrickWon(player=state.best().player))
            if state.stock and state.done < state.options.hand - 1:
                drawn = game.deal(state.stock, (game.state.leader,), "draw", state.round, state.done, each=1)
                game.emit(HandDealt(player=game.state.leader, cards=drawn[game.state.leader]))
                game.emit(StockPlaced(stock=drawn.rest))
        elif state.done < state.options.hand:
            seat = state.order()[len(state.table)]
            game.ask(seat, Play, state.legal(seat))
        elif any(state.hands.get(seat) for seat in state.seats):
            for seat in state.seats:
                if state.hands.get(seat):
                    game.emit(HandShown(player=seat, cards=state.hands[seat]))
        elif state.round < state.options.rounds:
            self.begin(game, state.round + 1)
        else:
            taken = [trick.player for trick in state.tricks]
            game.emit(TricksEnded(winner=max(state.seats, key=taken.count)))

    def known(self, state: State, seat: str) -> Iterable[str]:
        yield f"You hold {', '.join(state.hands.get(seat, ()))}."

    def phase(self, state: State) -> str:
        return f"round {state.round}"


class TricksCraft(Craft):
    """The kit's knowledge of tricks: no plan."""

    name = "tricks"
    public = tuple(
        f"tricks.{event}.v1"
        for event in ("round-begun", "trump-turned", "card-played", "suit-denied", "trick-won", "hand-shown", "ended")
    )
    seen_by = {"tricks.hand-dealt.v1": lambda event: {event.player}}

    def setup(self, rng: random.Random) -> tuple[tuple[str, ...], dict[str, Any]]:
        seats = tuple(rng.sample(("Ann", "Ann Lee", "7C", "Zoë", "[GAME]"), rng.choice((3, 4))))
        return seats, {"rounds": rng.choice((1, 2, 3)), "hand": rng.randint(2, 5), "max_attempts": rng.randint(1, 3)}


TRICKS = Tricks()
