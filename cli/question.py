"""What a command asks the person at the terminal before a game begins."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import click

from sottovoce.cli.output import say


def ask(what: str, words: Sequence[str] = (), default: str = "") -> str:
    """A line from the person at this terminal, without outer spaces; `default` for Enter alone.

    Tab completes the `words`. `:quit` and the end of input leave with exit code 0, Ctrl-C with 130.
    """
    from sottovoce.agents.keyboard import Left, Question, leaves
    from sottovoce.agents.terminal import keyboard_here

    shown = f" [{default}]" if default else ""
    question = Question(
        seat="", message=[("class:ask", f"{what}{shown}: ")], words=(*words, ":quit"), eager=bool(words), empty=True
    )
    keyboard = keyboard_here()
    while True:
        try:
            text = asyncio.run(keyboard.read(question)).strip()
        except Left as left:
            if left.interrupted:
                raise KeyboardInterrupt from None
            raise click.exceptions.Exit(0) from None
        if leaves(text):
            raise click.exceptions.Exit(0)
        if not text.startswith(":"):
            return text or default
        say(f"Unknown command {text}. To leave, type :quit.")
