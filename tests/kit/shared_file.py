"""Games of the isolation kit written into files to share, with the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
from click.testing import CliRunner

from sottovoce.cli.main import cli
from sottovoce.domain.events import GameOpened, Recorded
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import open_log
from sottovoce.isolation.cases import Case
from sottovoce.projections.bundle import Bundle
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame

Patch = Callable[[], AbstractContextManager[Any]]
NAME = "game.html"


class SharedFile:
    """A file to which one game after another is written, each under its own ID.

    `page` is used to make files. `patch` is entered while one is written.
    """

    def __init__(self, folder: Path, page: Bundle, patch: Patch = nullcontext) -> None:
        self.path = folder / NAME
        self._url = f"sqlite:///{folder / 'games.db'}"
        self._numbers = count(1)
        self._page = page
        self._patch = patch

    def written(self, log: Sequence[Recorded], *words: str) -> bytes:
        """Return what `sottovoce transcript GAME … -o FILE` writes for a game with that log."""
        game = f"kept-as-{next(self._numbers)}"
        opening = log[0].event
        assert isinstance(opening, GameOpened)
        moved = [msgspec.structs.replace(item, game=game, salt=b"", hash=b"") for item in log]
        # In a separate thread, because this one already runs a loop if a browser is open.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(self._store, LiveGame(game, RULESETS[opening.ruleset]), moved).result()
        with self._patch(), mock.patch("sottovoce.cli.source.built", return_value=self._page):
            line = ["--db", self._url, "transcript", game, *words, "-o", str(self.path)]
            ended = CliRunner().invoke(cli, line, catch_exceptions=False)
        assert ended.exit_code == 0, ended.output
        return self.path.read_bytes()

    def _store(self, game: LiveGame, log: Sequence[Recorded]) -> None:
        with closing(open_log(self._url, create=True)) as store, closing(Games(store)) as games:
            asyncio.run(games.store(game, log))

    def both(self, case: Case) -> tuple[bytes, bytes]:
        """Return the files of both worlds of a case for its viewer: the public file if it has no seat, while the game
        is in progress.

        The worlds have different IDs, because a viewer's file does not contain the game's ID.
        """
        words = () if case.seat is None else ("--as", case.seat)
        return self.written(case.first, *words), self.written(case.second, *words)


def apart(one: bytes, other: bytes) -> str | None:
    """Return the two files around the place where they differ, if they do."""
    if one == other:
        return None
    place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    here = slice(max(0, place - 60), place + 60)
    return f"{one[here]!r} against {other[here]!r}"
