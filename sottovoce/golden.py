"""Golden games: recorded once, and replayed by tests as long as such logs exist.

A golden game is played again from its seats' answers, and its log, digests and playthrough are compared with the files.
Nothing here depends on a clock, the machine or chance: unless the rules change, the files stay the same. If a log
changes, old logs may no longer mean what they meant.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec
from pydantic import BaseModel

from sottovoce.agents.agent import Agent, AgentFailed, CallRecord, seat_random
from sottovoce.domain import commands
from sottovoce.domain.commands import Command
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Recorded
from sottovoce.domain.game import decide, fold
from sottovoce.domain.piece import Chair
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.sequence import Growing
from sottovoce.domain.turns import Table, Turn
from sottovoce.eventlog.log import Write
from sottovoce.eventlog.registry import default_registry
from sottovoce.eventlog.sealing import seal
from sottovoce.projections.exports import export_line, parse_line
from sottovoce.projections.view import public_view, view
from sottovoce.server.games import end_of_append
from sottovoce.server.live import LiveGame

START = datetime(2026, 1, 1, 18, 0, tzinfo=UTC)
PACE = timedelta(seconds=7)
"""The time between two commands."""

Answer = Callable[["Playing", Turn], str | None]
"""A seat's reply to a turn, or None to let the attempt time out."""


@dataclass(frozen=True)
class Golden:
    """A game to record.

    `about` says in one sentence what it shows. `forks` names a game and a position to continue from; then `names` and
    `options` are that game's.
    """

    ruleset: str
    name: str
    about: str
    answer: Answer
    names: tuple[str, ...] = ()
    seed: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    agent: str = "scripted:golden.yaml"
    forks: tuple[str, int] | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def game(self) -> str:
        """Return the game's ID."""
        return f"golden-{self.name}"


class Playing:
    """A game being recorded."""

    def __init__(self, golden: Golden) -> None:
        self.golden = golden
        self.live = LiveGame(golden.game, RULESETS[golden.ruleset])
        self._registry = default_registry()
        self._secret = hashlib.sha256(golden.game.encode()).digest()
        self._commands = 0

    @property
    def now(self) -> datetime:
        """Return the time of the next command, a little after the previous one."""
        return START + self._commands * PACE + timedelta(microseconds=self._commands % 7 * 111_111)

    @property
    def state(self) -> Any:
        return self.live.state

    def submit(self, command: Command) -> None:
        """Decide a command and seal the result."""
        self._commands += 1
        drafts = decide(self.live.ruleset, self.state, command)
        cause = None
        if isinstance(command, commands.Reply | commands.Expire):
            cause = self.live.opening_position(command.seat, command.turn)
        append = hashlib.sha256(f"{self.golden.game} {self._commands}".encode()).hexdigest()[:16]
        write = Write(self.live.id, self.live.length, append, command.at, drafts=drafts, cause=cause)
        self._take(write)

    def go_on_from(self, parent: Sequence[Recorded], position: int) -> None:
        """Start with another game's past, as `fork` does."""
        end = end_of_append(parent, position)
        past = tuple(msgspec.structs.replace(item, game=self.live.id, salt=b"", hash=b"") for item in parent[:end])
        self._take(Write(self.live.id, 0, "", START, stored=past))
        self._commands = 1 + round((past[-1].at - START) / PACE)
        self.submit(commands.Fill(self.now, {}, Seed.of(self.golden.seed), (parent[0].game, end)))

    def play(self) -> list[Recorded]:
        """Play to the end, and return the log."""
        while not self.state.over:
            turn = next(iter(self.state.turns.values()), None)
            if turn is None:
                until = self.live.ruleset.wakes_at(self.state)
                assert until is not None, "nothing is awaited"
                while self.now < until:
                    self._commands += 1
                self.submit(commands.Wake(self.now))
                continue
            text = self.golden.answer(self, turn)
            if text is None:
                self.submit(commands.Expire(self.now, turn.seat, turn.number, turn.attempt))
            else:
                self.submit(commands.Reply(self.now, turn.seat, turn.number, text))
        return self.live.recorded

    def _take(self, write: Write) -> None:
        self.live.take(seal(self._registry, write, self._secret).events)


def by_agent(agent: Agent) -> Answer:
    """Return answers that let this agent play every seat."""

    def answer(playing: Playing, turn: Turn) -> str | None:
        random = seat_random(playing.state.seed, turn.seat, turn.number, turn.attempt)
        try:
            return asyncio.run(agent.act(playing.live.view(turn.seat), turn, random, CallRecord()))
        except AgentFailed:
            return None

    return answer


def record(goldens: Sequence[Golden]) -> dict[str, list[Recorded]]:
    """Return every golden game's log by name. A fork comes after its original game."""
    logs: dict[str, list[Recorded]] = {}
    for golden in goldens:
        playing = Playing(golden)
        if golden.forks is not None:
            playing.go_on_from(logs[golden.forks[0]], golden.forks[1])
        else:
            seats = playing.live.ruleset.seats_for(golden.names)
            agents = dict.fromkeys(seats, golden.agent)
            playing.submit(
                commands.Open(playing.now, seats, agents, Seed.of(golden.seed), golden.options, golden.files)
            )
        logs[golden.name] = playing.play()
    return logs


