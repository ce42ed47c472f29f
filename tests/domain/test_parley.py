"""The core with a ruleset unlike Mafia: several messages a reply, unprompted ones, a seat without a stand-in."""

from __future__ import annotations

from typing import Any

import pytest
from parley import PARLEY, ParleyEnded, ParleyState, WordSaid

from sottovoce.domain import commands
from sottovoce.domain.audience import EVERYONE, only
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.events import (
    AttemptFailed,
    FallbackApplied,
    GameVoided,
    HoldLifted,
    HoldPlaced,
    MessageRefused,
    ReplyAccepted,
    SeatsFilled,
    TurnOpened,
    TurnWithdrawn,
)
from sottovoce.domain.game import UNREACHED
from sottovoce.domain.testing import NOON, Playtest, given


def parley(**options: Any) -> Playtest[ParleyState]:
    return given(PARLEY).when(commands.Open(NOON, ("host", "ann", "ben"), {"host": "house"}, Seed.of(1), options))


def held() -> Playtest[ParleyState]:
    game = parley()
    return game.reply("host", "").reply("host", "forbidden")


def test_every_message_of_a_reply_is_decided_by_itself() -> None:
    game = parley().reply("ann", "to ben: psst\nto zed: hello\nGood evening.\nforbidden\nto host: thanks")
    game.then(
        WordSaid(seat="ann", to="ben", text="psst"),
        WordSaid(seat="ann", to=None, text="Good evening."),
        ReplyAccepted(seat="ann", turn=1, text=""),
        WordSaid(seat="ann", to="host", text="thanks"),
        MessageRefused(seat="ann", turn=1, text=game.last(MessageRefused).text, message="There is no seat 'zed'."),
        MessageRefused(seat="ann", turn=1, text=game.last(MessageRefused).text, message="That word is forbidden."),
    )
    assert [draft.audience.to_json() for draft in game.new] == [
        ["ann", "ben"],
        "everyone",
        ["ann"],
        ["ann", "host"],
        ["ann"],
        ["ann"],
    ]


def test_a_refused_move_leaves_nothing_behind_though_it_had_emitted_already() -> None:
    game = parley()
    after = game.say("ann", "to zed: hello").refused("no seat 'zed'")
    assert after.state.words == 0
    assert after.state == game.state


def test_a_reply_without_an_answer_costs_one_attempt_and_keeps_what_was_accepted() -> None:
    game = parley().reply("ann", "to ben: psst\nto zed: hello")
    assert [type(draft.event) for draft in game.new] == [WordSaid, AttemptFailed]
    assert game.last(AttemptFailed).message == "There is no seat 'zed'."
    assert game.turn("ann").attempt == 2
    silent = parley().reply("ann", "to ben: psst")
    assert silent.last(AttemptFailed).message == "That does not answer the turn."


def test_a_turn_is_closed_by_the_first_answer_only() -> None:
    game = parley().reply("ann", "One.\nTwo.")
    assert [type(draft.event) for draft in game.new] == [WordSaid, ReplyAccepted, WordSaid]
    assert game.asked() == ("host", "ben")


def test_an_unprompted_message_is_taken_without_touching_the_seats_turn() -> None:
    game = parley().say("ben", "May I?\nto zed: no")
    game.then(
        WordSaid(seat="ben", to=None, text="May I?"),
        MessageRefused(seat="ben", turn=None, text="May I?\nto zed: no", message="There is no seat 'zed'."),
    )
    assert game.turn("ben").attempt == 1


def test_the_hosts_exhausted_turn_is_withdrawn_and_the_game_holds() -> None:
    game = held()
    game.then_among(
        TurnWithdrawn(seat="host", turn=1), HoldPlaced(waiting_for="host", why="The host's attempts ran out.")
    )
    assert game.asked() == ("ann", "ben")
    assert game.state.hold is not None
    assert not game.all(FallbackApplied)


def test_a_held_game_takes_replies_to_turns_still_open_but_goes_no_further() -> None:
    game = held().reply("ann", "I wait.").reply("ben", "So do I.")
    assert game.all(WordSaid)
    assert not game.state.turns
    game.wake().then_nothing()


def test_filling_the_seat_lifts_the_hold_and_gives_fresh_attempts() -> None:
    game = held().reply("ann", "I wait.").reply("ben", "So do I.")
    game = game.when(commands.Fill(game.at, {"host": "human"}, seed=Seed.of(9)))
    game.then_among(SeatsFilled(agents={"host": "human"}, seed=Seed.of(9)), HoldLifted())
    assert game.state.hold is None
    assert game.asked() == ("host", "ann", "ben")
    turn = game.turn("host")
    assert (turn.number, turn.attempts_left, turn.failures) == (2, 2, ())
    assert not game.reply("host", "Welcome back.").all(ParleyEnded)


