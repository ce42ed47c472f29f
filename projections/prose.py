"""A transcript as Markdown.

Everything that a seat wrote, names included, is escaped, and stands either behind its speaker's name on one line or in
a block quote of its own, so that no line of a speech can pass for the game's voice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from domain.visible import one_line
from projections.transcripts.document import Chapter, Document, Item, confidence, paragraphs
from projections.transcripts.shape import Grid, Piece

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~&$@^=]|(?<=\w):(?=//)|(?<=www)\.", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d{1,9})([.)])")


def escaped(line: str) -> str:
    """One line of foreign text with everything that Markdown would read escaped, autolinks and list marks included."""
    line = _SPECIAL.sub(lambda mark: f"\\{mark.group()}", one_line(line))
    line = _NUMBERED.sub(r"\1\\\2", line)
    return f"\\{line}" if line[:1] in {"-", "+", ":"} else line


def prose(document: Document) -> str:
    """The document as Markdown, ending in a line end."""
    blocks = [
        f"# {escaped(document.title)}",
        f"*{escaped(document.whose)}.* {escaped(', '.join(document.facts))}.",
        _grid(document.cast),
    ]
    for index, chapter in enumerate(document.chapters):
        blocks.append(f"{'#' * chapter.heading.level} {escaped(chapter.heading.text)}")
        if not chapter.items and not _goes_on(document.chapters, index):
            blocks.append(f"*{escaped(document.silence)}*")
        blocks.extend(_items(document, chapter.items))
    return "\n\n".join(blocks) + "\n"


def _goes_on(chapters: tuple[Chapter, ...], index: int) -> bool:
    """Whether sections of the chapter follow."""
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
    text = f"- {_mark(document, item)} {escaped(item.piece.lead)}"
    for speaker, words in item.piece.voices:
        named = f"{escaped(speaker)}: " if speaker else ""
        text += "\n" + "\n".join(f"  {line}" for line in _quoted(words, named).splitlines())
        text += "\n"
    return text.rstrip("\n")


def _block(document: Document, item: Item) -> str:
    piece = item.piece
    match piece.kind:
        case "narration" if piece.voices:
            lead = "" if piece.lead == "The narrator says:" else f"*{escaped(piece.lead)}*\n\n"
            return lead + "\n\n".join(_quoted(words) for _, words in piece.voices)
        case "speech" if piece.voices:
            return "\n\n".join(_speech(piece, speaker, words) for speaker, words in piece.voices)
        case "death":
            return f"**† {escaped(piece.lead)}**"
        case "ending":
            return f"**{escaped(piece.lead)}**" + (f"\n\n{_grid(piece.grid)}" if piece.grid else "")
    mark = f"{_mark(document, item)} " if item.aside else ""
    parts = [f"{mark}{escaped(piece.lead)}"]
    if piece.grid is not None:
        parts.append(_grid(piece.grid))
    parts += [_quoted(words) for _, words in piece.voices]
    return "\n\n".join(parts)


def _speech(piece: Piece, speaker: str, words: str) -> str:
    manner = piece.lead.removeprefix(speaker).removesuffix(":").removeprefix(" says").strip()
    who = f"**{escaped(speaker)}**" + (f" *({escaped(manner)})*" if manner else "")
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
    rows = [" | ".join(escaped(cell) for cell in row) for row in (grid.header, *grid.rows)]
    rows.insert(1, " | ".join("---" for _ in grid.header))
    return "\n".join(f"| {row} |" for row in rows)
