"""Deal the cards again that one seat can't see: a default plan for every game with dealt cards.

The seat's own hand stays the same, and so does every card whose place the seat knows. All other cards are shuffled, in
the hands and in the rest of the deck, and everyone repeats what they said in the first game. The seat learns of a card
from the `facts` of an event that it sees, and from another seat's reply that names a card of its hand.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any
from unittest import mock

from sottovoce.domain.draws import Hands
from sottovoce.domain.events import Closing, FallbackApplied, Recorded, ReplyAccepted
from sottovoce.domain.game import Game
from sottovoce.domain.spellings import named
from sottovoce.isolation.craft import Deal, Plan, Played
from sottovoce.isolation.draws import generator
from sottovoce.isolation.system import System

MOST = 4
"""How often a game is dealt again for one seat."""
PARTS = (0.8, 0.4, 0.0)
"""Games are compared up to the last moment at which this share of a deck's hidden part is still hidden."""
SHUFFLES = 20
"""How often to shuffle until the cards differ from the first game."""


class Unfit(Exception):
    """The cards of the second game can't match what the seat knows about them."""


@contextmanager
def noted(log: Sequence[Recorded]) -> Iterator[list[Deal]]:
    """Inside this block, record the deals of the game with this log."""
    deals: list[Deal] = []
    real = Game.deal

    def deal(game: Game, deck: Sequence[Any], seats: Sequence[str], *purpose: object, **each: Any) -> Hands[Any]:
        hands = real(game, deck, seats, *purpose, **each)
        deals.append(Deal(len(log) + len(game.drafts), tuple(map(str, purpose)), hands))
        return hands

    with mock.patch.object(Game, "deal", deal):
        yield deals


def plans(system: System, base: Played, seat: str, rng: random.Random) -> Iterator[Plan]:
    """Yield games in which others hold other cards: for each deck, some up to a moment when much of it is still
    hidden, and some up to the last moment at which any card can differ."""
    table = _Table(system, base, seat)
    cuts = table.cuts()
    for until in rng.sample(cuts, min(len(cuts), MOST)):
        dealt = (deal for deal in base.deals if deal.position < table.end(until))
        purposes = dict.fromkeys(deal.purpose[0] if deal.purpose else "nothing" for deal in dealt)
        yield Plan(
            seat,
            until,
            f"other cards, dealt for {', '.join(purposes)}",
            throughout=partial(redealt, base.deals, table.held(until), rng.getrandbits(32)),
            faithful=True,
        )


