"""A conversation with a program that speaks the Agent Client Protocol, in a process of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sottovoce.agents.acp.connection import NOT_OFFERED, Connection, Gone, Refused
from sottovoce.agents.acp.homes import Kept
from sottovoce.agents.acp.settings import Permissions
from sottovoce.agents.acp.telling import Telling

VERSION = 1
GRACE = 5.0
"""Seconds in which an agent that was told to stop may say that it has."""
QUIET = 0.3
QUIET_AT_MOST = 10.0
"""A replay, which some agents send after their answer, is over when nothing came for `QUIET` seconds."""
CHANGES = ("edit", "delete", "move")
"""Kinds of tools that change files."""
NOTHING_OFFERED = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
CLIENT = {"name": "sottovoce", "version": "1"}


class NoSuchMode(Exception):
    """The agent has no mode of that name; the argument says which it has."""


class Session:
    """One conversation. `how` says whether it is `new`, `resumed` after a restart, or goes on (`kept`)."""

    def __init__(self, folder: Path, permissions: Permissions) -> None:
        self.folder = folder
        self.reads_only = False
        self.id = ""
        self.how = ""
        self.cost: float | None = None
        self.cost_before: float | None = None
        """What the session had cost before its last prompt."""
        self.telling = Telling()
        self.enough = asyncio.Event()
        self._permissions = permissions
        self._news = asyncio.Event()
        self._connection = Connection(self._updated, self._asked)
        self._prompt: asyncio.Task[dict[str, Any]] | None = None
        self._most = 0

    @property
    def alive(self) -> bool:
        return self._connection.alive

    @property
    def answered(self) -> dict[str, Any]:
        """The answer to the last prompt, if there was one."""
        done = self._prompt
        if done is None or not done.done() or done.cancelled() or done.exception() is not None:
            return {}
        return done.result()

    @property
    def errors(self) -> str:
        """The end of the program's standard error."""
        return self._connection.errors

    async def begin(
        self, words: Sequence[str], environment: Mapping[str, str], kept: Kept | None, mode: str = ""
    ) -> None:
        """Start the program, and take up the session that was kept or open a new one.

        Raises OSError where the program cannot be started, Gone where it ends, Refused where it opens no session,
        NoSuchMode where it has no such mode.
        """
        await self._connection.start(words, self.folder, environment)
        able = await self._connection.call(
            "initialize", protocolVersion=VERSION, clientCapabilities=NOTHING_OFFERED, clientInfo=CLIENT
        )
        offered = able.get("agentCapabilities")
        opened = await self._taken_up(offered if isinstance(offered, dict) else {}, kept)
        if opened is None:
            opened = await self._connection.call("session/new", **self._where)
            self.id, self.how, self.cost = str(opened.get("sessionId") or ""), "new", None
            if not self.id:
                raise Refused(None, "it opened a session without a sessionId")
        if mode:
            await self._set_mode(mode, opened)

    async def prompt(self, text: str, telling: Telling, most: int) -> dict[str, Any]:
        """Send a prompt; the answer to it, with the reason why the agent stopped. `telling` gets what it tells.

        `enough` is set where it says more than `most` characters. Cancelled, the call goes on: see `stop`.
        """
        self.telling, self._most, self.how = telling, most, self.how or "kept"
        self.cost_before = self.cost
        self.enough.clear()
        content = [{"type": "text", "text": text}]
        self._prompt = asyncio.create_task(self._connection.call("session/prompt", sessionId=self.id, prompt=content))
        self._prompt.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(self._prompt)

    async def stop(self) -> bool:
        """Tell the agent to stop. Whether it has, so that the session can go on; else end it."""
        if self._prompt is None or not self.alive:
            return False
        with suppress(Gone):
            self._connection.notify("session/cancel", sessionId=self.id)
        ended, _ = await asyncio.wait([self._prompt], timeout=GRACE)
        return bool(ended) and self._prompt.exception() is None

    async def end(self) -> None:
        """End the program. The session can be taken up again if the program kept it."""
        await self._connection.close()
        if self._prompt is not None:
            await asyncio.wait([self._prompt])

    @property
    def _where(self) -> dict[str, Any]:
        return {"cwd": str(self.folder), "mcpServers": []}

    async def _taken_up(self, offered: Mapping[str, Any], kept: Kept | None) -> dict[str, Any] | None:
        """What the agent says of the session that it took up; None where it has forgotten it or keeps none."""
        sessions = offered.get("sessionCapabilities")
        resumes = isinstance(sessions, dict) and sessions.get("resume") not in (None, False)
        if kept is None or not (resumes or offered.get("loadSession") is True):
            return None
        method = "session/resume" if resumes else "session/load"
        try:
            opened = await self._connection.call(method, sessionId=kept.id, **self._where)
        except Refused:
            return None
        self.id, self.how, self.cost = kept.id, "resumed", kept.cost
        await self._replayed()
        return opened

    async def _replayed(self) -> None:
        """Wait until nothing more comes of what was said before."""
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIET_AT_MOST):
                while True:
                    self._news.clear()
                    await asyncio.wait_for(self._news.wait(), QUIET)

    async def _set_mode(self, mode: str, opened: Mapping[str, Any]) -> None:
        """Set the mode, which agents do not keep over a restart."""
        modes = opened.get("modes")
        listed = modes.get("availableModes") if isinstance(modes, dict) else None
        there = [str(one.get("id")) for one in listed if isinstance(one, dict)] if isinstance(listed, list) else None
        if there is not None and mode not in there:
            raise NoSuchMode(", ".join(there) or "none")
        try:
            await self._connection.call("session/set_mode", sessionId=self.id, modeId=mode)
        except Refused as error:
            raise NoSuchMode(str(error)) from None

    def _updated(self, session: str, update: dict[str, Any]) -> None:
        self._news.set()
        if session not in (self.id, "None"):
            return
        self.telling.take(update)
        if self._most and self.telling.size > self._most:
            self.enough.set()

    def _asked(self, method: str, parameters: dict[str, Any]) -> Any:
        """Answer a permission. Files and terminals are the agent's own matter, so nothing else is offered."""
        if method != "session/request_permission":
            raise Refused(NOT_OFFERED, f"{method} is not offered here")
        call, options = parameters["toolCall"], parameters["options"]
        may = self._may(call)
        if not may:
            self.telling.deny(str(call.get("title") or call.get("kind") or "a tool"))
        wanted = "allow_once" if may else "reject_once"  # never what would outlast this turn
        chosen = next((str(option["optionId"]) for option in options if option.get("kind") == wanted), None)
        if chosen is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": chosen}}

    def _may(self, call: Mapping[str, Any]) -> bool:
        """Whether the agent may do what it asks for. A shell command names no place, and only a sandbox keeps it in."""
        if self._permissions != "inside":
            return self._permissions == "all"
        if self.reads_only and call.get("kind") in CHANGES:
            return False
        return all(self._inside(str(place["path"])) for place in call.get("locations") or ())

    def _inside(self, path: str) -> bool:
        return Path(self.folder, path).resolve().is_relative_to(self.folder)
