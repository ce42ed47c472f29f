"""Campaign folders on disk: reading one without trusting it, and writing a seat's documents into another.

Reading follows no link, opens nothing but regular files, and never blocks or writes. What is left out is said in one
line each; what cannot be used at all is refused. Writing goes through folder descriptors that follow no link either,
so that no path leads out of the folder it is meant for, whatever changes beneath it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sottovoce.agents.folder import delete_file, open_folder, read_file, what_is_wrong, write_file
from sottovoce.domain.errors import SetupRefused
from sottovoce.domain.paths import checked_path

FILE_LIMIT = 5_000_000
"""Bytes of the largest file that is read."""
WHOLE_LIMIT = 50_000_000
"""Bytes that the files of one campaign may have together."""
FILES_LIMIT = 5_000
DEPTH_LIMIT = 12
ENTRIES_LIMIT = 20_000
"""Names that are looked at, those left out included."""

EXPORT_LIST = ".sottovoce-files.json"
"""The file that makes a folder known as an earlier export, and lists what it wrote there."""

_NO_TEXT = re.compile(
    r"(?i).*\.(?:png|jpe?g|gif|webp|avif|heic|bmp|tiff?|ico|mp3|ogg|oga|opus|wav|flac|m4a|mp4|m4v|webm|mov|avi|mkv"
    r"|pdf|epub|docx?|odt|rtf|pptx?|xlsx?|ods|zip|7z|rar|gz|tar|psd|xcf|kra|ttf|otf|woff2?|exe|dll|db|sqlite)",
    re.DOTALL,
)
"""Names of pictures, sound and other files that hold no text: a folder may have any number of them."""
_LEFTOVER = re.compile(r"\..*|.*~|#.*#|.*\.(?:sw[a-p]|bak|orig|tmp|part)|__MACOSX|Thumbs\.db|desktop\.ini", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Campaign:
    """A campaign as it lies on disk: its name, its files by path, and one line for each thing that was left out."""

    name: str
    files: Mapping[str, bytes]
    notes: tuple[str, ...]


class TooManyFiles(SetupRefused):
    """A folder has more files than are read. `largest` is the folder in it that has most of those that were."""

    def __init__(self, message: str, largest: str) -> None:
        super().__init__(message)
        self.largest = largest


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read at most: bytes of one file and of all, and how many files."""

    file: int = FILE_LIMIT
    whole: int = WHOLE_LIMIT
    files: int = FILES_LIMIT


def read_one(folder: Path, name: str, limits: Limits | None = None) -> bytes | None:
    """One file at the top of the folder, read as `read_campaign` reads it; None where there is none to be read."""
    try:
        top = open_folder(os.path.realpath(folder))
    except OSError:
        return None
    try:
        content = read_file(top, name, (limits or Limits()).file, single=True)
    except OSError:
        return None
    finally:
        os.close(top)
    return content if content is not None and len(content) <= (limits or Limits()).file else None


def read_campaign(folder: Path, limits: Limits | None = None, leave_out: Collection[str] = ()) -> Campaign:
    """The folder's files (F-001, F-004). Never writes, and follows no link inside the folder.

    SetupRefused for a folder that is not there or has nothing to read, one with too many files or too much in all. Left
    out with a note: links, hard ones too, special files, files over the limit, what cannot be read, names that are not
    UTF-8; and, in one note each, hidden files and what editors leave behind, and pictures and other files without text.
    `leave_out` are paths of files and folders that are not looked at.
    """
    bounds = limits or Limits()
    name = os.path.basename(os.path.abspath(folder))
    try:
        top = open_folder(os.path.realpath(folder))
    except OSError as error:
        why = "it is a file" if error.errno == errno.ENOTDIR else what_is_wrong(error)
        raise SetupRefused(f"The campaign folder {str(folder)!r} cannot be read: {why}.") from None
    reading = _Reading(bounds, leave_out)
    try:
        reading.folder(top, "", 0)
    finally:
        os.close(top)
    if not reading.files:
        what = "has no file that can be read" if reading.notes or reading.without_text else "is empty"
        raise SetupRefused(
            f"The campaign folder {str(folder)!r} {what}. Put a campaign's texts into it, such as .md files."
        )
    if reading.hidden:
        reading.notes.append(_left_out(reading.hidden))
    if reading.without_text:
        count = reading.without_text
        files = "1 picture or other file" if count == 1 else f"{count} pictures and other files"
        reading.notes.append(f"{files} without text {'is' if count == 1 else 'are'} left out.")
    for path in ("story-state.md", "party-knowledge.md"):
        if path not in reading.files:
            reading.notes.append(f"{path!r} is missing, so it starts empty.")
    return Campaign(name, dict(sorted(reading.files.items())), tuple(reading.notes))


