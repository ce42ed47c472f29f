"""A seat held by files, across real processes: the program in the docs, kills, and what the audit then says."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from commands import ROOT, SOTTOVOCE, Cli
from patience import PATIENCE
from sizes import sized

PROGRAM = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "files.md").read_text(encoding="utf-8"), re.DOTALL)[0]
KILLS = sized(5, 50)
GAME = (
    "--names",
    "Ada,Bram,Cleo,Dirk",
    "--agents",
    "random",
    "--rule",
    f"max_days={sized(1, 4)}",
    "--rule",
    "max_speeches=2",
)


@contextmanager
def outside(folder: Path, name: str, program: str = PROGRAM) -> Iterator[subprocess.Popen[bytes]]:
    """The outside program, in a process of its own."""
    script = folder.with_name(f"{folder.name}-program.py")
    script.write_text(program, encoding="utf-8")
    with subprocess.Popen([sys.executable, "-W", "error", str(script), str(folder), name]) as process:
        try:
            yield process
            assert process.poll() in (None, -signal.SIGKILL), "the outside program has stopped by itself"
        finally:
            process.kill()


def break_off(folder: Path) -> None:
    """What a program leaves that was killed while it wrote its answer: half of it, not in its place yet."""
    if (folder / "tmp").is_dir():
        (folder / "tmp" / "ada-response.draft").write_text("I saw noth")


def playing(sv: Cli, *words: object) -> subprocess.Popen[str]:
    texts = [SOTTOVOCE, "--db", sv.url, *map(str, words), "--json"]
    return subprocess.Popen(texts, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A game in which the program of the docs has held Ada's seat, through a folder that a link leads to."""
    home = tmp_path_factory.mktemp("held")
    (home / "real").mkdir()
    (home / "link").symlink_to(home / "real")
    sv = Cli(home / "games.db")
    with outside(home / "real", "ada"):
        game = playing(sv, "play", "mafia", *GAME, "--seed", 4, "--seat", f"Ada=files:{home / 'link'}")
        out, err = game.communicate(timeout=PATIENCE)
    assert game.returncode == 0, err
    assert json.loads(out)["status"] == "over"
    return sv


def test_the_program_in_the_docs_holds_a_seat_through_a_whole_game(held: Cli) -> None:
    said = held("view", "latest", "--as", "Ada", "--json").rows
    replies = [row["data"]["text"] for row in said if row["name"] == "core.reply-accepted.v1"]
    assert "I have nothing to hide." in replies
    assert not any("prompt:" in reply for reply in replies), "the echo is cut off"
    assert not any(row["name"] == "core.attempt-failed.v1" for row in said)
    assert os.listdir(held.path.parent / "real" / "tmp") == []


def test_what_was_written_there_is_a_hand_over(held: Cli) -> None:
    who = held("audit", "who-saw", "latest", 1, "--json").json
    handed = next(seat["handed"] for seat in who["seats"] if seat["seat"] == "Ada")
    assert {each["by"] for each in handed} == {"files"}
    prompt = held("audit", "prompt", "latest", "Ada", 1)
    assert prompt.code == 0
    assert "Write your answer to tmp/ada-response.md." in prompt.out
    assert held("audit", "leaks", "latest").code == 0


def test_the_folder_is_recorded_where_links_lead_to(held: Cli) -> None:
    agents = [row["data"]["agents"] for row in held("export", "latest").rows if row["name"] == "core.seats-filled.v2"]
    assert agents[0]["Ada"] == f"files:{held.path.parent / 'real'}"


def test_killed_at_random_moments_it_goes_on_and_answers_nothing_twice(fresh: Cli, tmp_path: Path) -> None:
    """The game is killed each time, the program with it now and then, and now and then the folder goes too."""
    seed = random.SystemRandom().randrange(10**6)
    chance, folder = random.Random(seed), tmp_path / "ada"
    started = ("play", "mafia", *GAME, "--seed", seed, "--seat", f"Ada=files:{folder}")
    game = playing(fresh, *started)
    for number in range(KILLS):
        with outside(folder, "ada") as program:
            with suppress(subprocess.TimeoutExpired):
                game.wait(chance.uniform(0.9, 2.2))
            game.kill()
            if chance.random() < 0.5:
                program.kill()
                program.wait()
                break_off(folder)
        game.communicate()
        if number % 3 == 1:
            shutil.rmtree(folder, ignore_errors=True)
        begun = fresh.path.exists() and fresh("games", "--json").out
        game = playing(fresh, *(("resume", "latest") if begun else started))
    with outside(folder, "ada"):
        _, err = game.communicate(timeout=PATIENCE)
    assert game.returncode == 0, (seed, err)
    assert fresh("show", "latest", "--json").json["status"] == "over"
    assert fresh("audit", "leaks", "latest").code == 0, "no turn is answered twice"
    assert fresh("audit", "verify", "latest").code == 0
    rows = fresh("view", "latest", "--as", "Ada", "--json").rows
    opened = [row["data"]["turn"] for row in rows if row["name"] == "core.turn-opened.v1"]
    accepted = [row["data"]["turn"] for row in rows if row["name"] == "core.reply-accepted.v1"]
    failed = [row for row in rows if row["name"] == "core.attempt-failed.v1"]
    assert failed == []
    assert sorted(accepted) == sorted(opened), "every turn is answered once, none by a fallback"


