"""State deltas on documents: one change, named by document and section heading, by a seat that may write there (T-144).

What a delta finds, what it is refused for and what the refusal says depend on the pieces that its author sees and on
nothing else. The result is a list of changes; each becomes an event whose audience is the piece's readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from sottovoce import Refused, SetupRefused, plain
from sottovoce.domain.paths import checked_path
from sottovoce.rulesets.tabletop.rules.documents.access import (
    EditionName,
    is_journal,
    readers_of,
    removers_of,
    writers_of,
)
from sottovoce.rulesets.tabletop.rules.documents.pieces import NO_PIECES, Documents, Piece, new_key
from sottovoce.rulesets.tabletop.rules.documents.secrecy import divide, marked_title
from sottovoce.rulesets.tabletop.rules.names import GM

Operation = Literal["set", "append", "remove"]

NAMED_HEADINGS = 12
"""How many headings a refusal lists at most."""


@dataclass(frozen=True, slots=True)
class Delta:
    """One change to a document.

    `heading` is the title of a section, with the titles above it before ` > ` where it stands there more than once;
    without it the whole document is meant. `set` puts `text` under the heading, `append` puts it at the section's end,
    and `remove` takes the text away, or the section with all below it where no text is given. A section is what lies
    between a heading and the next.
    """

    document: str
    operation: Operation
    text: str = ""
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A piece as it now is. A new one comes directly after the piece `after`, or last where that is None."""

    piece: Piece
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Removed:
    """A piece that is gone."""

    piece: Piece


Change = Written | Removed


def apply_delta(
    documents: Documents, delta: Delta, author: str, roster: Sequence[str], edition: EditionName
) -> tuple[Change, ...]:
    """What the delta changes; never nothing.

    `documents` may hold more than the author sees. Refused where the author may not write (F-015, F-016), the document
    or heading is unknown to it or ambiguous, a journal would lose text (F-046), the text to remove is not there once,
    or a text marked for the GM would come before others (F-060).
    """
    path = _path(delta.document)
    whole = delta.operation == "remove" and delta.heading is None and not delta.text.strip()
    if author not in (removers_of if whole else writers_of)(path, roster, edition):
        raise Refused(f"You can't write {path!r}.")
    if delta.operation != "append" and is_journal(path, roster):
        raise Refused(f"{path!r} is a journal. You can only add to it; use the operation append.")
    if delta.operation != "remove" and not delta.text.strip():
        raise Refused(f"The field text is empty; give what to {delta.operation}.")
    document = documents.get(path, NO_PIECES)
    first = next((piece for piece in document if author in piece.readers), None)
    if first is not None and first.coding != "text":
        raise Refused(f"{path!r} is not text; a delta can't change it.")
    at_end = delta.operation == "append" and delta.heading is None
    seen = () if at_end else tuple(piece for piece in document if author in piece.readers)
    section = seen if delta.heading is None else _section(seen, delta.heading, path)
    if delta.heading is not None:
        readers = section[0].readers
    elif first is None:
        readers = readers_of(path, roster)
    else:
        public = (piece.readers for piece in document if author in piece.readers and not piece.secret)
        readers = next(public, first.readers)
    if author == GM and delta.operation != "remove" and readers != (GM,) and (title := marked_title(delta.text)):
        raise Refused(
            f"The text has a part marked for the GM ({title[:60]!r}) and would be readable for others; "
            "write that part to your own document."
        )
    match delta.operation:
        case "append":
            own = (piece for piece in reversed(document if at_end else section) if piece.readers == readers)
            before = own if first else iter(())
            return _append(path, delta.text, before, readers, document.has, is_journal(path, roster))
        case "set":
            return _set(path, delta, section, readers, document.has)
        case "remove":
            return _remove(path, delta, seen, section)


def _path(document: str) -> str:
    try:
        return checked_path(document)
    except SetupRefused as error:
        raise Refused(str(error)) from None


def _section(seen: Sequence[Piece], heading: str, path: str) -> tuple[Piece, ...]:
    """The pieces of the one section with that heading, as the author sees the document."""
    wanted = [_matched(part) for part in heading.split(" > ")]
    found: list[int] = []
    above: list[tuple[int, str]] = []
    titles: list[str] = []
    for index, piece in enumerate(seen):
        if not piece.opens:
            continue
        above = [(level, title) for level, title in above if level < piece.level]
        above.append((piece.level, _matched(piece.heading or "")))
        titles.append(piece.heading or "")
        trail = [title for _, title in above]
        if _matched(heading) == trail[-1] or (trail[-1] == wanted[-1] and _within(wanted[:-1], trail[:-1])):
            found.append(index)
    if not found:
        known = ", ".join(repr(title) for title in titles[:NAMED_HEADINGS]) or "none"
        raise Refused(f"{path!r} has no section {heading!r} that you see; its sections: {known}.")
    if len(found) > 1:
        raise Refused(
            f"{path!r} has {len(found)} sections {heading!r}; write the heading above it too, as 'Above > {heading}'."
        )
    start = found[0]
    end = next((index for index in range(start + 1, len(seen)) if seen[index].opens), len(seen))
    return tuple(seen[start:end])


def _matched(title: str) -> str:
    return plain(title.strip().strip("#").replace("*", "").replace("_", " ").replace("`", "").replace("’", "'"))


