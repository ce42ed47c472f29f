"""What the golden games of Mafia hold."""

from __future__ import annotations

import house_invariants
import pytest
from golden import FOLDERS, LOGS, named, of

from sottovoce import golden as kit
from sottovoce.domain.events import AttemptFailed, Recorded, SeatsFilled
from sottovoce.domain.rulesets import RULESETS
from sottovoce.rulesets.mafia.rules import events as mafia


def test_every_way_to_win_is_among_them() -> None:
    winners = {event.winner for log in map(kit.read_log, LOGS) for event in of(log, mafia.GameEnded)}
    assert winners == {"town", "mafia", "jester", "draw"}


def test_ties_hold_a_drawn_target_and_a_trial_that_condemns_nobody() -> None:
    log = named("ties")
    ballots = of(log, mafia.MafiaBallotClosed)
    assert any(ballot.drawn and ballot.round == 2 for ballot in ballots)
    assert any(ballot.target is None for ballot in ballots)
    trials = of(log, mafia.TrialClosed)
    assert any(trial.again for trial in trials)
    assert any(trial.tied and not trial.again and trial.condemned is None for trial in trials)
    assert any(not closed.seconded for closed in of(log, mafia.SecondingClosed))


def test_fallbacks_hold_every_kind_of_failure() -> None:
    log = named("fallbacks")
    failed = of(log, AttemptFailed)
    assert {one.reason for one in failed} == {"invalid", "timeout"}
    assert any("Detective" in one.text and one.seat == "narrator" for one in failed), "a narration that says too much"
    stood_in = [item.event.data() for item in log if item.name.startswith("core.fallback-applied.")]
    assert {one["reason"] for one in stood_in} == {"invalid", "timeout"}
    assert {one["choice"] is None for one in stood_in} == {True, False}


def test_long_nights_wait_and_announce_roles() -> None:
    log = named("long-nights")
    held = of(log, mafia.DawnHeld)
    dawns = [item for item in log if isinstance(item.event, mafia.PhaseBegan) and item.event.phase == "dawn"]
    assert all(dawn.at >= hold.until for dawn, hold in zip(dawns, held, strict=True))
    announced = {name for event in of(log, mafia.DeathsAnnounced) for name in event.deaths}
    assert announced & {event.player for event in of(log, mafia.RoleRevealed)}


def test_a_day_is_played_that_dawn_would_have_ended() -> None:
    state = RULESETS["mafia"].initial
    outnumbered_by_day = False
    for item in named("no-check-at-dawn"):
        state = RULESETS["mafia"].evolve(state, item.event)
        if state.phase == "nominations":
            outnumbered_by_day |= len(state.living_mafia) * 2 >= len(state.living)
    assert outnumbered_by_day


def by_the_house(log: list[Recorded]) -> set[str]:
    """Return the seats that the house fills."""
    return {seat for event in of(log, SeatsFilled) for seat, agent in event.agents.items() if agent == "house"}


HOUSE = [path.stem for path in LOGS if path.is_relative_to(FOLDERS["mafia"]) and by_the_house(kit.read_log(path))]


def test_the_house_plays_some_of_them() -> None:
    assert {"house-five", "house-eight", "bids"} <= set(HOUSE)


@pytest.mark.spec("H-001")
@pytest.mark.parametrize("name", HOUSE)
def test_house_players_keep_their_rules_in_golden_games(name: str) -> None:
    log = named(name)
    assert not house_invariants.broken([item.event for item in log], by_the_house(log))
