"""Delegated work: the briefs of a folder, `tasks/SLUG.md`, one for each task, and the task ids they are given."""

from __future__ import annotations

import re
import unicodedata
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
from sottovoce.rulesets.delegation.rules.briefs import brief_given, read_brief
from sottovoce.rulesets.delegation.rules.messages import task_id_fault
from sottovoce.rulesets.delegation.rules.names import FOLDER, PARTS, USER
from sottovoce.rulesets.delegation.workspaces.opening import check_commands_allowed, repository_options

LARGEST = 65_536
"""Bytes that a brief may have."""
LONGEST_SLUG = 60
"""Characters of the slug that is made from a title."""
_TITLE = re.compile(r"^(?:#+\s*|title:\s*)", re.IGNORECASE)


def read_briefs(folder: Path, slug: str | None, at: datetime) -> dict[str, bytes]:
    """The briefs by file name, `TASK_ID.md`: all of the folder's, or the one of that slug. Each task id is of `at`.

    A slug is made from a file's name: `Fix typos.md` is the task `fix-typos`. Errors name the file as it is.
    """
    if not folder.is_dir():
        raise UnknownName(f"There is no folder {str(folder)!r}. Give the folder to work in.")
    paths = _paths(folder)
    if not paths and folder.name == "tasks" and _paths(folder, "."):
        raise UnknownName(f"{folder} holds the briefs. Give the folder above: {folder.parent}")
    if not paths:
        raise UnknownName(f"{folder / 'tasks'} has no brief. Write one into tasks/SLUG.md.")
    if slug is not None:
        wanted = next((path for name, path in paths.items() if slug in (name, path.stem, path.name)), None)
        if wanted is None and "/" in slug:
            raise UnknownName(f"{slug!r} names no task. Choose one of: {', '.join(paths)}.")
        if wanted is None:
            raise UnknownName(
                f"There is no brief {folder / 'tasks' / f'{slug}.md'}. Write what to do into it, or choose one of: "
                f"{', '.join(paths)}."
            )
        paths = {_slug(wanted.stem): wanted}
    found = {_task_id(name, path, at): path for name, path in paths.items()}
    briefs = {f"{task_id}.md": _read(path) for task_id, path in found.items()}
    _check(briefs, {f"{task_id}.md": path for task_id, path in found.items()})
    return briefs


def brief_of(text: bytes, where: str, at: datetime) -> dict[str, bytes]:
    """A brief from elsewhere, such as an issue, by file name: its task is called after its first line."""
    if len(text) > LARGEST:
        raise UnknownName(f"The brief {where} has more than {LARGEST} bytes. Make it shorter.")
    lines = (line.strip() for line in text.decode(errors="replace").removeprefix("\ufeff").splitlines())
    title = next((_TITLE.sub("", line) for line in lines if line.strip("-# ")), "")
    slug = _slug(title)[:LONGEST_SLUG].strip("-")
    if not slug:
        raise UnknownName(f"{where} has no title. Write one in Latin letters into its first line.")
    briefs = {f"{at:%Y%m%d-%H%M}-{slug}.md": text}
    _check(briefs, dict.fromkeys(briefs, Path(where)))
    return briefs


def _paths(folder: Path, below: str = "tasks") -> dict[str, Path]:
    """The briefs of a folder by slug. A README, and what begins with a dot or an underscore, is not a brief."""
    found: dict[str, Path] = {}
    for path in sorted((folder / below).glob("*.md")):
        if path.stem.casefold() == "readme" or path.name.startswith((".", "_")):
            continue
        slug = _slug(path.stem)
        if slug in found:
            raise UnknownName(f"{found[slug]} and {path} are both the task {slug or path.stem!r}. Rename one of them.")
        found[slug] = path
    return found


def _slug(name: str) -> str:
    """A file's name in lower-case words joined by hyphens; empty where it has no Latin letter and no digit."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _check(briefs: Mapping[str, bytes], paths: Mapping[str, Path]) -> None:
    """SetupRefused or UnknownName for the first brief at fault, by the path of its file."""
    try:
        for name, data in briefs.items():
            read_brief(data.decode(errors="replace"), name)
        sessions = sessions_of(dict(briefs))
        for name, data in briefs.items():
            brief_given(name, data, sessions)
    except SetupRefused as refused:
        told = str(refused)
        for name, path in paths.items():
            told = told.replace(repr(name), str(path)).replace(name, str(path))
        raise SetupRefused(told) from None


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


def _task_id(slug: str, path: Path, at: datetime) -> str:
    if task_id_fault(f"20260101-1200-{slug}") is not None:
        raise UnknownName(f"{path} names no task. Give it a name with Latin letters or digits, and not too long.")
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
    overseer="user",
)
