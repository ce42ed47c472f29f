"""`sottovoce link`."""

from __future__ import annotations

import click

from sottovoce.cli.far import keeping
from sottovoce.cli.look import LookingCommand
from sottovoce.cli.numbers import Whole
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, json_option, print_json
from sottovoce.cli.table import print_table


@click.command(cls=LookingCommand)
@click.option("--seat", metavar="NAME", help="Issue this seat's link anew.")
@click.option("--spectator", "kind", flag_value="spectator", help="Issue the link to look on anew.")
@click.option("--auditor", "kind", flag_value="auditor", help="Issue a link that shows every secret.")
@click.option("--keeper", "kind", flag_value="keeper", help="Issue the keeper's link anew, which ends this one.")
@click.option("--end", "number", metavar="NUMBER", type=Whole(1), help="End a link.")
@json_option
@click.pass_obj
def link(place: Place, seat: str | None, kind: str | None, number: int | None, as_json: bool) -> None:
    """List the links of a far game, issue one anew or end one, with its keeper's link.

    A new link ends the one before it of the same kind and seat at once, and whatever was open with it. While the game
    runs, everyone in it is told of a new auditor's link, and of a new link for a seat. A game opened with `--rule
    keeper=blind` has an auditor's link once it is over.

    \b
    Example:  sottovoce link --server http://127.0.0.1:8642/games/m5x8kq2w7h#svk_TOKEN --seat Ada
    """
    if sum(option is not None for option in (seat, kind, number)) > 1:
        raise click.UsageError("--seat, --spectator, --auditor, --keeper and --end exclude each other")
    with keeping(place) as used:
        if number is not None:
            used.call(used.api.end_link(number))
            if as_json:
                print_json({"ended": number})
            else:
                say(f"Link {number} has ended.")
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
