"""`human`: a person at this terminal."""

from __future__ import annotations

import asyncio
import random as random_module
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.agents.agent import CallRecord
from sottovoce.agents.keyboard import Fragments, Left, Question, leaves
from sottovoce.agents.terminal import RECENT, PlayerLeft, Terminal, rows
from sottovoce.domain.answers import by_name
from sottovoce.domain.errors import Refused
from sottovoce.domain.reading import readable
from sottovoce.domain.safe_text import one_line
from sottovoce.domain.turns import Request, Turn
from sottovoce.projections.view import View

__all__ = ["HumanAgent", "PlayerLeft", "Terminal"]

COMMAND = re.compile(r":([A-Za-z?]\w*)\s*(.*)", re.DOTALL)
HINT = "class:hint"
NUMBER = re.compile(r"(\d{1,3})[.)]?")
_QUOTATION = re.compile(r"^> ?", re.MULTILINE)

GENERAL = {
    "view": "what you have seen recently; `:view all` for everything, `:view 50` for the last 50",
    "who": "who plays, and what you know about them",
    "rules": "the rulebook",
    "quit": "leave; you can resume the game later",
}
"""Commands that serve at any time."""

COMMANDS = {"again": "show this turn in full", "help": "show this help", **GENERAL}
"""Commands at a question."""


Pages = Mapping[str, Callable[[], Sequence[str]]]
"""What a typed word shows: lines of text."""
NO_PAGES: Pages = {}


@dataclass(frozen=True, slots=True)
class Unasked:
    """What a person can type at any time apart from answers. `words` complete it and `help` describes it.

    `take` does what a text orders and returns the lines to show, or None if the text is not an order and may be an
    answer.
    """

    words: Callable[[], Sequence[str]]
    help: Mapping[str, str]
    take: Callable[[str], Awaitable[Sequence[str] | None]]


