"""A transcript as Markdown.

Everything a seat wrote, including names, is escaped. It follows its speaker's name on one line or is in a block quote,
so no line of a speech can be mistaken for the game's own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sottovoce.domain.piece import Grid, Piece, unmarked
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.document import SILENCE, Chapter, Document, Item, confidence, paragraphs

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~&$@^=]|(?<=\w):(?=//)|(?<=www)\.", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d{1,9})([.)])")


def escaped(line: str) -> str:
    """Escape one line of foreign text: everything that Markdown would read, including autolinks and list marks."""
    line = _SPECIAL.sub(lambda mark: f"\\{mark.group()}", one_line(line))
    line = _NUMBERED.sub(r"\1\\\2", line)
    return f"\\{line}" if line[:1] in {"-", "+", ":"} else line


def prose(document: Document) -> str:
    """Return the document as Markdown, with a line end."""
    blocks = [
        f"# {escaped(document.title)}",
        f"*{escaped(document.whose)}.* {escaped(', '.join(document.facts))}.",
        _grid(document.cast),
    ]
    for index, chapter in enumerate(document.chapters):
        blocks.append(f"{'#' * chapter.heading.level} {escaped(chapter.heading.text)}")
        if not chapter.items and not _goes_on(document.chapters, index):
            blocks.append(f"*{escaped(SILENCE)}*")
        blocks.extend(_items(document, chapter.items))
    return "\n\n".join(blocks) + "\n"


def _goes_on(chapters: tuple[Chapter, ...], index: int) -> bool:
    """Return whether sections of the chapter follow."""
    return index + 1 < len(chapters) and chapters[index + 1].heading.level > chapters[index].heading.level


def _items(document: Document, items: Iterable[Item]) -> Iterator[str]:
    asides: list[str] = []
    for item in items:
        if item.aside and item.piece.grid is None:
            asides.append(_aside(document, item))
            continue
        if asides:
            yield "\n".join(asides)
            asides = []
        yield _block(document, item)
    if asides:
        yield "\n".join(asides)


def _mark(document: Document, item: Item) -> str:
    return f"*\\[{item.number}, {escaped(confidence(item, document.full))}\\]*"


def _aside(document: Document, item: Item) -> str:
    text = f"- {_mark(document, item)} {_lead(item.piece)}"
    for voice in item.piece.words:
        named = f"{escaped(voice.who)}: " if item.piece.named_voices else ""
        text += "\n" + "\n".join(f"  {line}" for line in _quoted(voice.text, named).splitlines())
        text += "\n"
    return text.rstrip("\n")


def _lead(piece: Piece) -> str:
    note = f" *({escaped(piece.note)})*" if piece.note else ""
    return escaped(unmarked(piece.caption)) + note


def _block(document: Document, item: Item) -> str:
    piece = item.piece
    lead = escaped(unmarked(piece.lead))
    parts: list[str] = []
    match piece.kind:
        case "narration" | "call" if piece.words:
            parts = [f"*{lead}*"] if piece.kind == "call" or piece.to else []
        case "speech" if piece.words:
            return "\n\n".join(_speech(piece, voice.who, voice.text) for voice in piece.words)
        case "death":
            return f"**† {lead}**"
        case "ending":
            parts = [f"**{lead}**"]
        case _:
            parts = [f"{_mark(document, item)} {_lead(piece)}" if item.aside else _lead(piece)]
    if piece.grid is not None:
        parts.append(_grid(piece.grid))
    parts += [_quoted(voice.text, f"{escaped(voice.who)}: " if piece.named_voices else "") for voice in piece.words]
    return "\n\n".join(parts)


def _speech(piece: Piece, speaker: str, words: str) -> str:
    who = f"**{escaped(speaker)}**" + (f" *({escaped(piece.note)})*" if piece.note else "")
    told = paragraphs(words)
    if len(told) == 1 and len(told[0]) == 1:
        return f"{who}: {escaped(told[0][0])}"
    return f"{who}:\n\n{_quoted(words)}"


def _quoted(words: str, lead: str = "") -> str:
    told = paragraphs(words) or [["…"]]
    quoted = ["\\\n".join(escaped(line) for line in lines) for lines in told]
    quoted[0] = lead + quoted[0]
    return "\n".join(f"> {line}".rstrip() for line in "\n\n".join(quoted).split("\n"))


def _grid(grid: Grid) -> str:
    rows = [" | ".join(escaped(unmarked(cell)) or "—" for cell in row) for row in (grid.header, *grid.rows)]
    rows.insert(1, " | ".join("---" for _ in grid.header))
    return "\n".join(f"| {row} |" for row in rows)
