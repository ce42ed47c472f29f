"""`sottovoce transcript`."""

from __future__ import annotations

from contextlib import ExitStack

import click

from sottovoce.cli.output import Output, say
from sottovoce.cli.place import Place, as_option, auditor_option, game_argument
from sottovoce.cli.view_options import LookingCommand, source
from sottovoce.domain.safe_text import one_line


@click.command(cls=LookingCommand)
@game_argument
@as_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["markdown", "html"]),
    help="Format.  [default: Markdown, or HTML if FILE ends in .html]",
)
@click.option("-o", "--output", metavar="FILE", help="Output file.  [default: standard output]")
@auditor_option
@click.pass_obj
def transcript(place: Place, game: str, seat: str | None, form: str | None, output: str | None, auditor: bool) -> None:
    """Export a game as text: as one seat saw it, as the public saw it, or in full.

    Without --as, exports the public view during the game and everything after it. HTML is a single self-contained file.

    \b
    Example:  sottovoce transcript latest --as Ada -o ada.html
    """
    if form is None:
        form = "html" if output and output.lower().endswith((".html", ".htm")) else "markdown"
    with source(place, game) as found:
        text = found.transcript(found.perspective(seat, auditor), "html" if form == "html" else "markdown")
    with ExitStack() as stack:
        target = Output(output, stack)
        target.write([text] if text.endswith("\n") else [text, "\n"])
    if target.target is not None:
        say(f"Written to {one_line(target.target)}.", err=True)
