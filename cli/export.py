"""`sottovoce export`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from sottovoce.cli.output import Output
from sottovoce.cli.place import Place, game_argument, load_game
from sottovoce.domain.safe_text import visible_json
from sottovoce.eventlog.verify import all_receipts
from sottovoce.projections.exports import compact, export_line
from sottovoce.server.receipts import receipt_json


@click.command()
@game_argument
@click.option("-o", "--output", metavar="FILE", help="Output file.  [default: standard output]")
@click.option("--receipts", metavar="FILE", help="Also write receipts, including prompts, to FILE.")
@click.pass_obj
def export(place: Place, game: str, output: str | None, receipts: str | None) -> None:
    """Export a game's events as JSON Lines. Contains every secret of the game.

    \b
    Example:  sottovoce export latest -o game.jsonl
    """
    if receipts is not None and Path(receipts).resolve() == Path(output or "-").resolve():
        raise click.UsageError("Events and receipts need different files")
    with place.games() as games, ExitStack() as stack:
        live = load_game(games.log, game)
        events = Output(output, stack)
        given = Output(receipts, stack) if receipts is not None else None
        events.write(f"{export_line(item)}\n" for item in live.recorded)
        if given is not None:
            given.write(
                f"{visible_json(compact(receipt_json(games.log, item)))}\n" for item in all_receipts(games.log, live.id)
            )
