"""Remarks at lines of the code (R-001): what they say, where they stand, and how they are written as a text.

src/roof.py:12: Say why.
src/roof.py:12-15: Too long.
  A line that begins with two spaces belongs to the remark above.
src/roof.py:9 (old): Keep this.
src/roof.py:12 (round 1): Still open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sottovoce import Refused
from sottovoce.rulesets.delegation.rules.diff_lines import FileDiff, Side, files_of
from sottovoce.rulesets.delegation.rules.evidence import Offered
from sottovoce.rulesets.delegation.rules.reports import items_under

HEADING = "Remarks"
"""The heading in a report under which a reviewer lists remarks that need not be fixed."""
MOST = 50
"""Remarks of one answer or report."""
LONGEST = 2000
"""Characters of a remark."""
MOST_LINES = 200
"""Lines that one remark may be about."""
LONGEST_CODE = 4000
"""Characters of the code that a remark keeps."""

Code = Mapping[int, Offered]
"""The code of a task by round."""

_OF = r"(?:\s*\((?P<of>(?:old|round \d{1,6})(?:,\s*round \d{1,6})?)\))?"
_REMARK = re.compile(
    rf"(?:[-*+]\s+)?[`*]{{0,3}}(?P<file>[^`*\s](?:[^`]*?[^`\s])?):(?P<line>\d{{1,7}})(?:[-–](?P<last>\d{{1,7}}))?"
    rf"[`*]{{0,3}}{_OF}[`*]{{0,3}}\s*[:—–][`*]{{0,3}}\s+(?P<text>\S.*)"
)
_PATH = re.compile(r"(?!.*//)\S*(?:/\S+|\.[A-Za-z]\w{0,7})")
"""What looks like the path of a file, and like nothing else that stands before a number."""


class Remark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody says of lines of the code of a round.

    `side` is `new` for the code that was offered in `round`, `old` for the code as it was when the task began. `code`
    is the text of the lines, by which they can be found again.
    """

    file: str
    line: int
    last: int
    side: Side
    round: int
    code: str
    text: str

    @property
    def place(self) -> str:
        """File and lines, such as `src/roof.py:12-15 (old)`."""
        lines = f"{self.line}" if self.last == self.line else f"{self.line}-{self.last}"
        return f"{self.file}:{lines}{' (old)' if self.side == 'old' else ''}"

    @property
    def told(self) -> str:
        """The remark in one line, with its place."""
        return f"{self.place}: {self.text}"


def remarks_in(text: str, code: Code) -> tuple[str, tuple[Remark, ...]]:
    """The words of the user's text, and the remarks in it. Refused where one is about a line that is not there.

    A line is a remark only if it names a changed file, or what can be nothing but a path.
    """
    if not code:
        return text, ()
    words: list[str] = []
    found: list[tuple[re.Match[str], list[str]]] = []
    known = _paths(code)
    inner: str | None = None
    """What begins each further line of the remark above."""
    for line in text.split("\n"):
        if inner is not None and line.startswith(inner):
            found[-1][1].append(line.removeprefix(inner).rstrip())
            continue
        match = _REMARK.fullmatch(line.strip())
        if match is not None and (match["file"] in known or _PATH.fullmatch(match["file"])):
            found.append((match, [match["text"]]))
            inner = " " * (len(line) - len(line.lstrip()) + 2)
            continue
        if line.strip():
            inner = None
        words.append(line)
    remarks = tuple(_placed(code, _given(match, "\n".join(said).strip())) for match, said in found)
    return "\n".join(words).strip(), _few(remarks)


def remarks_of(report: str | None, given: Sequence[Any], code: Code) -> tuple[Remark, ...]:
    """A reviewer's remarks: those given with the message, and the items of the report that name a line of the code.

    Refused where a given one is about a line that is not there; an item of the report that names none is just an item.
    """
    listed: list[Remark] = []
    if report and code:
        for item in (*items_under(report, "Must-fix"), *items_under(report, HEADING)):
            match = _REMARK.fullmatch(item)
            if match is None:
                continue
            try:
                listed.append(_placed(code, _given(match, match["text"][:LONGEST])))
            except Refused:
                continue
    placed = [_placed(code, fields_of(one)) for one in given]
    return _few(tuple(dict.fromkeys((*placed, *listed[: MOST - min(len(placed), MOST)]))))


def written(remarks: Iterable[Mapping[str, Any]]) -> str:
    """Remarks, given by their fields, as the text that makes them."""
    return "\n".join(_line(remark) for remark in remarks)


def _line(given: Mapping[str, Any]) -> str:
    line, last, round = given["line"], given.get("last") or given["line"], given.get("round")
    of = ", ".join(filter(None, ("old" if given.get("side") == "old" else "", f"round {round}" if round else "")))
    file, more = " ".join(str(given["file"]).split("\n")).strip(), str(given["text"]).strip().split("\n")
    lines = f"{line}" if last == line else f"{line}-{last}"
    head = f"{file}:{lines}{f' ({of})' if of else ''}: {more[0]}"
    return "\n".join((head, *(f"  {one}" for one in more[1:])))


def fields_of(given: Any) -> dict[str, Any]:
    """A remark's fields as somebody gave them, in JSON; Refused naming the first that is wrong."""
    if not isinstance(given, dict):
        raise Refused("remarks: give a list of objects with file, line and text (R-001).")
    fields: dict[str, Any] = {"side": "new", "round": None, "last": None, **given}
    for name, kind, wrong in _KINDS:
        value = fields.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise Refused(f"remarks: {name} {wrong} (R-001).")
    if fields["side"] not in ("new", "old"):
        raise Refused('remarks: side is "new" or "old" (R-001).')
    unknown = next((name for name in given if name not in ("code", *(one for one, _, _ in _KINDS))), None)
    if unknown is not None:
        raise Refused(f"remarks: {str(unknown)[:40]!r} is not a field of a remark; leave it out (R-001).")
    return fields


