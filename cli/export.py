"""`sottovoce export`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from cli.place import Place, game_argument, load_game
from domain.errors import SottovoceError
from projections.exported import compact, export_line, stamp


@click.command()
@game_argument
@click.option("-o", "--output", metavar="FILE", help="Write here and not to standard output.")
@click.option("--receipts", metavar="FILE", help="Write the receipts here, with the texts that were handed over.")
@click.pass_obj
def export(place: Place, game: str, output: str | None, receipts: str | None) -> None:
    """Write a game's events as JSON lines, one event a line. This is the auditor's: it holds everything.

    \b
    Example:  sottovoce export latest -o game.jsonl
    """
    with place.games() as games:
        live = load_game(games, game)
        given = games.log.receipts(live.id) if receipts else []
        texts = {digest: games.log.block(digest) for receipt in given for digest in receipt.blocks}
    _write(output, (export_line(item) for item in live.recorded))
    if receipts:
        _write(
            receipts,
            (
                compact(
                    {
                        "game": receipt.game,
                        "number": receipt.number,
                        "name": receipt.name,
                        "at": stamp(receipt.at),
                        "seat": receipt.seat,
                        "data": receipt.data,
                        "texts": [texts[digest] for digest in receipt.blocks],
                    }
                )
                for receipt in given
            ),
        )


def _write(target: str | None, lines: Iterable[str]) -> None:
    if target is None or target == "-":
        for line in lines:
            sys.stdout.write(f"{line}\n")
        return
    try:
        with Path(target).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise SottovoceError(f"Cannot write {target}: {error.strerror}; give another file.") from None
