"""The agent of `files:DIR`: it puts each turn into a folder as a file, and waits there for a file that answers it."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import hashlib
import json
import os
import random as random_module
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sottovoce.agents.agent import AgentFailed, CallRecord
from sottovoce.agents.file_agent.complete_files import LONGEST, CompleteFile, Strange, Watched
from sottovoce.agents.file_agent.memory import MEMORY_FILE, Memory, Taken, mark_of
from sottovoce.agents.file_agent.mirror import Edit, edits, refresh
from sottovoce.agents.file_agent.prompts import (
    form_of,
    id_in,
    prompt_id,
    prompt_path,
    prompt_text,
    response_path,
    without_echo,
)
from sottovoce.agents.folder import clear_way, delete_file, open_folder, read_file, stat_file, what_is_wrong, write_file
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import TurnOpened
from sottovoce.domain.game import LONGEST_REPLY
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

POLL = 0.05
SLOW_POLL = 0.4
LIVELY = 5.0
"""Seconds between looks at the folder: at first and while a file arrives, and after so many seconds without news."""

TRIES = 8
"""Times in a row that a folder which cannot be used is tried again, each after twice the time, ten seconds in all."""
MENDS = 60
"""How often in one call a folder is made again that was deleted or changed."""

FIRST = 20
"""Entries of a view at most by which a game is known."""

CAMPAIGN = ("party", "tmp", "story-state.md", "party-knowledge.md")
"""What a folder that is not the bridge's own may not hold: a campaign is never written to (T-145)."""


class FolderUnusable(SottovoceError):
    """The folder cannot be used for a seat."""

    exit_code = 2


class _Gone(Exception):
    """The folder, or the prompt in it, was taken away."""


@dataclass(slots=True)
class _Call:
    """One call of the agent: its turn, and what to deliver."""

    view: View[Any]
    turn: Turn
    prompt: str
    documents: Mapping[str, bytes]
    since: int | None = None
    notes: list[str] = field(default_factory=list)
    """What was set aside, for the call's receipt."""