_KINDS: tuple[tuple[str, Any, str], ...] = (
    ("file", str, "is the path of a changed file"),
    ("line", int, "is the number of a line"),
    ("last", int | None, "is the number of the last line, or null for one line"),
    ("side", str, 'is "new" or "old"'),
    ("round", int | None, "is the number of a round, or null for the last one"),
    ("text", str, "is what you say of the line"),
)


def _given(match: re.Match[str], text: str) -> dict[str, Any]:
    of = match["of"] or ""
    numbered = re.search(r"\d+", of)
    return {
        "file": match["file"],
        "line": int(match["line"]),
        "last": int(match["last"]) if match["last"] else None,
        "side": "old" if of.startswith("old") else "new",
        "round": int(numbered[0]) if numbered else None,
        "text": text,
    }


def _placed(code: Code, given: Mapping[str, Any]) -> Remark:
    """The remark with the code that it is about; Refused where the diff of its round does not show these lines."""
    if not code:
        raise Refused("remarks: no code of this task is recorded yet, so no line can be named (R-001).")
    file, line, side = given["file"], given["line"], given["side"]
    last, round, text = given["last"] or line, given["round"] or max(code), given["text"].strip()
    place = f"{file}:{line}" if last == line else f"{file}:{line}-{last}"
    if round not in code:
        raise Refused(f"{place}: there is no code of round {round}; write one of: {', '.join(map(str, code))} (R-001).")
    if not text or len(text) > LONGEST:
        raise Refused(f"{place}: write 1 to {LONGEST} characters of what you say of it (R-001).")
    if not line <= last < line + MOST_LINES:
        raise Refused(f"{place}: name at most {MOST_LINES} lines, the first one first (R-001).")
    if file not in _paths({round: code[round]}):
        raise Refused(f"{place}: {file} is not among the changed files of round {round} (R-001).")
    shown = shown_lines(code, file, side, round)
    missing = next((number for number in range(line, last + 1) if number not in shown), None)
    if missing is not None:
        which = f"round {round}" if side == "new" else "the beginning of the task"
        raise Refused(f"{place}: the diff of {file} does not show line {missing} of {which} (R-001).")
    said = "\n".join(shown[number] for number in range(line, last + 1))[:LONGEST_CODE]
    return Remark(file, line, last, side, round, said, text)


def _few(remarks: tuple[Remark, ...]) -> tuple[Remark, ...]:
    if len(remarks) > MOST:
        raise Refused(f"Send at most {MOST} remarks at once (R-001).")
    return remarks


def _paths(code: Code) -> frozenset[str]:
    """The changed files, by their paths before and after."""
    differences = [one for offered in code.values() for one in (offered.whole, offered.since) if one is not None]
    return frozenset(path for one in differences for file in one.files for path in (file.path, file.old) if path)


def shown_lines(code: Code, file: str, side: Side, round: int) -> dict[int, str]:
    """The lines of a file that the log shows of a round's code, or of the code that the task began with.

    What a round shows as the old side of its changes is the code of the round before.
    """
    offered, later = code[round], code.get(round + 1)
    found = _shown(offered.whole.text, file, side)
    if side == "new" and offered.since is not None:
        found |= _shown(offered.since.text, file, "new")
    if side == "new" and later is not None and later.since is not None:
        found |= _shown(later.since.text, file, "old")
    return found


def _shown(diff: str, file: str, side: Side) -> dict[int, str]:
    named = (one for one in files_of(diff) if file in (one.path, one.old))
    return {number: text for one in named for number, text in one.shown(side).items()}


def followed(code: Code, remark: Remark, round: int) -> tuple[str, int, int] | None:
    """File and lines of a remark in a later round; None where they have changed since, or nobody can tell.

    Nobody can tell where the log did not keep all of the changes.
    """
    file, line, last = remark.file, remark.line, remark.last
    if remark.side == "old":
        shown = _shown(code[round].whole.text, file, "old") if round in code else {}
        same = "\n".join(shown.get(number, "\0") for number in range(line, last + 1))[:LONGEST_CODE]
        return (file, line, last) if same == remark.code else None
    for later in range(remark.round + 1, round + 1):
        offered = code.get(later)
        if offered is None or offered.since is None:
            return None
        if not any(file in (one.path, one.old) for one in offered.since.files):
            continue
        changed = next((one for one in files_of(offered.since.text) if file == one.old), None)
        moved = _moved(changed, line, last) if changed is not None else None
        if changed is None or moved is None:
            return None
        file, (line, last) = changed.path, moved
    return file, line, last


def _moved(changed: FileDiff, line: int, last: int) -> tuple[int, int] | None:
    numbers = [changed.after(number) for number in range(line, last + 1)]
    first = numbers[0]
    whole = first is not None and numbers == list(range(first, first + len(numbers)))
    return (first, first + len(numbers) - 1) if whole and first is not None else None


def at_lines(remarks: Iterable[Remark]) -> Iterator[tuple[str, str]]:
    """The lines of code of remarks, each with its place."""
    for remark in remarks:
        for number, text in enumerate(remark.code.split("\n"), remark.line):
            yield f"{remark.file}:{number}", text
