"""How a reply is read: the sentence pattern of each kind of turn, and the move it becomes."""

from __future__ import annotations

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
BALLOTS = ("kill", "second", "trial-vote", "execution-vote")

PATTERNS: dict[str, tuple[str, ...]] = {
    "protect": ("i protect {}",),
    "investigate": ("i investigate {}",),
    "kill": ("i vote to kill {}",),
    "moderate": ("i call on {}", *(f"{{}}{mark}" for mark in ",:;.!?—–-")),
    "nominate": ("i nominate {}", "i {}"),
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
    if turn.kind == "moderate":
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


def _chosen(state: MafiaState, turn: Turn, text: str) -> str:
    return one_choice(text, turn.choices, PATTERNS[turn.kind], state.players, ALIASES)


def _check(state: MafiaState, text: str) -> None:
    found = disclosure(text, state.players, state.revealed)
    if found:
        raise Refused(found)