class FilesAgent:
    """Fills a seat through the files of a folder that is that seat's alone. See docs/files.md for both sides of it.

    Turns that are open at once are put into the folder one after the other. Raises FolderUnusable for a folder that
    holds other things than the bridge's.
    """

    by = "files"

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._one_at_a_time = asyncio.Lock()
        self._claimed = False
        self._check()

    def _check(self) -> None:
        """Refuse, before the game, a folder that no seat can be held through."""
        try:
            top = open_folder(self.folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise FolderUnusable(f"{str(self.folder)!r} can't be used for a seat: {what_is_wrong(error)}.") from None
        try:
            strangers = self._strangers(top)
        finally:
            os.close(top)
        if strangers:
            raise FolderUnusable(
                f"{str(self.folder)!r} contains {strangers[0]!r}, which does not belong to a seat. Choose a new folder."
            )

    @staticmethod
    def _strangers(top: int, documents: Sequence[str] = ()) -> list[str]:
        if Memory.load(top) is not None:
            return []
        present = set(os.listdir(top))
        return sorted(present & {*CAMPAIGN, *(path.partition("/")[0] for path in documents)})

    def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
        """The very texts that the folder is given: the prompt file, and each document below its path."""
        texts = (f"{path}\n\n{content.decode('utf-8', 'replace')}" for path, content in _documents(view).items())
        return prompt_text(view, turn), *texts

    async def act(self, view: View[Any], turn: Turn, random: random_module.Random, record: CallRecord) -> str:
        """The reply that the outside program writes. Raises AgentFailed when the folder cannot be used."""
        call = _Call(view, turn, prompt_id(view, turn), _documents(view))
        async with self._one_at_a_time:
            try:
                return await self._trying(call)
            finally:
                if call.notes:
                    record.notes["set_aside"] = call.notes

    async def _trying(self, call: _Call) -> str:
        """Open the folder and wait there; again where it is taken away or fails, but not for ever."""
        tries = 0
        for _ in range(MENDS):
            try:
                with self._opened() as top:
                    reply = self._handed(top, call)
                    tries = 0
                    return reply if reply is not None else await self._answer(top, call)
            except _Gone:
                await asyncio.sleep(POLL)
            except OSError as error:
                tries += 1
                if tries > TRIES:
                    raise AgentFailed(f"{str(self.folder)!r} cannot be used: {what_is_wrong(error)}.") from None
                await asyncio.sleep(0.02 * 2**tries)
        raise AgentFailed(f"{str(self.folder)!r} was removed {MENDS} times during an open turn.")

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The folder, held against every other seat and process."""
        self.folder.mkdir(parents=True, exist_ok=True)
        top = open_folder(self.folder)
        try:
            fcntl.flock(top, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield top
        except BlockingIOError:
            raise OSError(errno.EBUSY, "Another seat or process uses it. Give each seat its own folder") from None
        finally:
            os.close(top)

    def _handed(self, top: int, call: _Call) -> str | None:
        """Write what the seat is asked and may read; the reply, if its answer had been taken before."""
        memory = self._memory(top, call)
        memory.forget_closed(call.view.state.turns)
        taken = memory.taken.get(call.prompt)
        if taken is not None:
            self._clear(top, call)
            return taken.reply
        seat = call.view.seat
        for path in (prompt_path(seat), *call.documents):
            for cleared in clear_way(top, path):
                self._note(memory, call, f"{cleared} was not a folder and was replaced by one.")
        self._asked_before(top, memory, call)
        if call.since is None:
            self._drop_stale(top, memory, call)
        for line in refresh(top, memory, call.documents, form_of(call.view).access(call.view)):
            self._note(memory, call, line)
        memory.save(top)
        self._ask(top, memory, call)
        memory.save(top)
        return None

    def _memory(self, top: int, call: _Call) -> Memory:
        """What the folder remembers of this seat and game; of another game's seat its files are removed first."""
        seat, (table, game) = call.view.seat, _game_keys(call.view)
        if not self._claimed and (strangers := self._strangers(top, list(call.documents))):
            raise AgentFailed(f"{str(self.folder)!r} contains {strangers[0]!r}, which does not belong to a seat.")
        memory = Memory.load(top)
        if memory is not None and memory.table == table and memory.seat != seat:
            raise AgentFailed(f"{str(self.folder)!r} is the folder of {memory.seat}. Give each seat its own folder.")
        if memory is not None and memory.game != game:
            for path in (*memory.own, *memory.written):
                delete_file(top, path)
            memory = None
        self._claimed = True
        return memory or Memory(seat=seat, table=table, game=game, own=[prompt_path(seat), response_path(seat)])

    @staticmethod
    def _asked_before(top: int, memory: Memory, call: _Call) -> None:
        """Find out when this very prompt was written first, if it was."""
        path = prompt_path(call.view.seat)
        if call.since is None and id_in((_content(top, path) or b"").decode("utf-8", "replace")) == call.prompt:
            call.since = stat_file(top, path).st_mtime_ns
        if call.since is None and memory.asked is not None and memory.asked[0] == call.prompt:
            call.since = memory.asked[1]

    def _drop_stale(self, top: int, memory: Memory, call: _Call) -> None:
        """What lies there from before this prompt never answers it (F-053)."""
        seat = call.view.seat
        delete_file(top, prompt_path(seat))
        if delete_file(top, response_path(seat)):
            self._note(memory, call, f"{response_path(seat)} lay there before this prompt and was removed.")

    @staticmethod
    def _ask(top: int, memory: Memory, call: _Call) -> None:
        """Write the prompt file; written again, it keeps its time."""
        path = prompt_path(call.view.seat)
        content = prompt_text(call.view, call.turn, memory.notes).encode()
        if call.since is None or _content(top, path) != content:
            write_file(top, path, content, at=call.since)
        call.since = call.since or stat_file(top, path).st_mtime_ns
        memory.asked = (call.prompt, call.since)

    async def _answer(self, top: int, call: _Call) -> str:
        """Wait until the folder holds a whole answer to this prompt, and take it."""
        watched = Watched(response_path(call.view.seat))
        lively_until = time.monotonic() + LIVELY
        while True:
            now = time.monotonic()
            self._still_there(top, call)
            found = watched.look(top, now)
            reply = self._taken(top, call, found) if found is not None else None
            if reply is not None:
                return reply
            try:
                await asyncio.sleep(POLL if watched.arriving or now < lively_until else SLOW_POLL)
            except asyncio.CancelledError:
                delete_file(top, prompt_path(call.view.seat))
                raise

    def _still_there(self, top: int, call: _Call) -> None:
        """_Gone where the folder at this path is another one by now, or the prompt has been taken away."""
        try:
            here, held = os.stat(self.folder, follow_symlinks=False), os.fstat(top)
            stat_file(top, prompt_path(call.view.seat))
        except (FileNotFoundError, NotADirectoryError):
            raise _Gone from None
        if (here.st_dev, here.st_ino) != (held.st_dev, held.st_ino):
            raise _Gone

    def _taken(self, top: int, call: _Call, found: CompleteFile | Strange) -> str | None:
        """The reply that the response makes, kept until the turn is closed; None where it is none, and was removed."""
        memory = self._memory(top, call)
        refusal = self._refusal(call, found)
        if refusal is not None:
            path = response_path(call.view.seat)
            line = f"{path} {refusal}; {'it was removed' if delete_file(top, path) else 'remove it'}."
            if line not in memory.notes:
                self._note(memory, call, line)
                self._ask(top, memory, call)
                memory.save(top)
            return None
        assert isinstance(found, CompleteFile)
        memory.notes = []
        if found.size > LONGEST:
            call.notes.append(f"The response has {found.size} bytes, of which {LONGEST} were read.")
        access = form_of(call.view).access(call.view)
        reply, sent = self._reply(call, _text(found), edits(top, memory, access), memory)
        for edit in sent:
            if edit.after is None:
                memory.written.pop(edit.path, None)
            else:
                memory.written[edit.path] = mark_of(edit.after)
        memory.taken[call.prompt] = Taken(
            turn=call.turn.number, attempt=call.turn.attempt, reply=reply, paths=[edit.path for edit in sent]
        )
        for line in refresh(top, memory, call.documents, access):
            self._note(memory, call, line)
        memory.save(top)
        self._clear(top, call)
        return reply

    @staticmethod
    def _refusal(call: _Call, found: CompleteFile | Strange) -> str | None:
        """Why the file cannot answer this prompt."""
        if isinstance(found, Strange):
            return f"was {found.what}"
        if call.since is not None and found.at < call.since:
            return "is older than the prompt"
        named = id_in(found.content[:LONGEST].decode("utf-8", "replace"))
        if named is not None and named != call.prompt:
            return f"answered another prompt, {named[:40]}"
        return None

    def _reply(self, call: _Call, text: str, changed: Sequence[Edit], memory: Memory) -> tuple[str, Sequence[Edit]]:
        """The reply that goes with as many of the changes as there is room for, and those."""
        reply = form_of(call.view).reply
        while changed:
            made = reply(call.view, call.turn, text, changed)
            if made is None:
                break
            if len(made) <= LONGEST_REPLY:
                return made, changed
            longest = max(changed, key=lambda edit: len(edit.text))
            self._note(memory, call, f"{longest.path} was changed by more than one answer can carry; change less.")
            changed = [edit for edit in changed if edit is not longest]
        return reply(call.view, call.turn, text, ()) or text, ()

    @staticmethod
    def _clear(top: int, call: _Call) -> None:
        """Prompt and response are done with (F-052): the prompt first, so that nobody answers it once more."""
        delete_file(top, prompt_path(call.view.seat))
        delete_file(top, response_path(call.view.seat))

    @staticmethod
    def _note(memory: Memory, call: _Call, line: str) -> None:
        memory.notes.append(line)
        call.notes.append(line)


def _documents(view: View[Any]) -> dict[str, bytes]:
    """Return the documents that the seat can read, without the files that the agent itself keeps there."""
    ruleset = view.ruleset
    if ruleset.documents is None:
        return {}
    own = (prompt_path(view.seat), response_path(view.seat), MEMORY_FILE)
    return {path: content for path, content in ruleset.documents(view.state).items() if path not in own}


def _game_keys(view: View[Any]) -> tuple[str, str]:
    """What tells games apart: their opening, which all seats see, and what the seat saw before its first turn."""
    first = []
    for entry in view.entries[:FIRST]:
        first.append(entry.to_json())
        if isinstance(entry.event, TurnOpened):
            break
    return _digest(first[:1]), _digest(first)


def _digest(entries: Sequence[Mapping[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()[:32]


def _content(top: int, path: str) -> bytes | None:
    try:
        return read_file(top, path, LONGEST)
    except OSError:
        return None


def _text(found: CompleteFile) -> str:
    return without_echo(found.content.decode("utf-8", "replace").removeprefix("\ufeff"))
