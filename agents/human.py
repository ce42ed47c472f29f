"""`human`: a person at this terminal."""

from __future__ import annotations

import asyncio
import random as random_module
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agents.agent import CallRecord
from agents.keyboard import Fragments, Left, Question
from agents.terminal import RECENT, PlayerLeft, Terminal, rows
from agents.visible import one_line
from domain.events import AttemptFailed
from domain.ruleset import Request
from domain.turns import Turn
from projections.view import View

__all__ = ["HumanAgent", "PlayerLeft", "Terminal"]

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


Pages = Mapping[str, Callable[[], Sequence[str]]]
"""What a typed word shows: lines of text."""
NO_PAGES: Pages = {}


class HumanAgent:
    """Asks the person who plays `seat` at the terminal, and takes what they type.

    A line that begins with `:` and a word is a command to the agent and no reply. Raises PlayerLeft when the person
    leaves. A cancelled turn leaves the terminal as it was and keeps what was typed for the next attempt. `pages` are
    further commands, such as `/sheet`: each is shown and is no reply.
    """

    by = "screen"

    def __init__(self, seat: str, terminal: Terminal, pages: Pages = NO_PAGES) -> None:
        self.seat = seat
        self.terminal = terminal
        self.pages = pages
        self._typed: tuple[int, str] | None = None
        terminal.join(seat)

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
                    seat=self.seat,
                    message=self._message(turn, request),
                    draft=draft,
                    words=(*(turn.choices or view.state.seats), *(f":{name}" for name in COMMANDS), *self.pages),
                    eager=bool(turn.choices),
                    status=lambda: self._status(turn, started),
                )
            )
            draft = ""
            command = COMMAND.fullmatch(text.strip())
            page = self.pages.get(text.strip().lower())
            if page is not None:
                show_page(terminal, page())
            elif command is not None:
                self._command(command[1].lower(), command[2].strip().lower(), view, turn, request)
            elif text.strip():
                reply = chosen(text, turn.choices, view.state.seats)
                if reply is not None:
                    return reply
                terminal.say(f"There is no choice {text.strip()}; they are numbered 1 to {len(turn.choices)}.", HINT)
                draft = text

    def _context(self, request: Request) -> None:
        """The first lines of the context, each cut short: the screen above tells the rest."""
        terminal = self.terminal
        terminal.say(f"{'▶' if terminal.keyboard.fancy else '*'} Your turn, {self.seat}", "class:turn")
        lines, kept = (4, 1) if terminal.drawn_elsewhere else (8, 2)
        cut = len(request.context) > lines
        for line in request.context[:lines]:
            wrapped = rows(one_line(line), terminal.width - 6, indent=2)
            if len(wrapped) > kept:
                cut, wrapped = True, [*wrapped[: kept - 1], f"{wrapped[kept - 1]} […]"]
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


def show_page(terminal: Terminal, lines: Sequence[str]) -> None:
    """Lines of a page, wrapped; an empty one stays."""
    for line in lines:
        terminal.say(line)


async def overhear(seat: str, terminal: Terminal, view: View[Any], ask: str, words: tuple[str, ...]) -> str:
    """A line that the person types while nobody asks for one, with a hint before it if given. Raises PlayerLeft."""
    async with terminal.held_by(seat, view):
        sign = "❯" if terminal.keyboard.fancy else ">"
        hint: Fragments = [("class:hint", f"{ask}\n")] if ask else []
        message: Fragments = [*hint, ("class:seat", f"{seat} {sign} ")]
        return await terminal.keyboard.read(Question(seat=seat, message=message, words=words))


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
