"""`human`: a person at this terminal."""

from __future__ import annotations

import asyncio
import random as random_module
import re
import textwrap
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from agents.agent import CallRecord
from agents.keyboard import Fragments, Keyboard, Left, Question, keyboard_here
from agents.visible import one_line, visible
from domain.errors import SottovoceError
from domain.events import AttemptFailed
from domain.ruleset import Request
from domain.turns import Turn
from projections.view import View

Redraw = Callable[[View[Any], int | None], None]
"""Draws the last entries that a seat has seen, as many as given or all.

The view may be older than the seat's newest: whoever draws may take the newest one of `view.seat` instead.
"""

RECENT = 20
WIDEST = 88
CONTEXT_LINES = 8
CONTEXT_ROWS = 2
COMMAND = re.compile(r":([A-Za-z?]\w*)\s*(.*)", re.DOTALL)
HINT = "class:hint"
NUMBER = re.compile(r"(\d{1,3})[.)]?")

COMMANDS = {
    "view": "what you have seen lately; `:view all` for everything, `:view 50` for the last 50",
    "who": "who lives, who is dead, who is nominated",
    "again": "this turn's question in full",
    "help": "this page",
    "rules": "the rulebook",
    "quit": "leave; the game can be resumed",
}


class PlayerLeft(SottovoceError):
    """The player has left; the game can be resumed."""

    def __init__(self, seat: str, interrupted: bool = False) -> None:
        super().__init__(f"{seat} has left the game; it can be resumed.")
        self.seat = seat
        self.interrupted = interrupted
        self.exit_code = 130 if interrupted else 0


class Terminal:
    """This process's terminal, shared by the seats that people play here.

    One seat has the keyboard at a time. With two people or more, the screen is cleared behind a page of its own when
    the keyboard changes hands; then `redraw` shows the next one's own view. Without `redraw` a view is told in plain
    words, refusals included. A history of what was typed is kept in files only where a folder is given for it.
    """

    def __init__(
        self, redraw: Redraw | None = None, *, history: Path | None = None, keyboard: Keyboard | None = None
    ) -> None:
        self.keyboard = keyboard_here() if keyboard is None else keyboard
        self.holder: str | None = None
        self.seats: list[str] = []
        self.drawn_elsewhere = redraw is not None
        self._redraw = redraw
        self._history = history
        self._lock = asyncio.Lock()

    @property
    def shared(self) -> bool:
        """Whether more than one person plays here."""
        return len(self.seats) > 1

    def join(self, seat: str) -> History:
        """Seat a person here; the history of what they type."""
        if seat not in self.seats:
            self.seats.append(seat)
        if self._history is None:
            return InMemoryHistory()
        self._history.mkdir(parents=True, exist_ok=True)
        return FileHistory(str(self._history / quote(seat, safe="")))

    def print(self, seat: str, draw: Callable[[], object]) -> bool:
        """Let `draw` print something for that seat's eyes, above the prompt if one is up; whether it did.

        With several people it does so only while the seat has the keyboard: what is missed is redrawn at the hand-over.
        """
        if self.shared and self.holder != seat:
            return False
        draw()
        return True

    def redraw(self, view: View[Any], count: int | None) -> None:
        """Show the last `count` entries of a view, or all."""
        if self._redraw is not None:
            self._redraw(view, count)
            return
        for entry in view.entries if count is None else view.recent(count):
            told = view.ruleset.tell(entry.event, view.seat)
            if told is not None:
                self.say(told.lead)
                if told.words is not None:
                    self.say(told.words, indent=4)

    def say(self, text: str, style: str = "", indent: int = 0) -> None:
        """A few lines of the agent's own, wrapped."""
        self.keyboard.write([(style, row + "\n") for row in rows(text, self.width, indent)])

    @property
    def width(self) -> int:
        return max(20, min(self.keyboard.width, WIDEST))

    @asynccontextmanager
    async def held_by(self, seat: str, view: View[Any]) -> AsyncIterator[None]:
        """The keyboard, once it is free and handed over. Raises PlayerLeft."""
        async with self._lock:
            try:
                if self.shared and self.holder != seat:
                    self.holder = None
                    await self.keyboard.hand_over(seat)
                    self.holder = seat
                    self.redraw(view, RECENT)
                self.holder = seat
                yield
            except Left as left:
                raise PlayerLeft(seat, left.interrupted) from None


