"""Run every command and screen on two databases with a log and its twin.

`Shelves` stores many cases in two databases under the same game IDs. A `Surface` is anything that can run on one of
them: its output must be the same bytes. To add a command, add a line to `SURFACES`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import shlex
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol
from unittest import mock

import click
from click.testing import CliRunner, Result

from sottovoce.agents.agent import CallRecord
from sottovoce.agents.command_agent import CommandAgent
from sottovoce.agents.file_agent.agent import FilesAgent
from sottovoce.agents.file_agent.memory import MEMORY_FILE
from sottovoce.agents.mcp_tools.seat import P, T, Verdict
from sottovoce.agents.programs.settings import Settings as Programs
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import GameOpened
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.eventlog import EventLog, open_log
from sottovoce.isolation.cases import KEPT, SOME_TIME, Case, batch_of
from sottovoce.isolation.draws import generator
from sottovoce.isolation.folder_listing import listing, written_in_order
from sottovoce.isolation.minds import minds_of
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.stand_in import STAND_IN
from sottovoce.projections.view import View
from sottovoce.server.games import Games
from sottovoce.server.links import LinkKind, Links
from sottovoce.server.live import LiveGame

DATABASE = "games.db"
SERVER = "server"
"""The file in a shelf's folder with the address of its database, if that is not a file."""
NO_VARIABLES: Mapping[str, str] = {}
CRASHED = "crashed with "
"""The prefix of an error that no command expects."""


@dataclass(frozen=True)
class Surface:
    """Something that a person or program gets from a database. `run(case)` runs in the database's folder.

    `sound` requires cases in which the game can continue, `asked` an open turn of the seat, and `public` cases without
    a seat.
    """

    name: str
    run: Callable[[Case], bytes]
    sound: bool = False
    public: bool = False
    asked: bool = False


