"""`sottovoce diff`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import click

from sottovoce.cli.extras import EXTRAS
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, game_argument, json_option, print_json
from sottovoce.cli.view_options import LookingCommand, source
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import visible

_COLOURS = {"head": {"bold": True}, "place": {"fg": "cyan"}, "new": {"fg": "green"}, "gone": {"fg": "red"}}
_REMARK = {"fg": "yellow"}


@click.command(cls=LookingCommand)
@game_argument
@click.argument("about", metavar="[TASK]", required=False)
@click.option("--as", "seat", metavar="SEAT", help="Seat whose view to show. The user's unless you give one.")
@click.option("--round", "round", metavar="N", type=WholeNumber(), help="Show the code of round N instead of the last.")
@click.option("--stat", is_flag=True, help="Show only how many lines changed in each file.")
@json_option
@click.pass_obj
def diff(
    place: Place, game: str, about: str | None, seat: str | None, round: int | None, stat: bool, as_json: bool
) -> None:
    """Show the recorded code of a task as a diff, with the remarks at its lines.

    TASK is a task's id or its short name. Without it, all tasks that have code.

    \b
    Example:  sottovoce diff latest spring-fair --round 2
    """
    with source(place, game) as found:
        extras = EXTRAS.of(found.ruleset.name)
        if extras.diff is None:
            raise SottovoceError(f"Games of {found.ruleset.name} record no code, so there is no diff.")
        if seat is None and place.link is None:
            seat = extras.watched
        shown = extras.diff()(found.view(found.seat(seat or "")).state, about, round)
    if as_json:
        for one in shown:
            print_json(one.data())
        return
    lines = (line for one in shown for line in one.lines(stat=stat))
    if sys.stdout.isatty():
        _paged(_coloured(style, text) for style, text in lines)
    else:
        for _, text in lines:
            say(text)


def _coloured(style: str, text: str) -> str:
    harmless = visible(text)
    if "NO_COLOR" in os.environ or not style:
        return f"{harmless}\n"
    return click.style(harmless, **_COLOURS.get(style, _REMARK)) + "\n"  # type: ignore[arg-type]


def _paged(lines: Iterator[str]) -> None:
    """Show lines in the pager, which stays away where they fit on the screen."""
    os.environ.setdefault("LESS", "FRX")
    click.echo_via_pager(lines)
