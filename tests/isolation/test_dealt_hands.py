"""Hidden hands are dealt again without a plan, and a public event that depends on one is a leak."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from guests import GROUPS, seat_guest
from sizes import sized
from tricks import (
    DECK,
    SUITS,
    TRICKS,
    BonusDrawn,
    HandDealt,
    HandShown,
    State,
    Tricks,
    TricksCraft,
    TrickWon,
    TrumpTurned,
)

from sottovoce import Event, Game, Hands, Seed, generator
from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation import Craft, NoPlan, System, run
from sottovoce.isolation.games import play
from sottovoce.isolation.hands import plans
from sottovoce.isolation.redeal import resimulate

PAIRS = sized(1500, 40_000)
FIRST_GAMES = 3


@pytest.fixture(autouse=True, scope="module")
def _installed() -> Iterator[None]:
    """Install Tricks as if it were a package, so that its games can be served."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GROUPS["sottovoce.rulesets"], "tricks", TRICKS)
        yield


def test_no_seat_notices_what_others_hold() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", NoPlan)
        tally, finding = run(System(TRICKS), TricksCraft(), seed=1, pairs=PAIRS)
    assert finding is None, str(finding)
    assert tally.pairs["dealt"] > PAIRS // 5, "games are compared with others that were dealt otherwise"
    assert tally.pairs["served"] > 0
    assert tally.discarded.total() < tally.twins["dealt"] / 3, tally.discarded
    assert {*tally.varied} == {"card", "stock"}
    assert tally.unvaried == []


class LedByTheHighest(Tricks):
    """The player with the highest card leads."""

    def begin(self, game: Game[State], round_: int) -> None:
        super().begin(game, round_)
        holder = max(game.state.seats, key=lambda seat: max(game.state.hands[seat]))
        game.emit(TrickWon(player=holder))


class LedByTheHighestOfTheSecondRound(LedByTheHighest):
    """The same, except in the first round, in which all cards have been seen or may have been."""

    def begin(self, game: Game[State], round_: int) -> None:
        begin = LedByTheHighest.begin if round_ > 1 else Tricks.begin
        begin(self, game, round_)


class ChoicesByOthers(Tricks):
    """A card is not offered if another player has the next higher one."""

    def advance(self, game: Game[State]) -> None:
        ask = game.ask

        def narrowed(seat: str, kind: Any, choices: Any) -> None:
            others = {card for other, hand in game.state.hands.items() if other != seat for card in hand}
            ask(seat, kind, [card for card in choices if f"{int(card[0]) + 1}{card[1]}" not in others] or choices)

        game.ask = narrowed  # type: ignore[assignment, method-assign]
        super().advance(game)
        del game.ask


class TimeByOthers(Tricks):
    """The player with the turn gets more time while another has a trump."""

    def advance(self, game: Game[State]) -> None:
        ask, state = game.ask, game.state

        def timed(seat: str, kind: Any, choices: Any) -> None:
            held = any(card[1] == state.trumps for other in state.seats if other != seat for card in state.hands[other])
            ask(seat, kind, choices, seconds=60 if held else 30)

        game.ask = timed  # type: ignore[assignment, method-assign]
        super().advance(game)
        del game.ask


class TrickToTheLongestHand(Tricks):
    """A trick goes to the player with the best card, played or not."""

    def advance(self, game: Game[State]) -> None:
        state = game.state
        if len(state.table) == len(state.seats):
            best = max(
                (card[1] == state.trumps, card[0], seat) for seat in state.seats for card in (*state.hands[seat], "0X")
            )
            if best[1] != "0":
                game.emit(TrickWon(player=best[2]))
                return
        super().advance(game)


class EndedByHands(Tricks):
    """A round ends as soon as nobody has a trump any more."""

    def advance(self, game: Game[State]) -> None:
        state = game.state
        trumps = any(card[1] == state.trumps for hand in state.hands.values() for card in hand)
        if not state.table and not trumps and state.done < state.options.hand:
            game.state = state.but(done=state.options.hand)
        super().advance(game)


class TrumpsByTheStock(Tricks):
    """After each trick, the top card of the stock names trumps."""

    def advance(self, game: Game[State]) -> None:
        tricks = len(game.state.tricks)
        super().advance(game)
        if len(game.state.tricks) > tricks and game.state.stock:
            game.emit(TrumpTurned(card=f"?{game.state.stock[0][1]}"))


LEAKS = (
    LedByTheHighest,
    LedByTheHighestOfTheSecondRound,
    ChoicesByOthers,
    TimeByOthers,
    TrickToTheLongestHand,
    EndedByHands,
    TrumpsByTheStock,
)


@pytest.mark.parametrize("leaky", LEAKS, ids=lambda leaky: leaky.__name__)
def test_a_leak_of_a_hand_is_found_in_the_first_games_with_no_plan(leaky: type[Tricks]) -> None:
    assert TricksCraft.plan is Craft.plan
    tally, finding = run(System(leaky()), TricksCraft(), seed=2, pairs=PAIRS)
    assert finding is not None, f"survived {tally.total} pairs"
    assert not finding.what.startswith("raised"), str(finding)
    assert finding.how.startswith("dealt"), f"only another deal shows it, not {finding}"
    assert tally.games < FIRST_GAMES
    print(f"{leaky.__name__}: found in game {tally.games + 1} after {tally.total} pairs")


