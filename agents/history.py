"""What a seat has seen, as a prompt tells it: it only grows, and is cut seldom and in large steps.

A cut moves once the room is full, and then so far that half of the room is free again. It follows from the entries in
their order and from the room alone, so the same view has the same history in every process. What was cut is told in
short as of the cut, not as of now: until the next cut no character of the history changes, and an endpoint's cache
keeps all of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce.agents.quoting import as_quotation, inert, quoted, shortened, size, tokens
from sottovoce.domain.events import TurnOpened
from sottovoce.domain.game import fold
from sottovoce.domain.piece import Chair
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.view import Entry, View

LEFT_OUT = "(earlier events left out)"
IN_SHORT = "IN SHORT, what happened before."
LATELY = "AND SINCE THEN, oldest first."
CHANGED = "CHANGED SINCE, as of here:"
SHARE = 4
"""What is told in short takes at most one part in so many of the history's room, and so do changed documents."""
LISTED = 3
"""A list of documents with their headings takes at most one part in so many of the room; else they are named alone."""
LONGEST_LIST = 300
"""Characters of the headings of one document that is only listed."""
LONG = 80
NEAR = 4
"""Words of more than so many characters that one of so many entries before told are not told again."""
FREED = 2
"""After a cut the entries take at most one part in so many of their room."""


@dataclass(frozen=True, slots=True)
class _Cuts:
    """The cuts of a history in one room: how many entries were looked at, and what those after the last cut take.

    `moves` are the counts of entries from which on a cut holds, each with the entries that it cuts.
    """

    upto: int = 0
    taken: int = 0
    moves: tuple[tuple[int, int], ...] = ((0, 0),)


def told_line(view: View[Any], entry: Entry) -> tuple[str, int] | None:
    """An entry as a prompt tells it, with what others said quoted, and its tokens; None where it is not told."""
    try:
        return view.told[entry.seq]
    except KeyError:
        line = view.told[entry.seq] = _told_line(view, entry)
        return line


def _told_line(view: View[Any], entry: Entry) -> tuple[str, int] | None:
    piece = view.ruleset.tell(entry.event, Chair(view.seat))
    if piece is None:
        return None
    words = piece.said
    if words is None:
        text = inert(piece.text)
    elif len(words) > LONG and _just_told(view, entry, words.strip()):
        text = f"{inert(piece.text)}\n> […] as above"
    else:
        text = f"{inert(piece.text)}\n{quoted(words)}"
    return text, tokens(text)


def _just_told(view: View[Any], entry: Entry, words: str) -> bool:
    """Whether one of the entries right before this one tells the same words."""
    before = view.since(max(0, entry.seq - 1 - NEAR))[: min(NEAR, entry.seq - 1)]
    pieces = (view.ruleset.tell(each.event, Chair(view.seat)) for each in before)
    return any(piece is not None and (piece.said or "").strip() == words for piece in pieces)


def seen_lines(view: View[Any], room: int) -> list[str]:
    """What the seat has seen, oldest first: all of it, or what came after the cut, behind the rest in short."""
    cut = cut_at(view, room)
    told = [line[0] for entry in view.since(cut) if (line := told_line(view, entry)) is not None]
    return told if not cut else [*_until(view, cut, room), *told]


def cut_at(view: View[Any], room: int) -> int:
    """How many of the oldest entries are left out of a history for which there is so much room."""
    room -= sum(_kept_back(view.ruleset, room))
    known: _Cuts = view.kept.get(("cuts", room), _Cuts())
    if known.upto < view.seq:
        view.kept["cuts", room] = known = _on(view, known, room)
    return known.moves[bisect_right(known.moves, (view.seq, view.seq)) - 1][1]


def _on(view: View[Any], known: _Cuts, room: int) -> _Cuts:
    """The cuts with all entries of the view looked at."""
    entries = view.since(known.moves[-1][1])
    first = begin = known.moves[-1][1]
    taken, moves = known.taken, list(known.moves)
    for place in range(known.upto - first, len(entries)):
        taken += _size(view, entries[place])
        if taken > room:
            last = first + place
            while taken > room // FREED and begin < last:
                taken -= _size(view, entries[begin - first])
                begin += 1
            if taken > room:  # one entry alone is too long
                taken, begin = 0, last + 1
            moves.append((last + 1, begin))
    for entry in entries[: begin - first]:  # told no more
        view.told.pop(entry.seq, None)
        view.kept.pop(("said", entry.seq), None)
    return _Cuts(first + len(entries), taken, tuple(moves))


def _size(view: View[Any], entry: Entry) -> int:
    line = told_line(view, entry)
    return 0 if line is None else line[1] + 1


