"""Shows a piece on a terminal, for any event."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rich import box
from rich.console import RenderableType
from rich.text import Text

from sottovoce.cli.screens.theme import GAP, Look
from sottovoce.domain.piece import Heading, Mood, Name, Piece, PieceKind, runs

Blocks = list[RenderableType]

STYLES: Mapping[Mood, str] = {
    "good": "bold #00875f",
    "bad": "bold #d70000",
    "odd": "bold #d70087",
    "warn": "#9e7b00",
    "night": "bold #5f5faf",
    "day": "bold #9e7b00",
    "story": "#af5faf",
    "quiet": "dim",
}
SIGNS: Mapping[Mood, str] = {"night": "☾", "day": "☀"}
EXCERPT = 14
"""Lines of a document that the screen shows."""


def draw(piece: Piece, look: Look) -> Blocks:
    """The blocks of a piece, below the heading of the chapter that it begins."""
    drawn: Blocks = []
    if piece.chapter is not None and piece.kind != "ending":
        drawn += _heading(piece.chapter, look)
    return [*drawn, *_KINDS[piece.kind](piece, look)]


def marked(look: Look, text: str, style: str = "") -> Text:
    """A text of the game's own with the names of seats in their colours."""
    return look.sentence(*(look.name(run) if isinstance(run, Name) else run for run in runs(text)), style=style)


def _heading(heading: Heading, look: Look) -> Blocks:
    text = f"{heading.within}: {heading.text[:1].lower()}{heading.text[1:]}" if heading.within else heading.text
    style = STYLES.get(heading.mood, "bold")
    return look.heading(text, sign=SIGNS.get(heading.mood, ""), weight="─" if heading.level == 3 else "━", style=style)


def _style(piece: Piece) -> str:
    return STYLES.get(piece.mood, "bold" if piece.weight > 1 else "")


def _hidden(piece: Piece, look: Look) -> str:
    """Return with whom the piece is shared, as the viewer sees it."""
    return look.label(piece.private or "")


def _line(piece: Piece, look: Look) -> Blocks:
    lead = marked(look, piece.lead, _style(piece))
    if _hidden(piece, look) or piece.kind == "reply":
        return [*look.aside(lead, own=piece.private or ""), *_voices(piece, look, "┆ ")]
    drawn = [*look.line(lead), *_voices(piece, look)]
    if piece.note:
        drawn += look.line(piece.note, style="dim")
    return [*drawn, GAP] if piece.chapter is not None and piece.chapter.level == 1 else drawn


def _voices(piece: Piece, look: Look, mark: str = "") -> Blocks:
    """Return what was said, indented below the lead; each of several speakers with their name."""
    if piece.named_voices:
        said = [(look.name(who), " ".join(text.split()), 4 + look.column) for who, text in piece.words]
    else:
        said = [(Text(), text.strip(), 4) for _, text in piece.words]
    return [block for who, text, indent in said for block in _below(who, text, indent, look, mark)]


def _below(who: Text, text: str, indent: int, look: Look, mark: str) -> Blocks:
    hung = look.hang(look.sentence("    ", who), look.text(text, "dim"), indent, look.width - len(mark))
    return [look.sentence(look.text(mark, "dim"), line) for line in hung.split("\n")]


def _nothing(piece: Piece, look: Look) -> Blocks:
    return []


def _speech(piece: Piece, look: Look) -> Blocks:
    if not piece.words:
        return _line(piece, look)
    notes = [piece.note, *(f"to {look.you(name)}" for name in piece.to), look.label("")]
    note = ", ".join(filter(None, notes))
    return [block for who, text in piece.words for block in look.speech(look.name(who), text, note=note)]


def _narration(piece: Piece, look: Look) -> Blocks:
    if not piece.words:
        return _line(piece, look)
    title = f"{piece.who}{', to ' if piece.to else ''}{', '.join(piece.to)}"
    body = look.text(piece.said.strip() if piece.said else "", "italic")
    return look.frame(body, title=title, style=STYLES["story"])


