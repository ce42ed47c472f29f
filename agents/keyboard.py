"""The two ways in which a person's words come in: typed at a terminal, or read line by line from a pipe."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, TextIO

from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import completion_is_selected
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import Style

Fragments = list[tuple[str, str]]
"""Styled text: pairs of a style class and harmless text."""

CLEAR = "\x1b[H\x1b[2J\x1b[3J"
"""Clears the screen and what can be scrolled back to."""

STYLE = Style.from_dict(
    {
        "context": "#808080",
        "turn": "#0087af bold",
        "ask": "bold",
        "number": "#0087af bold",
        "seat": "bold",
        "hint": "#9e7b00",
        "bottom-toolbar": "noreverse #808080",
        "bottom-toolbar.text": "noreverse #808080",
        "alert": "#9e7b00 bold",
        "continuation": "#808080",
    }
)


@dataclass(frozen=True, slots=True)
class Question:
    """One line to be read: the message before it, what it starts out with, and what Tab completes.

    `status` is the line at the foot of a terminal, asked for anew as time passes.
    """

    message: Fragments
    draft: str = ""
    words: tuple[str, ...] = ()
    eager: bool = False
    status: Callable[[], Fragments] | None = None
    history: History = field(default_factory=InMemoryHistory)


class Left(Exception):
    """The person is gone: end of input, or an interrupt."""

    def __init__(self, interrupted: bool) -> None:
        super().__init__()
        self.interrupted = interrupted


class Keyboard(Protocol):
    """Reads lines and writes what belongs to them."""

    typed: str
    """What stood in the line when reading was cancelled."""

    @property
    def width(self) -> int:
        """Columns."""

    @property
    def fancy(self) -> bool:
        """Whether signs beyond ASCII can be shown."""

    def write(self, fragments: Fragments) -> None:
        """Text, between questions."""

    async def read(self, question: Question) -> str:
        """One reply. Raises Left."""

    async def hand_over(self, name: str) -> None:
        """Hide what the last person saw until the next one is there. Raises Left."""


class WordsCompleter(Completer):
    """Completes the longest run of words before the cursor that begins one of `words`, case ignored.

    Unless `eager`, an empty run completes to nothing.
    """

    def __init__(self, words: Iterable[str], eager: bool) -> None:
        self._words = tuple(words)
        self._eager = eager

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.current_line_before_cursor
        starts = [place for place in range(len(before) + 1) if place == 0 or not before[place - 1].isalnum()]
        for word in self._words:
            for start in starts:
                typed = before[start:]
                if not typed.strip() and not self._eager:
                    continue
                if word.startswith(":") and start > 0:
                    continue
                if word.casefold().startswith(typed.casefold()) and (typed or not word.startswith(":")):
                    yield Completion(word, start_position=-len(typed))
                    break


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=completion_is_selected)
    def take_completion(event: KeyPressEvent) -> None:
        event.current_buffer.complete_state = None

    @keys.add("enter", filter=~completion_is_selected)
    def send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.current_line_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline(copy_margin=False)
        elif buffer.text.strip():
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def add_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return keys


class TerminalKeyboard:
    """A line editor at a terminal. While it waits, whatever is printed to stdout appears above it."""

    def __init__(self, input: Input | None = None, output: Output | None = None) -> None:
        self._input = create_input() if input is None else input
        self._output = create_output() if output is None else output
        self._keys = _keys()
        self.typed = ""

    @property
    def width(self) -> int:
        return self._output.get_size().columns

    @property
    def fancy(self) -> bool:
        return self._output.encoding().lower().replace("-", "").startswith("utf")

    def write(self, fragments: Fragments) -> None:
        print_formatted_text(FormattedText(fragments), end="", style=STYLE, output=self._output)
        self._output.flush()

    async def read(self, question: Question) -> str:
        self.typed = ""
        status = question.status
        session: PromptSession[str] = PromptSession(
            input=self._input,
            output=self._output,
            history=question.history,
            completer=WordsCompleter(question.words, question.eager),
            complete_while_typing=False,
            multiline=True,
            prompt_continuation=[("class:continuation", "  … " if self.fancy else "  . ")],
            key_bindings=self._keys,
            bottom_toolbar=None if status is None else lambda: FormattedText(status()),
            refresh_interval=0 if status is None else 1,
            reserve_space_for_menu=5,
            style=STYLE,
        )
        try:
            return await self._prompted(session, question.message, question.draft)
        except asyncio.CancelledError:
            self.typed = session.default_buffer.text
            raise

    async def hand_over(self, name: str) -> None:
        self._clear()
        self._forget_typing()
        session: PromptSession[str] = PromptSession(
            input=self._input, output=self._output, history=InMemoryHistory(), is_password=True, style=STYLE
        )
        page: Fragments = [("", "\n\n\n    Hand the keyboard to "), ("class:seat", name), ("", ", press Enter ")]
        await self._prompted(session, page, "")
        self._clear()

    async def _prompted(self, session: PromptSession[str], message: Fragments, draft: str) -> str:
        try:
            with create_app_session(self._input, self._output), patch_stdout(raw=True):
                text = await session.prompt_async(
                    FormattedText(message), default=draft, set_exception_handler=False, handle_sigint=True
                )
        except KeyboardInterrupt:
            raise Left(interrupted=True) from None
        except EOFError:
            raise Left(interrupted=False) from None
        for _ in range(3):  # what was printed until now is still on its way through the event loop
            await asyncio.sleep(0)
        return text

    def _clear(self) -> None:
        self._output.write_raw(CLEAR)
        self._output.flush()

    def _forget_typing(self) -> None:
        """One person's keystrokes must not reach the next one's prompt."""
        clear_typeahead(self._input)
        with suppress(Exception):
            import termios

            termios.tcflush(self._input.fileno(), termios.TCIFLUSH)


class PipeKeyboard:
    """Lines of a stream, one a reply; what is asked goes to another. The lines are echoed, as a terminal would."""

    def __init__(self, source: TextIO, target: TextIO) -> None:
        self._source = source
        self._target = target
        self._bytes = b""
        self._pending: asyncio.Future[str | None] | None = None
        self.typed = ""

    @property
    def width(self) -> int:
        return 80

    @property
    def fancy(self) -> bool:
        return (self._target.encoding or "utf-8").lower().replace("-", "").startswith("utf")

    def write(self, fragments: Fragments) -> None:
        text = "".join(part for _, part in fragments)
        encoding = self._target.encoding or "utf-8"
        self._target.write(text.encode(encoding, "backslashreplace").decode(encoding))
        self._target.flush()

    async def read(self, question: Question) -> str:
        self.write(question.message)
        line = await self._line()
        if line is None:
            self.write([("", "\n")])
            raise Left(interrupted=False)
        self.write([("", line + "\n")])
        return line

    async def hand_over(self, name: str) -> None:
        self.write([("", f"\n--- {name} ---\n")])

    async def _line(self) -> str | None:
        """The next line, or None at the end. One whose reader was cancelled is kept for the next."""
        if self._pending is None:
            loop = asyncio.get_running_loop()
            self._pending = loop.create_future()
            try:
                source = self._source.fileno()
            except (OSError, ValueError):
                self._pending.set_result(self._source.readline() or None)
            else:
                threading.Thread(target=self._fetch, args=(source, loop, self._pending), daemon=True).start()
        line = await asyncio.shield(self._pending)
        self._pending = None
        return None if line is None else line.rstrip("\r\n")

    def _fetch(self, source: int, loop: asyncio.AbstractEventLoop, pending: asyncio.Future[str | None]) -> None:
        line = self._next(source)
        with suppress(RuntimeError):  # the loop may have closed meanwhile
            loop.call_soon_threadsafe(pending.set_result, line)

    def _next(self, source: int) -> str | None:
        """Past the stream's own buffer: a thread blocked inside that could not be left behind at exit."""
        while b"\n" not in self._bytes:
            try:
                chunk = os.read(source, 65536)
            except OSError:
                chunk = b""
            if not chunk:
                rest, self._bytes = self._bytes, b""
                return rest.decode("utf-8", "replace") if rest else None
            self._bytes += chunk
        line, self._bytes = self._bytes.split(b"\n", 1)
        return line.decode("utf-8", "replace")


def keyboard_here() -> Keyboard:
    """The one that fits this process's stdin and stdout."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return TerminalKeyboard()
    return PipeKeyboard(sys.stdin, sys.stdout)