def _kept_back(ruleset: Ruleset[Any], room: int) -> tuple[int, int]:
    """The parts of the room that are kept back for what is told in short, and for changed documents."""
    part = max(0, room) // SHARE
    has_digest = getattr(ruleset.digest, "__func__", None) is not Ruleset.digest
    return part if has_digest else 0, part if has_handouts(ruleset) else 0


def _until(view: View[Any], cut: int, room: int) -> list[str]:
    """What stands in the place of the entries before the cut."""
    lines: list[str] | None = view.kept.get(("until", cut, room))
    if lines is None:
        state = _state_at(view, cut)
        short, changed = _kept_back(view.ruleset, room)
        lines = [LEFT_OUT, *_changed(view, state, changed), *_short(view, state, short)]
        view.kept["until", cut, room] = lines
    return lines


def _state_at(view: View[Any], count: int) -> Any:
    """The state after the view's first entries, so many."""
    begun, state = view.kept.get("folded", (0, view.ruleset.initial))
    if begun > count:
        begun, state = 0, view.ruleset.initial
    entries = view.since(begun)[: count - begun]
    state = fold(view.ruleset, [entry.event for entry in entries], state)
    view.kept["folded"] = count, state
    return state


def _short(view: View[Any], state: Any, room: int) -> list[str]:
    """The ruleset's digest at the greatest length that fits; at its shortest, without the first lines if need be."""
    room -= size([IN_SHORT, LATELY])
    lines: list[str] = []
    for told in view.ruleset.digest(state, view.seat):
        lines = [inert(line) for line in told]
        if size(lines) <= room:
            break
    while lines and size(lines) > room:
        del lines[0]
    return [IN_SHORT, *lines, LATELY] if lines else []


# documents


def has_handouts(ruleset: Ruleset[Any]) -> bool:
    """Whether seats of the ruleset have documents in hand."""
    return getattr(ruleset.handouts, "__func__", None) is not Ruleset.handouts


def handouts(view: View[Any]) -> Mapping[str, str]:
    """The documents that the seat had in hand when it was asked for the first time, by path.

    They stand as they were then: what changes is told in the history.
    """
    found: Mapping[str, str] | None = view.kept.get("handouts")
    if found is None:
        asked, state = when_first_asked(view)
        found = dict(view.ruleset.handouts(state, view.seat))
        if asked:
            view.kept["handouts"] = found
    return found


def when_first_asked(view: View[Any]) -> tuple[bool, Any]:
    """Whether the seat was asked before, and what it knew then: what is made of that is the same ever after."""
    known: int | None = view.kept.get("asked")
    if known is None:
        first = (at for at, entry in enumerate(view.entries) if isinstance(entry.event, TurnOpened))
        known = next(first, None)
        if known is None:
            return False, view.state
        view.kept["asked"] = known
    state = view.kept.get("when asked")
    if state is None:
        state = view.kept["when asked"] = _state_at(view, known)
    return True, state


def _changed(view: View[Any], state: Any, room: int) -> list[str]:
    """The documents in hand that are others as of the cut, in full as far as there is room."""
    if not room:
        return []
    before = handouts(view)
    changed = {path: text for path, text in view.ruleset.handouts(state, view.seat).items() if before.get(path) != text}
    lines = listed_documents(changed, room - size([CHANGED]))
    return [CHANGED, *lines] if lines else []


def listed_documents(documents: Mapping[str, str], room: int) -> list[str]:
    """Documents in their order: in full, each as far as there is room for it with a list of the others."""
    named = {path: _named(path, text) for path, text in documents.items()}
    if size(list(named.values())) > room // LISTED:
        named = {path: _named(path, text, headings=False) for path, text in documents.items()}
    room -= size(list(named.values()))
    whole, rest = list[str](), list[str]()
    for path, text in documents.items():
        told = f"DOCUMENT {one_line(inert(path))}\n{as_quotation(inert(text.strip()))}"
        cost = tokens(told) - tokens(named[path])
        if cost <= room:
            room -= cost
            whole.append(told)
        else:
            rest.append(named[path])
    return [*whole, *_fitting(rest, room + size(rest))]


def _named(path: str, text: str, *, headings: bool = True) -> str:
    found = [line.strip("# ") for line in text.splitlines() if headings and line.startswith("#")]
    told = shortened("; ".join(inert(heading) for heading in found).replace("«", "‹").replace("»", "›"), LONGEST_LIST)
    return f"DOCUMENT {one_line(inert(path))}, {len(text)} characters, not shown here{f': «{told}»' if told else '.'}"


def _fitting(lines: Iterable[str], room: int) -> list[str]:
    """The lines from the first, as far as there is room; then how many there are besides."""
    told, left = list[str](), 0
    for line in lines:
        room -= tokens(line) + 1
        if room < 0:
            left += 1
        else:
            told.append(line)
    return [*told, *([f"DOCUMENTS that are not listed: {left}."] if left else [])]
