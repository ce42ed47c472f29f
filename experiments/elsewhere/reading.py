"""What the readers of foreign logs share: the lines of files, the game that they become, and how they refuse one."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sottovoce.domain.errors import SottovoceError, Unreadable
from sottovoce.domain.events import Event

SHOWN = 60
"""Characters of a line that its refusal shows."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file, without its line end. `number` counts from 1."""

    file: str
    number: int
    text: str


class LineRefused(SottovoceError):
    """A line that cannot be read, by file and number. Nothing of its log is imported."""

    def __init__(self, line: Line, why: str) -> None:
        shown = ascii(line.text) if len(line.text) <= SHOWN else f"{line.text[:SHOWN]!a}…"
        super().__init__(f"{line.file}, line {line.number}: {why} ({shown}). Nothing was imported.")


class LogRefused(SottovoceError):
    """A log that is refused as a whole, by file. Nothing of it is imported."""

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"{file}: {why}. Nothing was imported.")


@dataclass(frozen=True, slots=True)
class Story:
    """A game as a log tells it: its seats, and its events in order. `sha256` is that of all that was read."""

    format: str
    file: str
    sha256: str
    seats: tuple[str, ...]
    events: tuple[Event, ...]


def contents(path: Path) -> bytes:
    """Return what is in a file. Raises Unreadable."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise Unreadable(str(path), error) from None


def lines_of(path: Path, data: bytes) -> list[Line]:
    """Cut a file in UTF-8 into lines; a carriage return before the line end is not part of one."""
    found = []
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            found.append(Line(str(path), number, raw.removesuffix(b"\r").decode()))
        except UnicodeDecodeError:
            raise LineRefused(Line(str(path), number, raw.decode("latin-1")), "it is not UTF-8") from None
    return found


def digest(*parts: bytes) -> str:
    """Return the SHA-256 of texts, one after another."""
    whole = sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()