def test_two_seats_are_refused_one_folder(fresh: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "both"
    said = fresh("play", "mafia", *GAME, "--seat", f"Ada=files:{folder}", "--seat", f"Bram=files:{folder}")
    assert said.code == 2
    assert "Give each seat its own folder" in said.err
    assert not folder.exists()


def test_a_campaign_s_folder_is_refused_for_a_seat(fresh: Cli, tmp_path: Path) -> None:
    (tmp_path / "story-state.md").write_text("ours")
    said = fresh("play", "mafia", *GAME, "--seat", f"Ada=files:{tmp_path}")
    assert (said.code, len(said.err.splitlines())) == (2, 1)
    assert "contains 'story-state.md'" in said.err


def test_run_takes_no_seat_held_by_files(fresh: Cli, tmp_path: Path) -> None:
    said = fresh("run", "mafia", "--games", 2, "--seat", f"Ada=files:{tmp_path / 'ada'}")
    assert said.code == 2
    assert "agents that answer by themselves" in said.err


def test_a_deleted_folder_does_not_end_the_game(fresh: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "ada"
    with outside(folder, "ada"):
        game = playing(fresh, "play", "mafia", *GAME, "--seed", 7, "--seat", f"Ada=files:{folder}")
        until = time.monotonic() + PATIENCE
        while game.poll() is None and time.monotonic() < until:
            subprocess.run(["rm", "-rf", str(folder)], check=False)
            time.sleep(0.9)
        _, err = game.communicate(timeout=PATIENCE)
    assert game.returncode == 0, err
    assert fresh("show", "latest", "--json").json["status"] == "over"


ANSWER = re.findall(r"def answer.*?\n\n\n", PROGRAM, re.DOTALL)[0]
IN_CHARACTER = """def answer(fields, asked):
    kind = fields["kind"]
    if kind in ("optional-reaction", "interaction", "reply", "chat"):
        return "pass"
    if kind in ("journal", "own-notes"):
        bullets = "What happened:", "What I did:", "What I learned:", "How I feel:", "Notes:"
        with (folder / "party" / f"{name}-journal.md").open("a", encoding="utf-8") as journal:
            journal.write("---\\n### By files\\n\\n" + "".join(f"- {bullet} much\\n" for bullet in bullets))
        return "done"
    assert "request_type" in fields and "## Scene" in asked and "## Request" in asked
    return "I listen at the door, by files."


"""


@pytest.mark.spec("F-010", "F-032", "F-047")
def test_one_character_by_files_and_one_by_inbox_play_an_evening_with_a_human_and_the_house(
    fresh: Cli, tmp_path: Path
) -> None:
    """Each in a process of its own (acceptance of the file bridge)."""
    folder, script = tmp_path / "isolde", tmp_path / "human.yaml"
    script.write_text("".join(f"{kind}: [{', '.join(['Go on!'] * 60)}]\n" for kind in ("decide", "choose", "act")))
    seats = (f"human=scripted:{script}", f"isolde-marrow=files:{folder}", "sefa-quillon=outside")
    campaign = ROOT / "examples" / "campaigns" / "ten-past-four"
    filled = [word for seat in seats for word in ("--seat", seat)]
    words = ("play", "tabletop", campaign, "--edition", "phase-2", "--as", "pim-tallow", "--seed", 5, *filled)
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "kit")])
    listening = [sys.executable, str(ROOT / "tests" / "kit" / "by_inbox.py"), str(fresh.path), "sefa-quillon"]
    with (
        outside(folder, "isolde-marrow", PROGRAM.replace(ANSWER, IN_CHARACTER)),
        subprocess.Popen(listening, env={**os.environ, "PYTHONPATH": path}) as other,
    ):
        game = playing(fresh, *words)
        try:
            out, err = game.communicate(timeout=PATIENCE)
            assert other.poll() is None, "the program at the inbox has stopped by itself"
        finally:
            game.kill()
            other.kill()
    assert game.returncode == 0, err
    assert json.loads(out)["status"] == "over"
    events = fresh("export", "latest").rows
    fallen = ("core.fallback-applied.v1", "core.attempt-failed.v1")
    assert [event["data"] for event in events if event["name"] in fallen] == []
    answers = [event["data"] for event in events if event["data"].get("tag") == "PLAYER_TO_GM"]
    said = {answer["seat"]: answer["body"] for answer in answers}
    assert said["isolde-marrow"] == "I listen at the door, by files."
    assert said["sefa-quillon"] == "I listen at the door, by inbox."
    assert {"Go on!"} <= {event["data"].get("text") for event in events if event["actor"] == "human"}
    for name, way in (("isolde-marrow", "By files"), ("sefa-quillon", "By inbox")):
        into = tmp_path / f"of-{name}"
        assert fresh("files", "latest", "--as", name, "--into", into).code == 0
        assert f"### {way}" in (into / "party" / f"{name}-journal.md").read_text()
    handed = fresh("audit", "saw", "latest", "isolde-marrow", "--json")
    assert handed.code == 0
    assert fresh("audit", "leaks", "latest").code == 0, fresh("audit", "leaks", "latest").out
    secrets = [piece["data"]["text"] for piece in events if piece["data"].get("readers") == ["gm"]]
    written = "".join(file.read_text() for file in folder.rglob("*.md"))
    assert not [secret for secret in secrets if len(secret) > 60 and secret in written]
    assert os.listdir(folder / "tmp") in ([], ["narrative-for-journal.md"])
