"""`sottovoce games`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from sottovoce.cli.columns import print_table
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import FIRST_GAME, Place, UnknownName, auditor_option, json_option, print_json
from sottovoce.cli.view_options import LookingCommand
from sottovoce.domain.reading import readable
from sottovoce.eventlog import EventLog
from sottovoce.projections.summary import Summary
from sottovoce.server.batches import names
from sottovoce.server.summaries import BatchLine, Wanted, listed

LIMIT = 50
"""Lines listed where nothing else is said."""

MOST_FAR = 500
"""Games of a server listed at once."""


@click.command(cls=LookingCommand)
@click.option("--mine", is_flag=True, help="Only games with a human seat.")
@click.option("--open/--over", "unfinished", default=None, help="Only games in progress / only finished games.")
@click.option("--ruleset", metavar="NAME", help="Only games of this ruleset.")
@click.option("--winner", metavar="NAME", help="Only games won by NAME.")
@click.option("--seat", metavar="NAME", help="Only games with this seat.")
@click.option("--batch", metavar="NAME", help="Only games of this batch.")
@click.option("--limit", metavar="N", type=WholeNumber(1, 1_000_000), help=f"Show at most N games.  [default: {LIMIT}]")
@click.option("--all", "every", is_flag=True, help="Include games that belong to batches.")
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
    """List games and batches, the newest last. Secret holds are shown only with --auditor.

    Options combine: a game must match all of them. Games of a batch are shown only with --batch or --all.

    \b
    Example:  sottovoce games
              sottovoce games --over --ruleset mafia --winner town
    """
    finished = None if unfinished is None else not unfinished
    if limit is None and not every:
        limit = LIMIT
    ruleset, winner, seat, batch = (name and readable(name) for name in (ruleset, winner, seat, batch))
    if place.server is not None:
        _far(place, {"ruleset": ruleset}, (mine, finished, winner, seat, batch, auditor, every), limit, as_json)
        return
    wanted = Wanted(ruleset, winner, seat, batch, finished, mine, every, limit)
    with place.log() as log:
        if batch is not None and batch not in names(log):
            raise UnknownName(f"There is no batch {batch!r}. Run `sottovoce games` to list batches.")
        found, older = listed(log, wanted)
        if auditor:
            found = [_audited(one, log) for one in found]
    rows = [one.to_json() for one in found]
    if rows or as_json:
        _print(rows, as_json)
    elif wanted != Wanted(every=every, limit=limit):
        say("No matching games.")
    else:
        say(f"No games yet. Start one with: {FIRST_GAME}")
    if older:
        say(f"These are the newest {limit}. To see more, use --limit N, or --all for every game.", err=True)


def _print(rows: Iterable[Mapping[str, Any]], as_json: bool) -> None:
    if as_json:
        for row in rows:
            print_json(row)
    else:
        columns = ("game", "ruleset", "status", "started", "ended", "winner")
        print_table(columns, [_cells(row) for row in rows])


def _far(place: Place, wanted: Mapping[str, Any], others: Iterable[object], limit: int | None, as_json: bool) -> None:
    """The newest games that a link knows of: all of the server for a host's, its own for any other."""
    from sottovoce.cli.remote import connect
    from sottovoce.client.link import find_link

    if any(others):
        raise click.UsageError("With --server, only --ruleset and --limit can filter games")
    with connect(find_link(place.server), host=True) as used:
        rows, older = used.call(used.api.games(**wanted, limit=min(limit or LIMIT, MOST_FAR)))
    if rows or as_json:
        _print(rows[::-1], as_json)
    else:
        say("No matching games." if any(wanted.values()) else "No games yet.")
    if older:
        say(f"These are the newest {len(rows)}. To see more, use --limit N, up to {MOST_FAR}.", err=True)


def _audited(one: Summary | BatchLine, log: EventLog) -> Summary | BatchLine:
    return one.audited(log.read(one.game)) if isinstance(one, Summary) and one.status == "open" else one


def _cells(row: Mapping[str, Any]) -> list[str]:
    """A line of the list as it is printed."""
    started = row["started"][:16].replace("T", " ")
    if "batch" in row:
        ended = row["over"] + row["void"]
        return [f"batch {row['batch']}", row["ruleset"], f"{ended} of {row['games']} finished", started, "–", "–"]
    winner = row["winner"] or "–"
    if row["fallbacks"]:
        winner += f" ({row['fallbacks']} fallback{'' if row['fallbacks'] == 1 else 's'})"
    ended = row["ended"][:16].replace("T", " ") if row["ended"] else "–"
    return [row["game"], row["ruleset"], row["status"], started, ended, winner]