def _call(piece: Piece, look: Look) -> Blocks:
    if not piece.words:
        return _line(piece, look)
    lead = marked(look, piece.lead, STYLES["story"])
    return [look.hang(lead, look.text((piece.said or "").strip(), "italic"), look.column)]


def _document(piece: Piece, look: Look) -> Blocks:
    """The first lines that say something; the whole is in the view and in the transcript."""
    lines = [line for line in (piece.said or "").splitlines() if line.strip()]
    if len(lines) > EXCERPT:
        lines[EXCERPT:] = [f"[… {len(lines) - EXCERPT} more lines]"]
    lead = marked(look, piece.lead, "dim")
    hidden = look.label("")
    drawn = look.aside(lead) if hidden else look.line(lead)
    return [*drawn, *_below(Text(), "\n".join(lines), 4, look, "┆ " if hidden else "")] if lines else drawn


def _title(piece: Piece, look: Look) -> Text:
    hidden = _hidden(piece, look)
    return look.sentence(marked(look, piece.title, "bold"), look.text(f"  {hidden}" if hidden else "", "dim"))


def _ballot(piece: Piece, look: Look) -> Blocks:
    rows = [(marked(look, choice), int(count), marked(look, voters)) for choice, count, voters in _rows(piece)]
    return look.ballot(_title(piece, look), rows, marked(look, piece.lead, _style(piece)))


def _list(piece: Piece, look: Look) -> Blocks:
    rows = [
        Text("  ").join([marked(look, first), *(marked(look, cell, "dim") for cell in rest)])
        for first, *rest in _rows(piece)
    ]
    return look.bracket(_title(piece, look), rows, marked(look, piece.lead, _style(piece)))


def _rows(piece: Piece) -> tuple[tuple[str, ...], ...]:
    return piece.grid.rows if piece.grid else ()


def _roll(piece: Piece, look: Look) -> Blocks:
    rolled = look.line(look.text("* " if look.ascii else "⚄ "), marked(look, piece.lead, _style(piece)))
    return [*rolled, *_voices(piece, look)]


def _card(piece: Piece, look: Look) -> Blocks:
    body = marked(look, piece.lead, _style(piece))
    if piece.note:
        body = look.sentence(body, "\n", look.text(piece.note))
    if piece.private is None:
        return [GAP, *look.frame(body, style=_style(piece), shape=box.HEAVY, weighty=True), GAP]
    return [GAP, *look.frame(body, title=_hidden(piece, look)), GAP]


def _death(piece: Piece, look: Look) -> Blocks:
    body = marked(look, piece.lead, _style(piece))
    return [GAP, *look.frame(body, style=_style(piece), shape=box.HEAVY, weighty=True), GAP]


def _ending(piece: Piece, look: Look) -> Blocks:
    body = marked(look, piece.lead, _style(piece))
    drawn = look.frame(body, title=piece.title, style=_style(piece), shape=box.DOUBLE, weighty=True)
    if piece.grid is None:
        return [GAP, *drawn, *_voices(piece, look), GAP]
    rows = [[marked(look, cell) for cell in row] for row in piece.grid.rows]
    header = [cell.lower() for cell in piece.grid.header]
    table = look.columns(header, rows, indent=2 if look.width > 60 else 0)
    return [GAP, *drawn, GAP, *(look.hang(Text(), line, 0) for line in table), GAP]


def _hold(piece: Piece, look: Look) -> Blocks:
    return [GAP, *look.frame(marked(look, piece.lead), title=piece.title, style=_style(piece)), GAP]


def _warning(piece: Piece, look: Look) -> Blocks:
    hidden = look.label("")
    lead = look.sentence(f"{hidden}: " if hidden else "", marked(look, piece.lead))
    return look.warning(lead, words=piece.said)


_KINDS: Mapping[PieceKind, Callable[[Piece, Look], Blocks]] = {
    "line": _line,
    "heading": _nothing,
    "speech": _speech,
    "narration": _narration,
    "call": _call,
    "document": _document,
    "ballot": _ballot,
    "list": _list,
    "roll": _roll,
    "card": _card,
    "death": _death,
    "ending": _ending,
    "hold": _hold,
    "warning": _warning,
    "reply": _line,
}
