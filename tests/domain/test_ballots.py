"""What the core does for every ruleset: ballots, silence, the end, and the way to the next turns."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest
from pydantic import Field

from sottovoce.domain import commands
from sottovoce.domain.audience import everyone
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import RulesetDefect
from sottovoce.domain.events import Closing, Event
from sottovoce.domain.folds import adds
from sottovoce.domain.game import Game
from sottovoce.domain.piece import line
from sottovoce.domain.ruleset import Players, Ruleset, TurnOptions
from sottovoce.domain.testing import NOON, Playtest, given
from sottovoce.domain.turns import Ballot, Count, Table


class MotionCounted(Event["CouncilState"], name="council.motion-counted.v1", seen_by=everyone):
    """How the council voted."""

    about: str | None
    votes: dict[str, str]
    carried: bool

    example = {"about": "roof", "votes": {"Ada": "yes"}, "carried": True}
    tell = line("The council has voted.")
    fold = adds("counted")


class CouncilEnded(Closing["CouncilState"], name="council.ended.v1", seen_by=everyone):
    """Who has had the last word."""

    example = {"winner": "Ada"}
    tell = line("The council is over.")


class CouncilState(Table, frozen=True):
    """A council as far as it is known."""

    options: TurnOptions = TurnOptions()
    counted: tuple[MotionCounted, ...] = ()


class Vote(Ballot[CouncilState], kind="vote", choices=("yes", "no"), silence="no"):
    """Vote yes or no."""

    @classmethod
    def counted(cls, game: Game[CouncilState], count: Count) -> None:
        game.emit(MotionCounted(about=count.about, votes=dict(count.votes), carried=count.carried("yes")))


class Council(Ruleset[CouncilState]):
    """All vote on the roof and the well at once, then the first two on the roof again."""

    name = "council"
    options = TurnOptions
    seats = (Players(2, 9),)
    state = CouncilState()
    events = (MotionCounted, CouncilEnded)
    turns = (Vote,)

    def advance(self, game: Game[CouncilState]) -> None:
        state = game.state
        match len(state.counted):
            case 0:
                game.ask(state.seats, Vote, about="roof")
                game.ask(state.seats, Vote, about="well")
            case 2:
                game.ask(state.seats[:2], Vote, about="roof")
            case _:
                game.emit(CouncilEnded(winner=state.seats[0]))


COUNCIL = Council()


def council(rules: Council = COUNCIL) -> Playtest[CouncilState]:
    return given(rules).when(commands.Open(NOON, ("Ada", "Bram", "Cleo"), {}, Seed.of(1)))


def voting(game: Playtest[CouncilState], number: int, **votes: str) -> Playtest[CouncilState]:
    """Those seats answer their turns of that number, in the order given."""
    for seat, vote in votes.items():
        game = game.when(commands.Reply(NOON, seat, number, vote))
    return game


@pytest.mark.spec("M-083")
def test_a_ballot_is_counted_once_when_the_last_seat_has_answered_and_in_seating_order() -> None:
    game = voting(council(), 1, Cleo="yes", Bram="no")
    assert not game.all(MotionCounted)
    assert game.asked("vote").count("Ada") == 2
    game = voting(game, 1, Ada="yes")
    assert [(event.about, list(event.votes.items()), event.carried) for event in game.all(MotionCounted)] == [
        ("roof", [("Ada", "yes"), ("Bram", "no"), ("Cleo", "yes")], True)
    ]


@pytest.mark.spec("M-020")
def test_what_stands_in_for_silence_is_a_vote_like_any_other() -> None:
    game = voting(council(), 1, Ada="yes", Bram="yes")
    for attempt in (1, 2, 3):
        game = game.when(commands.Expire(NOON, "Cleo", 1, attempt))
    assert game.last(MotionCounted).votes == {"Ada": "yes", "Bram": "yes", "Cleo": "no"}


def test_ballots_about_different_things_are_counted_apart() -> None:
    game = voting(council(), 2, Ada="no", Bram="no", Cleo="no")
    assert [(event.about, event.carried) for event in game.all(MotionCounted)] == [("well", False)]
    game = voting(game, 1, Ada="yes", Bram="yes", Cleo="yes")
    assert [(event.about, event.carried) for event in game.all(MotionCounted)] == [("well", False), ("roof", True)]


def held_again() -> Playtest[CouncilState]:
    game = voting(council(), 1, Ada="yes", Bram="yes", Cleo="yes")
    return voting(game, 2, Ada="yes", Bram="yes", Cleo="yes")


@pytest.mark.spec("M-046")
def test_a_ballot_that_is_held_again_forgets_who_voted_before() -> None:
    game = held_again()
    assert game.asked("vote") == ("Ada", "Bram")
    assert "vote.roof" not in game.state.ballots
    game = voting(game, 3, Ada="no", Bram="yes")
    assert game.last(MotionCounted).votes == {"Ada": "no", "Bram": "yes"}
    assert not game.last(MotionCounted).carried, "half is not more than half"


class Whipped(Council):
    """Bram may vote no alone."""

    def advance(self, game: Game[CouncilState]) -> None:
        game.ask(("Ada", "Cleo"), Vote)
        game.ask("Bram", Vote, ("no",))


@pytest.mark.parametrize("order", list(permutations(("Ada", "Bram", "Cleo"))), ids=str)
def test_choices_and_tally_stand_in_one_order_whoever_answers_last(
    monkeypatch: pytest.MonkeyPatch, order: tuple[str, ...]
) -> None:
    counts: list[Count] = []

    def counted(game: Game[CouncilState], count: Count) -> None:
        counts.append(count)
        game.emit(CouncilEnded(winner="Ada"))

    monkeypatch.setattr(Vote, "counted", counted)
    voting(council(Whipped()), 1, **{seat: "no" if seat == "Bram" else "yes" for seat in order})
    assert [(count.choices, list(count.tally.items())) for count in counts] == [
        (("yes", "no"), [("yes", 2), ("no", 1)])
    ]


def test_the_closing_event_ends_the_game_and_says_who_won() -> None:
    game = voting(held_again(), 3, Ada="no", Bram="yes")
    assert game.state.over
    assert game.state.winner == "Ada"


class Idle(Council):
    """Nobody is asked anything."""

    def advance(self, game: Game[CouncilState]) -> None:
        pass


def test_a_ruleset_that_stands_still_is_told_unless_it_waits_for_a_time() -> None:
    with pytest.raises(RulesetDefect, match="stands still"):
        council(Idle())
    assert not council(Idle().but(wakes_at=lambda state: NOON + timedelta(minutes=1))).state.turns


class Restless(Council):
    """What is told goes on without an end."""

    def advance(self, game: Game[CouncilState]) -> None:
        game.emit(MotionCounted(about=None, votes={}, carried=False))


def test_a_ruleset_that_goes_round_in_a_circle_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sottovoce.domain.game.MOST_STEPS", 20)
    with pytest.raises(RulesetDefect, match="round in a circle"):
        council(Restless())


class WeighedOptions(TurnOptions):
    """Rules with a name that is no field's."""

    votes_needed: int = Field(default=2, alias="votes-needed")


class Weighed(Council):
    """A council whose options have an alias."""

    options = WeighedOptions


@pytest.mark.parametrize("name", ["votes-needed", "votes_needed"])
def test_a_rule_with_an_alias_is_taken_by_either_name(name: str) -> None:
    game = given(Weighed()).when(commands.Open(NOON, ("Ada", "Bram", "Cleo"), {}, Seed.of(1), {name: 3}))
    assert game.state.options == WeighedOptions.model_validate({"votes-needed": 3})
