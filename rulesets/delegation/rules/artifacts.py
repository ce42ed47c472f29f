"""The file that a message points to: whether it may be sent along, and what it says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from sottovoce import Found, NotAFile, Refused
from sottovoce.rulesets.delegation.rules.messages import ControlMessage, in_one_line
from sottovoce.rulesets.delegation.rules.reports import must_fix
from sottovoce.rulesets.delegation.rules.state import Filed, Task

MOST_BYTES = 262_144
"""Bytes that an artifact may have."""


@dataclass(frozen=True, slots=True)
class Contents:
    """A message's file. `fresh` says that it is to be recorded; a file of the workflow is recorded once."""

    data: bytes
    sha256: str
    text: str | None
    must_fix: tuple[str, ...]
    report: bool
    fresh: bool


def contents(
    files: Mapping[str, Found], task: Task | None, message: ControlMessage, carried: str | None
) -> Contents | None:
    """The file that the message points to, or None for none (D-013). Refused where there is no such file (D-015), where
    it is not the one recorded under that path, or cannot be one.

    Without a folder to look into, a file recorded before is taken to be as it was.
    """
    path = message.artifact_path
    if not path:
        return None
    known = task.files.get(path) if task else None
    found = files.get(path)
    if isinstance(found, NotAFile):
        raise _refused(f"{found.what}; put a plain file inside the folder there (D-014)")
    data = found if carried is None else carried.encode()
    if data is None and path not in files and known is not None and known.text is not None:
        data = known.text.encode()
    if data is None:
        raise _refused("there is no such file; write it first, then send the message (D-015)")
    if known is not None and message.workflow:
        on_disk = (found,) if path in files else ()
        if any(part is None or _sha256(part) != known.sha256 for part in (data, *on_disk)):
            raise _refused("the file differs from the one recorded under this name; restore that one (D-015)")
    return _read(data, known, message)


def _read(data: bytes, known: Filed | None, message: ControlMessage) -> Contents:
    if len(data) > MOST_BYTES:
        raise _refused(f"the file has more than {MOST_BYTES} bytes; make it smaller")
    try:
        text: str | None = data.decode()
    except UnicodeDecodeError:
        if message.workflow:
            raise _refused("the file is not UTF-8 text; write it again") from None
        text = None
    digest = _sha256(data)
    report = message.artifact_path.rpartition("/")[2].startswith("review-report-r")
    items = must_fix(text) if report and text is not None else ()
    fresh = known is None or (known.sha256 != digest and known.kind == "other")
    return Contents(data, digest, text, items, report, fresh)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _refused(what: str) -> Refused:
    return Refused(in_one_line([("artifact_path", what)]))