class _Reading:
    """One folder being read."""

    def __init__(self, limits: Limits, leave_out: Collection[str] = ()) -> None:
        self.limits = limits
        self.leave_out = frozenset(path.rstrip("/") for path in leave_out)
        self.hidden: list[str] = []
        self.files: dict[str, bytes] = {}
        self.notes: list[str] = []
        self.bytes = 0
        self.entries = 0
        self.without_text = 0

    def skip(self, path: str, why: str) -> None:
        self.notes.append(f"{_shown(path)} is ignored: {why}.")

    def folder(self, descriptor: int, above: str, depth: int) -> None:
        try:
            with os.scandir(descriptor) as entries:
                names = []
                for entry in entries:
                    names.append(entry.name)
                    self.entries += 1
                    if self.entries > ENTRIES_LIMIT:
                        raise SetupRefused(
                            f"The campaign folder has more than {ENTRIES_LIMIT:,} entries. Move some out."
                        )
        except OSError as error:
            self.skip(above.rstrip("/"), what_is_wrong(error))
            return
        for name in sorted(names):
            self.entry(descriptor, above + name, name, depth)

    def entry(self, folder: int, path: str, name: str, depth: int) -> None:
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            self.skip(path, "its name is not UTF-8")
            return
        if path in self.leave_out:
            return
        if _LEFTOVER.fullmatch(name):
            self.hidden.append(path)
            return
        try:
            checked_path(path)
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except SetupRefused:
            self.skip(path, "its name contains a backslash or a line break")
            return
        except OSError as error:
            self.skip(path, what_is_wrong(error))
            return
        kind = found.st_mode
        if stat.S_ISLNK(kind):
            self.skip(path, "a symbolic link; put the file itself there")
        elif stat.S_ISREG(kind) and found.st_nlink > 1:
            self.skip(path, "a hard link to a file with another name; put a copy there")
        elif stat.S_ISDIR(kind):
            if depth >= DEPTH_LIMIT:
                self.skip(path, f"more than {DEPTH_LIMIT} folders deep")
                return
            self.inside(folder, path, name, depth)
        elif stat.S_ISREG(kind) and _NO_TEXT.fullmatch(name):
            self.without_text += 1
        elif stat.S_ISREG(kind):
            self.file(folder, path, name)
        else:
            self.skip(path, "neither a file nor a folder")

    def too_many(self) -> TooManyFiles:
        (largest, count), *_ = Counter(path.rpartition("/")[0] for path in self.files).most_common(1)
        where = f", at least {count:,} of them in {_shown(largest)}" if largest else ""
        return TooManyFiles(f"The campaign folder has more than {self.limits.files:,} files{where}.", largest)

    def inside(self, folder: int, path: str, name: str, depth: int) -> None:
        try:
            descriptor = open_folder(name, folder)
        except OSError as error:
            self.skip(path, what_is_wrong(error))
            return
        try:
            self.folder(descriptor, f"{path}/", depth + 1)
        finally:
            os.close(descriptor)

    def file(self, folder: int, path: str, name: str) -> None:
        try:
            content = read_file(folder, name, self.limits.file, single=True)
        except OSError as error:
            self.skip(path, what_is_wrong(error))
            return
        if content is None:
            self.skip(path, "neither a file nor a folder")
            return
        if len(content) > self.limits.file:
            self.skip(path, f"larger than {self.limits.file:,} bytes")
            return
        self.files[path] = content
        self.bytes += len(content)
        if len(self.files) > self.limits.files:
            raise self.too_many()
        if self.bytes > self.limits.whole:
            raise SetupRefused(
                f"The campaign's files have more than {self.limits.whole:,} bytes in total. Move some out."
            )


_NAMED = 3


def _left_out(hidden: Sequence[str]) -> str:
    if len(hidden) == 1:
        return f"{_shown(hidden[0])} is ignored: a hidden file, or a leftover of an editor."
    more = f" and {len(hidden) - _NAMED} more" if len(hidden) > _NAMED else ""
    return f"{', '.join(map(_shown, hidden[:_NAMED]))}{more} are ignored: hidden files, or leftovers of editors."


def write_documents(files: Mapping[str, bytes], into: Path, campaign: Path | None = None) -> tuple[str, ...]:
    """Write the files into the folder and return their paths. Files of an earlier export that are not among them are
    deleted.

    `campaign` is the folder that the game was imported from. Raises SetupRefused, with nothing written, if `into` is
    that folder, lies in it or around it, is not a folder, or holds anything except an earlier export; also if a path
    would lead outside.
    """
    for path in files:
        if checked_path(path) == EXPORT_LIST:
            raise SetupRefused(f"A document cannot be named {EXPORT_LIST!r}.")
    target = Path(os.path.realpath(into))
    if campaign is not None:
        source = Path(os.path.realpath(campaign))
        if target == source or source in target.parents or target in source.parents or _same(target, source):
            raise SetupRefused(
                f"{str(into)!r} overlaps the campaign folder, which is never changed. Choose another folder."
            )
    try:
        target.mkdir(parents=True, exist_ok=True)
        top = open_folder(target)
    except OSError as error:
        raise SetupRefused(f"{str(into)!r} cannot be written to: {what_is_wrong(error)}.") from None
    try:
        earlier = _earlier_export(top, into)
        write_file(top, EXPORT_LIST, json.dumps(sorted({*earlier, *files}), ensure_ascii=False).encode())
        for path in sorted(set(earlier) - set(files)):
            delete_file(top, path, prune=True)
        for path, content in sorted(files.items()):
            write_file(top, path, content)
        write_file(top, EXPORT_LIST, json.dumps(sorted(files), ensure_ascii=False).encode())
    except OSError as error:
        raise SetupRefused(f"{str(into)!r} could not be written completely: {what_is_wrong(error)}.") from None
    finally:
        os.close(top)
    return tuple(sorted(files))


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def _earlier_export(top: int, into: Path) -> list[str]:
    """The paths that an earlier export wrote; none in an empty folder; SetupRefused in any other."""
    names = os.listdir(top)
    if not names:
        return []
    refusal = SetupRefused(f"{str(into)!r} is not empty and not an earlier export. Choose an empty or a new folder.")
    if EXPORT_LIST not in names:
        raise refusal
    try:
        listed = json.loads(read_file(top, EXPORT_LIST, FILE_LIMIT) or b"null")
        if not isinstance(listed, list):
            raise refusal
        return [checked_path(path) for path in listed if isinstance(path, str)]
    except (OSError, ValueError, RecursionError, SetupRefused):
        raise refusal from None


def _shown(path: str) -> str:
    """The path on one line, whatever it holds."""
    shown = os.fsencode(path).decode("utf-8", "backslashreplace")
    return repr(shown if len(shown) <= 200 else shown[:200] + "…")
