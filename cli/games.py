"""`sottovoce games`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from cli.output import say
from cli.place import Place, UnknownName, auditor_option, json_option, print_json
from cli.table import print_table
from projections.exported import stamp
from projections.summary import Summary
from server.summaries import summaries


@click.command()
@click.option("--batch", metavar="NAME", help="List the games of that batch.")
@click.option("--all", "every", is_flag=True, help="List every game, those of batches too.")
@auditor_option
@json_option
@click.pass_obj
def games(place: Place, batch: str | None, every: bool, auditor: bool, as_json: bool) -> None:
    """List the games, oldest first, and batches by name. A hold that not all may know of shows to an auditor alone.

    \b
    Example:  sottovoce games
    """
    with place.log() as log:
        found = summaries(log, place.url)
        if auditor:
            found = [one.audited(log.read(one.game)) if one.status == "open" else one for one in found]
        batches = log.batches()
    if batch is not None and batch not in batches:
        raise UnknownName(f"There is no batch {batch!r}; sottovoce games lists them.")
    rows = _rows(found, batches, batch, every)
    if as_json:
        for row in rows:
            print_json(row)
    elif not rows:
        say("No games yet. Start one with: sottovoce play mafia")
    else:
        columns = ("game", "ruleset", "status", "started", "ended", "winner")
        print_table(columns, [_cells(row) for row in rows])


def _rows(
    found: Sequence[Summary], batches: Mapping[str, Sequence[str]], batch: str | None, every: bool
) -> list[dict[str, Any]]:
    """The lines of the list: games, and a line where the first game of a batch would stand."""
    if every:
        return [summary.to_json() for summary in found]
    of = {game: name for name, games in batches.items() for game in games}
    if batch is not None:
        return [summary.to_json() for summary in found if of.get(summary.game) == batch]
    rows: dict[str, dict[str, Any]] = {}
    for summary in found:
        name = of.get(summary.game)
        if name is None:
            rows[summary.game] = summary.to_json()
            continue
        row = rows.setdefault(
            f"batch {name}",
            {
                "batch": name,
                "ruleset": summary.ruleset,
                "games": len(batches[name]),
                **dict.fromkeys(("open", "held", "over", "void"), 0),
                "started": stamp(summary.started),
            },
        )
        row[summary.status] += 1
    return list(rows.values())


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