def read_log(path: Path) -> list[Recorded]:
    """Return the events of a log, decoded by their stored names."""
    registry = default_registry()
    exported = [parse_line(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [item.recorded(registry.decode(item.name, item.body)) for item in exported]


def log_text(recorded: Sequence[Recorded]) -> str:
    """Return the log as `export` prints it."""
    return "".join(f"{export_line(item)}\n" for item in recorded)


def digests(recorded: Sequence[Recorded]) -> dict[str, Any]:
    """Return digests of the full state, and of each seat's and the public's entries and state."""
    ruleset = _ruleset(recorded)
    full = fold(ruleset, [item.event for item in recorded])
    seen = {seat: view(ruleset, recorded, seat) for seat in full.seats}
    return {
        "events": len(recorded),
        "winner": full.winner,
        "state": digest(canonical(full)),
        "public": _view_digest(public_view(ruleset, recorded)),
        "views": {seat: _view_digest(one) for seat, one in seen.items()},
    }


def _view_digest(seen: Any) -> str:
    return digest({"entries": [entry.to_json() for entry in seen.entries], "state": canonical(seen.state)})


def digest(value: Any) -> str:
    """Return the SHA-256 of compact JSON."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


@runtime_checkable
class Runs(Protocol):
    """A part of a state that indexes many words. Its `runs` are its content."""

    def runs(self) -> Any: ...


def canonical(value: Any) -> Any:
    """Return a state as plain JSON values. Mappings become sorted pairs, because their keys need not be texts."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: canonical(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Table):
        return {name: canonical(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, Runs):
        return canonical(value.runs())
    if isinstance(value, BaseModel):
        return canonical(value.model_dump(mode="json"))
    if isinstance(value, msgspec.Struct):
        return canonical(msgspec.to_builtins(value))
    if isinstance(value, Mapping):
        return sorted(([canonical(key), canonical(one)] for key, one in value.items()), key=lambda pair: str(pair[0]))
    if isinstance(value, set | frozenset):
        return sorted((canonical(item) for item in value), key=str)
    if isinstance(value, list | tuple | Growing):
        return [canonical(item) for item in value]
    return value.isoformat() if isinstance(value, datetime) else value


def _ruleset(recorded: Sequence[Recorded]) -> Any:
    return RULESETS[recorded[0].event.data()["ruleset"]]


def playthrough(golden: Golden, recorded: Sequence[Recorded]) -> str:
    """Return the game for people to read: all events with their audiences, then what each seat saw, in plain words."""
    ruleset = _ruleset(recorded)
    state = fold(ruleset, [item.event for item in recorded])
    lines = [f"# {golden.name}", "", golden.about, "", f"Winner: {state.winner}. {len(recorded)} events.", ""]
    lines += ["## All events", "", "Position, audience, and the event as an auditor reads it.", ""]
    for item in recorded:
        seats = item.audience.to_json()
        audience = seats if isinstance(seats, str) else ", ".join(seats) or "nobody"
        lines.append(f"- {item.position} [{audience}] {_told(ruleset, item.event, None)}")
    for seat in state.seats:
        lines += ["", f"## What {seat} saw", ""]
        for entry in view(ruleset, recorded, seat).entries:
            lines.append(f"- {entry.seq}. {_told(ruleset, entry.event, seat)}")
    return "\n".join(lines) + "\n"


def _told(ruleset: Any, event: Any, seat: str | None) -> str:
    told = ruleset.tell(event, Chair(seat))
    if told is None:
        data = json.dumps(event.data(), ensure_ascii=False)
        return f"`{event.stored_name}` {data}"
    return told.text if told.said is None else f"{told.text} {json.dumps(told.said, ensure_ascii=False)}"


def files(goldens: Sequence[Golden], folder: Path) -> dict[Path, str]:
    """Return every golden file and its text: logs and digests in `folder/logs`, readable games in
    `folder/playthroughs`."""
    found = {}
    for golden, recorded in zip(goldens, record(goldens).values(), strict=True):
        told = json.dumps(digests(recorded), ensure_ascii=False, indent=1) + "\n"
        found[folder / "logs" / f"{golden.name}.jsonl"] = log_text(recorded)
        found[folder / "logs" / f"{golden.name}.digests.json"] = told
        found[folder / "playthroughs" / f"{golden.name}.md"] = playthrough(golden, recorded)
    return found


def differences(goldens: Sequence[Golden], folder: Path) -> dict[Path, str]:
    """Return the files that differ from the current games: `new`, `changed` or `removed`.

    A test requires that there are none.
    """
    wanted = files(goldens, folder)
    lying = {path for kind in ("logs", "playthroughs") for path in (folder / kind).glob("*")}
    found = dict.fromkeys(sorted(lying - set(wanted)), "removed")
    for path, text in wanted.items():
        if path not in lying:
            found[path] = "new"
        elif path.read_bytes() != text.encode():
            found[path] = "changed"
    return found


def write(goldens: Sequence[Golden], folder: Path) -> dict[Path, str]:
    """Write the files again and remove those without a game.

    Return what was done. Read the difference before you commit it.
    """
    done, wanted = differences(goldens, folder), files(goldens, folder)
    for path, what in done.items():
        if what == "removed":
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wanted[path].encode())
    return done
