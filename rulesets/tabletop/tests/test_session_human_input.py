"""Questions to the human, actions and rolls (T-087 to T-097, T-164)."""

from __future__ import annotations

import json

import pytest
from session import CORWIN, TILDA, Session, content, envelope, opened, reply, session

from sottovoce import Order
from sottovoce.domain.events import AttemptFailed, MessageRefused
from sottovoce.rulesets.tabletop.rules.events import DiceRolled, PromptClosed
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD
from sottovoce.rulesets.tabletop.shown.orders import ORDERS

DOORS = [{"label": "Left", "description": "The left door"}, {"label": "Right", "description": "The right one"}]


def ask(game: Session, question: str = "Which door?", options: list[dict[str, str]] = DOORS) -> Session:
    return game.send(GM, TEAM_LEAD, "ASK_PLAYER", question=question, header="Doors", options=options)


@pytest.mark.spec("T-089", "T-087")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2", "current"])
def test_a_question_is_put_to_the_human_as_a_choice_and_answered(edition: str) -> None:
    game = ask(opened(edition))
    assert game.open()[HUMAN] == ["choose"]
    shown = game.play.context(HUMAN)
    for words in ("Doors: Which door?", "1 Left: The left door", "2 Right: The right one"):
        assert words in shown
    assert game.play.request(HUMAN).options == ("Left: The left door", "Right: The right one")
    done = game.reply(HUMAN, "left")
    answer = done.sent("PLAYER_ANSWER")[0]
    assert (answer.seat, answer.to, answer.fields["answer"], answer.fallback) == (TEAM_LEAD, GM, "Left", False)
    assert done.open()[GM] == ["beat"]
    assert "answered your question" in done.play.request(GM).ask


@pytest.mark.spec("T-091", "T-089")
def test_any_typed_text_answers_the_oldest_question() -> None:
    game = opened()
    items = [
        (TEAM_LEAD, content(game.state, "ASK_PLAYER", question=question, header="Doors", options=DOORS))
        for question in ("First?", "Second?")
    ]
    game = game.reply(GM, reply(*items))
    first = game.reply(HUMAN, "Neither; I wait.")
    assert [event.fields for event in first.sent("PLAYER_ANSWER")] == [
        {"question": "First?", "answer": "Neither; I wait."}
    ]
    assert "Second?" in first.play.context(HUMAN)
    assert [held.question for held in first.state.questions] == ["Second?"]
    worded = game.say(TEAM_LEAD, envelope(game.state, GM, "PLAYER_ANSWER", question="Something else?", answer="Left"))
    assert [held.question for held in worded.state.questions] == ["Second?"]
    assert "Second?" in worded.play.context(HUMAN)


@pytest.mark.spec("T-091")
def test_a_number_takes_the_option_that_it_numbers_and_any_other_is_an_answer_of_its_own() -> None:
    game = ask(opened())
    for words, answer in (
        ("2", "Right"),
        ("1.", "Left"),
        ("3", "3"),
        ("0", "0"),
        ("00012", "00012"),
        ("9" * 5000, "9" * 5000),
    ):
        assert [event.fields["answer"] for event in game.reply(HUMAN, words).sent("PLAYER_ANSWER")] == [answer]


@pytest.mark.spec("T-091")
def test_an_answer_with_no_question_open_is_refused() -> None:
    game = opened()
    step = game.say(TEAM_LEAD, envelope(game.state, GM, "PLAYER_ANSWER", question="Which?", answer="Left"))
    assert "No ASK_PLAYER is open" in step.refusal()


@pytest.mark.spec("T-164")
def test_a_question_has_no_time_limit_unless_one_is_set_and_then_its_first_option_is_taken() -> None:
    assert ask(opened()).turn(HUMAN).seconds is None
    late = ask(opened(human_seconds=30)).expire(HUMAN)
    assert [(event.fields["answer"], event.fallback) for event in late.sent("PLAYER_ANSWER")] == [("Left", True)]
    assert not [event for event in late.last if isinstance(event, AttemptFailed)]


@pytest.mark.spec("T-164")
def test_where_nobody_is_there_the_first_option_is_taken_at_once() -> None:
    for game in (opened(human=False), opened().say(HUMAN, "/away")):
        step = ask(game)
        assert [(event.fields["answer"], event.fallback) for event in step.sent("PLAYER_ANSWER")] == [("Left", True)]
        assert step.open()[GM] == ["beat"]
    leaving = ask(opened()).say(HUMAN, "/away")
    assert [event.fallback for event in leaving.sent("PLAYER_ANSWER")] == [True]
    assert HUMAN not in leaving.open()
    acting = opened("phase-2", "Fog.\n\nWhat do you do?").say(HUMAN, "/away")
    assert HUMAN not in acting.open()
    assert acting.open()[GM] == ["beat"]


