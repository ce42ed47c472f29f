"""`command:CMD`: any program that reads a prompt on standard input and writes a reply on standard output."""

from __future__ import annotations

import asyncio
import random as random_module
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from sottovoce.agents.agent import AgentFailed, AgentUnreachable, CallRecord, Considered, Mind
from sottovoce.agents.models.answers import Unreadable, read
from sottovoce.agents.models.blocks import model_blocks
from sottovoce.agents.models.streams import outage
from sottovoce.agents.programs.process import Ended, run_program
from sottovoce.agents.programs.reports import cost_of, report_in
from sottovoce.agents.programs.settings import CommandUnusable, Settings, program_of, words_of
from sottovoce.agents.programs.surroundings import Steps, filled, variables
from sottovoce.agents.prompt import TEMPLATE
from sottovoce.domain.safe_text import one_line, visible
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

KEPT = 1000
"""How many characters of a program's other output the call's receipt keeps: the last ones."""
LONGEST_LINE = 200

_slots: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
"""Programs that may run at once in an event loop, all seats together."""


class CommandAgent:
    """Runs a program for every reply. Safe to share between games and seats: no call leaves anything behind.

    `blocks` are what the program reads, with an empty line between them. Raises CommandUnusable for a command that
    cannot be run.
    """

    by = "prompt"

    def __init__(self, command: str, settings: Settings) -> None:
        self.command = command
        self.settings = settings
        self._words = words_of(command)
        if program_of(self._words, settings) is None:
            raise CommandUnusable(
                f"There is no program {self._words[0]!r} for command:{one_line(command)[:LONGEST_LINE]}; "
                "install it, or give its full path."
            )

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        """What seats share; who the seat is; what it has seen; its state, the request, and what is legal now."""
        return model_blocks(view, turn, self.settings.prompt_tokens)

    async def act(self, view: View[Any], turn: Turn, random: random_module.Random, record: CallRecord) -> str:
        """The reply to the turn. Raises AgentFailed when the program fails, is too slow or says nothing of use."""
        record.notes |= {"command": self.command, "template": TEMPLATE}
        prompt = "\n\n".join(self.blocks(view, turn)) + "\n"
        steps = Steps(record.doing, self.settings.without_secrets)
        try:
            async with asyncio.timeout(turn.seconds), self._slot():
                ended = await self._run(prompt, view.seat, record, steps)
        except TimeoutError:
            late = f"{self._name} gave no answer within the turn's {turn.seconds:g} seconds."
            raise AgentFailed(late, "timeout") from None
        finally:  # also of a program that was ended in the middle: what it has told of its use by then counts
            self._count("\n".join(steps.lines), record)
            if steps.told:
                record.notes["steps"] = steps.told
        self._count(ended.out, record)
        if ended.cut:
            raise AgentFailed(f"{self._name} was ended: {ended.cut}.", own=True)
        said = self.settings.without_secrets(ended.out)
        record.keep_answer(visible(said), ended.raw)
        last = one_line(record.notes["stderr"].rpartition("\n")[2])[:LONGEST_LINE]
        if turned_away := outage(said) or (outage(record.notes["stderr"]) if ended.code != 0 or not said else ""):
            record.notes["answer"] = visible(said)[-KEPT:]
            raise AgentUnreachable(f"{self._name} cannot answer: {turned_away}")
        if ended.code != 0:
            raise AgentFailed(f"{self._name} ended with exit code {ended.code}{f': {last}' if last else '.'}", own=True)
        try:
            answer = read(said, view, turn)
        except Unreadable as error:
            record.notes["answer"] = visible(said)[-KEPT:]
            if error.thoughts:
                record.mind = Mind(error.thoughts)
            if error.reason == "failed" and (turned_away := outage(str(error).partition(": ")[2])):
                raise AgentUnreachable(f"{self._name} cannot answer: {turned_away}") from None
            beside = f" Its last words on standard error: {last}" if last and not said else ""
            told = f"{self._name} gave no reply: {error}.{beside}"
            raise AgentFailed(told, error.reason, str(error), own=error.reason == "failed") from None
        if answer.thoughts or answer.suspicion:
            record.mind = Mind(answer.thoughts, answer.suspicion)
        return Considered(answer.reply, record.mind, answer.notes)

    async def _run(self, prompt: str, seat: str, record: CallRecord, steps: Steps) -> Ended:
        run, assignment = self.settings, record.assignment
        folder = assignment.place or run.folder
        if program_of(self._words, run) is None:
            raise AgentUnreachable(f"The program {self._name} no longer exists.")
        fresh = None if folder else tempfile.mkdtemp(prefix="sottovoce-")
        told = variables(assignment, seat, folder or Path())  # a fresh one has no name that means anything
        program, *words = [filled(word, told) for word in self._words]
        started = time.monotonic()
        record.doing("starting")
        try:
            ended = await run_program(
                [program_of([program], run) or program, *words],
                prompt,
                folder=folder or Path(str(fresh)),
                environment={**run.environment, **told},
                seconds=run.work_seconds if assignment.about else run.seconds,
                heard=steps.hear,
            )
        except OSError as error:
            raise AgentUnreachable(f"The program {self._name} cannot be run: {error.strerror}.") from None
        finally:
            record.notes["ran"] = round(time.monotonic() - started, 3)
            if fresh is not None:  # in a thread, since there is no telling how much was put there
                await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)
        record.notes |= {"exit": ended.code, "stderr": visible(self.settings.without_secrets(ended.err))[-KEPT:]}
        return ended

    def _count(self, output: str, record: CallRecord) -> None:
        """Note what the program itself reports of tokens and cost; what it does not say stays unknown."""
        report = report_in(output)
        if report is None:
            return
        counted = report.counted
        record.prompt_tokens, record.cached_tokens, record.reply_tokens = counted.prompt, counted.cached, counted.reply
        record.cost = report.cost
        record.notes |= {"session": report.session} if report.session else {}
        if report.cost is None and report.models:
            record.cost = cost_of(report.models)
            record.notes |= {} if record.cost is None else {"cost_computed": True}

    def _slot(self) -> asyncio.Semaphore:
        """One of the places for programs that run at once; the first agent of a loop says how many there are."""
        loop = asyncio.get_running_loop()
        if loop not in _slots:
            _slots[loop] = asyncio.Semaphore(self.settings.concurrency)
        return _slots[loop]

    @property
    def _name(self) -> str:
        return one_line(Path(self._words[0]).name)[:LONGEST_LINE]
