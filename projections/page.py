"""A transcript as one HTML page: nothing to fetch, no script, readable on paper, in the dark and by ear.

Everything that does not stand in this module or its style sheet goes through `escape`, names and titles included.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from itertools import groupby

from domain.piece import Grid, Heading, Mood, Name, Piece, runs
from domain.visible import one_line, visible
from projections.document import SILENCE, Chapter, Document, Item, confidence, paragraphs

STYLE = files(__package__).joinpath("page.css").read_text(encoding="utf-8")

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Told to the browser as well: this page loads nothing and sends nothing, whatever stands in it."""

MOON = (
    '<svg class="sign" viewBox="0 0 24 24" aria-hidden="true">'
    '<path d="M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z"/></svg>'
)
SUN = (
    '<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="4.5"/>'
    '<path class="ray" d="M12 1v4M12 19v4M1 12h4M19 12h4M4.2 4.2 7 7M17 17l2.8 2.8M4.2 19.8 7 17M17 7l2.8-2.8"/></svg>'
)
SIGNS: Mapping[Mood, str] = {"night": MOON, "day": SUN}


def escape(text: str) -> str:
    """One line of foreign text, harmless and as HTML."""
    return html.escape(one_line(text))  # noqa: TID251 - here and nowhere else


def page(document: Document) -> str:
    """The document as an HTML page."""
    title = f"{document.title}: {document.whose}"
    chapters = _Chapters(document)
    body = "\n".join(chapters)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>
{STYLE}</style>
</head>
<body>
<a class="skip" href="#story">Skip to the story</a>
<header>
<h1>{escape(document.title)}</h1>
<p class="whose">{escape(document.whose)}</p>
<p class="facts">{escape(" · ".join(document.facts))}</p>
{_table(document.cast, "Cast", "cast")}
</header>
<nav aria-label="Chapters">
<ol>
{chapters.contents()}
</ol>
</nav>
<main id="story">
{body}
</main>
<footer>
<p>{escape(_colophon(document))}</p>
</footer>
</body>
</html>
"""


def _colophon(document: Document) -> str:
    if document.full:
        return "What is set apart was hidden from some; each entry's number is its position in the log."
    return "Told from what was seen from this chair, and from nothing else. Told by Sottovoce."


class _Chapters:
    """The chapters as HTML, each with an anchor of its own."""

    def __init__(self, document: Document) -> None:
        self.document = document
        taken: set[str] = set()
        self.anchors = [_anchor(chapter.heading.text, taken) for chapter in document.chapters]

    def contents(self) -> str:
        """The list of the chapters, sections left out."""
        return "\n".join(
            f'<li class="{chapter.heading.mood or "plain"}"><a href="#{anchor}">{SIGNS.get(chapter.heading.mood, "")}'
            f"{escape(chapter.heading.text)}</a></li>"
            for chapter, anchor in zip(self.document.chapters, self.anchors, strict=True)
            if chapter.heading.level == 2
        )

    def __iter__(self) -> Iterator[str]:
        inside = False
        for index, (chapter, anchor) in enumerate(zip(self.document.chapters, self.anchors, strict=True)):
            heading = chapter.heading
            if heading.level == 2:
                if inside:
                    yield "</section>"
                yield f'<section class="chapter {heading.mood or "plain"}" aria-labelledby="{anchor}">'
                inside = True
            yield self._heading(chapter, anchor)
            if not chapter.items and not self._goes_on(index):
                yield f'<p class="silence">{escape(SILENCE)}</p>'
            yield from _items(self.document, chapter.items)
        if inside:
            yield "</section>"

    def _heading(self, chapter: Chapter, anchor: str) -> str:
        heading = chapter.heading
        number = "" if chapter.number is None else _number(self.document, chapter.number)
        tag = f"h{heading.level}"
        return f'<div class="head"><{tag} id="{anchor}">{_sign(heading)}{escape(heading.text)}</{tag}>{number}</div>'

    def _goes_on(self, index: int) -> bool:
        chapters = self.document.chapters
        return index + 1 < len(chapters) and chapters[index + 1].heading.level > chapters[index].heading.level


def _sign(heading: Heading) -> str:
    return SIGNS.get(heading.mood, "")


def _anchor(text: str, taken: set[str]) -> str:
    """An anchor of plain letters that no other chapter has, and no entry either."""
    stem = "".join(char if char.isascii() and char.isalnum() else "-" for char in text.lower()).strip("-") or "chapter"
    anchor, again = stem, 2
    while anchor in taken or anchor.startswith(("seq-", "p-")):
        anchor, again = f"{stem}-{again}", again + 1
        if anchor.startswith(("seq-", "p-")):
            anchor = f"chapter-{anchor}"
    taken.add(anchor)
    return anchor


def _items(document: Document, items: Iterable[Item]) -> Iterator[str]:
    for aside, group in groupby(items, key=lambda item: item.aside):
        told = "\n".join(_item(document, item) for item in group)
        if not aside:
            yield told
        elif document.full:
            yield f'<aside aria-label="Hidden">\n{told}\n</aside>'
        else:
            yield f'<aside aria-label="In confidence">\n<p class="label">In confidence</p>\n{told}\n</aside>'


def _item(document: Document, item: Item) -> str:
    seen = f'<p class="seen">{escape(confidence(item, True))}</p>' if item.aside and document.full else ""
    number = _number(document, item.number)
    look = LOOKS.get(item.piece.kind, "line")
    return f'<div class="entry {look}">{number}{_told(item.piece, look)}{seen}</div>'


LOOKS = {
    "speech": "speech",
    "narration": "narration",
    "call": "narration",
    "ballot": "ballot",
    "list": "ballot",
    "death": "death",
    "ending": "ending",
}
"""The classes of entries in the style sheet; all others are lines."""


def _number(document: Document, number: int) -> str:
    anchor = f"{document.anchor}-{number}"
    word = "Position" if document.full else "Entry"
    return f'<a class="number" id="{anchor}" href="#{anchor}" aria-label="{word} {number}">{number}</a>'


def _told(piece: Piece, look: str) -> str:
    if piece.grid is not None:
        caption = piece.lead if piece.kind == "ending" else piece.caption
        return _table(piece.grid, caption, look) + _voices(piece)
    match piece.kind:
        case "narration" | "call" if piece.words:
            shown = piece.kind == "call" or piece.to
            return (f'<p class="lead">{_marked(piece.lead)}</p>' if shown else "") + _voices(piece)
        case "speech" if piece.words:
            return "".join(_speech(voice.who, piece.note) + _quote(voice.text) for voice in piece.words)
        case "death":
            return f'<p><span aria-hidden="true">† </span>{_marked(piece.lead)}</p>'
    return f"<p>{_marked(piece.caption)}{_note(piece.note)}</p>{_voices(piece)}"


def _marked(text: str) -> str:
    """A text of the game's own, with each name of a seat apart, so that its direction turns nothing round."""
    return " ".join("".join(_run(run) for run in runs(text)).split())


