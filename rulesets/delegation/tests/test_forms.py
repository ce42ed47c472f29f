"""Agents that answer in fields: an action and its file become the whole message."""

from __future__ import annotations

import delegating as kit
import pytest
from delegating import Game, accepted, task

from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.events import ArtifactFiled, MessageSent


def filled(game: Game, seat: str, **fields: str) -> str:
    turn = game.turn(seat)
    form = DELEGATION.form(game.known(seat), turn)
    assert form is not None
    return form.filled(fields)


def test_an_action_and_a_file_are_enough() -> None:
    game = kit.in_review()
    text = filled(game, "reviewer", action="rework_required", file="# Report\n\n## Must-fix\n\n- It.\n", note="a\nb")
    game = game.reply("reviewer", text)
    assert accepted(game)
    assert game.last(ArtifactFiled).must_fix == ("It.",)
    assert game.last(MessageSent).message.note == "a b"


def test_a_receiver_can_be_named_where_it_is_the_senders_to_say() -> None:
    game = kit.delegated()
    game = game.reply("executor", filled(game, "executor", action="review_requested", file="# R", to="other"))
    assert task(game).reviewer == "other"


@pytest.mark.parametrize(
    ("rounds", "legal", "other"),
    [(3, ["rework_required", "stop_recommended"], "closeout_delivered"), (1, ["stop_recommended"], "rework_required")],
)
def test_only_the_turns_own_actions_are_offered_and_taken(rounds: int, legal: list[str], other: str) -> None:
    game = kit.in_review(kit.delegated(kit.opened(max_rounds=rounds)))
    form = DELEGATION.form(game.known("reviewer"), game.turn("reviewer"))
    assert form is not None
    assert form.schema["properties"]["action"]["enum"] == legal
    game.reply("reviewer", filled(game, "reviewer", action=other, file="x")).refused(" or ".join(legal))


def test_a_choice_needs_no_form() -> None:
    for game, seat in ((kit.stopped(), "user"), (kit.closing(), "planner")):
        assert DELEGATION.form(game.known(seat), game.turn(seat)) is None


def test_words_that_go_with_a_choice_make_the_reply() -> None:
    game = kit.stopped()
    turn = game.turn("user")
    assert DELEGATION.wording(game.known("user"), turn, "iterate", "add a title") == "iterate\nadd a title"
    assert DELEGATION.wording(game.known("user"), turn, "accept", " ") == "accept"
