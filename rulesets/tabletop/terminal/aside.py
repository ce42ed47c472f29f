"""What the human of a session may type while nobody asks them anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sottovoce import Aside, Look, Pages, View
from sottovoce.domain.safe_text import one_line
from sottovoce.rulesets.tabletop.rules.course import COMMANDS
from sottovoce.rulesets.tabletop.rules.documents import rebuild, sheet
from sottovoce.rulesets.tabletop.rules.messages import DiceResult, MessageSent
from sottovoce.rulesets.tabletop.rules.names import HUMAN, shown_name
from sottovoce.rulesets.tabletop.rules.words import resource_lines


class SessionPages(Pages):
    """What can be looked at: each page by `/` and by `:`, and `:read` with a document's name or number behind it."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.fixed = {"sheet": _sheet, "rolls": _rolls, "read": _papers, "who": _who}

    def __getitem__(self, text: str) -> Callable[[], Sequence[str]]:
        word, _, rest = text[1:].partition(" ")
        if text[:1] not in ("/", ":") or word not in self.fixed or (rest.strip() and word != "read"):
            raise KeyError(text)
        if rest.strip():
            return partial(_paper, self.look, rest.strip())
        return partial(self.fixed[word], self.look)

    def __iter__(self) -> Iterator[str]:
        return iter(("/who", ":sheet", ":rolls", ":read"))

    def __len__(self) -> int:
        return 4


def _own(look: Look) -> View[Any]:
    view = look(HUMAN)
    assert view is not None, "the human sits here"
    return view


def _sheet(look: Look) -> list[str]:
    """The own character's sheet, and what it has now (F-065)."""
    state = _own(look).state
    character = state.persons_character
    if character is None:
        return ["You have not chosen a character yet."]
    text = rebuild(state.documents.get(sheet(character), ()))
    return [*text.splitlines(), "", *resource_lines(state, (character,))]


def _rolls(look: Look) -> list[str]:
    """The own character's rolls with their arithmetic, the newest last."""
    view = _own(look)
    told = [
        f"{message.check}: {message.roll}"
        + ("" if message.dc is None else f" against {message.dc}")
        + ("" if message.result is None else f", {message.result.replace('_', ' ')}")
        for entry in view.entries
        if isinstance(entry.event, MessageSent) and isinstance(message := entry.event.typed(), DiceResult)
    ]
    return told or ["Nothing has been rolled for your character yet."]


def _papers(look: Look) -> list[str]:
    """What the human can read."""
    paths = _paths(look)
    if not paths:
        return ["There is nothing to read."]
    return [*(f"{number} {path}" for number, path in enumerate(paths, 1)), "", "Type :read and a number or a name."]


def _paths(look: Look) -> list[str]:
    state = _own(look).state
    own = sheet(state.persons_character or "")
    return sorted(state.documents, key=lambda path: (path != own, path))


def _paper(look: Look, wanted: str) -> list[str]:
    """One of those papers, by its number, its path or a part of it."""
    paths = _paths(look)
    if wanted.isdecimal() and 0 < int(wanted[:4]) <= len(paths):
        hits = [paths[int(wanted[:4]) - 1]]
    else:
        hits = [path for path in paths if path == wanted] or [path for path in paths if wanted in path]
    if len(hits) != 1:
        among = ", ".join(hits or paths)
        return [
            f"{one_line(wanted)} is {'not one paper' if hits else 'not among your papers'}. Choose one of: {among}."
        ]
    return rebuild(_own(look).state.documents[hits[0]]).splitlines()


def _who(look: Look) -> list[str]:
    """Who sits at the table, as far as the human's own view knows."""
    view = _own(look)
    state = view.state
    mode = (
        "You decide for this character."
        if state.mode == "HUMAN_RELAY"
        else f"{shown_name(state.character or '')} acts on its own until you type /back."
    )
    return [
        f"Your character: {shown_name(state.character or '')}. {mode}",
        f"The party: {', '.join(map(shown_name, state.roster))}.",
        f"Other seats: {', '.join(map(shown_name, (seat for seat in state.seats if seat not in state.roster)))}.",
        f"Now: {view.ruleset.phase(state)}.",
    ]


HELP: Mapping[str, str] = {
    "/away WORDS": "step away: your character acts on its own until you return",
    "/back": "take over again and get a summary of what you missed",
    "/chat NAME WORDS": "say something only this companion hears",
    "/save": "ask the GM to save the session",
    "/end WORDS": "ask the GM to end the session",
    ":sheet": "your character's sheet, and what it has now",
    ":rolls": "your rolls, with the arithmetic",
    ":read": "the papers you can read; :read and a number or a name opens one",
    "/who": "who plays, and the status of the session",
}
"""What the human of a session may type at any time, and what it does."""

ASIDE = Aside(HUMAN, tuple(f"/{name}" for name in COMMANDS), SessionPages, help=HELP)
