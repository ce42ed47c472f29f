"""Colours, glyphs, and the blocks that screens are built of.

On a terminal blocks have frames and colours. In a pipe the same words are plain and indented. Nothing here interprets
what seats wrote: every text goes through `Look.text`, which spells out control characters and knows no markup.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.text import Text

from sottovoce.cli.glyphs import is_unicode, within
from sottovoce.domain.audience import Audience
from sottovoce.domain.safe_text import visible

WIDEST = 88
"""Columns: lines longer than this are tiring to read."""

PALETTE = (
    *("#0087ff", "#d75f00", "#00875f", "#d70087", "#875fd7", "#9e7b00", "#0087af"),
    *("#5f8700", "#af5faf", "#af5f00", "#d75f87", "#5f8787", "#5f5faf", "#d75f5f"),
)
"""A colour for each player: told apart from its neighbours, and readable on black and on white."""

WIDEST_NAME = 14

LONG = 16
"""Lines of words after which their speaker is named again: by then the name has left a small screen."""

GAP = Text()
"""An empty line, unless there is one already."""


class Look:
    """The looks of one console for one seat (None: a spectator or an auditor).

    `names` are the seats in seating order; `audience` is that of the event now shown, where an auditor is told it.
    """

    def __init__(self, console: Console, seat: str | None) -> None:
        self.console = console
        self.seat = seat
        self.names: tuple[str, ...] = ()
        self.audience: Audience | None = None

    @property
    def width(self) -> int:
        return max(20, min(self.console.width, WIDEST))

    @property
    def framed(self) -> bool:
        """Whether frames are drawn: on a terminal, not in a pipe."""
        return self.console.is_terminal and not self.console.is_dumb_terminal

    @property
    def encoding(self) -> str:
        return getattr(self.console.file, "encoding", None) or "utf-8"

    @property
    def ascii(self) -> bool:
        return not is_unicode(self.encoding)

    def text(self, words: object, style: str = "") -> Text:
        """Any words, harmless and within the console's encoding."""
        return Text(within(self.encoding, visible(str(words))), style)

    def style(self, name: str) -> str:
        """The name's colour, the same throughout a game."""
        known = name in self.names
        place = self.names.index(name) if known else zlib.crc32(name.encode("utf-8", "replace")) % len(PALETTE)
        weight = "bold" if place < len(PALETTE) else "bold underline"
        return f"{weight} {PALETTE[place % len(PALETTE)]}"

    def name(self, name: str) -> Text:
        """A seat's name in its colour."""
        return self.text(name, self.style(name)) if name in self.names else self.text(name, "bold")

    def you(self, name: str) -> str:
        """The name, or `you` for the own seat."""
        return "you" if name == self.seat else name

    def sentence(self, *parts: str | Text, style: str = "") -> Text:
        """Texts and names one after another."""
        line = Text(style=style)
        for part in parts:
            line.append_text(part if isinstance(part, Text) else self.text(part))
        return line

    def hang(self, lead: Text, body: Text, indent: int, width: int | None = None, *, again: int | None = None) -> Text:
        """Return the body wrapped next to the lead, with every further line indented: words never reach the first
        column.

        A lead without room next to it gets its own line. With `again` it is repeated after that many lines.
        """
        room = max(8, (width or self.width) - indent)
        lines = list(body.wrap(self.console, room, overflow="fold", tab_size=4))
        alone = lead.cell_len + (not lead.plain.endswith(" ")) > indent > 0
        hung = Text() if lines else lead.copy()
        for number, line in enumerate(lines):
            line.rstrip()
            if number:
                hung.append("\n")
            if not number or (again is not None and number % again == 0):
                hung.append_text(lead)
                hung.append("\n" + " " * indent if alone else " " * (indent - lead.cell_len))
            elif line.plain:
                hung.append(" " * indent)
            hung.append_text(line)
        return hung

    @property
    def column(self) -> int:
        """The column where words begin after a speaker's name."""
        longest = max((cell_len(name) for name in self.names), default=8)
        return min(longest, WIDEST_NAME, self.width // 4) + 2

    def speech(self, speaker: Text, words: str, note: str | None = None) -> list[RenderableType]:
        """Return `Name text` with a hanging indent; a note such as `last words` comes first, dim.

        A long text repeats the name, so that it never reads like the game's own words.
        """
        body = self.text(words.strip())
        if note:
            body = self.sentence(self.text(f"[{note}] ", "dim"), body)
        return [self.hang(speaker, body, self.column, again=LONG)]

    def line(self, *parts: str | Text, style: str = "") -> list[RenderableType]:
        """A sentence of the game's own, wrapped."""
        return [self.hang(Text(), self.sentence(*parts, style=style), 0)]

    def frame(
        self,
        body: Text,
        *,
        title: str = "",
        style: str = "dim",
        shape: box.Box = box.ROUNDED,
        weighty: bool = False,
    ) -> list[RenderableType]:
        """A body in a frame, a weighty one small and with room around it; piped, indented under its title.

        The title of a long one stands below it too.
        """
        if not self.framed:
            lead = self.line(f"{title}:") if title else []
            return [GAP, *lead, self.hang(Text(), body, 4), GAP]
        margin = 6 if weighty and self.width > 60 else 2
        body = Text("\n").join(body.wrap(self.console, max(8, self.width - 2 - 2 * margin), overflow="fold"))
        panel = Panel(
            body,
            title=self.text(title, style) if title else None,
            title_align="left",
            subtitle=self.text(title, style) if title and body.plain.count("\n") >= LONG else None,
            subtitle_align="left",
            border_style=style,
            box=box.ASCII if self.ascii else shape,
            padding=(1 if weighty else 0, margin),
            width=None if weighty else self.width,
            expand=not weighty,
        )
        return [panel]

    def heading(self, title: str, *, sign: str = "", weight: str = "─", style: str = "bold") -> list[RenderableType]:
        """A phase heading: a rule across the screen; piped, a short one."""
        label = self.text(f"{sign}  {title}" if sign and self.framed else title, style)
        stroke = self.text(weight, "dim" if weight == "─" else style)
        if not self.framed or label.cell_len > self.width - 8:
            return [GAP, *self.line(stroke, stroke, " ", label, " ", stroke, stroke), GAP]
        left = self.text(weight * 3, stroke.style if isinstance(stroke.style, str) else "")
        right = self.text(weight * max(3, self.width - 5 - label.cell_len), str(stroke.style))
        return [GAP, self.sentence(left, " ", label, " ", right), GAP]

    def bracket(self, title: Text, rows: Iterable[Text], result: Text) -> list[RenderableType]:
        """A small table within a bracket at the left: title, rows, result."""
        drawn: list[RenderableType] = [GAP]
        marked = [("┌ ", title), *(("│ ", row) for row in rows), ("└ ", result)]
        for mark, row in marked:
            lines = row.wrap(self.console, self.width - 2, overflow="fold")
            for number, line in enumerate(lines):
                line.rstrip()
                drawn.append(self.sentence(self.text("│ " if number and mark != "└ " else mark, "dim"), line))
                mark = "  " if mark == "└ " else mark
        return [*drawn, GAP]

    def ballot(self, title: Text, rows: Sequence[tuple[Text, int, Text]], result: Text) -> list[RenderableType]:
        """A counted ballot: each choice with its count and its voters."""
        longest = max((choice.cell_len for choice, _, _ in rows), default=0)
        most = min(max((count for _, count, _ in rows), default=0), max(0, (self.width - longest) // 4))
        drawn = []
        for choice, count, voters in rows:
            lead = choice.copy()
            lead.append(" " * (longest - lead.cell_len + 2))
            lead.append(f"{count:>2}  ")
            if self.framed:
                lead.append_text(self.text("█" * min(count, most), "dim"))
                lead.append(" " * (most - min(count, most) + 2))
            indent = lead.cell_len if lead.cell_len <= self.width // 2 else 4
            drawn.append(self.hang(lead, voters, indent, self.width - 2))
        return self.bracket(title, drawn, result)

    def label(self, own: str) -> str:
        """Whom a hidden matter is for: in the seat's words, or the audience by name for an auditor."""
        if self.audience is None or self.audience.seats is None:
            return own
        ordered = sorted(
            self.audience.seats, key=lambda name: (self.names.index(name) if name in self.names else 99, name)
        )
        return f"only {', '.join(ordered)}" if ordered else "seen by nobody"

    def aside(self, *parts: str | Text, own: str = "only you") -> list[RenderableType]:
        """A hidden matter on a marked line: `┆ only you  …`."""
        mark = self.text("┆ ", "dim")
        label = self.label(own)
        body = self.sentence(self.text(f"{label}: " if label else "", "dim italic"), *parts)
        lines = list(body.wrap(self.console, self.width - 2, overflow="fold"))
        for line in lines:
            line.rstrip()
        return [self.sentence(mark, line) for line in lines]

    def warning(self, *parts: str | Text, words: str | None = None) -> list[RenderableType]:
        """Something the seat should fix, in a dark yellow that light screens can show."""
        lead = self.text("✗ ", "#9e7b00")
        drawn: list[RenderableType] = [self.hang(lead, self.sentence(*parts, style="#9e7b00"), 2)]
        if words is not None and words.strip():
            drawn.append(self.hang(Text(), self.text(words.strip(), "dim"), 4))
        return drawn

    def columns(self, headers: Sequence[str], rows: Iterable[Sequence[str | Text]], indent: int = 0) -> list[Text]:
        """A plain table: aligned columns under dim headers, no wider than its contents."""
        cells = [
            [self.text(header, "dim") for header in headers],
            *([cell if isinstance(cell, Text) else self.text(cell) for cell in row] for row in rows),
        ]
        widths = [max(row[place].cell_len for row in cells) for place in range(len(headers))]
        drawn = []
        for row in cells:
            line = Text(" " * indent)
            for cell, width in zip(row, widths, strict=True):
                line.append_text(cell)
                line.append(" " * (width - cell.cell_len + 2))
            line.rstrip()
            drawn.append(line)
        return drawn
