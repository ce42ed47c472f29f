"""For every recorded game and every chair, the far view, its prompts and its screen are those of the game at hand."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from golden import LOGS, named
from rich.console import Console

from sottovoce.agents.prompt import build_prompt
from sottovoce.cli.screen import Screen
from sottovoce.client.game import Garbled, RemoteGame
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import GameOpened, Recorded
from sottovoce.domain.rulesets import RULESETS
from sottovoce.projections.perspective import seats_of
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import Entry, View, public_view, view

GAMES = [path.stem for path in LOGS]


def chairs(recorded: Sequence[Recorded]) -> Iterator[View[Any]]:
    """What every seat has seen, and the public."""
    opening = recorded[0].event
    assert isinstance(opening, GameOpened)
    ruleset = RULESETS[opening.ruleset]
    for seat in seats_of(recorded):
        yield view(ruleset, recorded, seat)
    yield public_view(ruleset, recorded)


def sent(near: View[Any]) -> list[dict[str, Any]]:
    """The view as a server sends it: JSON, with pieces."""
    teller = Teller(near.ruleset, near.seat or None)
    return [json.loads(json.dumps(teller.to_json(entry))) for entry in near.entries]


def screen(of: View[Any]) -> str:
    """All that a screen shows of it."""
    console = Console(file=io.StringIO(), width=90, highlight=False, force_terminal=True)
    shown = Screen(console, of.ruleset, of.seat or None)
    for entry in of.entries:
        shown.show(entry)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


@pytest.mark.parametrize("game", GAMES)
def test_a_far_view_is_the_near_one(game: str) -> None:
    for near in chairs(named(game)):
        table = RemoteGame(near.seat or None)
        assert len(table.take(sent(near))) == near.seq
        remote = table.view()
        assert (remote.seat, remote.seq, remote.ruleset, remote.state) == (
            near.seat,
            near.seq,
            near.ruleset,
            near.state,
        )
        assert remote.entries == near.entries
        assert screen(remote) == screen(near)


@pytest.mark.parametrize("game", GAMES)
def test_every_prompt_of_a_far_seat_is_the_near_one(game: str) -> None:
    recorded = named(game)
    prompts = 0
    for near in chairs(recorded):
        if not near.seat:
            continue
        entries, table = sent(near), RemoteGame(near.seat)
        for entry, item in zip(near.entries, entries, strict=True):
            table.take([item])
            if entry.name != "core.turn-opened.v1":
                continue
            then = _until(near, entry)
            for turn in then.turns:
                assert build_prompt(table.view(), turn).blocks == build_prompt(then, turn).blocks
                prompts += 1
            assert [one.number for one in table.view().turns] == [one.number for one in then.turns]
    assert prompts > 8


def _until(near: View[Any], entry: Entry) -> View[Any]:
    state = near.ruleset.initial
    for item in near.entries[: entry.seq]:
        state = near.ruleset.evolve(state, item.event)
    return View(near.ruleset, near.seat, near.entries, entry.seq, state)


def test_what_came_before_is_passed_over_and_a_gap_is_found() -> None:
    near = next(chairs(named("town-wins")))
    entries, table = sent(near), RemoteGame(near.seat)
    assert [entry.seq for entry in table.take(entries[:5])] == [1, 2, 3, 4, 5]
    assert [entry.seq for entry in table.take(entries[2:7])] == [6, 7]
    with pytest.raises(Garbled, match="entry 9 instead of 8"):
        table.take(entries[8:])
    assert table.seq == 7
    assert [entry.seq for entry in table.take(entries[7:9])] == [8, 9]


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"seq": 1, "name": "core.game-opened.v1", "at": "2026-01-01T00:00:00+00:00"},
        {"seq": "one", "name": "core.game-opened.v1", "at": "2026-01-01T00:00:00+00:00", "data": {}},
        {"seq": 1, "name": "mafia.gone.v9", "at": "2026-01-01T00:00:00+00:00", "data": {}},
        {"seq": 1, "name": "core.game-opened.v1", "at": "2026-01-01T00:00:00+00:00", "data": {"seats": 3}},
        {"seq": 1, "name": "core.game-opened.v1", "at": 7, "data": {}},
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(wrong: dict[str, Any]) -> None:
    with pytest.raises(Garbled) as told:
        RemoteGame("Ada").take([wrong])
    assert "\n" not in str(told.value)


def test_a_ruleset_that_is_not_installed_is_named() -> None:
    opening = {"ruleset": "chess", "seats": ["Ada"], "options": {}}
    entry = {"seq": 1, "name": "core.game-opened.v1", "at": "2026-01-01T00:00:00+00:00", "data": opening}
    with pytest.raises(SottovoceError, match="chess"):
        RemoteGame("Ada").take([entry])
