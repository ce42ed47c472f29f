"""What holds in every game, whatever its seed, its options and the order of replies."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given as always
from hypothesis import settings
from hypothesis import strategies as st
from mafia_tables import NARRATIONS, PATTERNS, any_choice, random_game
from sizes import sized

from sottovoce.domain.events import Event, TurnOpened
from sottovoce.domain.piece import Chair
from sottovoce.domain.turns import Turn
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import DeathsAnnounced, NightResolved, PlayerExecuted
from sottovoce.rulesets.mafia.rules.state import MafiaState

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "max_attempts": st.integers(1, 3),
        "doctor_repeat": st.booleans(),
        "night_talk": st.integers(0, 2),
        "floor": st.sampled_from(["narrator", "bids"]),
        "style": st.sampled_from(["plain", "old"]),
        "mafia_revote_rounds": st.integers(0, 2),
        "trial_revote_rounds": st.integers(0, 2),
        "reveal_role_on_night_death": st.booleans(),
        "night_seconds": st.sampled_from([0, 45]),
        "check_after_night": st.booleans(),
        "max_days": st.integers(1, 4),
    },
)


def random_options(rnd: random.Random, players: int) -> dict[str, Any]:
    """Options and role counts that may be played, at random."""
    special = [role for role in ("Doctor", "Detective", "Jester") if rnd.random() < 0.6]
    mafia = rnd.randint(1, (players - 1) // 2)
    special = special[: players - mafia]
    counts = {"Mafia": mafia, **dict.fromkeys(special, 1)}
    counts["Villager"] = players - sum(counts.values())
    return {
        "role_counts": counts,
        "max_attempts": rnd.randint(1, 3),
        "doctor_repeat": rnd.random() < 0.5,
        "night_talk": rnd.randint(0, 2),
        "floor": rnd.choice(["narrator", "bids"]),
        "mafia_revote_rounds": rnd.randint(0, 2),
        "trial_revote_rounds": rnd.randint(0, 2),
        "reveal_role_on_night_death": rnd.random() < 0.5,
        "night_seconds": rnd.choice([0, 45]),
        "max_speeches": rnd.randint(0, 2),
        "check_after_night": rnd.random() < 0.5,
    }


@pytest.mark.spec("M-014", "M-109")
def test_every_choice_turn_has_a_legal_choice_and_no_dead_player_in_it() -> None:
    kinds: set[str] = set()

    def check(state: MafiaState) -> None:
        for turn in state.turns.values():
            kinds.add(turn.kind)
            assert turn.seat not in state.dead
            assert not set(turn.choices) & set(state.dead)
            assert bool(turn.choices) == (turn.kind in PATTERNS)
            assert len(set(turn.choices)) == len(turn.choices)

    for seed in range(sized(200, 5000)):
        rnd = random.Random(seed)
        players = rnd.randint(4, 9)
        random_game(seed, players, check=check, **random_options(rnd, players))
    assert kinds == {*PATTERNS, *NARRATIONS, "role", "night-talk", "speech", "defence", "final-speech"}


@pytest.mark.spec("M-109")
@pytest.mark.parametrize("players", [4, 5])
def test_a_doctor_without_repeats_at_the_smallest_table_always_has_a_choice(players: int) -> None:
    counts = {"Mafia": 1, "Doctor": 1, "Villager": players - 2}
    seen = 0

    def check(state: MafiaState) -> None:
        nonlocal seen
        for turn in state.turns.values():
            if turn.kind == "protect":
                assert turn.choices
                seen += len(state.living) == 3

    for seed in range(80):
        random_game(seed, players, check=check, role_counts=counts, doctor_repeat=False, max_speeches=0)
    assert seen > 10


def first(turns: list[Turn], rnd: random.Random) -> Turn:
    return turns[0]


def last(turns: list[Turn], rnd: random.Random) -> Turn:
    return turns[-1]


@pytest.mark.spec("M-013")
@settings(max_examples=25, deadline=None)
@always(seed=st.integers(0, 10_000), players=st.integers(4, 9), options=OPTIONS)
def test_the_order_in_which_open_turns_are_answered_changes_nothing(
    seed: int, players: int, options: dict[str, Any]
) -> None:
    """Taking the first open turn every time is asking in sequence; `any` mixes the replies of a ballot."""
    games = [
        random_game(seed, players, order=order, max_speeches=2, **options)
        for order in (first, last, lambda turns, rnd: rnd.choice(turns))
    ]
    seats = games[0][1].seats
    for drafts, state in games[1:]:
        for seat in seats:
            seen = [draft.event for draft in drafts if draft.audience.includes(seat)]
            assert seen == [draft.event for draft in games[0][0] if draft.audience.includes(seat)]
        assert state == games[0][1]


@pytest.mark.spec("M-013", "M-022")
@pytest.mark.parametrize("seed", range(10))
def test_fallbacks_and_draws_do_not_depend_on_the_order_either(seed: int) -> None:
    def mostly_nonsense(turn: Turn, rnd: random.Random) -> str:
        return "?" if turn.choices and rnd.random() < 0.8 else any_choice(turn, rnd)

    games = [
        random_game(seed, 7, mostly_nonsense, order=order, max_speeches=1, mafia_revote_rounds=0, max_attempts=2)
        for order in (first, last)
    ]
    assert games[0][1] == games[1][1]
    fell_back = [
        {(d.event.seat, d.event.turn): d.event for d in drafts if d.event.stored_name == "core.fallback-applied.v1"}  # type: ignore[attr-defined]
        for drafts, _ in games
    ]
    assert fell_back[0] == fell_back[1]
    assert fell_back[0]


@pytest.mark.spec("M-008")
@settings(max_examples=20)
@always(seed=st.integers(0, 10_000), players=st.integers(4, 9), options=OPTIONS)
def test_replaying_the_stored_events_gives_the_same_state(seed: int, players: int, options: dict[str, Any]) -> None:
    drafts, state = random_game(seed, players, max_speeches=2, **options)
    replayed = MAFIA.initial
    for draft in drafts:
        event = msgspec.json.decode(draft.event.encoded(), type=type(draft.event))
        assert event == draft.event
        replayed = MAFIA.evolve(replayed, event)
    assert replayed == state
    dead: list[str] = []
    for draft in drafts:
        if isinstance(draft.event, DeathsAnnounced):
            dead += draft.event.deaths
        if isinstance(draft.event, PlayerExecuted):
            dead.append(draft.event.player)
    assert list(state.dead) == dead
    assert state.living == tuple(player for player in state.players if player not in dead)
    closed = {"mafia.seconding-closed.v1", "mafia.trial-closed.v1", "mafia.execution-vote-closed.v1"}
    votes = [draft.event.votes for draft in drafts if draft.event.stored_name in closed]  # type: ignore[attr-defined]
    assert [dict(count.votes) for count in state.history] == votes


@pytest.mark.spec("M-049")
@pytest.mark.parametrize("seed", range(10))
def test_a_night_has_at_most_one_death(seed: int) -> None:
    drafts, _ = random_game(seed, 9, max_speeches=0)
    for draft in drafts:
        if isinstance(draft.event, DeathsAnnounced):
            assert len(draft.event.deaths) <= 1
        if isinstance(draft.event, NightResolved):
            assert (draft.event.died is None) == (draft.event.target == draft.event.protected)


GAMES = [[draft.event for draft in random_game(seed, 8, max_speeches=2)[0]] for seed in range(3)]


@settings(max_examples=60)
@always(data=st.data())
def test_the_fold_is_total_over_any_subset_in_any_order(data: st.DataObject) -> None:
    """Invariant 4: a view may lack anything, and its prompts and lines can be told all the same."""
    events: list[Event] = data.draw(st.sampled_from(GAMES))
    rnd = random.Random(data.draw(st.integers(0, 2**32)))
    share = data.draw(st.sampled_from([0.05, 0.3, 0.6, 0.9, 1.0]))
    chosen = [event for event in events if rnd.random() < share]
    if data.draw(st.booleans()):
        rnd.shuffle(chosen)
    state = MAFIA.initial
    for event in chosen:
        state = MAFIA.evolve(state, event)
        MAFIA.phase(state)
        MAFIA.wakes_at(state)
        for seat in ("Player 1", "narrator", None):
            MAFIA.tell(event, Chair(seat))
        MAFIA.facts(event)
        if isinstance(event, TurnOpened):
            MAFIA.request(state, state.turns[event.seat, event.turn])
    for turn in state.turns.values():
        MAFIA.request(state, turn)


@pytest.mark.spec("M-008")
def test_deciding_and_folding_touch_nothing_given_to_them() -> None:
    def check(state: MafiaState) -> None:
        before = msgspec.structs.asdict(state)
        MAFIA.phase(state)
        snapshots.append((state, before))

    snapshots: list[tuple[MafiaState, dict[str, Any]]] = []
    random_game(1, 6, check=check, max_speeches=2)
    for state, before in snapshots:
        assert msgspec.structs.asdict(state) == before
