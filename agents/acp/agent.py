"""`acp:CMD`: a program that speaks the Agent Client Protocol, with one session for each seat and task."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NoReturn

from sottovoce.agents.acp import sandbox
from sottovoce.agents.acp.connection import Gone, Refused
from sottovoce.agents.acp.homes import Home, Kept
from sottovoce.agents.acp.residents import residents
from sottovoce.agents.acp.session import NoSuchMode, Session
from sottovoce.agents.acp.settings import AcpSettings
from sottovoce.agents.acp.telling import Telling, Used, used
from sottovoce.agents.agent import AgentFailed, AgentUnreachable, CallRecord, Considered, Mind
from sottovoce.agents.models.answers import Unreadable, read
from sottovoce.agents.models.blocks import model_blocks
from sottovoce.agents.models.streams import outage
from sottovoce.agents.programs.process import LONGEST_OUTPUT
from sottovoce.agents.programs.settings import program_of, words_of
from sottovoce.agents.programs.surroundings import filled, variables
from sottovoce.agents.prompt import TEMPLATE
from sottovoce.domain.safe_text import one_line, visible
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

LOG_IN = -32000
"""The protocol's code for: log in first."""
KEPT = 1000
LONGEST = 200
SHELLS = ("Killed", "Terminated", "Hangup", "Aborted", "Segmentation fault")
"""What the shell around a program says of its end, which is not the program's own."""


@dataclass(frozen=True, slots=True)
class Key:
    """Whose conversation a session is: a seat's of a game, about a task or `""`."""

    game: str
    seat: str
    about: str


