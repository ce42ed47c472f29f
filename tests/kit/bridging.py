"""A seat with a file agent in the test's own process: the agent's call, and what a program does meanwhile."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from patience import PATIENCE
from session import Session

from sottovoce.agents.agent import CallRecord
from sottovoce.agents.file_agent.agent import FilesAgent
from sottovoce.agents.file_agent.prompts import prompt_path, response_path
from sottovoce.domain.events import Recorded
from sottovoce.domain.testing import NOON
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View, view
from sottovoce.rulesets.tabletop.rules import TABLETOP


@dataclass
class Call:
    """One running call of a file agent, and the folder as an outside program finds it."""

    folder: Path
    view: View[Any]
    turn: Turn
    record: CallRecord = field(default_factory=CallRecord)
    task: asyncio.Task[str] | None = None

    @property
    def prompt(self) -> Path:
        return self.folder / prompt_path(self.view.seat)

    @property
    def response(self) -> Path:
        return self.folder / response_path(self.view.seat)

    def respond(self, text: str | bytes) -> None:
        """Write the response like a careful program: under another name, then renamed."""
        draft = self.response.with_suffix(".draft")
        draft.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.replace(draft, self.response)

    async def prompted(self, *words: str, seconds: float = PATIENCE) -> str:
        """Return the prompt file once it exists and contains these words."""
        async with asyncio.timeout(seconds):
            while True:
                text = self.prompt.read_text() if self.prompt.exists() else ""
                if text and all(word in text for word in words):
                    return text
                if self.task is not None and self.task.done():
                    self.task.result()
                await asyncio.sleep(0.01)

    async def untaken(self, seconds: float = 0.7) -> None:
        """Wait that long, and check that nothing is read meanwhile."""
        assert self.task is not None
        done, _ = await asyncio.wait({self.task}, timeout=seconds)
        assert not done, f"taken: {self.task}"


Program = Callable[[Call], Awaitable[Any]]


def answering(text: str | bytes) -> Program:
    """A program that reads its prompt and answers with that text."""

    async def program(call: Call) -> None:
        await call.prompted()
        call.respond(text)

    return program


def call(
    agent: FilesAgent, seen: View[Any], turn: Turn, program: Program, seconds: float = 15.0
) -> tuple[str, CallRecord]:
    """Return a file agent's reply to a turn, and its record, while the program does its part."""
    under_way = Call(agent.folder, seen, turn)

    async def both() -> str:
        under_way.task = asyncio.create_task(agent.act(seen, turn, random.Random(1), under_way.record))
        try:
            await program(under_way)
            return await asyncio.wait_for(under_way.task, seconds)
        finally:
            under_way.task.cancel()
            await asyncio.gather(under_way.task, return_exceptions=True)

    return asyncio.run(both()), under_way.record


def left(agent: FilesAgent, seen: View[Any], turn: Turn, program: Program) -> None:
    """Return a call that is cancelled after the program has done its part, as when its process is interrupted."""
    under_way = Call(agent.folder, seen, turn)

    async def both() -> None:
        under_way.task = asyncio.create_task(agent.act(seen, turn, random.Random(1), under_way.record))
        await program(under_way)
        under_way.task.cancel()
        await asyncio.gather(under_way.task, return_exceptions=True)
        assert under_way.task.cancelled()

    asyncio.run(both())


def seen_by(game: Session, seat: str) -> View[Any]:
    """Return the seat's own view of a tabletop session."""
    recorded = [
        Recorded("g", n, "a", d.event.stored_name, NOON, d.event.actor, d.audience, None, b"", b"", b"", d.event)
        for n, d in enumerate(game.play.drafts, 1)
    ]
    return view(TABLETOP, recorded, seat)


def by_files(
    game: Session, seat: str, folder: Path, program: Program | str, kind: str | None = None
) -> tuple[Session, CallRecord]:
    """Return the session after the seat has answered its open turn through the folder."""
    turn = game.turn(seat, kind)
    doing = answering(program) if isinstance(program, str) else program
    text, record = call(FilesAgent(folder), seen_by(game, seat), turn, doing)
    return game.reply(seat, text, kind), record
