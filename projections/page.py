"""A transcript as one HTML page: nothing to fetch, no script, readable on paper, in the dark and by ear.

Everything that does not stand in this module or its style sheet goes through `escape`, names and titles included.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import groupby

from domain.visible import one_line
from projections.transcripts.document import Chapter, Document, Item, confidence, paragraphs
from projections.transcripts.shape import Grid, Piece

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
SIGNS = {"night": MOON, "day": SUN, "plain": ""}


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
            f'<li class="{chapter.heading.tone}"><a href="#{anchor}">{SIGNS[chapter.heading.tone]}'
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
                yield f'<section class="chapter {heading.tone}" aria-labelledby="{anchor}">'
                inside = True
            yield self._heading(chapter, anchor)
            if not chapter.items and not self._goes_on(index):
                yield f'<p class="silence">{escape(self.document.silence)}</p>'
            yield from _items(self.document, chapter.items)
        if inside:
            yield "</section>"

    def _heading(self, chapter: Chapter, anchor: str) -> str:
        heading = chapter.heading
        number = "" if chapter.number is None else _number(self.document, chapter.number)
        tag = f"h{heading.level}"
        return (
            f'<div class="head"><{tag} id="{anchor}">{SIGNS[heading.tone]}{escape(heading.text)}</{tag}>{number}</div>'
        )

    def _goes_on(self, index: int) -> bool:
        chapters = self.document.chapters
        return index + 1 < len(chapters) and chapters[index + 1].heading.level > chapters[index].heading.level


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
    inner = _grid_first(item.piece) if item.piece.grid is not None else _told(item.piece)
    number = _number(document, item.number)
    return f'<div class="entry {item.piece.kind}">{number}{inner}{seen}</div>'


def _number(document: Document, number: int) -> str:
    anchor = f"{document.anchor}-{number}"
    word = "Position" if document.full else "Entry"
    return f'<a class="number" id="{anchor}" href="#{anchor}" aria-label="{word} {number}">{number}</a>'


def _grid_first(piece: Piece) -> str:
    assert piece.grid is not None
    words = "".join(_quote(said) for _, said in piece.voices)
    return f"{_table(piece.grid, piece.lead, piece.kind)}{words}"


def _told(piece: Piece) -> str:
    match piece.kind:
        case "narration" if piece.voices:
            lead = "" if piece.lead == "The narrator says:" else f'<p class="lead">{escape(piece.lead)}</p>'
            return lead + "".join(_quote(words) for _, words in piece.voices)
        case "speech" if piece.voices:
            return "".join(_speech(piece, speaker, words) for speaker, words in piece.voices)
        case "death":
            return f'<p><span aria-hidden="true">† </span>{escape(piece.lead)}</p>'
    lead = f"<p>{escape(piece.lead)}</p>"
    if any(who for who, _ in piece.voices):
        said = "".join(f"<dt>{escape(who)}</dt><dd>{_quote(words)}</dd>" for who, words in piece.voices)
        return f"{lead}<dl>{said}</dl>"
    return lead + "".join(_quote(words) for _, words in piece.voices)


def _speech(piece: Piece, speaker: str, words: str) -> str:
    manner = piece.lead.removeprefix(speaker).removesuffix(":").removeprefix(" says").strip()
    note = f' <span class="manner">{escape(manner)}</span>' if manner else ""
    return f'<p class="speaker"><bdi>{escape(speaker)}</bdi>{note}</p>{_quote(words)}'


def _quote(words: str) -> str:
    told = paragraphs(words) or [["…"]]
    inner = "".join(f'<p dir="auto">{"<br>".join(escape(line) for line in lines)}</p>' for lines in told)
    return f"<blockquote>{inner}</blockquote>"


def _table(grid: Grid, caption: str, kind: str) -> str:
    header = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in grid.header)
    rows = "".join(
        "<tr>"
        + f'<th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>\n"
        for row in grid.rows
    )
    return (
        f'<table class="{kind}"><caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{rows}</tbody></table>"
    )
