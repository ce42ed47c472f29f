"""The command line in this process: what a command printed, what it said on stderr, and how it ended."""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import click

from sottovoce.cli.main import cli, main

ROOT = Path(__file__).parents[2]
SOTTOVOCE = str(Path(sys.executable).with_name("sottovoce"))
"""The installed command, for tests that need a separate process."""


def _walk(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from _walk(command, (*path, name))


COMMANDS: dict[str, click.Command] = dict(_walk(cli))
"""Every command by its words, such as `audit who-saw`, including groups."""

LEAVES = {
    name: command
    for name, command in COMMANDS.items()
    if not isinstance(command, click.Group) or command.invoke_without_command
}
"""The commands that do something."""


@dataclass(frozen=True)
class Said:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the one object printed."""
        assert self.code == 0, self.err
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        """Return the objects printed, one per line."""
        assert self.code == 0, self.err
        return [json.loads(line) for line in self.out.splitlines()]


_FOLLOWED = ("game_summaries", "game_seats", "tracking")
"""Tables that follow from the events, and are updated when read."""


class Cli:
    """Runs commands on the log at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = f"sqlite:///{path}"

    def __call__(
        self, *words: object, stdin: bytes | str = b"", env: Mapping[str, str] | None = None, db: str | None = None
    ) -> Said:
        given = io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin)
        out, err = io.BytesIO(), io.BytesIO()
        texts = [io.TextIOWrapper(raw, encoding="utf-8", write_through=True) for raw in (given, out, err)]
        with (
            mock.patch.dict("os.environ", {"SOTTOVOCE_DB": db or self.url, **(env or {})}),
            mock.patch("sys.stdin", texts[0]),
            mock.patch("sys.stdout", texts[1]),
            mock.patch("sys.stderr", texts[2]),
        ):
            try:
                main([str(word) for word in words])
            except SystemExit as left:
                code = left.code if isinstance(left.code, int) else 0
        return Said(code, out.getvalue().decode(), err.getvalue().decode())

    def play(self, *words: object, seed: int = 1, **options: Any) -> str:
        """Play a whole game of Mafia with random agents, and return its ID."""
        return str(
            self("play", "mafia", "--agents", "random", "--seed", seed, "--json", *words, **options).json["game"]
        )

    def stored(self) -> str:
        """Return a digest of everything in the log, including receipts and open turns."""
        connection = sqlite3.connect(self.path)
        try:
            lines = [line for line in connection.iterdump() if not any(table in line for table in _FOLLOWED)]
        finally:
            connection.close()
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
