"""Seating order, at a table where it is neither the order of the alphabet nor that of the replies."""

from __future__ import annotations

import pytest
from mafia_game import mafia_game
from mafia_tables import CAST, Game

from sottovoce.rulesets.mafia.rules.events import (
    BidsClosed,
    MafiaBallotClosed,
    MafiaWhispered,
    NominationMade,
    RepliesHeard,
    SecondingClosed,
    TrialClosed,
)

SEATED = tuple(reversed(CAST))
LIVING = SEATED[1:]
"""Who is alive when Hugo, who sits first, was killed."""


def table(floor: str = "narrator") -> Game:
    return mafia_game({player: CAST[player] for player in SEATED}, floor=floor)


@pytest.mark.spec("M-009", "M-112")
def test_players_are_asked_one_after_another_as_they_were_listed() -> None:
    game = table().until("role")
    assert game.asked("role") == SEATED
    game = game.until("kill", {"protect": "Edda"})
    assert [whisper.player for whisper in game.all(MafiaWhispered)] == ["Dirk", "Ada"]
    assert game.asked("kill") == ("Dirk", "Ada")
    night = game.until("nominate", {"kill": "Hugo"}).until(lambda state: state.number == 2)
    assert tuple(nomination.player for nomination in night.all(NominationMade)) == LIVING


@pytest.mark.spec("M-009", "M-083", "M-102", "M-114")
def test_a_ballot_is_published_in_seating_order_whoever_was_first() -> None:
    order = sorted(SEATED)
    game = table("bids").until("kill", {"protect": "Edda"}).answer({"kill": "I vote to kill Hugo, the loud one"}, order)
    assert tuple(game.last(MafiaBallotClosed).votes) == ("Dirk", "Ada")
    assert tuple(game.last(RepliesHeard).replies) == ("Dirk", "Ada")
    game = game.until("bid").answer({"bid": "I bid 0, to listen"}, order)
    assert tuple(game.last(BidsClosed).bids) == tuple(game.last(RepliesHeard).replies) == LIVING
    game = game.until("second", {"nominate": {"Gwen": "I nominate Dirk"}}).answer({"second": "yes, at last"}, order)
    assert tuple(game.last(SecondingClosed).votes) == tuple(game.last(RepliesHeard).replies) == LIVING
    game = game.until("trial-vote").answer({"trial-vote": "I vote for Dirk"}, order)
    assert tuple(game.last(TrialClosed).votes) == LIVING
