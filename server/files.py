"""A game's files on the disk: read for what is decided, written once it is accepted, compared with the log later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from sottovoce.domain.commands import Command, Found, Reply, Say
from sottovoce.domain.events import AttemptFailed, Draft, GameForked, MessageRefused
from sottovoce.domain.game import LONGEST_REPLY
from sottovoce.domain.turns import NOTHING
from sottovoce.server.folder import found_at, read_file, remove_file, write_file
from sottovoce.server.live import LiveGame
from sottovoce.server.workplaces import site_of, workspaces

FORKS = Path(".agent-artifacts", "forks")
"""The folder, in that of the first game, with a folder for each of its forks."""


def folder_of(live: LiveGame) -> Path | None:
    """Return the game's folder. A fork has its own, so that it never overwrites the files of the original game."""
    folder = live.ruleset.folder(live.state)
    if folder is None:
        return None
    forked = any(isinstance(item.event, GameForked) for item in live.recorded)
    return Path(folder) / FORKS / live.id if forked else Path(folder)


def with_files(live: LiveGame, command: Command) -> Command:
    """The command with the files that its text points to, as they lie there now."""
    if not isinstance(command, Reply | Say) or len(command.text) > LONGEST_REPLY:
        return command
    folder = folder_of(live)
    if folder is None:
        return command
    turn = live.state.turns.get((command.seat, command.turn)) if isinstance(command, Reply) else None
    paths = live.ruleset.files_named(live.state, command.seat, turn, command.text)
    return command.but(files={path: _found(live, folder, path) for path in paths})


def _found(live: LiveGame, folder: Path, path: str) -> Found:
    """What lies in the game's folder under that path, or else in the one in which the agent runs."""
    found = found_at(folder, path)
    if found is None and (places := workspaces(live)) is not None:
        beside = places.beside(site_of(live), live.state, path)
        return found if beside is None else found_at(beside, path)
    return found


def brought(live: LiveGame, command: Command, drafts: Sequence[Draft]) -> Mapping[str, bytes]:
    """The files that a text brings along, to be written; none if something of the text was refused.

    Among them is what it points to in the folder in which its agent runs.
    """
    folder = folder_of(live)
    if not isinstance(command, Reply | Say) or not drafts or folder is None:
        return NOTHING
    recorded_before = live.ruleset.files_recorded(live.state)
    if any(isinstance(draft.event, AttemptFailed | MessageRefused) for draft in drafts):
        return NOTHING
    turn = live.state.turns.get((command.seat, command.turn)) if isinstance(command, Reply) else None
    lying = {
        path: data
        for path, data in command.files.items()
        if isinstance(data, bytes) and path not in recorded_before and found_at(folder, path) is None
    }
    return {**lying, **live.ruleset.files_brought(live.state, command.seat, turn, command.text)}


def place(live: LiveGame, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Write files that are about to be recorded, where there is nothing of the name yet: those written. Raises
    FolderUnusable.

    This comes before the append: a crash between the two leaves a file that no event speaks of. What lies there already
    may be the file of somebody who was quicker, and stays until it is known who was.
    """
    folder = folder_of(live) if files else None
    if folder is None:
        return NOTHING
    return {path: data for path, data in files.items() if write_file(folder, path, data, replace=False)}


def take_back(live: LiveGame, files: Mapping[str, bytes]) -> None:
    """Take away files that were placed and are not recorded after all, such as those of a reply that came late."""
    folder = folder_of(live) if files else None
    recorded = live.ruleset.files_recorded(live.state) if files else NOTHING
    for path, data in files.items():
        if folder is not None and path not in recorded and read_file(folder, path) == data:
            remove_file(folder, path)


def confirm(live: LiveGame, files: Mapping[str, bytes]) -> None:
    """Write files that have been recorded over whatever else lies there, such as what an earlier crash left."""
    folder = folder_of(live) if files else None
    for path, data in files.items():
        if folder is not None and read_file(folder, path) != data:
            write_file(folder, path, data)


def restore(live: LiveGame) -> None:
    """Write all files that the log holds into the game's folder: what a fork begins with. Nothing is written where the
    first game's folder is gone, as on another machine."""
    folder = folder_of(live)
    if folder is None or not Path(live.ruleset.folder(live.state) or "").is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for path, (_, data) in live.ruleset.files_recorded(live.state).items():
        if data is not None:
            write_file(folder, path, data)


def altered(live: LiveGame) -> list[tuple[str, str]]:
    """The files that are not as they were recorded, each with what is wrong: `changed` or `missing`."""
    folder = folder_of(live)
    if folder is None:
        return []
    found = []
    for path, (digest, _) in live.ruleset.files_recorded(live.state).items():
        data = read_file(folder, path)
        if data is None:
            found.append((path, "missing"))
        elif sha256(data).hexdigest() != digest:
            found.append((path, "changed"))
    return found
