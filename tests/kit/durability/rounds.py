"""Rounds of play, SIGKILL, resume and check."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from postgres import Databases, database
from session import FILES

from durability.checks import Views, check_end, check_game, seed_of, state_of, views
from durability.processes import PATIENCE, Cold, Hung, Tap, Zygote, gone
from sottovoce import eventlog
from sottovoce.eventlog import open_log
from sottovoce.eventlog.errors import LogError

SCRIPT = """
[null, "", "nobody at all", [null, "pass"], "I have my doubts.", null, [null, null, null], "yes", "spare"]
"""
"""Replies with attempts that fail, are refused, and time out."""

SETUPS: dict[str, tuple[str, ...]] = {
    "play": ("play", "mafia", "--players", "6", "--agents", "random", "--seed", "11"),
    "play, house": ("play", "mafia", "--players", "7", "--agents", "house", "--seed", "12"),
    "play, mixed and limited": (
        *("play", "mafia", "--names", "Ada,Bram,Cleo,Dirk,Edda", "--agents", "random", "--seed", "13"),
        *("--seat", "Ada=scripted:{script}", "--seat", "Cleo=house", "--seat", "Edda=scripted:{script}"),
        *("--rule", "turn_seconds=120", "--rule", "reveal_role_on_night_death=true", "--quiet"),
    ),
    "run": ("run", "mafia", "--games", "5", "--players", "5", "--agents", "random", "--seed", "14", "--json"),
    "run, two jobs": (
        *("run", "mafia", "--games", "6", "--players", "5", "--agents", "random", "--seed", "15"),
        *("--jobs", "2", "--json"),
    ),
}

SESSIONS: dict[str, tuple[str, ...]] = {
    f"session, {edition}": (
        *("play", "tabletop", "{campaign}", "--full-auto", "--seed", "16", "--quiet", "--edition", edition),
    )
    for edition in ("phase-1", "phase-2", "current")
}
"""Setups in which several seats have a turn at once and everyone hears their answers.

