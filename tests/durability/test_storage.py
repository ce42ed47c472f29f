"""A full disk, a quota, and a read-only log: one clear line, nothing lost, and play continues as soon as possible."""

import json
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from durability.checks import check_end, check_game
from durability.processes import Tap
from durability.rounds import Rounds

from sottovoce.eventlog import open_log
from sottovoce.eventlog.sqlite.log import SqliteLog

ROOT = os.geteuid() == 0
VERIFY = ["audit", "verify", "latest"]
OPEN = all(folder.stat().st_mode & 0o001 for folder in Path(__file__).resolve().parents)
CLOSED = pytest.mark.skipif(not OPEN, reason="the folders above this checkout are closed to others")
USERS = [None, *([pytest.param("nobody", marks=CLOSED)] if ROOT else [])]
"""Root can write regardless of modes, so as root each test also runs as another user."""


@pytest.fixture(params=USERS, ids=lambda user: user or ("root" if ROOT else "user"))
def user(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def place(rounds: Rounds, user: str | None) -> Iterator[Any]:
    """A folder with an empty log that `user` owns, and the log's URL."""
    folder = Path(tempfile.mkdtemp(prefix="sottovoce-test-"))
    shutil.copy(rounds.place()[0] / "log.db", folder)
    if user:
        found = pwd.getpwnam(user)
        for path in (folder, folder / "log.db"):
            os.chown(path, found.pw_uid, found.pw_gid)
    yield folder, f"sqlite:///{folder / 'log.db'}"
    folder.chmod(0o700)
    shutil.rmtree(folder)


def one_line(err: str) -> Any:
    lines = [line for line in err.strip().splitlines() if line]
    assert "Traceback" not in err
    assert "unexpected" not in err
    assert [line for line in lines if line.startswith("sottovoce: ")] == lines[-1:], err
    return lines[-1]


def goes_on(rounds: Rounds, folder: Path, url: str, tap: Any, user: str | None) -> None:
    """Check that every open game can be resumed to the end it would have had."""
    log = open_log(url)
    try:
        assert log.games()
        for game in log.games():
            assert check_game(log, game, tap.appends) == []
            code, _, err = rounds.zygote.run(["--db", url, "resume", game, "--quiet"], folder / "on", user=user)
            assert code == 0, err
            assert check_game(log, game, tap.appends) == []
            assert check_end(log, game, rounds.baseline("play").games) == []
    finally:
        log.close()


@pytest.mark.parametrize(
    ("what", "said"),
    [("pages", "is full"), ("fsize", "failed")],
    ids=["full disk", "quota"],
)
def test_a_full_disk_stops_the_game_and_loses_nothing(
    rounds: Rounds, place: Any, user: str | None, what: str, said: str
) -> None:
    folder, url = place
    tap = Tap(folder / "tap")
    arguments = rounds.arguments("play", url)
    size = (folder / "log.db").stat().st_size
    limit = {"pages": str(size // 4096 + 8)} if what == "pages" else {"fsize": "250000"}
    code, _, err = rounds.zygote.run(arguments, folder / "out", tap=str(tap.path), user=user, **limit)
    assert code == 1, err
    assert said in one_line(err)
    assert len(tap.appends) > 5
    # Reading works while there is no space.
    for words in (
        ["games"],
        ["view", "latest", "--as", "narrator"],
        ["replay", "latest"],
        ["audit", "verify", "latest"],
    ):
        code, out, err = rounds.zygote.run(["--db", url, *words], folder / "read", user=user, **limit)
        assert (code, bool(out)) == (0, True), (words, err)
    code, _, err = rounds.zygote.run(
        ["--db", url, "resume", "latest", "--quiet"], folder / "again", tap=str(tap.path), user=user, **limit
    )
    assert code == 1
    assert said in one_line(err)
    goes_on(rounds, folder, url, tap, user)


def test_a_truly_full_file_system_does_the_same(rounds: Rounds) -> None:
    folder = Path(tempfile.mkdtemp(prefix="sottovoce-test-"))
    mounted = (
        ROOT
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
    )
    try:
        if not mounted:
            pytest.skip("no file system of its own can be mounted here")
        shutil.copy(rounds.place()[0] / "log.db", folder)
        elsewhere, url = rounds.place()[0], f"sqlite:///{folder / 'log.db'}"
        tap = Tap(elsewhere / "tap")
        filler = folder / "filler"
        with filler.open("wb") as file:
            file.write(bytes(200_000))
        code, _, err = rounds.zygote.run(rounds.arguments("play", url), elsewhere / "out", tap=str(tap.path))
        assert code == 1, err
        assert "full" in one_line(err) or "failed" in one_line(err)
        for words in (["games"], ["replay", "latest"], VERIFY):
            code, _, err = rounds.zygote.run(["--db", url, *words], elsewhere / "read")
            assert code == 0, (words, err)
        filler.unlink()
        subprocess.run(["mount", "-o", "remount,size=8m", str(folder)], check=True)
        goes_on(rounds, elsewhere, url, tap, None)
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("idle", [False, True], ids=["at once", "waiting"])
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_log_that_may_only_be_read_is_read(
    rounds: Rounds, place: Any, user: str | None, what: str, idle: bool
) -> None:
    if ROOT and user is None:
        pytest.skip("root may write to any file")
    folder, url = place
    arguments = ["--db", url, "play", "mafia", "--players", "5", "--seat", "Ada=outside", "--agents", "random"]
    tap = Tap(folder / "tap")
    rounds.zygote.start([*arguments, "--seed", "21"], folder / "out", tap=str(tap.path), user=user)
    answered = ["--db", url, "inbox", "latest", "--as", "Ada", "--json"]
    tap.wait_for(3, alive=rounds.zygote.alive)
    if idle:  # only waiting for answers from outside is left to do
        quiet, seen = time.monotonic(), len(tap.look())
        while time.monotonic() < quiet + 0.5:
            if seen != (seen := len(tap.look())):
                quiet = time.monotonic()
            time.sleep(0.01)
    rounds.zygote.kill()
    log = open_log(url)
    assert isinstance(log, SqliteLog)
    with log.datastore.raw() as connection:  # leave nothing in the write-ahead log
        connection.close()
    (folder / "log.db").chmod(0o444)
    if what == "folder":
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
    out = rounds.place()[0] / "out"
    for words in (
        ["play", "mafia", "--agents", "random", "--quiet"],
        ["resume", "latest", "--quiet"],
        ["worker"],
        ["send", "latest", "--as", "Ada", "--turn", "1"],
    ):
        code, _, err = rounds.zygote.run(["--db", url, *words], out, user=user)
        assert (code, "writ" in one_line(err)) == (1, True), (words, err)
    for words in (["games"], ["show", "latest"], ["view", "latest", "--as", "Ada"], ["replay", "latest"]):
        code, _, err = rounds.zygote.run(["--db", url, *words], out, user=user)
        assert code == 0, (words, err)
    code, _, err = rounds.zygote.run(["--db", url, "audit", "verify", "latest"], out, user=user)
    assert code == 0, err
    code, said, err = rounds.zygote.run(answered, out, user=user)
    assert (code, "writ" in one_line(err)) == (1, True) if code else json.loads(said)["entries"] == []
