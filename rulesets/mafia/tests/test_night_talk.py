"""The Mafia talk before they vote."""

from __future__ import annotations

from typing import Any

import pytest
from mafia_game import mafia_game
from mafia_tables import CAST, Game, cast, everyone_but, small

from sottovoce.domain import commands
from sottovoce.domain.events import Event, GameOpened, TurnOpened
from sottovoce.domain.testing import given
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import MafiaBallotClosed, MafiaWhispered
from sottovoce.rulesets.mafia.rules.options import MafiaOptions
from sottovoce.rulesets.mafia.rules.roles import Role

TRIO: dict[str, Role] = {
    "Ada": "Mafia",
    "Dirk": "Mafia",
    "Edda": "Mafia",
    "Bram": "Villager",
    "Cleo": "Villager",
    "Finn": "Villager",
    "Gwen": "Villager",
    "Hugo": "Villager",
}


def hanging(name: str) -> dict[str, Any]:
    """Answers with which Hugo dies in the first night and that player on the first day."""
    voting = {"second": "yes", "trial-vote": name, "execution-vote": "execute"}
    return {"kill": "Hugo", "nominate": {"Bram": name}, **voting}


def talk(**options: Any) -> Game:
    return cast(**options).until("night-talk")


@pytest.mark.spec("M-112")
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_each_living_mafia_may_say_one_thing_a_round_in_seating_order_before_the_vote(rounds: int) -> None:
    game, asked = talk(night_talk=rounds), []
    while not game.asked("kill"):
        [seat] = game.asked("night-talk")
        asked.append(seat)
        game = game.reply(seat, f"Word {len(asked)}.")
    assert asked == ["Ada", "Dirk"] * rounds
    assert [event.round for event in game.all(MafiaWhispered)] == sorted([*range(rounds)] * 2)
    assert game.asked("kill") == ("Ada", "Dirk")


@pytest.mark.spec("M-112")
def test_one_round_is_the_default_and_none_is_possible() -> None:
    assert MafiaOptions().night_talk == 1
    assert not cast(night_talk=0).to_the_end().all(MafiaWhispered)


@pytest.mark.spec("M-112")
def test_a_single_living_mafia_has_nobody_to_talk_to() -> None:
    assert not small().to_the_end().all(MafiaWhispered)
    game = talk().until(lambda state: "Dirk" in state.dead, hanging("Dirk"))
    before = len(game.all(MafiaWhispered))
    assert len(game.until(lambda state: state.number == 3).all(MafiaWhispered)) == before


@pytest.mark.spec("M-112")
def test_there_is_no_more_talk_before_a_revote() -> None:
    game = talk().until("kill").answer({"kill": {"Ada": "Hugo", "Dirk": "Gwen"}})
    assert game.last(MafiaBallotClosed).target is None
    assert game.asked() == ("Ada", "Dirk")
    assert game.asked("kill") == ("Ada", "Dirk")


@pytest.mark.spec("M-112", "M-033")
def test_talk_is_heard_by_the_living_mafia_and_the_narrator_only() -> None:
    game = talk().reply("Ada", "Hugo, for he talks.").reply("Dirk", "Hugo it is.").until("kill")
    assert game.audiences(MafiaWhispered) == [["Ada", "Dirk", "narrator"]] * 2
    for player in everyone_but("Ada", "Dirk"):
        assert "he talks" not in repr(game.seen(player))
    assert "Ada said: «Hugo, for he talks.»" in game.context("Dirk")
    late = mafia_game(TRIO).until(lambda state: state.number == 2 and state.phase == "night", hanging("Edda"))
    assert "Edda" in late.state.dead
    late = late.until("night-talk").reply("Ada", "Edda may not hear this.")
    assert late.audiences(MafiaWhispered)[-1] == ["Ada", "Dirk", "narrator"]


@pytest.mark.spec("M-112")
@pytest.mark.parametrize("text", ["pass", "I pass.", "PASS"])
def test_one_may_pass(text: str) -> None:
    game = talk().reply("Ada", text)
    assert game.last(MafiaWhispered) == MafiaWhispered(night=1, round=0, player="Ada", text=None)
    assert game.asked() == ("Dirk",)


@pytest.mark.spec("M-112", "M-020", "M-021")
def test_who_does_not_answer_has_passed() -> None:
    game = talk().exhaust("Ada")
    assert game.last(MafiaWhispered).text is None
    assert game.asked("night-talk") == ("Dirk",)