class AcpAgent:
    """Keeps a session for each seat, and where turns are about tasks for each task. Safe to share between games.

    Each turn sends the whole prompt, so that nothing depends on what an agent remembers. Raises CommandUnusable for a
    program that is not there.
    """

    by = "prompt"

    def __init__(self, settings: AcpSettings) -> None:
        self.settings = settings
        self._words = words_of(settings.command, "acp:")
        self._name = one_line(Path(self._words[0]).name)[:LONGEST]
        self._sessions: dict[Key, Session] = {}
        self._homes: dict[tuple[str, str], Home] = {}
        self._turns: dict[Key, asyncio.Lock] = {}

    @property
    def unboxed(self) -> str:
        """Why its programs run without a sandbox; empty where they have one."""
        return self.settings.unboxed

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        """What seats share; who the seat is; what it has seen; its state, the request, and what is legal now."""
        return model_blocks(view, turn, self.settings.run.prompt_tokens)

    async def act(self, view: View[Any], turn: Turn, random: Random, record: CallRecord) -> str:
        """The reply to the turn. Raises AgentFailed when the agent fails, is too slow or says nothing of use."""
        run = self.settings.run
        key = Key(record.assignment.game, view.seat, record.assignment.about or "")
        record.notes |= {"command": self.settings.command, "template": TEMPLATE, "sandbox": self.unboxed or "bwrap"}
        seconds = min(run.work_seconds if record.assignment.about else run.seconds, turn.seconds or float("inf"))
        there = residents(self.settings.processes)
        telling = Telling(record.doing)
        began = time.monotonic()
        async with self._turns.setdefault(key, asyncio.Lock()), there.working:
            await there.take((self, key))
            try:
                async with asyncio.timeout(seconds):
                    done = await self._asked(key, record, "\n\n".join(self.blocks(view, turn)), telling)
            except TimeoutError:
                await self._stop(key)
                self._count_cut_off(key, telling, record)
                raise AgentFailed(
                    f"{self._name} gave no answer within {seconds:g} seconds.", "timeout", own=True
                ) from None
            except asyncio.CancelledError:
                await asyncio.shield(self._stop(key))
                self._count_cut_off(key, telling, record)
                raise
            except (Gone, Refused, NoSuchMode, OSError) as error:
                await self._failed(key, error, record)
            finally:
                record.notes["ran"] = round(time.monotonic() - began, 3)
                self._note(key, telling, record)
                session = self._sessions.get(key)
                there.leave((self, key), None if session is None else lambda: self._end(key), self.settings.idle)
        return self._read(done, telling, view, turn, record)

    async def release(self, game: str | None = None, *, over: bool = False) -> None:
        """End the processes for a game, for all without one. When it is over its sessions are forgotten too."""
        for key in [key for key in self._turns if game in (None, key.game)]:
            del self._turns[key]
            residents(self.settings.processes).forget((self, key))
            await self._end(key)
        if over:
            for at in [at for at in self._homes if game in (None, at[0])]:
                await asyncio.to_thread(self._homes.pop(at).remove)

    async def _asked(self, key: Key, record: CallRecord, prompt: str, telling: Telling) -> dict[str, Any]:
        """Send a prompt to the seat's session: the answer to it."""
        record.doing("starting")
        session = await self._session(key, record)
        session.reads_only = record.assignment.reads_only
        record.notes |= {"session": session.id, "taken": session.how}
        self._keep(key, session)  # now, since this process may be killed before there is an answer
        asking = asyncio.create_task(session.prompt(prompt, telling, LONGEST_OUTPUT))
        flooded = asyncio.create_task(session.enough.wait())
        try:
            await asyncio.wait((asking, flooded), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                await self._stop(key)
                return {"stopReason": f"it said more than {LONGEST_OUTPUT} characters"}
            return asking.result()
        finally:
            for task in (asking, flooded):
                task.cancel()
            session.how = "kept"
            self._count(session, telling, record)
            self._keep(key, session)

    def _keep(self, key: Key, session: Session) -> None:
        with suppress(OSError):
            self._home(key).keep(key.about, Kept(session.id, session.cost))

    async def _session(self, key: Key, record: CallRecord) -> Session:
        """The one that goes on, one taken up again after its process ended, or else a new one."""
        folder = record.assignment.place
        known = self._sessions.get(key)
        if known is not None and known.alive and (folder is None or known.folder == folder.resolve()):
            return known
        await self._end(key)
        home = self._home(key)
        environment = await asyncio.to_thread(home.make, self.settings.run.environment)
        folder = (folder or home.folder).resolve()
        told = variables(record.assignment, key.seat, folder)
        program, *words = [filled(word, told) for word in self._words]
        words = [program_of([program], self.settings.run) or program, *words]
        environment |= told
        if not self.unboxed:
            reads_only = record.assignment.reads_only
            words = sandbox.within(words, self.settings.path, folder=folder, home=home.path, read_only=reads_only)
        permissions = self.settings.permissions or ("inside" if record.assignment.place is not None else "none")
        session = self._sessions[key] = Session(folder, permissions)
        await session.begin(words, environment, home.session(key.about), self.settings.mode)
        return session

    def _home(self, key: Key) -> Home:
        at = (key.game, key.seat)
        if at not in self._homes:
            self._homes[at] = Home(*at, self.settings.command)
        return self._homes[at]

    async def _failed(self, key: Key, error: Exception, record: CallRecord) -> NoReturn:
        """Say why there is no answer; a program that is not logged in or has no quota left is not asked again."""
        secret = self.settings.run.without_secrets
        session = self._sessions.get(key)
        if isinstance(error, Refused):
            said = secret(str(error)).rstrip(".")
            if session is not None and not session.id:
                await self._end(key)
            if error.code == LOG_IN or outage(said):
                raise AgentUnreachable(f"{self._name} cannot answer: {said}. Log in with it once, then resume.")
            raise AgentFailed(f"{self._name} answered with an error: {said}.", own=True)
        await self._end(key)
        if isinstance(error, NoSuchMode):
            raise AgentUnreachable(f"{self._name} has no mode {self.settings.mode!r}. It has: {secret(str(error))}.")
        if isinstance(error, OSError):
            raise AgentUnreachable(f"The program {self._name} cannot be run: {error.strerror}.")
        errors = secret("" if session is None else session.errors)
        record.notes["stderr"] = visible(errors)[-KEPT:]
        lines = [line for line in map(one_line, errors.splitlines()) if line and line not in SHELLS]
        last = lines[-1][:LONGEST] if lines else ""
        if turned_away := outage(errors):
            raise AgentUnreachable(f"{self._name} cannot answer: {turned_away}")
        raise AgentFailed(f"{self._name} ended before it answered{f': {last}' if last else '.'}", own=True)

    def _count(self, session: Session, telling: Telling, record: CallRecord) -> None:
        """What the prompt cost: the difference of the session's totals. Some agents begin anew when they resume."""
        if telling.cost is None:
            return
        before = session.cost_before
        resumed = record.notes["taken"] == "resumed"
        anew = before is None or telling.cost < before or (resumed and telling.cost == before)
        record.cost = round(telling.cost - (0.0 if anew or before is None else before), 8)
        session.cost = telling.cost

    def _note(self, key: Key, telling: Telling, record: CallRecord) -> None:
        secret = self.settings.run.without_secrets
        notes = telling.notes()
        record.notes |= {
            **notes,
            "denied": [secret(one) for one in notes["denied"]],
            "steps": [[seconds, secret(step)] for seconds, step in notes["steps"]],
        }
        if thoughts := secret("".join(telling.thoughts)).strip():
            record.mind = Mind(thoughts)

    def _read(self, done: dict[str, Any], telling: Telling, view: View[Any], turn: Turn, record: CallRecord) -> str:
        """The reply in what the agent said."""
        _count_tokens(done, telling, record)
        stop = one_line(str(done.get("stopReason")))[:LONGEST]
        said = self.settings.run.without_secrets(telling.reply)
        record.notes["stop"] = stop
        record.keep_answer(visible(said), telling.reply.encode("utf-8", "replace"))
        if stop != "end_turn":
            declined = stop == "refusal"
            raise AgentFailed(f"{self._name} stopped: {stop}.", "declined" if declined else "failed", own=not declined)
        if turned_away := outage(said):
            raise AgentUnreachable(f"{self._name} cannot answer: {turned_away}")
        try:
            answer = read(said, view, turn)
        except Unreadable as error:
            beside = f" It was refused: {'; '.join(record.notes['denied'])}." if record.notes["denied"] else ""
            raise AgentFailed(f"{self._name} gave no reply: {error}.{beside}", error.reason, str(error)) from None
        thoughts = "\n".join(filter(None, (record.mind.thoughts if record.mind else "", answer.thoughts)))
        if thoughts or answer.suspicion:
            record.mind = Mind(thoughts, answer.suspicion)
        return Considered(answer.reply, record.mind, answer.notes)

    def _count_cut_off(self, key: Key, telling: Telling, record: CallRecord) -> None:
        """Count what an agent told of a prompt that it was made to stop: with its answer to that, or on the way."""
        session = self._sessions.get(key)
        _count_tokens({} if session is None else session.answered, telling, record)
        if session is not None and session.telling is telling:
            self._count(session, telling, record)
            self._keep(key, session)

    async def _stop(self, key: Key) -> None:
        session = self._sessions.get(key)
        if session is not None and not await session.stop():
            await self._end(key)

    async def _end(self, key: Key) -> None:
        if (session := self._sessions.pop(key, None)) is not None:
            await session.end()


def _count_tokens(done: dict[str, Any], telling: Telling, record: CallRecord) -> None:
    """Note the tokens that an agent tells of with its answer, or else in parts on the way."""
    meta = done.get("_meta")
    quota = meta.get("quota") if isinstance(meta, dict) else None
    counted = done.get("usage") or (quota.get("token_count") if isinstance(quota, dict) else None)
    found = used(counted) if counted else _sum(telling.counted)
    record.prompt_tokens, record.cached_tokens, record.reply_tokens = found.prompt, found.cached, found.reply


def _sum(counted: list[Used]) -> Used:
    """All parts together; None where no part says it."""

    def total(parts: list[int | None]) -> int | None:
        known = [part for part in parts if part is not None]
        return sum(known) if known else None

    return Used(
        total([one.prompt for one in counted]),
        total([one.cached for one in counted]),
        total([one.reply for one in counted]),
    )
