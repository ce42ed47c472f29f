"""Prompts: a deterministic function of a seat's view and a turn.

A prompt is a list of blocks: the rulebook, as much of the most recent view as a token budget allows (the rest in short,
where the ruleset tells it), the seat's own state, and the request. What the ruleset says must stand in every prompt is
never cut. Text that other seats wrote stands quoted, every line of it marked, so that no line of a speech
can pass for the game's own voice. No seq, position, time, id or count of anything hidden enters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.domain.piece import Chair
from sottovoce.domain.turns import Turn
from sottovoce.domain.visible import visible
from sottovoce.projections.view import Entry, View

TEMPLATE = "prompt.v3"
BUDGET = 6000
LONGEST_WORDS = 2400
LONGEST_REFUSAL = 400
REFUSALS_TOLD = 3
LINE_LENGTHS = (1200, 600, 300, 150, 80, 40, 20)
"""How long lines of the seat's own state may be: the first length at which all fit is taken."""
LEFT_OUT = "(earlier events left out)"
IN_SHORT = "IN SHORT, all that has happened so far."
LATELY = "AND LATELY, oldest first."
SHARE = 3
"""What is told in short takes at most one part in so many of the room for what was seen."""
HEADINGS = 40
"""Tokens set aside for what stands between the parts."""

_EASY = re.compile(r"[A-Za-z \n]+")
_TAGS = re.compile(r"<(?=[|｜/!?\w])")
_BRACKETED = re.compile(r"\[(/?[A-Z_]{2,})\]")


@dataclass(frozen=True, slots=True)
class Prompt:
    """The blocks of one prompt, in order."""

    blocks: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n\n".join(self.blocks)


def tokens(text: str) -> int:
    """About how many tokens a text has for a model, rather too many than too few.

    Four plain letters or spaces are one, any other character is one, and one beyond the basic plane, such as an emoji,
    three.
    """
    rest = _EASY.sub("", text)
    wide = 0 if rest.isascii() else sum(char > "\uffff" for char in rest)
    return len(rest) + 2 * wide + (len(text) - len(rest) + 3) // 4


def inert(text: str) -> str:
    """The text with control characters spelled out, and without the look of a model's own control words.

    Many endpoints read `<|im_start|>`, `</s>` or `[INST]` in a message as the marks between messages.
    """
    return _BRACKETED.sub(r"(\1)", _TAGS.sub("‹", visible(text)))


def quoted(words: str) -> str:
    """Somebody's words with every line marked `> `, control characters spelled out; very long ones are cut."""
    shown = inert(words[:LONGEST_WORDS])
    if len(words) > LONGEST_WORDS or len(shown) > LONGEST_WORDS:
        shown = shown[:LONGEST_WORDS] + " […]"
    return "\n".join(f"> {line}" for line in shown.split("\n"))


def build_prompt(view: View[Any], turn: Turn, budget: int = BUDGET) -> Prompt:
    """The prompt of an open turn, about `budget` tokens long at most however long the game is."""
    rules = f"THE RULES\n\n{view.ruleset.rulebook.strip()}"
    request = view.ruleset.request(view.state, turn)
    asked = _asked(turn, request.whole)
    room = budget - HEADINGS - tokens(rules) - tokens(asked)
    standing = [inert(line) for line in view.ruleset.standing(view.state, view.seat)]
    context = [line for line in map(inert, request.context) if line not in standing]
    room -= sum(tokens(line) + 1 for line in standing)
    fitted = _fitted(context, room)
    now = "\n".join([f"NOW. You are {view.seat}.", *standing, *fitted])
    history = seen_lines(view, room - sum(tokens(line) + 1 for line in fitted))
    return Prompt((rules, "\n".join(["WHAT YOU HAVE SEEN, oldest first.", *history]), now, asked))


def seen_lines(view: View[Any], room: int) -> list[str]:
    """What the seat has seen, oldest first: all of it, or the newest after the whole in short."""
    told = _told(view, room)
    if told[-1:] != [LEFT_OUT]:
        return told[::-1]
    short = _short(view, room // SHARE)
    if not short:
        return told[::-1]
    lately = _told(view, room - sum(tokens(line) + 1 for line in short))
    return [LEFT_OUT, *short, *lately[-2::-1]]


def _short(view: View[Any], room: int) -> list[str]:
    """The ruleset's digest at the greatest length that fits; at its shortest, without the first lines if need be."""
    frame = [IN_SHORT, LATELY]
    room -= sum(tokens(line) + 1 for line in frame)
    lines: list[str] = []
    for told in view.ruleset.digest(view.state, view.seat):
        lines = [inert(line) for line in told]
        if sum(tokens(line) + 1 for line in lines) <= room:
            break
    while lines and sum(tokens(line) + 1 for line in lines) > room:
        del lines[0]
    return [IN_SHORT, *lines, LATELY] if lines else []


def _asked(turn: Turn, ask: str) -> str:
    lines = [f"YOUR TURN {turn.number}. {ask}"]
    if turn.choices:
        lines.append(f"Legal choices: {', '.join(turn.choices)}.")
    failed = list(enumerate(turn.failures, 1))[-REFUSALS_TOLD:]
    lines += [f"Attempt {number} was refused: {_cut(message, LONGEST_REFUSAL)}" for number, message in failed]
    if failed:
        lines.append(f"Attempts left: {turn.attempts_left}.")
    return "\n".join(lines)


def told_line(view: View[Any], entry: Entry) -> tuple[str, int] | None:
    """An entry as a prompt tells it, with what others said quoted, and its tokens; None where it is not told."""
    try:
        return view.told[entry.seq]
    except KeyError:
        line = view.told[entry.seq] = _told_line(view, entry)
        return line


def _told_line(view: View[Any], entry: Entry) -> tuple[str, int] | None:
    piece = view.ruleset.tell(entry.event, Chair(view.seat))
    if piece is None:
        return None
    words = piece.said
    text = inert(piece.text) if words is None else f"{inert(piece.text)}\n{quoted(words)}"
    return text, tokens(text)


def _told(view: View[Any], room: int) -> list[str]:
    """What the seat has seen, newest first, as far as there is room."""
    told: list[str] = []
    for entry in _newest_first(view):
        line = told_line(view, entry)
        if line is None:
            continue
        text, size = line
        room -= size + 1
        if room < 0:
            told.append(LEFT_OUT)
            break
        told.append(text)
    return told


def _newest_first(view: View[Any]) -> Iterator[Entry]:
    """The entries backwards, fetched in growing pieces: a long view is not copied for its end."""
    taken, size = 0, 64
    while taken < view.seq:
        newest = view.recent(size)
        yield from reversed(newest[: len(newest) - taken])
        taken, size = len(newest), 2 * size


def _fitted(lines: Sequence[str], room: int) -> Sequence[str]:
    """The lines, the long ones cut so far that all of them take two fifths of the room at most."""
    fitted = lines
    for length in LINE_LENGTHS:
        if sum(map(tokens, fitted)) <= 2 * room // 5:
            break
        fitted = [_cut(line, length) for line in lines]
    return fitted


def _cut(line: str, length: int) -> str:
    """The line, cut if it is longer; a quotation that is cut is closed again."""
    if len(line) <= length:
        return line
    kept = line[:length]
    return f"{kept} […]{'»' if kept.rfind('«') > kept.rfind('»') else ''}"