class HumanAgent:
    """Asks the person who plays `seat` at the terminal, and takes what they type.

    A line that begins with `:` and a word is a command to the agent and not a reply. An answer that the rules would
    refuse is not sent from a patient keyboard: the person reads why and is asked again, without losing an attempt.
    Raises PlayerLeft when the person leaves. A cancelled turn leaves the terminal as it was and keeps the typed text
    for the next attempt. `pages` are further commands, such as `/sheet`, that only show something. `unasked` takes
    everything else.
    """

    by = "screen"

    def __init__(self, seat: str, terminal: Terminal, pages: Pages = NO_PAGES, unasked: Unasked | None = None) -> None:
        self.seat = seat
        self.terminal = terminal
        self.pages = pages
        self.unasked = unasked
        self._typed: tuple[int, str] | None = None
        terminal.join(seat)

    async def act(self, view: View[Any], turn: Turn, random: random_module.Random, record: CallRecord) -> str:
        started = time.monotonic()
        terminal = self.terminal
        request = view.ruleset.request(view.state, turn)
        record.blocks.append("\n".join([*request.context, request.whole, *turn.choices]))
        async with terminal.held_by(self.seat, view):
            terminal.asked()
            try:
                return await self._asked(view, turn, request, started)
            except asyncio.CancelledError:
                self._typed = (turn.number, terminal.keyboard.typed)
                ended = "This turn is over." if turn.seconds is None else "Time ran out."
                terminal.say(ended, HINT)
                raise

    async def _asked(self, view: View[Any], turn: Turn, request: Request, started: float) -> str:
        terminal = self.terminal
        form = view.ruleset.form(view.state, turn) if turn.reads_fields else None
        if turn.failures and not terminal.drawn_elsewhere:
            terminal.say(f"Refused: {turn.failures[-1]}", HINT)
        if turn.failures:
            terminal.say(f"Attempts left: {turn.attempts_left}.", HINT)
        else:
            self._context(request)
        draft, fresh = self._draft(turn), True
        while True:
            text = await terminal.keyboard.read(
                Question(
                    seat=self.seat,
                    message=self._message(turn, request),
                    draft=draft,
                    words=(
                        *(turn.choices or dict.fromkeys((*(form.options if form else ()), *view.state.seats))),
                        *(f":{name}" for name in COMMANDS),
                        *self.pages,
                        *self._unasked_words(),
                    ),
                    eager=bool(turn.choices),
                    fresh=fresh,
                    empty=request.enter is not None,
                    status=lambda: self._status(turn, started),
                )
            )
            draft, fresh = "", False
            command = COMMAND.fullmatch(text.strip())
            page = self.pages.get(text.strip().lower())
            if page is not None:
                show_page(terminal, page())
            elif self.unasked is not None and (lines := await self.unasked.take(text)) is not None:
                show_page(terminal, lines)
            elif command is not None:
                if not obey(terminal, view, text):
                    self._command(command[1].lower(), turn, request, view)
            elif not text.strip() and request.enter is not None and terminal.keyboard.patient:
                return request.enter
            elif text.strip():
                reply = chosen(text, turn.choices, view.state.seats)
                wrong = None if reply is None or not terminal.keyboard.patient else fault(view, turn, reply)
                if reply is not None and wrong is None:
                    return reply
                if wrong is None:
                    wrong = f"There is no choice {text.strip()}. The choices are numbered 1 to {len(turn.choices)}."
                terminal.say(wrong, HINT)
                terminal.say("Nothing was sent. Try again.", HINT)
                fresh = True

    def _unasked_words(self) -> Sequence[str]:
        return () if self.unasked is None else self.unasked.words()

    def _context(self, request: Request) -> None:
        """The first lines of the context, each cut short: the screen above tells the rest."""
        terminal = self.terminal
        terminal.say(f"{'▶' if terminal.keyboard.fancy else '*'} Your turn, {self.seat}", "class:turn")
        lines, kept = (4, 1) if terminal.drawn_elsewhere else (8, 2)
        cut = len(request.context) > lines
        for line in request.context[:lines]:
            wrapped = rows(one_line(_QUOTATION.sub("", line)), terminal.width - 6, indent=2)
            if len(wrapped) > kept:
                cut, wrapped = True, [*wrapped[: kept - 1], f"{wrapped[kept - 1]} […]"]
            terminal.keyboard.write([("class:context", row + "\n") for row in wrapped])
        if cut:
            terminal.say("  (`:again` shows this in full)", "class:context")

    def _message(self, turn: Turn, request: Request) -> Fragments:
        """The request, the numbered choices, and the prompt."""
        width = self.terminal.width
        asked: Fragments = [("class:ask", row + "\n") for row in rows(request.whole, width)]
        column = 0
        for number, choice in enumerate(turn.choices, 1):
            name = one_line(choice)
            shown = f"{number} " if numbered(turn) else ""
            taken = len(name) + len(shown) + 2
            if column and column + taken > width:
                asked.append(("", "\n"))
                column = 0
            asked += [("class:number", f"{'' if column else '  '}{shown}"), ("", f"{name}  ")]
            column += taken
        sign = "❯" if self.terminal.keyboard.fancy else ">"
        if request.enter is not None:
            asked += [("class:hint", row + "\n") for row in rows(f"Enter alone says: {request.enter}", width)]
        return [*asked, ("", "\n" if turn.choices else ""), ("class:seat", f"{self.seat} {sign} ")]

    def _status(self, turn: Turn, started: float) -> Fragments:
        """The foot of the screen: the attempt, the time left, the keys."""
        parts: Fragments = []
        if turn.failures:
            parts.append(("class:alert", f"attempt {turn.attempt} of {turn.attempts}  "))
        if turn.seconds is not None:
            left = max(0, round(turn.seconds - (time.monotonic() - started)))
            parts.append(("class:alert" if left <= 10 else "", f"{left} s left  "))
        keys = "Enter sends, Alt-Enter adds a line"
        if turn.choices:
            keys = "Tab completes, a number chooses" if numbered(turn) else "Tab completes"
        return [*parts, ("", f"{keys}, :help")]

    def _draft(self, turn: Turn) -> str:
        """Return the text that was typed and not sent, because time ran out or a question interrupted it."""
        begun = self.terminal.begun.pop(self.seat, "")
        if self._typed is not None and self._typed[0] == turn.number and self._typed[1].strip():
            return self._typed[1]
        return begun

    def _command(self, name: str, turn: Turn, request: Request, view: View[Any]) -> None:
        say = self.terminal.say
        match name:
            case "again":
                for line in request.context:
                    say(line)
            case "help" | "?":
                self._help(turn, request, view)
            case _:
                known = ", ".join(f":{known}" for known in COMMANDS)
                say(
                    f"Unknown command :{name}. Use one of {known}. To say it to the others, put a word before it.", HINT
                )

    def _help(self, turn: Turn, request: Request, view: View[Any]) -> None:
        say = self.terminal.say
        say(f"You play {view.ruleset.name} as {self.seat}; {view.ruleset.phase(view.state)}.")
        say(request.whole, "class:ask")
        if turn.choices:
            number = "by its number, " if numbered(turn) else ""
            say(f"Name exactly one of the choices: {number}by its name, or in your own words.")
        elif legal := turn.legal(view.state):
            say(f"Write your answer in the words above, or each field by its name: {by_name(legal[0])}")
        else:
            say("You can write anything. Enter sends; Alt-Enter, or a backslash before Enter, adds a line.")
        limit = "" if turn.seconds is None else f" Each attempt has {turn.seconds:g} seconds."
        say(f"Attempts left: {turn.attempts_left}.{limit}")
        for name, what in COMMANDS.items():
            say(f"  :{name:<6} {what}")
        if self.pages:
            say(f"You can look at: {', '.join(self.pages)}.")
        if self.unasked is not None:
            show_page(self.terminal, help_lines(self.unasked))


