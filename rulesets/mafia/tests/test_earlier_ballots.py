"""Ballots that earlier versions opened under other names: they go on to be counted, and later ones have today's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from mafia_tables import CAST, Game, cast, condemn, reach_trial

from sottovoce.domain.events import Event, TurnOpened
from sottovoce.domain.testing import given
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import MafiaBallotClosed, TrialClosed

NAMES = {
    "role": "roles",
    "kill": "mafia.1.0",
    "bid": "bids.1.0",
    "second": "second.1.Edda",
    "trial-vote": "trial.1.0",
    "execution-vote": "execution.1",
}
"""How ballots of the first day were named when their round was part of the name."""

TOWN: dict[str, Any] = {
    "kill": "Hugo",
    "nominate": {"Ada": "I nominate Edda"},
    "second": "yes",
    "bid": "2",
    "execution-vote": "execute",
}


def with_earlier_names(game: Game) -> Game:
    """The game as an earlier version recorded it."""
    events: list[Event] = []
    for event in game.events:
        renamed = isinstance(event, TurnOpened) and event.ballot is not None
        events.append(event.but(ballot=NAMES[event.kind]) if renamed else event)  # type: ignore[attr-defined]
    return replace(given(MAFIA, *events), at=game.at, answers=game.answers)


def halfway(game: Game, kind: str, answers: Mapping[str, Any]) -> Game:
    """The game with half of a ballot's votes cast."""
    game = game.until(kind, answers)
    for seat in game.asked(kind)[::2]:
        choices = game.turn(seat).choices or ("I see.",)
        game = game.reply(seat, answers.get(kind, choices[0]))
    return game


def decided(game: Game, before: Game) -> tuple[Event, ...]:
    return game.events[len(before.events) :]


@pytest.mark.spec("M-083")
@pytest.mark.parametrize("kind", NAMES)
def test_a_ballot_with_votes_in_it_is_counted_with_all_of_them(kind: str) -> None:
    game = halfway(cast(floor="bids"), kind, TOWN)
    earlier = with_earlier_names(game)
    assert {turn.ballot for turn in game.state.turns.values()} == {kind}
    assert {turn.ballot for turn in earlier.state.turns.values()} == {NAMES[kind]}
    assert decided(earlier.answer(TOWN), earlier) == decided(game.answer(TOWN), game)
    assert decided(earlier.to_the_end(TOWN), earlier) == decided(game.to_the_end(TOWN), game)


@pytest.mark.spec("M-046", "M-080")
def test_a_revote_of_a_tie_counts_its_own_votes_alone() -> None:
    night = with_earlier_names(cast().until("kill").reply("Ada", "Hugo")).reply("Dirk", "Gwen")
    assert night.answer({"kill": "Gwen"}).last(MafiaBallotClosed).votes == {"Ada": "Gwen", "Dirk": "Gwen"}
    trial = with_earlier_names(reach_trial(cast(), "Edda", "Finn", kill="Hugo", protect="Hugo"))
    tie = {voter: ("Edda", "Finn")[place % 2] for place, voter in enumerate(CAST)}
    again = trial.answer({"trial-vote": tie}).answer({"trial-vote": "Finn"})
    assert [closed.votes for closed in again.all(TrialClosed)] == [tie, dict.fromkeys(CAST, "Finn")]


def test_no_name_of_a_ballot_counts_anything() -> None:
    """A running number would tell how often others have voted in secret."""
    game = condemn(cast(floor="bids"), "Edda", kill="Hugo", bid="1").to_the_end(TOWN)
    assert {event.ballot for event in game.all(TurnOpened)} == {None, *NAMES}
