"""A ruleset of an installed package is played, watched and audited by the ordinary commands."""

from __future__ import annotations

import csv
import json
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from commands import SOTTOVOCE
from guests import EXAMPLES, installed
from patience import PATIENCE

from sottovoce import Expire, FallbackApplied, GameOpened, Open, Reply, ReplyAccepted, SeatsFilled, Seed, TurnOpened
from sottovoce.testing import NOON, given

HERE = EXAMPLES / "guessing"


def said(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SOTTOVOCE, *words], env=environment, capture_output=True, text=True, timeout=PATIENCE)


def test_it_is_played_viewed_and_audited(tmp_path: Path) -> None:
    here = installed(tmp_path)
    played = said(here, "play", "guessing", "--names", "Ada,Bram", "--seed", "4")
    assert played.returncode == 0, played.stderr
    assert "The winner is: " in played.stdout
    assert "The number is" not in said(here, "view", "latest", "--as", "Ada").stdout
    assert "The number is" in said(here, "view", "latest", "--as", "keeper").stdout
    assert said(here, "audit", "verify", "latest").returncode == 0
    seen = json.loads(said(here, "audit", "who-saw", "latest", "3", "--json").stdout)
    assert [row["seat"] for row in seen["seats"] if row["allowed"]] == ["keeper"]
    many = said(here, "run", "guessing", "--games", "6", "--jobs", "2", "--quiet", "--json")
    assert json.loads(many.stdout)["games"] == 6, many.stderr
    assert "guessing" in said(here, "play", "--help").stdout


def test_it_has_a_board_a_standing_columns_and_a_line_in_the_help(tmp_path: Path) -> None:
    here = installed(tmp_path)
    rows = tmp_path / "rows.csv"
    many = said(here, "run", "guessing", "--games", "3", "--players", "4", "--seed", "2", "--csv", str(rows), "--json")
    assert many.returncode == 0, many.stderr
    with rows.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == 3 * 5
    assert {row["part"] for row in read} == {"keeper", "player"}
    assert all(row["guesses"].split() for row in read if row["part"] == "player")
    assert said(here, "show", "latest").stdout.splitlines()[0].split() == ["player", "guess", "answer"]
    helped = said(here, "play", "--help").stdout
    assert "Somebody knows a number; guess it." in helped
    assert "Number of players, 1 to 12.  [default: 3]" in said(here, "run", "guessing", "--help").stdout
    crowded = said(here, "play", "guessing", "--players", "13")
    assert crowded.returncode == 2
    assert "'13' is not a whole number from 1 to 12" in crowded.stderr
    assert "# A game of Guessing" in said(here, "transcript", "latest").stdout


def status(environment: dict[str, str], game: str) -> str:
    rows = [json.loads(line) for line in said(environment, "games", "--json").stdout.splitlines()]
    return str(next(row["status"] for row in rows if row["game"] == game))


def test_a_log_is_listed_and_worked_where_a_package_of_its_games_is_missing(tmp_path: Path) -> None:
    """Or cannot be loaded: its games are left as they are, and nothing else is touched."""
    here = installed(tmp_path / "site")
    broken = installed(tmp_path / "broken", **{"sottovoce.rulesets": {"guessing": "nowhere:GUESSING"}})
    gone = {**here, "PYTHONPATH": ""}
    game = json.loads(said(here, "play", "guessing", "--agents", "random", "--json").stdout)["game"]
    for there in (gone, {**broken, "SOTTOVOCE_DB": here["SOTTOVOCE_DB"]}):
        other = json.loads(said(there, "play", "mafia", "--agents", "random", "--json").stdout)["game"]
        for words in (("games",), ("db", "rebuild"), ("games", "--ruleset", "mafia")):
            listed = said(there, *words)
            assert (listed.returncode, listed.stderr.count("\n") > 1) == (0, False), (words, listed.stderr)
            assert words[0] == "db" or other in listed.stdout
        assert game in said(there, "games").stdout
        forked = json.loads(said(there, "fork", other, "--at", "30", "--json").stdout)["game"]
        with subprocess.Popen([SOTTOVOCE, "worker"], env=there, stderr=subprocess.PIPE, text=True) as worker:
            while status(there, forked) != "over":
                assert worker.poll() is None, worker.stderr and worker.stderr.read()
            worker.terminate()
        asked = said(there, "show", game)
        assert (asked.returncode > 0, asked.stderr.count("\n")) == (True, 1)
    assert said(here, "db", "rebuild").returncode == 0
    assert "over" in next(line for line in said(here, "games").stdout.splitlines() if game in line)


