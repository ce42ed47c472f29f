"""The real program at a pseudo-terminal: typing ahead, wrong answers, leaving, and narrow windows."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, SOTTOVOCE, Cli
from rich.cells import cell_len
from terminals import Pty

Start = Callable[..., Pty]

GAME = ("play", "mafia", "--names", "Ada,Bram,Cleo,Dirk,Edda", "--seed", "4", "--seat", "Ada=human")
HURRIED = {"SOTTOVOCE_PACE": "0"}
SLOW = {"SOTTOVOCE_PACE": "100"}
"""So slow that nobody could wait for it."""


@pytest.fixture
def start(fresh: Cli) -> Iterator[Start]:
    """Starts the program on a log of its own."""
    programs: list[Pty] = []

    def run(*words: str, env: dict[str, str] | None = None, columns: int = 90) -> Pty:
        command = [SOTTOVOCE, *words]
        programs.append(Pty(command, env={"SOTTOVOCE_DB": fresh.url, **(env or {})}, columns=columns))
        return programs[-1]

    yield run
    for program in programs:
        program.close()


def said(sv: Cli, name: str) -> list[dict[str, Any]]:
    """The events of that name in the newest game."""
    events = [json.loads(line) for line in sv("export", "latest").out.splitlines()]
    return [event for event in events if event["name"] == name and event["actor"] == "Ada"]


def test_nothing_typed_before_a_prompt_was_shown_is_an_answer(start: Start, fresh: Cli) -> None:
    program = start(*GAME)
    program.until("You are")
    program.type("rm -r notes\r1\ryes\r")
    program.until("Ada ❯")
    program.type(":who\r")
    program.until("Waiting for, as far as you know")
    program.type(":quit\r")
    assert program.ended() == 0
    assert said(fresh, "core.reply-accepted.v1") == []
    assert "rm -r" not in program.text


def answers(sv: Cli) -> list[str]:
    """What Ada has answered in words so far."""
    return [event["data"]["text"] for event in said(sv, "core.reply-accepted.v1")]


def at_a_choice(program: Pty) -> str:
    """Say something until the person is asked to choose; what was asked."""
    for _ in range(20):
        asked = program.fresh("Ada ❯")
        if re.search(r"^  1 \w", asked, re.M):
            return asked
        program.type("I say nothing.\r")
    raise AssertionError("no choice came up")


def test_a_wrong_answer_costs_nothing_and_leaves_an_empty_line(start: Start, fresh: Cli) -> None:
    program = start(*GAME, env=HURRIED)
    at_a_choice(program)
    before = len(said(fresh, "core.reply-accepted.v1"))
    for wrong in ("99", "somebody"):
        program.type(f"{wrong}\r")
        program.fresh("Nothing was sent", "Ada ❯")
    program.type("1\r")
    program.wait(lambda: len(said(fresh, "core.reply-accepted.v1")) > before)
    assert said(fresh, "core.attempt-failed.v1") == []


def hurried_until(program: Pty, text: str, seconds: float = 60) -> str:
    """Choose the first of whatever is asked, and hurry on, until a text comes; what has come."""
    end = time.monotonic() + seconds
    while text not in program.seen:
        assert time.monotonic() < end, f"{text!r} did not come: {program.text[-3000:]}"
        program.type("1\r")
        program.read()
    return program.seen


def test_a_key_hurries_what_is_told_and_enter_goes_on_to_the_next_question(start: Start) -> None:
    program = start(*GAME, env=SLOW)
    program.until("Press any key to speed up, Enter to skip to your next turn")
    program.wait(lambda: "5 players" in program.text)
    program.type("x")
    program.wait(lambda: "You are " in program.text)
    program.type("\r")
    program.until("Ada ❯")


def test_enter_alone_answers_the_first_question(start: Start, fresh: Cli) -> None:
    program = start(*GAME, env=HURRIED)
    program.until("Enter alone says: I understand.")
    program.until("Ada ❯")
    program.type("\r")
    program.wait(
        lambda: [event["data"]["text"] for event in said(fresh, "core.reply-accepted.v1")] == ["I understand."]
    )


def test_a_game_that_is_gone_on_with_shows_a_few_lines_and_the_question_at_once(start: Start) -> None:
    program = start(*GAME, env=HURRIED)
    program.until("Ada ❯")
    program.type("I say nothing of that.\r")
    turn = program.until("Your turn, Ada", times=2).rindex("Your turn, Ada")
    program.until("Ada ❯", after=turn)
    program.type(":quit\r")
    assert program.ended() == 0
    again = start("resume", "latest", env=SLOW)
    again.until("Ada ❯", seconds=30)
    assert "5 players" not in again.text
    assert len(again.text.splitlines()) < 60


def test_the_dead_may_go_on_to_the_end(start: Start, tmp_path: Path) -> None:
    script = tmp_path / "against-ada.yaml"
    words = {
        "kill": "I vote to kill Ada.",
        "nominate": "I nominate Ada.",
        "second": "Yes.",
        "trial-vote": "I vote for Ada.",
        "execution-vote": "I vote to execute.",
        "moderate": "town_hall",
        "speech": "It was Ada.",
    }
    script.write_text(json.dumps({kind: [text] * 9 for kind, text in words.items()}))
    others = [word for name in ("Bram", "Cleo", "Dirk") for word in ("--seat", f"{name}=scripted:{script}")]
    game = ("play", "mafia", "--names", "Ada,Bram,Cleo,Dirk", "--seed", "1", "--seat", "Ada=human", *others)
    program = start(*game, "--rule", "max_attempts=1", "--rule", "max_days=3", env=SLOW)
    hurried_until(program, "You are out of the game. Press any key to speed up, Enter to skip to the end")
    if "Try next:" not in program.seen:  # Enter was typed often on the way
        program.type("\r")
    program.until("Try next:")
    assert program.ended() == 0


TABLETOP = ("play", "tabletop", "examples/campaigns/ten-past-four")
DELEGATION = ("play", "delegation", "examples/delegation/village-paper", "--task", "spring-fair")


@pytest.mark.parametrize(
    ("words", "prompt"),
    [
        (("play", "mafia"), "Your name (Enter to watch):"),
        (GAME, "Ada ❯"),
        ((*GAME, "--seat", "Bram=human"), ", press Enter"),
        (TABLETOP, "Who are you?"),
        ((*TABLETOP, "--as", "pim-tallow"), "human ❯"),
    ],
    ids=["name", "question", "hand-over", "character", "session"],
)
def test_quit_leaves_wherever_something_is_asked(start: Start, words: tuple[str, ...], prompt: str) -> None:
    program = start(*words, env=HURRIED)
    program.until(prompt)
    program.type(":quit\r")
    assert program.ended() == 0
    assert "Traceback" not in program.text


def test_delegated_work_is_left_and_helped_with_in_its_own_words(start: Start, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "delegation" / "village-paper", tmp_path / "paper")
    program = start("play", "delegation", str(tmp_path / "paper"), "--task", "spring-fair", env=HURRIED)
    program.until("user ❯")
    program.type(":help\r")
    told = program.fresh(":quit", "user ❯")
    assert "You play delegation as user" in told
    assert "nominated" not in told
    program.type(":quit\r")
    assert program.ended() == 0


def test_a_session_tells_what_may_be_typed_where_nothing_is_asked(start: Start, fresh: Cli) -> None:
    campaign = str(ROOT / "examples" / "campaigns" / "ten-past-four")
    program = start(
        "play", "tabletop", campaign, "--as", "pim-tallow", "--seed", "3", "--seat", "gm=outside", env=HURRIED
    )
    program.until("human ❯")

    def typed_until(line: str, done: Callable[[], bool]) -> None:
        """What is typed before the line is drawn anew says nothing, so type it until it was taken."""

        def took() -> bool:
            if not done():
                program.type(f"\x15{line}\r")
                time.sleep(0.5)
            return done()

        program.wait(took, 60)

    typed_until(":help", lambda: "the status of the session" in program.text)
    assert "/chat NAME WORDS" in program.text
    typed_until(":quit", lambda: program.process.poll() is not None)
    assert program.ended() == 0
    events = [json.loads(line) for line in fresh("export", "latest").out.splitlines()]
    assert not [event for event in events if event["actor"] == "human"], "nothing was sent"


def test_interrupting_clears_a_line_that_was_begun_and_leaves_an_empty_one(start: Start, fresh: Cli) -> None:
    program = start(*GAME, env=HURRIED)
    program.until("Ada ❯")
    program.type("half a thought")
    program.until("thought")
    program.type("\x03")
    time.sleep(0.3)
    assert program.process.poll() is None
    program.type("another\r")
    program.wait(lambda: answers(fresh) == ["another"])
    program.fresh("Ada ❯")
    program.type("\x03")
    assert program.ended() == 130
    assert "is not over. To continue" in program.text
    assert "Traceback" not in program.text


def test_an_interrupt_right_behind_an_answer_is_not_lost(start: Start, fresh: Cli) -> None:
    program = start(*GAME, env=HURRIED)
    program.until("Ada ❯")
    program.type("a whole thought\r\x03")
    assert program.ended() == 130
    assert answers(fresh) == ["a whole thought"]
    assert "is not over. To continue" in program.text


def test_tab_completes_a_command(start: Start) -> None:
    program = start(*GAME, env=HURRIED)
    program.until("Ada ❯")
    assert ":quit" not in program.text
    program.type(":qu\t")
    program.wait(lambda: ":quit" in program.text)
    program.type("\r\r")
    assert program.ended() == 0


@pytest.mark.parametrize("name", ["narrator", "doctor", "a=b", "x" * 41, "!!", ":name"])
def test_a_name_that_cannot_be_is_asked_for_again(start: Start, name: str) -> None:
    program = start("play", "mafia", "--players", "5", env=HURRIED)
    program.until("A game of Mafia for five.")
    program.until("Your name (Enter to watch):")
    program.type(f"{name}\r")
    refused = f"Unknown command {name}" if name.startswith(":") else " seat"
    told = program.until(refused, after=len("A game of Mafia for five. Take a seat")).rindex(refused)
    program.until("Your name (Enter to watch):", after=told)
    program.type("Zoe\r")
    program.until("Zoe ❯")


@pytest.mark.parametrize("moment", ["before", "while told", "at a question"])
def test_make_says_nothing_of_a_game_that_was_left(start: Start, fresh: Cli, moment: str) -> None:
    environment = {"SOTTOVOCE_DB": fresh.url, **(HURRIED if moment == "at a question" else SLOW)}
    arguments = "" if moment == "before" else "ARGS=--names=Ada,Bram,Cleo,Dirk --seat=Ada=human"
    program = Pty(["make", "-o", ".venv/.play", "play", *filter(None, [arguments])], env=environment)
    try:
        awaited = {"before": "Enter to watch", "while told": "4 players", "at a question": "Ada ❯"}
        program.until(awaited[moment])
        program.type("\x03")
        assert program.ended() == 0
        assert "***" not in program.text
        assert "Traceback" not in program.text
    finally:
        program.close()


@pytest.mark.parametrize("words", [GAME, (*TABLETOP, "--as", "pim-tallow")], ids=["mafia", "tabletop"])
def test_a_narrow_window_breaks_nothing(start: Start, words: tuple[str, ...]) -> None:
    program = start(*words, env=HURRIED, columns=40)
    for _ in range(4):
        program.fresh(" ❯")
        program.type("What is it?\r")
        time.sleep(0.5)
    program.fresh(" ❯")
    program.type("\x03")
    assert program.ended() == 130
    told = [line.rstrip() for line in program.text.splitlines() if "❯" not in line and "resume" not in line]
    assert [line for line in told if cell_len(line) > 40] == []