def help_lines(unasked: Unasked) -> list[str]:
    """What may be typed at any time."""
    width = max(map(len, unasked.help), default=0)
    return ["At any time:", *(f"  {typed:<{width}}  {what}" for typed, what in unasked.help.items())]


def show_page(terminal: Terminal, lines: Sequence[str]) -> None:
    """Lines of a page, wrapped; an empty one stays."""
    for line in lines:
        terminal.say(line)


async def overhear(seat: str, terminal: Terminal, view: View[Any], ask: str, words: tuple[str, ...]) -> str:
    """A line that the person types while nobody asks for one, with a hint before it if given; it may be empty.

    Commands that serve everywhere are obeyed first. Raises PlayerLeft.
    """
    async with terminal.held_by(seat, view):
        sign = "❯" if terminal.keyboard.fancy else ">"
        hint: Fragments = [("class:hint", f"{row}\n") for row in rows(ask, terminal.width)] if ask else []
        message: Fragments = [*hint, ("class:seat", f"{seat} {sign} ")]
        words = tuple(dict.fromkeys((*words, *(f":{name}" for name in GENERAL))))
        begun, fresh = terminal.begun.pop(seat, ""), True
        while True:
            question = Question(seat=seat, message=message, words=words, draft=begun, fresh=fresh, empty=True)
            try:
                text = await terminal.keyboard.read(question)
            except asyncio.CancelledError:
                terminal.begun[seat] = terminal.keyboard.typed
                raise
            if not obey(terminal, view, text):
                return text
            begun, fresh = "", False


def obey(terminal: Terminal, view: View[Any], text: str) -> bool:
    """Do what a command that serves at any time asks for; False for any other text. Raises Left for `:quit`."""
    if leaves(text):
        raise Left(interrupted=False)
    command = COMMAND.fullmatch(text.strip())
    name, detail = (command[1].lower(), command[2].strip().lower()) if command is not None else ("", "")
    match name:
        case "view":
            count = int(detail) if detail.isdecimal() and len(detail) < 7 else RECENT
            terminal.redraw(view, None if detail == "all" else count)
        case "who":
            show_page(terminal, who(view))
        case "rules":
            whole = f"{view.ruleset.rulebook.strip()}\n\n{view.ruleset.protocol.strip()}"
            rulebook = whole.strip().replace("**", "").replace("*", "")
            show_page(terminal, rulebook.split("\n"))
        case _:
            return False
    return True


def numbered(turn: Turn) -> bool:
    """Whether the choices have numbers to choose them by: not where some are numbers themselves."""
    return not any(NUMBER.fullmatch(choice) for choice in turn.choices)


def chosen(text: str, choices: tuple[str, ...], seats: tuple[str, ...]) -> str | None:
    """The reply that a typed text makes: a bare number stands for the choice it numbers, unless a choice or a seat has
    that name.

    None for a number that no choice has.
    """
    number = NUMBER.fullmatch(text.strip())
    if number is None or not choices or text.strip() in (*choices, *seats):
        return text
    place = int(number[1])
    return choices[place - 1] if 1 <= place <= len(choices) else None


def fault(view: View[Any], turn: Turn, reply: str) -> str | None:
    """What the rules would find wrong with a reply, as far as its author's own view can tell; None if nothing."""
    try:
        view.ruleset.read(view.state, turn.seat, turn, readable(reply))
    except Refused as refusal:
        return str(refusal)
    return None


def who(view: View[Any]) -> list[str]:
    """Who sits at the table and how they fare, as far as the seat's own state knows."""
    state = view.state
    lines = [f"Now: {view.ruleset.phase(state)}.", f"Seats: {', '.join(state.seats)}."]
    for title in ("living", "dead", "nominees"):
        names = getattr(state, title, None)
        if names:
            lines.append(f"{title.capitalize()}: {', '.join(names)}.")
    return [*lines, f"Waiting for, as far as you know: {view.seat}."]