def _run(run: str) -> str:
    text = html.escape(visible(run))  # noqa: TID251 - as in `escape`, which would cut the blanks between runs
    return f"<bdi>{text}</bdi>" if isinstance(run, Name) else text


def _voices(piece: Piece) -> str:
    if not piece.named_voices:
        return "".join(_quote(voice.text) for voice in piece.words)
    said = "".join(f"<dt>{escape(voice.who)}</dt><dd>{_quote(voice.text)}</dd>" for voice in piece.words)
    return f"<dl>{said}</dl>"


def _speech(speaker: str, note: str) -> str:
    return f'<p class="speaker"><bdi>{escape(speaker)}</bdi>{_note(note)}</p>'


def _note(note: str) -> str:
    return f' <span class="manner">{escape(note)}</span>' if note else ""


def _quote(words: str) -> str:
    told = paragraphs(words) or [["…"]]
    inner = "".join(f'<p dir="auto">{"<br>".join(escape(line) for line in lines)}</p>' for lines in told)
    return f"<blockquote>{inner}</blockquote>"


def _table(grid: Grid, caption: str, kind: str) -> str:
    header = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in grid.header)
    rows = "".join(
        "<tr>"
        + f'<th scope="row">{_marked(row[0])}</th>'
        + "".join(f"<td>{_marked(cell) or '—'}</td>" for cell in row[1:])
        + "</tr>\n"
        for row in grid.rows
    )
    return (
        f'<table class="{kind}"><caption>{_marked(caption)}</caption>\n'
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}</tbody></table>"
    )
