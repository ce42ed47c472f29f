"""Peeks: what makes secrets of a running game visible to somebody is told to everyone, in every ruleset."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from guests import EXAMPLES, seat_guest

from sottovoce.domain import commands
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.events import AuditorLinkIssued, GameCopied, GameOpened, SeatLinkIssued
from sottovoce.domain.game import STOPPED, decide
from sottovoce.domain.piece import AUDITOR, PUBLIC, Chair
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.testing import NOON
from sottovoce.extras import craft_of
from sottovoce.isolation.draws import generator
from sottovoce.isolation.games import Tape
from sottovoce.isolation.system import System

SHIPPED = ("mafia", "tabletop", "delegation")
OUTSIDE = tuple(sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir()))


@pytest.fixture(params=(*SHIPPED, *OUTSIDE))
def ruleset(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every ruleset that ships, and the examples of those that do not."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param in OUTSIDE:
            seat_guest(patch, request.param)
        yield request.param


def begun(ruleset: str, **options: Any) -> Tape:
    """A game of that ruleset that has just begun."""
    craft, rng = craft_of(ruleset), generator(1, "peeks", ruleset)
    seats, usual = craft.setup(rng)
    tape = Tape(System(RULESETS[ruleset]), "m-peeks")
    agents = dict.fromkeys(seats, "house")
    tape.send(commands.Open(NOON, seats, agents, Seed.of(1), {**usual, **options}, craft.files(rng, seats)))
    return tape


def test_a_peek_is_one_public_event_and_changes_nothing_else(ruleset: str) -> None:
    tape = begun(ruleset)
    for stopped in (False, True):
        if stopped:
            tape.send(commands.Hold(NOON))
        before = tape.state
        assert before.turns
        for peek in (GameCopied(by="keeper"), AuditorLinkIssued(), SeatLinkIssued(seat=before.seats[-1])):
            (draft,) = decide(RULESETS[ruleset], before, commands.Announce(NOON, peek))
            assert (draft.event, draft.audience) == (peek, EVERYONE)
            tape.send(commands.Announce(NOON, peek))
            assert tape.state == before
    assert before.hold == STOPPED


def test_every_chair_is_told_the_same_but_the_seat_whose_link_it_is(ruleset: str) -> None:
    rules, seats = RULESETS[ruleset], begun(ruleset).state.seats
    seat = seats[0]
    told = {
        "The keeper copied this game. The copy shows all its secrets.": GameCopied(by="keeper"),
        "Someone with access to the database copied this game. The copy shows all its secrets.": GameCopied(
            by="database"
        ),
        "The keeper made an auditor's link. It shows all secrets of this game.": AuditorLinkIssued(),
    }
    for chair in (PUBLIC, AUDITOR, *map(Chair, seats)):
        for text, peek in told.items():
            piece = rules.tell(peek, chair)
            assert piece is not None
            assert (piece.text, piece.private, piece.weight, piece.mood) == (text, None, 2, "warn")
    own, other = (rules.tell(SeatLinkIssued(seat=seat), Chair(one)) for one in seats[:2])
    assert own is not None
    assert own.text == "The keeper made a new link for your seat. It shows what you see and can answer for you."
    assert other is not None
    shows = f"It shows what {seat} sees and can answer for {seat}."
    assert other.text == f"The keeper made a new link for {seat}'s seat. {shows}"


def test_nothing_is_told_at_a_game_that_is_over(ruleset: str) -> None:
    over = begun(ruleset).state.but(over=True)
    assert decide(RULESETS[ruleset], over, commands.Announce(NOON, AuditorLinkIssued())) == ()


def test_the_keeper_is_sighted_unless_the_game_is_opened_blind(ruleset: str) -> None:
    for options, keeper in (({}, "sighted"), ({"keeper": "blind"}, "blind")):
        opening = begun(ruleset, **options).log[0].event
        assert isinstance(opening, GameOpened)
        assert opening.options["keeper"] == keeper
        told = RULESETS[ruleset].tell(opening, PUBLIC)
        assert told is not None
        assert ("The keeper: blind" in told.note) == (keeper == "blind")


def test_any_other_keeper_is_refused(ruleset: str) -> None:
    with pytest.raises(SetupRefused, match="keeper"):
        begun(ruleset, keeper="asleep")
