"""A view is a fold of only what its seat has seen."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given as always
from hypothesis import settings
from hypothesis import strategies as st
from mafia_tables import random_game

from sottovoce.agents.prompt import build_prompt
from sottovoce.domain.audience import EVERYONE, NOBODY, Audience, only
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Event, GameOpened, Recorded, SeatsFilled
from sottovoce.projections.view import SeatProjection, public_view, view
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import MAFIA_EVENTS, RoleDealt, SpeechGiven

START = datetime(2026, 1, 1, 12, 0, 42, 123456, tzinfo=UTC)


def record(event: Event, audience: Audience, position: int, at: datetime | None = None) -> Recorded:
    return Recorded(
        game="m-1",
        position=position,
        append=f"append-{position}",
        name=event.stored_name,
        at=at or START + timedelta(seconds=7 * position),
        actor=event.actor,
        audience=audience,
        cause=None,
        body=event.encoded(),
        salt=bytes([position % 256]),
        hash=b"",
        event=event,
    )


def recorded_game(seed: int, players: int = 7) -> list[Recorded]:
    drafts, _ = random_game(seed, players, max_speeches=2)
    return [record(draft.event, draft.audience, i) for i, draft in enumerate(drafts, 1)]


GAME = recorded_game(3)
SEATS = [*(f"Player {i}" for i in range(1, 8)), "narrator"]


def told(items: list[Recorded], seat: str, upto: int | None = None) -> str:
    """Return everything that a seat can be shown: entries, state, and the prompt of each open turn."""
    shown = view(MAFIA, items, seat, upto)
    prompts = [build_prompt(shown, turn).text for turn in shown.turns]
    return json.dumps([[entry.to_json() for entry in shown.entries], repr(shown.state), prompts])


@pytest.mark.parametrize("seat", SEATS)
def test_a_view_holds_exactly_the_events_addressed_to_its_seat_in_order(seat: str) -> None:
    shown = view(MAFIA, GAME, seat)
    assert [entry.event for entry in shown.entries] == [r.event for r in GAME if r.audience.includes(seat)]
    assert [entry.seq for entry in shown.entries] == list(range(1, shown.seq + 1))
    state = MAFIA.initial
    for entry in shown.entries:
        state = MAFIA.evolve(state, entry.event)
    assert shown.state == state


def test_an_entry_shows_no_position_cause_append_hash_or_second() -> None:
    shown = view(MAFIA, GAME, "Player 1")
    for entry in shown.entries:
        data = entry.to_json()
        assert set(data) == {"seq", "name", "at", "actor", "data"}
        at = datetime.fromisoformat(data["at"])
        assert (at.second, at.microsecond) == (0, 0)
        assert "append-" not in json.dumps(data)
        assert "m-1" not in json.dumps(data)


@settings(max_examples=40, deadline=None)
@always(data=st.data())
def test_whatever_a_seat_may_not_see_can_change_without_a_trace(data: st.DataObject) -> None:
    """Invariants 4 and 5: change, add, drop or reorder hidden events; the view and its prompts stay the same."""
    seat = data.draw(st.sampled_from(SEATS))
    upto = data.draw(st.integers(1, sum(item.audience.includes(seat) for item in GAME)))
    rnd = random.Random(data.draw(st.integers(0, 2**32)))
    others = only(other for other in SEATS if other != seat)
    shown = [item for item in GAME if item.audience.includes(seat)]
    hidden = [item.event for item in GAME if not item.audience.includes(seat)]
    hidden += [event_type.sample() for event_type in MAFIA_EVENTS]
    rnd.shuffle(hidden)
    mixed: list[Recorded] = []
    for item in shown:
        while hidden and rnd.random() < 0.5:
            mixed.append(
                record(hidden.pop(), rnd.choice([NOBODY, others, only("narrator" if seat != "narrator" else "x")]), 1)
            )
        mixed.append(record(item.event, item.audience, len(mixed) + 1000, item.at))
    assert told(mixed, seat, upto) == told(GAME, seat, upto) == told(shown, seat, upto)


@pytest.mark.parametrize("seat", ["Player 1", "narrator"])
@pytest.mark.parametrize("upto", [0, 1, 5, 17, 10_000])
def test_a_view_can_stop_at_one_of_its_own_numbers(seat: str, upto: int) -> None:
    whole = view(MAFIA, GAME, seat)
    part = view(MAFIA, GAME, seat, upto)
    assert part.seq == min(upto, whole.seq)
    assert part.entries == whole.entries[:upto]


def test_an_earlier_view_does_not_change_when_more_happens() -> None:
    projection = SeatProjection(MAFIA, "Player 1")
    earlier: list[tuple[Any, list[Any], Any]] = []
    for item in GAME:
        projection.take(item)
        shown = projection.view()
        earlier.append((shown, list(shown.entries), shown.state))
    for shown, entries, state in earlier[:: max(1, len(earlier) // 50)]:
        assert shown.entries == entries
        assert shown.recent(3) == entries[-3:]
        assert shown.since(2) == entries[2:]
        assert shown.since(-5) == entries
        assert shown.state is state


def test_a_seat_that_is_not_at_the_table_sees_nothing_not_even_what_everyone_sees() -> None:
    assert view(MAFIA, GAME, "Mallory").entries == []
    assert view(MAFIA, GAME, "Player").entries == [], "names are compared whole"
    assert view(MAFIA, GAME, "").entries == []


def test_what_came_before_a_seat_was_seated_is_not_its_to_see() -> None:
    before = record(SpeechGiven.sample(), EVERYONE, 1)
    opening = record(GameOpened(ruleset="mafia", seats=("Ada", "narrator"), options={}), EVERYONE, 2)
    assert [entry.name for entry in view(MAFIA, [before, opening], "Ada").entries] == ["core.game-opened.v1"]


def test_naming_a_seat_in_an_audience_does_not_seat_it() -> None:
    dealt = record(RoleDealt(player="Zed", role="Mafia"), only("Zed"), 3)
    assert view(MAFIA, [*GAME, dealt], "Zed").entries == []


def test_the_public_view_holds_what_everyone_sees_and_nothing_else() -> None:
    shown = public_view(MAFIA, GAME)
    assert [entry.event for entry in shown.entries] == [item.event for item in GAME if item.audience == EVERYONE]
    assert not shown.turns
    ended = shown.entries.pop()
    assert ended.name == "mafia.game-ended.v1"
    running = public_view(MAFIA, [item for item in GAME if item.name != ended.name])
    assert not running.state.roles or set(running.state.roles) == set(running.state.revealed)


def test_nobody_sees_the_seed() -> None:
    items = [*GAME, record(SeatsFilled(agents={"Player 1": "openai:x"}, seed=Seed.of(987654321)), NOBODY, 9000)]
    for seat in SEATS:
        assert "987654321" not in told(items, seat)
        assert view(MAFIA, items, seat).state.seed is None


def test_open_turns_are_the_seats_own_in_order() -> None:
    for seat in SEATS:
        for upto in range(1, 40):
            turns = view(MAFIA, GAME, seat, upto).turns
            assert all(turn.seat == seat for turn in turns)
            assert [turn.number for turn in turns] == sorted(turn.number for turn in turns)
