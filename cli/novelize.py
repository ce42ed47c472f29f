"""`sottovoce novelize`."""

from __future__ import annotations

from contextlib import ExitStack

import click

from sottovoce.cli.output import Output, say
from sottovoce.cli.place import Place, game_argument
from sottovoce.cli.view_options import LookingCommand, source
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.novel import markdown, novel


@click.command(cls=LookingCommand)
@game_argument
@click.option("--as", "seat", metavar="SEAT", required=True, help="Seat through whose eyes it is told.")
@click.option("-o", "--output", metavar="FILE", help="Output file.  [default: standard output]")
@click.pass_obj
def novelize(place: Place, game: str, seat: str, output: str | None) -> None:
    """Write a session as a chapter to read, as one character lived it.

    It is made of what that seat has seen, and of nothing else. The format is Markdown.

    \b
    Example:  sottovoce novelize latest --as pim-tallow -o chapter.md
    """
    with source(place, game) as found:
        text = markdown(novel(found.view(found.seat(seat))))
    with ExitStack() as stack:
        target = Output(output, stack)
        target.write([text])
    if target.target is not None:
        say(f"Written to {one_line(target.target)}.", err=True)
