"""Several processes on one file: two `play`s, a `run`, a `watch` and `send`s at once; several on one game."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from durability.checks import check_end, check_game
from durability.processes import Cold, Tap, Zygote
from durability.rounds import Rounds

from sottovoce.eventlog import open_log

NAMES = ["--names", "Ada,Bram,Cleo,Dirk,Edda,Finn", "--seed", "22"]


def checked(url: str, tap: Any, sent: Any = ()) -> Any:
    """Check that every game of the log is over and sound. Return how many there are."""
    log = open_log(url)
    try:
        for game in log.games():
            assert check_game(log, game, tap.appends, sent) == []
            assert log.due(game) == []
        return len(log.games())
    finally:
        log.close()


def answer(zygote: Zygote, url: str, game: str, seat: str, folder: Path, over: Any) -> Any:
    """Play a seat with `inbox` and `send` until `over()`. Return how many answers were accepted."""
    accepted, since = 0, 0
    while not over():
        command = ["--db", url, "inbox", game, "--as", seat, "--since", str(since), "--wait", "1", "--json"]
        code, out, err = zygote.run(command, folder / "inbox")
        assert (code, err) == (0, "")
        heard = json.loads(out)
        since = heard["seq"]
        for turn in heard["turns"]:
            text = folder / "text"
            text.write_text((turn["choices"] or ["I have nothing to say."])[-1])
            command = ["--db", url, "send", game, "--as", seat, "--turn", str(turn["turn"]), "--json"]
            code, out, err = zygote.run(command, folder / "send", given=text)
            assert "Traceback" not in err
            accepted += code == 0
            assert code == 0 or "closed" in err or over(), err
    return accepted


def test_two_plays_a_run_a_watch_and_sends_share_one_file(rounds: Rounds, zygote: Zygote) -> None:
    folder, url = rounds.place()
    tap = Tap(folder / "tap")
    wishes = {"tap": str(tap.path)}
    play = ["--db", url, "play", "mafia", "--agents", "random", "--json"]
    with (
        Cold([*play, *NAMES, "--seat", "Ada=outside"], tapped=True, wishes=wishes) as one,
        Cold([*play, "--players", "6", "--seed", "5"], tapped=True, wishes=wishes) as two,
        Cold(["--db", url, "run", "mafia", "--games", "4", "--agents", "random"], tapped=True, wishes=wishes) as three,
    ):
        log = open_log(url)
        try:
            deadline = time.monotonic() + 60
            game = None
            while game is None:
                assert one.alive(), one.end()
                assert time.monotonic() < deadline
                time.sleep(0.01)
                for found in log.games():
                    if any(getattr(item.event, "agents", {}).get("Ada") == "outside" for item in log.read(found, 0, 2)):
                        game = found
        finally:
            log.close()
        with Cold(["--db", url, "watch", game, "--json"]) as watch:
            assert answer(zygote, url, game, "Ada", folder, lambda: not one.alive()) > 2
            ended = [command.end() for command in (one, two, three, watch)]
    assert [code for code, _, _ in ended] == [0, 0, 0, 0], ended
    assert all("error" not in err.casefold() and "Traceback" not in err for _, _, err in ended), ended
    assert ended[3][1].count("\n") > 10
    assert checked(url, tap) == 6


def test_a_resume_of_a_game_that_another_process_plays_follows_it(
    rounds: Rounds, workers: tuple[Zygote, Zygote]
) -> None:
    one, other = workers
    folder, url = rounds.place()
    tap = Tap(folder / "tap")
    baseline = rounds.baseline("play")
    one.start(rounds.arguments("play", url), folder / "one", tap=str(tap.path), slow="narrator:3:0.5")
    assert tap.wait_for(1, "calling")
    code, out, err = other.run(["--db", url, "resume", "latest"], folder / "other", tap=str(tap.path))
    assert code == 0, err
    assert "The winner is" in out
    assert one.wait() == 0
    calls = [tuple(line["calling"]) for line in tap.look() if "calling" in line]
    assert len(calls) == len(set(calls)), "each turn was asked for once"
    assert checked(url, tap) == 1
    log = open_log(url)
    assert check_end(log, log.games()[0], baseline.games) == []
    log.close()


def test_a_follower_takes_over_at_once_when_the_player_dies(rounds: Rounds, workers: tuple[Zygote, Zygote]) -> None:
    one, other = workers
    folder, url = rounds.place()
    tap = Tap(folder / "tap")
    one.start(rounds.arguments("play", url), folder / "one", tap=str(tap.path), slow="narrator:3:60")
    while ["narrator", 3, 1] not in [line.get("calling") for line in tap.look()]:
        time.sleep(0.005)
    other.start(["--db", url, "resume", "latest", "--quiet"], folder / "other", tap=str(tap.path))
    tap.wait_for(2, "pid")
    time.sleep(0.5)
    assert other.alive(), "it waits for the one that plays"
    started = time.monotonic()
    one.kill()
    assert other.wait() == 0
    assert time.monotonic() - started < 25, "a lease is handed back after thirty"
    assert checked(url, tap) == 1
    log = open_log(url)
    assert check_end(log, log.games()[0], rounds.baseline("play").games) == []
    log.close()


@pytest.mark.parametrize("seconds", ["0.6", "0.05"])
def test_a_reply_that_is_sent_races_with_the_house(
    rounds: Rounds, workers: tuple[Zygote, Zygote], seconds: str
) -> None:
    one, other = workers
    folder, url = rounds.place()
    tap = Tap(folder / "tap")
    one.start(rounds.arguments("play", url), folder / "one", tap=str(tap.path), slow=f"narrator:3:{seconds}")
    while ["narrator", 3, 1] not in [line.get("calling") for line in tap.look()]:
        time.sleep(0.002)
    words = folder / "words"
    words.write_text("Town Hall")
    command = ["--db", url, "send", "latest", "--as", "narrator", "--turn", "3"]
    code, out, err = other.run(command, folder / "send", given=words)
    assert (code, out, err) in ((0, "Accepted.\n", ""), (1, "", err)), (code, out, err)
    assert one.wait() == 0
    assert checked(url, tap, sent=("narrator",)) == 1
    if seconds == "0.6":
        assert code == 0 or "Refused" in err