def test_an_agent_that_fails_is_told_of_with_the_place(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(
        "from sottovoce import AgentExtras\n\n\ndef house(view, turn, random):\n    return 1 / 0\n\n\n"
        "FAULTY = AgentExtras(house=house)\n"
    )
    groups = {
        "sottovoce.rulesets": {"guessing": "guessing:GUESSING"},
        "sottovoce.agents": {"guessing": "faulty:FAULTY"},
    }
    here = installed(tmp_path, **groups)
    assert said(here, "play", "guessing", "--names", "Ada", "--quiet").returncode == 0
    told = said(here, "audit", "prompt", "latest", "Ada", "1").stdout
    assert "What went wrong: ZeroDivisionError: division by zero (faulty.py, line 5)" in told


def test_who_is_awaited_is_what_everybody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    rules, extras = import_module("guessing"), import_module("guessing_extras")
    seats, agents = ("keeper", "Ada", "Bram"), dict.fromkeys(("keeper", "Ada", "Bram"), "house")
    game = given(rules.GUESSING).when(Open(NOON, seats, agents, Seed.of(1), {"highest": 9}))
    for seat, text in (("keeper", "Guess!"), ("Ada", "9"), ("Bram", "9"), ("keeper", "Again!")):
        assert extras.awaited(game.known("nobody at the table")) == (seat,) == game.asked()
        game = game.reply(seat, text)


def test_a_decision_is_written_down_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens in each decision, the events that all games share among it, is said by public names alone."""
    monkeypatch.syspath_prepend(str(HERE))
    rules, seed = import_module("guessing"), Seed.of(1)
    seats, agents = ("keeper", "Ada"), {"keeper": "house", "Ada": "outside"}
    options = {
        "keeper": "sighted",
        "after_end": "seats",
        "highest": 9,
        "rounds": 3,
        "max_attempts": 1,
        "turn_seconds": None,
    }
    game = given(rules.GUESSING).when(Open(NOON, seats, agents, seed, {"highest": 9, "max_attempts": 1}))
    game.then(
        GameOpened(ruleset="guessing", seats=seats, options=options),
        SeatsFilled(agents=agents, seed=seed),
        rules.NumberHidden(number=game.state.number),
        TurnOpened(seat="keeper", turn=1, kind="hint", attempts=1),
    )
    guess = TurnOpened(seat="Ada", turn=1, kind="guess", choices=tuple("123456789"), attempts=1)
    hinted = game.when(Reply(NOON, "keeper", 1, "Go on."))
    accepted = ReplyAccepted(seat="keeper", turn=1, text="")
    hinted.then(accepted, rules.HintGiven(text="Go on."), guess)
    game.when(Expire(NOON, "keeper", 1, 1)).then_among(
        FallbackApplied(seat="keeper", turn=1, reason="timeout"), rules.HintGiven(text="The keeper is silent."), guess
    )


def test_its_options_are_checked_like_any_others(tmp_path: Path) -> None:
    refused = said(installed(tmp_path), "play", "guessing", "--rule", "lowest=3")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "highest" in refused.stderr


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({"broken": "nowhere:NOTHING"}, "ModuleNotFoundError"),
        ({"wrong": "guessing:KEEPER"}, "is no Ruleset"),
        ({"mafia": "guessing:GUESSING"}, ""),
    ],
)
def test_one_that_cannot_be_used_stops_nothing_else(tmp_path: Path, names: dict[str, str], why: str) -> None:
    here = installed(tmp_path, **{"sottovoce.rulesets": names})
    asked = said(here, "play", *names, "--help")
    assert ("cannot be used" in asked.stderr and why in asked.stderr) if why else "Mafia" in asked.stdout
    assert said(here, "play", "mafia", "--players", "4", "--quiet", "--seed", "1").returncode == 0


def test_a_run_without_names_has_as_many_players_as_the_ruleset_says(tmp_path: Path) -> None:
    here = installed(tmp_path, **{"sottovoce.rulesets": {"crowd": "crowd:CROWD"}, "sottovoce.agents": {}})
    (tmp_path / "crowd.py").write_text(
        "from dataclasses import replace\nfrom guessing import GUESSING\n"
        "def open_game(game, command):\n"
        "    assert len(command.seats) == 7, command.seats\n    type(CROWD).open(CROWD, game, command)\n"
        "CROWD = GUESSING.but(name='crowd', players=6, open=open_game)\n"
    )
    many = said(here, "run", "crowd", "--agents", "random", "--games", "2", "--quiet", "--json")
    assert many.returncode == 0, many.stderr
    assert json.loads(many.stdout)["games"] == 2


QUIZ = '''
from __future__ import annotations
from contextlib import contextmanager
from pathlib import Path
import click
from guessing import Guessing
from guessing_extras import AGENTS as AGENTS
from sottovoce import Choices, CliExtras, Opening, ServerExtras, Setup, UnknownName, choice, place

class Quiz(Guessing):
    """Guess the number."""
    name = "quiz"

class QuizSetup(Setup):
    """Asks the questions of a quiz."""
    quiz: Path = place("quizzes", "Quiz to play.", offers="Quiz folder to offer.")
    highest: int = choice("The highest number.", metavar="N", default=9)

def read(setup: QuizSetup, options) -> Opening:
    if not (setup.quiz / "players").is_file():
        raise UnknownName(f"{setup.quiz} says of no players; write them into its file players.")
    return Opening(tuple((setup.quiz / "players").read_text().split()), {"highest": setup.highest, **options}, {})

@contextmanager
def load(setup: QuizSetup, options):
    yield read(setup, options)

def play():
    from sottovoce.terminal import Place, PlayOptions, Seating, play_opening, setup_options
    from sottovoce.terminal import agents_option, play_options, seating_options, seed_option
    @click.command("quiz")
    @setup_options(QuizSetup, "highest")
    @agents_option
    @seating_options
    @seed_option
    @play_options
    @click.pass_obj
    def command(place: Place, setup: QuizSetup, seating: Seating, play: PlayOptions) -> None:
        """Play a quiz."""
        play_opening(place, "quiz", read(setup, {}), seating, play)
    return command

def run():
    from sottovoce.terminal import Place, Run, Seating, run_opening, run_options, seating_options
    @click.command("quiz")
    @click.argument("folder", type=click.Path(path_type=Path))
    @seating_options
    @run_options
    @click.pass_obj
    def command(place: Place, folder: Path, seating: Seating, run: Run) -> None:
        """Run quizzes."""
        run_opening(place, "quiz", read(QuizSetup(quiz=folder), {}), seating, run)
    return command

RULES = Quiz()
OWN = CliExtras(about="A quiz.", play=play, run=run)
PLAIN = CliExtras(about="A quiz.", many="Many quizzes.")
SERVER = ServerExtras(
    setup=QuizSetup, load=load, preview=lambda setup: Choices(read(setup, {}).players, {"highest": ["9"]})
)
'''
"""A ruleset whose games are opened with what lies in a folder, with commands of its own or without."""


@pytest.fixture(params=["OWN", "PLAIN"])
def quiz(tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    (tmp_path / "quiz.py").write_text(QUIZ)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "players").write_text("Ada Bram")
    places = {"rulesets": "RULES", "agents": "AGENTS", "cli": request.param, "server": "SERVER"}
    return installed(tmp_path, **{f"sottovoce.{group}": {"quiz": f"quiz:{name}"} for group, name in places.items()})


@pytest.mark.parametrize("quiz", ["PLAIN"], indirect=True)
def test_a_setup_makes_the_commands_and_their_options(quiz: dict[str, str], tmp_path: Path) -> None:
    helped = said(quiz, "play", "quiz", "--help").stdout
    assert all(part in helped for part in ("QUIZ", "Quiz to play.", "--highest N", "The highest number."))
    offered = said(quiz, "serve", "--help").stdout
    assert "--quiz NAME=DIR" in offered
    assert "Quiz folder to offer." in offered
    assert all(f"--{name}" in said(quiz, "open", "--help").stdout for name in ("quiz", "highest", "campaign", "task"))
    folder = str(tmp_path / "work")
    played = said(quiz, "play", "quiz", folder, "--highest", "5", "--agents", "random", "--rule", "rounds=1", "--json")
    assert played.returncode == 0, played.stderr
    assert "highest=5" in said(quiz, "show", "latest").stdout
    refused = said(quiz, "play", "quiz", folder, "--highest", "many")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert refused.stderr.startswith("sottovoce: highest: input should be a valid integer"), refused.stderr


def test_commands_of_its_own_open_what_lies_in_a_folder(quiz: dict[str, str], tmp_path: Path) -> None:
    folder = str(tmp_path / "work")
    words = ("play", "quiz", folder, "--seat", "Ada=random", "--rule", "rounds=1", "--seed", "2", "--json")
    played = said(quiz, *words)
    assert played.returncode == 0, played.stderr
    told = said(quiz, "show", "latest").stdout
    assert all(part in told for part in ("highest=9", "rounds=1", "Bram", "random"))
    many = said(quiz, "run", "quiz", folder, "--games", "3", "--seed", "1", "--json", "--quiet")
    assert json.loads(many.stdout)["games"] == 3, many.stderr
    for wrong, why in (((str(tmp_path),), "says of no players"), ((folder, "--seat", "Zed=house"), "no seat 'Zed'")):
        refused = said(quiz, "play", "quiz", *wrong)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert why in refused.stderr