class HumanAgent:
    """Asks the person who plays `seat` at the terminal, and takes what they type.

    A line that begins with `:` and a word is a command to the agent and no reply. Raises PlayerLeft when the person
    leaves. A cancelled turn leaves the terminal as it was and keeps what was typed for the next attempt.
    """

    by = "screen"

    def __init__(self, seat: str, terminal: Terminal) -> None:
        self.seat = seat
        self.terminal = terminal
        self._typed: tuple[int, str] | None = None
        self._history = terminal.join(seat)

    async def act(self, view: View[Any], turn: Turn, random: random_module.Random, record: CallRecord) -> str:
        started = time.monotonic()
        terminal = self.terminal
        request = view.ruleset.request(view.state, turn)
        record.blocks.append("\n".join([*request.context, request.ask, *turn.choices]))
        async with terminal.held_by(self.seat, view):
            try:
                return await self._asked(view, turn, request, started)
            except asyncio.CancelledError:
                self._typed = (turn.number, terminal.keyboard.typed)
                ended = "This turn is over." if turn.seconds is None else "Time ran out."
                terminal.say(ended, HINT)
                raise

    async def _asked(self, view: View[Any], turn: Turn, request: Request, started: float) -> str:
        terminal = self.terminal
        if turn.failures and not terminal.drawn_elsewhere:
            terminal.say(f"Refused: {turn.failures[-1]}", HINT)
        if turn.failures:
            terminal.say(f"Attempts left: {turn.attempts_left}.", HINT)
        else:
            self._context(request)
        draft = self._draft(view, turn)
        while True:
            text = await terminal.keyboard.read(
                Question(
                    message=self._message(turn, request),
                    draft=draft,
                    words=(*(turn.choices or view.state.seats), *(f":{name}" for name in COMMANDS)),
                    eager=bool(turn.choices),
                    status=lambda: self._status(turn, started),
                    history=self._history,
                )
            )
            draft = ""
            command = COMMAND.fullmatch(text.strip())
            if command is not None:
                self._command(command[1].lower(), command[2].strip().lower(), view, turn, request)
            elif text.strip():
                reply = chosen(text, turn.choices, view.state.seats)
                if reply is not None:
                    return reply
                terminal.say(f"There is no choice {text.strip()}; they are numbered 1 to {len(turn.choices)}.", HINT)
                draft = text

    def _context(self, request: Request) -> None:
        """The first lines of the context, each cut to a few rows: the screen above tells the rest."""
        terminal = self.terminal
        terminal.say(f"{'▶' if terminal.keyboard.fancy else '*'} Your turn, {self.seat}", "class:turn")
        cut = len(request.context) > CONTEXT_LINES
        for line in request.context[:CONTEXT_LINES]:
            wrapped = rows(one_line(line), terminal.width - 6, indent=2)
            if len(wrapped) > CONTEXT_ROWS:
                cut, wrapped = True, [*wrapped[: CONTEXT_ROWS - 1], f"{wrapped[CONTEXT_ROWS - 1]} […]"]
            terminal.keyboard.write([("class:context", row + "\n") for row in wrapped])
        if cut:
            terminal.say("  (`:again` shows this in full)", "class:context")

    def _message(self, turn: Turn, request: Request) -> Fragments:
        """The request, the numbered choices, and the prompt."""
        width = self.terminal.width
        asked: Fragments = [("class:ask", row + "\n") for row in rows(request.ask, width)]
        column = 0
        for number, choice in enumerate(turn.choices, 1):
            name = one_line(choice)
            taken = len(name) + len(str(number)) + 3
            if column and column + taken > width:
                asked.append(("", "\n"))
                column = 0
            asked += [("class:number", f"{'' if column else '  '}{number} "), ("", f"{name}  ")]
            column += taken
        sign = "❯" if self.terminal.keyboard.fancy else ">"
        return [*asked, ("", "\n" if turn.choices else ""), ("class:seat", f"{self.seat} {sign} ")]

    def _status(self, turn: Turn, started: float) -> Fragments:
        """The foot of the screen: the attempt, the time left, the keys."""
        parts: Fragments = []
        if turn.failures:
            parts.append(("class:alert", f"attempt {turn.attempt} of {turn.attempts}  "))
        if turn.seconds is not None:
            left = max(0, round(turn.seconds - (time.monotonic() - started)))
            parts.append(("class:alert" if left <= 10 else "", f"{left} s left  "))
        keys = "Tab completes, a number chooses" if turn.choices else "Enter sends, Alt-Enter adds a line"
        return [*parts, ("", f"{keys}, :help")]

    def _draft(self, view: View[Any], turn: Turn) -> str:
        """What was typed for this turn before: cut off by the time limit, or refused."""
        if self._typed is not None and self._typed[0] == turn.number and self._typed[1].strip():
            return self._typed[1]
        for entry in reversed(view.entries):
            event = entry.event
            if isinstance(event, AttemptFailed) and (event.seat, event.turn) == (self.seat, turn.number):
                return event.text
        return ""

    def _command(self, name: str, detail: str, view: View[Any], turn: Turn, request: Request) -> None:
        say = self.terminal.say
        match name:
            case "view":
                count = int(detail) if detail.isdecimal() and len(detail) < 7 else RECENT
                self.terminal.redraw(view, None if detail == "all" else count)
            case "who":
                for line in who(view):
                    say(line)
            case "again":
                for line in request.context:
                    say(line)
            case "help" | "?":
                self._help(turn, request)
            case "rules":
                for paragraph in view.ruleset.rulebook.strip().split("\n"):
                    say(paragraph.replace("**", "").replace("*", ""))
            case "quit" | "q":
                raise Left(interrupted=False)
            case _:
                known = ", ".join(f":{known}" for known in COMMANDS)
                say(f"There is no :{name}; there are {known}. To say it at the table, put a word before it.", HINT)

    def _help(self, turn: Turn, request: Request) -> None:
        say = self.terminal.say
        say(request.ask, "class:ask")
        if turn.choices:
            say("Name exactly one of the choices: by its number, by its name, or in a sentence of your own.")
        else:
            say("Any words will do. Enter sends; Alt-Enter, or a backslash before Enter, adds a line.")
        limit = "" if turn.seconds is None else f" Each attempt has {turn.seconds:g} seconds."
        say(f"Attempts left: {turn.attempts_left}.{limit}")
        for name, what in COMMANDS.items():
            say(f"  :{name:<6} {what}")


