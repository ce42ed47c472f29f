"""How a reply is read: the sentence pattern of each kind of turn, and the move it becomes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from domain.errors import Refused
from domain.reading import one_choice, plain
from domain.rulesets.mafia.conduct import disclosure
from domain.rulesets.mafia.events import TOWN_HALL
from domain.rulesets.mafia.state import MafiaState
from domain.turns import Turn

NARRATIONS = ("opening", "dawn", "introduction", "gallows", "execution")
SPEECHES = {"speech": "discussion", "defence": "defence", "final-speech": "final"}
BIDS = ("1", "2", "3", "4", "0")
"""The bids for the floor; nothing comes last, so that a list that is numbered from 1 numbers each bid by itself."""
NO_BID = "0"

PATTERNS: dict[str, tuple[str, ...]] = {
    "protect": ("i protect {}",),
    "investigate": ("i investigate {}",),
    "kill": ("i vote to kill {}",),
    "moderate": ("i call on {}", *(f"{{}}{mark}" for mark in ",:;.!?—–-")),
    "nominate": ("i nominate {}", "i {}"),
    "bid": ("i bid {}", "my bid is {}", "{}"),
    "second": ("{}",),
    "trial-vote": ("i vote for {}",),
    "execution-vote": ("i vote to {}", "{}"),
}
SENTENCES: dict[str, str] = {
    "protect": "I protect {}.",
    "investigate": "I investigate {}.",
    "kill": "I vote to kill {}.",
    "moderate": "{}.",
    "nominate": "I nominate {}.",
    "bid": "I bid {}.",
    "trial-vote": "I vote for {}.",
    "execution-vote": "I vote to {}.",
}
SPOKEN = {TOWN_HALL: "Town hall.", "pass": "I pass.", "yes": "Yes.", "no": "No."}
"""What opens a reply that is put together from a choice and words: these for the choices that are no names."""
ALIASES = {"town hall": TOWN_HALL, "town-hall": TOWN_HALL}
"""Other spellings of a choice. No player may be named like one."""


@dataclass(frozen=True, slots=True)
class Choose:
    """One legal choice, and the whole text it was made with."""

    choice: str
    text: str


@dataclass(frozen=True, slots=True)
class Speak:
    """A text, where any text will do."""

    text: str


Move = Choose | Speak


def read(state: MafiaState, seat: str, turn: Turn | None, text: str) -> Sequence[Move]:
    """The move that a reply makes. Refused names what is wrong, by what its author may know (M-016 to M-018)."""
    if turn is None:
        raise Refused("Mafia takes no unprompted messages: wait for a turn of your own.")
    if not (text if text.isascii() else plain(text)).strip():
        raise Refused("Your reply is empty; say something.")
    if turn.kind in NARRATIONS:
        _check(state, text)
        return [Speak(text)]
    if not turn.choices:
        return [Speak(text)]
    choice = _chosen(state, turn, text)
    if turn.kind == "moderate" and text != choice:
        _check(state, text)
    return [Choose(choice, text)]


def wording(state: MafiaState, turn: Turn, choice: str, words: str) -> str:
    """The reply that makes the choice and carries the words; the choice alone where they would be read as another.

    Words that open with the sentence themselves, or that call a speaker by name, stand as they are.
    """
    if not words.strip():
        return choice
    sentence = SPOKEN.get(choice) or SENTENCES[turn.kind].format(choice)
    apt = turn.kind == "moderate" or plain(words).startswith(plain(sentence).rstrip("."))
    for text in (words, f"{sentence} {words}")[0 if apt else 1 :]:
        try:
            if _chosen(state, turn, text) == choice:
                return text
        except Refused:
            continue
    return choice


def passes(text: str) -> bool:
    """Whether a text that may say anything says that its author passes."""
    return plain(text).strip(" .!'\"") in ("pass", "i pass")


def charge(text: str, nominee: str) -> str | None:
    """The words that a nomination is made with, without the sentence that makes it (M-113); None if there are none."""
    opened = re.match(rf"\W*i nominate\s+{re.escape(nominee)}(?!\w)[\s.,:;!—–-]*", text, re.IGNORECASE)
    words = (text[opened.end() :] if opened else text).strip()
    bare = "".join(filter(str.isalnum, plain(words)))
    return words if bare and bare != "".join(filter(str.isalnum, plain(nominee))) else None


def _chosen(state: MafiaState, turn: Turn, text: str) -> str:
    return one_choice(text, turn.choices, PATTERNS[turn.kind], state.players, ALIASES)


def given_away(state: MafiaState, text: str) -> str | None:
    """What a narration gives away as the game stands (M-104, M-106); None if nothing was found."""
    return disclosure(text, state.players, state.revealed, state.dead, _about(state))


def _about(state: MafiaState) -> str | None:
    """Whom a narration is about now, if anybody."""
    match state.phase:
        case "dawn":
            return state.last_deaths[0] if len(state.last_deaths) == 1 else None
        case "defence":
            return next((name for name in state.nominees if name not in state.defences), None)
        case "gallows" | "aftermath":
            return state.condemned
    return None


def _check(state: MafiaState, text: str) -> None:
    found = given_away(state, text)
    if found:
        raise Refused(found)