def course(*words: str) -> Game:
    """Two nights and the day between; the Mafia say these words, one after another, over and over."""
    game, said = cast(seed=7).until("protect"), 0
    while game.state.number < 3:
        turn = next(iter(game.state.turns.values()))
        if turn.kind == "night-talk":
            game = game.reply(turn.seat, words[said % len(words)])
            said += 1
        elif turn.kind in ("nominate", "trial-vote") and turn.seat != "Bram":
            game = game.exhaust(turn.seat, "I cannot say.")
        else:
            game = game.answer(order=[turn.seat])
    return game


def visible(game: Game, seat: str) -> tuple[list[Event], list[tuple[str, ...]]]:
    """What the seat has seen, and what it is asked at each moment that it is asked something."""
    return game.seen(seat), [tuple(game.request(seat).context)] if game.asked() == (seat,) else []


@pytest.mark.spec("M-112")
def test_whether_and_what_they_talk_changes_nothing_for_anybody_else() -> None:
    silent, loud = course("pass"), course("Hugo.", "pass", "Then Gwen, and let the Doctor weep; I pass.")
    assert any(whisper.text for whisper in loud.all(MafiaWhispered))
    for seat in CAST:
        if seat not in ("Ada", "Dirk"):
            assert visible(silent, seat) == visible(loud, seat)


@pytest.mark.spec("M-112")
def test_a_game_opened_before_there_was_talk_at_night_goes_on_without() -> None:
    opened = talk().all(GameOpened)[0]
    old = {key: value for key, value in opened.options.items() if key not in ("night_talk", "floor", "style")}
    events = cast(night_talk=0).until("investigate").events
    game = given(MAFIA, GameOpened(ruleset="mafia", seats=opened.seats, options=old), *events[1:])
    assert game.state.options.night_talk == 0
    assert game.state.options.style == "old"
    game = game.reply("Cleo", "Ada")
    assert game.asked("kill") == ("Ada", "Dirk")


@pytest.mark.spec("M-069", "M-071")
def test_a_seconding_that_was_opened_without_the_nominator_is_counted_without() -> None:
    game = cast(night_talk=0).until("second", {"kill": "Hugo", "nominate": {"Ada": "I nominate Dirk"}})
    asked = [event for event in game.happened if isinstance(event, TurnOpened) and event.seat == "Ada"]
    old = given(MAFIA, *(event for event in game.events if event not in asked))
    assert old.asked("second") == ("Bram", "Cleo", "Dirk", "Edda", "Finn", "Gwen")
    closed = old.answer({"second": {"Bram": "yes", "Cleo": "yes", "Dirk": "no", "Edda": "yes", "Finn": "no",
        "Gwen": "no"}})  # fmt: skip
    assert closed.state.history[-1].outcome == "no", "three of six are not more than half"
    assert closed.when(commands.Wake(closed.at)).state.pending is None


@pytest.mark.spec("M-112")
def test_a_round_in_which_all_pass_is_followed_by_the_next() -> None:
    game = talk(night_talk=2).reply("Ada", "pass").exhaust("Dirk")
    assert game.asked("night-talk") == ("Ada",)
    game = game.reply("Ada", "pass").reply("Dirk", "Gwen, then.")
    assert [(whisper.round, whisper.text) for whisper in game.all(MafiaWhispered)] == [
        (0, None),
        (0, None),
        (1, None),
        (1, "Gwen, then."),
    ]
    assert game.asked("kill") == ("Ada", "Dirk")


@pytest.mark.spec("M-112", "M-043")
@pytest.mark.parametrize("kind", ["night-talk", "kill"])
def test_a_turn_shows_what_was_said_this_night_and_not_in_an_earlier_one(kind: str) -> None:
    game = talk().reply("Ada", "Hugo, for he talks.").reply("Dirk", "Hugo it is.")
    game = game.until(lambda state: state.number == 2, hanging("Edda")).until("night-talk").reply("Ada", "Gwen now.")
    game = game if kind == "night-talk" else game.reply("Dirk", "Yes.")
    assert game.asked(kind)
    assert "Ada said: «Gwen now.»" in game.context("Dirk")
    assert "he talks" not in game.context("Dirk"), "that stands in what the seat has seen"
