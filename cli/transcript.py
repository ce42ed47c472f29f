"""`sottovoce transcript`."""

from __future__ import annotations

from contextlib import ExitStack

import click

from sottovoce.cli.look import LookingCommand, source
from sottovoce.cli.output import Output, say
from sottovoce.cli.place import Place, as_option, auditor_option, game_argument
from sottovoce.domain.visible import one_line


@click.command(cls=LookingCommand)
@game_argument
@as_option
@click.option("--format", "form", type=click.Choice(["markdown", "html"]), help="Markdown, unless FILE ends in .html.")
@click.option("-o", "--output", metavar="FILE", help="Write here and not to standard output.")
@auditor_option
@click.pass_obj
def transcript(place: Place, game: str, seat: str | None, form: str | None, output: str | None, auditor: bool) -> None:
    """Write a game as a text to read: as a seat knew it, as everyone did, or in full.

    Without --as, the public view while the game runs and everything after it. The HTML page is one file of its own.

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
