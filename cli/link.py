"""`sottovoce link`."""

from __future__ import annotations

import click

from sottovoce.cli.columns import print_table
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, json_option, print_json
from sottovoce.cli.remote import keeping
from sottovoce.cli.view_options import LookingCommand


@click.command(cls=LookingCommand)
@click.option("--seat", metavar="SEAT", help="Create a new link for SEAT (revokes the old one).")
@click.option("--spectator", "kind", flag_value="spectator", help="Create a new spectator link.")
@click.option("--auditor", "kind", flag_value="auditor", help="Create an auditor link (shows every secret).")
@click.option("--keeper", "kind", flag_value="keeper", help="Replace your keeper link.")
@click.option("--end", "number", metavar="NUMBER", type=WholeNumber(1), help="Revoke link NUMBER.")
@json_option
@click.pass_obj
def link(place: Place, seat: str | None, kind: str | None, number: int | None, as_json: bool) -> None:
    """List, create or revoke the links of a game on a server. Needs its keeper link.

    A new link revokes the old one immediately and disconnects anyone using it. During the game, all players see when an
    auditor link or a new seat link is created. A game created with `--rule keeper=blind` can have an auditor link only
    after it ends.

    \b
    Example:  sottovoce link --server http://127.0.0.1:8642/games/m5x8kq2w7h#svk_TOKEN --seat Ada
    """
    if sum(option is not None for option in (seat, kind, number)) > 1:
        raise click.UsageError("Use only one of --seat, --spectator, --auditor, --keeper and --end")
    with keeping(place) as used:
        if number is not None:
            used.call(used.api.end_link(number))
            if as_json:
                print_json({"ended": number})
            else:
                say(f"Link {number} is revoked.")
        elif seat is not None or kind is not None:
            issued = used.call(used.api.issue(kind or "seat", seat))
            if as_json:
                print_json(issued)
            else:
                say(str(issued["link"]))
        else:
            rows = used.call(used.api.links())
            if as_json:
                for row in rows:
                    print_json(row)
            else:
                columns = ("number", "kind", "seat", "issued", "claimed", "ended")
                print_table(columns, [[_cell(row[name]) for name in columns] for row in rows])


def _cell(value: object) -> str:
    return "–" if value is None else str(value)[:16].replace("T", " ")
