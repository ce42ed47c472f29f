"""A seat filled from another process: `inbox` and `send`."""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from commands import SOTTOVOCE, Cli
from patience import PATIENCE

from sottovoce.cli.inbox import wait_for_news
from sottovoce.domain.commands import Say
from sottovoce.eventlog import open_log
from sottovoce.server.games import Games, now

TURN = ["turn", "kind", "choices", "attempts_left", "deadline", "claimed_until"]
ASKED = ["ask", "how", "context", "enter", "goes_to", "options", "form", "refused", "prompt"]


def test_inbox_shows_the_open_turn_and_what_is_new(sv: Cli, waiting: str) -> None:
    found = sv("inbox", waiting, "--as", "narrator", "--json").json
    assert list(found) == ["seat", "seq", "over", "turns", "entries"]
    assert [list(turn) for turn in found["turns"]] == [[*TURN, *ASKED]]
    assert (found["turns"][0]["turn"], found["turns"][0]["kind"]) == (1, "opening")
    assert found["turns"][0]["attempts_left"] == 2
    assert "YOUR TURN 1." in found["turns"][0]["prompt"]
    assert len(found["entries"]) == found["seq"]
    assert sv("inbox", waiting, "--as", "narrator", "--since", 3, "--json").json["entries"][0]["seq"] == 4


def test_inbox_as_text_says_how_to_answer(sv: Cli, waiting: str) -> None:
    told = sv("inbox", waiting, "--as", "narrator").out
    assert "Turn 1 is open (opening; attempts left: 2)." in told
    assert f"send {waiting} --as narrator --turn 1" in told


def test_reading_acknowledges_nothing(sv: Cli, waiting: str) -> None:
    first = sv("inbox", waiting, "--as", "narrator", "--json").out
    assert sv("inbox", waiting, "--as", "narrator", "--json").out == first


def test_a_wait_that_runs_out_is_no_error(sv: Cli, waiting: str) -> None:
    seq = sv("inbox", waiting, "--as", "Ada", "--json").json["seq"]
    started = time.monotonic()
    found = sv("inbox", waiting, "--as", "Ada", "--since", seq, "--wait", "0.3", "--json").json
    assert 0.3 <= time.monotonic() - started < PATIENCE
    assert found == {"seat": "Ada", "seq": seq, "over": False, "turns": [], "entries": []}
    assert sv("inbox", waiting, "--as", "Ada", "--since", seq).out == "Nothing new.\n"
    assert sv("inbox", waiting, "--as", "Ada", "--since", 999).code == 0


def test_a_wait_ends_soon_after_another_process_appended(sv: Cli, waiting: str) -> None:
    seq = sv("inbox", waiting, "--as", "Ada", "--json").json["seq"]
    words = [SOTTOVOCE, "--db", sv.url, "inbox", waiting, "--as", "Ada", "--since", str(seq)]
    words += ["--wait", str(3 * PATIENCE), "--json"]
    ended: list[float] = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as listener:
        pipe = listener.stdout
        assert pipe is not None

        def read() -> None:
            if pipe.readline():
                ended.append(time.monotonic())

        reader = threading.Thread(target=read)
        reader.start()
        time.sleep(2.5)
        assert sv("send", waiting, "--as", "narrator", "--turn", 1, stdin="The fire is low.").code == 0
        sent = time.monotonic()
        reader.join(PATIENCE)
    assert listener.returncode == 0
    assert ended[0] - sent < PATIENCE, "it did not wait for its end; how soon is measured below"


def test_what_came_between_the_reading_and_the_waiting_is_seen(sv: Cli, waiting: str) -> None:
    """Nothing more may come for an hour after it."""
    here, there = (Games(open_log(sv.url)) for _ in range(2))
    live, other = here.load(waiting), there.load(waiting)
    since = live.view("Ada").seq
    asyncio.run(there.submit(other, Say(now(), "Ada", "Hello?")))
    assert wait_for_news(here, live, "Ada", since, time.monotonic() + 1).seq > since
    for games in (here, there):
        games.close()
        games.log.close()


