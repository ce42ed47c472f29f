"""Over is over: what arrives after the event that ends a game becomes nothing, whatever it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, get_args

import pytest
from golden import FOLDERS, golden_games
from parley import HOST, PARLEY, ParleyEnded, WordSaid

from sottovoce.domain import commands
from sottovoce.domain.commands import Command
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import RulesetDefect
from sottovoce.domain.events import AuditorLinkIssued, GameCopied, Recorded, SeatLinkIssued, SeatsFilled, TurnWithdrawn
from sottovoce.domain.game import Game, decided, fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.testing import NOON, given
from sottovoce.golden import Golden, record

GOLDENS = [golden for ruleset in FOLDERS for golden in golden_games(ruleset)]
ENDED = ("mafia-wins", "session-current", "delegated-notice")
"""A finished game of each ruleset."""


@lru_cache(maxsize=1)
def logs() -> Mapping[str, list[Recorded]]:
    return record(GOLDENS)


def finished(name: str) -> tuple[Any, Any]:
    """The ruleset and the last state of a finished game."""
    log = logs()[name]
    ruleset = RULESETS[next(golden.ruleset for golden in GOLDENS if golden.name == name)]
    return ruleset, fold(ruleset, [item.event for item in log])


ARRIVALS: Mapping[type, Callable[[Any, str, str], list[Command]]] = {
    commands.Reply: lambda state, seat, text: [
        commands.Reply(NOON, seat, turn, text) for turn in (1, state.opened.get(seat, 0), state.opened.get(seat, 0) + 1)
    ],
    commands.Say: lambda state, seat, text: [commands.Say(NOON, seat, text)],
    commands.Expire: lambda state, seat, text: [commands.Expire(NOON, seat, state.opened.get(seat, 1), 1)],
    commands.Fail: lambda state, seat, text: [
        commands.Fail(NOON, seat, state.opened.get(seat, 1), 1, "declined", text or "No.")
    ],
    commands.Wake: lambda state, seat, text: [commands.Wake(NOON)],
    commands.Halt: lambda state, seat, text: [
        commands.Halt(NOON, seat, state.opened.get(seat, 1)),
        commands.Halt(NOON),
        commands.Halt(NOON, void=True),
    ],
    commands.Hold: lambda state, seat, text: [commands.Hold(NOON)],
    commands.Announce: lambda state, seat, text: [
        commands.Announce(NOON, peek)
        for peek in (GameCopied(by="keeper"), AuditorLinkIssued(), SeatLinkIssued(seat=seat))
    ],
    commands.Fill: lambda state, seat, text: [
        commands.Fill(NOON),
        commands.Fill(NOON, {seat: "human"}),
        commands.Fill(NOON, {}, Seed.of("another")),
        commands.Fill(NOON, {}, None, ("g-parent", 3)),
    ],
}
"""Everything that may arrive from or about a seat, by the type of the command."""


def test_every_type_of_command_is_tried() -> None:
    assert {*ARRIVALS, commands.Open} == set(get_args(Command))


@pytest.mark.spec("M-100")
@pytest.mark.parametrize("name", ENDED)
@pytest.mark.parametrize("kind", ARRIVALS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("text", ["pass", "One more word!", "", "x" * 70_000, '{"roll": {}}'], ids=len)
def test_nothing_follows_the_end(name: str, kind: type, text: str) -> None:
    ruleset, state = finished(name)
    for seat in (*state.seats, "nobody"):
        for command in ARRIVALS[kind](state, seat, text):
            drafts, after = decided(ruleset, state, command)
            assert drafts == ()
            assert after is state


@pytest.mark.parametrize("name", ENDED)
def test_a_game_that_is_over_is_not_opened_again(name: str) -> None:
    ruleset, state = finished(name)
    assert decided(ruleset, state, commands.Open(NOON, state.seats, {}, Seed.of(1))) == ((), state)


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_the_event_that_ends_a_game_is_its_last_and_everybody_sees_it(golden: Golden) -> None:
    log = logs()[golden.name]
    ruleset, state = finished(golden.name)
    assert state.over
    assert not state.turns
    assert not fold(ruleset, [item.event for item in log[:-1]]).over
    assert log[-1].audience.seats is None


def parley() -> Any:
    return given(PARLEY).when(commands.Open(NOON, (HOST, "ann"), {}, Seed.of(1)))


def test_what_a_reply_says_behind_the_words_that_end_the_game_is_not_taken() -> None:
    game = parley().when(commands.Reply(NOON, HOST, 1, "good night\nfarewell\nforbidden\none more"))
    assert [event.text for event in game.all(WordSaid)] == ["good night", "farewell"]
    assert isinstance(game.drafts[-1].event, ParleyEnded)


def test_a_message_that_ends_the_game_is_the_last_as_well() -> None:
    game = parley().when(commands.Say(NOON, HOST, "farewell\nforbidden"))
    assert isinstance(game.drafts[-1].event, ParleyEnded)


@pytest.mark.parametrize("event", [TurnWithdrawn(seat=HOST, turn=1), SeatsFilled(agents={})])
def test_a_ruleset_that_goes_on_behind_its_end_is_told(event: Any) -> None:
    deciding = Game(PARLEY, parley().state, NOON)
    deciding.emit(ParleyEnded())
    with pytest.raises(RulesetDefect, match="comes after the end"):
        deciding.emit(event)
