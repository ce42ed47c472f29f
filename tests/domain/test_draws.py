"""Seeds and what is drawn from them."""

from __future__ import annotations

import ast
import os
from collections import Counter
from math import comb, sqrt
from pathlib import Path

import msgspec
import pytest
from hypothesis import given as always
from hypothesis import strategies as st

from sottovoce.agents.agent import seat_random
from sottovoce.domain.draws import SEED_BYTES, Seed, dealt, generator, pick

ROOT = Path(__file__).parents[2]
PACKAGES = ("domain", "eventlog", "projections", "agents", "server", "client", "cli", "rulesets")

PUBLIC = {
    ("domain/draws.py", "Random"): "every stream",
    ("domain/draws.py", "stream"): "of a secret, or of the public half of a seed",
    ("agents/agent.py", "stream"): "of the seat's own key",
    ("agents/agent.py", "seed"): "the same, by turn and attempt",
    ("agents/models/personas.py", "stream"): "looks, from the roster, which is public",
    ("rulesets/mafia/house/personas.py", "stream"): "looks, from the roster and the opening, which are public",
    ("agents/openai_agent.py", "Random"): "pauses, before an endpoint is tried again",
    ("server/seating.py", "public"): "names",
    ("server/ids.py", "Random"): "from the machine's own randomness",
}
"""Every place where randomness begins, apart from `generator`, and what it is made of."""

OTHERS = {
    ("server/ids.py", "seed"),
    ("cli/remote.py", "stream"),
    ("client/game.py", "stream"),
    ("client/seat.py", "stream"),
    ("rulesets/delegation/workspaces/diffs.py", "stream"),
}
"""What is called so and is something else: a stream of the server's, or of git."""


def drawn(secret: bytes = b"\1" * 32, public: bytes = b"\2" * 16) -> Seed:
    return Seed.drawn(secret + public)


def test_a_drawn_seed_has_256_secret_bits_and_is_the_same_again_from_its_text() -> None:
    bits = os.urandom(SEED_BYTES)
    seed = Seed.drawn(bits)
    assert bytes.fromhex(seed.secret) == bits[:32]
    assert not seed.by_hand
    again = Seed.of(seed.text)
    assert again.by_hand
    assert again.secret == seed.secret
    assert again.public("names").random() == seed.public("names").random()


@always(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_a_seed_given_by_hand_makes_the_secret_repeatable(text: str) -> None:
    seed = Seed.of(text)
    assert seed == Seed.of(text)
    assert seed.by_hand
    assert seed.secret != Seed.of(text + "1").secret


def test_the_halves_of_a_drawn_seed_share_nothing() -> None:
    one, other = drawn(), drawn(secret=b"\3" * 32)
    assert one.public("names").random() == other.public("names").random()
    assert generator(one, "deal").random() != generator(other, "deal").random()
    renamed = drawn(public=b"\3" * 16)
    assert one.public("names").random() != renamed.public("names").random()
    assert generator(one, "deal").random() == generator(renamed, "deal").random()


def test_the_games_of_a_run_have_seeds_of_their_own_that_can_be_given_again() -> None:
    for seed in (drawn(), Seed.of(1), Seed.of("a text")):
        games = [seed.numbered(number) for number in range(50)]
        assert len({game.secret for game in games}) == 50
        assert len({game.public("names").random() for game in games}) == 50
        assert games == [seed.numbered(number) for number in range(50)]
        assert all(Seed.of(game.text).secret == game.secret for game in games)
        assert {game.by_hand for game in games} == {seed.by_hand}
    hidden = drawn(secret=b"\3" * 32).numbered(4)
    assert hidden.public("names").random() == drawn().numbered(4).public("names").random(), "apart in each game too"
    assert hidden.secret != drawn().numbered(4).secret


def test_what_a_short_seed_gives_stays_the_same_from_version_to_version() -> None:
    assert Seed.of(7).secret == "9d20f2fc4d49623136b7506bbf229713d2c81db625eb6db7211f033cf3de0a12"
    assert generator(Seed.of(7), "fallback", "Ada", 3).getrandbits(32) == 472209360


@pytest.mark.parametrize("secret", ["", "00", "g" * 64, "A" * 64, "0" * 64 + "\n", "0" * 65])
def test_a_secret_in_a_log_is_32_bytes_in_hexadecimal_digits(secret: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"secret": secret}, Seed)


@pytest.mark.spec("M-004")
def test_nobody_can_tell_a_deal_from_a_fresh_shuffle() -> None:
    """One public half, thousands of secrets: every pair of seats is as often the Mafia as chance would have it."""
    deals, seats = 6000, 8
    pairs: Counter[tuple[int, ...]] = Counter()
    for number in range(deals):
        deck = ["Mafia", "Mafia", *["Villager"] * (seats - 2)]
        generator(drawn(secret=number.to_bytes(32, "big")), "deal").shuffle(deck)
        pairs[tuple(at for at, role in enumerate(deck) if role == "Mafia")] += 1
    cells = comb(seats, 2)
    expected = deals / cells
    chi_square = sum((pairs[pair] - expected) ** 2 / expected for pair in pairs)
    assert len(pairs) == cells
    assert chi_square < (cells - 1) + 5 * sqrt(2 * (cells - 1))