@contextmanager
def dealt_as(purpose: str, hands: Mapping[str, Sequence[Any]]) -> Iterator[None]:
    """Inside this block, deal these hands for that purpose: a plan's `opening`."""
    real = Game.deal

    def deal(game: Game, deck: Sequence[Any], seats: Sequence[str], *words: object, **each: Any) -> Hands[Any]:
        drawn = real(game, deck, seats, *words, **each)
        if words != (purpose,):
            return drawn
        rest = list(deck)
        dealt = [card for seat in seats for card in hands[seat]]
        for card in dealt:
            rest.remove(card)
        return Hands(tuple(seats), len(dealt) // len(seats), [*rest, *dealt])

    with mock.patch.object(Game, "deal", deal):
        yield


@contextmanager
def redealt(deals: Sequence[Deal], held: Sequence[set[int]], seed: int) -> Iterator[None]:
    """Inside this block, deal the `held` cards as in those deals, and the others at random."""
    real = Game.deal
    first: dict[tuple[tuple[str, ...], int], tuple[Deal, set[int]]] = {}
    times: Counter[tuple[str, ...]] = Counter()
    for before, slots in zip(deals, held, strict=True):
        first[before.purpose, times[before.purpose]] = before, slots
        times[before.purpose] += 1
    again: Counter[tuple[str, ...]] = Counter()

    def deal(game: Game, deck: Sequence[Any], seats: Sequence[str], *purpose: object, **each: Any) -> Hands[Any]:
        hands = real(game, deck, seats, *purpose, **each)
        words = tuple(map(str, purpose))
        before, slots = first.get((words, again[words]), (None, set()))
        again[words] += 1
        if before is None or {len(hand) for hand in before.hands.values()} != {len(hand) for hand in hands.values()}:
            return hands
        cards = _rearranged(before.hands.cards, slots, hands.cards, generator(seed, *words, again[words]))
        return Hands(tuple(seats), len(next(iter(hands.values()))), cards)

    with mock.patch.object(Game, "deal", deal):
        yield


def _rearranged(before: Sequence[Any], held: set[int], cards: Sequence[Any], rng: random.Random) -> list[Any]:
    """Return the cards with the held ones in their old places."""
    left = list(cards)
    for slot in held:
        if len(cards) != len(before) or before[slot] not in left:
            raise Unfit("the second game has not the cards that the seat knows of")
        left.remove(before[slot])
    found = list(cards)
    for _ in range(SHUFFLES):
        rng.shuffle(left)
        falling = iter(left)
        found = [before[slot] if slot in held else next(falling) for slot in range(len(cards))]
        if found != list(before):
            break
    return found


Slot = tuple[int, int]
"""A slot of a deal: which deal, and which of its cards by position."""


class _Table:
    """What one seat learns about the cards of a game, event by event."""

    def __init__(self, system: System, base: Played, seat: str) -> None:
        self.base, self.seat = base, seat
        self.cards = [[str(card) for card in deal.hands.cards] for deal in base.deals]
        self.owners = [
            [*[""] * len(deal.hands.rest), *(seat for seat, hand in deal.hands.items() for _ in hand)]
            for deal in base.deals
        ]
        self.facts = [system.ruleset.facts(item.event) for item in base.log]
        self.ends = [place + 1 for place, sees in enumerate(base.may_see(seat)) if sees]
        """The length of the log at each length of the seat's view."""

    def end(self, until: int) -> int:
        """Return the length of the log at that length of the seat's view."""
        return self.ends[until - 1] if until else 0

    def cuts(self) -> list[int]:
        """Return the lengths of the seat's view up to which games are compared: for each deck, the longest at which
        this share of it can differ."""
        moments = self.moments()
        loose = {until: self.loose(until) for until in moments}
        found: set[int] = set()
        for deck in {*self.decks}:
            free = {until: share[deck] for until, share in loose.items() if deck in share}
            most = max(free.values(), default=0)
            found.update(max(until for until in free if free[until] >= most * part) for part in PARTS if free)
        return sorted(found)

    def moments(self) -> list[int]:
        """Return lengths of the seat's view: before each card it learns about, and before the game's end."""
        hushed = (*self.base.craft.shows,)
        last = next(
            (
                seq
                for seq, end in enumerate(self.ends)
                if isinstance(self.base.log[end - 1].event, Closing) or self.base.log[end - 1].name in hushed
            ),
            len(self.ends),
        )
        return sorted({last, *(min(last, bisect_right(self.ends, place)) for place, _ in self.shown)})

    def held(self, until: int) -> list[set[int]]:
        """Return for each deal the slots whose cards the seat knows by then."""
        held: list[set[int]] = [set() for _ in self.base.deals]
        for place, slots in (*self.own, *self.shown):
            for deal, slot in slots if place < self.end(until) else ():
                held[deal].add(slot)
        return held

    def loose(self, until: int) -> dict[int, int]:
        """Return for each deck how many cards the seat does not know by then, if they can change places."""
        found: Counter[int] = Counter()
        for number, held in enumerate(self.held(until)):
            if self.base.deals[number].position >= self.end(until):
                break
            free = [slot for slot in range(len(self.cards[number])) if slot not in held]
            owners, cards = ({of[number][slot] for slot in free} for of in (self.owners, self.cards))
            if len(owners) > 1 and len(cards) > 1:
                found[self.decks[number]] += len(free)
        return found

    @cached_property
    def own(self) -> list[tuple[int, set[Slot]]]:
        """Return the seat's own cards, each with the time of its deal, and their slots."""
        return [
            (deal.position, self.lying(deal.position + 1, self.seat, card))
            for number, deal in enumerate(self.base.deals)
            for card, owner in zip(self.cards[number], self.owners[number], strict=True)
            if owner == self.seat
        ]

    @cached_property
    def shown(self) -> list[tuple[int, set[Slot]]]:
        """Return the slots of others that the seat knows, each with the position in the log since when."""
        known: set[Slot] = set()
        found, own = [], list(self.own)
        for place, slots in sorted((*self.stated(), *self.replied()), key=lambda told: told[0]):
            while own and own[0][0] <= place:
                known |= own.pop(0)[1]
            if slots - known:
                found.append((place, slots - known))
            known |= slots
        return found

    def stated(self) -> Iterator[tuple[int, set[Slot]]]:
        """Return the facts in the events that the seat sees: where a card is, or a whole hand."""
        everything = {card for cards in self.cards for card in cards}
        of_hands = {
            fact[0]
            for facts, audience in zip(self.facts, self.base.audiences, strict=True)
            if audience is not None
            for fact in facts
            if everything.intersection(fact[1:])
        }
        for end in self.ends:
            for kind, *parts in self.facts[end - 1]:
                owners = [seat for seat in self.base.seats if seat in parts]
                cards = everything.intersection(parts)
                for owner in owners or (None,):
                    for card in cards:
                        yield end - 1, self.lying(end, owner, card)
                    if owner and not cards and kind in of_hands:
                        yield end - 1, self.hand(end, owner)

    def replied(self) -> Iterator[tuple[int, set[Slot]]]:
        """Return the cards that others choose, or name from their own hands, in their answers or fallbacks."""
        everything = {card for cards in self.cards for card in cards}
        for place, item in enumerate(self.base.log):
            event = item.event
            if not isinstance(event, ReplyAccepted | FallbackApplied) or event.seat == self.seat:
                continue
            how = self.base.resolved[event.seat, event.turn]
            mine = {self.cards[deal][slot] for deal, slot in self.hand(place + 1, event.seat)}
            said = " / ".join(filter(None, (how.choice, how.text)))
            for card in {*named(said, mine), *(everything & {how.choice})}:
                yield place, self.lying(place + 1, event.seat, card)

    def lying(self, end: int, owner: str | None, card: str) -> set[Slot]:
        """Return where the card was before that position in the log: in its owner's hand, otherwise wherever there is
        such a card.

        If a deck was dealt from more than once, all slots count.
        """
        found: set[Slot] = set()
        for deals in self.latest(end, lambda number: card in self.cards[number]):
            for number in deals:
                equal = {(number, slot) for slot, other in enumerate(self.cards[number]) if other == card}
                owned = {slot for slot in equal if self.owners[number][slot[1]] == owner}
                found |= owned if owned and len(deals) == 1 else equal
        return found

    def hand(self, end: int, owner: str) -> set[Slot]:
        """Return the whole hand dealt to the seat, and the slots of its cards."""
        found: set[Slot] = set()
        for deals in self.latest(end, lambda number: owner in self.owners[number]):
            for card in {card for number in deals for card in self.base.deals[number].hands[owner]}:
                found |= self.lying(end, owner, str(card))
        return found

    def latest(self, end: int, wanted: Callable[[int], bool]) -> list[list[int]]:
        """Return the wanted deals before that position in the log: for each kind of deck, those since the latest."""
        found: dict[str, list[int]] = {}
        for number, deal in enumerate(self.base.deals):
            if deal.position < end and wanted(number):
                deck = self.decks[number]
                kind = " ".join(self.base.deals[deck].purpose[:1])
                same = kind in found and self.decks[found[kind][0]] == deck
                found[kind] = [*found[kind], number] if same else [number]
        return list(found.values())

    @cached_property
    def decks(self) -> list[int]:
        """Return for each deal the first deal from its deck: itself, unless it deals another one's rest."""
        decks: list[int] = []
        for number, cards in enumerate(self.cards):
            earlier = (before for before in range(number - 1, -1, -1) if self.covers(before, cards))
            decks.append(next((decks[before] for before in earlier), number))
        return decks

    def covers(self, number: int, cards: Sequence[str]) -> bool:
        """Return whether a deal left these cards over."""
        return Counter(cards) <= Counter(map(str, self.base.deals[number].hands.rest))
