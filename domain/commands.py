"""Commands: intents, each accepted (it becomes events) or refused (it becomes a refusal its author sees).

Everything a ruleset may not know by itself arrives with the command: `at` is stamped by the server, and `files` holds
what the server read for it, by path: the bytes, None where there is no such file, or what lies there in place of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from domain.draws import Seed


@dataclass(frozen=True, slots=True)
class NotAFile:
    """Something stands on the path that is not to be read. `what` says it in a few words: "x.md is a symbolic link"."""

    what: str


Found = bytes | NotAFile | None
"""What lies under a path."""


@dataclass(frozen=True, slots=True)
class Open:
    """Open a game. `seats` are in seating order; `agents` says what fills each; `options` are raw values by name.

    `files` is the material that is read in at set-up, such as a campaign folder; `folder` is where the files lie that
    the game itself works with, if it does.
    """

    at: datetime
    seats: tuple[str, ...]
    agents: Mapping[str, str]
    seed: Seed
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A seat answers its open turn with a text."""

    at: datetime
    seat: str
    turn: int
    text: str
    files: Mapping[str, Found] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Expire:
    """The time limit of one attempt at a turn ran out. `attempt` counts from 1: an older attempt's limit is ignored."""

    at: datetime
    seat: str
    turn: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Say:
    """A seat sends a message that answers no turn."""

    at: datetime
    seat: str
    text: str
    files: Mapping[str, Found] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Wake:
    """The time that the state waited for has come."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Fill:
    """Seats get other agents, or the draws another seed, and a hold is lifted: what `resume` and `fork` send."""

    at: datetime
    agents: Mapping[str, str] = field(default_factory=dict)
    seed: Seed | None = None
    forked: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Halt:
    """What should answer a turn cannot be reached: the game stops, for good if it is to be `void`.

    No seat and turn stand for a game that is on hold for that very reason.
    """

    at: datetime
    seat: str = ""
    turn: int = 0
    void: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """The keeper of the game stops it: nothing goes on until `Fill` lifts the hold."""

    at: datetime


Command = Open | Reply | Expire | Say | Wake | Fill | Halt | Hold
