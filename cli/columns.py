"""Lists as aligned columns, for commands that must start quickly: no console is made for them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from sottovoce.cli.glyphs import within
from sottovoce.cli.output import say
from sottovoce.domain.safe_text import one_line


def print_table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A list, readable when piped, its headers dim at a terminal. Cells are of any origin and stay on one line."""
    cells = [[_shown(cell) for cell in row] for row in (headers, *rows)]
    widths = [max(cell_len(row[place]) for row in cells) for place in range(len(headers))]
    for number, row in enumerate(cells):
        padded = [cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        line = "  ".join(padded).rstrip()
        say(line, dim=number == 0)


def _shown(cell: object) -> str:
    """The cell in what the output can hold."""
    return within(sys.stdout.encoding or "utf-8", "" if cell is None else one_line(str(cell)))
