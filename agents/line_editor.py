"""A line editor at a terminal: history, completion, several lines, and output above it while it waits."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import TextIO, cast
from urllib.parse import quote

from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import completion_is_selected
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys as PromptKeys
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.patch_stdout import StdoutProxy
from prompt_toolkit.styles import Style

from sottovoce.agents.keyboard import Fragments, Left, Question, harmless, leaves
from sottovoce.agents.keys import Keys
from sottovoce.domain.safe_text import one_line

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
                    yield Completion(word, start_position=-len(typed), display=one_line(word))
                    break


def _keys(empty: Callable[[], bool]) -> KeyBindings:
    """What keys do. Enter sends a line, one without words only where that may be `empty`."""
    keys = KeyBindings()

    @keys.add("c-c")
    def clear_or_leave(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt(), style="class:aborting")

    @keys.add("enter", filter=completion_is_selected)
    def take_completion(event: KeyPressEvent) -> None:
        event.current_buffer.complete_state = None

    @keys.add("enter", filter=~completion_is_selected)
    def send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.document.current_line_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline(copy_margin=False)
        elif buffer.text.strip() or empty():
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def add_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return without_mouse(keys)


def without_mouse(keys: KeyBindings) -> KeyBindings:
    """The same, deaf to what reads like the report of a mouse: a colour code in a text that is pasted."""

    @keys.add(PromptKeys.Vt100MouseEvent, eager=True)
    def no_mouse(event: KeyPressEvent) -> None:
        """Nothing listens to a mouse."""

    return keys


class _News(StdoutProxy):
    """What is printed meanwhile. Its thread has to know which prompt is open, or it would write onto that line."""

    def _start_write_thread(self) -> threading.Thread:
        thread = threading.Thread(target=contextvars.copy_context().run, args=(self._write_thread,), daemon=True)
        thread.start()
        return thread


@contextmanager
def _above_the_prompt() -> Iterator[None]:
    """Inside, what is printed to stdout or stderr appears above the prompt, which is drawn again."""
    with _News(raw=True) as news, redirect_stdout(cast(TextIO, news)), redirect_stderr(cast(TextIO, news)):
        yield


class LineEditor:
    """A line editor at a terminal. While it waits, whatever is printed to stdout appears above it."""

    def __init__(
        self,
        input: Input | None = None,
        output: Output | None = None,
        *,
        history: Path | None = None,
        keys: Keys | None = None,
    ) -> None:
        self._input = create_input() if input is None else input
        self._output = create_output() if output is None else output
        self._empty = False
        self._keys = _keys(lambda: self._empty)
        self._between = keys
        self._folder = history
        self._histories: dict[str, History] = {}
        self.typed = ""
        self.patient = True

    @property
    def width(self) -> int:
        return self._output.get_size().columns

    @property
    def fancy(self) -> bool:
        return self._output.encoding().lower().replace("-", "").startswith("utf")

    def write(self, fragments: Fragments) -> None:
        print_formatted_text(FormattedText(harmless(fragments)), end="", style=STYLE, output=self._output)
        self._output.flush()

    async def read(self, question: Question) -> str:
        self.typed = ""
        self._empty = question.empty
        status = question.status
        session: PromptSession[str] = PromptSession(
            input=self._input,
            output=self._output,
            history=self._history(question.seat),
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
            return await self._prompted(session, question.message, question.draft, fresh=question.fresh)
        except asyncio.CancelledError:
            self.typed = session.default_buffer.text
            raise

    def _history(self, seat: str) -> History:
        if seat not in self._histories:
            if self._folder is None:
                self._histories[seat] = InMemoryHistory()
            else:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._histories[seat] = FileHistory(str(self._folder / quote(seat, safe="")))
        return self._histories[seat]

    async def hand_over(self, name: str) -> None:
        self._clear()
        session: PromptSession[str] = PromptSession(
            input=self._input,
            output=self._output,
            history=InMemoryHistory(),
            is_password=True,
            style=STYLE,
            key_bindings=without_mouse(KeyBindings()),
        )
        page: Fragments = [
            ("", "\n\n\n    Pass the keyboard to "),
            ("class:seat", name),
            ("", ", press Enter\n    (`:quit` leaves) "),
        ]
        typed = await self._prompted(session, page, "", fresh=True)
        self._clear()
        if leaves(typed):
            raise Left(interrupted=False)

    async def _prompted(self, session: PromptSession[str], message: Fragments, draft: str, *, fresh: bool) -> str:
        try:
            alone = nullcontext() if self._between is None else self._between.left_alone()
            with alone, create_app_session(self._input, self._output), _above_the_prompt():
                text = await session.prompt_async(
                    FormattedText(harmless(message)),
                    default=draft,
                    pre_run=self._forget_typing if fresh else None,
                    set_exception_handler=False,
                    handle_sigint=True,
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
        """Drop what was typed before a prompt was shown, especially another person's keystrokes.

        Ctrl-C is not an answer and always counts.
        """
        typed = get_typeahead(self._input)
        with suppress(Exception):
            import termios

            if os.isatty(self._input.fileno()):
                typed += self._input.read_keys()
                termios.tcflush(self._input.fileno(), termios.TCIFLUSH)
        store_typeahead(self._input, [press for press in typed if press.key == PromptKeys.ControlC][:1])