def command(name: str, *words: str, text: str | None = None, sound: bool = False, public: bool = False) -> Surface:
    """A command line as a surface.

    `{game}`, `{seat}`, `{seq}`, `{half}`, `{turn}` and `{closed}` are replaced by the case's values; `text` is its
    standard input.
    """

    def run(case: Case) -> bytes:
        half = max(1, case.seq // 2)
        last, closed = (case.turns[-1], case.turns[0]) if case.turns else (1, 1)
        named = {"game": case.game, "seat": case.seat, "seq": case.seq, "half": half, "turn": last, "closed": closed}
        return invoke([word.format(**named) for word in words], text)

    return Surface(name, run, sound, public)


def invoke(
    words: Sequence[str], text: str | None = None, database: str = DATABASE, env: Mapping[str, str] = NO_VARIABLES
) -> bytes:
    """Run one command in this process.

    Return what it printed, its exit code, and how it failed. `env` are additional environment variables.
    """
    from sottovoce.cli.main import cli

    stub = SimpleNamespace(sleep=_stop, monotonic=lambda: 0.0)
    # A server's address is not passed as an option, because commands that are printed repeat options.
    server = Path(SERVER).read_text() if Path(SERVER).exists() else None
    place = [] if server else ["--db", f"sqlite:///{database}"]
    with (
        mock.patch("sottovoce.cli.watch.time", stub),
        mock.patch("sottovoce.server.games.Games", Timed),
        mock.patch("sottovoce.projections.bundle.bundle", return_value=STAND_IN),
    ):
        result: Result = CliRunner().invoke(cli, [*place, *words], input=text, env={**env, "SOTTOVOCE_DB": server})
    return b"\n".join([result.stdout_bytes, result.stderr_bytes, f"exit {result.exit_code} {_end(result)}".encode()])


def _end(result: Result) -> str:
    """Return how the command failed, if it did: with a line for users, or by a crash."""
    error = result.exception
    if error is None or isinstance(error, SystemExit):
        return ""
    return f"{'' if isinstance(error, SottovoceError) else CRASHED}{type(error).__name__}: {error}"


def sit_down(case: Case) -> bytes:
    """Rejoin as the seat's person in the terminal, look at everything, and leave without an answer."""
    opening = case.first[0].event
    assert isinstance(opening, GameOpened)
    filled = [f"{seat}={'human' if seat == case.seat else 'outside'}" for seat in opening.seats]
    words = [word for spec in filled for word in ("--seat", spec)]
    return invoke(["resume", case.game, *words], ":view all\n:who\n:again\n:help\n:quit\n")


def hold_by_files(case: Case) -> bytes:
    """Play the seat with a file agent: return everything in its folder after its turn was put there."""
    server = Path(SERVER)
    games = Timed(open_log(server.read_text() if server.exists() else f"sqlite:///{DATABASE}"))
    folder = Path(tempfile.mkdtemp(dir=".")) / "seat"
    try:
        view = games.load(case.game).view(str(case.seat))
        with written_in_order() as order:
            found = asyncio.run(_held(FilesAgent(folder), view, view.turns[-1]))
        return b"\n".join([found, *map(str.encode, order)])
    finally:
        games.close()
        games.log.close()
        shutil.rmtree(folder.parent)


def hold_by_program(case: Case) -> bytes:
    """Play the seat with a program: return everything in its input, its environment and its folder."""
    server = Path(SERVER)
    games = Timed(open_log(server.read_text() if server.exists() else f"sqlite:///{DATABASE}"))
    told = Path(tempfile.mkdtemp(dir=".")).absolute() / "told"
    try:
        view = games.load(case.game).view(str(case.seat))
        script = f"{{ cat; ls -lA; env -u PWD -u OLDPWD; }} > {shlex.quote(str(told))}; echo pass"
        agent, record = CommandAgent(f"sh -c {shlex.quote(script)}", Programs.from_environment()), CallRecord()
        answer = asyncio.run(agent.act(view, view.turns[-1], random.Random(0), record))
        left = "\n".join([answer, str(record.notes["exit"]), record.notes["stderr"]])
        return told.read_bytes() + left.encode()
    finally:
        games.close()
        games.log.close()
        shutil.rmtree(told.parent)


def ask_by_tools(case: Case) -> bytes:
    """Play the seat with an MCP client: return everything the tools tell it about the game and its documents."""
    server = Path(SERVER)
    games = Timed(open_log(server.read_text() if server.exists() else f"sqlite:///{DATABASE}"))
    try:
        return asyncio.run(_told_by_tools(games.load(case.game).view(str(case.seat)), case.seq // 2))
    finally:
        games.close()
        games.log.close()


class _Held:
    """A seat as the tools use it, with one view."""

    def __init__(self, view: View[Any]) -> None:
        self._view = view

    async def seen(self) -> View[Any]:
        return self._view

    async def asked(self, seconds: float) -> View[Any]:
        return self._view

    async def reply(self, turn: int, text: str) -> Verdict:
        return Verdict(False, "Not here.")

    async def say(self, text: str) -> Verdict:
        return Verdict(False, "Not here.")

    async def think(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        return function(*given, **named)

    async def handed(self, view: View[Any], since: int, text: str) -> None:
        pass


async def _told_by_tools(view: View[Any], half: int) -> bytes:
    from mcp.client.client import Client

    from sottovoce.agents.mcp_tools.server import seat_server

    @contextlib.asynccontextmanager
    async def door(ctx: Any) -> AsyncIterator[_Held]:
        yield _Held(view)

    kept = view.ruleset.documents
    paths = sorted(kept(view.state)) if kept is not None else []
    calls: list[tuple[str, dict[str, Any]]] = [
        *(("look", {"rules": True}), ("look", {"since": half}), ("wait", {"since": view.seq, "seconds": 0})),
        *(("documents", {"path": path}) for path in ("", *paths)),
        *(("reply", {"turn": turn.number, "text": "{"}) for turn in view.turns),
        ("reply", {"turn": 1, "text": "So be it."}),
    ]
    told = []
    async with Client(seat_server(door)) as client:
        told.append(str((await client.list_tools()).tools))
        for tool, given in calls:
            told.append((await client.call_tool(tool, given)).model_dump_json())
    return "\n".join(told).encode()


async def _held(agent: FilesAgent, view: View[Any], turn: Turn) -> bytes:
    record = CallRecord()
    calling = asyncio.create_task(agent.act(view, turn, random.Random(0), record))
    await asyncio.sleep(0)
    assert not calling.done(), calling
    memory = json.loads((agent.folder / MEMORY_FILE).read_bytes())
    assert memory.pop("asked"), "the time is the one thing that differs"
    found = listing(agent.folder, but=MEMORY_FILE.__eq__)
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    return b"\n".join([json.dumps(memory).encode(), found])


def written(name: str, *words: str) -> Surface:
    """A command that writes to `out`, as a surface: everything that shows in what it leaves there."""
    given = command(name, *words)

    def run(case: Case) -> bytes:
        shutil.rmtree("out", ignore_errors=True)
        with written_in_order() as order:
            printed = given.run(case)
        told = listing(Path("out")) if Path("out").is_dir() else _one_file()
        return b"\n".join([printed, told, *map(str.encode, order)])

    return Surface(name, run)


def _one_file() -> bytes:
    """The same for the file `out.md`, if it was written."""
    if not Path("out.md").exists():
        return b"nothing"
    Path("out").mkdir()
    Path("out.md").rename("out/out.md")
    return listing(Path("out"))


def _stop(seconds: float) -> None:
    """Replaces the wait of a command that follows a game, once it has shown everything."""
    raise click.Abort


SURFACES: tuple[Surface, ...] = (
    command("view", "view", "{game}", "--as", "{seat}"),
    command("view --json", "view", "{game}", "--as", "{seat}", "--json"),
    command("view --at", "view", "{game}", "--as", "{seat}", "--at", "{half}"),
    command("view past the end", "view", "{game}", "--as", "{seat}", "--at", "99999"),
    command("replay --as", "replay", "{game}", "--as", "{seat}"),
    command("replay --as --json", "replay", "{game}", "--as", "{seat}", "--json"),
    command("replay --from", "replay", "{game}", "--as", "{seat}", "--from", "{half}", "--to", "{seq}"),
    command("replay past the end", "replay", "{game}", "--as", "{seat}", "--from", "99999"),
    command("watch --as", "watch", "{game}", "--as", "{seat}"),
    command("watch --as --json", "watch", "{game}", "--as", "{seat}", "--json"),
    command("transcript --as", "transcript", "{game}", "--as", "{seat}"),
    command("transcript --as html", "transcript", "{game}", "--as", "{seat}", "--format", "html"),
    command("novelize", "novelize", "{game}", "--as", "{seat}"),
    command("show --as", "show", "{game}", "--as", "{seat}"),
    command("show --as --json", "show", "{game}", "--as", "{seat}", "--json"),
    command("diff --as", "diff", "{game}", "--as", "{seat}"),
    command("diff --as --json", "diff", "{game}", "--as", "{seat}", "--json"),
    command("diff --stat of a round", "diff", "{game}", "--as", "{seat}", "--round", "2", "--stat"),
    command("inbox", "inbox", "{game}", "--as", "{seat}"),
    command("inbox --json", "inbox", "{game}", "--as", "{seat}", "--json"),
    command("inbox --since", "inbox", "{game}", "--as", "{seat}", "--since", "{half}", "--json"),
    written("files", "files", "{game}", "--as", "{seat}", "--into", "out"),
    written("files --at", "files", "{game}", "--as", "{seat}", "--into", "out", "--at", "{half}"),
    written("transcript -o", "transcript", "{game}", "--as", "{seat}", "-o", "out.md"),
    written("novelize -o", "novelize", "{game}", "--as", "{seat}", "-o", "out.md"),
    command("view of nobody", "view", "{game}", "--as", "no such seat"),
    command("show in public", "show", "{game}", public=True),
    command("show --json in public", "show", "{game}", "--json", public=True),
    command("replay in public", "replay", "{game}", public=True),
    command("watch in public", "watch", "{game}", public=True),
    command("transcript in public", "transcript", "{game}", public=True),
    command("transcript html in public", "transcript", "{game}", "--format", "html", public=True),
    command("games", "games", public=True),
    Surface("held by files", hold_by_files, asked=True),
    Surface("held by a program", hold_by_program, asked=True),
    Surface("held by an MCP client", ask_by_tools),
    Surface("resume as a person", sit_down, sound=True, asked=True),
    command("send unasked", "send", "{game}", "--as", "{seat}", text="May I say something?", sound=True),
    command("send to a closed turn", "send", "{game}", "--as", "{seat}", "--turn", "{closed}", text="yes", sound=True),
    command("send to no turn", "send", "{game}", "--as", "{seat}", "--turn", "77", text="yes", sound=True),
    command("send nonsense", "send", "{game}", "--as", "{seat}", "--turn", "{turn}", text="?", sound=True),
    command("view after all that", "view", "{game}", "--as", "{seat}", "--json", sound=True),
    command("inbox after all that", "inbox", "{game}", "--as", "{seat}", "--json", sound=True),
)


class Timed(Games):
    """Games whose clock does not move, so that the two sides do everything at the same times."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log, clock=lambda: SOME_TIME)


class Shelves:
    """Two folders, each with a database that has one side of some cases: its address, or its files."""

    def __init__(self, folder: Path, databases: Sequence[str | Mapping[str, bytes]]) -> None:
        self.folders = (folder / "one", folder / "two")
        for shelf, database in zip(self.folders, databases, strict=True):
            shelf.mkdir()
            if isinstance(database, str):
                (shelf / SERVER).write_text(database)
            else:
                for name, content in database.items():
                    (shelf / name).write_bytes(content)

    def compare(self, surface: Surface, case: Case) -> Difference | None:
        """What the surface gives of both sides, compared."""
        given = []
        for shelf in self.folders:
            with contextlib.chdir(shelf):
                given.append(surface.run(case))
        if given[0] == given[1]:
            return None
        apart = [(one, two) for one, two in zip(*(side.splitlines() for side in given), strict=False) if one != two]
        told = "; ".join(f"{one.decode()!r} against {two.decode()!r}" for one, two in apart[:2])
        return Difference(f"{surface.name}, game {case.game}, seat {case.seat} ({case.how})", told or "one is longer")


def fitting(case: Case) -> list[Surface]:
    """Return the surfaces that fit a case."""
    return [
        surface
        for surface in SURFACES
        if surface.public == (case.seat is None)
        and (case.sound or not surface.sound)
        and (case.asked or not surface.asked)
    ]


@lru_cache(maxsize=KEPT)
def _files(ruleset: str, seed: int, batch: int) -> tuple[Mapping[str, bytes], ...]:
    """Return the files of a batch's databases by name, for each side."""
    sides = []
    for side in range(2):
        with tempfile.TemporaryDirectory() as folder:
            store(f"sqlite:///{folder}/{DATABASE}", ruleset, batch_of(ruleset, seed, batch), side)
            sides.append(database_files(Path(folder)))
    return tuple(sides)


def database_files(folder: Path) -> dict[str, bytes]:
    """Return the files of a database in a folder by name, possibly with a write-ahead log."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}


def store(url: str, ruleset: str, filled: Sequence[Case], side: int) -> None:
    """Store one side of the cases in an empty log through the product's import.

    Each side has receipts with other thoughts. Games of the second side have links.
    """
    log = open_log(url)
    games = Timed(log)
    for case in filled:
        log_of_side = (case.first, case.second)[side]
        live = asyncio.run(games.store(LiveGame(case.game, RULESETS[ruleset]), log_of_side))
        asyncio.run(games.record(case.game, [*minds_of(log_of_side, SOME_TIME, case.game, side)]))
        if side:
            asyncio.run(_with_links(games, live))
    games.close()
    log.close()


async def _with_links(games: Games, live: LiveGame) -> None:
    """Give some seats links, some of them claimed or revoked, which no player may notice."""
    rng, links = generator(0, "links", live.id), Links(games)
    seats = [seat for seat in live.state.seats if rng.random() < 0.6]
    await links.issue_first(live, [(LinkKind.KEEPER, None), *((LinkKind.SEAT, seat) for seat in seats)])
    for link in links.of(live.id):
        if rng.random() < 0.5:
            await links.claim(link)
        if rng.random() < 0.3:
            await links.end(live, link.number)


class Server(Protocol):
    """Creates logs on a database server."""

    def log(self) -> AbstractContextManager[str]:
        """Yield the address of a new, empty log, and drop it at the end."""
        ...


def _on_server(server: Server, stack: ExitStack, ruleset: str, filled: Sequence[Case]) -> tuple[str, str]:
    one, two = (stack.enter_context(server.log()) for _ in range(2))
    for side, url in enumerate((one, two)):
        store(url, ruleset, filled, side)
    return one, two


def compared(
    ruleset: str,
    seed: int,
    folder: Path,
    server: Server | None = None,
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> Generator[tuple[str, Case, Difference | None]]:
    """Surface after surface and case after case, without end; on that server, or on files.

    The `patch` is entered while surfaces run. The cases are the product's own; the last ones are kept for the next
    caller.
    """
    for batch in count():
        here = folder / str(batch)
        here.mkdir()
        filled = batch_of(ruleset, seed, batch)
        with ExitStack() as stack:
            databases = _on_server(server, stack, ruleset, filled) if server else _files(ruleset, seed, batch)
            shelves = Shelves(here, databases)
            stack.enter_context(patch())
            for case in filled:
                for surface in fitting(case):
                    yield surface.name, case, shelves.compare(surface, case)
