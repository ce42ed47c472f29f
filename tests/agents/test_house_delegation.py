"""The house works on a text until its checklist is met, and says what it does not understand."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from delegating import TASK, USER, Game, opened, recorded, task

from sottovoce.agents.agent import CallRecord, seat_random
from sottovoce.agents.house import HouseAgent
from sottovoce.domain import commands
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed
from sottovoce.projections.view import view
from sottovoce.rulesets.delegation.house.checklist import read
from sottovoce.rulesets.delegation.house.documents import fenced, items, sections, unfenced
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.events import ArtifactFiled, MessageSent, StopDecided, WorkEnded

TASKS = Path(__file__).parents[2] / "examples" / "delegation" / "village-paper" / "tasks"
SEATS = ("planner", "executor", "reviewer", USER)


def played(brief: str, seats: tuple[str, ...] = SEATS, **options: object) -> Game:
    """The brief worked on by the house to the end, each seat from its own view."""
    game = opened({TASK: brief}, seats, **options)
    agent = HouseAgent()
    while not game.state.over:
        turn = next(iter(game.state.turns.values()))
        seen = view(DELEGATION, recorded(game), turn.seat)
        random = seat_random(Seed.of(1), turn.seat, turn.number, turn.attempt)
        text = asyncio.run(agent.act(seen, turn, random, CallRecord()))
        game = replace(game.when(commands.Reply(game.at, turn.seat, turn.number, text)), at=game.at)
        assert not any(isinstance(draft.event, AttemptFailed) for draft in game.new), game.new
        assert len(game.drafts) < 1000
    return game


def actions(game: Game) -> list[str]:
    return [f"{sent.message.action} {sent.message.round}" for sent in game.all(MessageSent)]


def final_text(game: Game) -> str:
    closeout = next(filed for filed in game.all(ArtifactFiled) if filed.kind == "closeout")
    return unfenced(sections(closeout.text or "")["text"])


@pytest.mark.spec("D-041", "D-049")
def test_the_first_example_takes_rounds_of_rework_an_iteration_and_a_closeout() -> None:
    game = played((TASKS / "spring-fair.md").read_text("utf-8"))
    assert actions(game) == [
        "execute_delegate_task 1",
        "review_requested 1",
        "rework_required 1",
        "review_requested 2",
        "rework_required 2",
        "review_requested 3",
        "stop_recommended 3",
        "user_requested_iteration 3",
        "review_requested 4",
        "rework_required 4",
        "review_requested 5",
        "stop_recommended 5",
        "closeout_delivered final",
    ], "what the user wanted made a line too long again"
    assert [decided.decision for decided in game.all(StopDecided)] == ["iterate", "accept"]
    assert game.all(WorkEnded)
    brief = sections((TASKS / "spring-fair.md").read_text("utf-8"))
    wanted = [read(line) for line in items(brief["checklist"]) + items(brief["follow-ups"])]
    text = final_text(game)
    assert [check.faults(text) for check in wanted if check] == [[]] * 10
    assert any(check.faults(unfenced(brief["text"])) for check in wanted if check)


@pytest.mark.spec("D-042")
def test_the_second_example_runs_to_the_iteration_cap() -> None:
    game = played((TASKS / "council-minutes.md").read_text("utf-8"))
    assert actions(game)[-3:] == ["review_requested 5", "stop_recommended 5", "closeout_delivered final"]
    assert actions(game).count("rework_required 4") == 1
    assert task(game).reports[5], "something is left, and the user takes it as it is"
    assert task(game).complete


def test_every_item_that_a_report_lists_is_gone_from_the_next() -> None:
    for name in ("spring-fair", "council-minutes"):
        reports = task(played((TASKS / f"{name}.md").read_text("utf-8"))).reports
        for number in range(1, max(reports)):
            before = {item.partition(" (")[0] for item in reports[number]}
            assert before.isdisjoint(item.partition(" (")[0] for item in reports[number + 1])


@pytest.mark.spec("D-042")
def test_what_cannot_be_mended_stalls_and_stops() -> None:
    game = played("# Short\n\n## Text\n\nToo short.\n\n## Checklist\n\n- The text has at least 50 words.\n")
    assert actions(game)[-3:] == ["review_requested 2", "stop_recommended 2", "closeout_delivered final"]
    assert task(game).reports == {1: task(game).reports[2], 2: ("The text has at least 50 words (it has 2).",)}


def test_what_is_not_understood_is_said_and_not_asked_for() -> None:
    game = played("# Poem\n\n## Text\n\nA line.\n\n## Checklist\n\n- It moves the reader.\n")
    report = next(filed for filed in game.all(ArtifactFiled) if filed.kind == "report")
    assert "## Not understood\n\n- It moves the reader." in (report.text or "")
    assert not report.must_fix


def test_a_brief_without_text_or_checklist_comes_to_its_end() -> None:
    assert task(played("Just do something.")).complete


@pytest.mark.spec("D-054", "D-062")
def test_a_planner_that_reviews_is_closed_by_the_user() -> None:
    game = played((TASKS / "spring-fair.md").read_text("utf-8"), ("planner", "executor", USER))
    assert task(game).complete
    assert not any("closeout" in action for action in actions(game))


def test_the_planner_keeps_the_users_follow_ups_to_itself() -> None:
    game = played((TASKS / "spring-fair.md").read_text("utf-8"))
    first = next(filed for filed in game.all(ArtifactFiled) if filed.kind == "task")
    assert "landlady" not in (first.text or "")


@pytest.mark.parametrize(
    ("line", "bad", "good"),
    [
        ('The text begins with the title "Fair".', "Come.", "# Fair\n\nCome."),
        ('The text begins with the title "Fair".', "# Old\n\nCome.", "# Fair\n\nCome."),
        ("No line is longer than 12 characters.", "one two three four", "one two\nthree four"),
        ('The word "very" is not used.', "It is very old.", "It is old."),
        ('"utilise" is written "use".', "Utilise it. We utilise it.", "Use it. We use it."),
        ("No word stands twice in a row.", "the the the end", "the end"),
        ("Every sentence begins with a capital letter.", "yes. no! \n\nperhaps.", "Yes. No! \n\nPerhaps."),
        ("Words are one space apart.", "a  b \t c ", "a b c"),
        (
            "Numbers up to twelve are written as words.",
            "3 and 12, not 13 or 3.5 or 9:30",
            "three and twelve, not 13 or 3.5 or 9:30",
        ),
        ('The text ends with "The end."', "So it was.", "So it was.\n\nThe end."),
        ('There is a section "Notes".', "Text.", "Text.\n\n## Notes\n\nNothing to say yet."),
        ("The text has at most 3 words.", "One two. Three four.", "One two."),
    ],
)
def test_a_sentence_of_a_checklist_is_checked_and_mended(line: str, bad: str, good: str) -> None:
    check = read(line)
    assert check is not None
    assert check.faults(bad)
    assert check.mended(bad) == good
    assert not check.faults(good)
    assert check.mended(good) == good, "mending twice changes nothing"


def test_a_text_between_fences_may_hold_fences_and_headings() -> None:
    text = "## A heading\n\n```\ncode\n```\n\n`````\nmore\n`````"
    assert unfenced(sections(f"## Text\n\n{fenced(text)}\n\n## After\n\nx")["text"]) == text