def test_a_fill_that_changes_nothing_only_lifts_the_hold() -> None:
    game = held().reply("ann", "I wait.").reply("ben", "So do I.")
    lifted = game.when(commands.Fill(game.at))
    assert [type(draft.event) for draft in lifted.new] == [HoldLifted, TurnOpened, TurnOpened, TurnOpened]
    parley().when(commands.Fill(NOON)).then_nothing()


def test_a_fill_without_a_seed_draws_from_the_one_before() -> None:
    game = given(PARLEY, SeatsFilled(agents={"host": "house"}, seed=Seed.of(4)), SeatsFilled(agents={"host": "human"}))
    assert game.state.seed == Seed.of(4)
    assert game.state.agents == {"host": "human"}


def test_what_cannot_be_reached_holds_the_game_once_and_may_then_void_it() -> None:
    game = parley().when(commands.Halt(NOON, "ann", 1)).then(UNREACHED)
    game.when(commands.Halt(NOON)).then_nothing()
    void = game.when(commands.Halt(NOON, void=True))
    assert void.all(GameVoided) == [GameVoided(why=UNREACHED.why)]
    assert void.state.over
    assert not void.state.turns


def test_a_game_that_waits_for_something_else_is_not_voided_since_an_agent_cannot_be_reached() -> None:
    held().when(commands.Halt(NOON, void=True)).then_nothing()
    held().when(commands.Halt(NOON, "ann", 1, void=True)).then_nothing()
    parley().when(commands.Halt(NOON, "ann", 2, void=True)).then_nothing()


def test_an_old_reply_to_the_withdrawn_turn_is_refused() -> None:
    held().when(commands.Reply(NOON, "host", 1, "I am back.")).refused("Turn 1 is closed")


def test_a_guest_that_runs_out_is_passed_over() -> None:
    game = parley().exhaust("ann")
    assert game.last(FallbackApplied) == FallbackApplied(seat="ann", turn=1, reason="invalid")
    assert game.state.hold is None


def test_a_game_that_ends_within_a_reply_asks_nothing_more() -> None:
    game = parley().reply("ann", "Hm.").reply("ben", "Hm.").reply("host", "farewell")
    assert game.state.over
    assert not game.asked()


def test_a_text_that_is_too_long_does_nothing_at_all() -> None:
    game = parley().reply("ann", "Good evening.\n" * 6000).refused("at most 65536")
    assert not game.all(WordSaid)
    assert not parley().say("ann", "x" * 65_537).refused("65537").all(WordSaid)


def test_options_and_seats_are_checked() -> None:
    with pytest.raises(SetupRefused, match="Its options are: keeper, after_end, language, attempts"):
        parley(attempt=1)
    with pytest.raises(SetupRefused, match="does not take that value"):
        parley(attempts="lots")
    with pytest.raises(SetupRefused, match="host"):
        given(PARLEY).when(commands.Open(NOON, ("ann",), {}, Seed.of(1)))


def test_an_audience_is_fixed_by_the_state_before_its_event() -> None:
    """The first word goes to its speaker alone, all later ones to everyone: the first must not count itself."""

    def first(state: ParleyState, event: Any) -> Any:
        return EVERYONE if state.words else only(event.seat)

    ruleset = PARLEY.but(audiences={**PARLEY.audiences, WordSaid: first})
    game = given(ruleset).when(commands.Open(NOON, ("host", "ann", "ben"), {"host": "house"}, Seed.of(1), {}))
    said = game.reply("ann", "One.\nTwo.\nThree.")
    words = [draft.audience.to_json() for draft in said.new if isinstance(draft.event, WordSaid)]
    assert words == [["ann"], "everyone", "everyone"]


def test_the_limit_of_an_earlier_attempt_or_turn_does_nothing_late() -> None:
    game = parley().reply("ann", "forbidden")
    assert game.last(AttemptFailed).attempt == 1
    game.when(commands.Expire(NOON, "ann", 1, 1)).then_nothing()
    game.when(commands.Expire(NOON, "ann", 1, 3)).then_nothing()
    over = game.when(commands.Expire(NOON, "ann", 1, 2))
    assert isinstance(over.new[0].event, AttemptFailed)
    assert over.last(FallbackApplied).seat == "ann"
    later = parley().reply("ann", "Hello.").reply("ben", "Hello.").reply("host", "Hello.")
    assert {(turn.seat, turn.number, turn.attempt) for turn in later.state.turns.values()} == {
        ("ann", 2, 1),
        ("ben", 2, 1),
        ("host", 2, 1),
    }
    later.when(commands.Expire(NOON, "ann", 1, 1)).then_nothing()
