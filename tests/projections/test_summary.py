"""A game in one line, its status for each viewer, and many games counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from table import Table

from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import HoldLifted, HoldPlaced, ReplyAccepted, TurnOpened
from sottovoce.projections.perspective import FULL, PUBLIC, Perspective, of_seat
from sottovoce.projections.summary import Summary, show, summary
from sottovoce.projections.tally import Tally, wilson
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules import events as e


def waiting(log: Any, perspective: Perspective) -> Any:
    return show(MAFIA, log.recorded, perspective).waiting_for


def test_the_line_of_an_open_game(log: Any) -> None:
    assert summary(MAFIA, log.recorded).to_json() == {
        "game": "m-hand",
        "ruleset": "mafia",
        "status": "open",
        "started": "2026-01-01T12:00:01.250000+00:00",
        "ended": None,
        "winner": None,
        "fallbacks": None,
    }


def test_a_public_hold_shows_until_it_is_lifted(log: Any) -> None:
    log.add(HoldPlaced(waiting_for="narrator", why="Nobody answers."), EVERYONE)
    assert summary(MAFIA, log.recorded).status == "held"
    log.add(HoldLifted(), EVERYONE)
    assert summary(MAFIA, log.recorded).status == "open"


def test_a_hold_that_not_all_are_told_of_shows_to_an_auditor_alone(log: Any) -> None:
    log.add(HoldPlaced(waiting_for="narrator", why="Nobody answers."))
    public = summary(MAFIA, log.recorded)
    assert public.status == "open"
    assert public.audited(log.recorded).status == "held"
    log.add(HoldLifted())
    assert summary(MAFIA, log.recorded).audited(log.recorded).status == "open"


def test_one_event_after_the_other_comes_to_the_same(played: Callable[[int], Table]) -> None:
    recorded = played(3).recorded
    current = Summary.of(recorded[0])
    for item in recorded[1:]:
        current = current.after(item)
    assert current == summary(MAFIA, recorded)
    assert current.status == "over"
    assert current.ended == recorded[-1].at
    ended = recorded[-1].event
    assert isinstance(ended, e.GameEnded)
    assert current.winner == ended.winner


def test_a_log_without_an_opening_has_no_summary(log: Any) -> None:
    with pytest.raises(ValueError, match="does not begin"):
        summary(MAFIA, log.recorded[1:])
    with pytest.raises(ValueError, match="empty"):
        summary(MAFIA, [])


def test_show_adds_seats_phase_options_and_who_is_awaited(log: Any) -> None:
    answer = json.loads(json.dumps(show(MAFIA, log.recorded, PUBLIC).to_json()))
    assert answer == {
        "game": "m-hand",
        "ruleset": "mafia",
        "status": "open",
        "started": "2026-01-01T12:00:00+00:00".replace("00+00:00", "00.000000+00:00"),
        "ended": None,
        "winner": None,
        "fallbacks": None,
        "seats": ["Ada", "Bram", "Cleo", "Dirk", "Edda", "narrator"],
        "phase": "night 1",
        "waiting_for": ["the night"],
        "options": {"max_attempts": 3},
        "seed": None,
        "chairs": [],
        "repeatable": None,
        "failures": None,
        "substitutes": None,
    }


def test_at_night_the_public_is_told_nothing_of_who_is_asked(log: Any) -> None:
    log.add(TurnOpened(seat="Dirk", turn=1, kind="protect", choices=("Ada",), attempts=3))
    assert waiting(log, PUBLIC) == ("the night",)
    assert waiting(log, of_seat("Bram")) == ("the night",)
    assert waiting(log, of_seat("Dirk")) == ("Dirk",)
    assert waiting(log, FULL) == ("Dirk",)
    assert show(MAFIA, log.recorded, PUBLIC).turns == ()
    assert [turn.seat for turn in show(MAFIA, log.recorded, FULL).turns] == ["Dirk"]


def test_who_has_voted_in_a_sealed_ballot_shows_to_nobody(log: Any) -> None:
    log.add(e.PhaseBegan(phase="dawn", number=1))
    log.add(e.PhaseBegan(phase="nominations", number=1))
    assert waiting(log, PUBLIC) == ("Ada",)
    log.add(e.NominationMade(day=1, player="Ada", nominee="Bram"))
    for voter in ("Bram", "Cleo", "Dirk", "Edda"):
        log.add(
            TurnOpened(seat=voter, turn=1, kind="second", choices=("yes", "no"), attempts=3, ballot="second.1.Bram")
        )
    before = [waiting(log, perspective) for perspective in (PUBLIC, of_seat("Ada"), of_seat("narrator"))]
    log.add(ReplyAccepted(seat="Cleo", turn=1, choice="yes", text="yes"))
    after = [waiting(log, perspective) for perspective in (PUBLIC, of_seat("Ada"), of_seat("narrator"))]
    assert before == after == [("players",)] * 3
    assert waiting(log, of_seat("Cleo")) == ("players",)
    assert waiting(log, of_seat("Dirk")) == ("Dirk",)
    assert waiting(log, FULL) == ("Bram", "Dirk", "Edda")


def test_what_fills_the_seats_and_a_hidden_hold_are_the_auditors(log: Any) -> None:
    log.add(HoldPlaced(waiting_for="narrator", why="Nobody answers."))
    full, public = show(MAFIA, log.recorded, FULL), show(MAFIA, log.recorded, PUBLIC)
    assert (full.summary.status, full.waiting_for, (full.agents or {})["Ada"]) == ("held", ("narrator",), "house")
    assert (public.summary.status, public.hold, public.agents) == ("open", None, None)


def test_a_public_answer_does_not_move_with_hidden_events(played: Callable[[int], Table]) -> None:
    recorded = played(2).recorded
    answer = None
    for length in range(1, len(recorded)):
        new = show(MAFIA, recorded[:length], PUBLIC).to_json()
        if recorded[length - 1].audience.seats is not None and answer is not None:
            assert new == answer
        answer = new


def test_somebody_is_named_whoever_asks_until_the_game_is_over(played: Callable[[int], Table]) -> None:
    recorded = played(1).recorded
    for length in range(1, len(recorded) + 1, 40):
        shown = show(MAFIA, recorded[:length], PUBLIC)
        assert shown.waiting_for or shown.summary.status == "over"
    assert show(MAFIA, recorded, FULL).waiting_for == ()


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        # Published figures (Newcombe 1998, table I, method 3; Brown, Cai and DasGupta 2001).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
        (5, 10, 0.2366, 0.7634),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_intervals_agree_with_known_figures(wins: int, games: int, low: float, high: float) -> None:
    assert wilson(wins, games) == pytest.approx((low, high), abs=5e-5)


def test_the_tally_of_one_game(played: Callable[[int], Table]) -> None:
    table = played(3)
    tally = Tally.of(MAFIA, table.recorded, seconds=2.5)
    answer = tally.to_json()
    assert list(answer) == [
        "games",
        "winners",
        "decisions",
        "events",
        "fallbacks",
        "refusals",
        "tokens",
        "cost",
        "seconds",
        "voided",
        "held",
        "open",
        "stood_in",
        "failures",
        "substitutes",
        "seats",
    ]
    assert answer["winners"] == {table.state.winner: 1}
    assert answer["events"] == len(table.recorded)
    assert answer["decisions"] == sum(isinstance(item.event, ReplyAccepted) for item in table.recorded)
    assert tally.mean_rounds == tally.median_rounds == table.state.number
    assert (answer["tokens"], answer["cost"], answer["seconds"]) == (0, 0.0, 2.5)


def test_tallies_add_up_in_any_order(played: Callable[[int], Table]) -> None:
    one, two, three = (Tally.of(MAFIA, played(seed).recorded) for seed in (1, 2, 3))
    assert one + (two + three) == (three + one) + two
    assert one + Tally() == one
    total = one + two + three
    assert (total.games, sum(total.winners.values())) == (3, 3)
    assert total.median_decisions == sorted(tally.decisions for tally in (one, two, three))[1]
    assert total.mean_decisions == pytest.approx(total.decisions / 3)
    assert Tally().mean_rounds is None


def test_shares_are_of_all_games_most_wins_first() -> None:
    tally = Tally(games=10, winners={"jester": 1, "town": 5, "mafia": 3})
    assert [(share.side, share.wins, share.share) for share in tally.shares] == [
        ("town", 5, 0.5),
        ("mafia", 3, 0.3),
        ("jester", 1, 0.1),
    ]
    assert (tally.shares[0].low, tally.shares[0].high) == pytest.approx((0.2366, 0.7634), abs=5e-5)


def test_what_a_model_cost_is_known_or_unknown_and_never_guessed(log: Any, receipts: Any) -> None:
    receipts.ended("Ada", receipts.handed("Ada", 3, agent="house"))
    receipts.ended(
        "Bram", receipts.handed("Bram", 3, agent="openai:m", by="prompt"), prompt_tokens=90, reply_tokens=10, cost=0.25
    )
    known = Tally.of(MAFIA, log.recorded, receipts.made)
    assert (known.tokens, known.cost) == (100, 0.25)
    receipts.ended("Cleo", receipts.handed("Cleo", 3, agent="openai:m", by="prompt"), prompt_tokens=90, reply_tokens=10)
    partly = Tally.of(MAFIA, log.recorded, receipts.made)
    assert (partly.tokens, partly.cost) == (200, None)
    receipts.ended("Dirk", receipts.handed("Dirk", 3, agent="openai:m", by="prompt"), "failed")
    unknown = Tally.of(MAFIA, log.recorded, receipts.made)
    assert (unknown.tokens, unknown.cost) == (None, None)
    assert (known + unknown).cost is None
    assert replace(known + known, seconds=1.0).cost == 0.5
