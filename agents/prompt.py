"""Prompts: a deterministic function of a seat's view, a turn and a budget, laid out for the caches of endpoints.

    shared    the rules, and how turns are answered: the same for all seats of a kind, all game long
    own       who the seat is, and the documents it has in hand: the same for the seat, all game long
    history   what it has seen: grows, and is cut seldom and in large steps (`history.py`)
    tail      its state and notes, the request, refusals and legal choices: new at every turn

An endpoint pays in full only from the first character that changed, so nothing of one turn stands before the tail, and
the history's room does not depend on the turn. Text that other seats wrote stands quoted, every line of it marked, so
that no line of a speech can pass for the game's own voice. No seq, position, time, id or count of anything hidden
enters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.agents.history import cut_at, handouts, has_handouts, listed_documents, seen_lines, when_first_asked
from sottovoce.agents.quoting import as_quotation, inert, shortened, size, tokens
from sottovoce.domain.piece import Chair
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

TEMPLATE = "prompt.v4"
BUDGET = 6000
LONGEST_REFUSAL = 400
REFUSALS_TOLD = 3
LINE_LENGTHS = (1200, 600, 300, 150, 80, 40, 20)
"""How long lines of the seat's own state may be: the first length at which all fit is taken."""
HEADINGS = 40
"""Tokens set aside for what stands between the parts."""
TAIL = 1500
"""Tokens set aside for the tail at every turn, or an eighth of the budget where that is more."""
IN_HAND = "YOUR DOCUMENTS, as they were when you were first asked."
HISTORY = 6500
"""Tokens that the history gets before documents take more than a third of what is left."""
LEAST_CONTEXT = 200
"""Tokens that the seat's own state may take beside what must stand in every prompt."""
STEP = 512
"""Where a tail is longer than that, the history's room shrinks by steps of so many tokens."""

_SAID = re.compile(r"(.*): «([^«»]*)»", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The parts of one prompt, in order. `now` and `asked` are its tail; `cut` counts the entries told in short."""

    shared: str
    own: str
    history: str
    now: str
    asked: str
    cut: int = 0

    @property
    def tail(self) -> str:
        return f"{self.now}\n\n{self.asked}"

    @property
    def stable(self) -> str:
        """What the seat's next prompt begins with too, unless the cut moves."""
        return "\n\n".join(filter(None, (self.shared, self.own, self.history)))

    @property
    def blocks(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.shared, self.own, self.history, self.tail)))

    @property
    def text(self) -> str:
        return "\n\n".join(self.blocks)


