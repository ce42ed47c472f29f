"""What the user asks for with another iteration: numbered, answered one by one, and told where it is left (D-069)."""

from __future__ import annotations

import delegating as kit
import pytest
from delegating import EXECUTOR, PLANNER, REVIEWER, TASK, USER, Game, message, say, task

from sottovoce.rulesets.delegation.rules.events import ItemsAnswered, ItemsAsked, ItemsLeft, ItemsPassedOn
from sottovoce.rulesets.delegation.rules.wishes import Answer, answers, wishes

WORDS = "iterate:\n1. Add a title.\n2. Add a picture,\n   in colour.\n"
REQUEST = "# Request\n\n## Asked for\n\n1. done: on top\n"
REPORT = "# Report\n\n## Asked for\n\n- 1. done\n- 2. not done: there is no picture\n"


def asked(game: Game | None = None, words: str = WORDS) -> Game:
    return kit.choose(game or kit.stopped(), USER, words)


def handed_back(game: Game | None = None) -> Game:
    return kit.iterating(game or asked())


def requested_again(game: Game | None = None, text: str = REQUEST) -> Game:
    game = game or handed_back()
    return say(game, message("review_requested", task(game).round + 1), text)


def stopped_again(game: Game | None = None, text: str = REPORT) -> Game:
    game = game or requested_again()
    return say(game, message("stop_recommended", task(game).round), text)


@pytest.mark.parametrize(
    ("words", "items"),
    [
        ("- Add a title.\n- Add a\n  picture.", ("Add a title.", "Add a picture.")),
        ("Please do this:\n1) One\n2) Two", ("One", "Two")),
        ("Add a title\nand a picture.", ("Add a title and a picture.",)),
        ("  \n", ()),
    ],
)
def test_words_become_items(words: str, items: tuple[str, ...]) -> None:
    assert wishes(words) == items


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("1. done", Answer(1, True)),
        ("- 1. Done: it is on top.", Answer(1, True, "it is on top.")),
        ("* **1.** not done — no room", Answer(1, False, "no room")),
        ("Item 1: not done", Answer(1, False)),
        ("1. Added the title", Answer(1)),
        ("2. done", Answer(1)),
    ],
)
def test_answers_are_read_line_by_line(line: str, answer: Answer) -> None:
    assert answers(f"# R\n\n## Asked for\n\n{line}\n\n## Other\n\n1. not done\n", [1]) == (answer,)
    assert answers(f"# R\n\n{line}\n", [1]) == (Answer(1),), "only under the heading"


@pytest.mark.spec("D-069")
def test_what_the_user_asks_for_is_numbered_and_reaches_the_executor_with_the_iteration() -> None:
    game = asked()
    assert game.last(ItemsAsked).items == ("Add a title.", "Add a picture, in colour.")
    assert game.audiences(ItemsAsked) == [[REVIEWER, USER]]
    assert not game.known(EXECUTOR).tasks[TASK].wanted
    game = handed_back(game)
    assert game.last(ItemsPassedOn).items == ("Add a title.", "Add a picture, in colour.")
    assert game.audiences(ItemsPassedOn) == [[EXECUTOR]]
    assert "Asked for by the user, item 2: «Add a picture, in colour.»" in game.context(EXECUTOR)
    assert "answer each item by its number" in game.context(EXECUTOR)


@pytest.mark.spec("D-069")
def test_request_and_report_answer_each_item_and_silence_is_recorded() -> None:
    game = requested_again()
    assert game.last(ItemsAnswered).answers == (Answer(1, True, "on top"), Answer(2))
    assert game.audiences(ItemsAnswered) == [sorted((EXECUTOR, REVIEWER, USER))]
    assert "The executor says of item 1: «done. on top»" in game.context(REVIEWER)
    game = stopped_again(game)
    assert game.last(ItemsAnswered).answers == (Answer(1, True), Answer(2, False, "there is no picture"))
    assert "You asked for item 2, which is not done: «Add a picture, in colour.»" in game.context(USER)


@pytest.mark.spec("D-069")
def test_the_close_out_lists_what_is_left() -> None:
    game = kit.accepting(stopped_again())
    assert "Asked for and not done, item 2: «Add a picture, in colour.»" in game.context(REVIEWER)
    assert "item 1" not in game.context(REVIEWER)
    game = kit.closing(game)
    assert game.last(ItemsLeft).items == ((2, "Add a picture, in colour.", "not done"),)
    assert game.audiences(ItemsLeft) == [[REVIEWER, USER]]
    assert PLANNER not in game.audiences(ItemsLeft)[0]


@pytest.mark.spec("D-069")
def test_nothing_is_left_where_all_is_done() -> None:
    done = REPORT.replace("not done", "done")
    assert not kit.closing(kit.accepting(stopped_again(text=done))).all(ItemsLeft)
    assert not kit.closing().all(ItemsLeft)


@pytest.mark.spec("D-069")
def test_items_of_a_second_iteration_have_further_numbers_and_open_ones_stay() -> None:
    game = asked(stopped_again(), "iterate: and an index")
    assert (game.last(ItemsAsked).first, game.last(ItemsAsked).items) == (3, ("and an index",))
    game = say(game, message("user_requested_iteration", 2), REPORT)
    assert (game.last(ItemsPassedOn).first, game.last(ItemsPassedOn).items) == (3, ("and an index",))
    game = requested_again(game, "# R\n\n## Asked for\n\n2. done\n3. done\n")
    assert [one.number for one in game.last(ItemsAnswered).answers] == [2, 3]


def test_an_iteration_without_words_has_no_items() -> None:
    assert not asked(words="iterate").all(ItemsAsked)