def chosen(text: str, choices: tuple[str, ...], seats: tuple[str, ...]) -> str | None:
    """The reply that a typed text makes: a bare number stands for the choice it numbers, unless a seat has that name.

    None for a number that no choice has.
    """
    number = NUMBER.fullmatch(text.strip())
    if number is None or not choices or text.strip() in (*choices, *seats):
        return text
    place = int(number[1])
    return choices[place - 1] if 1 <= place <= len(choices) else None


def who(view: View[Any]) -> list[str]:
    """Who sits at the table and how they fare, as far as the seat's own state knows."""
    state = view.state
    lines = [f"Now: {view.ruleset.phase(state)}.", f"Seats: {', '.join(state.seats)}."]
    for title in ("living", "dead", "nominees"):
        names = getattr(state, title, None)
        if names:
            lines.append(f"{title.capitalize()}: {', '.join(names)}.")
    return [*lines, f"Awaited, as far as you know: {view.seat}."]


def rows(text: str, width: int, indent: int = 0) -> list[str]:
    """Harmless text in rows of at most `width` columns."""
    margin = " " * indent
    wrapped: list[str] = []
    for line in visible(text).split("\n"):
        hanging = margin + " " * (len(line) - len(line.lstrip()))
        cut = textwrap.wrap(line.strip(), max(8, width), initial_indent=hanging, subsequent_indent=hanging)
        wrapped += cut or [""]
    return wrapped