def build_prompt(
    view: View[Any], turn: Turn, budget: int = BUDGET, *, shared: str = "", who: str = "", answer: str | None = None
) -> Prompt:
    """The prompt of an open turn, about `budget` tokens long at most however long the game is.

    `shared` stands below the rules, and `who` before the seat's documents. `answer` are the last lines, which say how
    the turn is answered; where they are given, how it is answered by a text is left out.
    """
    rules = rules_of(view, shared, by_text=answer is None)
    left = budget - HEADINGS - tokens(rules) - tokens(who)
    tail_room = min(max(TAIL, budget // 8), 2 * left // 3)
    rest = left - tail_room
    documents, size_of_documents = _in_hand(view, max(rest // 3, rest - HISTORY))
    own = "\n\n".join(filter(None, (who, documents)))
    room = rest - size_of_documents
    request = view.ruleset.request(view.state, turn)
    asked = _asked(turn, request.whole if answer is None else request.ask, answer or "")
    standing = [inert(line) for line in view.ruleset.standing(view.state, view.seat)]
    notes = _notes(view)
    fixed = [f"NOW. You are {view.seat}.", *standing]
    spare = tail_room - tokens(asked) - size([*fixed, *notes])
    cut = cut_at(view, room)
    lines = [line for line in map(inert, _untold(view, request.context, cut)) if line not in standing]
    now = "\n".join([*fixed, *_fitted(lines, max(spare, LEAST_CONTEXT)), *notes])
    over = tokens(now) + tokens(asked) - tail_room
    if over > 0:
        room -= -(-over // STEP) * STEP
        cut = cut_at(view, room)
    history = "\n".join(["WHAT YOU HAVE SEEN, oldest first.", *seen_lines(view, room)])
    return Prompt(rules, own, history, now, asked, cut)


def rules_of(view: View[Any], shared: str = "", *, by_text: bool = False) -> str:
    """The rules, and what stands below them. Those who answer `by_text` are told how messages are written."""
    ruleset = view.ruleset
    rules = f"THE RULES\n\n{ruleset.rulebook.strip()}"
    protocol = ruleset.protocol.strip() if by_text else ""
    return "\n\n".join(filter(None, (rules, protocol, language_line(view), shared)))


def language_line(view: View[Any]) -> str:
    """Which language the seat speaks, if the game was opened with one."""
    language = getattr(getattr(view.state, "options", None), "language", None)
    if not language:
        return ""
    return (
        f"LANGUAGE. Speak {language}: all that others at the table hear or read from you is in {language}. Names, "
        "choices and the names of fields stay as they are."
    )


def in_hand(view: View[Any], room: int) -> str:
    """The documents that the seat has in hand, in so much room."""
    return _in_hand(view, room)[0]


def _in_hand(view: View[Any], room: int) -> tuple[str, int]:
    """The same, with its tokens."""
    if not has_handouts(view.ruleset):
        return "", 0
    found: tuple[str, int] | None = view.kept.get(("in hand", room))
    if found is None:
        lines = listed_documents(handouts(view), room)
        text = "\n".join([IN_HAND, *lines]) if lines else ""
        found = text, tokens(text)
        if when_first_asked(view)[0]:
            view.kept["in hand", room] = found
    return found


def _notes(view: View[Any]) -> list[str]:
    notes = view.state.kept_notes.get(view.seat, "")
    return [f"YOUR NOTES, which you alone read.\n{as_quotation(inert(notes))}"] if notes else []


def _asked(turn: Turn, ask: str, answer: str) -> str:
    lines = [f"YOUR TURN {turn.number}. {ask}"]
    failed = list(enumerate(turn.failures, 1))[-REFUSALS_TOLD:]
    lines += [f"Attempt {number} was refused: {shortened(message, LONGEST_REFUSAL)}" for number, message in failed]
    if failed:
        lines.append(f"Attempts left: {turn.attempts_left}.")
    if turn.choices:
        lines.append(f"Legal choices: {', '.join(turn.choices)}.")
    return "\n".join([*lines, answer] if answer else lines)


def _untold(view: View[Any], lines: Iterable[str], cut: int) -> Iterator[str]:
    """The lines of the request's context, without those that hold nothing but words that the history has in full."""
    spoken: list[tuple[str, str]] | None = None
    for line in lines:
        said = _SAID.fullmatch(line)
        if said is not None:
            spoken = list(_spoken_since(view, cut)) if spoken is None else spoken
            who, words = said[1].lower(), said[2].removesuffix(" […]")
            if any(actor in who and text.startswith(words) for actor, text in spoken):
                continue
        yield line


def _spoken_since(view: View[Any], cut: int) -> Iterator[tuple[str, str]]:
    """Who said what after the cut, each text on one line."""
    for entry in view.since(cut):
        known = view.kept.get(("said", entry.seq))
        if known is None:
            piece = view.ruleset.tell(entry.event, Chair(view.seat))
            words = None if piece is None else piece.said
            known = ((entry.actor or "").lower(), one_line(words or ""))
            view.kept["said", entry.seq] = known
        if known[0] and known[1]:
            yield known


def one_line(words: str) -> str:
    """Somebody's words on one line, as contexts quote them."""
    return " ".join(words.replace("«", "‹").replace("»", "›").split())


def _fitted(lines: Sequence[str], room: int) -> Sequence[str]:
    """The lines, the long ones cut so far that all of them fit."""
    fitted = lines
    for length in LINE_LENGTHS:
        if size(list(fitted)) <= room:
            break
        fitted = [shortened(line, length) for line in lines]
    return fitted