def test_it_wakes_within_a_tenth_of_a_second(sv: Cli, waiting: str) -> None:
    here, there = (Games(open_log(sv.url)) for _ in range(2))
    live, other = here.load(waiting), there.load(waiting)
    taken = []

    def listen(since: int) -> tuple[int, datetime]:
        return wait_for_news(here, live, "Ada", since, time.monotonic() + 10).seq, now()

    with ThreadPoolExecutor(1) as pool:
        for _ in range(50):
            since = here.load(waiting).view("Ada").seq
            waited = pool.submit(listen, since)
            time.sleep(0.1)
            asyncio.run(there.submit(other, Say(now(), "Ada", "Hello?")))
            sent = now()
            seq, woken = waited.result()
            assert seq > since
            taken.append((woken - sent).total_seconds())
            if taken[-1] < 0.1:
                break
    for games in (here, there):
        games.close()
        games.log.close()
    assert min(taken) < 0.1, taken


def test_send_is_accepted_once_and_repeats_give_the_first_result(sv: Cli, waiting: str) -> None:
    words = ("send", waiting, "--as", "narrator", "--turn", 1)
    assert sv(*words, stdin="The fire is low.\n").out == "Accepted.\n"
    length = sv("audit", "verify", waiting, "--json").json["events"]
    assert sv(*words, stdin="The fire is low.").out == "Accepted (it was already sent before).\n"
    assert sv(*words, "--json", stdin="The fire is low.").json == {
        "game": waiting,
        "seat": "narrator",
        "turn": 1,
        "accepted": True,
        "repeated": True,
    }
    assert sv("audit", "verify", waiting, "--json").json["events"] == length, "nothing was appended"
    other = sv(*words, stdin="Something else.")
    assert (other.code, other.err) == (1, "sottovoce: Refused: Turn 1 is closed.\n")


def test_a_bad_reply_says_what_is_wrong_and_the_last_one_what_stood_in(sv: Cli, waiting: str) -> None:
    words = ("send", waiting, "--as", "narrator", "--turn", 1)
    said = sv(*words, stdin="")
    assert (said.code, said.err) == (1, "sottovoce: Refused: Your reply is empty; say something.\n")
    said = sv(*words, "--json", stdin="   ")
    assert said.code == 1
    assert json.loads(said.out)["accepted"] is False
    assert "fallback was applied" in said.err


def test_send_reads_files_and_odd_bytes(sv: Cli, waiting: str) -> None:
    file = sv.path.parent / "reply.txt"
    file.write_bytes("Näch\x00tens \x1b[2J\r\n".encode() + b"\xff\n")
    assert sv("send", waiting, "--as", "narrator", "--turn", 1, file).code == 0
    told = sv("view", waiting, "--as", "Ada").out
    assert "\x1b" not in told
    assert "\x00" not in told


def test_an_unprompted_message_is_refused_where_the_rules_know_none(sv: Cli, waiting: str) -> None:
    said = sv("send", waiting, "--as", "Ada", stdin="Hello?")
    assert said.code == 1
    assert "Wait for your turn" in said.err
    assert "Wait for your turn" in sv("view", waiting, "--as", "Ada").out
    assert "wait for a turn" not in sv("view", waiting, "--as", "Bram").out


def test_a_whole_seat_is_played_from_another_process(fresh: Cli) -> None:
    seat = 'O\'Brien the "Second"'
    names = f"{seat},Bram,Cleo,Dirk"
    words = [SOTTOVOCE, "--db", fresh.url, "play", "mafia", "--names", names, "--agents", "random", "--seed", "4"]
    words += ["--seat", f"{seat}=outside", "--rule", "max_days=1", "--rule", "max_speeches=2", "--json"]
    playing = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + PATIENCE
        while not (fresh.path.exists() and fresh("games").code == 0 and fresh("games", "--json").out):
            assert time.monotonic() < until
            time.sleep(0.1)
        since = answered = 0
        while playing.poll() is None and time.monotonic() < until:
            found = fresh("inbox", "latest", "--as", seat, "--since", since, "--wait", 2, "--json").json
            since = found["seq"]
            for turn in found["turns"]:
                text = turn["choices"][0] if turn["choices"] else "I have nothing to hide."
                answered += fresh("send", "latest", "--as", seat, "--turn", turn["turn"], stdin=text).code == 0
            if not found["turns"]:
                time.sleep(0.02)
        out, _ = playing.communicate(timeout=PATIENCE)
    finally:
        playing.kill()
        playing.communicate()
    assert playing.returncode == 0
    assert json.loads(out)["status"] == "over"
    assert answered >= 2
