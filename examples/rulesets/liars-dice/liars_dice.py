"""Liar's dice: two to eight players roll dice that only they see, and bid on the dice of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Literal

from sottovoce import (
    Among, Chair, Closing, Event, Field, Fields, Game, GameOpened, Piece, Players, Refused, Ruleset, Table,
    Turn, TurnOptions, Words, everyone, fact, line, named_in, opening,
)  # fmt: skip

FACES = range(1, 7)
NAMES = ("one", "two", "three", "four", "five", "six")


def in_words(count: int | None, face: int | None) -> str:
    """A bid such as `3 fives`."""
    ending = "" if count == 1 else "es" if face == 6 else "s"
    return f"{count} {NAMES[(face or 1) - 1]}{ending}"


class DiceOptions(TurnOptions):
    """How many dice each player begins with."""

    dice: int = Field(default=5, ge=1, le=10, description="dice that each player begins with")


class State(Table, frozen=True):
    """A game of liar's dice. `left` is how many dice each player has, `dice` those that the reader has been told of."""

    options: DiceOptions = DiceOptions()
    round: int = 0
    starter: str = ""
    left: Mapping[str, int] = {}
    dice: Mapping[str, tuple[int, ...]] = {}
    bids: tuple[BidMade, ...] = ()
    doubter: str = ""
    judged: bool = True

    @property
    def players(self) -> tuple[str, ...]:
        """Those who have dice, in their order."""
        return tuple(seat for seat in self.seats if self.left.get(seat))

    @property
    def total(self) -> int:
        return sum(self.left.values())

    @property
    def next(self) -> str:
        """The player who bids or doubts now."""
        return self.after(self.bids[-1].player) if self.bids else self.starter

    def after(self, player: str) -> str:
        """The next player who has dice."""
        at = self.seats.index(player) + 1
        return next(seat for seat in (*self.seats[at:], *self.seats[:at]) if self.left.get(seat))


class RoundBegun(Event[State], name="liars-dice.round-begun.v1", seen_by=everyone):
    """A round: who bids first, and how many dice everybody has."""

    round: int
    starter: str
    left: dict[str, int]

    example = {"round": 2, "starter": "Ada", "left": {"Ada": 5, "Bram": 4}}
    tell = line("{starter:name} bids first. Dice on the table: {total}.", chapter="Round {round}")

    @property
    def total(self) -> int:
        return sum(self.left.values())

    def fold(self, state: State) -> State:
        told = {"round": self.round, "starter": self.starter, "left": self.left}
        return state.but(**told, dice={}, bids=(), doubter="", judged=False)


class DiceRolled(Event[State], name="liars-dice.dice-rolled.v1", seen_by=named_in("player")):
    """What a player rolled."""

    player: str
    dice: tuple[int, ...]

    example = {"player": "Ada", "dice": (2, 5, 5)}
    facts = fact("dice", "player", "dice")

    def tell(self, chair: Chair) -> Piece:
        return Piece(f"You rolled {', '.join(map(str, self.dice))}.", "card", private="only you")

    def fold(self, state: State) -> State:
        return state.but(dice={**state.dice, self.player: self.dice})


class BidMade(Event[State], name="liars-dice.bid-made.v1", seen_by=everyone, by=named_in("player")):
    """A bid: that at least so many of all dice show that face."""

    player: str
    count: int
    face: int
    text: str = ""

    example = {"player": "Ada", "count": 3, "face": 5, "text": "Easily."}
    tell = line("{player:name} bids {bid}.", words="text")

    @property
    def bid(self) -> str:
        return in_words(self.count, self.face)

    def fold(self, state: State) -> State:
        return state.but(bids=(*state.bids, self))


class BidDoubted(Event[State], name="liars-dice.bid-doubted.v1", seen_by=everyone, by=named_in("doubter")):
    """The last bid is doubted."""

    doubter: str
    player: str
    text: str = ""

    example = {"doubter": "Bram", "player": "Ada", "text": "Never."}
    tell = line("{doubter:name} doubts the bid of {player:name}.", words="text")

    def fold(self, state: State) -> State:
        return state.but(doubter=self.doubter)


class DiceShown(Event[State], name="liars-dice.dice-shown.v1", seen_by=everyone):
    """What a player had rolled."""

    player: str
    dice: tuple[int, ...]

    example = {"player": "Ada", "dice": (2, 5, 5)}
    facts = fact("dice", "player", "dice")
    tell = line("{player:name} shows {shown}.")

    @property
    def shown(self) -> str:
        return ", ".join(map(str, self.dice))

    def fold(self, state: State) -> State:
        return state.but(dice={**state.dice, self.player: self.dice})


class BidJudged(Event[State], name="liars-dice.bid-judged.v1", seen_by=everyone):
    """How many dice show the face, who loses a die, and how many that player has left."""

    found: int
    face: int
    loser: str
    left: int

    example = {"found": 2, "face": 5, "loser": "Ada", "left": 4}
    tell = line("The dice show {dice}. {loser:name} loses a die and has {left} left.", weight=2)

    @property
    def dice(self) -> str:
        return in_words(self.found, self.face)

    def fold(self, state: State) -> State:
        return state.but(left={**state.left, self.loser: self.left}, starter=self.loser, judged=True)


class DiceEnded(Closing[State], name="liars-dice.ended.v1", seen_by=everyone):
    """The last player who has dice."""

    example = {"winner": "Ada"}
    tell = line("{winner:name} has the last dice and wins.", kind="ending")