@pytest.mark.spec("T-164")
def test_an_action_prompt_whose_time_runs_out_is_closed_and_the_gm_goes_on() -> None:
    prompt = "Fog.\n\nWhat do you do?"
    assert opened("phase-2", prompt).turn(HUMAN).seconds is None
    late = opened("phase-2", prompt, human_seconds=30).expire(HUMAN)
    assert not late.sent("PLAYER_ACTION")
    assert [event.fallback for event in late.last if isinstance(event, PromptClosed)] == [True]
    assert late.open()[GM] == ["beat"]


@pytest.mark.spec("T-097", "T-096")
@pytest.mark.parametrize("edition", ["phase-1", "phase-2"])
def test_on_the_human_s_action_the_gm_is_asked_for_the_outcome(edition: str) -> None:
    game = opened(edition, "Fog.\n\nWhat do you do?")
    assert GM not in game.open()
    acted = game.reply(HUMAN, "I wait.")
    assert acted.open()[GM] == ["beat"]
    assert "Narrate the outcome" in acted.play.request(GM).ask
    assert "I wait." in acted.play.context(GM)
    unasked = opened(edition)
    text = envelope(unasked.state, GM, "PLAYER_ACTION", character=TILDA, action="I wait.")
    assert "No NARRATIVE has asked" in unasked.say(TEAM_LEAD, text).refusal()


def roll(game: Session, seat: str, who: str, dice: str = "1d20+2", **more: object) -> Session:
    return game.say(seat, json.dumps({"roll": {"who": who, "check": "luck", "expression": dice, **more}}))


@pytest.mark.spec("T-166", "T-092")
def test_a_roll_is_recorded_for_who_asked_and_the_gm_and_for_the_human_s_character_as_dice_result() -> None:
    own = roll(opened(), CORWIN, CORWIN, dc=10)
    assert own.audience(DiceRolled) == {CORWIN, GM}
    assert not own.sent()
    human = roll(opened(), GM, TILDA, dc=10)
    assert human.audience(DiceRolled) == {GM}
    assert human.audience(MessageSent, "DICE_RESULT") == {GM, TEAM_LEAD, HUMAN}
    drawn = next(event for event in human.last if isinstance(event, DiceRolled))
    assert human.sent("DICE_RESULT")[0].fields["roll"] == drawn.roll
    assert drawn.roll.endswith(f" = {drawn.total}")
    assert not roll(opened(human=False), GM, TILDA).sent()


@pytest.mark.spec("T-166")
def test_a_player_rolls_for_its_own_character_only_and_others_not_at_all() -> None:
    for seat, who in ((CORWIN, TILDA), (NARRATOR, CORWIN), (TEAM_LEAD, TILDA)):
        step = roll(opened(), seat, who)
        assert "your own character only" in step.refusal()
        assert not [event for event in step.last if isinstance(event, DiceRolled)]
    assert roll(opened(), GM, CORWIN).last


@pytest.mark.spec("T-166")
def test_a_seat_s_next_roll_depends_on_the_seed_and_its_own_rolls_alone() -> None:
    def third(*others: str) -> object:
        game = opened()
        for seat in others:
            game = roll(game, seat, seat)
        game = roll(game, CORWIN, CORWIN, "3d100")
        return [event.roll for event in game.last if isinstance(event, DiceRolled)]

    assert third() == third("bryn-oake", "bryn-oake")
    assert third() != third(CORWIN)


@pytest.mark.spec("T-100", "T-089")
def test_before_the_start_the_gm_asks_the_human_which_character_to_play() -> None:
    game = session(start=False)
    assert game.open() == {GM: ["cast"]}
    game = ask(game, "Who are you?", [{"label": name, "description": "-"} for name in game.state.roster])
    assert not game.state.started
    begun = game.reply(HUMAN, "Corwin-Voss")
    start = begun.sent("SESSION_COMMAND")[0]
    assert (start.fields["command"], start.fields["player_character"]) == ("start", CORWIN)
    assert begun.open() == {GM: ["opening"]}


@pytest.mark.spec("T-100")
def test_an_answer_that_names_no_character_is_asked_for_again_but_not_without_end() -> None:
    strange = [{"label": "Somebody", "description": "-"}]
    game = ask(session(start=False), "Who?", strange).reply(HUMAN, "Zed")
    assert game.open() == {GM: ["cast"]}
    late = ask(session(start=False, human_seconds=5), "Who?", strange).expire(HUMAN)
    assert late.state.started
    assert late.state.character == TILDA


@pytest.mark.spec("T-090", "T-091")
@pytest.mark.parametrize("words", ["left", "LEFT", "Left"])
def test_the_name_of_an_option_in_any_letters_takes_it_as_it_is_written(words: str) -> None:
    answer = ask(opened()).reply(HUMAN, words).sent("PLAYER_ANSWER")
    assert [event.fields["answer"] for event in answer] == ["Left"]


@pytest.mark.parametrize("order", ORDERS[HUMAN], ids=lambda order: order.name)
def test_every_declared_order_is_one_that_the_rules_read(order: Order) -> None:
    game = opened("phase-2", human=True)
    game = game.say(HUMAN, "/away") if order.text == "/back" else game
    game = game.say(HUMAN, order.text.format(to=CORWIN, words="Hurry."))
    assert not any(isinstance(event, MessageRefused) for event in game.last)
