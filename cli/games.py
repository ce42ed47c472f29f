"""`sottovoce games`."""

from __future__ import annotations

import click
from rich.console import Console

from cli.place import Place, auditor_option, json_option, print_json
from cli.screen import print_table
from server.summaries import summaries


@click.command()
@auditor_option
@json_option
@click.pass_obj
def games(place: Place, auditor: bool, as_json: bool) -> None:
    """List the games, oldest first. A hold that not all may know of shows to an auditor alone.

    \b
    Example:  sottovoce games
    """
    with place.games() as opened:
        found = summaries(opened.log, place.url)
        if auditor:
            found = [one.audited(opened.log.read(one.game)) if one.status == "open" else one for one in found]
        rows = [summary.to_json() for summary in found]
    if as_json:
        for row in rows:
            print_json(row)
    elif not rows:
        click.echo("No games yet. Start one with: sottovoce play mafia")
    else:
        columns = ("game", "ruleset", "status", "started", "ended", "winner")
        cells = [[(str(row[key]) if row[key] is not None else "–") for key in columns] for row in rows]
        for line in cells:
            line[3:5] = [when[:16].replace("T", " ") for when in line[3:5]]
        print_table(Console(highlight=False), columns, cells)
