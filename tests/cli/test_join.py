"""People and agents at far tables, through real terminals, wires that are cut, and a server that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from commands import SOTTOVOCE, Cli
from patience import PATIENCE
from server_process import Serving
from terminals import Pty
from wire import Wire

NAMES = ["Ada", "Bram", "Cleo", "Dirk", "Edda"]
HURRIED = {"SOTTOVOCE_PACE": "0"}
AWAY = "Can't reach the server"
BACK = "Reconnected."

Sit = Callable[..., Pty]


@pytest.fixture
def sit() -> Iterator[Sit]:
    """Starts `join` or another command at a terminal, with a link in the environment and no log to be had."""
    programs: list[Pty] = []

    def run(link: str, *words: str, pace: str = "0") -> Pty:
        env = {"SOTTOVOCE_LINK": link, "SOTTOVOCE_DB": "sqlite:////nowhere/games.db", "SOTTOVOCE_PACE": pace}
        programs.append(Pty([SOTTOVOCE, *(words or ("join",))], env=env))
        return programs[-1]

    yield run
    for program in programs:
        program.close()


def table(server: Serving, *outside: str, **more: Any) -> tuple[str, dict[str, str]]:
    """A game of five, in which those sit who come from outside; its id and links."""
    return server.open(names=NAMES, agents=dict.fromkeys(outside, "outside"), seed="4", **more)


def accepted(sv: Cli, game: str, seat: str) -> Counter[int]:
    """How often each turn of the seat was answered, by the log."""
    events = [json.loads(line) for line in sv("export", game).out.splitlines()]
    mine = [event["data"] for event in events if event["name"] == "core.reply-accepted.v1"]
    return Counter(data["turn"] for data in mine if data["seat"] == seat)


def asked(program: Pty, text: str) -> None:
    """Wait until a text was on the terminal, and the person is asked something now."""
    program.until(text)
    program.wait(lambda: program.text.rstrip().endswith("❯"))


def choose_on(program: Pty, done: Callable[[], bool]) -> None:
    """Choose the first of whatever is asked, and hurry on, until something is so."""
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, program.text[-3000:]
        if program.process.poll() is None:
            program.type("1\r")
        if not program.read():
            return


def told_once(sv: Cli, game: str, program: Pty, seat: str = "Ada") -> None:
    """Every speech that the seat heard stands on its screen as often as it was made, and no oftener."""
    entries = [json.loads(line) for line in sv("view", game, "--as", seat, "--json").out.splitlines()]
    words = Counter(
        " ".join(piece["words"][0]["text"].split()[:5])
        for piece in (entry["piece"] for entry in entries)
        if piece and piece["kind"] == "speech" and piece["who"] not in (seat, None)
    )
    shown = " ".join(program.text.split())
    assert len(words) > 3
    # A question repeats in «» what was said before it.
    assert {line: shown.count(line) - shown.count(f"«{line}") for line in words} == dict(words)


def test_a_person_plays_at_a_far_table_to_the_end(server: Serving, sv: Cli, sit: Sit) -> None:
    game, links = table(server, "Ada")
    program = sit(links["Ada"])
    asked(program, "Enter alone says: I understand.")
    program.type("\r")
    asked(program, "Day 1: discussion")
    program.type(":who\r")
    asked(program, "Waiting for, as far as you know: Ada.")
    choose_on(program, lambda: "This was game" in program.text)
    assert program.ended() == 0
    assert f"This was game {game}." in program.text
    assert links["Ada"].partition("#")[2] not in program.text
    assert set(accepted(sv, game, "Ada").values()) == {1}
    told_once(sv, game, program)


def test_the_screen_is_that_of_a_local_game(server: Serving, sv: Cli, sit: Sit, tmp_path: Path) -> None:
    """The first pages, questions, :who, :again and :view are the same here and far away."""
    local = Cli(tmp_path / "local.db")
    env = {"SOTTOVOCE_DB": local.url, **HURRIED}
    near = Pty([SOTTOVOCE, "play", "mafia", "--names", ",".join(NAMES), "--seed", "4", "--seat", "Ada=human"], env=env)
    _, links = table(server, "Ada")
    remote = sit(links["Ada"])
    try:
        for program in (near, remote):
            asked(program, "Enter alone says")
            program.type("\r")
            asked(program, "Day 1: discussion")
            program.type(":who\r")
            asked(program, "Waiting for, as far as you know")
            told = program.text.count("Living players:")
            program.type(":again\r")
            program.wait(lambda program=program, told=told: program.text.count("Living players:") > told)  # type: ignore[misc]
            program.type(":view all\r")
            program.wait(lambda program=program: program.text.count("You are a Villager.") == 2)  # type: ignore[misc]
            asked(program, "You are a Villager.")
            program.type(":quit\r")
            assert program.ended() == 0
    finally:
        near.close()
    assert lines_of(near.text) == lines_of(remote.text)
    assert len(lines_of(near.text)) > 20


def lines_of(text: str) -> list[str]:
    """The lines of a screen in their order, each once where it is drawn again.

    Those that are typed in or tell of leaving are left out, and what an editor draws again where it stands.
    """
    skipped = ("To continue", "You still have the seat", "Game ", "(Press any key", "This was")
    lines = [line.rstrip() for line in text.split("\n")]
    return list(dict.fromkeys(line for line in lines if line and "❯" not in line and not line.startswith(skipped)))


def test_who_leaves_keeps_the_seat_and_goes_on_where_it_was(server: Serving, sv: Cli, sit: Sit) -> None:
    game, links = table(server, "Ada")
    first = sit(links["Ada"])
    asked(first, "Enter alone says")
    first.type("\r")
    asked(first, "Day 1: discussion")
    first.type(":quit\r")
    assert first.ended() == 0
    assert "You still have the seat. To continue: " in first.text
    second = sit(links["Ada"])
    asked(second, "Discussion, day 1")
    assert f"Continuing game {game} as Ada." in second.text
    assert "Enter alone says" not in second.text
    second.process.kill()
    second.ended()
    third = sit(links["Ada"])
    asked(third, "Discussion, day 1")
    third.type("\x03")
    assert third.ended() == 130
    last = sit(links["Ada"])
    choose_on(last, lambda: "This was game" in last.text)
    assert last.ended() == 0
    again = sit(links["Ada"])
    assert again.ended() == 0
    assert f"Game {game} is over. " in again.text
    assert set(accepted(sv, game, "Ada").values()) == {1}


def test_a_server_that_is_killed_and_started_again_is_waited_for(server: Serving, sv: Cli, sit: Sit) -> None:
    game, links = table(server, "Ada")
    program = sit(links["Ada"])
    asked(program, "Enter alone says")
    server.stop(signal.SIGKILL)
    program.until(AWAY)
    program.type("1\r")  # typed while nobody is there to take it
    server.start()
    program.until(BACK)
    asked(program, "Day 1: discussion")
    for killed in (2, 3):
        choose_on(program, lambda killed=killed: len(accepted(sv, game, "Ada")) >= killed)  # type: ignore[misc]
        server.stop(signal.SIGKILL if killed == 2 else signal.SIGTERM)
        server.start()
    choose_on(program, lambda: "This was game" in program.text)
    assert program.ended() == 0
    assert set(accepted(sv, game, "Ada").values()) == {1}
    told_once(sv, game, program)


def test_a_network_that_is_cut_again_and_again_shows_nothing_twice(server: Serving, sv: Cli, sit: Sit) -> None:
    game, links = table(server, "Ada")
    with Wire(server.port, stream_bytes=4000, lost=2) as wire:
        program = sit(links["Ada"].replace(server.base, wire.base))
        choose_on(program, lambda: "This was game" in program.text)
        assert program.ended() == 0
        assert wire.cuts > 5
    assert set(accepted(sv, game, "Ada").values()) == {1}
    told_once(sv, game, program)


def test_a_link_that_is_issued_anew_ends_the_old_one_s_sitting(server: Serving, sit: Sit) -> None:
    game, links = table(server, "Ada")
    program = sit(links["Ada"])
    asked(program, "Enter alone says")
    headers = {"authorization": f"Bearer {links['keeper'].partition('#')[2]}"}
    issued = httpx2.post(
        f"{server.base}/v1/games/{game}/links", json={"kind": "seat", "seat": "Ada"}, headers=headers, timeout=PATIENCE
    )
    assert issued.status_code == 201
    assert program.ended() == 1
    assert "sottovoce: This needs a valid link" in program.text
    other = sit(issued.json()["link"])
    asked(other, "Ada ❯")


def run(*words: str, link: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "SOTTOVOCE_LINK": link, "SOTTOVOCE_DB": "sqlite:////nowhere/games.db", **HURRIED}
    return subprocess.run(
        [SOTTOVOCE, *words], env=env, input=stdin, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_what_cannot_be_joined_is_one_line(server: Serving) -> None:
    _, links = table(server, "Ada")
    cases = [
        (links["spectator"], 2, "This is a spectator link"),
        (links["Ada"][:-4] + "AAAA", 1, "This needs a valid link"),
        (links["Ada"][:-4], 2, "has no Sottovoce token"),
        ("", 2, "No link given"),
        (links["Ada"].replace(str(server.port), "9"), 1, "Nothing answers at http://127.0.0.1:9 "),
    ]
    for command in (("join",), ("agent", "--as", "house")):
        for link, code, told in cases:
            done = run(*command, link=link)
            assert (done.returncode, done.stdout) == (code, ""), done
            assert told in done.stderr
            assert done.stderr.count("\n") == 1
            assert links["Ada"].partition("#")[2][4:30] not in done.stderr
    for spec, told in (("human", "sottovoce join"), ("outside", "inbox and send"), ("nobody", "There is no agent")):
        done = run("agent", "--as", spec, link=links["Ada"])
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert told in done.stderr


def test_agents_of_one_s_own_and_a_person_by_a_pipe_play_a_whole_game(server: Serving, sv: Cli, tmp_path: Path) -> None:
    """Two house players, a random one, and a person who types ahead."""
    game, links = table(server, "Ada", "Bram", "Cleo", "Dirk")
    agents = {"Bram": "random", "Cleo": "house"}
    done: dict[str, subprocess.CompletedProcess[str]] = {}

    def play(seat: str, *words: str, stdin: str = "") -> None:
        done[seat] = run(*words, link=links[seat], stdin=stdin)

    threads = [
        threading.Thread(target=play, args=(seat, "agent", "--as", spec, "--json")) for seat, spec in agents.items()
    ]
    threads.append(threading.Thread(target=play, args=("Dirk", "agent", "--as", "house")))
    threads.append(threading.Thread(target=play, args=("Ada", "join"), kwargs={"stdin": "1\n" * 500}))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert {seat: one.returncode for seat, one in done.items()} == dict.fromkeys(links.keys() & done.keys(), 0)
    told = json.loads(done["Bram"].stdout)
    assert (told["game"], told["seat"], told["status"]) == (game, "Bram", "over")
    assert told["accepted"] == len(accepted(sv, game, "Bram"))
    assert f"Game {game} is over." in done["Dirk"].stdout
    assert "accepted" in done["Dirk"].stderr
    assert f"This was game {game}." in done["Ada"].stdout
    for seat in ("Ada", "Bram", "Cleo", "Dirk"):
        assert set(accepted(sv, game, seat).values()) == {1}


def test_watch_follows_a_game_that_others_play_from_every_kind_of_link(
    server: Serving, sv: Cli, tmp_path: Path
) -> None:
    game, links = table(server, "Ada")
    headers = {"authorization": f"Bearer {links['keeper'].partition('#')[2]}"}
    issued = httpx2.post(
        f"{server.base}/v1/games/{game}/links", json={"kind": "auditor"}, headers=headers, timeout=PATIENCE
    )
    chairs = {"seat": links["Ada"], "spectator": links["spectator"], "auditor": issued.json()["link"]}
    env = {**os.environ, "SOTTOVOCE_DB": "sqlite:////nowhere/games.db", **HURRIED}
    papers = {kind: tmp_path / kind for kind in chairs}
    watching = []
    for kind, link in chairs.items():
        words = ["watch", "--json", "--server", link, *(["--auditor"] if kind == "auditor" else [])]
        with papers[kind].open("w") as paper:
            watching.append(subprocess.Popen([SOTTOVOCE, *words], env=env, stdout=paper))
    end = time.monotonic() + PATIENCE
    while not all(paper.stat().st_size for paper in papers.values()):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert run("agent", "--as", "house", "--quiet", link=links["Ada"]).returncode == 0
    assert [program.wait(PATIENCE) for program in watching] == [0, 0, 0]
    shown = {kind: paper.read_text(encoding="utf-8") for kind, paper in papers.items()}
    assert shown["seat"] == sv("watch", game, "--as", "Ada", "--json").out
    assert shown["spectator"] == sv("replay", "--server", links["spectator"], "--json").out
    assert shown["auditor"] == sv("watch", game, "--auditor", "--json").out


def test_a_game_on_hold_is_waited_for(server: Serving, sit: Sit) -> None:
    game, links = table(server, "Ada")
    headers = {"authorization": f"Bearer {links['keeper'].partition('#')[2]}"}
    program = sit(links["Ada"])
    asked(program, "Enter alone says")
    held = httpx2.post(f"{server.base}/v1/games/{game}/hold", headers=headers, timeout=PATIENCE)
    assert held.status_code == 200, held.text
    program.until("The game is on hold until the keeper resumes it.")
    resumed = httpx2.post(f"{server.base}/v1/games/{game}/resume", json={}, headers=headers, timeout=PATIENCE)
    assert resumed.status_code == 200, resumed.text
    choose_on(program, lambda: "This was game" in program.text)
    assert program.ended() == 0
