"""Commands: intents, each accepted (it becomes events) or refused (it becomes a refusal its author sees).

Everything a ruleset may not know by itself arrives with the command: `at` is stamped by the server, and `files` holds
what the server read for it, by path: the bytes, None where there is no such file, or what lies there in place of one.
`evidence` is what else it found in the world for a text, in a form that is the ruleset's own (`Workspaces.find`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

import msgspec

from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Failure, GameRequested, Peek
from sottovoce.domain.turns import NOTHING


@dataclass(frozen=True, slots=True)
class NotAFile:
    """Something stands on the path that is not to be read. `what` says it in a few words: "x.md is a symbolic link"."""

    what: str


Found = bytes | NotAFile | None
"""What lies under a path."""


class _Command(msgspec.Struct, frozen=True):
    """What all commands have: when the server got it."""

    at: datetime

    def but(self, **changes: Any) -> Self:
        """This command with some fields replaced."""
        return msgspec.structs.replace(self, **changes)


class Open(_Command, frozen=True):
    """Open a game. `seats` are in seating order; `agents` says what fills each; `options` are raw values by name.

    `files` is the material that is read in at set-up, such as a campaign folder; `folder` is where the files lie that
    the game itself works with, if it does. `request` says how a server was asked for the game, if it was.
    """

    seats: tuple[str, ...]
    agents: Mapping[str, str]
    seed: Seed
    options: Mapping[str, Any] = NOTHING
    files: Mapping[str, bytes] = NOTHING
    folder: str | None = None
    request: GameRequested | None = None


class Reply(_Command, frozen=True):
    """A seat answers its open turn with a text. `notes` are what it keeps for itself from now on, if anything new."""

    seat: str
    turn: int
    text: str
    files: Mapping[str, Found] = NOTHING
    notes: str = ""
    evidence: Any = None


class Expire(_Command, frozen=True):
    """The time limit of one attempt at a turn ran out. `attempt` counts from 1: an older attempt's limit is ignored."""

    seat: str
    turn: int
    attempt: int


class Fail(_Command, frozen=True):
    """The agent of a seat gave no reply in one attempt at a turn. `message` is what the seat is told of it.

    `final`: another attempt would only cost once more, so there is none where the rules do not want it.
    """

    seat: str
    turn: int
    attempt: int
    reason: Failure
    message: str
    final: bool = False


class Say(_Command, frozen=True):
    """A seat sends a message that answers no turn."""

    seat: str
    text: str
    files: Mapping[str, Found] = NOTHING
    evidence: Any = None


class Wake(_Command, frozen=True):
    """The time that the state waited for has come."""


class Fill(_Command, frozen=True):
    """Seats get other agents, or the draws another seed, and a hold is lifted: what `resume` and `fork` send.

    `known` are the chairs of a finished game from which those who sat there know what this one continues.
    """

    agents: Mapping[str, str] = NOTHING
    seed: Seed | None = None
    forked: tuple[str, int] | None = None
    known: tuple[str, ...] = ()


class Halt(_Command, frozen=True):
    """What should answer a turn cannot be reached: the game stops, for good if it is to be `void`.

    No seat and turn stand for a game that is on hold for that very reason. `spent`: it is not asked, since the budget
    of the agents is spent; then the game waits in any case.
    """

    seat: str = ""
    turn: int = 0
    void: bool = False
    spent: bool = False


class Hold(_Command, frozen=True):
    """The keeper stops the game: nothing continues until `Fill` lifts the hold."""


class Announce(_Command, frozen=True):
    """Somebody is about to get at secrets of the running game, which everyone is told. Nothing else follows from it."""

    peek: Peek


Command = Open | Reply | Expire | Fail | Say | Wake | Fill | Halt | Hold | Announce
"""Whatever a game decides on."""
