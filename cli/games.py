"""`sottovoce games`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from cli.output import say
from cli.place import FIRST_GAME, Place, UnknownName, auditor_option, json_option, print_json
from cli.table import print_table
from domain.reading import readable
from eventlog import EventLog
from projections.summary import Summary
from server.batches import names
from server.summaries import BatchLine, Wanted, listed

LIMIT = 50
"""Lines listed where nothing else is said."""


@click.command()
@click.option("--mine", is_flag=True, help="List the games in which somebody at a terminal has a seat.")
@click.option("--open/--over", "unfinished", default=None, help="List the games that go on, or those that do not.")
@click.option("--ruleset", metavar="NAME", help="List the games of that ruleset.")
@click.option("--winner", metavar="NAME", help="List the games that were won by that.")
@click.option("--seat", metavar="NAME", help="List the games that have a seat of that name.")
@click.option("--batch", metavar="NAME", help="List the games of that batch.")
@click.option("--limit", type=click.IntRange(min=1), help=f"List the newest so many; {LIMIT} if not given.")
@click.option("--all", "every", is_flag=True, help="List every game, those of batches too.")
@auditor_option
@json_option
@click.pass_obj
def games(
    place: Place,
    mine: bool,
    unfinished: bool | None,
    ruleset: str | None,
    winner: str | None,
    seat: str | None,
    batch: str | None,
    limit: int | None,
    every: bool,
    auditor: bool,
    as_json: bool,
) -> None:
    """List the newest games, oldest first, and batches by name. A hold that not all may know of shows to an auditor.

    Several options list the games for which all of them hold; those of a batch only with --batch or --all.

    \b
    Example:  sottovoce games
              sottovoce games --over --ruleset mafia --winner town
    """
    finished = None if unfinished is None else not unfinished
    if limit is None and not every:
        limit = LIMIT
    ruleset, winner, seat, batch = (name and readable(name) for name in (ruleset, winner, seat, batch))
    wanted = Wanted(ruleset, winner, seat, batch, finished, mine, every, limit)
    with place.log() as log:
        if batch is not None and batch not in names(log):
            raise UnknownName(f"There is no batch {batch!r}; sottovoce games lists them.")
        found, older = listed(log, wanted)
        if auditor:
            found = [_audited(one, log) for one in found]
    rows = [one.to_json() for one in found]
    if as_json:
        for row in rows:
            print_json(row)
    elif not rows and wanted != Wanted(every=every, limit=limit):
        say("No such games.")
    elif not rows:
        say(f"No games yet. Start one with: {FIRST_GAME}")
    else:
        columns = ("game", "ruleset", "status", "started", "ended", "winner")
        print_table(columns, [_cells(row) for row in rows])
    if older:
        say(f"These are the newest {limit}. For more: --limit N, or --all for every game.", err=True)


def _audited(one: Summary | BatchLine, log: EventLog) -> Summary | BatchLine:
    return one.audited(log.read(one.game)) if isinstance(one, Summary) and one.status == "open" else one


def _cells(row: Mapping[str, Any]) -> list[str]:
    """A line of the list as it is printed."""
    started = row["started"][:16].replace("T", " ")
    if "batch" in row:
        ended = row["over"] + row["void"]
        return [f"batch {row['batch']}", row["ruleset"], f"{ended} of {row['games']} over", started, "–", "–"]
    winner = row["winner"] or "–"
    if row["fallbacks"]:
        winner += f" ({row['fallbacks']} stand-in{'' if row['fallbacks'] == 1 else 's'})"
    ended = row["ended"][:16].replace("T", " ") if row["ended"] else "–"
    return [row["game"], row["ruleset"], row["status"], started, ended, winner]