class Call(Fields):
    """A bid, or a doubt of the last bid."""

    call: Literal["bid", "doubt"] = "bid"
    count: int | None = Field(default=None, description="how many dice, if you bid")
    face: int | None = Field(default=None, description="which face, if you bid")
    words: Words = Field(default="", description="what you say to the table")

    def __str__(self) -> str:
        return "doubt" if self.call == "doubt" else in_words(self.count, self.face)


class MakeCall(Turn[State, Call], kind="call"):
    """Bid how many of all dice show a face, such as 3 fives, or doubt the last bid."""

    aliases = {"liar": "doubt", "challenge": "doubt"}

    def context(self, state: State) -> Iterable[str]:
        yield f"The last bid: {state.bids[-1].player}, {state.bids[-1].bid}." if state.bids else "There is no bid yet."

    def how(self, state: State) -> str:
        return "Write 3 fives, or 3 5, or doubt."

    def among(self, state: State) -> Among:
        calls = ("bid", "doubt") if state.bids else ("bid",)
        return {"call": calls, "count": range(1, state.total + 1), "face": FACES}

    def check(self, state: State, answer: Call) -> None:
        bid, last = (answer.count, answer.face), state.bids[-1] if state.bids else None
        if answer.call == "doubt":
            if bid != (None, None):
                raise Refused("To doubt, leave out count and face.")
        elif answer.count is None or answer.face is None:
            raise Refused("A bid has a count and a face, such as 3 fives.")
        elif last is not None and (answer.count, answer.face) <= (last.count, last.face):
            raise Refused(f"Bid higher than {last.bid}: more dice, or as many of a higher face.")

    def answered(self, game: Game[State], answer: Call) -> None:
        if answer.call == "bid":
            bid = {"count": answer.count or 0, "face": answer.face or 0}
            game.emit(BidMade(player=self.seat, **bid, text=answer.words))
        else:
            game.emit(BidDoubted(doubter=self.seat, player=game.state.bids[-1].player, text=answer.words))


class LiarsDice(Ruleset[State]):
    """Everybody rolls dice and sees only their own. In turn, you bid that at least so many of all dice show a face.

    A bid must be higher than the last one: more dice, or as many of a higher face. Instead of a bid, you can doubt the
    last one. Then all dice are shown. If there are as many as the bid says, the doubter loses a die; if not, the bidder
    does. Whoever lost a die bids first in the next round. The last player who has dice wins."""

    name = "liars-dice"
    options = DiceOptions
    seats = (Players(2, 8, usual=4),)
    state = State()
    events = (RoundBegun, DiceRolled, BidMade, BidDoubted, DiceShown, BidJudged, DiceEnded)
    turns = (MakeCall,)

    def deal(self, game: Game[State]) -> None:
        self.begin(game, game.state.seats[0], dict.fromkeys(game.state.seats, game.state.options.dice))

    def begin(self, game: Game[State], starter: str, left: Mapping[str, int]) -> None:
        """Roll for everybody. Each die is a card of its own deck, so that all faces are equally likely."""
        game.emit(RoundBegun(round=game.state.round + 1, starter=starter, left=dict(left)))
        for seat in game.state.players:
            dice = (
                game.deal(FACES, (seat,), f"{seat}'s die {die}", game.state.round, each=1) for die in range(left[seat])
            )
            game.emit(DiceRolled(player=seat, dice=tuple(die[seat][0] for die in dice)))

    def advance(self, game: Game[State]) -> None:
        state = game.state
        if not state.judged and state.doubter:
            self.judge(game)
        elif not state.judged:
            game.ask(state.next, MakeCall)
        elif len(state.players) == 1:
            game.emit(DiceEnded(winner=state.players[0]))
        else:
            self.begin(game, state.starter if state.left[state.starter] else state.after(state.starter), state.left)

    def judge(self, game: Game[State]) -> None:
        """Show all dice, and take one from the bidder or from the doubter."""
        state, last = game.state, game.state.bids[-1]
        for seat in state.players:
            game.emit(DiceShown(player=seat, dice=state.dice[seat]))
        found = sum(dice.count(last.face) for dice in state.dice.values())
        loser = state.doubter if found >= last.count else last.player
        game.emit(BidJudged(found=found, face=last.face, loser=loser, left=state.left[loser] - 1))

    def known(self, state: State, seat: str) -> Iterable[str]:
        yield f"Your dice: {', '.join(map(str, state.dice.get(seat, ()))) or 'none'}."
        yield f"Dice on the table: {state.total} ({', '.join(f'{who} {state.left[who]}' for who in state.players)})."

    def opening(self, event: GameOpened, chair: Chair) -> Piece:
        return opening(event, chair, self.options, title="A game of liar's dice")

    def phase(self, state: State) -> str:
        return "over" if state.over else f"round {state.round}"


def play(view: Any, turn: Turn, random: Random) -> Call:
    """The house player: counts its own dice, expects the usual of the others, and bluffs now and then."""
    state = view.state
    own = state.dice.get(view.seat, ())
    others = state.total - len(own)
    likely = {face: own.count(face) + others / len(FACES) for face in FACES}
    last = state.bids[-1] if state.bids else None
    if last and last.count > likely[last.face] + random.uniform(0.4, 1.4):
        return Call(call="doubt")
    higher = [(call.count, call.face) for call in turn.legal(state) if call.call == "bid"]
    if not higher:
        return Call(call="doubt")
    boldness = random.uniform(-0.5, 0.5)
    count, face = max(higher, key=lambda bid: (bid[0] <= likely[bid[1]] + boldness, -bid[0], likely[bid[1]]))
    return Call(count=count, face=face)


LIARS_DICE = LiarsDice()