def test_a_deal_gives_every_seat_a_hand_and_leaves_the_rest() -> None:
    deck, seats = [f"card {number}" for number in range(20)], ("Ada", "Bram", "Cleo")
    hands = dealt(deck, seats, 5, drawn(), "hands", 1)
    assert [len(hand) for hand in hands.values()] == [5, 5, 5]
    assert tuple(hands) == seats
    assert len(hands.rest) == 5
    assert sorted(hands.cards) == sorted(deck), "every card lies somewhere, and once"
    assert hands.cards == (*hands.rest, *hands["Ada"], *hands["Bram"], *hands["Cleo"])
    assert dealt(deck, seats, 5, drawn(), "hands", 1) == hands
    assert dealt(deck, seats, 5, drawn(), "hands", 2) != hands
    assert deck == [f"card {number}" for number in range(20)], "the deck itself is left as it was"


def test_one_card_each_is_dealt_as_the_deck_was_shuffled_and_a_single_one_as_a_draw() -> None:
    """So games of the rulesets that shuffled and drew by themselves are dealt the same again."""
    deck = list("abcdefgh")
    shuffled = list(deck)
    generator(drawn(), "deal").shuffle(shuffled)
    assert [card for (card,) in dealt(deck, deck, 1, drawn(), "deal").values()] == shuffled
    assert dealt(deck, ("keeper",), 1, drawn(), "number")["keeper"] == (pick(deck, drawn(), "number"),)


def test_every_hand_is_as_likely_as_any_other() -> None:
    deals, hands = 6000, Counter[tuple[str, ...]]()
    for number in range(deals):
        seed = drawn(secret=number.to_bytes(32, "big"))
        hands[tuple(sorted(dealt(tuple("abcdef"), ("Ada", "Bram"), 2, seed, "hands")["Bram"]))] += 1
    cells = comb(6, 2)
    chi_square = sum((count - deals / cells) ** 2 / (deals / cells) for count in hands.values())
    assert len(hands) == cells
    assert chi_square < (cells - 1) + 5 * sqrt(2 * (cells - 1))


def test_a_seat_has_streams_of_its_own_for_a_turn_and_for_the_whole_game() -> None:
    seed = drawn()
    ada = [seat_random(seed, "Ada", turn) for turn in range(1, 20)]
    assert len({random.random() for random in ada}) == len(ada)
    assert len({random.lasting("gut").random() for random in ada}) == 1
    bram = seat_random(seed, "Bram", 1)
    assert bram.lasting("gut").random() != ada[0].lasting("gut").random()
    assert ada[0].lasting("gut").random() != ada[0].lasting("length").random()
    assert seed.secret not in repr(vars(ada[0]))
    assert bytes.fromhex(seed.secret) != ada[0].key != bram.key


def test_randomness_begins_nowhere_but_where_it_is_said_what_it_is_made_of() -> None:
    found = set()
    for package in PACKAGES:
        files = [
            file for file in (ROOT / package).rglob("*.py") if not {"tests", "craft"} & {*file.relative_to(ROOT).parts}
        ]
        for file in files:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and (node.args or node.keywords):
                    called = node.func
                    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                    if name in {"Random", "stream", "public", "SystemRandom", "seed"}:
                        found.add((file.relative_to(ROOT).as_posix(), name))
    assert found - OTHERS == set(PUBLIC)


def test_a_single_draw_of_a_turn_is_even_and_apart_from_its_stream() -> None:
    seed, choices = drawn(), ("Bram", "Cleo", "Dirk")
    turns = 3000
    picks = Counter(seat_random(seed, "Ada", turn).pick(choices) for turn in range(turns))
    assert sum((picks[choice] - turns / 3) ** 2 / (turns / 3) for choice in choices) < 2 + 5 * sqrt(2 * 2)
    begun, fresh = seat_random(seed, "Ada", 7), seat_random(seed, "Ada", 7)
    first = begun.random()
    assert begun.pick(choices) == fresh.pick(choices) == fresh.pick(choices), "whatever else was drawn"
    assert fresh.random() == first, "and what else is drawn is the same with it"
    others = [
        seat_random(other, seat, turn, attempt)
        for other, seat, turn, attempt in (
            (seed, "Bram", 7, 1),
            (seed, "Ada", 8, 1),
            (seed, "Ada", 7, 2),
            (drawn(secret=b"\3" * 32), "Ada", 7, 1),
        )
    ]
    many = tuple(map(str, range(10**6)))
    assert len({random.pick(many) for random in (fresh, *others)}) == 5
