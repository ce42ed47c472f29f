"""Delegated work: the briefs of a folder, `tasks/SLUG.md`, one for each task, and the task ids they are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sottovoce import (
    Choices,
    Opening,
    Sample,
    ServerExtras,
    Setup,
    SetupRefused,
    SottovoceError,
    UnknownName,
    Unreadable,
    Workspaces,
    choice,
    place,
)
from sottovoce.rulesets.delegation.rules.briefs import read_brief
from sottovoce.rulesets.delegation.rules.messages import task_id_fault
from sottovoce.rulesets.delegation.rules.names import FOLDER, PARTS, USER
from sottovoce.rulesets.delegation.workspaces.opening import check_commands_allowed, repository_options

LARGEST = 65_536
"""Bytes that a brief may have."""


def read_briefs(folder: Path, slug: str | None, at: datetime) -> dict[str, bytes]:
    """The briefs by file name, `TASK_ID.md`: all of the folder's, or the one of that slug. Each task id is of `at`."""
    if not folder.is_dir():
        raise UnknownName(f"There is no folder {str(folder)!r}. Give the folder to work in.")
    if slug is None:
        paths = sorted((folder / "tasks").glob("*.md"))
        if not paths:
            raise UnknownName(f"{folder / 'tasks'} has no brief. Write one into tasks/SLUG.md.")
    else:
        paths = [folder / "tasks" / f"{slug}.md"]
        if task_id_fault(f"20260101-1200-{slug}") is not None:
            raise UnknownName(f"{slug!r} names no task. Use lower-case words joined by hyphens.")
        if not paths[0].is_file():
            raise UnknownName(f"There is no brief {paths[0]}. Write what to do into it.")
    return {f"{_task_id(path.stem, at)}.md": _read(path) for path in paths}


@contextmanager
def claimed(folder: Path, briefs: Mapping[str, bytes]) -> Iterator[dict[str, bytes]]:
    """Return the briefs with task ids that no other game has in this folder: each with the first free minute.

    The game that makes a task's folder gets the id, so that two games that start at the same time get different ids. A
    game that is refused at its opening leaves no folder.
    """
    made: list[Path] = []
    try:
        yield {f"{_claim(folder, name.removesuffix('.md'), made)}.md": data for name, data in briefs.items()}
    except SetupRefused:
        for path in made:
            with suppress(OSError):
                path.rmdir()
        raise


def _claim(folder: Path, task_id: str, made: list[Path]) -> str:
    moment, slug = task_id[:13], task_id[14:]
    at = datetime.strptime(f"{moment} +0000", "%Y%m%d-%H%M %z")
    while True:
        path = folder / FOLDER / (task_id := f"{at:%Y%m%d-%H%M}-{slug}")
        try:
            path.parent.mkdir(exist_ok=True)
            path.mkdir()
        except FileExistsError:
            at += timedelta(minutes=1)
        except OSError as error:
            raise SottovoceError(f"Cannot create {path}: {error.strerror}. Fix this and play again.") from None
        else:
            made.append(path)
            return task_id


def sessions_of(briefs: dict[str, bytes]) -> Sequence[str]:
    """Return the sessions that the briefs need: the usual three, and any other named session."""
    named = [
        name
        for file, data in briefs.items()
        for name in read_brief(data.decode(errors="replace"), file).sessions.values()
    ]
    return tuple(dict.fromkeys([*PARTS, *named]))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(str(path), error) from None
    if len(data) > LARGEST:
        raise UnknownName(f"The brief {path} has more than {LARGEST} bytes. Make it shorter.")
    return data


def _task_id(slug: str, at: datetime) -> str:
    if task_id_fault(f"20260101-1200-{slug}") is not None:
        raise UnknownName(f"tasks/{slug}.md names no task. Rename it to lower-case words joined by hyphens.")
    return f"{at:%Y%m%d-%H%M}-{slug}"


class FolderSetup(Setup):
    """Works in a folder."""

    folder: Path = place("folders", "Folder to work in, of those the server offers.", offers="Work folder to offer.")
    task: str | None = choice("Run only this task of the folder.", none="All tasks", metavar="SLUG")


@contextmanager
def _load(setup: FolderSetup, options: Mapping[str, Any]) -> Iterator[Opening]:
    briefs = read_briefs(setup.folder, setup.task, datetime.now(UTC))
    check_commands_allowed(str(setup.folder), options)
    options = repository_options(setup.folder, options)
    with claimed(setup.folder, briefs) as files:
        yield Opening(tuple(sessions_of(briefs)), options, files, str(setup.folder))


def _preview(setup: FolderSetup) -> Choices:
    now = datetime.now(UTC)
    tasks = [name.removesuffix(".md")[len("YYYYMMDD-HHMM-") :] for name in read_briefs(setup.folder, None, now)]
    return Choices(tuple(sessions_of(read_briefs(setup.folder, setup.task, now))), {"task": tasks}, (USER,))


def _workspaces() -> Workspaces:
    from sottovoce.rulesets.delegation.workspaces import Repositories

    return Repositories()


EXTRAS = ServerExtras(
    setup=FolderSetup,
    load=_load,
    preview=_preview,
    sample=Sample("delegation/village-paper", written=True),
    workspaces=_workspaces,
)
