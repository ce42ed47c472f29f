"""`sottovoce files`."""

from __future__ import annotations

from pathlib import Path

import click

from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, check_seq, game_argument, json_option, print_json
from sottovoce.cli.view_options import LookingCommand, source
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import one_line
from sottovoce.server.campaign import write_documents


@click.command(cls=LookingCommand)
@game_argument
@click.option("--as", "seat", metavar="SEAT", required=True, help="Seat whose documents to export.")
@click.option("--into", "folder", metavar="DIR", required=True, type=click.Path(), help="Folder to write to.")
@click.option("--at", "seq", metavar="SEQ", type=WholeNumber(), help="Show the state right after event SEQ.")
@json_option
@click.pass_obj
def files(place: Place, game: str, seat: str, folder: str, seq: int | None, as_json: bool) -> None:
    """Export the documents a seat can read. Only some rulesets have documents.

    Creates the folder if needed. Refuses a folder that contains anything but an earlier export.

    \b
    Example:  sottovoce files latest --as pim-tallow --into ./pim
    """
    with source(place, game) as found:
        chair = found.seat(seat)
        documents = found.ruleset.documents
        if documents is None:
            raise SottovoceError(f"Games of {found.ruleset.name} have no documents to export.")
        check_seq(seq, found.view(chair).seq)
        seen = found.view(chair, seq)
    written = write_documents(documents(seen.state), Path(folder))
    if as_json:
        for path in written:
            print_json({"file": path})
    else:
        say(f"{len(written)} file{'' if len(written) == 1 else 's'} in {one_line(folder)}, as {chair} can read them.")