What is said depends on who answers first, so an interrupted session need not end like an uninterrupted one.
"""
SETUPS |= SESSIONS

UNDER_TEST = "under-test"
"""The name under which the processes under test connect to a PostgreSQL server."""

_AT_IT = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s"

COMMIT_POINTS = ("begin", "inserted", "commit", "committed")
POINTS = (*COMMIT_POINTS, "acknowledged", "calling")


@dataclass(slots=True)
class Baseline:
    """An uninterrupted run of a setup: what every seat of every game saw, by seed, and the run's duration and size.

    One commit can contain several appends.
    """

    games: dict[str, Views]
    appends: int
    commits: int
    seconds: float
    points: int


@dataclass(slots=True)
class Round:
    """The result of one round."""

    setup: str
    kills: list[str] = field(default_factory=list)
    acknowledged: int = 0
    games: int = 0
    findings: list[str] = field(default_factory=list)


class Rounds:
    """Plays rounds in a separate folder, on SQLite or, with `databases`, on PostgreSQL."""

    def __init__(self, folder: Path, zygote: Zygote, databases: Databases | None = None) -> None:
        self.folder = folder
        self.zygote = zygote
        self.databases = databases
        self._baselines: dict[str, Baseline] = {}
        self._count = 0
        self._names: list[str] = []
        self._empty = folder / "empty.db"
        eventlog.upgrade(f"sqlite:///{self._empty}")
        self._script = folder / "script.yaml"
        self._script.write_text(SCRIPT)
        self._campaign = folder / "the-drowned-bell"
        for path, content in FILES.items():
            file = self._campaign / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def close(self) -> None:
        """Drop the databases of all rounds."""
        for name in self._names:
            assert self.databases is not None
            self.databases.drop(name)

    def arguments(self, setup: str, url: str) -> list[str]:
        """Return the command line of a setup."""
        return ["--db", url, *(word.format(script=self._script, campaign=self._campaign) for word in SETUPS[setup])]

    def place(self, *, fresh: bool = False) -> tuple[Path, str]:
        """Return a new folder and the URL of its log: an empty log, or with `fresh` no file or an empty database."""
        self._count += 1
        folder = self.folder / str(self._count)
        folder.mkdir()
        if self.databases is not None:
            name = self.databases.new("template0") if fresh else self.databases.new(self.databases.template)
            self._names.append(name)
            return folder, f"{database(self.databases.url, name)}&application_name={UNDER_TEST}"
        if not fresh:
            shutil.copy(self._empty, folder / "log.db")
        return folder, f"sqlite:///{folder / 'log.db'}"

    def baseline(self, setup: str) -> Baseline:
        """Return the uninterrupted run of a setup, which is played once."""
        if setup not in self._baselines:
            folder, url = self.place()
            tap = Tap(folder / "tap")
            started = time.monotonic()
            self.zygote.start(self.arguments(setup, url), folder / "out", tap=str(tap.path))
            code = self.zygote.wait()
            seconds = time.monotonic() - started
            assert code == 0, (folder / "out.err").read_text()
            log = open_log(url, create=False)
            games = {}
            for game in log.games():
                findings = check_game(log, game, tap.appends)
                assert not findings, findings
                recorded = log.read(game)
                games[seed_of(recorded)] = views(recorded)
            log.close()
            calls, commits = (sum(what in line for line in tap.lines) for what in ("calling", "committed"))
            self._baselines[setup] = Baseline(games, len(tap.appends), commits, seconds, calls)
        return self._baselines[setup]

    def play(self, setup: str, chance: random.Random, *, fault: str | None = None, cold: bool = False) -> Round:
        """Play one round: play and kill; resume, sometimes killing that too, until every game is over; check after each
        step.

        With `cold` the first process starts cold and is killed only by the clock. Otherwise half of the deaths are at a
        point in a commit or call, and half come from outside at a random moment.
        """
        done = Round(setup)
        baseline = self.baseline(setup)
        folder, url = self.place(fresh=chance.random() < 0.25)
        tap = Tap(folder / "tap")
        if cold:
            self._kill_cold(setup, url, tap, chance, done)
        else:
            counts = baseline.appends, baseline.commits
            self._kill(self.arguments(setup, url), folder, tap, counts, chance, done, fault)
        self._end_orphans(tap, done)
        self._resume_all(url, folder, tap, chance, done, fault, baseline)
        done.acknowledged = len(tap.appends)
        return done

    def _kill(
        self,
        arguments: Sequence[str],
        folder: Path,
        tap: Tap,
        counts: tuple[int, int],
        chance: random.Random,
        done: Round,
        fault: str | None,
    ) -> int:
        """Start a process and kill it at a random moment. Return its exit code. `counts` are of appends and commits."""
        moment = "before anything" if chance.random() < 0.05 else chance.choice(("outside", *POINTS, "outside"))
        # As many early deaths as late ones, over orders of magnitude, because openings are short and need their share.
        most = counts[moment in COMMIT_POINTS]
        number = chance.randint(1, max(1, chance.choice((3, most // 4, most, most))))
        kill = f"{moment}:{number}" if moment in POINTS else None
        self.zygote.start(arguments, folder / "out", tap=str(tap.path), kill=kill, fault=fault)
        if moment == "before anything":
            time.sleep(chance.uniform(0, 0.05))
            code = self.zygote.kill()
        elif moment == "outside":
            before = len(tap.appends)
            tap.wait_for(before + number, alive=self.zygote.alive)
            time.sleep(chance.choice((0.0, chance.uniform(0, 0.004))))
            code = self.zygote.kill()
        else:
            try:
                code = self.zygote.wait()
            except Hung:
                done.findings.append(f"{arguments[2]}: hung")
                code = -9
        if code == -9:
            done.kills.append(f"{arguments[2]} {moment}")
        elif code == 1 and kill and "--jobs" in arguments:
            done.kills.append(f"{arguments[2]} {moment} in a worker")
        elif code != 0:
            done.findings.append(f"{arguments[2]} ended with {code}: {(folder / 'out.err').read_text()[-300:]}")
        return code

    def _kill_cold(self, setup: str, url: str, tap: Tap, chance: random.Random, done: Round) -> None:
        """Kill a process after a cold start; half of the time the plain command, without a tap.

        Then everything this test has read before the kill must exist afterwards.
        """
        tapped = chance.random() < 0.5
        number = chance.randint(1, self.baseline(setup).appends)
        with Cold(self.arguments(setup, url), tapped=tapped, wishes={"tap": str(tap.path)}) as command:
            if chance.random() < 0.3:
                time.sleep(chance.uniform(0, 1.5))
            elif tapped:
                tap.wait_for(number, alive=command.alive)
            read = [] if tapped else _read_until(url, number * 3, command)
            command.process.kill()
            code, _, err = command.end()
        tap.lines += read
        if code == -9:
            done.kills.append(f"cold {SETUPS[setup][0]}{'' if tapped else ' as users type it'}")
        elif code:
            done.findings.append(f"{SETUPS[setup][0]} ended with {code}: {err[-300:]}")

    def _end_orphans(self, tap: Tap, done: Round) -> None:
        """Check that the processes of a killed `run --jobs` soon end on their own."""
        deadline = time.monotonic() + 10
        for pid in tap.pids:
            while not gone(pid):
                if time.monotonic() > deadline:
                    done.findings.append("a process outlived the run that started it")
                    return
                time.sleep(0.002)

    def settle(self, url: str) -> None:
        """Wait until the server has done what a killed process had sent it."""
        if self.databases is None:
            return
        deadline = time.monotonic() + PATIENCE
        mine = url.replace(UNDER_TEST, "settling")
        with psycopg.connect(mine, autocommit=True) as connection:
            while connection.execute(_AT_IT, (UNDER_TEST,)).fetchone() != (0,):
                if time.monotonic() > deadline:
                    raise Hung("the server still works for a process that is gone")
                time.sleep(0.002)

    def _resume_all(
        self,
        url: str,
        folder: Path,
        tap: Tap,
        chance: random.Random,
        done: Round,
        fault: str | None,
        baseline: Baseline,
    ) -> None:
        if self.databases is None and not (folder / "log.db").exists():
            return
        self.settle(url)
        log = open_log(url.replace(UNDER_TEST, "sottovoce"))
        try:
            done.findings += log.notices
            known = log.games()
            for line in tap.appends:
                if line["game"] not in known:
                    done.findings.append(f"lost: the whole game {line['game']}")
            done.games = len(known)
            for game in known:
                self._resume(log, url, game, folder, tap, chance, done, fault)
                done.findings += check_end(log, game, None if done.setup in SESSIONS else baseline.games)
        finally:
            log.close()

    def _resume(
        self,
        log: eventlog.EventLog,
        url: str,
        game: str,
        folder: Path,
        tap: Tap,
        chance: random.Random,
        done: Round,
        fault: str | None,
    ) -> None:
        arguments = ["--db", url, "resume", game, "--quiet"]
        while True:
            self.settle(url)
            findings = check_game(log, game, tap.appends)
            if findings:
                done.findings += findings
                return
            recorded = log.read(game)
            if not recorded or state_of(recorded).over:
                return
            if chance.random() < 0.25:
                self._kill(arguments, folder, tap, (60, 60), chance, done, fault)
                continue
            self.zygote.start(arguments, folder / "out", tap=str(tap.path), fault=fault)
            try:
                code = self.zygote.wait(PATIENCE if fault is None else 4.0)
            except Hung:
                done.findings += [*check_game(log, game, tap.appends), "resume: hung"]
                return
            if code != 0:
                done.findings.append(f"resume ended with {code}: {(folder / 'out.err').read_text()[-300:]}")
                return


def _read_until(url: str, count: int, command: Cold) -> list[dict[str, Any]]:
    """Read a log that another process writes until it has this many events. Return what was read, like a tap."""
    path = Path(url.removeprefix("sqlite:///"))
    read: list[dict[str, Any]] = []
    while url.startswith("sqlite") and command.alive() and not path.exists():
        time.sleep(0.005)
    while command.alive() and sum(len(line["events"]) for line in read) < count:
        time.sleep(0.002)
        with suppress(LogError), closing(open_log(url.replace(UNDER_TEST, "sottovoce"), create=False)) as log:
            read = [
                {"game": game, "append": item.append, "events": [[item.position, item.hash.hex()]]}
                for game in log.games()
                for item in log.read(game)
            ]
    return read


def tallied(rounds: Sequence[Round]) -> str:
    """Return the rounds in one line: number and kinds of kills, games, and acknowledged appends."""
    kills = Counter(kill for done in rounds for kill in done.kills)
    parts = ", ".join(f"{count} {kill}" for kill, count in sorted(kills.items()))
    games, appends = sum(done.games for done in rounds), sum(done.acknowledged for done in rounds)
    return f"{kills.total()} kills ({parts}) in {games} games with {appends} acknowledged appends"