def _within(wanted: Sequence[str], trail: Sequence[str]) -> bool:
    """Whether the wanted titles occur in the trail in this order."""
    rest = iter(trail)
    return all(title in rest for title in wanted)


def _append(
    path: str, text: str, own: Iterator[Piece], readers: tuple[str, ...], taken: Callable[[str], bool], grows: bool
) -> tuple[Change, ...]:
    """`own` are the pieces with the same readers before it, the last one first; as many are looked at as it takes.

    `grows`: the text is an entry that nobody will edit, so it stays whole, and one event.
    """
    last = next(own, None)
    newline = _newline(chain((last,), own)) if last else "\n"
    written = _ended(text, newline)
    if last:
        written = _gap(last.text, written) + written
        if last.text.endswith(("\n\n", "\r\n\r\n")):
            written += newline
    after = last.key if last else None
    if grows:
        heading, level = (last.heading, last.level) if last else (None, 0)
        key = new_key(path, heading, written, readers, taken)
        return (Written(Piece(key, path, heading, written, readers, level), after),)
    return _new(divide(path, written, last, readers, taken), after)


def _new(pieces: Sequence[Piece], after: str | None) -> tuple[Change, ...]:
    changes: list[Change] = []
    for piece in pieces:
        changes.append(Written(piece, after))
        after = piece.key
    return tuple(changes)


def _set(
    path: str, delta: Delta, section: Sequence[Piece], readers: tuple[str, ...], taken: Callable[[str], bool]
) -> tuple[Change, ...]:
    own = [piece for piece in section if piece.readers == readers]
    first = own[0] if own else None
    text = _ended(delta.text, _newline(own))
    if first is None:
        return _new(divide(path, text, None, readers, taken), None)
    if delta.heading is not None:
        text = _headed(first, text) + (_newline(own) if own[-1].text.endswith(("\n\n", "\r\n\r\n")) else "")
    parts = divide(path, text, first if delta.heading is not None else None, readers, taken)
    opening = replace(parts[0], key=first.key)
    gone = own[1:] if delta.heading is not None else [piece for piece in section if piece is not first]
    return (Written(opening), *_new(parts[1:], first.key), *(Removed(piece) for piece in gone))


def _headed(first: Piece, text: str) -> str:
    """The text under the section's own heading line, which it may repeat."""
    if not first.opens:
        return text
    lines = first.text.splitlines(keepends=True)
    heading = 1 if lines[0].lstrip().startswith("#") else 2
    title = "".join(lines[:heading])
    if not title.endswith(("\n", "\r")):
        title += "\n"
    if text.startswith(title):
        return text
    gap = lines[heading] if len(lines) > heading and not lines[heading].strip() else ""
    return title + gap + text


def _remove(path: str, delta: Delta, seen: Sequence[Piece], section: Sequence[Piece]) -> tuple[Change, ...]:
    if not seen:
        raise Refused(f"There is no {path!r} that you see.")
    wanted = delta.text.strip()
    if wanted:
        hits = [piece for piece in section if wanted in piece.text]
        if len(hits) != 1 or hits[0].text.count(wanted) != 1:
            times = "not there" if not hits else "there more than once"
            raise Refused(f"The text to remove is {times}; give it exactly, with enough of it to be the only one.")
        return (Written(replace(hits[0], text=_without(hits[0].text, wanted))),)
    if delta.heading is None:
        return tuple(Removed(piece) for piece in seen)
    start = seen.index(section[0])
    end = next(
        (at for at in range(start + 1, len(seen)) if seen[at].opens and seen[at].level <= section[0].level), len(seen)
    )
    # The empty lines behind a secret section are others' too, who are not to notice that it is gone.
    own = set(section[0].readers)
    return tuple(Removed(piece) for piece in seen[start:end] if own >= set(piece.readers))


def _without(text: str, wanted: str) -> str:
    """The text without those words, and without the line that they leave empty or as a bare list mark."""
    start = text.index(wanted)
    end = start + len(wanted)
    line_start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    rest = text[end:].lstrip(" \t")
    if text[line_start:start].strip() in ("", "-", "*", "+") and rest[:1] in ("", "\n", "\r"):
        return text[:line_start] + rest.removeprefix("\r").removeprefix("\n")
    return text[:start] + text[end:]


def _newline(pieces: Iterable[Piece]) -> str:
    """How lines end in the first of the pieces that has a whole line."""
    text = next((piece.text for piece in pieces if "\n" in piece.text), "")
    return "\r\n" if "\r\n" in text else "\n"


def _ended(text: str, newline: str) -> str:
    """The text, blank lines around it cut, in the document's kind of lines and with an end to the last one."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    return newline.join(lines) + newline


def _gap(before: str, text: str) -> str:
    """What keeps an appended text apart from the one before it: list items follow each other, paragraphs do not."""
    newline = "\r\n" if "\r\n" in before else "\n"
    if not before or before.endswith(("\n\n", "\r\n\r\n")):
        return ""
    if not before.endswith(("\n", "\r")):
        return newline * 2
    last = before.rstrip().splitlines()[-1].lstrip() if before.strip() else ""
    marks = ("- ", "* ", "+ ", "|")
    return "" if last.startswith(marks) and text.lstrip().startswith(marks) else newline
