"""What a ruleset may need to be opened: what lies on the server's disk, beside players and options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sottovoce.domain.plugins import Plugins


@dataclass(frozen=True, slots=True)
class Wish:
    """A game that somebody far away wants. `folder` is a folder that the server's settings name.

    Of a campaign, `character` is the player's and `edition` that of the messages; of a folder's tasks, `task` is the
    only one to be worked on.
    """

    folder: Path
    options: Mapping[str, Any] = field(default_factory=dict)
    human: bool = False
    character: str | None = None
    edition: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Laid:
    """What a game is opened with: who plays, the options, the files it takes in, the folder it works in."""

    players: tuple[str, ...]
    options: Mapping[str, Any]
    files: Mapping[str, bytes]
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """What may be chosen where a folder is to be played in: who plays there with what was chosen so far, whose part a
    player may take, which tasks there are, and in which editions it may be played."""

    players: tuple[str, ...]
    characters: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    editions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerExtras:
    """`needs` is which of the folders in the server's settings a game takes; `lay` reads it, for as long as the game
    is being opened, and `look` reads it to say beforehand what there is. UnknownName or SetupRefused where it cannot be
    used."""

    needs: Literal["campaign", "folder"] | None = None
    lay: Callable[[Wish], AbstractContextManager[Laid]] | None = None
    look: Callable[[Wish], Offer] | None = None


EXTRAS: Plugins[ServerExtras] = Plugins("sottovoce.server", ServerExtras)
