"""`sottovoce transcript`."""

from __future__ import annotations

from pathlib import Path

import click

from cli.chair import perspective
from cli.place import Place, as_option, auditor_option, game_argument, load_game
from domain.errors import SottovoceError
from projections.transcript import html, markdown


@click.command()
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
    with place.games() as games:
        live = load_game(games, game)
    if form is None:
        form = "html" if output and output.lower().endswith((".html", ".htm")) else "markdown"
    write = html if form == "html" else markdown
    text = write(live.ruleset, live.recorded, perspective(live, seat, auditor))
    if output is None or output == "-":
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise SottovoceError(f"Cannot write {output}: {error.strerror}; give another file.") from None
    click.echo(f"Written to {output}.", err=True)