def test_the_seat_s_own_cards_stay_and_others_do_not() -> None:
    system, moved = System(TRICKS), Counter[bool]()
    for seed in range(6):
        base = play(system, TricksCraft(), 300 + seed)
        for seat in base.seats:
            for plan in plans(system, base, seat, generator(Seed.of(seed), "plans")):
                twin = resimulate(system, base, plan, generator(Seed.of(seed), "twin"))
                first, second = (_hands(log, seat, plan.until) for log in (base.log, twin.log))
                assert second[seat] == first[seat][: len(second[seat])]
                moved[any(first[other][: len(second[other])] != second[other] for other in second)] += 1
    assert moved[True] > 10 * moved[False], "what is dealt again lies otherwise"


def _hands(log: list[Any], seat: str, until: int) -> dict[str, list[Any]]:
    """Return the cards that everyone was dealt before that length of the seat's view."""
    dealt = defaultdict[str, list[Any]](list)
    for item in log:
        until -= item.audience.includes(seat)
        if until < 0:
            break
        if isinstance(item.event, HandDealt):
            dealt[item.event.player].append(item.event.cards)
    return dealt


class ShownUnsaid(Tricks):
    """The hands at the end of a round have no facts."""

    def facts(self, event: Any) -> Any:
        return frozenset() if isinstance(event, HandShown) else super().facts(event)


def test_a_hand_that_is_shown_and_carried_as_no_fact_is_reported_with_what_to_do() -> None:
    _, finding = run(System(ShownUnsaid()), TricksCraft(), seed=1, pairs=PAIRS)
    assert finding is not None
    assert "tricks.hand-shown" in finding.what or '"cards"' in finding.what, str(finding)
    assert "carry it in its `facts`, or name the event in the craft's `shows`" in finding.what


def test_up_to_an_event_that_the_craft_says_shows_hands_none_is_dealt_again_beyond_it() -> None:
    class Showing(TricksCraft):
        shows = (HandShown.stored_name,)

    tally, finding = run(System(ShownUnsaid()), Showing(), seed=1, pairs=PAIRS // 3)
    assert finding is None, str(finding)
    assert tally.pairs["dealt"] > 0


class Bonus(Tricks):
    """A suit that counts double is drawn in secret, not dealt."""

    events: tuple[type[Event], ...] = (*Tricks.events, BonusDrawn)

    def deal(self, game: Game[State]) -> None:
        super().deal(game)
        game.emit(BonusDrawn(suit=game.draw(SUITS, "bonus")))


def test_a_kind_of_facts_that_no_game_varied_is_reported() -> None:
    with pytest.warns(NoPlan, match="with other facts of these kinds: bonus"):
        tally, finding = run(System(Bonus()), TricksCraft(), seed=1, pairs=PAIRS, games=9, kinds=("dealt",))
    assert finding is None, str(finding)
    assert tally.unvaried == ["bonus"]
    assert {*tally.varied} == {"card", "stock"}


class Undealt(Tricks):
    """The same game, with its cards drawn instead of dealt."""

    def begin(self, game: Game[State], round_: int) -> None:
        self.drawing(game, generator(game.seed, "hands", round_).sample(DECK, len(DECK)))
        super().begin(game, round_)

    def advance(self, game: Game[State]) -> None:
        self.drawing(game, game.state.stock)
        super().advance(game)

    def drawing(self, game: Game[State], cards: Sequence[str]) -> None:
        game.deal = lambda deck, seats, *purpose, each: Hands(seats, each, cards)  # type: ignore[method-assign]


def test_a_game_that_nothing_could_deal_again_is_warned_of() -> None:
    with pytest.warns(NoPlan, match=r"No game of tricks was played again behind a seat's back\."):
        run(System(Undealt()), TricksCraft(), seed=1, pairs=200)


@pytest.mark.parametrize("ruleset", ["mafia", "guessing", "resistance", "liars-dice"])
def test_every_ruleset_that_deals_lets_the_kit_deal_again(ruleset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if ruleset not in RULESETS:
        seat_guest(monkeypatch, ruleset)
    tally, finding = run(System(RULESETS[ruleset]), craft_of(ruleset), seed=3, pairs=40, kinds=("dealt",))
    assert finding is None, str(finding)
    assert tally.pairs["dealt"] >= 40
    assert tally.varied


def test_a_craft_that_is_given_is_used_whatever_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    guessing = seat_guest(monkeypatch, "guessing")

    class Alone(type(craft_of("guessing"))):  # type: ignore[misc]
        def setup(self, rng: Any) -> Any:
            asked.append(True)
            return super().setup(rng)

    asked: list[bool] = []
    run(System(guessing.GUESSING), Alone(), seed=1, pairs=5)
    assert asked
